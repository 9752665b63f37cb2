//! From data and fit to the [`Record`].

use super::held_out;
use super::record::{
    EffectRecord, InteractionRecord, JointRecord, ModelFacts, NearColumn, OutcomeFacts, PathColumn,
    PathRecord, Record, SCHEMA, ValidationFacts,
};
use super::source;
use std::collections::BTreeMap;
use std::path::Path;
use threshnet::dataset::{Dataset, Outcome};
use threshnet::explain::{self, Direction, Effect};
use threshnet::settings::{Named, Settings, Validation};
use threshnet::tune::Fit;

/// Columns whose effects are computed, the strongest.
const EFFECTS: usize = 24;
/// Columns whose pairs are tried, those with the largest swings.
const PAIRED: usize = 8;
/// Pairs that are told of.
const PAIRS: usize = 10;
/// Values of a column along each side of a joint effect.
const JOINT_VALUES: usize = 12;
/// Columns drawn along the path, at most, beside the selected.
const DRAWN: usize = 60;
/// Not selected ones that are told of.
const NEAR: usize = 8;
/// Marks of a rug.
const RUG: usize = 100;

/// Where a fit comes from: what only the program that made it knows.
#[derive(Debug, Clone, Default)]
pub struct Origin<'a> {
    /// The file the data were read from, if it is one.
    pub file: Option<&'a Path>,
    /// The words of the command.
    pub command: Vec<String>,
}

/// What a report needs of a fit to these data.
pub fn record(data: &Dataset, settings: &Settings, fit: &Fit, origin: Origin) -> Record {
    let effects = effects(data, fit);
    let interactions = interactions(data, fit, &effects);
    let joint = joint(data, fit, (&effects, &interactions));
    let name = |j: usize| data.names()[j].clone();
    let first = fit.model.networks.first().map(|network| &network.shape);
    Record {
        schema: SCHEMA,
        command: origin.command,
        data: origin.file.and_then(|file| source::fingerprint(file).ok()),
        outcome: outcome(data.outcome(), &fit.model.outcome),
        model: ModelFacts {
            networks: fit.model.networks.len(),
            hidden: first.map_or(vec![], |s| s.widths[1..s.depth()].to_vec()),
            activation: settings.activation.name().into(),
        },
        validation: validation(settings, fit),
        path: path(data, fit),
        interactions: (interactions.iter().take(PAIRS))
            .map(|of| InteractionRecord {
                first: name(of.pair.0),
                second: name(of.pair.1),
                h2: of.h2,
                strength: of.strength,
            })
            .collect(),
        joint,
        effects: (effects.into_iter())
            .map(|effect| EffectRecord {
                name: name(effect.column),
                levels: labels(data, effect.column, &effect.at),
                rug: rug(data, effect.column),
                at: effect.at,
                partial: effect.partial,
                local: effect.local,
                swing: effect.swing,
                direction: match data.features().levels(effect.column) {
                    Some(_) => "levels".into(),
                    None => word(effect.direction).into(),
                },
            })
            .collect(),
        near: near(data, fit),
        held_out: (fit.held_out.as_ref())
            .and_then(|of| held_out::record(of, data.outcome(), settings.seed)),
    }
}

fn outcome(outcome: &Outcome, names: &[String]) -> OutcomeFacts {
    let mut facts = OutcomeFacts {
        columns: names.to_vec(),
        classes: vec![],
        moments: None,
        events: None,
        longest: None,
    };
    match outcome {
        Outcome::Continuous(y) => {
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            let squares = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
            facts.moments = Some((mean, (squares / y.len() as f64).sqrt()));
        }
        Outcome::Classes {
            labels, classes, ..
        } => {
            let rows = |class: usize| labels.iter().filter(|&&label| label == class).count();
            facts.classes = (classes.iter().enumerate())
                .map(|(class, name)| (name.clone(), rows(class)))
                .collect();
        }
        Outcome::Survival { time, event } => {
            facts.events = Some(event.iter().filter(|&&e| e).count());
            facts.longest = Some(time.iter().copied().fold(0.0, f64::max));
        }
    }
    facts
}

fn validation(settings: &Settings, fit: &Fit) -> ValidationFacts {
    let (kind, count) = match settings.validation {
        Validation::Holdout { .. } => ("holdout", 1),
        Validation::Folds { count, .. } => ("folds", count),
        // (a linear model has more of them)
        Validation::Draws { .. } => ("draws", fit.chosen.len()),
        Validation::None => ("none", 0),
    };
    ValidationFacts {
        kind: kind.into(),
        count,
        chosen: fit.chosen.clone(),
        fold_losses: fit.folds.iter().map(|fold| fold.loss).collect(),
    }
}

/// The norms of the columns that last longest, and of the selected.
fn path(data: &Dataset, fit: &Fit) -> PathRecord {
    let selected = fit.model.selected();
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
    let mut drawn: Vec<usize> = stay
        .keys()
        .copied()
        .filter(|j| !selected.contains(j))
        .collect();
    drawn.sort_by(|a, b| {
        let (a, b) = (stay[a], stay[b]);
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    drawn.truncate(DRAWN.saturating_sub(selected.len()));
    let mut strongest = selected.clone();
    strongest.sort_by(|&a, &b| fit.model.norm(b).total_cmp(&fit.model.norm(a)));
    strongest.truncate(DRAWN);
    drawn.splice(0..0, strongest);
    let norm = |step: &BTreeMap<usize, f64>, j: usize| step.get(&j).copied().unwrap_or(0.0);
    let others = norms.iter().map(|step| {
        let not_drawn = step.iter().filter(|(j, _)| !drawn.contains(j));
        not_drawn.map(|(_, norm)| *norm).fold(0.0, f64::max)
    });
    PathRecord {
        lambdas: fit.path.iter().map(|step| step.lambda).collect(),
        sizes: norms.iter().map(BTreeMap::len).collect(),
        chosen: chosen_step(fit),
        others: others.collect(),
        columns: (drawn.iter())
            .map(|&j| PathColumn {
                name: data.names()[j].clone(),
                selected: selected.binary_search(&j).is_ok(),
                norms: norms.iter().map(|step| norm(step, j)).collect(),
            })
            .collect(),
    }
}

/// Where on its path the model, or the first draw, was chosen.
fn chosen_step(fit: &Fit) -> usize {
    let lambda = match fit.chosen.first().and_then(|&cell| fit.cells.get(cell)) {
        Some(cell) => cell.lambda,
        None => fit.lambda,
    };
    let steps = fit.path.iter();
    steps
        .clone()
        .position(|step| step.lambda == lambda)
        .unwrap_or(0)
}

fn effects(data: &Dataset, fit: &Fit) -> Vec<Effect> {
    let mut strongest = fit.model.selected();
    let norm = |j: &usize| fit.model.norm(*j);
    strongest.sort_by(|a, b| norm(b).total_cmp(&norm(a)).then(a.cmp(b)));
    strongest.truncate(EFFECTS);
    explain::effects(&fit.model, data, &strongest)
}

/// None of a linear model, which adds its columns up.
fn interactions(data: &Dataset, fit: &Fit, effects: &[Effect]) -> Vec<explain::Interaction> {
    if fit
        .model
        .networks
        .iter()
        .all(|network| network.shape.depth() == 1)
    {
        return vec![];
    }
    let mut columns: Vec<&Effect> = effects.iter().collect();
    columns.sort_by(|a, b| b.swing.total_cmp(&a.swing).then(a.column.cmp(&b.column)));
    let columns: Vec<usize> = columns.iter().take(PAIRED).map(|of| of.column).collect();
    explain::interactions(&fit.model, data, &columns)
}

fn joint(
    data: &Dataset,
    fit: &Fit,
    (effects, interactions): (&[Effect], &[explain::Interaction]),
) -> Option<JointRecord> {
    let (a, b) = interactions.first()?.pair;
    let values = |column: usize| -> Option<Vec<f64>> {
        let at = &effects.iter().find(|effect| effect.column == column)?.at;
        // without the outermost values, between which there is little
        let inner = if at.len() > 4 {
            &at[1..at.len() - 1]
        } else {
            &at[..]
        };
        let count = inner.len().min(JOINT_VALUES);
        let position = |k: usize| k * (inner.len() - 1) / (count - 1).max(1);
        Some((0..count).map(|k| inner[position(k)]).collect())
    };
    let (first, second) = (values(a)?, values(b)?);
    let joint = explain::joint_effect(&fit.model, data, (a, b), (&first, &second))?;
    Some(JointRecord {
        first: data.names()[a].clone(),
        second: data.names()[b].clone(),
        first_levels: labels(data, a, &joint.first),
        second_levels: labels(data, b, &joint.second),
        first_at: joint.first,
        second_at: joint.second,
        mean: joint.mean,
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
    let count = values.len().min(RUG);
    let position = |k: usize| k * (values.len() - 1) / (count - 1).max(1);
    let mut marks: Vec<f64> = (0..count).map(|k| values[position(k)]).collect();
    marks.dedup();
    marks
}

fn near(data: &Dataset, fit: &Fit) -> Vec<NearColumn> {
    let Some(frequencies) = &fit.frequencies else {
        return vec![];
    };
    let selected = fit.model.selected();
    let mut others: Vec<usize> = (0..data.features().count())
        .filter(|j| frequencies[*j] > 0.0 && selected.binary_search(j).is_err())
        .collect();
    others.sort_by(|&a, &b| frequencies[b].total_cmp(&frequencies[a]).then(a.cmp(&b)));
    let found = others.into_iter().take(NEAR).map(|j| NearColumn {
        name: data.names()[j].clone(),
        frequency: frequencies[j],
    });
    found.collect()
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Both => "both",
        Direction::Flat => "flat",
    }
}
