//! A model file that is cut off or damaged is refused, with a message.

use crate::common::{TASKS, quick_model as model};
use serde_json::{Value, json};
use threshnet::activation::Activation;
use threshnet::dataset::Task;
use threshnet::error::Error;
use threshnet::model::Model;

/// Refused, with a message that tells what to do.
fn refused(text: &str, why: &str) {
    match Model::from_json(text) {
        Err(Error::Model(message)) => assert!(message.contains("fit it again"), "{why}: {message}"),
        other => panic!("{why}: {other:?}"),
    }
}

#[test]
fn truncated_files_are_refused() {
    for task in TASKS {
        let text = model(task, &[4], Activation::Tanh, 0.005).to_json();
        let whole = text.trim_end().len();
        assert!(Model::from_json(&text[..whole]).is_ok());
        for end in (0..whole).filter(|end| end % 7 == 0 || end + 20 > whole) {
            refused(&text[..end], &format!("{task:?}: {end} bytes of {whole}"));
        }
    }
}

#[test]
fn damaged_files_are_refused() {
    type Damage = fn(&mut Value);
    fn layer(file: &mut Value, l: usize) -> &mut Value {
        &mut file["networks"][0]["layers"][l]
    }
    fn shorten(value: &mut Value) {
        value.as_array_mut().unwrap().pop().expect("there was one");
    }
    let damages: &[(&str, Damage)] = &[
        ("another schema", |f| f["schema"] = json!(2)),
        ("an older schema", |f| f["schema"] = json!(0)),
        ("no schema", |f| {
            drop(f.as_object_mut().unwrap().remove("schema"))
        }),
        ("no task", |f| {
            drop(f.as_object_mut().unwrap().remove("task"))
        }),
        ("a task of its own", |f| f["task"] = json!("ranking")),
        ("an activation of its own", |f| {
            f["activation"] = json!("swish")
        }),
        ("a weight less", |f| shorten(&mut layer(f, 0)["weight"][1])),
        ("a unit less", |f| shorten(&mut layer(f, 0)["weight"])),
        ("a bias less", |f| shorten(&mut layer(f, 0)["bias"])),
        ("an output bias less", |f| shorten(&mut layer(f, 1)["bias"])),
        ("a layer less", |f| shorten(&mut f["networks"][0]["layers"])),
        ("no layer", |f| f["networks"][0]["layers"] = json!([])),
        ("an input less", |f| {
            shorten(&mut f["networks"][0]["inputs"])
        }),
        ("an input out of range", |f| {
            *f["networks"][0]["inputs"]
                .as_array_mut()
                .unwrap()
                .last_mut()
                .unwrap() = json!(7);
        }),
        ("a negative input", |f| {
            f["networks"][0]["inputs"][0] = json!(-1)
        }),
        ("inputs out of order", |f| {
            f["networks"][0]["inputs"].as_array_mut().unwrap().reverse()
        }),
        ("an input twice", |f| {
            f["networks"][0]["inputs"][1] = f["networks"][0]["inputs"][0].clone();
        }),
        ("a null weight", |f| {
            layer(f, 0)["weight"][0][0] = Value::Null
        }),
        ("a text weight", |f| {
            layer(f, 1)["weight"][0][0] = json!("0.5")
        }),
        ("a null bias", |f| layer(f, 0)["bias"][0] = Value::Null),
        ("no network", |f| f["networks"] = json!([])),
        ("a feature less", |f| shorten(&mut f["features"])),
        ("a center less", |f| {
            shorten(&mut f["standardisation"]["center"])
        }),
        ("a scale of zero", |f| {
            f["standardisation"]["scale"][0] = json!(0.0)
        }),
        ("a null scale", |f| {
            f["standardisation"]["scale"][0] = Value::Null
        }),
        // numbers by which every prediction is infinite
        ("a scale next to zero", |f| {
            f["standardisation"]["scale"][0] = json!(5e-324)
        }),
        ("a weight beyond all networks", |f| {
            layer(f, 0)["weight"][0][0] = json!(1e308)
        }),
        ("weights that are too much together", |f| {
            layer(f, 0)["weight"][0][0] = json!(1e100);
            layer(f, 1)["weight"][0][0] = json!(-1e100);
        }),
        ("a feature twice", |f| {
            f["features"][1] = f["features"][0].clone()
        }),
        ("a penalty factor below zero", |f| {
            f["penalty_factors"] = json!([{"feature": 0, "factor": -1.0}])
        }),
    ];
    for task in TASKS {
        let good: Value =
            serde_json::from_str(&model(task, &[4], Activation::Tanh, 0.005).to_json()).unwrap();
        assert!(good["networks"][0]["inputs"].as_array().unwrap().len() > 1);
        assert!(Model::from_json(&good.to_string()).is_ok());
        for (name, damage) in damages {
            let mut file = good.clone();
            damage(&mut file);
            refused(&file.to_string(), &format!("{task:?}, {name}"));
        }
        // what JSON has no number for
        let text = good.to_string();
        let weight = good["networks"][0]["layers"][0]["weight"][0][0].to_string();
        for bad in ["NaN", "Infinity", "1e999", "-1e999"] {
            refused(&text.replacen(&weight, bad, 1), &format!("{task:?}, {bad}"));
        }
        let of_task: &[(&str, Damage)] = match task {
            Task::Regression => &[
                ("no target", |f| {
                    drop(f.as_object_mut().unwrap().remove("target"))
                }),
                ("a target scale of zero", |f| {
                    f["target"]["scale"] = json!(0.0)
                }),
                ("classes", |f| f["classes"] = json!(["a", "b"])),
                ("a target scale next to zero", |f| {
                    f["target"]["scale"] = json!(5e-324)
                }),
            ],
            Task::Binary => &[
                ("a class less", |f| shorten(&mut f["classes"])),
                ("no classes", |f| {
                    drop(f.as_object_mut().unwrap().remove("classes"))
                }),
                ("a class twice", |f| {
                    f["classes"][1] = f["classes"][0].clone()
                }),
            ],
            Task::Multiclass => &[
                ("a class twice", |f| {
                    f["classes"][1] = f["classes"][0].clone()
                }),
                ("a class less", |f| shorten(&mut f["classes"])),
                ("one class more", |f| {
                    f["classes"].as_array_mut().unwrap().push(json!("z"))
                }),
            ],
            Task::Cox => &[
                ("a bias", |f| layer(f, 1)["bias"][0] = json!(0.5)),
                ("no baseline", |f| {
                    drop(f.as_object_mut().unwrap().remove("baseline"))
                }),
                ("an empty baseline", |f| {
                    f["baseline"] = json!({"time": [], "log_cumulative_hazard": []});
                }),
                ("a hazard beyond all", |f| {
                    *f["baseline"]["log_cumulative_hazard"]
                        .as_array_mut()
                        .unwrap()
                        .last_mut()
                        .unwrap() = json!(1e308);
                }),
                ("a time less", |f| shorten(&mut f["baseline"]["time"])),
                ("times out of order", |f| {
                    f["baseline"]["time"].as_array_mut().unwrap().reverse();
                }),
                ("a hazard that falls", |f| {
                    f["baseline"]["log_cumulative_hazard"]
                        .as_array_mut()
                        .unwrap()
                        .reverse();
                }),
            ],
        };
        for (name, damage) in of_task {
            let mut file = good.clone();
            damage(&mut file);
            refused(&file.to_string(), &format!("{task:?}, {name}"));
        }
    }
}
