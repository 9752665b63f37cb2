//! Features that alone predict the outcome almost perfectly: more often the outcome in other words than a discovery.

use crate::dataset::{Dataset, Outcome};
use crate::metrics::{Survival, auc, concordance_harrell};
use crate::statistics::weighted_mean;
use std::collections::BTreeMap;

/// With fewer rows chance predicts well, too.
const FEWEST_ROWS: usize = 20;

/// An AUC, a C-index, or the share of neighbours of one class, from which on a prediction is almost perfect.
const ALMOST: f64 = 0.99;

/// The share of the variance of a number, or of its ranks, likewise.
const EXPLAINED: f64 = 0.99;

/// How unlikely it must be that rows of one value are all without the event by chance, as a logarithm.
const NEVER_BY_CHANCE: f64 = -20.0;

/// A feature, and how it predicts the outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    /// Its number.
    pub feature: usize,
    /// What it does.
    pub why: String,
}

/// Those of the given features that alone predict the outcome almost perfectly.
pub fn suspects(data: &Dataset, features: &[usize]) -> Vec<Suspect> {
    if data.n() < FEWEST_ROWS {
        return vec![];
    }
    let rows: Vec<usize> = (0..data.n()).collect();
    let data = &*data.imputed(&rows);
    (features.iter())
        .filter_map(|&feature| {
            let why = suspicion(data, &values(data, feature))?;
            Some(Suspect { feature, why })
        })
        .collect()
}

/// The values of a number; of a text, for every row what the outcome is on average where its level is.
fn values(data: &Dataset, feature: usize) -> Vec<f64> {
    let columns = data.features().columns_of(feature);
    let Some(levels) = data.features().levels(feature) else {
        return data.columns()[columns.start].to_vec();
    };
    let y = as_numbers(data.outcome());
    let mut values = vec![0.0; data.n()];
    for j in columns.start..columns.start + levels.len() {
        let own: Vec<usize> = (0..data.n())
            .filter(|&i| data.columns()[j].at(i) == 1.0)
            .collect();
        let mean = own.iter().map(|&i| y[i]).sum::<f64>() / own.len().max(1) as f64;
        own.iter().for_each(|&i| values[i] = mean);
    }
    values
}

/// An outcome as a number per row.
fn as_numbers(outcome: &Outcome) -> Vec<f64> {
    match outcome {
        Outcome::Continuous(y) => y.clone(),
        Outcome::Classes { labels, .. } => labels.iter().map(|&label| label as f64).collect(),
        Outcome::Survival { event, .. } => event.iter().map(|&e| f64::from(u8::from(e))).collect(),
    }
}

/// What these values do that a feature seldom does.
fn suspicion(data: &Dataset, values: &[f64]) -> Option<String> {
    let weights = data.response().weights();
    let two_sided = |value: f64| value.max(1.0 - value);
    match data.outcome() {
        Outcome::Continuous(y) => {
            let explained =
                squared_correlation(values, y).max(squared_correlation(&ranks(values), &ranks(y)));
            (explained >= EXPLAINED)
                .then(|| format!("alone explains {explained:.3} of the outcome"))
        }
        Outcome::Classes {
            labels, classes, ..
        } if classes.len() == 2 => {
            let positive: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
            let found = two_sided(auc(&positive, values, weights).ok()?);
            (found >= ALMOST)
                .then(|| format!("alone predicts the outcome with an AUC of {found:.3}"))
        }
        Outcome::Classes { labels, .. } => {
            if follows(values, labels) {
                return Some(
                    "has one value in all rows of a class, so that it follows from the outcome"
                        .into(),
                );
            }
            let found = neighbours_alike(values, labels);
            let why = || {
                format!(
                    "alone tells the classes apart: {:.1} % of neighbours are of one",
                    100.0 * found
                )
            };
            (found >= ALMOST).then(why)
        }
        Outcome::Survival { time, event } => {
            let rows = Survival {
                weights,
                ..Survival::new(time, event)
            };
            let index = two_sided(concordance_harrell(rows, values).ok()?);
            if index >= ALMOST {
                return Some(format!(
                    "alone predicts the outcome with a C-index of {index:.3}"
                ));
            }
            if event.contains(&false) {
                let of_event = two_sided(auc(event, values, weights).ok()?);
                if of_event >= ALMOST {
                    return Some(format!("alone says who had the event (AUC {of_event:.3})"));
                }
            }
            if squared_correlation(&ranks(values), &ranks(time)) >= EXPLAINED {
                return Some("goes with the time itself".into());
            }
            never(values, event)
        }
    }
}

/// Whether values differ, but never between rows of one class.
fn follows(values: &[f64], labels: &[usize]) -> bool {
    let mut of_class: BTreeMap<usize, f64> = BTreeMap::new();
    let same = |(&value, &label): (&f64, &usize)| *of_class.entry(label).or_insert(value) == value;
    values.iter().zip(labels).all(same) && values.iter().any(|&value| value != values[0])
}

/// A value at which no row had the event, though by chance some would have.
fn never(values: &[f64], event: &[bool]) -> Option<String> {
    let rate = event.iter().filter(|&&event| event).count() as f64 / event.len() as f64;
    let distinct: Vec<f64> = {
        let mut all: Vec<f64> = values.iter().copied().take(1000).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    };
    // (of many values some can be without an event)
    if distinct.len() > 3 {
        return None;
    }
    let without = distinct.into_iter().find(|&value| {
        let mut own = values.iter().zip(event).filter(|(v, _)| **v == value);
        let rows = values.iter().filter(|&&v| v == value).count() as f64;
        own.all(|(_, event)| !event) && rows * (1.0 - rate).ln() < NEVER_BY_CHANCE
    });
    without.map(|_| "has a value at which no row ever has the event".into())
}

/// The share of neighbours in the order of values that are of one class; tied rows count as their
/// most frequent class would.
fn neighbours_alike(values: &[f64], labels: &[usize]) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| {
        values[a]
            .total_cmp(&values[b])
            .then(labels[a].cmp(&labels[b]))
    });
    let (mut alike, mut pairs) = (0.0, 0.0);
    for pair in order.windows(2) {
        pairs += 1.0;
        if labels[pair[0]] == labels[pair[1]] {
            alike += 1.0;
        }
    }
    // (a change of class within ties is a mistake on one side of it)
    let mistakes: usize = (order.chunk_by(|&a, &b| values[a] == values[b]))
        .map(|tied| {
            let first = labels[tied[0]];
            tied.iter().filter(|&&row| labels[row] != first).count()
        })
        .sum();
    let classes = labels.iter().max().map_or(0, |most| *most) as f64;
    ((alike + classes - mistakes as f64) / pairs).min(1.0)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut ranks, mut before) = (vec![0.0; values.len()], 0);
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let middle = before as f64 + (tied.len() as f64 - 1.0) / 2.0;
        tied.iter().for_each(|&row| ranks[row] = middle);
        before += tied.len();
    }
    ranks
}

fn squared_correlation(a: &[f64], b: &[f64]) -> f64 {
    let weights = crate::dataset::Weights::EQUAL;
    let mean = |values: &[f64]| weighted_mean(values.iter().copied(), weights);
    let (a_mean, b_mean) = (mean(a), mean(b));
    let product = |x: &[f64], y: &[f64], mx: f64, my: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum()
    };
    let (aa, bb) = (product(a, a, a_mean, a_mean), product(b, b, b_mean, b_mean));
    match aa > 0.0 && bb > 0.0 {
        true => product(a, b, a_mean, b_mean).powi(2) / (aa * bb),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Features, Task};
    use crate::random::{Purpose, Random};
    use std::collections::BTreeMap;

    const N: usize = 200;

    /// Suspects among noise, the given column and a text that is its sign.
    fn found(planted: Vec<f64>, outcome: Outcome) -> Vec<usize> {
        let mut random = Random::new(1, Purpose::Simulation, 0, 0);
        let noise: Vec<f64> = (0..N).map(|_| random.normal()).collect();
        let coin: Vec<f64> = (0..N)
            .map(|_| f64::from(u8::from(random.uniform() < 0.5)))
            .collect();
        let other: Vec<f64> = coin.iter().map(|c| 1.0 - c).collect();
        let levels = BTreeMap::from([(2, vec!["a".to_string(), "b".to_string()])]);
        let features = Features::new(
            vec!["noise".into(), "planted".into(), "coin".into()],
            levels,
        );
        let columns = [noise, planted, coin, other].map(|column| column.into());
        let data = Dataset::encoded(features, columns.to_vec(), outcome).unwrap();
        suspects(&data, &[0, 1, 2])
            .into_iter()
            .map(|suspect| suspect.feature)
            .collect()
    }

    #[test]
    fn only_what_is_planted_is_suspect() {
        let mut random = Random::new(2, Purpose::Simulation, 0, 0);
        let signal: Vec<f64> = (0..N).map(|_| random.normal()).collect();
        let weak: Vec<f64> = signal.iter().map(|s| s + random.normal()).collect();
        let labels = |classes: usize| -> Vec<usize> {
            signal
                .iter()
                .map(|s| (usize::from(*s > -0.5) + usize::from(*s > 0.5)).min(classes - 1))
                .collect()
        };
        let classes = |count: usize, task| Outcome::Classes {
            labels: labels(count),
            classes: (0..count).map(|c| c.to_string()).collect(),
            task,
        };
        let event: Vec<bool> = (0..N).map(|_| random.uniform() < 0.4).collect();
        let survival = || Outcome::Survival {
            time: signal.iter().map(|s| (s + 5.0).max(0.1)).collect(),
            event: event.clone(),
        };
        for outcome in [
            Outcome::Continuous(signal.clone()),
            classes(2, Task::Binary),
            classes(3, Task::Multiclass),
            survival(),
        ] {
            let bent: Vec<f64> = signal.iter().map(|s| -s.exp()).collect();
            assert_eq!(found(bent, outcome.clone()), [1], "{outcome:?}");
            assert!(found(weak.clone(), outcome).is_empty());
        }
        let part: Vec<f64> = (labels(3).iter())
            .map(|&label| f64::from(u8::from(label == 1)))
            .collect();
        assert_eq!(found(part, classes(3, Task::Multiclass)), [1]);
        // an event of any cause is one of this cause, or another
        let any: Vec<f64> = (event.iter())
            .map(|&event| f64::from(u8::from(event || random.uniform() < 0.3)))
            .collect();
        assert_eq!(found(any, survival()), [1]);
        let same = event
            .iter()
            .map(|&event| f64::from(u8::from(event)))
            .collect();
        assert_eq!(found(same, survival()), [1]);
    }
}
