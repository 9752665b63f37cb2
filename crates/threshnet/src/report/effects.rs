//! What the model makes of its columns, alone and in pairs.

use super::{Fitted, SelectedColumn, spaced};
use crate::dataset::Dataset;
use crate::explain::{self, Direction, Effect, Interaction};
use serde::{Deserialize, Serialize};

/// Columns whose effects are computed, the strongest: far more than a sparse model has.
const EFFECTS: usize = 300;
/// Columns whose pairs are tried, those with the largest swings.
const PAIRED: usize = 8;
/// Pairs that are told of.
const PAIRS: usize = 10;
/// Values of a column along each side of a joint effect.
const JOINT_VALUES: usize = 12;
/// Marks of a rug.
const RUG: usize = 100;

/// The effect of a selected column: an [`Effect`] by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnEffect {
    /// The column.
    pub name: String,
    /// What the values are called, if the column is a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// Values of the column.
    pub at: Vec<f64>,
    /// Partial dependence, `[class][value]`, or `[0][value]`.
    pub partial: Vec<Vec<f64>>,
    /// Accumulated local effects, likewise.
    pub local: Vec<Vec<f64>>,
    /// Values that rows have, some of them if they are many.
    pub rug: Vec<f64>,
    /// How far the prediction moves.
    pub swing: f64,
    /// Where it goes as the column grows.
    pub direction: Direction,
}

/// What two columns do together: an [`Interaction`] by names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairEffect {
    /// A column.
    pub first: String,
    /// Another.
    pub second: String,
    /// Friedman's H².
    pub h2: f64,
    /// How large that is, in units of the prediction.
    pub strength: f64,
}

/// The joint effect of two columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JointEffect {
    /// A column.
    pub first: String,
    /// Another.
    pub second: String,
    /// What its values are called, if the first is a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_levels: Vec<String>,
    /// Likewise of the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub second_levels: Vec<String>,
    /// Values of the first.
    pub first_at: Vec<f64>,
    /// Values of the second.
    pub second_at: Vec<f64>,
    /// The mean prediction, `[second][first]`.
    pub mean: Vec<Vec<f64>>,
}

/// All of it.
type Explained = (Vec<ColumnEffect>, Vec<PairEffect>, Option<JointEffect>);

/// What the model makes of the strongest of the selected columns.
pub(super) fn explained(fitted: &Fitted, selected: &[SelectedColumn]) -> Explained {
    let (data, model) = (fitted.data, &fitted.fit.model);
    let strongest = selected.iter().take(EFFECTS).map(|column| column.index);
    let effects = explain::effects(model, data, &strongest.collect::<Vec<_>>());
    let interactions = interactions(fitted, &effects);
    let joint = joint(fitted, &effects, &interactions);
    let name = |j: usize| data.names()[j].clone();
    let pairs = interactions.iter().take(PAIRS).map(|of| PairEffect {
        first: name(of.pair.0),
        second: name(of.pair.1),
        h2: of.h2,
        strength: of.strength,
    });
    let of_columns = effects.into_iter().map(|effect| ColumnEffect {
        name: name(effect.column),
        levels: labels(data, effect.column, &effect.at),
        rug: rug(data, effect.column),
        at: effect.at,
        partial: effect.partial,
        local: effect.local,
        swing: effect.swing,
        direction: effect.direction,
    });
    (of_columns.collect(), pairs.collect(), joint)
}

/// None of a linear model.
fn interactions(fitted: &Fitted, effects: &[Effect]) -> Vec<Interaction> {
    let model = &fitted.fit.model;
    let is_linear = model.networks.iter().all(|of| of.shape.depth() == 1);
    if is_linear {
        return vec![];
    }
    let mut columns: Vec<&Effect> = effects.iter().collect();
    columns.sort_by(|a, b| b.swing.total_cmp(&a.swing).then(a.column.cmp(&b.column)));
    let columns: Vec<usize> = columns.iter().take(PAIRED).map(|of| of.column).collect();
    explain::interactions(model, fitted.data, &columns)
}

/// That of the strongest pair.
fn joint(fitted: &Fitted, effects: &[Effect], pairs: &[Interaction]) -> Option<JointEffect> {
    let data = fitted.data;
    let (a, b) = pairs.first()?.pair;
    let values = |column: usize| -> Option<Vec<f64>> {
        let at = &effects.iter().find(|effect| effect.column == column)?.at;
        // without the outermost values, between which there is little
        let outer = usize::from(at.len() > 4);
        Some(spaced(&at[outer..at.len() - outer], JOINT_VALUES))
    };
    let (first, second) = (values(a)?, values(b)?);
    let mean = explain::joint_effect(&fitted.fit.model, data, (a, b), (&first, &second))?;
    Some(JointEffect {
        first: data.names()[a].clone(),
        second: data.names()[b].clone(),
        first_levels: labels(data, a, &first),
        second_levels: labels(data, b, &second),
        first_at: first,
        second_at: second,
        mean,
    })
}

/// What values of a text are called; nothing of a number's.
fn labels(data: &Dataset, feature: usize, values: &[f64]) -> Vec<String> {
    match data.features().levels(feature) {
        None => vec![],
        Some(levels) => values.iter().map(|&v| levels[v as usize].clone()).collect(),
    }
}

/// None of a text: every level has rows.
fn rug(data: &Dataset, feature: usize) -> Vec<f64> {
    if data.features().levels(feature).is_some() {
        return vec![];
    }
    let column = data.features().columns_of(feature).start;
    let mut values = data.columns()[column].to_vec();
    values.sort_by(f64::total_cmp);
    let mut marks = spaced(&values, RUG);
    marks.dedup();
    marks
}
