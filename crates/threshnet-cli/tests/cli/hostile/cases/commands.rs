//! What is typed: settings, numbers of the other commands, places.

use crate::hostile::{Case, flags, line};

/// Numbers without bounds, and no numbers.
pub fn settings() -> Vec<Case> {
    vec![
        flags("--seed -1", &["--seed: -1 is not a whole number"]),
        flags("--seed 1e30", &["--seed: 1e30 is not"]),
        flags(
            "--jobs 100000",
            &["--jobs: 100000 is not a whole number from 1 to 1024"],
        ),
        flags("--epochs 1e18", &["--epochs: 1e18 is not"]),
        flags("--lambdas 1e-3:0.5:1000000000", &["--lambdas", "10000"]),
        flags("--lambdas nan", &["--lambdas: NaN is not"]),
        flags("--hidden 10001", &["--hidden: 10001 is not"]),
        flags(
            "--hidden 10000,10000",
            &["--hidden: 100000000 weights between"],
        ),
        flags("--hidden -3", &["--hidden"]),
        flags("--validation draws:1e9", &["--validation"]),
        flags("--validation cv:1000000", &["--validation"]),
        flags("--stability 1000000000000", &["--stability"]),
        flags("--ridges -1", &["--ridges: -1 is not"]),
        flags("--learning-rate inf", &["--learning-rate"]),
        flags("--batch-size -1", &["--batch-size"]),
        flags("--screen 1", &["--screen: 1 is not"]),
        flags("--fdr 7", &["--fdr: 7 is not"]),
        flags(
            "--activation \x1b[31m",
            &["--activation", "possible values"],
        ),
        flags("--nonsense", &["unexpected argument '--nonsense'"]),
    ]
}

/// The other commands' numbers.
pub fn commands() -> Vec<Case> {
    vec![
        line(
            2,
            "simulate regression -n 10 -d 4 --seed -1",
            &["--seed", "is not a whole number"],
        ),
        line(
            2,
            "simulate regression -n -1 -d 4",
            &["a whole number of at least 1"],
        ),
        line(
            2,
            "simulate regression -n 1000000000000 -d 1000000000",
            &["ask for fewer by -n or -d"],
        ),
        line(
            2,
            "simulate regression -n 9223372036854775807 -d 9223372036854775807",
            &["-n"],
        ),
        line(
            2,
            "simulate regression -n 10 -d 4 --correlation -1",
            &["--correlation"],
        ),
        line(
            2,
            "simulate survival -n 10 -d 4 --censoring -0.5",
            &["--censoring"],
        ),
        line(2, "demo --seed -1", &["--seed", "is not a whole number"]),
        line(2, "demo --jobs 100000", &["--jobs", "1024"]),
        line(
            2,
            "study table1 --list --reps 1e18",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --reps 1000000000000000000",
            &["--reps", "100000"],
        ),
        line(
            2,
            "study table1 --list --reps 0",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --reps -1",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --seed -1",
            &["--seed", "is not a whole number"],
        ),
        line(2, "study table1 --list --jobs 100000", &["--jobs", "1024"]),
        line(
            2,
            "study table1 --list --ridges 1000000000",
            &["--ridges", "10000"],
        ),
        line(2, "study table9 --list", &["table9"]),
        line(2, "study table1 --list --only nonsense", &["nonsense"]),
        line(
            2,
            "metrics data.csv --target y",
            &["--prediction or --probability"],
        ),
    ]
}

/// Places where nothing can be written.
pub fn folders() -> Vec<Case> {
    vec![
        line(1, "fit data.csv --target y --out data.csv", &["data.csv"]),
        line(
            1,
            "fit data.csv --target y --out data.csv/new",
            &["data.csv"],
        ),
        line(1, "fit data.csv --target y --out /proc/new", &["/proc/new"]),
        line(1, "fit data.csv --target y --out survival", &["survival"]),
        line(1, "export fit --onnx none/m.onnx", &["none/m.onnx"]),
        line(1, "export fit --onnx fit", &["fit"]),
    ]
}
