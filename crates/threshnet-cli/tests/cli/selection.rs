//! `fit`: the ways to select beyond one hold-out, and what each says of itself.

use super::fit::fit;
use super::{cells, json, listing, simulated, stdout, threshnet, words};
use std::fs;

#[test]
fn stable_columns_come_with_a_bound() {
    let home = simulated("regression", 300, 12, &[]);
    let flags = "fit data.csv --target y --stability 10 --ridges 0.01 --lambdas 0.02:0.3:8 \
                 --epochs 100 --first-epochs 1000 --out fit";
    let printed = stdout(home.path(), &words(flags));
    assert!(printed.contains("% of the half-samples"), "{printed}");
    let folder = home.path().join("fit");
    let summary = json(&folder, "summary.json");
    let stability = &summary["stability"];
    assert_eq!(stability["pairs"], 10);
    let threshold = stability["threshold"].as_f64().unwrap();
    assert!(threshold > 0.5 && stability["false_at_most"].as_f64().unwrap() <= 1.0);
    // what is held out of the network was not held out of the selection
    assert_eq!(summary["held_out"]["used_in_selection"], true);
    assert!(printed.contains("though the columns were selected with these rows"));
    let selected = cells(&fs::read_to_string(folder.join("selected.csv")).unwrap());
    assert_eq!(selected[0], ["name", "index", "norm", "frequency"]);
    let names: Vec<&str> = selected[1..].iter().map(|row| &row[0][..]).collect();
    assert!(names.contains(&"x3") && names.contains(&"x4"), "{names:?}");
    for row in &selected[1..] {
        assert!(row[3].parse::<f64>().unwrap() >= threshold);
    }
    let all = cells(&fs::read_to_string(folder.join("frequencies.csv")).unwrap());
    assert_eq!(all[0], ["name", "index", "frequency"]);
    assert_eq!(all.len(), 1 + 12);
    let shares: Vec<f64> = all[1..].iter().map(|row| row[2].parse().unwrap()).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b));
    assert!(names.contains(&&all[1][0][..]));
    // such a folder may be replaced by a fit without frequencies, and the other way round
    let plain = "fit data.csv --target y --ridges 0.01 --lambdas 0.1 --validation holdout:0.2 \
                 --out ./fit/";
    stdout(home.path(), &words(plain));
    assert!(!folder.join("frequencies.csv").exists());
    stdout(home.path(), &words(flags));
    assert_eq!(listing(home.path()).len(), 2, "data.csv and fit alone");
}

#[test]
fn a_rate_that_cannot_be_certified_is_said_and_a_higher_one_selects() {
    let home = simulated("regression", 300, 12, &[]);
    let flags = "fit data.csv --target y --ridges 0.01 --lambdas 0.02:0.3:8 --epochs 100 \
                 --first-epochs 1000 --validation draws:3 --fdr";
    let printed = stdout(home.path(), &[&words(flags)[..], &["0.1"]].concat());
    assert!(printed.contains("at least 10 columns"), "{printed}");
    assert!(printed.contains("null model"), "{printed}");
    stdout(
        home.path(),
        &[&words(flags)[..], &["0.5", "--out", "fit"]].concat(),
    );
    let folder = home.path().join("fit");
    let summary = json(&folder, "summary.json");
    let statistics = cells(&fs::read_to_string(folder.join("knockoffs.csv")).unwrap());
    assert_eq!(statistics[0], ["name", "index", "statistic"]);
    assert_eq!(statistics.len(), 1 + 12);
    assert_eq!(summary["fdr"]["rate"], 0.5);
    assert_eq!(summary["fdr"]["runs"], 3);
    assert!(summary["fdr"]["threshold"].as_f64().unwrap() > 0.0);
    let names: Vec<&str> = (summary["selected"].as_array().unwrap().iter())
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"x3") && names.contains(&"x4"), "{names:?}");
    assert_eq!(listing(home.path()).len(), 2, "data.csv and fit alone");
}

#[test]
fn halves_that_cannot_be_fitted_are_refused_before_the_first() {
    let home = simulated("survival", 60, 4, &["--censoring", "0.85"]);
    let flags = "fit data.csv --time time --event event --protocol paper --stability 20 --out fit";
    let run = threshnet()
        .current_dir(home.path())
        .args(words(flags))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("in a half of the rows"), "{said}");
    assert_eq!(listing(home.path()).len(), 1, "nothing is left behind");
}

#[test]
fn screening_leaves_so_many_columns_to_every_split() {
    let home = simulated("regression", 200, 40, &["--seed", "2"]);
    let flags = "fit data.csv --target y --ridges 0.01 --lambdas 0.0001:0.3:8 --epochs 60 \
                 --first-epochs 300 --validation holdout:0.2 --linear leave --out fit --screen";
    stdout(home.path(), &[&words(flags)[..], &["10"]].concat());
    let folder = home.path().join("fit");
    let path = cells(&fs::read_to_string(folder.join("path.csv")).unwrap());
    assert_eq!(path[1][2], "10", "the dense end of the path");
    let summary = json(&folder, "summary.json");
    assert_eq!(summary["d"], 40);
    assert_eq!(summary["settings"]["screen"], 10);
    assert!(summary["notes"][0].as_str().unwrap().contains("10 columns"));
    let names: Vec<&str> = (summary["selected"].as_array().unwrap().iter())
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"x3") && names.contains(&"x4"), "{names:?}");
    assert_eq!(
        stdout(home.path(), &["predict", "fit", "data.csv"])
            .lines()
            .count(),
        201
    );
}

#[test]
fn draws_show_how_often_a_column_was_selected_and_are_averaged() {
    let home = simulated("regression", 150, 6, &[]);
    let draws = words("--target y --validation draws:4 --linear leave --out fit");
    let printed = fit(home.path(), &draws);
    assert!(printed.contains("frequency"), "{printed}");
    let folder = home.path().join("fit");
    let selected = cells(&fs::read_to_string(folder.join("selected.csv")).unwrap());
    assert_eq!(selected[0], ["name", "index", "norm", "frequency"]);
    let listed = json(&folder, "summary.json")["selected"].clone();
    assert!(!listed.as_array().unwrap().is_empty());
    for (row, entry) in selected[1..].iter().zip(listed.as_array().unwrap()) {
        let frequency: f64 = row[3].parse().unwrap();
        assert!(0.2 < frequency && frequency <= 1.0, "{frequency}");
        assert_eq!(entry["frequency"].as_f64(), Some(frequency));
    }
    let networks = json(&folder, "model.json")["networks"].clone();
    // of each draw both ridges, but for those that selected nothing of it
    assert!((5..=8).contains(&networks.as_array().unwrap().len()));
    let predicted = stdout(home.path(), &["predict", "fit", "data.csv"]);
    assert_eq!(predicted.lines().count(), 151);

    // every draw has to select a column now
    fit(home.path(), &[&draws[..], &["--frequency", "1"]].concat());
    let selected = cells(&fs::read_to_string(folder.join("selected.csv")).unwrap());
    assert!(selected[1..].iter().all(|row| row[3] == "1"));

    // an empty selection has the same columns in its file
    let null = "fit data.csv --lambdas 5,9 --ridges 0.01 --first-epochs 20 --epochs 20";
    let printed = stdout(home.path(), &[&words(null)[..], &draws[..]].concat());
    assert!(printed.contains("null model"), "{printed}");
    let selected = fs::read_to_string(folder.join("selected.csv")).unwrap();
    assert_eq!(selected, "name,index,norm,frequency\n");
}

#[test]
fn the_summary_says_whether_a_linear_model_would_do() {
    let home = simulated("xor", 240, 6, &[]);
    let flags = words(
        "fit data.csv --target y --lambdas 0.02:0.3:6 --ridges 0.01 --epochs 100 \
         --first-epochs 600 --validation draws:8 --out fit",
    );
    let fit = |more: &[&str]| stdout(home.path(), &[&flags[..], more].concat());
    let printed = fit(&[]);
    assert!(printed.contains("non-linear? yes"), "{printed}");
    let network = printed.lines().find(|line| line.contains("← the model"));
    assert!(network.unwrap().contains("network 10,5 (mcp)"), "{printed}");
    let models = json(&home.path().join("fit"), "summary.json")["models"].clone();
    let kinds: Vec<(&str, &str)> = (models.as_array().unwrap().iter())
        .map(|m| (m["model"].as_str().unwrap(), m["penalty"].as_str().unwrap()))
        .collect();
    let linear = [("linear", "mcp"), ("linear", "lasso")];
    assert_eq!(kinds, [&[("network 10,5", "mcp")], &linear[..]].concat());
    assert_eq!(models[0]["chosen"], true);
    let value = |number: usize, field: &str| models[number][field].as_f64().unwrap();
    for number in [1, 2] {
        let behind = value(number, "value") - value(0, "value");
        assert!((behind - value(number, "behind")).abs() < 1e-9);
        assert!(behind > 2.0 * value(number, "behind_se"));
    }
    // a network that was asked for is not replaced, and what is left out is not there
    let asked = fit(&["--hidden", "4"]);
    assert!(
        asked.contains("network 4 (mcp)") && !asked.contains("lasso"),
        "{asked}"
    );
    let alone = fit(&["--linear", "leave"]);
    assert!(!alone.contains("non-linear?"), "{alone}");
}

/// Each does something, and what it does is in the files.
#[test]
fn ways_beyond_the_protocol_are_taken() {
    let home = simulated("regression", 120, 8, &[]);
    let usual = "--target y --validation holdout:0.2 --linear leave --out fit ";
    let run = |more: &str| {
        fit(home.path(), &words((usual.to_string() + more).trim()));
        json(&home.path().join("fit"), "model.json")
    };
    let model = run("");
    let around = run("--shortcut yes");
    assert!(model["networks"][0]["shortcut"].is_null());
    assert!(around["networks"][0]["shortcut"][0].is_array());
}
