//! What a chain learns, and what it puts into the rows that it learns from.

use super::regression::{Fitted, regress};
use super::{Cells, Chain, Equation, Line, SWEEPS};
use crate::dataset::{Dataset, Fill, Outcome, Response, Weights};
use crate::loss::{Cox, Ties};
use crate::random::{Purpose, Random};
use crate::statistics::noise_level;
use std::ops::Range;

/// Predictors of an equation beside the outcome, at most.
const MOST_PREDICTORS: usize = 30;

/// Rows with a known value for every predictor, at least.
const ROWS_PER_PREDICTOR: usize = 10;

/// Columns among which predictors are looked for, at most: those most correlated with the outcome.
const MOST_CANDIDATES: usize = 1000;

/// Rows that are predicted most alike, of which one gives its value.
const DONORS: usize = 5;

/// What a chain has learned of some rows.
pub struct Imputed {
    /// How it imputes others.
    pub chain: Chain,
    /// What it put into these rows: the columns that had gaps.
    cells: Cells,
    rows: Vec<usize>,
}

impl Imputed {
    /// The data with what was put into the rows.
    pub fn dataset<'d>(&self, data: &'d Dataset) -> Dataset<'d> {
        data.with_gaps_filled(&self.rows, &self.cells)
    }
}

/// The chain of this number, learned on these rows from these ascending columns alone.
pub fn impute(
    data: &Dataset,
    rows: &[usize],
    columns: &[usize],
    number: usize,
    seed: u64,
) -> Imputed {
    let response = data.response().rows(rows);
    let random = Random::new(seed, Purpose::Imputation, number as u64, 0);
    let mut learner = Learner::new(data, rows, columns, (&response, random));
    for _ in 0..SWEEPS {
        for gap in 0..learner.gaps.len() {
            learner.draw(gap);
        }
    }
    let equations = (0..learner.gaps.len())
        .map(|gap| learner.equation(gap))
        .collect();
    let owned: Vec<usize> = (learner.gaps.iter())
        .flat_map(|gap| gap.own.clone())
        .collect();
    let mut cells = learner.cells;
    cells.retain(|j, _| owned.binary_search(j).is_ok());
    Imputed {
        chain: Chain { number, equations },
        cells,
        rows: rows.to_vec(),
    }
}

/// A feature with gaps.
struct Gap {
    /// Its columns, without what says where it is missing.
    own: Range<usize>,
    is_text: bool,
    known: Vec<usize>,
    missing: Vec<usize>,
    predictors: Vec<usize>,
}

struct Learner<'a> {
    /// Of the columns with gaps and those that predict them, gaps filled.
    cells: Cells,
    /// What stands for the outcome among the predictors.
    outcome: Vec<Vec<f64>>,
    weights: Weights<'a>,
    gaps: Vec<Gap>,
    random: Random,
}

impl<'a> Learner<'a> {
    fn new(
        data: &Dataset,
        rows: &[usize],
        columns: &[usize],
        (response, random): (&'a Response, Random),
    ) -> Self {
        let fill = Fill::learn(data, rows);
        let weights = response.weights();
        let outcome = as_predictors(response);
        let mut gaps: Vec<Gap> = (data.features().of_columns(columns).into_iter())
            .filter_map(|feature| gap(data, rows, feature))
            .collect();
        let column = |j: usize| -> Vec<f64> {
            let values = data.columns()[j].rows(rows).into_iter();
            values.map(|x| fill.of(j, x)).collect()
        };
        let mut cells = Cells::new();
        if !gaps.is_empty() {
            let candidates = candidates(data, columns, &column, (&outcome, weights));
            for gap in &mut gaps {
                gap.predictors = predictors(gap, &candidates, &column, weights);
            }
        }
        for j in gaps
            .iter()
            .flat_map(|gap| gap.own.clone().chain(gap.predictors.iter().copied()))
        {
            cells.entry(j).or_insert_with(|| column(j));
        }
        Learner {
            cells,
            outcome,
            weights,
            gaps,
            random,
        }
    }

    /// The equation of a feature on its known rows, of which each counts at random.
    fn fitted(&mut self, gap: usize, with_outcome: bool) -> Vec<Fitted> {
        let Gap {
            own,
            known,
            predictors,
            ..
        } = &self.gaps[gap];
        let weights: Vec<f64> = (known.iter())
            .map(|&row| self.random.exponential() * self.weights.at(row))
            .collect();
        let responses: Vec<&[f64]> = own.clone().map(|j| &self.cells[&j][..]).collect();
        let outcome = self.outcome.iter().filter(|_| with_outcome);
        let predictors: Vec<&[f64]> = (predictors.iter().map(|k| &self.cells[k]))
            .chain(outcome)
            .map(Vec::as_slice)
            .collect();
        regress(&predictors, &responses, known, &weights)
    }

    /// Draws what is put into the gaps of a feature, given what is in the others.
    fn draw(&mut self, gap: usize) {
        let fitted = self.fitted(gap, true);
        let of = &self.gaps[gap];
        let predictors: Vec<&[f64]> = (of.predictors.iter().map(|k| &self.cells[k]))
            .chain(&self.outcome)
            .map(Vec::as_slice)
            .collect();
        let random = &mut self.random;
        let mut drawn: Vec<(usize, usize, f64)> = vec![];
        if of.is_text {
            for &row in &of.missing {
                let shares = fitted.iter().map(|f| f.at(&predictors, row).max(0.0));
                let level = by_share(&shares.collect::<Vec<f64>>(), random.uniform());
                let cells = of.own.clone().enumerate();
                drawn.extend(cells.map(|(l, j)| (j, row, f64::from(u8::from(l == level)))));
            }
        } else {
            let column = of.own.start;
            let mut donors: Vec<(f64, usize)> = (of.known.iter())
                .map(|&row| (fitted[0].at(&predictors, row), row))
                .collect();
            donors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &row in &of.missing {
                let alike = nearest(&donors, fitted[0].at(&predictors, row));
                let donor = alike[random.below(alike.len())].1;
                drawn.push((column, row, self.cells[&column][donor]));
            }
        }
        for (column, row, value) in drawn {
            self.cells.get_mut(&column).expect("it has gaps")[row] = value;
        }
    }

    /// The equation that imputes a feature where the outcome is not known.
    fn equation(&mut self, gap: usize) -> Equation {
        let fitted = self.fitted(gap, false);
        let Gap {
            own,
            known,
            predictors,
            ..
        } = &self.gaps[gap];
        let lines = own.clone().zip(fitted).map(|(column, fitted)| {
            let values = || known.iter().map(|&row| self.cells[&column][row]);
            Line {
                column,
                intercept: fitted.intercept,
                slopes: fitted.slopes,
                low: values().fold(f64::INFINITY, f64::min),
                high: values().fold(f64::NEG_INFINITY, f64::max),
            }
        });
        Equation {
            predictors: predictors.clone(),
            lines: lines.collect(),
        }
    }
}

/// A feature, if it has gaps in these rows and is known in some.
fn gap(data: &Dataset, rows: &[usize], feature: usize) -> Option<Gap> {
    let features = data.features();
    let own = features.columns_of(feature);
    let own = own.start..own.end - usize::from(features.is_indicator(own.end - 1));
    let values = data.columns()[own.start].rows(rows);
    let (missing, known): (Vec<usize>, Vec<usize>) =
        (0..rows.len()).partition(|&row| values[row].is_nan());
    (!missing.is_empty() && !known.is_empty()).then(|| Gap {
        own,
        is_text: features.levels(feature).is_some(),
        known,
        missing,
        predictors: vec![],
    })
}

/// A column that may predict others.
struct Candidate {
    column: usize,
    /// Standardised over all rows.
    values: Vec<f64>,
}

/// The columns among which predictors are looked for.
fn candidates(
    data: &Dataset,
    columns: &[usize],
    values_of: &dyn Fn(usize) -> Vec<f64>,
    (outcome, weights): (&[Vec<f64>], Weights),
) -> Vec<Candidate> {
    let rows: Vec<usize> = (0..outcome[0].len()).collect();
    let standardised = |values: &[f64]| standardised(values, &rows, weights);
    let mut chosen = columns.to_vec();
    chosen.retain(|&j| !data.features().is_indicator(j));
    if chosen.len() > MOST_CANDIDATES {
        let outcome: Vec<Vec<f64>> = outcome.iter().map(|y| standardised(y)).collect();
        let strength = |j: usize| largest_product(&standardised(&values_of(j)), &outcome);
        let ranked = chosen.into_iter().map(|j| (strength(j), j)).collect();
        chosen = strongest(ranked, MOST_CANDIDATES);
    }
    let candidate = |column: usize| Candidate {
        column,
        values: standardised(&values_of(column)),
    };
    chosen.into_iter().map(candidate).collect()
}

/// The columns most correlated with a feature where it is known, of those that are more so than
/// noise would be, ascending.
fn predictors(
    gap: &Gap,
    candidates: &[Candidate],
    values_of: &dyn Fn(usize) -> Vec<f64>,
    weights: Weights,
) -> Vec<usize> {
    // (on all rows, and 0 where it is missing: then products are those of the known ones)
    let own: Vec<Vec<f64>> = (gap.own.clone())
        .map(|j| {
            let known = standardised(&values_of(j), &gap.known, weights);
            let mut all = vec![0.0; gap.known.len() + gap.missing.len()];
            for (&row, value) in gap.known.iter().zip(known) {
                all[row] = value;
            }
            all
        })
        .collect();
    let known: f64 = gap.known.iter().map(|&row| weights.at(row)).sum();
    let missing: f64 = gap.missing.iter().map(|&row| weights.at(row)).sum();
    let noise = noise_level(candidates.len() * own.len(), known);
    // (products miss what the candidates have in rows that are not known)
    let whole = (1.0 + missing / known).sqrt();
    let ranked = (candidates.iter())
        .filter(|candidate| !gap.own.contains(&candidate.column))
        .map(|of| (whole * largest_product(&of.values, &own), of.column))
        .filter(|(strength, _)| *strength > noise)
        .collect();
    let most = MOST_PREDICTORS.min(gap.known.len() / ROWS_PER_PREDICTOR);
    strongest(ranked, most)
}

/// The strongest columns, so many at most, ascending; among equals the earlier.
fn strongest(mut ranked: Vec<(f64, usize)>, most: usize) -> Vec<usize> {
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut columns: Vec<usize> = ranked.into_iter().take(most).map(|(_, j)| j).collect();
    columns.sort_unstable();
    columns
}

/// Of some rows, so that sums of products are correlations; zeros of a constant.
fn standardised(values: &[f64], rows: &[usize], weights: Weights) -> Vec<f64> {
    let total: f64 = rows.iter().map(|&row| weights.at(row)).sum();
    let of_rows = || {
        rows.iter()
            .map(|&row| (weights.at(row) / total, values[row]))
    };
    let mean: f64 = of_rows().map(|(share, value)| share * value).sum();
    let variance: f64 = of_rows()
        .map(|(share, value)| share * (value - mean).powi(2))
        .sum();
    let factor = if variance > 0.0 {
        1.0 / variance.sqrt()
    } else {
        0.0
    };
    of_rows()
        .map(|(share, value)| share.sqrt() * (value - mean) * factor)
        .collect()
}

fn largest_product(column: &[f64], others: &[Vec<f64>]) -> f64 {
    let product = |other: &Vec<f64>| column.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    others
        .iter()
        .map(|other| product(other).abs())
        .fold(0.0, f64::max)
}

/// What stands for the outcome among predictors: the number itself, a column for every class but
/// the first, or the event and the cumulative hazard at its time (White and Royston 2009, Statistics
/// in Medicine 28:1982–1998).
fn as_predictors(response: &Response) -> Vec<Vec<f64>> {
    match &response.outcome {
        Outcome::Continuous(y) => vec![y.clone()],
        Outcome::Classes {
            labels, classes, ..
        } => (1..classes.len())
            .map(|class| {
                (labels.iter())
                    .map(|&l| f64::from(u8::from(l == class)))
                    .collect()
            })
            .collect(),
        Outcome::Survival { time, event } => {
            let cox = Cox::new(time, event, response.weights(), Ties::Breslow);
            let steps = cox.log_baseline_hazard(&vec![0.0; time.len()]);
            let hazard = |t: &f64| {
                let past = steps.partition_point(|(at, _)| at <= t);
                past.checked_sub(1).map_or(0.0, |last| steps[last].1.exp())
            };
            vec![
                event.iter().map(|&e| f64::from(u8::from(e))).collect(),
                time.iter().map(hazard).collect(),
            ]
        }
    }
}

/// The level in which a number from 0 to 1 falls, if each has its share; the first if none has any.
fn by_share(shares: &[f64], uniform: f64) -> usize {
    let mut left = uniform * shares.iter().sum::<f64>();
    for (level, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return level;
        }
    }
    shares.iter().rposition(|share| *share > 0.0).unwrap_or(0)
}

/// Those of the ascending donors that are nearest to a value, so many as there are to be.
fn nearest(donors: &[(f64, usize)], value: f64) -> &[(f64, usize)] {
    let at = donors.partition_point(|donor| donor.0 < value);
    let (mut first, mut end) = (at, at);
    while end - first < DONORS.min(donors.len()) {
        let below = first.checked_sub(1).map(|at| value - donors[at].0);
        let above = donors.get(end).map(|donor| donor.0 - value);
        match (below, above) {
            (Some(below), Some(above)) if below <= above => first -= 1,
            (Some(_), None) => first -= 1,
            _ => end += 1,
        }
    }
    &donors[first..end]
}
