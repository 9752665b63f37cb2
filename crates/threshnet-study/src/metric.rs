//! What the predictions on test rows are scored by.

use threshnet::dataset::{Response, Task};
use threshnet::error::Result;
use threshnet::metrics::{self, Survival, cumulative_dynamic_auc};
use threshnet::model::Prediction;

/// A score of test rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// Of the predictions alone.
    Plain(metrics::Metric),
    /// Uno's time-dependent AUC, averaged over these times.
    TimeAuc(Vec<f64>),
}

impl Metric {
    /// Of the paper's simulations and images.
    pub fn of_paper(task: Task) -> Metric {
        Metric::Plain(match task {
            Task::Regression => metrics::Metric::R2,
            Task::Binary | Task::Multiclass => metrics::Metric::Accuracy,
            Task::Cox => metrics::Metric::CIndex,
        })
    }

    /// Of real data; `times` are those of a survival outcome. Ten test rows have few
    /// accuracies, but many orders.
    pub fn of_real(task: Task, times: Vec<f64>) -> Metric {
        match task {
            Task::Cox => Metric::TimeAuc(times),
            _ => Metric::Plain(metrics::Metric::main(task)),
        }
    }

    /// The name for other programs.
    pub fn name(&self) -> &'static str {
        match self {
            Metric::Plain(metric) => metric.name(),
            Metric::TimeAuc(_) => "time_auc",
        }
    }

    /// The name for people.
    pub fn title(&self) -> &'static str {
        match self {
            Metric::Plain(metric) => metric.title(),
            Metric::TimeAuc(_) => "tAUC",
        }
    }

    /// The times of a time-dependent AUC.
    pub fn times(&self) -> Option<&[f64]> {
        match self {
            Metric::TimeAuc(times) => Some(times),
            Metric::Plain(_) => None,
        }
    }

    /// The score of predictions for test rows; `train` are the rows that were learned from.
    pub fn score(&self, prediction: &Prediction, test: &Response, train: &Response) -> Result<f64> {
        match (self, prediction, Survival::of(test), Survival::of(train)) {
            (Metric::Plain(metric), ..) => metric.value(prediction, test),
            (Metric::TimeAuc(times), Prediction::Risk(risk), Some(rows), Some(train)) => {
                mean_auc(train, rows, risk, times)
            }
            _ => unreachable!("the score, the model and all rows are of one task"),
        }
    }
}

/// The mean time-dependent AUC over those of `times` that have cases and
/// controls among the scored rows. Rows that outlive the last of them are
/// controls at all of them, whatever becomes of them later: their observation
/// ends there, so that no censoring weight beyond the training rows is needed.
fn mean_auc(train: Survival, rows: Survival, risk: &[f64], times: &[f64]) -> Result<f64> {
    let last = times.iter().copied().fold(0.0, f64::max);
    let beyond = |t: f64| t > last;
    let time: Vec<f64> = (rows.time.iter())
        .map(|&t| if beyond(t) { last.next_up() } else { t })
        .collect();
    let event: Vec<bool> = (rows.time.iter().zip(rows.event))
        .map(|(&t, &event)| event && !beyond(t))
        .collect();
    let events = time.iter().zip(&event).filter(|(_, event)| **event);
    let first = events.map(|(&t, _)| t).fold(f64::INFINITY, f64::min);
    let end = time.iter().copied().fold(0.0, f64::max);
    let within: Vec<f64> = (times.iter().copied())
        .filter(|t| (first..end).contains(t))
        .collect();
    let rows = Survival {
        weights: rows.weights,
        ..Survival::new(&time, &event)
    };
    cumulative_dynamic_auc(train, rows, risk, &within).map(|auc| auc.mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_without_a_case_and_rows_after_the_last_time_change_no_auc() {
        let time = [3.0, 5.0, 6.0, 8.0, 11.0, 14.0];
        let event = [true, false, true, true, true, false];
        let rows = Survival::new(&time, &event);
        let train_event = [true, false, true, true, true, true];
        let train = Survival::new(&time, &train_event);
        let risk = [4.0, 1.0, 1.5, 3.0, 0.5, 2.0];
        let plain = cumulative_dynamic_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).unwrap();
        // before the first event there is no case, after the last row no control
        let lenient = mean_auc(train, rows, &risk, &[1.0, 4.0, 7.0, 9.0]).unwrap();
        assert!((lenient - plain.mean).abs() < 1e-12);
        // an event that no training row lives to see
        let late = [3.0, 5.0, 6.0, 8.0, 99.0, 14.0];
        let rows = Survival::new(&late, &event);
        assert!(cumulative_dynamic_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).is_err());
        let same = mean_auc(train, rows, &risk, &[4.0, 7.0, 9.0]).unwrap();
        assert!((same - plain.mean).abs() < 1e-12);
    }
}
