//! What the predictions on test rows are scored by.

use threshnet::dataset::{Response, Task, Weights};
use threshnet::error::Result;
use threshnet::metrics::{self, Survival, cumulative_dynamic_auc, integrated_brier};
use threshnet::model::{Model, Prediction};

/// A score of test rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// Of the predictions alone.
    Plain(metrics::Metric),
    /// Uno's time-dependent AUC, averaged over these times.
    TimeAuc(Vec<f64>),
    /// The Brier score of predicted survival, integrated over these times.
    Ibs(Vec<f64>),
}

/// What is scored.
pub struct Scored<'a> {
    pub model: &'a Model,
    /// What the model says of the test rows.
    pub prediction: &'a Prediction,
    /// The rows that were learned from.
    pub train: &'a Response,
    pub test: &'a Response,
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

    /// Of the battery: the main score, and where there is one a second that sees what the first
    /// does not. `times` are those of a survival outcome. Ten test rows have few accuracies, but
    /// many orders.
    pub fn of_battery(task: Task, times: Vec<f64>) -> Vec<Metric> {
        use metrics::Metric::{Accuracy, Auc, CIndex, LogLoss, R2};
        match task {
            Task::Regression => vec![Metric::Plain(R2)],
            Task::Binary => [Auc, LogLoss].map(Metric::Plain).into(),
            Task::Multiclass => [LogLoss, Accuracy].map(Metric::Plain).into(),
            Task::Cox => vec![Metric::Plain(CIndex), Metric::Ibs(times)],
        }
    }

    /// The name for other programs.
    pub fn name(&self) -> &'static str {
        match self {
            Metric::Plain(metric) => metric.name(),
            Metric::TimeAuc(_) => "time_auc",
            Metric::Ibs(_) => "ibs",
        }
    }

    /// The name for people.
    pub fn title(&self) -> &'static str {
        match self {
            Metric::Plain(metric) => metric.title(),
            Metric::TimeAuc(_) => "tAUC",
            Metric::Ibs(_) => "IBS",
        }
    }

    /// The times of a score of survival.
    pub fn times(&self) -> Option<&[f64]> {
        match self {
            Metric::TimeAuc(times) | Metric::Ibs(times) => Some(times),
            Metric::Plain(_) => None,
        }
    }

    /// Whether less is better.
    pub fn is_loss(&self) -> bool {
        use metrics::Metric::LogLoss;
        matches!(self, Metric::Ibs(_) | Metric::Plain(LogLoss))
    }

    /// The score of predictions for test rows.
    pub fn score(&self, scored: &Scored) -> Result<f64> {
        let Scored {
            model,
            prediction,
            train,
            test,
        } = *scored;
        match (self, prediction, Survival::of(test), Survival::of(train)) {
            (Metric::Plain(metric), ..) => metric.value(prediction, test),
            (Metric::TimeAuc(times), Prediction::Risk(risk), Some(rows), Some(train)) => {
                mean_auc(train, rows, risk, times)
            }
            (Metric::Ibs(times), Prediction::Risk(risk), Some(rows), Some(train)) => {
                let curve = |t| risk.iter().map(|&risk| model.survival(risk, t)).collect();
                mean_brier(train, rows, curve, times)
            }
            _ => unreachable!("the score, the model and all rows are of one task"),
        }
    }
}

/// Rows whose observation ends just after the last of some times, if not before. What becomes of
/// them later changes no score at these times, and no censoring weight beyond the training rows
/// is needed.
struct Ended<'a> {
    time: Vec<f64>,
    event: Vec<bool>,
    weights: Weights<'a>,
}

impl<'a> Ended<'a> {
    fn after(times: &[f64], rows: Survival<'a>) -> Ended<'a> {
        let last = times.iter().copied().fold(0.0, f64::max);
        let beyond = |t: f64| t > last;
        Ended {
            time: (rows.time.iter())
                .map(|&t| if beyond(t) { last.next_up() } else { t })
                .collect(),
            event: (rows.time.iter().zip(rows.event))
                .map(|(&t, &event)| event && !beyond(t))
                .collect(),
            weights: rows.weights,
        }
    }

    fn rows(&self) -> Survival<'_> {
        Survival {
            weights: self.weights,
            ..Survival::new(&self.time, &self.event)
        }
    }

    /// Those of the times from `first` to before the last row.
    fn within(&self, first: f64, times: &[f64]) -> Vec<f64> {
        let end = self.time.iter().copied().fold(0.0, f64::max);
        let inside = |t: &f64| (first..end).contains(t);
        times.iter().copied().filter(inside).collect()
    }
}

/// The mean time-dependent AUC over those of `times` that have cases and controls among the
/// scored rows.
fn mean_auc(train: Survival, rows: Survival, risk: &[f64], times: &[f64]) -> Result<f64> {
    let ended = Ended::after(times, rows);
    let events = ended
        .time
        .iter()
        .zip(&ended.event)
        .filter(|(_, event)| **event);
    let first = events.map(|(&t, _)| t).fold(f64::INFINITY, f64::min);
    let within = ended.within(first, times);
    cumulative_dynamic_auc(train, ended.rows(), risk, &within).map(|auc| auc.mean)
}

/// The Brier score integrated over those of `times` that the scored rows span.
fn mean_brier(
    train: Survival,
    rows: Survival,
    survival: impl Fn(f64) -> Vec<f64>,
    times: &[f64],
) -> Result<f64> {
    let ended = Ended::after(times, rows);
    let first = ended.time.iter().copied().fold(f64::INFINITY, f64::min);
    let within = ended.within(first, times);
    let curves: Vec<Vec<f64>> = within.iter().map(|&t| survival(t)).collect();
    integrated_brier(train, ended.rows(), &curves, &within)
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
