//! `model.json`: writing, and reading with every shape checked.

use super::{Model, Reading, Recalibrate, Recalibration, SharedForest};
use crate::activation::Activation;
use crate::columns::Scaling;
use crate::conformal::Conformal;
use crate::dataset::{Features, Fill, Task, Terms, Unseen};
use crate::error::{Error, Result};
use crate::impute::{Chain, Equation, Line};
use crate::network::{LayerSpan, Mlp, Shape};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the file format this library writes and reads.
pub const SCHEMA: u32 = 1;

impl Model {
    /// The text of `model.json`.
    pub fn to_json(&self) -> String {
        let file = File::from(self);
        let mut text = serde_json::to_string_pretty(&file).expect("a model is plain data");
        text.push('\n');
        text
    }

    /// Reads the text of a `model.json`, refusing what cannot be predicted from.
    pub fn from_json(text: &str) -> Result<Model> {
        let model = |e: serde_json::Error| {
            Error::Model(format!("not a complete threshnet model: {e}; fit it again"))
        };
        #[derive(Deserialize)]
        struct Header {
            schema: u32,
        }
        let Header { schema } = serde_json::from_str(text).map_err(model)?;
        if schema != SCHEMA {
            return Err(Error::Model(format!(
                "the model has schema {schema}, this threshnet reads schema {SCHEMA}; \
                 fit it again with this version"
            )));
        }
        serde_json::from_str::<File>(text)
            .map_err(model)?
            .try_into()
    }
}

/// `model.json`, field by field.
#[derive(Serialize, Deserialize)]
struct File {
    schema: u32,
    version: String,
    task: Task,
    activation: Activation,
    features: Vec<String>,
    /// Those of the features that are texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    texts: Vec<Text>,
    /// Those of the features whose λ was multiplied by something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    penalty_factors: Vec<PenaltyFactor>,
    /// Features that entered together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    groups: Vec<NamedGroup>,
    #[serde(default)]
    outcome: Vec<String>,
    #[serde(default, skip_serializing_if = "Reading::is_usual")]
    reading: Reading,
    standardisation: Standardisation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    imputation: Option<Imputation>,
    #[serde(default, skip_serializing_if = "Unseen::is_error")]
    unseen: Unseen,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    classes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class_type: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    free_bias: bool,
    networks: Vec<NetworkFile>,
    /// What each network counts, where they do not all count the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shares: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forest: Option<SharedForest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline: Option<Baseline>,
    /// What corrects its predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recalibration: Option<Recalibration>,
    /// Which of these it predicts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recalibrated: Option<Recalibrate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conformal: Option<Conformal>,
}

/// A feature whose columns are its levels.
#[derive(Serialize, Deserialize)]
struct Text {
    /// Its number.
    feature: usize,
    levels: Vec<String>,
}

/// What λ was multiplied by for a feature.
#[derive(Serialize, Deserialize)]
struct PenaltyFactor {
    /// Its number.
    feature: usize,
    /// 0 for one that stays; none for one that never enters.
    factor: Option<f64>,
}

/// Features that enter and leave together.
#[derive(Serialize, Deserialize)]
struct NamedGroup {
    name: String,
    /// Their numbers.
    features: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct Standardisation {
    center: Vec<f64>,
    scale: Vec<f64>,
}

/// What is put into missing cells.
#[derive(Serialize, Deserialize)]
struct Imputation {
    /// A value for each column.
    fill: Vec<f64>,
    /// The features with a column that says where they are missing.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    indicators: BTreeSet<usize>,
    /// Equations in the place of these values, for networks that have a chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    chains: Vec<Chain>,
}

#[derive(Serialize, Deserialize)]
struct Target {
    center: f64,
    scale: f64,
}

#[derive(Serialize, Deserialize)]
struct Baseline {
    time: Vec<f64>,
    log_cumulative_hazard: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct NetworkFile {
    inputs: Vec<usize>,
    layers: Vec<LayerFile>,
    /// What is added to the last layer: a row per output unit, a column per input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shortcut: Option<Vec<Vec<f64>>>,
    /// The chain that imputes what it is fed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chain: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct LayerFile {
    /// A row per output unit, a column per input.
    weight: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

impl From<&Model> for File {
    fn from(model: &Model) -> Self {
        let (center, scale) = model.target;
        File {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            task: model.task,
            activation: activation(&model.networks),
            features: model.features.names().to_vec(),
            texts: (model.features.texts())
                .map(|(feature, levels)| Text {
                    feature,
                    levels: levels.to_vec(),
                })
                .collect(),
            penalty_factors: (model.features.terms().factors.iter())
                .map(|(&feature, &factor)| PenaltyFactor {
                    feature,
                    factor: factor.is_finite().then_some(factor),
                })
                .collect(),
            groups: (model.features.terms().groups.iter())
                .map(|(name, features)| NamedGroup {
                    name: name.clone(),
                    features: features.clone(),
                })
                .collect(),
            outcome: model.outcome.clone(),
            reading: model.reading.clone(),
            standardisation: Standardisation {
                center: model.scaling.center.clone(),
                scale: model.scaling.scale.clone(),
            },
            imputation: (model.scaling.fill.values()).map(|fill| Imputation {
                fill: fill.to_vec(),
                indicators: model.features.indicators().clone(),
                chains: model.scaling.fill.chains().to_vec(),
            }),
            unseen: model.unseen,
            target: (model.task == Task::Regression).then_some(Target { center, scale }),
            classes: model.classes.clone(),
            class_type: model.class_type.clone(),
            free_bias: model.free_bias,
            networks: model.networks.iter().map(NetworkFile::from).collect(),
            shares: model.shares.clone(),
            forest: model.forest.clone(),
            baseline: (model.task == Task::Cox).then(|| Baseline {
                time: model.baseline.iter().map(|b| b.0).collect(),
                log_cumulative_hazard: model.baseline.iter().map(|b| b.1).collect(),
            }),
            recalibration: model.recalibration.clone(),
            recalibrated: model.recalibrated,
            conformal: model.conformal.clone(),
        }
    }
}

/// The one of the networks with hidden layers, which have it in common.
fn activation(networks: &[Mlp]) -> Activation {
    let bent = networks.iter().find(|network| network.shape.depth() > 1);
    bent.unwrap_or(&networks[0]).shape.activation
}

impl From<&Mlp> for NetworkFile {
    fn from(network: &Mlp) -> Self {
        let row = |layer: &LayerSpan, k: usize| -> Vec<f64> {
            let weight = network.weights[layer.weight.clone()].iter();
            weight.skip(k).step_by(layer.outputs).copied().collect()
        };
        let widths = &network.shape.widths;
        let spans = network.shape.layers();
        let layers = spans.iter().enumerate().map(|(l, layer)| LayerFile {
            weight: (0..widths[l + 1]).map(|k| row(layer, k)).collect(),
            // A layer without a bias is written with zeros: readers need no special case.
            bias: if layer.bias.is_empty() {
                vec![0.0; layer.outputs]
            } else {
                network.weights[layer.bias.clone()].to_vec()
            },
        });
        let straight = widths[1]..spans[0].outputs;
        NetworkFile {
            inputs: network.inputs.clone(),
            layers: layers.collect(),
            shortcut: (network.shape.shortcut)
                .then(|| straight.map(|k| row(&spans[0], k)).collect()),
            chain: network.chain,
        }
    }
}

impl TryFrom<File> for Model {
    type Error = Error;

    fn try_from(file: File) -> Result<Model> {
        let wrong =
            |what: String| Error::Model(format!("{what}; the file is damaged, fit it again"));
        let features = features(file.features, file.texts).map_err(wrong)?;
        let (features, fill) = match file.imputation {
            None => (features, Fill::default()),
            Some(Imputation {
                fill,
                indicators,
                chains,
            }) => {
                if indicators
                    .last()
                    .is_some_and(|&last| last >= features.count())
                {
                    return Err(wrong("an indicator of no feature".into()));
                }
                let fill = Fill::new(fill).with_chains(chains);
                (features.with_indicators(indicators), fill)
            }
        };
        if (fill.values()).is_some_and(|fill| fill.len() != features.columns()) {
            return Err(wrong("an imputation of other columns".into()));
        }
        check_chains(fill.chains(), features.columns()).map_err(wrong)?;
        let terms = terms(file.penalty_factors, file.groups, features.count()).map_err(wrong)?;
        let features = features.on(terms).map_err(|e| wrong(e.to_string()))?;
        let d = features.columns();
        let Standardisation { center, scale } = file.standardisation;
        if center.len() != d || scale.len() != d {
            return Err(wrong(format!(
                "standardisation of {} columns for {d}",
                center.len()
            )));
        }
        check_scales(&scale).map_err(wrong)?;
        let outputs = match file.task {
            Task::Multiclass => file.classes.len(),
            _ => 1,
        };
        let classes = match file.task {
            Task::Binary => file.classes.len() == 2,
            Task::Multiclass => file.classes.len() >= 2,
            Task::Regression | Task::Cox => file.classes.is_empty(),
        };
        if let Some(twice) = twice(&file.classes) {
            return Err(wrong(format!("two classes of the name {twice:?}")));
        }
        if !classes {
            let (count, task) = (file.classes.len(), file.task.name());
            return Err(wrong(format!("{count} classes in a {task} model")));
        }
        if file.networks.is_empty() {
            return Err(wrong("no network".into()));
        }
        let networks = (file.networks.into_iter())
            .map(|network| network.build(&features, outputs, file.activation, file.task))
            .collect::<std::result::Result<Vec<Mlp>, String>>()
            .map_err(wrong)?;
        check_shares(&file.shares, networks.len()).map_err(wrong)?;
        let is_known = |network: &Mlp| {
            let number = network.chain;
            number.is_none_or(|number| fill.chain(number).is_some())
        };
        if !networks.iter().all(is_known) {
            return Err(wrong(
                "a network whose chain of imputations is not there".into(),
            ));
        }
        if let Some(SharedForest { share, forest }) = &file.forest {
            check_shares(&[*share], 1).map_err(wrong)?;
            let width = file.classes.len().max(1);
            if forest.trees.is_empty() {
                return Err(wrong("a forest without a tree".into()));
            }
            for tree in &forest.trees {
                tree.check(d, width).map_err(wrong)?;
                if !tree.responses().all(is_usual) {
                    return Err(wrong("a tree that predicts what no outcome has".into()));
                }
            }
        }
        if let Some(conformal) = &file.conformal {
            conformal.check().map_err(wrong)?;
        }
        let target = match (file.task, file.target) {
            (Task::Regression, Some(target)) => {
                check_scales(&[target.scale]).map_err(wrong)?;
                (target.center, target.scale)
            }
            (Task::Regression, _) => return Err(wrong("no scale of the target".into())),
            _ => (0.0, 1.0),
        };
        let baseline = match (file.task, file.baseline) {
            (Task::Cox, Some(baseline)) => baseline.steps().map_err(wrong)?,
            (Task::Cox, None) => return Err(wrong("no baseline hazard".into())),
            _ => vec![],
        };
        let outputs = file.classes.len();
        if let Some(corrections) = &file.recalibration {
            corrections.check(outputs).map_err(wrong)?;
        }
        let has = |how| (file.recalibration.as_ref()).is_some_and(|all| all.has(how));
        if file.recalibrated.is_some_and(|how| !has(how)) {
            return Err(wrong("a recalibration that is not there".into()));
        }
        Ok(Model {
            task: file.task,
            features,
            outcome: file.outcome,
            reading: file.reading,
            scaling: Scaling {
                center,
                scale,
                fill,
            },
            unseen: file.unseen,
            target,
            classes: file.classes,
            class_type: file.class_type,
            free_bias: file.free_bias,
            networks,
            shares: file.shares,
            forest: file.forest,
            baseline,
            recalibration: file.recalibration,
            recalibrated: file.recalibrated,
            conformal: file.conformal,
        })
    }
}

/// Refuses equations of columns that are not there, or without a factor for each.
fn check_chains(chains: &[Chain], columns: usize) -> std::result::Result<(), String> {
    let is_good = |equation: &Equation| {
        let lines = &equation.lines;
        let is_line =
            |line: &Line| line.slopes.len() == equation.predictors.len() && line.low <= line.high;
        !lines.is_empty() && lines.iter().all(is_line)
    };
    for chain in chains {
        if chain.columns().last().is_some_and(|&last| last >= columns)
            || !chain.equations.iter().all(is_good)
        {
            return Err(format!(
                "chain {} of imputations is not complete",
                chain.number
            ));
        }
    }
    Ok(())
}

/// Refuses shares that are not those of so many networks.
fn check_shares(shares: &[f64], networks: usize) -> std::result::Result<(), String> {
    let are_shares = shares.iter().all(|share| (0.0..=1.0).contains(share));
    match (shares.is_empty() || shares.len() == networks) && are_shares {
        true => Ok(()),
        false => Err(format!("shares {shares:?} of {networks} networks")),
    }
}

/// The most that comes out of a layer, a leaf of a forest or a baseline hazard: what is computed
/// from such numbers stays within the range of numbers.
const LARGEST: f64 = 1e150;

/// How many standard deviations from its mean an input may be for the network to have an output.
const FARTHEST: f64 = 1e6;

fn is_usual(value: &f64) -> bool {
    value.abs() <= LARGEST
}

/// Refuses standard deviations by which values leave the range of numbers.
fn check_scales(scales: &[f64]) -> std::result::Result<(), String> {
    // (below the normal numbers there are but few digits, and 1/s is infinite)
    let is_scale = |scale: &f64| scale.is_normal() && *scale > 0.0;
    match scales.iter().find(|scale| !is_scale(scale)) {
        Some(scale) => Err(format!("a standardisation scale of {scale:e}")),
        None => Ok(()),
    }
}

/// A text that is there more than once.
fn twice(texts: &[String]) -> Option<&String> {
    let mut seen = BTreeSet::new();
    texts.iter().find(|text| !seen.insert(*text))
}

/// Refuses weights by which inputs that are not out of this world leave the range of numbers.
fn check_weights(network: &Mlp) -> std::result::Result<(), String> {
    // The most that any unit of a layer can be; an activation adds less than 2 to that.
    let mut most = FARTHEST;
    let spans = network.shape.layers();
    for (number, layer) in spans.iter().enumerate() {
        let mut units = vec![0.0; layer.outputs];
        for row in network.weights[layer.weight.clone()].chunks_exact(layer.outputs) {
            units
                .iter_mut()
                .zip(row)
                .for_each(|(unit, weight)| *unit += weight.abs() * most);
        }
        let biases = network.weights[layer.bias.clone()].iter();
        units
            .iter_mut()
            .zip(biases)
            .for_each(|(unit, bias)| *unit += bias.abs());
        most = units.iter().copied().fold(0.0, f64::max) + 2.0;
        if !is_usual(&most) {
            return Err(format!(
                "layer {}: weights that take outputs out of the range of numbers",
                number + 1
            ));
        }
    }
    Ok(())
}

/// The features of these names, of which some are texts.
fn features(names: Vec<String>, texts: Vec<Text>) -> std::result::Result<Features, String> {
    if let Some(twice) = twice(&names) {
        return Err(format!("two features of the name {twice:?}"));
    }
    let mut levels = BTreeMap::new();
    for text in texts {
        let distinct: BTreeSet<&String> = text.levels.iter().collect();
        if text.levels.is_empty() || distinct.len() < text.levels.len() {
            return Err(format!("a text with levels {:?}", text.levels));
        }
        if text.feature >= names.len() || levels.insert(text.feature, text.levels).is_some() {
            return Err(format!(
                "a text that is no feature, number {}",
                text.feature
            ));
        }
    }
    Ok(Features::new(names, levels))
}

/// The terms on which so many features entered.
fn terms(
    factors: Vec<PenaltyFactor>,
    groups: Vec<NamedGroup>,
    count: usize,
) -> std::result::Result<Terms, String> {
    let of_groups = groups.iter().flat_map(|group| &group.features);
    let mut known = factors.iter().map(|of| &of.feature).chain(of_groups);
    if let Some(feature) = known.find(|feature| **feature >= count) {
        return Err(format!("a penalty of feature {feature}, which is none"));
    }
    let impossible = |of: &&PenaltyFactor| of.factor.is_some_and(|f| !(0.0..=LARGEST).contains(&f));
    if let Some(of) = factors.iter().find(impossible) {
        return Err(format!(
            "a penalty factor of feature {} that cannot be",
            of.feature
        ));
    }
    Ok(Terms {
        factors: (factors.into_iter())
            .map(|of| (of.feature, of.factor.unwrap_or(f64::INFINITY)))
            .collect(),
        groups: (groups.into_iter())
            .map(|group| (group.name, group.features))
            .collect(),
    })
}

impl Baseline {
    /// (t, log H₀(t)) at every event time, of which there is at least one.
    fn steps(self) -> std::result::Result<Vec<(f64, f64)>, String> {
        let (time, hazard) = (self.time, self.log_cumulative_hazard);
        let rises = time.windows(2).all(|pair| pair[0] < pair[1])
            && hazard.windows(2).all(|pair| pair[0] <= pair[1]);
        let known = time.iter().chain(&hazard).all(is_usual);
        if time.is_empty() || time.len() != hazard.len() || !rises || !known {
            return Err("a baseline hazard that is no rising step function".into());
        }
        Ok(time.into_iter().zip(hazard).collect())
    }
}

impl NetworkFile {
    /// Checks shapes from the inputs up and puts the weights into one vector.
    fn build(
        self,
        features: &Features,
        outputs: usize,
        activation: Activation,
        task: Task,
    ) -> std::result::Result<Mlp, String> {
        let (d, output_bias) = (features.columns(), task != Task::Cox);
        if self.inputs.windows(2).any(|pair| pair[0] >= pair[1])
            || self.inputs.last().is_some_and(|&j| j >= d)
        {
            return Err(format!(
                "inputs that are not ascending column numbers below {d}"
            ));
        }
        let mut widths = vec![self.inputs.len()];
        let mut weights = Vec::new();
        let depth = self.layers.len();
        for (l, layer) in self.layers.into_iter().enumerate() {
            let (inputs, units) = (widths[l], layer.weight.len());
            if units == 0 || layer.bias.len() != units {
                return Err(format!(
                    "layer {}: {} biases for {units} units",
                    l + 1,
                    layer.bias.len()
                ));
            }
            if let Some(row) = layer.weight.iter().find(|row| row.len() != inputs) {
                return Err(format!(
                    "layer {}: {} weights for {inputs} inputs",
                    l + 1,
                    row.len()
                ));
            }
            let straight = self.shortcut.iter().flatten().filter(|_| l == 0);
            if let Some(row) = straight.clone().find(|row| row.len() != inputs) {
                return Err(format!(
                    "a shortcut of {} weights for {inputs} inputs",
                    row.len()
                ));
            }
            for j in 0..inputs {
                let rows = layer.weight.iter().chain(straight.clone());
                weights.extend(rows.map(|row| row[j]));
            }
            if l + 1 < depth || output_bias {
                weights.extend(layer.bias);
            } else if layer.bias.iter().any(|&b| b != 0.0) {
                return Err("a bias in the output layer of a Cox model".into());
            }
            widths.push(units);
        }
        if widths.len() < 2 || widths[depth] != outputs {
            return Err(format!(
                "a network without the {outputs} outputs its task needs"
            ));
        }
        let straight = self.shortcut.as_ref().map(Vec::len);
        if straight.is_some_and(|rows| rows != outputs || depth < 2) {
            return Err("a shortcut without a row per output or a layer to go around".into());
        }
        let network = Mlp {
            shape: Shape {
                widths,
                activation,
                output_bias,
                shortcut: straight.is_some(),
                groups: features.groups(),
            },
            inputs: self.inputs,
            weights,
            chain: self.chain,
        };
        check_weights(&network)?;
        Ok(network)
    }
}
