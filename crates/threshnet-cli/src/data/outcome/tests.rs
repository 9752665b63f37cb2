//! Each inferred task, each override and each refusal.

use super::*;
use crate::data::fixture::Fixture;
use crate::data::{column::Keep, table::Reader};

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
    Reader::open(&file.path).unwrap().read(&wanted).unwrap()
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
        ("c a b", None, classes(&[2, 0, 1], "a b c", multiclass)),
        ("1 2 3", None, Outcome::Continuous(vec![1.0, 2.0, 3.0])),
        (
            "1 2 3",
            Some(multiclass),
            classes(&[0, 1, 2], "1 2 3", multiclass),
        ),
        (
            "0 1 1",
            Some(multiclass),
            classes(&[0, 1, 1], "0 1", multiclass),
        ),
        (
            "0 1 1",
            Some(regression),
            Outcome::Continuous(vec![0.0, 1.0, 1.0]),
        ),
        (
            "1 x 2",
            Some(multiclass),
            classes(&[0, 2, 1], "1 2 x", multiclass),
        ),
    ] {
        let file = file("1 2 3", "0 1 1", cells);
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
            "1 2 3",
            Some(Task::Cox),
            "--task cox needs --time COL and --event COL, not --target",
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
    for (t, e, task, message) in [
        (
            "1 -2 3",
            "0 1 1",
            None,
            r#"line 3, column "t": the time -2 is negative; times start at 0"#,
        ),
        (
            "1 2 x",
            "0 1 1",
            None,
            r#"line 4, column "t": "x" is not a number; write a number there"#,
        ),
        (
            "1 2 3",
            "1 2 1",
            None,
            r#"line 3, column "e": "2" is not an event indicator; write 1 = happened, 0 = censored"#,
        ),
        (
            "1 2 3",
            "1 0 dead",
            None,
            r#"line 4, column "e": "dead" is not an event indicator; write 1 = happened, 0 = censored"#,
        ),
        (
            "1 2 3",
            "1 0 NA",
            None,
            r#"line 4, column "e": a missing or infinite cell; fill in every cell or leave the row out"#,
        ),
        (
            "1 2 3",
            "0 0 0",
            None,
            r#"column "e": no event happened, every row is 0 = censored; a fit needs some 1 = happened"#,
        ),
        (
            "1 2 3",
            "0 0 1",
            Some(Task::Binary),
            "--task binary needs --target COL, not --time and --event",
        ),
    ] {
        let file = file(t, e, "1 2 3");
        let said = file.complaint(to_fit(&table(&file), &t_e(), task));
        assert_eq!(said, format!("FILE: {message}"));
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
            r#"FILE: line 3, column "t": "2" is none of the model's classes, which are "0", "1""#,
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
