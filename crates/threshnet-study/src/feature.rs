//! A feature as a file has it, and the columns that other methods are given: gaps filled and texts
//! encoded by what training rows know, the same for each. The engine gets the feature as it is, and
//! does both by itself.

use super::raw::Cells;
use threshnet::statistics::median;

/// A feature of a data set.
pub struct Feature {
    name: String,
    kind: Kind,
    /// Whether a clinician has it without the laboratory.
    pub clinical: bool,
}

enum Kind {
    /// NaN where nothing is known.
    Number(Vec<f64>),
    /// The sorted levels, and for every row its level, if it is known.
    Text {
        levels: Vec<String>,
        codes: Vec<Option<usize>>,
    },
}

impl Feature {
    pub fn new(name: &str, cells: Cells, clinical: bool) -> Feature {
        let kind = match cells {
            Cells::Numbers(numbers) => Kind::Number(numbers),
            Cells::Texts(texts) => {
                let mut levels: Vec<String> = texts.iter().flatten().cloned().collect();
                levels.sort_unstable();
                levels.dedup();
                let code = |text: &String| levels.partition_point(|level| level < text);
                let codes = texts.iter().map(|text| text.as_ref().map(code)).collect();
                Kind::Text { levels, codes }
            }
        };
        Feature {
            name: name.into(),
            kind,
            clinical,
        }
    }

    /// The names of its columns: one of a number and of two levels, else one for every level.
    pub fn columns(&self) -> Vec<String> {
        match &self.kind {
            Kind::Number(_) => vec![self.name.clone()],
            Kind::Text { levels, .. } => (self.shown())
                .map(|level| format!("{}={}", self.name, levels[level]))
                .collect(),
        }
    }

    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The levels of a text that some of these rows have; none of a number, or of a text that none
    /// of them has.
    pub fn levels(&self, rows: &[usize]) -> Option<Vec<String>> {
        match &self.kind {
            Kind::Number(_) => None,
            Kind::Text { levels, codes } => {
                let mut known: Vec<usize> = rows.iter().filter_map(|&i| codes[i]).collect();
                known.sort_unstable();
                known.dedup();
                let names = known
                    .into_iter()
                    .map(|level| levels[level].clone())
                    .collect();
                Some(names).filter(|names: &Vec<String>| !names.is_empty())
            }
        }
    }

    /// Some rows as a fit to the training rows reads them: a column of a number, of a text one for
    /// each level that it knows, NaN in gaps. What no training row has is 0.
    pub fn as_it_is(&self, train: &[usize], rows: &[usize]) -> Vec<Vec<f64>> {
        let nothing = || vec![vec![0.0; rows.len()]];
        match &self.kind {
            Kind::Number(numbers) if train.iter().any(|&i| !numbers[i].is_nan()) => {
                vec![rows.iter().map(|&i| numbers[i]).collect()]
            }
            Kind::Number(_) => nothing(),
            Kind::Text { levels, codes } => self.levels(train).map_or_else(nothing, |known| {
                let cell = |i: usize, level: &String| match codes[i] {
                    None => f64::NAN,
                    Some(code) => f64::from(levels[code] == *level),
                };
                let column = |level| rows.iter().map(|&i| cell(i, level)).collect();
                known.iter().map(column).collect()
            }),
        }
    }

    /// The levels that have a column: the second of two says it all.
    fn shown(&self) -> std::ops::Range<usize> {
        match &self.kind {
            Kind::Number(_) => 0..0,
            Kind::Text { levels, .. } => usize::from(levels.len() == 2)..levels.len(),
        }
    }

    /// Its columns on some rows, as known from the training rows: a missing number is their
    /// median, a missing text their most frequent level (the first of several), and a level that
    /// none of them has is no level.
    pub fn encoded(&self, train: &[usize], rows: &[usize]) -> Vec<Vec<f64>> {
        match &self.kind {
            Kind::Number(numbers) => {
                let known = || train.iter().map(|&i| numbers[i]).filter(|x| !x.is_nan());
                let usual = match known().next() {
                    Some(_) => median(known()),
                    None => 0.0,
                };
                let filled = |&i: &usize| match numbers[i] {
                    x if x.is_nan() => usual,
                    x => x,
                };
                vec![rows.iter().map(filled).collect()]
            }
            Kind::Text { levels, codes } => {
                let mut counts = vec![0; levels.len()];
                for level in train.iter().filter_map(|&i| codes[i]) {
                    counts[level] += 1;
                }
                let most = counts.iter().max();
                let usual = counts.iter().position(|count| Some(count) == most);
                let column = |level: usize| {
                    let is = |&i: &usize| counts[level] > 0 && codes[i].or(usual) == Some(level);
                    rows.iter().map(|i| f64::from(is(i))).collect()
                };
                self.shown().map(column).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT_KNOWN: f64 = f64::NAN;

    fn texts(cells: &[&str]) -> Feature {
        let known = |cell: &&str| (!cell.is_empty()).then(|| cell.to_string());
        Feature::new(
            "stage",
            Cells::Texts(cells.iter().map(known).collect()),
            true,
        )
    }

    #[test]
    fn a_gap_is_filled_by_training_rows_alone() {
        let numbers = Cells::Numbers(vec![1.0, 3.0, NOT_KNOWN, 100.0, NOT_KNOWN, 8.0]);
        let feature = Feature::new("x", numbers, false);
        assert_eq!(feature.columns(), ["x"]);
        assert_eq!(
            feature.encoded(&[0, 1, 2, 5], &[2, 3, 4]),
            [[3.0, 100.0, 3.0]]
        );
        assert_eq!(feature.encoded(&[0, 1], &[4]), [[2.0]]);
        assert_eq!(feature.encoded(&[2, 4], &[4]), [[0.0]]);
    }

    #[test]
    fn texts_are_levels_that_training_rows_know() {
        let feature = texts(&["b", "c", "a", "c", "", "b", "d"]);
        assert_eq!(
            feature.columns(),
            ["stage=a", "stage=b", "stage=c", "stage=d"]
        );
        let of = |train: &[usize], row: usize| {
            let columns = feature.encoded(train, &[row]);
            columns.iter().map(|column| column[0]).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0, 1, 2], 1), [0.0, 0.0, 1.0, 0.0]);
        // no training row is a d: neither is any other
        assert_eq!(of(&[0, 1, 2], 6), [0.0; 4]);
        // the gap is a c, then a b
        assert_eq!(of(&[0, 1, 3], 4), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(of(&[0, 1, 5], 4), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn the_engine_gets_gaps_and_levels_as_they_are() {
        let feature = texts(&["b", "c", "a", "c", "", "b", "d"]);
        assert_eq!(feature.levels(&[0, 1, 3]).unwrap(), ["b", "c"]);
        let columns = feature.as_it_is(&[0, 1, 3], &[1, 4, 6]);
        assert_eq!((columns[0][0], columns[1][0]), (0.0, 1.0));
        assert!(
            columns
                .iter()
                .all(|column| column[1].is_nan() && column[2] == 0.0)
        );
        // (no training row tells anything)
        assert_eq!(feature.levels(&[4]), None);
        assert_eq!(feature.as_it_is(&[4], &[0, 4]), [[0.0, 0.0]]);
        let numbers = Cells::Numbers(vec![1.0, NOT_KNOWN, 3.0]);
        let feature = Feature::new("x", numbers, false);
        assert!(feature.as_it_is(&[0], &[1, 2])[0][0].is_nan());
        assert_eq!(feature.as_it_is(&[1], &[0, 1]), [[0.0, 0.0]]);
    }

    #[test]
    fn two_levels_are_one_column() {
        let feature = texts(&["no", "yes", "", "no"]);
        assert_eq!(feature.columns(), ["stage=yes"]);
        assert_eq!(feature.encoded(&[0, 1, 3], &[0, 1, 2]), [[0.0, 1.0, 0.0]]);
        assert_eq!(feature.encoded(&[1], &[2]), [[1.0]]);
    }
}
