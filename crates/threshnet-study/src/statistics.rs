//! Means over replicates, and whether they agree with the paper's.

use super::published::{Published, REPLICATES};
use super::results::Row;
use super::table::Group;
use std::collections::HashSet;

/// The two-sided 99 % point of the normal distribution.
const QUANTILE: f64 = 2.576;
/// The paper prints one digit after the point.
const ROUNDING: f64 = 0.05;

/// Mean, standard deviation and median of what replicates gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub count: usize,
    pub mean: f64,
    pub sd: f64,
    pub median: f64,
}

impl Spread {
    /// None if there is nothing.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Spread> {
        let mut values: Vec<f64> = values.collect();
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Some(Spread {
            count,
            mean,
            sd: (squares / (count.max(2) - 1) as f64).sqrt(),
            median: (values[(count - 1) / 2] + values[count / 2]) / 2.0,
        })
    }

    /// The standard error of the mean; 0 of a single value, which has none.
    pub fn error(&self) -> f64 {
        self.sd / (self.count as f64).sqrt()
    }
}

/// The mean over all pairs of sets of |A ∩ B| / |A ∪ B|, where two empty sets are the same;
/// none of fewer than two sets.
pub fn jaccard(sets: &[HashSet<usize>]) -> Option<f64> {
    let pairs = (sets.iter().enumerate()).flat_map(|(i, a)| sets[..i].iter().map(move |b| (a, b)));
    let index = |(a, b): (&HashSet<usize>, &HashSet<usize>)| {
        let common = a.intersection(b).count();
        match a.len() + b.len() - common {
            0 => 1.0,
            all => common as f64 / all as f64,
        }
    };
    Spread::of(pairs.map(index)).map(|spread| spread.mean)
}

/// A method's selections over the replicates of a cell.
pub struct Selections {
    /// In percent.
    pub fpr: Spread,
    /// In percent.
    pub fnr: Spread,
    pub size: Spread,
    /// Columns that matter, and that do not.
    relevant: f64,
    irrelevant: f64,
}

impl Selections {
    pub fn of(group: &Group, relevant: usize) -> Option<Selections> {
        Some(Selections {
            fpr: group.spread(|row| Some(100.0 * row.fpr?))?,
            fnr: group.spread(|row| Some(100.0 * row.fnr?))?,
            size: group.spread(Row::selected_columns)?,
            relevant: relevant as f64,
            irrelevant: (group.first.d - relevant) as f64,
        })
    }

    /// What disagrees with the paper; empty if nothing does.
    ///
    /// A mean agrees if it differs from the paper's by no more than 2.576
    /// standard errors of the difference, after the paper's rounding. The paper
    /// gives no SD for its rates, so ours serves for both sides; it does for the
    /// size. Where no replicate of ours shows an error, the SD is that of one
    /// error in one replicate, lest a rate of nothing have no uncertainty.
    pub fn disagreements(&self, paper: &Published) -> Vec<String> {
        let rate = |ours: Spread, of: f64| {
            let least = 100.0 / of / (ours.count as f64).sqrt();
            let sd = ours.sd.max(least);
            (Spread { sd, ..ours }, sd)
        };
        let (fpr, fpr_sd) = rate(self.fpr, self.irrelevant);
        let (fnr, fnr_sd) = rate(self.fnr, self.relevant);
        let checks = [
            ("FPR", fpr, paper.fpr, fpr_sd),
            ("FNR", fnr, paper.fnr, fnr_sd),
            ("MS", self.size, paper.size, paper.size_sd),
        ];
        (checks.iter())
            .filter_map(|(name, ours, theirs, their_sd)| {
                let error =
                    (ours.sd.powi(2) / ours.count as f64 + their_sd.powi(2) / REPLICATES).sqrt();
                let apart = ((ours.mean - theirs).abs() - ROUNDING).max(0.0);
                (apart > QUANTILE * error).then(|| {
                    let errors = apart / error;
                    format!(
                        "{name} {:.1} against {theirs:.1}: {errors:.1} SE",
                        ours.mean
                    )
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::StudyName;
    use crate::published::published;

    fn spread(mean: f64, sd: f64) -> Spread {
        Spread {
            count: 200,
            mean,
            sd,
            median: mean,
        }
    }

    fn selections(fpr: Spread, fnr: Spread, size: Spread) -> Selections {
        Selections {
            fpr,
            fnr,
            size,
            relevant: 4.0,
            irrelevant: 16.0,
        }
    }

    /// FPR 2.2, FNR 4.5, size 4.2 (1.0).
    fn paper() -> Published {
        let row = Row {
            model: "regression".into(),
            method: "gmcp".into(),
            n: 300,
            d: 20,
            ..Row::default()
        };
        published(StudyName::Table1, &row).unwrap().clone()
    }

    #[test]
    fn spreads() {
        let four = Spread::of([4.0, 1.0, 3.0, 2.0].into_iter()).unwrap();
        assert_eq!((four.mean, four.median, four.count), (2.5, 2.5, 4));
        assert!((four.sd - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
        let one = Spread::of([7.0].into_iter()).unwrap();
        assert_eq!((one.mean, one.sd, one.median), (7.0, 0.0, 7.0));
        assert!(Spread::of([].into_iter()).is_none());
        assert_eq!((four.error(), one.error()), (four.sd / 2.0, 0.0));
    }

    #[test]
    fn jaccard_is_a_mean_over_pairs() {
        let sets = [&[0, 1, 2][..], &[1, 2, 3], &[]].map(|set| set.iter().copied().collect());
        // 2 of 4 in common, then nothing, twice
        assert!((jaccard(&sets).unwrap() - 0.5 / 3.0).abs() < 1e-15);
        assert_eq!(jaccard(&[HashSet::new(), HashSet::new()]), Some(1.0));
        assert_eq!(jaccard(&sets[..1]), None);
    }

    #[test]
    fn the_bound_is_at_2_576_standard_errors_of_the_difference() {
        // SD 5 on both sides with 200 replicates: one SE is 0.5
        let at = |fpr: f64| {
            let ours = selections(spread(fpr, 5.0), spread(4.5, 5.0), spread(4.2, 1.0));
            ours.disagreements(&paper())
        };
        assert!(at(2.2 + 0.05 + 1.287).is_empty());
        assert_eq!(at(2.2 + 0.05 + 1.289).len(), 1);
        assert!(at(2.2 - 0.05 - 1.287).is_empty());
        assert_eq!(at(2.2 - 0.05 - 1.289).len(), 1);
    }

    #[test]
    fn no_error_at_all_is_not_certainty() {
        // 25 / √200 = 1.77 is the SD of one miss; the SE of the difference is 0.177
        let never = |paper_fnr: f64| {
            let ours = selections(spread(2.2, 5.0), spread(0.0, 0.0), spread(4.2, 1.0));
            let mut paper = paper();
            paper.fnr = paper_fnr;
            ours.disagreements(&paper)
        };
        assert!(never(0.4).is_empty());
        assert_eq!(never(0.6).len(), 1);
    }
}
