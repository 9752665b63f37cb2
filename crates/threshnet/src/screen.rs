//! Screening of very wide data: which columns are worth a network at all.
//!
//! A column is cut at its quantiles into at most eight bins, and the residuals of the
//! outcome are compared between them by the F statistic
//!
//! ```text
//! F = (between/(B − 1)) / (within/(n − B)),    between = Σ_b n_b·r̄_b²,    within = Σ r² − between
//! ```
//!
//! which sees any effect of one column, straight or not (with case weights, n_b and r̄_b are
//! sums and means of these); F is brought to a normal scale
//! (Wilson and Hilferty) so that columns with few and with many bins compare. The first
//! half of the kept columns are the best against the null model. Then the bin means of the
//! strongest are taken out of the residuals, and the second half are the best against what
//! is left, alone or in a table with one of the strongest: a column that matters only
//! together with a strong one comes back here (after Fan and Lv 2008, JRSS B 70:849–911).
//!
//! Two columns that matter only together, such as the two of an XOR, show in neither, and
//! cannot survive among very many.

use crate::dataset::{Dataset, Outcome, Response, Weights};
use crate::statistics::weighted_mean;

/// Bins of a column, at most, and rows of its bins on average, at least.
const BINS: usize = 8;
const ROWS_PER_BIN: f64 = 10.0;
/// Bins of each side of a table.
const TABLE_BINS: usize = 4;
/// Columns whose effects are taken out, and with which tables are made.
const STRONGEST: usize = 10;
const PARTNERS: usize = 5;
/// Rounds in which the bin means of the strongest are taken out, each time in part.
const SWEEPS: usize = 20;
const SHARE: f64 = 0.5;

/// The `keep` strongest of `candidates` on these rows, ascending.
pub fn screened(data: &Dataset, rows: &[usize], candidates: &[usize], keep: usize) -> Vec<usize> {
    if candidates.len() <= keep {
        return candidates.to_vec();
    }
    let data = &*data.imputed(rows);
    let response = data.response().rows(rows);
    let weights = response.weights();
    let mut residuals = Residuals {
        units: null_residuals(&response),
        weights,
    };
    let bins = |j: usize, most: usize| Bins::new(&data.columns()[j].rows(rows), weights, most);
    let alone = |residuals: &Residuals, j: usize| residuals.strength(&bins(j, BINS));

    let mut order: Vec<(f64, usize)> = (candidates.iter())
        .map(|&j| (alone(&residuals, j), j))
        .collect();
    best_first(&mut order);
    let first: Vec<usize> = order[..keep.div_ceil(2)].iter().map(|(_, j)| *j).collect();

    let strongest: Vec<Bins> = (first.iter().take(STRONGEST))
        .map(|&j| bins(j, BINS))
        .collect();
    residuals.take_out(&strongest);
    let partners: Vec<Bins> = (first.iter().take(PARTNERS))
        .map(|&j| bins(j, TABLE_BINS))
        .collect();
    let mut rest: Vec<(f64, usize)> = order[first.len()..]
        .iter()
        .map(|&(_, j)| {
            let own = bins(j, TABLE_BINS);
            let joint = partners.iter().map(|p| residuals.strength(&own.crossed(p)));
            (joint.fold(alone(&residuals, j), f64::max), j)
        })
        .collect();
    best_first(&mut rest);
    let mut kept = first;
    kept.extend(rest[..keep - kept.len()].iter().map(|(_, j)| *j));
    kept.sort_unstable();
    kept
}

/// Strongest first; among equals the earlier column.
fn best_first(order: &mut [(f64, usize)]) {
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// Which bin each row is in.
struct Bins {
    of_row: Vec<u32>,
    count: usize,
}

impl Bins {
    /// Of a column, with nearly equal numbers of rows; equal values share a bin.
    fn new(column: &[f64], weights: Weights, most: usize) -> Bins {
        let n = column.len();
        let total = weights.total(n);
        let most = most.min((total / ROWS_PER_BIN) as usize).max(2);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| column[a].total_cmp(&column[b]));
        let mut of_row = vec![0; n];
        let mut before = 0.0;
        for tied in order.chunk_by(|&a, &b| column[a] == column[b]) {
            let after = before + tied.iter().map(|&row| weights.at(row)).sum::<f64>();
            // the bin of the middle of the tied rows, so that no end is preferred
            let bin = ((before + after) * most as f64 / (2.0 * total)) as usize;
            for &row in tied {
                of_row[row] = bin.min(most - 1) as u32;
            }
            before = after;
        }
        Bins::numbered(of_row)
    }

    /// Every pair of bins of two columns is a bin.
    fn crossed(&self, other: &Bins) -> Bins {
        let pairs = self.of_row.iter().zip(&other.of_row);
        Bins::numbered(pairs.map(|(a, b)| a * other.count as u32 + b).collect())
    }

    /// Numbers from 0, none left out.
    fn numbered(mut of_row: Vec<u32>) -> Bins {
        let most = of_row.iter().max().map_or(0, |bin| *bin as usize + 1);
        let mut number = vec![u32::MAX; most];
        let mut count = 0;
        for bin in &of_row {
            if number[*bin as usize] == u32::MAX {
                number[*bin as usize] = count;
                count += 1;
            }
        }
        for bin in &mut of_row {
            *bin = number[*bin as usize];
        }
        Bins {
            of_row,
            count: count as usize,
        }
    }

    /// What the rows of every bin count.
    fn sizes(&self, weights: Weights) -> Vec<f64> {
        self.sums(&vec![1.0; self.of_row.len()], weights)
    }

    fn sums(&self, values: &[f64], weights: Weights) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (row, (bin, value)) in self.of_row.iter().zip(values).enumerate() {
            sums[*bin as usize] += weights.at(row) * value;
        }
        sums
    }
}

/// What is left of the outcome.
struct Residuals<'a> {
    /// One vector (or one per class), each of mean 0.
    units: Vec<Vec<f64>>,
    weights: Weights<'a>,
}

impl Residuals<'_> {
    /// How much the bins tell, as a normal deviate; the most over the vectors.
    fn strength(&self, bins: &Bins) -> f64 {
        let sizes = bins.sizes(self.weights);
        let rows: f64 = sizes.iter().sum();
        let of = |residual: &Vec<f64>| {
            let squares = residual.iter().zip(self.weights.iter(residual.len()));
            let total: f64 = squares.map(|(r, weight)| weight * (r * r)).sum();
            let sums = bins.sums(residual, self.weights);
            let between: f64 = sums.iter().zip(&sizes).map(|(s, n)| s * s / n).sum();
            deviate(between, total - between, bins.count as f64, rows)
        };
        self.units.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Takes the bin means of each of these out, a part at a time, so that columns that
    /// say the same do so once.
    fn take_out(&mut self, columns: &[Bins]) {
        for residual in &mut self.units {
            for _ in 0..SWEEPS {
                for bins in columns {
                    let (sums, sizes) =
                        (bins.sums(residual, self.weights), bins.sizes(self.weights));
                    for (bin, r) in bins.of_row.iter().zip(residual.iter_mut()) {
                        *r -= SHARE * sums[*bin as usize] / sizes[*bin as usize];
                    }
                }
            }
        }
    }
}

/// F of these sums of squares for so many bins and rows, as a normal deviate.
fn deviate(between: f64, within: f64, bins: f64, rows: f64) -> f64 {
    if bins < 2.0 || rows <= bins {
        return f64::NEG_INFINITY;
    }
    let (above, below) = (bins - 1.0, rows - bins);
    // bins that explain everything, up to rounding
    let within = within.max(1e-12 * between);
    if within <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let root = ((between / above) / (within / below)).cbrt();
    let (a, b) = (2.0 / (9.0 * above), 2.0 / (9.0 * below));
    ((1.0 - b) * root - (1.0 - a)) / (b * root * root + a).sqrt()
}

/// What the null model leaves: differences to the mean, to the share of the class, or of
/// events to the Nelson–Aalen hazard (martingale residuals).
pub fn null_residuals(response: &Response) -> Vec<Vec<f64>> {
    let weights = response.weights();
    let centred = |values: Vec<f64>| {
        let mean = weighted_mean(values.iter().copied(), weights);
        values.into_iter().map(|v| v - mean).collect()
    };
    match &response.outcome {
        Outcome::Continuous(y) => vec![centred(y.clone())],
        Outcome::Classes {
            labels, classes, ..
        } => {
            // The last of two classes says the same as the first.
            let told = if classes.len() == 2 { 1 } else { classes.len() };
            let of = |class| labels.iter().map(move |l| f64::from(u8::from(*l == class)));
            (0..told)
                .map(|class| centred(of(class).collect()))
                .collect()
        }
        Outcome::Survival { time, event } => vec![centred(martingale(time, event, weights))],
    }
}

/// eventᵢ − Λ̂(tᵢ), Λ̂ the Nelson–Aalen estimate.
fn martingale(time: &[f64], event: &[bool], weights: Weights) -> Vec<f64> {
    let mut order: Vec<usize> = (0..time.len()).collect();
    order.sort_by(|&a, &b| time[a].total_cmp(&time[b]));
    let count = |rows: &[usize]| rows.iter().map(|&i| weights.at(i)).sum::<f64>();
    let mut residuals = vec![0.0; time.len()];
    let mut hazard = 0.0;
    let mut at_risk = count(&order);
    for rows in order.chunk_by(|&a, &b| time[a] == time[b]) {
        let events: Vec<usize> = rows.iter().copied().filter(|&i| event[i]).collect();
        hazard += count(&events) / at_risk;
        for &i in rows {
            residuals[i] = f64::from(u8::from(event[i])) - hazard;
        }
        at_risk -= count(rows);
    }
    residuals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Task;
    use crate::random::{Purpose, Random};

    fn columns(n: usize, d: usize) -> Vec<Vec<f64>> {
        let mut random = Random::new(3, Purpose::Simulation, 7, 0);
        (0..d)
            .map(|_| (0..n).map(|_| random.normal()).collect())
            .collect()
    }

    fn data(columns: Vec<Vec<f64>>, outcome: Outcome) -> Dataset<'static> {
        let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
        Dataset::new(names, columns, outcome).unwrap()
    }

    fn kept(data: &Dataset, keep: usize) -> Vec<usize> {
        let rows: Vec<usize> = (0..data.n()).collect();
        let all: Vec<usize> = (0..data.d()).collect();
        screened(data, &rows, &all, keep)
    }

    #[test]
    fn effects_that_no_straight_line_shows_are_seen_in_every_outcome() {
        let x = columns(300, 500);
        let mut random = Random::new(4, Purpose::Simulation, 8, 0);
        let signal: Vec<f64> = (0..300)
            .map(|i| 1.5 * (x[17][i].abs() - 0.8) + 0.8 * x[400][i])
            .collect();
        let y = signal.iter().map(|f| f + random.normal()).collect();
        let noisy: Vec<f64> = signal.iter().map(|f| f + 0.5 * random.normal()).collect();
        let classes = |cuts: &[f64]| Outcome::Classes {
            labels: (noisy.iter())
                .map(|f| cuts.iter().filter(|cut| f > *cut).count())
                .collect(),
            classes: (0..=cuts.len()).map(|c| format!("c{c}")).collect(),
            task: if cuts.len() == 1 {
                Task::Binary
            } else {
                Task::Multiclass
            },
        };
        let survival = Outcome::Survival {
            time: signal
                .iter()
                .map(|f| random.exponential() * (-1.5 * f).exp())
                .collect(),
            event: (0..300).map(|i| i % 4 > 0).collect(),
        };
        for outcome in [
            Outcome::Continuous(y),
            classes(&[0.0]),
            classes(&[-0.5, 0.5]),
            survival,
        ] {
            let task = outcome.task();
            let kept = kept(&data(x.clone(), outcome), 20);
            assert_eq!(kept.len(), 20);
            assert!(kept.is_sorted());
            assert!(
                kept.contains(&17) && kept.contains(&400),
                "{task:?} {kept:?}"
            );
        }
    }

    #[test]
    fn a_column_that_matters_only_with_a_strong_one_comes_back() {
        let mut x = columns(400, 600);
        let mut random = Random::new(5, Purpose::Simulation, 8, 0);
        for column in &mut x[..2] {
            column.fill_with(|| random.sign());
        }
        let y: Vec<f64> = (0..400)
            .map(|i| x[0][i] + x[0][i] * x[1][i] + random.normal())
            .collect();
        let kept = kept(&data(x, Outcome::Continuous(y)), 12);
        assert!(kept.contains(&0) && kept.contains(&1), "{kept:?}");
    }

    #[test]
    fn few_columns_are_all_kept_and_bins_hold_equal_values_together() {
        let x = columns(50, 5);
        let y = x[0].clone();
        assert_eq!(kept(&data(x, Outcome::Continuous(y)), 5), [0, 1, 2, 3, 4]);
        let coin: Vec<f64> = (0..80).map(|i| f64::from(i % 2)).collect();
        let bins = Bins::new(&coin, Weights::EQUAL, 8);
        assert_eq!(bins.count, 2);
        assert_eq!(bins.sizes(Weights::EQUAL), [40.0, 40.0]);
        let spread: Vec<f64> = (0..80).map(f64::from).collect();
        let bins = Bins::new(&spread, Weights::EQUAL, 8);
        assert_eq!((bins.count, bins.sizes(Weights::EQUAL)), (8, vec![10.0; 8]));
        // most values are one: the rest still has its place, at either end
        let lumped = |few: f64, many: f64| -> Vec<f64> {
            (0..80).map(|i| if i < 75 { many } else { few }).collect()
        };
        for (few, many) in [(0.0, 1.0), (1.0, 0.0)] {
            for most in [2, 4, 8] {
                let bins = Bins::new(&lumped(few, many), Weights::EQUAL, most);
                assert_eq!(bins.sizes(Weights::EQUAL), [75.0, 5.0], "{few} {most}");
            }
            let bins = Bins::new(&lumped(few, many)[60..], Weights::EQUAL, 8);
            assert_eq!(bins.sizes(Weights::EQUAL), [15.0, 5.0]);
        }
    }

    /// Under the null hypothesis the upper tail is that of a standard normal, whatever the
    /// bins: 1 % above 2.33.
    #[test]
    fn deviates_compare_across_numbers_of_bins() {
        let mut random = Random::new(6, Purpose::Simulation, 9, 0);
        for most in [2, 4, 8] {
            let mut column = || -> Vec<f64> { (0..200).map(|_| random.normal()).collect() };
            let above = (0..6000).filter(|_| {
                let bins = Bins::new(&column(), Weights::EQUAL, most);
                let residuals = Residuals {
                    units: null_residuals(&Outcome::Continuous(column()).into()),
                    weights: Weights::EQUAL,
                };
                residuals.strength(&bins) > 2.33
            });
            // 60 are expected, with a standard deviation of 8
            let above = above.count();
            assert!((36..=90).contains(&above), "{most} bins: {above}");
        }
    }

    #[test]
    fn martingale_residuals_sum_to_zero() {
        let time = [3.0, 1.0, 2.0, 2.0, 5.0];
        let event = [true, true, true, false, true];
        let residuals = martingale(&time, &event, Weights::EQUAL);
        assert!(residuals.iter().sum::<f64>().abs() < 1e-12);
        // the first event: one of five at risk
        assert!((residuals[1] - 0.8).abs() < 1e-12);
        assert!((residuals[3] - -(0.2 + 0.25)).abs() < 1e-12);
    }
}
