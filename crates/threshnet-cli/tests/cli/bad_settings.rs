//! Settings that cannot be, or not together: one line that names the flag, and nothing written.

use super::bad_input::refused;
use super::{simulated, words};

#[test]
fn flags() {
    let home = simulated("regression", 30, 4, &[]);
    let refuse = |flags: &[&str], pieces: &[&str]| {
        let arguments = [&["fit", "data.csv", "--target", "y", "--out", "fit"], flags].concat();
        refused(home.path(), &arguments, 2, pieces);
    };
    let one = "--validation none --lambdas 0.1 --ridges 0.01";
    refuse(
        &[words(one), vec!["--skip-ridges", "yes"]].concat(),
        &["--skip-ridges: ", "turn it off"],
    );
    refuse(&["--skip-ridges", "maybe"], &["--skip-ridges", "maybe"]);
    refuse(
        &["--lambdas", "0.2,0.1"],
        &["--lambdas: 0.2 before 0.1", "ascending"],
    );
    refuse(&["--lambdas=-0.1,0.1"], &["--lambdas: -0.1 is not"]);
    refuse(&["--lambdas", "NaN"], &["--lambdas: NaN is not"]);
    refuse(
        &["--lambdas", "0.1;0.2"],
        &["--lambdas", "\"0.1;0.2\" is not a number"],
    );
    refuse(&["--lambdas", "-0.1,0.1"], &["--lambdas: -0.1 is not"]);
    refuse(&["--lambdas", "NaN"], &["--lambdas: NaN is not"]);
    refuse(
        &["--lambdas", "0.1;0.2"],
        &["--lambdas", "\"0.1;0.2\" is not a number"],
    );
    refuse(&["--lambdas", "0:1:5"], &["--lambdas", "0 < MIN < MAX"]);
    refuse(
        &["--ridges", "0.2,0.1"],
        &["--ridges: 0.2 before 0.1", "ascending"],
    );
    refuse(&["--hidden", "0"], &["--hidden: 0 is not a whole number"]);
    refuse(
        &["--hidden", "10,0"],
        &["--hidden: 0 is not a whole number"],
    );
    refuse(
        &["--validation", "none"],
        &["--validation", "exactly one lambda and one ridge"],
    );
    refuse(
        &["--validation", "draws:1"],
        &["--validation", "draws from 2"],
    );
    refuse(
        &["--stability", "2"],
        &["--stability", "2 is not a whole number from 3"],
    );
    refuse(
        &["--max-false", "1"],
        &["--max-false: ", "stability selection"],
    );
    refuse(
        &["--screen", "1"],
        &["--screen: 1 is not a whole number from 2"],
    );
    refuse(
        &["--fdr", "1"],
        &["--fdr: 1 is not a number between 0 and 1"],
    );
    refuse(
        &["--fdr", "0.1", "--stability", "5"],
        &["--fdr: stability selection bounds another error"],
    );
    refuse(
        &["--stability", "5", "--max-false", "-1"],
        &["--max-false", "above 0"],
    );
    refuse(
        &["--validation", "cv:3", "--frequency", "0.5"],
        &["--frequency", "draws:12"],
    );
    refuse(
        &["--validation", "draws:4", "--frequency", "0"],
        &["--frequency", "0 is not a number above 0 and at most 1"],
    );
    refuse(
        &["--validation", "draws:4", "--refit", "yes"],
        &["--refit", "leave it out"],
    );
    refuse(
        &words("--validation none --lambdas 0.1 --ridges 0.01 --linear compare"),
        &["--linear", "without validation"],
    );
    refuse(&["--validation", "cv:5x3"], &["--validation", "cv:FOLDS"]);
    for (flag, value) in [
        ("--readmit", "yes"),
        ("--rival", "10"),
        ("--starts", "3"),
        ("--share-start", "yes"),
        ("--lambdas", "auto"),
    ] {
        refuse(&[flag, value], &[flag]);
    }
    refuse(
        &words("--hidden none --shortcut yes"),
        &["--shortcut", "leave it out"],
    );
    refuse(
        &["--validation", "holdout:1.5"],
        &["--validation", "a share of 1.5"],
    );
    refuse(
        &["--threshold-step", "3"],
        &["--threshold-step: the MCP", "3 is not below 3"],
    );
    refuse(
        &["--penalty", "scad", "--threshold-step", "2.7"],
        &["--threshold-step: the SCAD", "2.7 is not below 2.7"],
    );
    refuse(
        &["--penalty", "scad", "--concavity", "2"],
        &["--concavity: SCAD", "above 2, not 2"],
    );
    refuse(
        &["--penalty", "lasso", "--concavity", "3"],
        &["--concavity: the lasso has none"],
    );
    refuse(
        &["--learning-rate", "0"],
        &["--learning-rate: 0 is not a number above 0"],
    );
    refuse(
        &["--solver", "proximal", "--learning-rate", "0.1"],
        &["--learning-rate: the proximal solver"],
    );
    refuse(
        &["--epochs", "0"],
        &["--epochs: 0 is not a whole number from 1"],
    );
    refuse(
        &["--jobs", "0"],
        &["--jobs: 0 is not a whole number from 1"],
    );
    // What would run away, or abort, is refused before any work.
    for (flag, value, problem) in [
        ("--learning-rate", "-1", "-1 is not a number above 0"),
        (
            "--lambdas",
            "1e-3:0.5:1000000000",
            "COUNT is a whole number from 1 to 10000",
        ),
        (
            "--jobs",
            "100000",
            "100000 is not a whole number from 1 to 1024",
        ),
        (
            "--validation",
            "draws:1000000000",
            "draws from 2 to 1000 are possible",
        ),
        ("--validation", "draws:1e9", "give `holdout:SHARE`"),
        (
            "--epochs",
            "1000000000000000000",
            "is not a whole number from 1 to 1000000",
        ),
        (
            "--epochs",
            "1e18",
            "1e18 is not a whole number from 1 to 1000000",
        ),
        (
            "--stability",
            "10000000000000000000",
            "is not a whole number from 3 to 10000",
        ),
        (
            "--hidden",
            "10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10",
            "20 are",
        ),
        ("--seed", "-1", "-1 is not a whole number"),
    ] {
        refuse(&[flag, value], &[&format!("{flag}: "), problem]);
    }
    refuse(
        &["--penalty", "ridge"],
        &["'ridge' for '--penalty", "lasso, mcp, scad"],
    );
    refuse(&["--nonsense"], &["unexpected argument '--nonsense'"]);
    for flags in [&[][..], &["--time", "y"]] {
        let arguments = [&["fit", "data.csv"], flags].concat();
        let piece = "either --target COL, or --time COL and --event COL";
        refused(home.path(), &arguments, 2, &[piece]);
    }
    refused(
        home.path(),
        &["simulate", "regression", "-n", "10", "-d", "3"],
        2,
        &["-d: this design needs at least 4 columns"],
    );
    refused(
        home.path(),
        &["metrics", "data.csv", "--target", "y"],
        2,
        &["--target with --prediction or --probability"],
    );
    let features = ["fit", "data.csv", "--target", "y", "--features", "x1,z*"];
    refused(
        home.path(),
        &features,
        1,
        &["data.csv: --features: no column matches \"z*\""],
    );
}

#[test]
fn lifting_what_cannot_be_lifted() {
    let survival = simulated("survival", 40, 4, &[]);
    refused(
        survival.path(),
        &words("fit data.csv --time time --event event --lift 1"),
        2,
        &["--lift", "it is for regression alone"],
    );
    let regression = simulated("regression", 40, 4, &[]);
    for (flags, piece) in [
        ("--lift 1 --no-standardize", "leave out one of the two"),
        ("--lift -1", "-1 is not a number from 0 to 1000"),
        ("--lift nan", "NaN is not a number from 0 to 1000"),
    ] {
        refused(
            regression.path(),
            &words(&format!("fit data.csv --target y {flags}")),
            2,
            &["--lift", piece],
        );
    }
}

#[test]
fn batches_where_there_are_none() {
    let survival = simulated("survival", 40, 4, &[]);
    refused(
        survival.path(),
        &words("fit data.csv --time time --event event --batch-size 10"),
        2,
        &["--batch-size", "means nothing for cox"],
    );
    let regression = simulated("regression", 40, 4, &[]);
    refused(
        regression.path(),
        &words("fit data.csv --target y --solver proximal --batch-size 10"),
        2,
        &["--batch-size", "adam"],
    );
    refused(
        regression.path(),
        &words("fit data.csv --target y --batch-size 0"),
        2,
        &["--batch-size", "0 is not a whole number from 1"],
    );
    refused(
        regression.path(),
        &words("fit data.csv --target y --tolerance -0.1"),
        2,
        &["--tolerance", "-0.1 is not a number from 0 to 1"],
    );
    refused(
        regression.path(),
        &words("fit data.csv --target y --penalty lasso --tolerance 0.01"),
        2,
        &["--tolerance", "LASSO", "leave it out"],
    );
}
