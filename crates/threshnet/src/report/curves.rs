//! What is drawn of held-out rows.

use super::spaced;
use super::unseen::Unseen;
use crate::dataset::{Outcome, Response, Task, Weights};
use crate::metrics::{
    CalibrationBin, KaplanMeier, LogRank, Survival, calibration, cumulative_dynamic_auc, log_rank,
    thresholds,
};
use crate::model::{Prediction, most_probable};
use crate::statistics::weighted_mean;
use serde::{Deserialize, Serialize};

/// Points of a scatter or a curve, at most.
const POINTS: usize = 1000;
/// Bins of a calibration curve, and the fewest rows of one.
const BINS: usize = 10;
const ROWS_PER_BIN: usize = 10;
/// Times at which the time-dependent AUC is computed and, at least, rows at risk are counted.
const AUC_TIMES: usize = 20;
const RISK_TIMES: f64 = 5.0;
/// A survival curve ends where fewer rows of its group are at risk, or a fifth of a small group.
const FEW_AT_RISK: usize = 10;
/// Times at which a group's predicted survival is computed.
const PREDICTED: usize = 40;

/// Points and curves by task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "lowercase")]
pub enum Curves {
    /// A point per row, some of them if they are many.
    Regression {
        /// What was said.
        predicted: Vec<f64>,
        /// What was so.
        observed: Vec<f64>,
    },
    /// Of the positive class.
    Binary {
        /// (false positive rate, true positive rate).
        roc: Vec<(f64, f64)>,
        /// (recall, precision).
        precision_recall: Vec<(f64, f64)>,
        /// The share of positive rows.
        prevalence: f64,
        /// Rows of similar probability.
        calibration: Vec<CalibrationBin>,
        /// Rows, `[truth][prediction]` at a probability of one half.
        confusion: Vec<Vec<usize>>,
    },
    /// Of several classes.
    Multiclass {
        /// Rows, `[truth][prediction]` by the most probable class.
        confusion: Vec<Vec<usize>>,
    },
    /// By predicted risk.
    Cox {
        /// Thirds of the rows, the lowest risk first; fewer if risks are equal.
        groups: Vec<RiskGroup>,
        /// Round times at which rows at risk are counted.
        risk_times: Vec<f64>,
        /// Whether the groups differ.
        log_rank: Option<LogRank>,
        /// (time, AUC).
        time_auc: Vec<(f64, f64)>,
        /// Its mean.
        time_auc_mean: Option<f64>,
    },
}

/// Rows of similar risk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RiskGroup {
    /// How many.
    pub rows: usize,
    /// Those that had the event.
    pub events: usize,
    /// Times of the Kaplan–Meier curve, up to where few rows are left.
    pub time: Vec<f64>,
    /// Its values.
    pub survival: Vec<f64>,
    /// The lower end of its 95 % band.
    pub low: Vec<f64>,
    /// The upper end.
    pub high: Vec<f64>,
    /// Times at which rows were censored, as far as the curve goes; some of them if they are many.
    pub censored: Vec<f64>,
    /// (time, mean predicted survival) as far as the curve goes.
    pub predicted: Vec<(f64, f64)>,
    /// Rows at risk at `risk_times`.
    pub at_risk: Vec<usize>,
}

/// What there is to draw of predictions; none if these rows leave the curves undefined.
pub(crate) fn curves(said: &Prediction, response: &Response) -> Option<Curves> {
    match (said, &response.outcome) {
        (Prediction::Numbers(p), Outcome::Continuous(y)) => Some(Curves::Regression {
            predicted: spaced(p, POINTS),
            observed: spaced(y, POINTS),
        }),
        (
            Prediction::Probabilities(p),
            Outcome::Classes {
                labels,
                classes,
                task,
            },
        ) => {
            let mut confusion = vec![vec![0; classes.len()]; classes.len()];
            for (&truth, said) in labels.iter().zip(most_probable(p)) {
                confusion[truth][said] += 1;
            }
            match task {
                Task::Binary => binary(labels, &p[1], response.weights(), confusion),
                _ => Some(Curves::Multiclass { confusion }),
            }
        }
        (Prediction::Risk(risk), Outcome::Survival { .. }) => survival(response, risk),
        _ => None,
    }
}

fn binary(
    labels: &[usize],
    probability: &[f64],
    weights: Weights,
    confusion: Vec<Vec<usize>>,
) -> Option<Curves> {
    let positive: Vec<bool> = labels.iter().map(|&class| class == 1).collect();
    let steps = thresholds(&positive, probability, weights).ok()?;
    let mut roc = vec![(0.0, 0.0)];
    roc.extend((steps.iter()).map(|s| (s.false_positive_rate, s.true_positive_rate)));
    let curve: Vec<(f64, f64)> = (steps.iter())
        .map(|s| (s.true_positive_rate, s.precision))
        .collect();
    let bins = BINS.min(labels.len() / ROWS_PER_BIN).max(2);
    Some(Curves::Binary {
        roc: spaced(&roc, POINTS),
        precision_recall: spaced(&curve, POINTS),
        prevalence: weighted_mean(positive.iter().map(|&p| f64::from(u8::from(p))), weights),
        calibration: calibration(&positive, probability, weights, bins).ok()?,
        confusion,
    })
}

/// Thirds of the rows by risk, their curves, the test, the AUC over time.
fn survival(response: &Response, risk: &[f64]) -> Option<Curves> {
    let (rows, unseen) = (Survival::of(response)?, Unseen::of(response, risk)?);
    let group = thirds(risk);
    let risk_times = round_times(rows.time.iter().copied().fold(0.0, f64::max));
    let count = group.iter().max().map_or(0, |last| last + 1);
    let groups = (0..count).map(|g| {
        let own: Vec<usize> = (0..risk.len()).filter(|&i| group[i] == g).collect();
        risk_group(&own, rows, &unseen, &risk_times)
    });
    let groups = groups.collect();
    let times = auc_times(rows);
    let auc = cumulative_dynamic_auc(rows, rows, risk, &times).ok();
    Some(Curves::Cox {
        groups,
        risk_times,
        log_rank: log_rank(rows, &group).ok(),
        time_auc: (auc.iter())
            .flat_map(|auc| times.iter().copied().zip(auc.at.iter().copied()))
            .collect(),
        time_auc_mean: auc.map(|auc| auc.mean),
    })
}

/// The curve of some rows.
fn risk_group(own: &[usize], rows: Survival, unseen: &Unseen, risk_times: &[f64]) -> RiskGroup {
    let time: Vec<f64> = own.iter().map(|&i| rows.time[i]).collect();
    let event: Vec<bool> = own.iter().map(|&i| rows.event[i]).collect();
    let weights: Vec<f64> = own.iter().map(|&i| rows.weights.at(i)).collect();
    let curve = KaplanMeier::of_event(Survival {
        weights: Weights::new(&weights),
        ..Survival::new(&time, &event)
    });
    let end = well_known(&time);
    let steps = curve.time.iter().zip(&curve.probability).zip(curve.band());
    let steps = steps.map(|((time, survival), band)| (*time, *survival, band));
    let steps: Vec<(f64, f64, (f64, f64))> = std::iter::once((0.0, 1.0, (1.0, 1.0)))
        .chain(steps.take_while(|(time, ..)| *time <= end))
        .collect();
    let steps = spaced(&steps, POINTS);
    let mut censored: Vec<f64> = (time.iter().zip(&event))
        .filter(|(time, event)| !**event && **time <= end)
        .map(|(time, _)| *time)
        .collect();
    censored.sort_by(f64::total_cmp);
    let predicted = |k: usize| {
        let t = end * k as f64 / (PREDICTED - 1) as f64;
        let said = own.iter().map(|&row| unseen.survival(row, t));
        (t, weighted_mean(said, Weights::new(&weights)))
    };
    let at_risk = |&t: &f64| time.iter().filter(|&&own| own >= t).count();
    RiskGroup {
        rows: own.len(),
        events: event.iter().filter(|&&e| e).count(),
        time: steps.iter().map(|(time, ..)| *time).collect(),
        survival: steps.iter().map(|(_, survival, _)| *survival).collect(),
        low: steps.iter().map(|(.., (low, _))| *low).collect(),
        high: steps.iter().map(|(.., (_, high))| *high).collect(),
        censored: spaced(&censored, POINTS),
        predicted: (0..PREDICTED).map(predicted).collect(),
        at_risk: risk_times.iter().map(at_risk).collect(),
    }
}

/// The last time at which enough rows are at risk for a curve to mean something.
fn well_known(time: &[f64]) -> f64 {
    let few = FEW_AT_RISK.min(time.len().div_ceil(5));
    let mut sorted = time.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    sorted.get(few - 1).copied().unwrap_or(0.0)
}

/// 0 and the multiples of 1, 2 or 5 times a power of ten up to a time, five or more.
fn round_times(longest: f64) -> Vec<f64> {
    let power = 10f64.powf((longest / RISK_TIMES).log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|digit| digit * power);
    let step = steps.into_iter().find(|step| RISK_TIMES * step <= longest);
    match step.filter(|step| step.is_normal()) {
        None => vec![0.0],
        Some(step) => (0..=(longest / step) as usize)
            .map(|k| k as f64 * step)
            .collect(),
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

/// Times between the 5th and the 90th percentile of the event times; none without events.
fn auc_times(rows: Survival) -> Vec<f64> {
    let happened = rows.time.iter().zip(rows.event).filter(|(_, e)| **e);
    let mut times: Vec<f64> = happened.map(|(t, _)| *t).collect();
    times.sort_by(f64::total_cmp);
    if times.is_empty() {
        return vec![];
    }
    let at = |share: f64| times[(share * (times.len() - 1) as f64).round() as usize];
    let mut chosen: Vec<f64> = (0..AUC_TIMES)
        .map(|k| at(0.05 + 0.85 * k as f64 / (AUC_TIMES - 1) as f64))
        .collect();
    chosen.dedup();
    chosen
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
        let few = spaced(&many, POINTS);
        assert_eq!((few.len(), few[0], few[POINTS - 1]), (POINTS, 0, 4999));
        assert!(few.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn rows_at_risk_are_counted_at_round_times() {
        assert_eq!(
            round_times(9000.0),
            [
                0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0, 6000.0, 7000.0, 8000.0, 9000.0
            ]
        );
        assert_eq!(round_times(285.0), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0]);
        assert_eq!(round_times(5.0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(round_times(0.0), [0.0]);
    }

    #[test]
    fn curves_end_where_few_are_left() {
        let many: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(well_known(&many), 91.0);
        assert_eq!(well_known(&[3.0, 1.0, 2.0]), 3.0);
        let response = Response::from(Outcome::Survival {
            time: many.clone(),
            event: (0..100).map(|k| k % 2 == 0).collect(),
        });
        let said = Prediction::Risk(vec![0.0; 100]);
        let Some(Curves::Cox { groups, .. }) = curves(&said, &response) else {
            panic!("curves of survival");
        };
        let [group] = &groups[..] else {
            panic!("equal risks are one group");
        };
        assert_eq!(group.time.last(), Some(&91.0));
        assert_eq!(group.censored.len(), 45);
        let inside = (group.low.iter().zip(&group.survival)).zip(&group.high);
        assert!(
            inside
                .clone()
                .all(|((low, of), high)| low <= of && of <= high)
        );
        // what is predicted of all is what happens to all
        let (t, said) = group.predicted[20];
        let step = group.time.partition_point(|at| *at <= t) - 1;
        assert!((said - group.survival[step]).abs() < 0.05, "{said}");
    }

    #[test]
    fn rows_without_an_event_have_no_auc_over_time_and_no_panic() {
        let said = Prediction::Risk(vec![1.0, 2.0]);
        let outcome = Outcome::Survival {
            time: vec![3.0, 4.0],
            event: vec![false; 2],
        };
        let Some(Curves::Cox { time_auc, .. }) = curves(&said, &outcome.into()) else {
            panic!("curves of survival");
        };
        assert!(time_auc.is_empty());
    }
}
