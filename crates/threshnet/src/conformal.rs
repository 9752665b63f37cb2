//! Prediction intervals, sets of classes and lower bounds of survival times, by cross-conformal
//! prediction.
//!
//! A row that the networks behind a prediction did not see has a score s, how badly it was predicted;
//! scores of held-out rows tell how badly a new row will be:
//!
//! ```text
//! a number    s = |y − f(x)|                interval    f(x) ± q
//! a class     s = 1 − p(y|x)                set         every class with 1 − p(c|x) ≤ q
//! a time      s = 1 − Ŝ(t|x)                lower bound the first t with 1 − Ŝ(t|x) ≥ q
//! ```
//!
//! For numbers and classes q is the smallest score such that held-out rows with no larger one weigh
//! at least c·(W + 1), with c the coverage that is wanted and W what all rows weigh together. For times, which are
//! censored, each row with an event weighs 1/Ĝ(t−) as much, with Ĝ the Kaplan–Meier curve of being
//! under observation: the weighted share of events below the bound is then an estimate of how often it is
//! missed (Candès, Lei and Ren 2023, JRSS B 85:24–45; Gui et al. 2024, Biometrika 111:459–477),
//!
//! ```text
//! q = the largest score such that Σ_{events with s < q} w/Ĝ(t−) + 1 ≤ (1 − c)·(W + 1).
//! ```
//!
//! The coverage is that over rows like those of the fit, on average, not of every group of them. It is
//! exact where the scores of a new row and of held-out rows are exchangeable; here networks of nearly all rows stand
//! for the model of all (Vovk 2015, Annals of Mathematics and Artificial Intelligence 74:9–28), and
//! censoring is taken to have nothing to do with the columns. `bench/records/` has what was measured.

use crate::dataset::{Dataset, Outcome, Response};
use crate::error::{Error, Result};
use crate::metrics::{KaplanMeier, Survival};
use crate::model::{Model, Prediction};
use crate::statistics::weighted_mean;
use crate::tune::HeldOut;
use crate::validate::predicted;
use serde::{Deserialize, Serialize};

/// How badly held-out rows were predicted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conformal {
    /// Ascending; of a survival outcome those of events.
    pub scores: Vec<f64>,
    /// What each weighs; none if each weighs 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<f64>,
    /// What all held-out rows weigh together.
    pub total: f64,
}

/// Where the outcome of a row will be, with the coverage that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// Between a lower and an upper end.
    Interval {
        /// By row.
        lower: Vec<f64>,
        /// By row.
        upper: Vec<f64>,
    },
    /// Among these classes: `[class][row]`. A row may have none: no class is plausible.
    Classes(Vec<Vec<bool>>),
    /// After this time.
    LowerBound(Vec<f64>),
}

impl Conformal {
    /// Of a model and what networks said of rows that they did not see.
    pub(crate) fn learn(model: &Model, data: &Dataset, rows: &[usize], held_out: &HeldOut) -> Self {
        let response = data.response().rows(&held_out.rows);
        let weight = |row: usize| response.weights().at(row);
        let scored: Vec<(f64, f64)> = match (&held_out.prediction, &response.outcome) {
            (Prediction::Numbers(said), Outcome::Continuous(y)) => (0..y.len())
                .map(|row| ((y[row] - said[row]).abs(), weight(row)))
                .collect(),
            (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) => (0..labels.len())
                .map(|row| (1.0 - p[labels[row]][row], weight(row)))
                .collect(),
            (Prediction::Risk(risk), Outcome::Survival { time, event }) => {
                // (held-out risks are counted from the mean of the rows that were learned from)
                let zero = mean_risk(model, data, rows);
                let watched = Survival::of(&response).expect("it is one");
                let watched = KaplanMeier::of_censoring(watched);
                let events = (0..time.len()).filter(|&row| event[row]);
                let scored = events.map(|row| {
                    let score = 1.0 - model.survival(zero + risk[row], time[row]);
                    (score, weight(row) / watched.before(time[row]))
                });
                scored.collect()
            }
            _ => unreachable!("predictions are of the outcome's kind"),
        };
        let mut scored = scored;
        scored.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (scores, weights): (Vec<f64>, Vec<f64>) = scored.into_iter().unzip();
        Conformal {
            scores,
            weights: match weights.iter().all(|weight| *weight == 1.0) {
                true => vec![],
                false => weights,
            },
            total: response.total(),
        }
    }

    /// Refuses what cannot be the scores of held-out rows.
    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        let ascending =
            self.scores.is_sorted() && self.scores.iter().all(|score| score.is_finite());
        let weighed = self.weights.is_empty() || self.weights.len() == self.scores.len();
        let positive = self
            .weights
            .iter()
            .chain([&self.total])
            .all(|w| w.is_finite() && *w > 0.0);
        match ascending && weighed && positive {
            true => Ok(()),
            false => Err("scores of held-out rows that are none".into()),
        }
    }

    /// The scores, each with what all up to it weigh.
    fn cumulated(&self) -> impl Iterator<Item = (f64, f64)> {
        let weight = |at: usize| self.weights.get(at).copied().unwrap_or(1.0);
        (self.scores.iter().enumerate()).scan(0.0, move |sum, (at, &score)| {
            *sum += weight(at);
            Some((score, *sum))
        })
    }

    /// The score that a share `coverage` of new rows does not exceed.
    fn upper(&self, coverage: f64) -> Result<f64> {
        let wanted = coverage * (self.total + 1.0);
        // (sums of shares that are whole in decimals need not be in binary)
        let reached = self.cumulated().find(|(_, sum)| *sum >= wanted - 1e-9);
        reached
            .map(|(score, _)| score)
            .ok_or_else(|| self.too_few(coverage))
    }

    /// The score below which a share `1 − coverage` of new rows has its event; 1 where so many do
    /// not have it.
    fn lower(&self, coverage: f64) -> Result<f64> {
        let allowed = (1.0 - coverage) * (self.total + 1.0);
        if allowed < 1.0 - 1e-9 {
            return Err(self.too_few(coverage));
        }
        let beyond = self.cumulated().find(|(_, sum)| sum + 1.0 > allowed + 1e-9);
        Ok(beyond.map_or(1.0, |(score, _)| score))
    }

    fn too_few(&self, coverage: f64) -> Error {
        let fewest = (coverage / (1.0 - coverage) - 1e-9).ceil();
        Error::Data(format!(
            "a coverage of {coverage} takes at least {fewest} held-out rows, and this fit had {}: ask for \
             less coverage, or fit with more rows",
            self.total
        ))
    }
}

/// The mean log-risk of the rows that a model was made of.
fn mean_risk(model: &Model, data: &Dataset, rows: &[usize]) -> f64 {
    let said = predicted(model, data, rows.to_vec());
    let response: Response = data.response().rows(rows);
    weighted_mean(said.columns()[0].iter().copied(), response.weights())
}

impl Model {
    /// Where the outcomes of rows with these predictions will be, with this coverage: a share between 0
    /// and 1. Refused of a model without held-out rows, and of more coverage than they can promise.
    pub fn region(&self, said: &Prediction, coverage: f64) -> Result<Region> {
        if !(coverage > 0.0 && coverage < 1.0) {
            let problem =
                format!("{coverage} is no coverage: give a share between 0 and 1, such as 0.9");
            return Err(Error::setting("interval", problem));
        }
        let Some(conformal) = &self.conformal else {
            return Err(Error::Data(
                "this model knows no held-out rows, from which intervals come: it is of an earlier version, an \
                 ensemble, another point of a path, or of a fit without validation or with error control, whose \
                 selection saw all rows"
                    .into(),
            ));
        };
        Ok(match said {
            Prediction::Numbers(numbers) => {
                let half = conformal.upper(coverage)?;
                Region::Interval {
                    lower: numbers.iter().map(|number| number - half).collect(),
                    upper: numbers.iter().map(|number| number + half).collect(),
                }
            }
            Prediction::Probabilities(p) => {
                let largest = conformal.upper(coverage)?;
                let of_class = |p: &Vec<f64>| p.iter().map(|p| 1.0 - p <= largest).collect();
                Region::Classes(p.iter().map(of_class).collect())
            }
            Prediction::Risk(risk) => {
                let score = conformal.lower(coverage)?;
                let bound = |&risk: &f64| self.time_of_score(risk, score);
                Region::LowerBound(risk.iter().map(bound).collect())
            }
        })
    }

    /// The first time with 1 − S(t) ≥ this, at most that of the last event.
    fn time_of_score(&self, risk: f64, score: f64) -> f64 {
        let reached =
            (self.baseline).partition_point(|&(time, _)| 1.0 - self.survival(risk, time) < score);
        let last = self.baseline.len().saturating_sub(1);
        self.baseline
            .get(reached.min(last))
            .map_or(0.0, |(time, _)| *time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(scores: &[f64], weights: &[f64], total: f64) -> Conformal {
        Conformal {
            scores: scores.to_vec(),
            weights: weights.to_vec(),
            total,
        }
    }

    #[test]
    fn the_quantile_counts_the_new_row() {
        // 9 rows: the 9th of 10 for a coverage of 0.9, the 5th for one of 0.5
        let nine = of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], &[], 9.0);
        assert_eq!(nine.upper(0.9), Ok(9.0));
        assert_eq!(nine.upper(0.5), Ok(5.0));
        let problem = nine.upper(0.95).unwrap_err().to_string();
        assert!(problem.contains("at least 19 held-out rows"), "{problem}");
        // a row of weight 2 is the row twice
        let weighted = of(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], 6.0);
        let repeated = of(&[1.0, 2.0, 2.0, 3.0, 3.0, 3.0], &[], 6.0);
        for coverage in [0.1, 0.3, 0.5, 0.7, 0.85] {
            assert_eq!(weighted.upper(coverage), repeated.upper(coverage));
        }
    }

    #[test]
    fn a_lower_bound_leaves_a_share_of_events_below_it() {
        // 9 rows, 4 of them with events: one in ten may be below, the new row itself
        let nine = of(&[0.1, 0.2, 0.3, 0.4], &[], 9.0);
        assert_eq!(nine.lower(0.9), Ok(0.1));
        assert_eq!(nine.lower(0.7), Ok(0.3));
        // so many never have an event: no bound but the end
        assert_eq!(nine.lower(0.4), Ok(1.0));
        assert!(nine.lower(0.95).is_err());
        // a censored row hands its weight to later events
        let weighted = of(&[0.1, 0.2, 0.3], &[1.0, 2.0, 2.0], 9.0);
        assert_eq!(weighted.lower(0.7), Ok(0.2));
    }
}
