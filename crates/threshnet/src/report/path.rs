//! The path the model is on, for the columns that ever mattered.

use super::{Fitted, SelectedColumn};
use crate::tune::Fit;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Columns along the path, at most, beside the selected.
const DRAWN: usize = 60;

/// Columns along λ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathReport {
    /// Ascending.
    pub lambdas: Vec<f64>,
    /// Columns in the network at each λ.
    pub sizes: Vec<usize>,
    /// The chosen λ by position; of draws the one next to their median.
    pub chosen: usize,
    /// The selected ones, then those that stay longest.
    pub columns: Vec<PathColumn>,
    /// The largest norm at each λ of the columns that are left out here.
    pub others: Vec<f64>,
}

/// A column along the path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PathColumn {
    /// Its name.
    pub name: String,
    /// Whether it is selected in the end.
    pub selected: bool,
    /// Its group norm at each λ.
    pub norms: Vec<f64>,
}

/// The norms of the selected columns, and of those that last longest.
pub(super) fn path(fitted: &Fitted, selected: &[SelectedColumn]) -> PathReport {
    let Fitted { data, fit, .. } = fitted;
    let norms: Vec<BTreeMap<usize, f64>> = (fit.path.iter())
        .map(|step| {
            let norms = step.network.feature_norms(&fit.model.features);
            norms.into_iter().collect()
        })
        .collect();
    // A column matters the longer it stays, and then by how strong it gets.
    let mut stay: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for step in &norms {
        for (&j, &norm) in step {
            let entry = stay.entry(j).or_default();
            *entry = (entry.0 + 1, entry.1.max(norm));
        }
    }
    let used = fit.model.selected();
    let is_selected = |j: usize| used.binary_search(&j).is_ok();
    let mut others: Vec<usize> = stay.keys().copied().filter(|&j| !is_selected(j)).collect();
    others.sort_by(|a, b| {
        let (a, b) = (stay[a], stay[b]);
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let strongest = selected.iter().map(|column| column.index);
    let drawn: Vec<usize> = strongest.chain(others).take(DRAWN).collect();
    let norm = |step: &BTreeMap<usize, f64>, j: usize| step.get(&j).copied().unwrap_or(0.0);
    let not_drawn = norms.iter().map(|step| {
        let not_drawn = step.iter().filter(|(j, _)| !drawn.contains(j));
        not_drawn.map(|(_, norm)| *norm).fold(0.0, f64::max)
    });
    PathReport {
        lambdas: fit.path.iter().map(|step| step.lambda).collect(),
        sizes: norms.iter().map(BTreeMap::len).collect(),
        chosen: chosen_step(fit),
        others: not_drawn.collect(),
        columns: (drawn.iter())
            .map(|&j| PathColumn {
                name: data.names()[j].clone(),
                selected: is_selected(j),
                norms: norms.iter().map(|step| norm(step, j)).collect(),
            })
            .collect(),
    }
}

/// The step of the chosen λ: of draws, whose median it is, the one next to it.
fn chosen_step(fit: &Fit) -> usize {
    let away = |step: usize| {
        let (a, b) = (fit.path[step].lambda, fit.lambda);
        // (0 is infinitely far from all but itself)
        if a == b { 0.0 } else { (a / b).ln().abs() }
    };
    let steps = 0..fit.path.len();
    steps
        .min_by(|&a, &b| away(a).total_cmp(&away(b)))
        .unwrap_or(0)
}
