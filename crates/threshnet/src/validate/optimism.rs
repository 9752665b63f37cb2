//! What a bootstrap corrects: a metric on the rows that a model was made of is too good.
//!
//! With M(model, rows) a metric, the model m of all rows, and the model m_b of bootstrap sample b,
//!
//! ```text
//! apparent     = M(m, all rows)
//! out of bag   = mean over b of M(m_b, rows not in b)
//! Harrell      = apparent − mean over b of [M(m_b, sample b) − M(m_b, all rows)]
//! .632+        = (1 − w)·apparent + w·out of bag′
//! R            = (out of bag − apparent)/(γ − apparent), between 0 and 1
//! w            = 0.632/(1 − 0.368·R)
//! ```
//!
//! where γ is the metric if rows and predictions had nothing to do with each other (every outcome with
//! every prediction), and out of bag′ is no worse than γ. Harrell, Lee and Mark 1996 (Statistics in Medicine
//! 15:361–387); Efron and Tibshirani 1997 (JASA 92:548–560). After a selection from many columns
//! Harrell's correction is too small, and .632+ is nearer the truth (Iba et al. 2021, BMC Medical Research
//! Methodology 21:9).

use crate::dataset::{Outcome, Response};
use crate::metrics::{Metric, accuracy, log_loss, probability_brier};
use crate::model::{Prediction, most_probable};
use crate::statistics::{Spread, weighted_spread};

/// The .632+ estimate. It is the same for what should be high and what should be low.
pub fn plus_632(apparent: f64, out_of_bag: f64, no_information: f64) -> f64 {
    let span = no_information - apparent;
    let overfitted = (out_of_bag - apparent) / span;
    let (rate, bounded) = match overfitted {
        rate if rate > 1.0 => (1.0, no_information),
        rate if rate > 0.0 => (rate, out_of_bag),
        _ => (0.0, out_of_bag),
    };
    let weight = 0.632 / (1.0 - 0.368 * rate);
    (1.0 - weight) * apparent + weight * bounded
}

/// γ of a metric; none where it is undefined.
pub fn no_information(metric: Metric, said: &Prediction, response: &Response) -> Option<f64> {
    let weights = response.weights();
    match (metric, said, &response.outcome) {
        (Metric::Auc | Metric::CIndex, ..) => Some(0.5),
        (Metric::Mse | Metric::R2, Prediction::Numbers(said), Outcome::Continuous(y)) => {
            let of_y = weighted_spread(y.iter().copied(), weights);
            let of_said: Spread = weighted_spread(said.iter().copied(), weights);
            let mse = of_y.variance + of_said.variance + (of_y.mean - of_said.mean).powi(2);
            Some(match metric {
                Metric::R2 => 1.0 - mse / of_y.variance,
                _ => mse,
            })
        }
        (_, Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => {
            let share = |class: usize| {
                let rows = (0..labels.len()).filter(|&row| labels[row] == class);
                rows.map(|row| weights.at(row)).sum::<f64>() / response.total()
            };
            let of_class = |class: usize| {
                let all = vec![class; labels.len()];
                match metric {
                    Metric::Accuracy => accuracy(&all, &most_probable(p), weights).ok(),
                    Metric::LogLoss => log_loss(&all, p, weights).ok(),
                    Metric::Brier => probability_brier(&all, p, weights).ok(),
                    _ => None,
                }
            };
            match metric {
                Metric::AveragePrecision => Some(share(1)),
                _ => (0..p.len())
                    .map(|class| Some(share(class) * of_class(class)?))
                    .sum(),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;

    #[test]
    fn the_632_plus_estimate_is_efron_and_tibshiranis() {
        // no overfitting: the .632 estimate
        assert!((plus_632(0.2, 0.2, 0.5) - 0.2).abs() < 1e-15);
        // a rule that remembers all rows (apparent error 0, no signal): all weight on γ
        assert!((plus_632(0.0, 0.5, 0.5) - 0.5).abs() < 1e-15);
        // by hand: R = 1/3, w = 0.632/(1 − 0.368/3) = 0.72036
        let expected = (1.0 - 0.720_364_741_641_337_4) * 0.1 + 0.720_364_741_641_337_4 * 0.2;
        assert!((plus_632(0.1, 0.2, 0.4) - expected).abs() < 1e-12);
        // what should be high is the same, mirrored
        assert!((plus_632(0.9, 0.8, 0.6) - (1.0 - expected)).abs() < 1e-12);
        // worse than no information counts as none; better than apparent is not overfitted
        assert_eq!(plus_632(0.1, 0.7, 0.5), 0.5);
        assert!((plus_632(0.3, 0.2, 0.5) - (0.368 * 0.3 + 0.632 * 0.2)).abs() < 1e-15);
    }

    #[test]
    fn no_information_is_every_outcome_with_every_prediction() {
        let weights = [1.0, 2.0, 0.5, 1.0, 3.0];
        let weighted = |outcome| Response {
            weights: Some(weights.to_vec()),
            ..Response::from(outcome)
        };
        // every pair of an outcome and a prediction as a row of its own
        let every = |said: &Prediction, response: &Response, metric: Metric| {
            let pairs = (0..5).flat_map(|i| (0..5).map(move |j| (i, j)));
            let (first, second): (Vec<usize>, Vec<usize>) = pairs.unzip();
            let both: Vec<f64> = (first.iter().zip(&second))
                .map(|(&i, &j)| weights[i] * weights[j])
                .collect();
            let response = Response {
                weights: Some(both),
                ..Response::from(response.outcome.rows(&first))
            };
            metric.value(&said.rows(&second), &response).unwrap()
        };
        let y = weighted(Outcome::Continuous(vec![1.0, 4.0, 2.0, -1.0, 0.5]));
        let numbers = Prediction::Numbers(vec![0.5, 3.0, 2.0, 0.0, 1.0]);
        let classes = weighted(Outcome::Classes {
            labels: vec![0, 1, 1, 0, 1],
            classes: vec!["a".into(), "b".into()],
            task: Task::Binary,
        });
        let p = vec![0.2, 0.9, 0.4, 0.3, 0.8];
        let probabilities = Prediction::Probabilities(vec![p.iter().map(|p| 1.0 - p).collect(), p]);
        for (said, response, metric) in [
            (&numbers, &y, Metric::Mse),
            (&numbers, &y, Metric::R2),
            (&probabilities, &classes, Metric::Accuracy),
            (&probabilities, &classes, Metric::LogLoss),
            (&probabilities, &classes, Metric::Auc),
        ] {
            let found = no_information(metric, said, response).unwrap();
            let expected = every(said, response, metric);
            assert!(
                (found - expected).abs() < 1e-12,
                "{metric:?}: {found} {expected}"
            );
        }
    }
}
