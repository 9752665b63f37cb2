//! Each inferred task, each override and each refusal.

use super::*;
use crate::files::source::{Keep, Manner, Names};
use crate::files::table::Reader;
use crate::files::tests::fixture::Fixture;

/// A file whose columns `t`, `e` and `y` hold the space-separated cells.
fn file(t: &str, e: &str, y: &str) -> Fixture {
    let mut text = "t,e,y\n".to_string();
    for ((t, e), y) in t.split(' ').zip(e.split(' ')).zip(y.split(' ')) {
        text += &format!("{t},{e},{y}\n");
    }
    Fixture::new("d.csv", &text)
}

/// Such a file read as it is spelled.
fn table(file: &Fixture) -> Table {
    let wanted = [0, 1, 2].map(|position| (position, Keep::Spelling));
    let reader = Reader::open(&file.path, &Names::Features, &Manner::default()).unwrap();
    reader.read(&wanted, &|_| ()).unwrap()
}

/// `--target y`.
fn y() -> OutcomeColumns {
    OutcomeColumns::Target("y".into())
}

/// `--time t --event e`.
fn t_e() -> OutcomeColumns {
    OutcomeColumns::Survival {
        time: "t".into(),
        event: "e".into(),
    }
}

/// A classes outcome with space-separated class names.
fn classes(labels: &[usize], names: &str, task: Task) -> Outcome {
    Outcome::Classes {
        labels: labels.to_vec(),
        classes: names.split(' ').map(String::from).collect(),
        task,
    }
}

#[test]
fn the_task_follows_from_the_target_unless_it_is_given() {
    let (binary, multiclass, regression) = (Task::Binary, Task::Multiclass, Task::Regression);
    for (cells, task, expected) in [
        ("+1 -1 1", None, classes(&[1, 0, 1], "-1 +1", binary)),
        ("no yes no", None, classes(&[0, 1, 0], "no yes", binary)),
        (
            "c a b c b a",
            None,
            classes(&[2, 0, 1, 2, 1, 0], "a b c", multiclass),
        ),
        ("1 2 3", None, Outcome::Continuous(vec![1.0, 2.0, 3.0])),
        (
            "1 2 3 3 2 1.0",
            Some(multiclass),
            classes(&[0, 1, 2, 2, 1, 0], "1 2 3", multiclass),
        ),
        (
            "0 1 1 0",
            Some(multiclass),
            classes(&[0, 1, 1, 0], "0 1", multiclass),
        ),
        (
            "0 1 1",
            Some(regression),
            Outcome::Continuous(vec![0.0, 1.0, 1.0]),
        ),
        (
            "1 x 2 1 x 2",
            Some(multiclass),
            classes(&[0, 2, 1, 0, 2, 1], "1 2 x", multiclass),
        ),
    ] {
        let file = file("1 2 3 4 5 6", "0 1 1 0 1 0", cells);
        assert_eq!(
            to_fit(&table(&file), &y(), task).unwrap(),
            expected,
            "{cells}"
        );
    }
}

#[test]
fn bad_targets_are_refused() {
    for (cells, task, message) in [
        (
            "0 0 0.0",
            None,
            r#"column "y": every row is "0"; there is nothing to fit"#,
        ),
        (
            "a a a",
            Some(Task::Binary),
            r#"column "y": every row is "a"; there is nothing to fit"#,
        ),
        (
            "a b c",
            Some(Task::Binary),
            r#"column "y": 3 distinct values ("a", "b", "c"), but --task binary needs 2"#,
        ),
        (
            "1.5 oops 2.5",
            None,
            r#"line 3, column "y": "oops" is not a number; correct it, or say --task multiclass if the values are classes"#,
        ),
        (
            "a b a",
            Some(Task::Regression),
            r#"line 2, column "y": "a" is not a number; correct it, or say --task multiclass if the values are classes"#,
        ),
        (
            "a NA .",
            None,
            r#"line 3, column "y": the first of 2 missing or infinite cells; fill in every cell or leave the row out"#,
        ),
        (
            "MB-2 MB-1 MB-3",
            None,
            r#"line 2, column "y": "MB-2" is the first of 3 classes of 1 row; merge them with others or leave their rows out"#,
        ),
        (
            "a b a",
            Some(Task::Multiclass),
            r#"line 3, column "y": "b" is a class of 1 row; merge it with another or leave the row out"#,
        ),
        (
            "7 8 9",
            Some(Task::Multiclass),
            r#"line 2, column "y": "7" is the first of 3 classes of 1 row; merge them with others or leave their rows out, or say --task regression, since the values are numbers"#,
        ),
    ] {
        let file = file("1 2 3", "0 1 1", cells);
        let said = file.complaint(to_fit(&table(&file), &y(), task));
        assert_eq!(said, format!("FILE: {message}"));
    }
}

#[test]
fn survival_is_read_and_checked() {
    let good = file("0 2.5 3", "0 1.0 1", "1 2 3");
    let expected = Outcome::Survival {
        time: vec![0.0, 2.5, 3.0],
        event: vec![false, true, true],
    };
    assert_eq!(to_fit(&table(&good), &t_e(), None).unwrap(), expected);
    assert_eq!(
        to_fit(&table(&good), &t_e(), Some(Task::Cox)).unwrap(),
        expected
    );
    for (t, e, message) in [
        (
            "1 -2 3",
            "0 1 1",
            r#"line 3, column "t": the time -2 is negative; times start at 0"#,
        ),
        (
            "1 2 x",
            "0 1 1",
            r#"line 4, column "t": "x" is not a number; write a number there"#,
        ),
        (
            "1 2 3",
            "1 2 0",
            r#"line 3, column "e": "2" is not an event indicator; write 1 = happened, 0 = censored, or words such as dead and alive"#,
        ),
        (
            "1 2 3",
            "1 0 dead",
            r#"line 4, column "e": "dead" is not an event indicator; write 1 = happened, 0 = censored, or words such as dead and alive"#,
        ),
        (
            "1 2 3",
            "1 0 NA",
            r#"line 4, column "e": a missing or infinite cell; fill in every cell or leave the row out"#,
        ),
        (
            "1 2 3",
            "0 0 0",
            r#"column "e": no event happened, every row is 0 = censored; a fit needs some 1 = happened"#,
        ),
    ] {
        let file = file(t, e, "1 2 3");
        let said = file.complaint(to_fit(&table(&file), &t_e(), None));
        assert_eq!(said, format!("FILE: {message}"));
    }
}

#[test]
fn a_probability_is_of_one_of_two_classes() {
    let read = |file: &Fixture| two_classes(&table(file), "y");
    for (cells, labels, names) in [
        ("no yes no", [0, 1, 0], "no yes"),
        ("1 1.0 1", [1, 1, 1], "0 1"),
        ("0 0 0", [0, 0, 0], "0 1"),
    ] {
        let file = file("1 2 3", "0 0 0", cells);
        let expected = classes(&labels, names, Task::Binary);
        assert_eq!(read(&file).unwrap(), expected, "{cells}");
    }
    for (cells, message) in [
        (
            "yes yes yes",
            r#"FILE: column "y": every row is "yes", which may or may not be what the probability is of; write 1 for what it is of, else 0"#,
        ),
        (
            "a b c",
            r#"FILE: column "y": 3 distinct values ("a", "b", "c"), but a probability is of one of 2 classes; write 1 for what it is of, else 0"#,
        ),
    ] {
        let file = file("1 2 3", "0 0 0", cells);
        assert_eq!(file.complaint(read(&file)), message);
    }
}

#[test]
fn a_known_model_takes_its_own_classes() {
    let names = ["0", "1"].map(String::from);
    let file = file("1 2 3", "0 0 0", "1.0 1 1");
    let table = table(&file);
    assert_eq!(
        for_model(&table, &y(), Task::Binary, &names).unwrap(),
        classes(&[1, 1, 1], "0 1", Task::Binary)
    );
    assert_eq!(
        for_model(&table, &y(), Task::Regression, &[]).unwrap(),
        Outcome::Continuous(vec![1.0; 3])
    );
    let survival = for_model(&table, &t_e(), Task::Cox, &[]).unwrap();
    assert_eq!(survival.task(), Task::Cox);
    for (columns, task, message) in [
        (
            OutcomeColumns::Target("t".into()),
            Task::Binary,
            r#"FILE: line 3, column "t": "2" is none of the model's classes; write one of "0", "1""#,
        ),
        (
            y(),
            Task::Cox,
            "FILE: this is a survival model; name its outcome with --time COL and --event COL",
        ),
        (
            t_e(),
            Task::Binary,
            "FILE: this is a binary model; name its outcome with --target COL",
        ),
    ] {
        let said = file.complaint(for_model(&table, &columns, task, &names));
        assert_eq!(said, message);
    }
}
