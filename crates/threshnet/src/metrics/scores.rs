//! The metrics of predictions by name, as files, front ends and studies give them.

use super::{
    Survival, accuracy, auc, average_precision, concordance_harrell, log_loss, mse,
    probability_brier, r2,
};
use crate::dataset::{Outcome, Response, Task};
use crate::error::{Error, Result};
use crate::model::{Prediction, most_probable};
use serde::{Deserialize, Serialize};

/// A metric of predictions, in the order in which people read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// [`r2`].
    R2,
    /// [`mse`].
    Mse,
    /// [`concordance_harrell`].
    CIndex,
    /// [`auc`](fn@auc).
    Auc,
    /// [`average_precision`].
    AveragePrecision,
    /// [`accuracy`].
    Accuracy,
    /// [`log_loss`].
    LogLoss,
    /// [`probability_brier`].
    Brier,
}

impl Metric {
    /// Those of a task, the main one first.
    pub fn of(task: Task) -> &'static [Metric] {
        use Metric::{Accuracy, Auc, AveragePrecision, Brier, CIndex, LogLoss, Mse, R2};
        match task {
            Task::Regression => &[R2, Mse],
            Task::Binary => &[Auc, AveragePrecision, Accuracy, LogLoss, Brier],
            Task::Multiclass => &[Accuracy, LogLoss, Brier],
            Task::Cox => &[CIndex],
        }
    }

    /// The first of them: where there is room for one.
    pub fn main(task: Task) -> Metric {
        Metric::of(task)[0]
    }

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::R2 => "r2",
            Metric::Mse => "mse",
            Metric::CIndex => "c_index",
            Metric::Auc => "auc",
            Metric::AveragePrecision => "average_precision",
            Metric::Accuracy => "accuracy",
            Metric::LogLoss => "log_loss",
            Metric::Brier => "brier",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            Metric::R2 => "R²",
            Metric::Mse => "mean squared error",
            Metric::CIndex => "C-index",
            Metric::Auc => "AUC",
            Metric::AveragePrecision => "average precision",
            Metric::Accuracy => "accuracy",
            Metric::LogLoss => "log loss",
            Metric::Brier => "Brier score",
        }
    }

    /// Its value for predictions of a response; an error where the rows leave it undefined.
    pub fn value(self, prediction: &Prediction, response: &Response) -> Result<f64> {
        let weights = response.weights();
        match (self, prediction, &response.outcome) {
            (Metric::R2, Prediction::Numbers(p), Outcome::Continuous(y)) => r2(y, p, weights),
            (Metric::Mse, Prediction::Numbers(p), Outcome::Continuous(y)) => mse(y, p, weights),
            (Metric::CIndex, Prediction::Risk(risk), Outcome::Survival { time, event }) => {
                let rows = Survival {
                    time,
                    event,
                    weights,
                };
                concordance_harrell(rows, risk)
            }
            (_, Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => match self {
                Metric::Auc => auc(&positive(labels), &p[1], weights),
                Metric::AveragePrecision => average_precision(&positive(labels), &p[1], weights),
                Metric::Accuracy => accuracy(labels, &most_probable(p), weights),
                Metric::LogLoss => log_loss(labels, p, weights),
                Metric::Brier => probability_brier(labels, p, weights),
                _ => Err(other_kind()),
            },
            _ => Err(other_kind()),
        }
    }
}

/// The rows of the last of two classes.
pub(super) fn positive(labels: &[usize]) -> Vec<bool> {
    labels.iter().map(|&class| class == 1).collect()
}

fn other_kind() -> Error {
    Error::Data("the outcome is not of the kind the predictions are for".into())
}

/// A metric and what it is, or why it is undefined.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Which.
    pub metric: Metric,
    /// Its value.
    pub value: Result<f64>,
}

/// All metrics of the outcome's task, the main one first. Refuses predictions of another kind.
pub fn scores(prediction: &Prediction, response: &Response) -> Result<Vec<Score>> {
    let belongs = matches!(
        (prediction, &response.outcome),
        (Prediction::Numbers(_), Outcome::Continuous(_))
            | (Prediction::Probabilities(_), Outcome::Classes { .. })
            | (Prediction::Risk(_), Outcome::Survival { .. })
    );
    if !belongs {
        return Err(other_kind());
    }
    let score = |&metric: &Metric| Score {
        metric,
        value: metric.value(prediction, response),
    };
    Ok(Metric::of(response.task()).iter().map(score).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Weights;

    #[test]
    fn files_have_the_same_names_and_tasks_their_metrics_in_order() {
        for task in [Task::Regression, Task::Binary, Task::Multiclass, Task::Cox] {
            assert!(Metric::of(task).is_sorted());
            for metric in Metric::of(task) {
                assert_eq!(serde_json::to_value(metric).unwrap(), metric.name());
            }
        }
    }

    #[test]
    fn every_metric_is_the_function_of_its_name() {
        let response = Response::from(Outcome::Classes {
            labels: vec![0, 1, 1, 0],
            classes: vec!["a".into(), "b".into()],
            task: Task::Binary,
        });
        let p = vec![0.2, 0.9, 0.4, 0.6];
        let both = vec![p.iter().map(|p| 1.0 - p).collect(), p.clone()];
        let truth = [false, true, true, false];
        let found = scores(&Prediction::Probabilities(both.clone()), &response).unwrap();
        let expected = [
            auc(&truth, &p, Weights::EQUAL),
            average_precision(&truth, &p, Weights::EQUAL),
            Ok(0.5),
            log_loss(&[0, 1, 1, 0], &both, Weights::EQUAL),
            probability_brier(&[0, 1, 1, 0], &both, Weights::EQUAL),
        ];
        let values: Vec<_> = found.into_iter().map(|score| score.value).collect();
        assert_eq!(values, expected);
        assert!(scores(&Prediction::Risk(p), &response).is_err());
    }
}
