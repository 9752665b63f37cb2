//! From a file to a dataset, all the way.

pub mod fixture;

use super::*;
use fixture::{Fixture, gzip};
use threshnet::dataset::Outcome;

/// `--target y` and nothing else.
fn target(name: &str) -> Columns {
    Columns {
        target: Some(name.to_string()),
        ..Columns::default()
    }
}

/// `--time t --event e` and nothing else.
fn survival(time: &str, event: &str) -> Columns {
    Columns {
        time: Some(time.to_string()),
        event: Some(event.to_string()),
        ..Columns::default()
    }
}

const DATA: &str = "id,x1,y,x2\nA,1,no,0.5\nB,2,yes,0.25\nC,3,no,0\n";

#[test]
fn a_file_becomes_a_dataset() {
    let columns = Columns {
        drop: vec!["id".into()],
        ..target("y")
    };
    let tabs = DATA.replace(',', "\t");
    for file in [
        Fixture::new("d.csv", DATA),
        Fixture::bytes("d.csv.gz", &gzip(DATA)),
        Fixture::new("d.tsv", &tabs),
        Fixture::bytes("d.tsv.gz", &gzip(&tabs)),
    ] {
        let (data, _) = load_dataset(&Input::of(&file.path), &columns, &|_| ()).unwrap();
        assert_eq!((data.n(), data.d()), (3, 2));
        assert_eq!(data.names(), ["x1", "x2"]);
        let columns: Vec<_> = data.columns().iter().map(|c| c.to_vec()).collect();
        assert_eq!(columns, [[1.0, 2.0, 3.0], [0.5, 0.25, 0.0]]);
        let expected = Outcome::Classes {
            labels: vec![0, 1, 0],
            classes: vec!["no".into(), "yes".into()],
            task: Task::Binary,
        };
        assert_eq!(data.outcome(), &expected);
    }
}

#[test]
fn a_matrix_without_zeros_becomes_a_dataset_without_zeros() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 2 3\n3 1 -1\n1 2 2\n2 2 2\n";
    let matrix = Fixture::new("d.mtx", text);
    let outcome = Fixture::new("y.csv", "y\n1\n2\n4\n");
    let input = Input {
        outcome: Some(outcome.path.clone()),
        ..Input::of(&matrix.path)
    };
    let (data, _) = load_dataset(&input, &target("y"), &|_| ()).unwrap();
    let entries = |j: usize| data.columns()[j].entries().unwrap();
    assert_eq!(entries(0).rows, [2]);
    assert_eq!(entries(1).values, [2.0, 2.0]);
    assert_eq!(data.columns()[1].to_vec(), [2.0, 2.0, 0.0]);
}

/// As single-cell files often are.
#[test]
fn a_transposed_matrix_is_recognised() {
    let text = "%%MatrixMarket matrix coordinate real general\n2 4 1\n1 1 3\n";
    let matrix = Fixture::new("d.mtx", text);
    for (outcome, message) in [
        (
            "y\n1\n2\n3\n4\n",
            "FILE: 4 rows, but the features have 2 rows and 4 columns; a single-cell file is often genes × cells: transpose it, so that every sample is a row",
        ),
        (
            "y\n1\n2\n3\n",
            "FILE: 3 rows, but the features have 2; write one row for each, in the same order",
        ),
    ] {
        let outcome = Fixture::new("y.csv", outcome);
        let input = Input {
            outcome: Some(outcome.path.clone()),
            ..Input::of(&matrix.path)
        };
        let found = load_dataset(&input, &target("y"), &|_| ());
        assert_eq!(outcome.complaint(found), message);
        let found = Inspection::read(&input, &target("y"), &|_| ());
        assert_eq!(outcome.complaint(found.map(|_| ())), message);
    }
}

#[test]
fn survival_columns_are_no_features() {
    let file = Fixture::new("d.csv", "e,x,t\n1,5,2.5\n0,6,3\n");
    let (data, _) = load_dataset(&Input::of(&file.path), &survival("t", "e"), &|_| ()).unwrap();
    assert_eq!(data.names(), ["x"]);
    let expected = Outcome::Survival {
        time: vec![2.5, 3.0],
        event: vec![true, false],
    };
    assert_eq!(data.outcome(), &expected);
}

#[test]
fn bad_requests_and_bad_data_are_refused() {
    let say = "FILE: say what to predict: either --target COL, or --time COL and --event COL";
    let both = Columns {
        time: Some("x1".into()),
        ..target("y")
    };
    let with_task = |columns: Columns, task: Task| Columns {
        task: Some(task),
        ..columns
    };
    let with_outcome = Columns {
        features: vec!["x1".into(), " y".into()],
        ..target("y")
    };
    for (text, columns, message) in [
        (DATA, Columns::default(), say),
        (
            DATA,
            with_task(target("y"), Task::Cox),
            "FILE: --task cox needs --time COL and --event COL, not --target",
        ),
        (
            DATA,
            with_task(survival("x1", "y"), Task::Binary),
            "FILE: --task binary needs --target COL, not --time and --event",
        ),
        (
            DATA,
            with_outcome,
            r#"FILE: --features: "y" is the outcome; take it out of the list"#,
        ),
        (DATA, both, say),
        (
            DATA,
            survival("x1", "x1"),
            "FILE: --time and --event name the same column",
        ),
        (
            DATA,
            target("yy"),
            r#"FILE: there is no column "yy"; did you mean "y"?"#,
        ),
        (
            "a,y\n1,0\nx,1\n",
            target("y"),
            r#"FILE: line 3, column "a": "x" is not a number; line 2 has the number 1: correct one of them, say --na x if that stands for a missing value, or leave the column out with --drop a"#,
        ),
        (
            "x,y\n1,2\n",
            target("y"),
            "FILE: 1 row of data; a fit needs at least 2",
        ),
        (
            "y\n1\n2\n",
            target("y"),
            "FILE: no feature columns are left; see --features and --drop",
        ),
        (
            "x,y\n1,0\nNA,1\n",
            target("y"),
            r#"FILE: line 3, column "x": a missing or infinite cell; --missing impute fills them in, --missing drop leaves out their rows, --drop a column"#,
        ),
        (
            "x,y\n1,0\n1,1\n",
            target("y"),
            "FILE: every feature column is constant: there is nothing to select from",
        ),
    ] {
        let file = Fixture::new("d.csv", text);
        assert_eq!(
            file.complaint(load_dataset(&Input::of(&file.path), &columns, &|_| ())),
            message
        );
    }
}

#[test]
fn unused_columns_may_hold_anything() {
    let file = Fixture::new("d.csv", "note,x,y\nNA,1,0\nhello,2,1\n");
    let columns = Columns {
        features: vec!["x".into()],
        ..target("y")
    };
    assert_eq!(
        load_dataset(&Input::of(&file.path), &columns, &|_| ())
            .unwrap()
            .0
            .names(),
        ["x"]
    );
}

#[test]
fn a_model_finds_its_columns_in_any_order() {
    let file = Fixture::new("d.csv", DATA);
    let load_features = |path: &Path, needed: &[&str]| -> Result<Features> {
        let mut stream = FeatureStream::open(&Input::of(path), Needed::numbers(needed), &[])?;
        let Rows {
            features: first, ..
        } = stream.next().expect("the file has rows")?;
        if let Some(problem) = first.bad.values().next() {
            return Err(stream.refused(problem, first.bad.len()));
        }
        assert!(stream.next().is_none());
        Ok(first)
    };
    let features = load_features(&file.path, &["x2", "x1"]).unwrap();
    assert_eq!(features.rows, 3);
    assert_eq!(
        features.encoded.columns,
        [[0.5, 0.25, 0.0], [1.0, 2.0, 3.0]]
    );
    let none = load_features(&file.path, &[]).unwrap();
    assert_eq!((none.rows, none.encoded.columns.len()), (3, 0));
    for (needed, message) in [
        (
            &["x1", "z"][..],
            r#"FILE: the file lacks column "z", which the model needs; add it under this name"#,
        ),
        (
            &["a", "b", "c", "d", "e", "f"],
            r#"FILE: the file lacks 6 of the 6 columns the model needs: "a", "b", "c", "d", "e", …; add them under these names"#,
        ),
        (
            &["id"],
            r#"FILE: line 2, column "id": "A" is not a number; the model needs a number there; the first of 3 bad rows; --skip-bad leaves their predictions empty"#,
        ),
    ] {
        assert_eq!(file.complaint(load_features(&file.path, needed)), message);
    }
}

#[test]
fn a_model_reads_its_outcome_with_its_features() {
    let file = Fixture::new("d.csv", DATA);
    let columns = OutcomeColumns::Target("y".into());
    let classes = ["no", "yes"].map(String::from);
    let outcome = ModelOutcome {
        columns: &columns,
        task: Task::Binary,
        classes: &classes,
        rows: RowColumns::default(),
    };
    let (features, values) =
        load_labelled(&Input::of(&file.path), &Needed::numbers(&["x1"]), outcome).unwrap();
    assert_eq!(features.encoded.columns, [[1.0, 2.0, 3.0]]);
    assert_eq!(values.outcome.strata(), [0, 1, 0]);
    let unknown = ModelOutcome {
        classes: &classes[..1],
        ..outcome
    };
    assert_eq!(
        file.complaint(load_labelled(
            &Input::of(&file.path),
            &Needed::numbers(&["x1"]),
            unknown
        )),
        r#"FILE: line 3, column "y": "yes" is none of the model's classes; write one of "no""#
    );
}

#[test]
fn a_cohort_leaves_out_rows_without_a_positive_time() {
    let text = "t,e,x,x,s\n0,1,1,7,a\n2,1,2,8,b\n-1,NA,,9,c\n3,0,4,10,c\n";
    let file = Fixture::new("d.csv", text);
    let columns = Columns {
        time: Some("t".into()),
        event: Some("e".into()),
        ..Columns::default()
    };
    let data = load_cohort(&file.path, &columns).unwrap();
    assert_eq!(data.names(), ["x", "x (2)", "s"]);
    let values: Vec<Vec<f64>> = data.columns().iter().map(|c| c.to_vec()).collect();
    assert_eq!(values, [[2.0, 4.0], [8.0, 10.0], [1.0, 0.0], [0.0, 1.0]]);
    let survival = Outcome::Survival {
        time: vec![2.0, 3.0],
        event: vec![true, false],
    };
    assert_eq!(data.outcome(), &survival);
    let file = Fixture::new("d.csv", &text.replace("3,0,4", "3,0,"));
    let said = file.complaint(load_cohort(&file.path, &columns));
    assert!(
        said.starts_with("FILE: line 5, column \"x\": a missing"),
        "{said}"
    );
}
