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

/// Times to relapse under 6-MP (Freireich et al. 1963, Blood 21:699–716): limits of scikit-survival 0.28,
/// `kaplan_meier_estimator(…, conf_type="log-log")`.
#[test]
fn bands_are_those_of_scikit_survival() {
    let time = [
        6.0, 6.0, 6.0, 6.0, 7.0, 9.0, 10.0, 10.0, 11.0, 13.0, 16.0, 17.0, 19.0, 20.0, 22.0, 23.0,
        25.0, 32.0, 32.0, 34.0, 35.0,
    ];
    let event = [0, 1, 2, 4, 6, 9, 10, 14, 15];
    let event: Vec<bool> = (0..21).map(|row| event.contains(&row)).collect();
    let curve = metrics::KaplanMeier::of_event(metrics::Survival::new(&time, &event));
    let band = curve.band();
    for (t, low, high) in [
        (6.0, 0.6197179552659837, 0.9515517476469971),
        (7.0, 0.5631465646222333, 0.9228090192028805),
        (10.0, 0.5031995107999564, 0.8893618351692656),
        (13.0, 0.4316102224861841, 0.8490659633494508),
        (16.0, 0.36751085598750205, 0.8049121894718413),
        (22.0, 0.267778936767135, 0.7467907176353947),
        (23.0, 0.1880520059592324, 0.6801426284952415),
    ] {
        let at = band[curve.time.iter().position(|time| *time == t).unwrap()];
        assert!(
            (at.0 - low).abs() < 1e-9 && (at.1 - high).abs() < 1e-9,
            "{t}: {at:?}"
        );
    }
    // where the last row has the event nobody is left, and nothing more is known
    let all = metrics::KaplanMeier::of_event(metrics::Survival::new(&[1.0, 2.0], &[true, true]));
    let band = all.band();
    assert!(all.probability[1] == 0.0 && band[0] == band[1]);
}
