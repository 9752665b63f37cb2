//! Missing cells: what becomes of them, and what is put in their place.

use super::{Dataset, Features, Weights};
use crate::columns::Column;
use crate::impute::{Cells, Chain};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What becomes of rows with missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// They are refused.
    #[default]
    Error,
    /// Each missing cell becomes the median of its column, or its most frequent level, among the rows
    /// that are learned from.
    Impute,
    /// So many [chains](crate::impute) of equations each impute them in their own way, and every draw
    /// of the default protocol learns from one.
    Multiple(usize),
    /// They are left out.
    Drop,
}

impl Missing {
    /// Whether something is put into missing cells.
    pub fn imputes(self) -> bool {
        matches!(self, Missing::Impute | Missing::Multiple(_))
    }
}

/// What becomes of a level of a text that the fit did not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unseen {
    /// It is refused.
    #[default]
    Error,
    /// All columns of its text are 0.
    Zero,
}

impl Unseen {
    /// Whether it is refused.
    pub fn is_error(&self) -> bool {
        *self == Unseen::Error
    }
}

/// What becomes of missing cells, and whether a network is told of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gaps {
    /// What becomes of them.
    pub missing: Missing,
    /// Whether every feature with imputed cells gets a column that says which.
    pub indicators: bool,
}

/// What is put into the missing cells of every column, if anything is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fill {
    values: Option<Vec<f64>>,
    chains: Vec<Chain>,
}

impl Fill {
    /// This value for each column.
    pub fn new(values: Vec<f64>) -> Self {
        Fill {
            values: Some(values),
            chains: vec![],
        }
    }

    /// The same with what these chains impute, for networks that learned from them.
    pub fn with_chains(self, chains: Vec<Chain>) -> Self {
        Fill { chains, ..self }
    }

    /// The chains of multiple imputation.
    pub fn chains(&self) -> &[Chain] {
        &self.chains
    }

    /// The chain of this number.
    pub fn chain(&self, number: usize) -> Option<&Chain> {
        self.chains.iter().find(|chain| chain.number == number)
    }

    /// As these rows have it: medians of numbers, the most frequent level of texts. Nothing of data
    /// whose cells are all there.
    pub fn learn(data: &Dataset, rows: &[usize]) -> Self {
        let all: Vec<usize> = (0..data.d()).collect();
        Fill::learn_among(data, rows, &all)
    }

    /// The same where no other columns than these, ascending, will be asked for: of wide data medians
    /// take longer than a fit of few columns.
    pub fn learn_among(data: &Dataset, rows: &[usize], columns: &[usize]) -> Self {
        if !data.imputes() {
            return Fill::default();
        }
        let weights: Option<Vec<f64>> = (data.response().weights().given())
            .map(|weights| rows.iter().map(|&row| weights[row]).collect());
        let weights = Weights::from(weights.as_deref());
        let features = data.features();
        let mut fill = vec![0.0; data.d()];
        for feature in features.of_columns(columns) {
            let own = features.columns_of(feature);
            match features.levels(feature) {
                None => fill[own.start] = median(&data.columns()[own.start].rows(rows), weights),
                Some(levels) => {
                    let counts: Vec<f64> = (own.start..own.start + levels.len())
                        .map(|j| total(&data.columns()[j].rows(rows), weights))
                        .collect();
                    // (the first of equals)
                    let most = (0..levels.len())
                        .rev()
                        .max_by(|&a, &b| counts[a].total_cmp(&counts[b]));
                    fill[own.start + most.unwrap_or(0)] = 1.0;
                }
            }
        }
        Fill::new(fill)
    }

    /// The values, if there are any.
    pub fn values(&self) -> Option<&[f64]> {
        self.values.as_deref()
    }

    /// A value of a column, or what is put into its place.
    #[inline]
    pub fn of(&self, column: usize, value: f64) -> f64 {
        match &self.values {
            Some(fill) if value.is_nan() => fill[column],
            _ => value,
        }
    }
}

/// The sum of the values that are there, each as often as its row counts.
fn total(values: &[f64], weights: Weights) -> f64 {
    let products = values.iter().zip(weights.iter(values.len()));
    products
        .filter(|(value, _)| !value.is_nan())
        .map(|(value, weight)| value * weight)
        .sum()
}

/// The value that half of what is there lies below, or the mean of two; 0 of none.
fn median(values: &[f64], weights: Weights) -> f64 {
    let known = (values.iter().copied().zip(weights.iter(values.len())))
        .filter(|(value, _)| !value.is_nan());
    match weights.given() {
        None => plain_median(known.map(|(value, _)| value).collect()),
        Some(_) => weighted_median(known.collect()),
    }
}

/// That of values which all count once: without an order of all, which takes several times as long.
fn plain_median(mut known: Vec<f64>) -> f64 {
    if known.is_empty() {
        return 0.0;
    }
    let (half, is_odd) = (known.len() / 2, known.len() % 2 == 1);
    let (below, &mut upper, _) = known.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if !is_odd => f64::midpoint(lower, upper),
        _ => upper,
    }
}

fn weighted_median(mut known: Vec<(f64, f64)>) -> f64 {
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = known.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (at, &(value, weight)) in known.iter().enumerate() {
        below += weight;
        if below > half {
            return value;
        }
        if below == half {
            let next = known.get(at + 1).map_or(value, |next| next.0);
            return f64::midpoint(value, next);
        }
    }
    known.last().map_or(0.0, |last| last.0)
}

impl<'a> Dataset<'a> {
    /// These data without a gap, as these rows have what fills them.
    pub fn imputed(&self, rows: &[usize]) -> Cow<'_, Dataset<'a>> {
        self.filled(&Fill::learn(self, rows))
    }

    /// These data with this in the place of missing cells.
    pub fn filled(&self, fill: &Fill) -> Cow<'_, Dataset<'a>> {
        if fill.values().is_none() {
            return Cow::Borrowed(self);
        }
        let columns = self.columns().iter().enumerate();
        let columns = columns.map(|(j, column)| column.mapped(|value| fill.of(j, value)));
        Cow::Owned(Dataset {
            columns: columns.collect(),
            missing: Missing::Error,
            ..self.clone()
        })
    }

    /// These data with values in gaps of these rows, of some columns; other gaps stay.
    pub fn with_gaps_filled(&self, rows: &[usize], cells: &Cells) -> Dataset<'_> {
        let columns = self.columns().iter().enumerate().map(|(j, column)| {
            let Some(values) = cells.get(&j) else {
                return column.borrowed();
            };
            let mut by_row = vec![f64::NAN; self.n()];
            for (&row, &value) in rows.iter().zip(values) {
                by_row[row] = value;
            }
            column.with_gaps_filled(&by_row)
        });
        Dataset {
            columns: columns.collect(),
            ..self.clone()
        }
    }

    /// How many cells are missing, and of how many features.
    pub fn gaps(&self) -> (usize, usize) {
        if !self.imputes() {
            return (0, 0);
        }
        let of = |feature: usize| {
            let first = self.features().columns_of(feature).start;
            self.columns()[first].missing()
        };
        let counts: Vec<usize> = (0..self.features().count()).map(of).collect();
        (
            counts.iter().sum(),
            counts.iter().filter(|&&count| count > 0).count(),
        )
    }
}

/// The features with a column more for each that has missing cells, and the columns with these.
pub(super) fn with_indicators<'a>(
    features: Features,
    columns: Vec<Column<'a>>,
) -> (Features, Vec<Column<'a>>) {
    let has_gaps = |&feature: &usize| columns[features.columns_of(feature).start].missing() > 0;
    let with: BTreeSet<usize> = (0..features.count()).filter(has_gaps).collect();
    let mut all = Vec::with_capacity(columns.len() + with.len());
    let starts: Vec<usize> = (0..features.count())
        .map(|f| features.columns_of(f).end)
        .collect();
    let mut columns = columns.into_iter();
    for (feature, end) in starts.into_iter().enumerate() {
        let first = all.len();
        let own = end - features.columns_of(feature).start;
        all.extend(columns.by_ref().take(own));
        if with.contains(&feature) {
            let missing: Vec<f64> = all[first]
                .iter()
                .map(|v| f64::from(u8::from(v.is_nan())))
                .collect();
            all.push(missing.into());
        }
    }
    (features.with_indicators(with), all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::random::{Purpose, Random};
    use std::collections::BTreeMap;

    const NAN: f64 = f64::NAN;

    #[test]
    fn medians_count_rows_as_often_as_their_weight() {
        let values = [3.0, NAN, 1.0, 10.0];
        assert_eq!(median(&values, Weights::EQUAL), 3.0);
        assert_eq!(median(&[3.0, 1.0], Weights::EQUAL), 2.0);
        assert_eq!(median(&values, Weights::new(&[1.0, 9.0, 1.0, 2.0])), 6.5);
        assert_eq!(median(&values, Weights::new(&[1.0, 9.0, 1.0, 3.0])), 10.0);
        assert_eq!(median(&[NAN], Weights::EQUAL), 0.0);
    }

    #[test]
    fn a_median_without_an_order_is_that_of_equal_weights() {
        let mut random = Random::new(1, Purpose::Simulation, 0, 0);
        for count in 1..40 {
            // (ties, too)
            let values: Vec<f64> = (0..count)
                .map(|_| (3.0 * random.normal()).round())
                .collect();
            let weighted = values.iter().map(|&value| (value, 1.0)).collect();
            assert_eq!(plain_median(values), weighted_median(weighted));
        }
    }

    fn mixed(gaps: Gaps) -> Dataset<'static> {
        let levels = BTreeMap::from([(1, vec!["a".to_string(), "b".to_string()])]);
        let features = Features::new(vec!["x".into(), "t".into(), "z".into()], levels);
        let columns: Vec<Column> = vec![
            vec![1.0, 2.0, NAN, 9.0].into(),
            vec![0.0, 1.0, 0.0, NAN].into(),
            vec![1.0, 0.0, 1.0, NAN].into(),
            vec![1.0, 2.0, 3.0, 4.0].into(),
        ];
        let outcome = Outcome::Continuous(vec![1.0, 2.0, 4.0, 3.0]);
        Dataset::incomplete(features, columns, outcome, gaps).unwrap()
    }

    #[test]
    fn what_fills_gaps_is_that_of_the_rows_alone() {
        let data = mixed(Gaps {
            missing: Missing::Impute,
            indicators: false,
        });
        assert_eq!(data.gaps(), (2, 2));
        assert_eq!(
            Fill::learn(&data, &[0, 1, 2, 3]),
            Fill::new(vec![2.0, 0.0, 1.0, 2.5])
        );
        assert_eq!(
            Fill::learn(&data, &[1, 3]),
            Fill::new(vec![5.5, 1.0, 0.0, 3.0])
        );
        // (all columns of a text are one)
        assert_eq!(
            Fill::learn_among(&data, &[1, 3], &[2, 3]),
            Fill::new(vec![0.0, 1.0, 0.0, 3.0])
        );
        let whole = data.imputed(&[0, 1]);
        assert_eq!(whole.columns()[0].to_vec(), [1.0, 2.0, 1.5, 9.0]);
        assert_eq!(whole.columns()[1].to_vec(), [0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn indicators_join_their_feature() {
        let data = mixed(Gaps {
            missing: Missing::Impute,
            indicators: true,
        });
        assert_eq!(data.d(), 6);
        let features = data.features();
        assert_eq!(
            (0..3).map(|f| features.columns_of(f)).collect::<Vec<_>>(),
            [0..2, 2..5, 5..6]
        );
        assert_eq!(data.columns()[1].to_vec(), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(data.columns()[4].to_vec(), [0.0, 0.0, 0.0, 1.0]);
        let names: Vec<String> = (0..6).map(|j| features.column_name(j)).collect();
        assert_eq!(
            names,
            ["x", "x is missing", "t=a", "t=b", "t is missing", "z"]
        );
    }

    #[test]
    fn rows_with_gaps_can_be_left_out() {
        let data = mixed(Gaps {
            missing: Missing::Drop,
            indicators: false,
        });
        assert_eq!((data.n(), data.dropped()), (2, 2));
        assert_eq!((data.number(1), data.gaps()), (1, (0, 0)));
    }
}
