//! Held-out predictions as what a report shows of them.

use super::record::{CalibrationPoint, HeldOutRecord, LogRankRecord, RiskGroup, Score, Shown};
use threshnet::dataset::{Outcome, Task};
use threshnet::error::Result;
use threshnet::metrics::{
    KaplanMeier, Survival, accuracy, auc, average_precision, calibration, concordance_harrell,
    cumulative_dynamic_auc, log_loss, log_rank, mse, r2, thresholds,
};
use threshnet::model::{Prediction, most_probable};
use threshnet::random::{Purpose, Random};
use threshnet::tune::HeldOut;

/// Samples of a bootstrap interval, and the share of them outside it at either end.
const SAMPLES: usize = 200;
const OUTSIDE: f64 = 0.025;
/// Points of a scatter or a curve, at most.
const POINTS: usize = 1000;
/// Bins of a calibration curve, and the fewest rows of one.
const BINS: usize = 10;
const ROWS_PER_BIN: usize = 10;
/// Times at which the time-dependent AUC is computed and rows at risk are counted.
const AUC_TIMES: usize = 20;
const RISK_TIMES: usize = 6;

/// The record of held-out predictions; the seed is the bootstrap's.
pub fn record(held_out: &HeldOut, outcome: &Outcome, seed: u64) -> Option<HeldOutRecord> {
    let outcome = outcome.rows(&held_out.rows);
    let all: Vec<usize> = (0..held_out.rows.len()).collect();
    let said = &held_out.prediction;
    let names = names(outcome.task());
    let values = figures(said, &outcome, &all);
    let mut scores = Vec::new();
    for (k, (name, value)) in names.iter().zip(&values).enumerate() {
        if let Ok(value) = value {
            let interval = (k == 0).then(|| bootstrap(said, &outcome, seed)).flatten();
            scores.push(Score {
                name: (*name).into(),
                value: *value,
                interval,
            });
        }
    }
    let mut start = 0;
    let by_fold = (held_out.folds.iter()).map(|&count| {
        let rows: Vec<usize> = (start..start + count).collect();
        start += count;
        figures(said, &outcome, &rows).swap_remove(0).ok()
    });
    Some(HeldOutRecord {
        rows: held_out.rows.len(),
        folds: held_out.folds.len(),
        scores,
        by_fold: by_fold.collect(),
        shown: shown(said, &outcome)?,
    })
}

/// Names of the figures of merit, the main one first.
fn names(task: Task) -> &'static [&'static str] {
    match task {
        Task::Regression => &["R²", "mean squared error"],
        Task::Binary => &["AUC", "average precision", "accuracy", "log loss"],
        Task::Multiclass => &["accuracy", "log loss"],
        Task::Cox => &["C-index"],
    }
}

/// Their values on some rows.
fn figures(said: &Prediction, outcome: &Outcome, rows: &[usize]) -> Vec<Result<f64>> {
    let some = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&i| values[i]).collect() };
    match (said, outcome.rows(rows)) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => {
            let p = some(p);
            vec![r2(&y, &p), mse(&y, &p)]
        }
        (Prediction::Risk(risk), Outcome::Survival { time, event }) => {
            let view = Survival {
                time: &time,
                event: &event,
            };
            vec![concordance_harrell(view, &some(risk))]
        }
        (Prediction::Probabilities(p), Outcome::Classes { labels, task, .. }) => {
            let p: Vec<Vec<f64>> = p.iter().map(|of_class| some(of_class)).collect();
            let right = accuracy(&labels, &most_probable(&p));
            let loss = log_loss(&labels, &p);
            match task {
                Task::Binary => {
                    let positive: Vec<bool> = labels.iter().map(|&c| c == 1).collect();
                    let precise = average_precision(&positive, &p[1]);
                    vec![auc(&positive, &p[1]), precise, right, loss]
                }
                _ => vec![right, loss],
            }
        }
        _ => unreachable!("a fit predicts the outcome it was fitted to"),
    }
}

/// The 95 % interval of the main figure over rows drawn with replacement.
fn bootstrap(said: &Prediction, outcome: &Outcome, seed: u64) -> Option<(f64, f64)> {
    let mut random = Random::new(seed, Purpose::Bootstrap, 0, 0);
    let n = outcome.len();
    let mut values: Vec<f64> = (0..SAMPLES)
        .filter_map(|_| {
            let rows: Vec<usize> = (0..n).map(|_| random.below(n)).collect();
            figures(said, outcome, &rows).swap_remove(0).ok()
        })
        .collect();
    if values.len() < SAMPLES / 2 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    Some((at(OUTSIDE), at(1.0 - OUTSIDE)))
}

fn shown(said: &Prediction, outcome: &Outcome) -> Option<Shown> {
    match (said, outcome) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => Some(Shown::Regression {
            predicted: thinned(p),
            observed: thinned(y),
        }),
        (
            Prediction::Probabilities(p),
            Outcome::Classes {
                labels,
                classes,
                task,
            },
        ) => {
            let predicted = most_probable(p);
            let mut confusion = vec![vec![0; classes.len()]; classes.len()];
            for (&truth, &said) in labels.iter().zip(&predicted) {
                confusion[truth][said] += 1;
            }
            match task {
                Task::Binary => binary(labels, &p[1], confusion),
                _ => Some(Shown::Multiclass { confusion }),
            }
        }
        (Prediction::Risk(risk), Outcome::Survival { time, event }) => {
            Some(survival(Survival { time, event }, risk))
        }
        _ => unreachable!("a fit predicts the outcome it was fitted to"),
    }
}

fn binary(labels: &[usize], probability: &[f64], confusion: Vec<Vec<usize>>) -> Option<Shown> {
    let positive: Vec<bool> = labels.iter().map(|&class| class == 1).collect();
    let steps = thresholds(&positive, probability).ok()?;
    let mut roc = vec![(0.0, 0.0)];
    roc.extend(
        steps
            .iter()
            .map(|s| (s.false_positive_rate, s.true_positive_rate)),
    );
    let curve: Vec<(f64, f64)> = (steps.iter())
        .map(|s| (s.true_positive_rate, s.precision))
        .collect();
    let bins = BINS.min(labels.len() / ROWS_PER_BIN).max(2);
    let calibration = calibration(&positive, probability, bins).ok()?;
    let share = positive.iter().filter(|&&p| p).count() as f64 / positive.len() as f64;
    Some(Shown::Binary {
        roc: thinned(&roc),
        precision_recall: thinned(&curve),
        prevalence: share,
        calibration: (calibration.iter())
            .map(|bin| CalibrationPoint {
                rows: bin.rows,
                predicted: bin.predicted,
                observed: bin.observed,
                low: bin.interval.0,
                high: bin.interval.1,
            })
            .collect(),
        confusion,
    })
}

/// Thirds of the rows by risk, their curves, the test, the AUC over time.
fn survival(rows: Survival, risk: &[f64]) -> Shown {
    let group = thirds(risk);
    let longest = rows.time.iter().copied().fold(0.0, f64::max);
    let risk_times: Vec<f64> = (0..RISK_TIMES)
        .map(|k| longest * k as f64 / (RISK_TIMES - 1) as f64)
        .collect();
    let count = group.iter().max().map_or(0, |last| last + 1);
    let names: &[&str] = match count {
        3 => &["low risk", "medium risk", "high risk"],
        2 => &["lower risk", "higher risk"],
        _ => &["all rows"],
    };
    let groups = (0..count).map(|g| {
        let member = |values: usize| group[values] == g;
        let own: Vec<usize> = (0..risk.len()).filter(|&i| member(i)).collect();
        let time: Vec<f64> = own.iter().map(|&i| rows.time[i]).collect();
        let event: Vec<bool> = own.iter().map(|&i| rows.event[i]).collect();
        let curve = KaplanMeier::of_event(Survival {
            time: &time,
            event: &event,
        });
        let steps: Vec<(f64, f64)> = std::iter::once((0.0, 1.0))
            .chain(curve.time.into_iter().zip(curve.probability))
            .collect();
        let (times, survival) = thinned(&steps).into_iter().unzip();
        RiskGroup {
            name: names[g].into(),
            rows: own.len(),
            events: event.iter().filter(|&&e| e).count(),
            at_risk: (risk_times.iter())
                .map(|&t| time.iter().filter(|&&own| own >= t).count())
                .collect(),
            time: times,
            survival,
        }
    });
    let test = log_rank(rows, &group).ok().map(|test| LogRankRecord {
        chi_squared: test.chi_squared,
        degrees: test.degrees,
        p: test.p,
    });
    let times = auc_times(rows);
    let curve = cumulative_dynamic_auc(rows, rows, risk, &times).ok();
    Shown::Cox {
        groups: groups.collect(),
        risk_times: risk_times.clone(),
        log_rank: test,
        time_auc: (curve.iter())
            .flat_map(|curve| times.iter().copied().zip(curve.at.iter().copied()))
            .collect(),
        time_auc_mean: curve.map(|curve| curve.mean),
    }
}

/// The third of the rows that each is in, by risk; equal risks are in the same. Fewer
/// groups if there are not three different ones.
fn thirds(risk: &[f64]) -> Vec<usize> {
    let mut sorted = risk.to_vec();
    sorted.sort_by(f64::total_cmp);
    // By the middle of the ranks that equal risks have.
    let raw: Vec<usize> = (risk.iter())
        .map(|r| {
            let below = sorted.partition_point(|other| other < r);
            let not_above = sorted.partition_point(|other| other <= r);
            3 * (below + not_above) / (2 * sorted.len())
        })
        .collect();
    let mut used: Vec<usize> = raw.clone();
    used.sort_unstable();
    used.dedup();
    raw.iter()
        .map(|g| used.partition_point(|u| u < g))
        .collect()
}

/// Times between the 5th and the 90th percentile of the event times.
fn auc_times(rows: Survival) -> Vec<f64> {
    let happened = rows.time.iter().zip(rows.event).filter(|(_, e)| **e);
    let mut times: Vec<f64> = happened.map(|(t, _)| *t).collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[(share * (times.len() - 1) as f64).round() as usize];
    let mut chosen: Vec<f64> = (0..AUC_TIMES)
        .map(|k| at(0.05 + 0.85 * k as f64 / (AUC_TIMES - 1) as f64))
        .collect();
    chosen.dedup();
    chosen
}

/// At most so many of many values, evenly spaced, the last included.
fn thinned<T: Clone>(values: &[T]) -> Vec<T> {
    if values.len() <= POINTS {
        return values.to_vec();
    }
    (0..POINTS)
        .map(|k| values[k * (values.len() - 1) / (POINTS - 1)].clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_keep_equal_risks_together() {
        assert_eq!(thirds(&[3.0, 1.0, 2.0]), [2, 0, 1]);
        assert_eq!(thirds(&[0.0; 5]), [0; 5]);
        assert_eq!(thirds(&[0.0, 0.0, 0.0, 1.0]), [0, 0, 0, 1]);
    }

    #[test]
    fn a_thinned_curve_keeps_its_ends() {
        let many: Vec<usize> = (0..5000).collect();
        let few = thinned(&many);
        assert_eq!((few.len(), few[0], few[POINTS - 1]), (POINTS, 0, 4999));
        assert!(few.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn the_interval_holds_the_value_and_repeats() {
        let mut random = Random::new(1, Purpose::Simulation, 0, 0);
        let y: Vec<f64> = (0..80).map(|_| random.normal()).collect();
        let p: Vec<f64> = y.iter().map(|y| y + random.normal()).collect();
        let held_out = HeldOut {
            rows: (0..80).collect(),
            folds: vec![40, 40],
            prediction: Prediction::Numbers(p.clone()),
        };
        let outcome = Outcome::Continuous(y.clone());
        let found = record(&held_out, &outcome, 3).unwrap();
        let main = &found.scores[0];
        let (low, high) = main.interval.unwrap();
        assert_eq!(main.value, r2(&y, &p).unwrap());
        assert!(low < main.value && main.value < high && high - low < 1.5);
        assert_eq!(found.by_fold[1], r2(&y[40..], &p[40..]).ok());
        let again = record(&held_out, &outcome, 3).unwrap();
        assert_eq!(again.scores[0].interval, Some((low, high)));
    }
}
