//! What a fit has left: models, rows to predict, reports.

use crate::hostile::{Case, Fits, line, read_by};
use serde_json::{Value, json};

/// Forged models.
pub fn models(fits: &Fits) -> Vec<Case> {
    let of = |task: &str, change: fn(&mut Value), says| {
        let bytes = fits.changed(task, "model.json", change);
        read_by("predict FILE data.csv", "model.json", bytes, says)
    };
    let text = |bytes: &str, says| read_by("predict FILE data.csv", "model.json", bytes, says);
    fn layer(model: &mut Value) -> &mut Value {
        &mut model["networks"][0]["layers"][0]
    }
    vec![
        text("", &["not a complete threshnet model"]),
        text("{}", &["missing field `schema`"]),
        text("[[[[", &["not a complete threshnet model"]),
        text("{\"schema\": 99}", &["schema 99"]),
        of(
            "number",
            |m| m["features"][1] = m["features"][0].clone(),
            &["two features"],
        ),
        of("number", |m| m["features"] = json!([]), &["model.json"]),
        of("number", |m| m["networks"] = json!([]), &["no network"]),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(5e-324),
            &["scale of 5e-324"],
        ),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(0),
            &["scale of 0"],
        ),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(-1),
            &["scale of -1"],
        ),
        of(
            "number",
            |m| m["target"]["scale"] = json!(5e-324),
            &["scale of 5e-324"],
        ),
        of(
            "number",
            |m| layer(m)["weight"][0][0] = json!(1e308),
            &["layer 1: weights that"],
        ),
        of(
            "number",
            |m| layer(m)["bias"][0] = json!(1e200),
            &["layer 1: weights that"],
        ),
        of(
            "number",
            |m| layer(m)["bias"] = json!([1]),
            &["layer 1: 1 biases"],
        ),
        of(
            "number",
            |m| m["networks"][0]["inputs"] = json!([3, 1]),
            &["not ascending"],
        ),
        of(
            "number",
            |m| m["networks"][0]["inputs"] = json!([1u64 << 60]),
            &["model.json"],
        ),
        of("number", |m| m["shares"] = json!([2.0]), &["shares"]),
        of(
            "number",
            |m| m["classes"] = json!(["a"]),
            &["1 classes in a regression model"],
        ),
        of(
            "class",
            |m| m["classes"] = json!(["a", "a"]),
            &["two classes of the name \"a\""],
        ),
        of("class", |m| m["classes"] = json!([]), &["0 classes"]),
        of(
            "survival",
            |m| m["baseline"]["time"][0] = json!(1e300),
            &["rising step function"],
        ),
        of(
            "survival",
            |m| m["baseline"] = json!(null),
            &["no baseline hazard"],
        ),
    ]
}

/// Rows to predict, and models that are not there.
pub fn predictions() -> Vec<Case> {
    let rows = |text: &'static str, says| read_by("predict fit FILE", "new.csv", text, says);
    vec![
        rows("x1,x2,x3,x4\n", &["new.csv: a header, but no rows"]),
        rows("", &["the file is empty"]),
        rows("z\n1\n", &["the model needs"]),
        rows("x1,x2,x3,x4\n1,x,3,4\n", &["line 2"]),
        rows("x1,x2,x3,x4\n1,2,,\n", &["line 2"]),
        rows(
            "x1,x2,x3,x4\n1e308,1e308,1e308,1e308\n",
            &["line 2: its values are so large"],
        ),
        line(1, "predict none data.csv", &["none: cannot read the model"]),
        line(
            1,
            "predict data.csv data.csv",
            &["not a complete threshnet model"],
        ),
        line(
            1,
            "predict fit data.csv --ensemble --id q",
            &["there is no column \"q\""],
        ),
        line(
            2,
            "predict fit data.csv --times 1",
            &["only a survival model"],
        ),
        line(
            2,
            "predict survival/fit data.csv --times -1",
            &["-1 is not a time"],
        ),
        line(
            2,
            "predict survival/fit data.csv --times nan",
            &["is not a time"],
        ),
        line(
            1,
            "evaluate fit data.csv --target q",
            &["there is no column \"q\""],
        ),
        line(
            1,
            "export none --onnx m.onnx",
            &["none: cannot read the model"],
        ),
    ]
}

/// Forged reports.
pub fn reports(fits: &Fits) -> Vec<Case> {
    let of = |task: &str, change: fn(&mut Value), says| {
        let bytes = fits.changed(task, "report.json", change);
        read_by("report .", "report.json", bytes, says)
    };
    let text = |bytes: &str, says| read_by("report .", "report.json", bytes, says);
    vec![
        line(1, "report none", &["none/report.json: cannot read"]),
        text("", &["this is not what a fit leaves"]),
        text("{\"schema\": 1}", &["schema 1"]),
        of(
            "number",
            |r| r["path"]["chosen"] = json!(999),
            &["a choice of step 999"],
        ),
        of(
            "number",
            |r| r["path"]["sizes"] = json!([]),
            &["a path with 0 values"],
        ),
        of(
            "number",
            |r| r["path"]["lambdas"][0] = json!(1e308),
            &["a lambda of 1e308"],
        ),
        of(
            "number",
            |r| r["validation"]["chosen"] = json!([999]),
            &["a choice outside"],
        ),
        of(
            "number",
            |r| r["data"]["constant"] = json!(99),
            &["more constant columns"],
        ),
        of(
            "number",
            |r| r["task"] = json!("cox"),
            &["an outcome that is none of a cox model"],
        ),
        of(
            "class",
            |r| r["outcome"]["classes"] = json!([]),
            &["an outcome that is none of"],
        ),
        of(
            "survival",
            |r| r["outcome"]["events"] = json!(9999),
            &["an outcome that is none"],
        ),
        of(
            "number",
            |r| r["effects"][0]["at"] = json!([1]),
            &["an effect"],
        ),
    ]
}
