//! Every metric against the figures that scikit-learn and scikit-survival gave
//! for the same rows, frozen in `reference/metrics.json` by `reference/make.py`.

use serde::Deserialize;
use threshnet::dataset::Weights;
use threshnet::metrics;

const EQUAL: Weights = Weights::EQUAL;

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(flatten)]
    figures: Figures,
}

/// The scored rows of a task, and what they should score.
#[derive(Deserialize)]
#[serde(tag = "task", rename_all = "lowercase")]
enum Figures {
    Regression {
        y: Vec<f64>,
        prediction: Vec<f64>,
        r2: f64,
        mse: f64,
    },
    Binary {
        labels: Vec<usize>,
        probability: Vec<f64>,
        accuracy: f64,
        auc: f64,
        log_loss: f64,
    },
    Multiclass {
        labels: Vec<usize>,
        /// By class, then by row.
        probabilities: Vec<Vec<f64>>,
        accuracy: f64,
        log_loss: f64,
    },
    Cox {
        train_time: Vec<f64>,
        train_event: Vec<bool>,
        time: Vec<f64>,
        event: Vec<bool>,
        risk: Vec<f64>,
        times: Vec<f64>,
        c_index: f64,
        uno_c: f64,
        tauc: Vec<f64>,
        tauc_mean: f64,
    },
}

/// The class of the highest probability; the first of several, as `argmax`.
fn most_probable(probabilities: &[Vec<f64>], row: usize) -> usize {
    (0..probabilities.len()).fold(0, |best, class| {
        if probabilities[class][row] > probabilities[best][row] {
            class
        } else {
            best
        }
    })
}

/// Pairs of (figure, ours, theirs).
fn compare(figures: &Figures) -> threshnet::error::Result<Vec<(String, f64, f64)>> {
    let pair = |name: &str, ours: f64, theirs: f64| (name.to_string(), ours, theirs);
    Ok(match figures {
        Figures::Regression {
            y,
            prediction,
            r2,
            mse,
        } => vec![
            pair("r2", metrics::r2(y, prediction, EQUAL)?, *r2),
            pair("mse", metrics::mse(y, prediction, EQUAL)?, *mse),
        ],
        Figures::Binary {
            labels,
            probability,
            accuracy,
            auc,
            log_loss,
        } => {
            let positive: Vec<bool> = labels.iter().map(|&c| c == 1).collect();
            let predicted: Vec<usize> =
                probability.iter().map(|&p| usize::from(p >= 0.5)).collect();
            let negative = probability.iter().map(|p| 1.0 - p).collect();
            let ours = metrics::log_loss(labels, &[negative, probability.clone()], EQUAL)?;
            vec![
                pair(
                    "accuracy",
                    metrics::accuracy(labels, &predicted, EQUAL)?,
                    *accuracy,
                ),
                pair("auc", metrics::auc(&positive, probability, EQUAL)?, *auc),
                pair("log_loss", ours, *log_loss),
            ]
        }
        Figures::Multiclass {
            labels,
            probabilities,
            accuracy,
            log_loss,
        } => {
            let predicted: Vec<usize> = (0..labels.len())
                .map(|row| most_probable(probabilities, row))
                .collect();
            let ours = metrics::log_loss(labels, probabilities, EQUAL)?;
            vec![
                pair(
                    "accuracy",
                    metrics::accuracy(labels, &predicted, EQUAL)?,
                    *accuracy,
                ),
                pair("log_loss", ours, *log_loss),
            ]
        }
        Figures::Cox {
            train_time,
            train_event,
            time,
            event,
            risk,
            times,
            c_index,
            uno_c,
            tauc,
            tauc_mean,
        } => {
            let rows = metrics::Survival::new(time, event);
            let train = metrics::Survival::new(train_time, train_event);
            let harrell = metrics::concordance_harrell(rows, risk)?;
            let uno = metrics::concordance_uno(train, rows, risk, None)?;
            let found = metrics::cumulative_dynamic_auc(train, rows, risk, times)?;
            assert_eq!(found.at.len(), tauc.len());
            let mut pairs = vec![
                pair("c_index", harrell, *c_index),
                pair("uno_c", uno, *uno_c),
                pair("tauc_mean", found.mean, *tauc_mean),
            ];
            for ((t, ours), theirs) in times.iter().zip(found.at).zip(tauc) {
                pairs.push(pair(&format!("tauc at {t}"), ours, *theirs));
            }
            pairs
        }
    })
}

#[test]
fn every_figure_is_that_of_the_reference() {
    let reference: Reference =
        serde_json::from_str(include_str!("../reference/metrics.json")).unwrap();
    assert!(!reference.cases.is_empty());
    for case in &reference.cases {
        let pairs = compare(&case.figures).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        for (figure, ours, theirs) in pairs {
            assert!(
                (ours - theirs).abs() < 1e-10,
                "{}: {figure} is {ours}, the reference has {theirs}",
                case.name
            );
        }
    }
}
