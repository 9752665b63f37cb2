//! Which columns were selected, and which nearly were.

use super::Fitted;
use crate::dataset::KEPT;
use serde::{Deserialize, Serialize};

/// Not selected ones that are told of.
const NEAR: usize = 8;

/// A selected column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelectedColumn {
    /// Its name.
    pub name: String,
    /// Its number among the feature columns, from 0.
    pub index: usize,
    /// Its group norm; of several networks the mean.
    pub norm: f64,
    /// The share of draws or half-samples that selected it, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<f64>,
    /// Whether it was to stay, whatever the fit says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
    /// The columns that it enters and leaves with, by the name of their group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl SelectedColumn {
    /// What is to be known of it beside its figures: whether it was to stay, and its group.
    pub fn terms(&self) -> Option<String> {
        let kept = self.kept.then(|| "kept".to_string());
        let group = self.group.as_ref().map(|group| format!("group {group}"));
        let terms: Vec<String> = kept.into_iter().chain(group).collect();
        (!terms.is_empty()).then(|| terms.join(", "))
    }

    /// Its name, with that.
    pub fn title(&self) -> String {
        match self.terms() {
            None => self.name.clone(),
            Some(terms) => format!("{} ({terms})", self.name),
        }
    }
}

/// A column that was not selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NearColumn {
    /// Its name.
    pub name: String,
    /// The share of draws or half-samples that selected it.
    pub frequency: f64,
}

/// The selected columns, strongest first.
pub(super) fn selected(fitted: &Fitted) -> Vec<SelectedColumn> {
    let (model, frequencies) = (&fitted.fit.model, fitted.frequencies());
    let terms = model.features.terms();
    let mut selected: Vec<SelectedColumn> = (model.selected().into_iter())
        .map(|index| SelectedColumn {
            name: model.features.names()[index].clone(),
            index,
            norm: model.norm(index),
            frequency: frequencies.as_ref().map(|shares| shares[index]),
            kept: terms.factor(index) == KEPT,
            group: terms.group_of(index).map(String::from),
        })
        .collect();
    selected.sort_by(|a, b| b.norm.total_cmp(&a.norm).then(a.index.cmp(&b.index)));
    selected
}

/// Those that were selected most often without being selected in the end.
pub(super) fn near(fitted: &Fitted) -> Vec<NearColumn> {
    let Some(frequencies) = fitted.frequencies() else {
        return vec![];
    };
    let features = &fitted.fit.model.features;
    let selected = fitted.fit.model.selected();
    let mut others: Vec<usize> = (0..features.count())
        .filter(|j| frequencies[*j] > 0.0 && selected.binary_search(j).is_err())
        .collect();
    others.sort_by(|&a, &b| frequencies[b].total_cmp(&frequencies[a]).then(a.cmp(&b)));
    let found = others.into_iter().take(NEAR).map(|j| NearColumn {
        name: features.names()[j].clone(),
        frequency: frequencies[j],
    });
    found.collect()
}
