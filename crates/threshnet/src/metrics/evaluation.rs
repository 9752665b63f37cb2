//! All that is said of predictions at once: what `evaluate`, `metrics` and the Python package print.
//!
//! Everything is computed on the same rows, and every figure has an interval from the same bootstrap
//! samples ([`Bootstrap`]); the AUC of two classes has DeLong's where rows are independent and count
//! once each. Figures are called by where they are in the JSON: `calibration.slope`,
//! `thresholds[0.3].ppv`, `tauc[12]`.

use super::scores::positive;
use super::{
    Agreement, Bootstrap, Confusion, DCalibration, Decision, DecisionCurve, Interval, Metric,
    Outcomes, Replicates, Skill, Survival, concordance_uno, confusion, cumulative_dynamic_auc,
    d_calibration, delong, scores,
};
use crate::dataset::{Outcome, Response};
use crate::error::{Error, Result};
use crate::format::number;
use crate::model::{Model, Prediction};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is said of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// Numbers, probabilities or risks.
    pub prediction: Prediction,
    /// The probability that a row outlives each of [`Asked::times`], `[time][row]`; empty where it
    /// is not predicted.
    pub survival: Vec<Vec<f64>>,
    /// The probability that a row outlives its own time, likewise.
    pub own: Vec<f64>,
}

impl From<Prediction> for Predicted {
    fn from(prediction: Prediction) -> Self {
        Predicted {
            prediction,
            survival: vec![],
            own: vec![],
        }
    }
}

impl Predicted {
    /// With the survival that a model predicts with these risks.
    pub fn by(model: &Model, prediction: Prediction, response: &Response, times: &[f64]) -> Self {
        let (Prediction::Risk(risk), Outcome::Survival { time, .. }) =
            (&prediction, &response.outcome)
        else {
            return prediction.into();
        };
        let at = |&t: &f64| risk.iter().map(|&r| model.survival(r, t)).collect();
        let own = risk.iter().zip(time).map(|(&r, &t)| model.survival(r, t));
        Predicted {
            survival: times.iter().map(at).collect(),
            own: own.collect(),
            prediction,
        }
    }

    /// What is said of some rows, in their order.
    pub fn rows(&self, rows: &[usize]) -> Predicted {
        let some = |values: &Vec<f64>| rows.iter().map(|&row| values[row]).collect();
        Predicted {
            prediction: self.prediction.rows(rows),
            survival: self.survival.iter().map(some).collect(),
            own: match self.own.is_empty() {
                true => vec![],
                false => some(&self.own),
            },
        }
    }
}

/// What is asked of predictions beyond the metrics of the task.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Times at which survival is judged.
    pub times: Vec<f64>,
    /// Uno's C of events before this time.
    pub tau: Option<f64>,
    /// Risks from which on rows are treated.
    pub thresholds: Vec<f64>,
    /// Whether calibration and net benefit are wanted as curves.
    pub curves: bool,
    /// Rows that the censoring weights come from; the scored ones if none.
    pub train: Option<Response>,
    /// How intervals are made, if they are wanted.
    pub bootstrap: Option<Bootstrap>,
}

/// One, or one for each class or time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Each<T> {
    /// Of all there is.
    Whole(T),
    /// By class, or by time.
    Parts(Vec<Part<T>>),
}

/// What is said of a class, or of a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part<T> {
    /// The class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// What is said.
    #[serde(flatten)]
    pub of: T,
}

impl<T> Each<T> {
    /// The parts; the whole is one without a name.
    pub fn into_parts(self) -> Vec<Part<T>> {
        match self {
            Each::Parts(parts) => parts,
            Each::Whole(of) => vec![Part {
                class: None,
                time: None,
                of,
            }],
        }
    }
}

/// What chosen thresholds do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// In the order of the thresholds.
    pub at: Vec<Decision>,
}

/// Errors of probabilities beside those of the null model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NullScores {
    /// The Brier score of saying the classes' shares of every row.
    pub brier_null: f64,
    /// The share of it that the predictions save.
    pub brier_scaled: Option<f64>,
    /// The log loss of the same.
    pub log_loss_null: f64,
    /// The share of it that they save: McFadden's R².
    pub log_loss_scaled: Option<f64>,
}

/// What is asked of survival; what the rows leave undefined is none within.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SurvivalScores {
    /// Uno's C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uno_c: Option<Option<f64>>,
    /// The time-dependent AUC at each time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tauc: Option<Option<Vec<f64>>>,
    /// Its mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tauc_mean: Option<Option<f64>>,
    /// The Brier score at each time …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<Option<Vec<f64>>>,
    /// … of the Kaplan–Meier curve …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier_null: Option<Vec<f64>>,
    /// … and the share of it that is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier_scaled: Option<Vec<Option<f64>>>,
    /// The integrated Brier score, of two times or more, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ibs: Option<Option<f64>>,
    /// Of the Kaplan–Meier curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ibs_null: Option<f64>,
    /// The share of it that is saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ibs_scaled: Option<f64>,
    /// Whether the curves are right as distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub d_calibration: Option<DCalibration>,
}

/// The intervals of all figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// 0.95.
    pub level: f64,
    /// Bootstrap samples.
    pub samples: usize,
    /// The seed of their streams.
    pub seed: u64,
    /// What was drawn: `rows` or `clusters`.
    pub drawn: String,
    /// By figure; none where most samples leave it undefined.
    pub figures: BTreeMap<String, Option<Interval>>,
}

/// All that is said of predictions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// The metrics of the task, the main one first; none where undefined.
    #[serde(flatten)]
    pub metrics: BTreeMap<Metric, Option<f64>>,
    /// Errors of the null model, of classes.
    #[serde(flatten)]
    pub null: Option<NullScores>,
    /// What is asked of survival.
    #[serde(flatten)]
    pub survival: SurvivalScores,
    /// Whether what is predicted is what happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Each<Agreement>>,
    /// What chosen thresholds do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Each<Decisions>>,
    /// Net benefit along thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_curve: Option<Each<DecisionCurve>>,
    /// Which classes are taken for which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confusion: Option<Confusion>,
    /// How sure every figure is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals: Option<Intervals>,
    /// The times that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
    /// Why something is undefined.
    #[serde(skip)]
    pub notes: Vec<String>,
}

impl Evaluation {
    /// Of predictions of a response. Refuses predictions of another kind or number of rows; a
    /// figure that the rows leave undefined is none, with a note.
    pub fn new(predicted: &Predicted, response: &Response, asked: &Asked) -> Result<Evaluation> {
        check_lengths(predicted, response, asked)?;
        let mut found = Evaluation::plain(predicted, response, asked)?;
        let names: Vec<String> = found.figures().into_keys().collect();
        found.intervals = (asked.bootstrap.as_ref()).map(|bootstrap| {
            let replicates = replicates(bootstrap, &names, predicted, response, asked);
            let interval = |(number, name): (usize, &String)| {
                let by_placements = analytic(name, predicted, response);
                let interval = by_placements.or_else(|| replicates.interval(number));
                (name.clone(), interval)
            };
            let figures = names.iter().enumerate().map(interval).collect();
            Intervals::of(bootstrap, response, figures)
        });
        Ok(found)
    }

    /// Without intervals.
    pub(super) fn plain(
        predicted: &Predicted,
        response: &Response,
        asked: &Asked,
    ) -> Result<Evaluation> {
        let mut notes = vec![];
        let mut metrics = BTreeMap::new();
        for score in scores(&predicted.prediction, response)? {
            let value = or_note(&mut notes, score.metric.name(), score.value);
            metrics.insert(score.metric, value);
        }
        let mut found = Evaluation {
            metrics,
            null: None,
            survival: SurvivalScores::default(),
            calibration: None,
            thresholds: None,
            decision_curve: None,
            confusion: None,
            intervals: None,
            times: asked.times.clone(),
            notes,
        };
        match (&predicted.prediction, &response.outcome) {
            (Prediction::Numbers(said), Outcome::Continuous(y)) => {
                let agreement = Agreement::of_numbers(y, said, response.weights());
                let agreement = or_note(&mut found.notes, "calibration", agreement);
                found.calibration = agreement.map(|of| Each::Whole(asked.shown(of)));
            }
            (
                Prediction::Probabilities(p),
                Outcome::Classes {
                    labels, classes, ..
                },
            ) => {
                found.of_classes(p, (labels, classes), response, asked);
            }
            (Prediction::Risk(risk), _) => found.of_survival(risk, predicted, response, asked),
            _ => {}
        }
        Ok(found)
    }

    fn of_classes(
        &mut self,
        p: &[Vec<f64>],
        (labels, classes): (&[usize], &[String]),
        response: &Response,
        asked: &Asked,
    ) {
        let (weights, notes) = (response.weights(), &mut self.notes);
        let (brier, loss) = (
            Skill::brier(labels, p, weights),
            Skill::log_loss(labels, p, weights),
        );
        self.null = brier.ok().zip(loss.ok()).map(|(brier, loss)| NullScores {
            brier_null: brier.null,
            brier_scaled: brier.scaled,
            log_loss_null: loss.null,
            log_loss_scaled: loss.scaled,
        });
        let of_class = |class: usize| {
            let is: Vec<bool> = labels.iter().map(|&label| label == class).collect();
            Agreement::of_probabilities(&is, &p[class], weights).map(|of| asked.shown(of))
        };
        self.confusion = or_note(notes, "confusion", confusion(labels, classes, p, weights));
        if p.len() != 2 {
            let parts = (classes.iter().enumerate()).map(|(class, name)| {
                of_class(class).map(|of| Part {
                    class: Some(name.clone()),
                    time: None,
                    of,
                })
            });
            self.calibration = or_note(notes, "calibration", parts.collect()).map(Each::Parts);
            return;
        }
        self.calibration = or_note(notes, "calibration", of_class(1)).map(Each::Whole);
        let positive = positive(labels);
        let outcomes = Outcomes::Binary {
            positive: &positive,
            weights,
        };
        if !asked.thresholds.is_empty() {
            let at = outcomes.decisions(&p[1], &asked.thresholds);
            let found = or_note(notes, "thresholds", at);
            self.thresholds = found.map(|at| Each::Whole(Decisions { at }));
        }
        if asked.curves {
            let curve = or_note(notes, "decision_curve", outcomes.curve(&p[1]));
            self.decision_curve = curve.map(Each::Whole);
        }
    }

    fn of_survival(
        &mut self,
        risk: &[f64],
        predicted: &Predicted,
        response: &Response,
        asked: &Asked,
    ) {
        let Some(rows) = Survival::of(response) else {
            return;
        };
        let train = asked.train.as_ref().and_then(Survival::of).unwrap_or(rows);
        let (found, notes) = (&mut self.survival, &mut self.notes);
        if asked.train.is_some() || asked.tau.is_some() {
            let uno = concordance_uno(train, rows, risk, asked.tau);
            found.uno_c = Some(or_note(notes, "uno_c", uno));
        }
        let Asked { times, .. } = asked;
        if !times.is_empty() {
            let curve = cumulative_dynamic_auc(train, rows, risk, times);
            let curve = or_note(notes, "tauc and tauc_mean", curve);
            found.tauc = Some(curve.as_ref().map(|curve| curve.at.clone()));
            found.tauc_mean = Some(curve.map(|curve| curve.mean));
        }
        if !predicted.own.is_empty() {
            found.d_calibration =
                or_note(notes, "d_calibration", d_calibration(rows, &predicted.own));
        }
        let survival = &predicted.survival;
        if survival.is_empty() {
            return;
        }
        let skills = or_note(
            notes,
            "brier",
            Skill::brier_at(train, rows, survival, times),
        );
        let of = |of: fn(&Skill) -> f64| Some(skills.as_ref()?.iter().map(of).collect());
        found.brier = Some(of(|skill| skill.value));
        found.brier_null = of(|skill| skill.null);
        found.brier_scaled =
            (skills.as_ref()).map(|all| all.iter().map(|skill| skill.scaled).collect());
        if times.len() > 1 {
            let skill = Skill::integrated_brier(train, rows, survival, times);
            let skill = or_note(notes, "ibs", skill);
            found.ibs = Some(skill.map(|skill| skill.value));
            found.ibs_null = skill.map(|skill| skill.null);
            found.ibs_scaled = skill.and_then(|skill| skill.scaled);
        }
        let at_times = || times.iter().copied().zip(survival);
        let agreements = at_times().map(|(time, curve)| {
            let of = Agreement::of_survival(train, rows, curve, time)?;
            Ok(Part::at(time, asked.shown(of)))
        });
        self.calibration = or_note(notes, "calibration", agreements.collect()).map(Each::Parts);
        let risks = |curve: &Vec<f64>| curve.iter().map(|s| 1.0 - s).collect::<Vec<f64>>();
        if !asked.thresholds.is_empty() {
            let tables = at_times().map(|(time, curve)| {
                let outcomes = Outcomes::By { rows, time };
                let at = outcomes.decisions(&risks(curve), &asked.thresholds)?;
                Ok(Part::at(time, Decisions { at }))
            });
            self.thresholds = or_note(notes, "thresholds", tables.collect()).map(Each::Parts);
        }
        if asked.curves {
            let curves = at_times().map(|(time, curve)| {
                let of = Outcomes::By { rows, time }.curve(&risks(curve))?;
                Ok(Part::at(time, of))
            });
            let curves = or_note(notes, "decision_curve", curves.collect());
            self.decision_curve = curves.map(Each::Parts);
        }
    }

    /// Every figure that is defined, by its name.
    pub fn figures(&self) -> BTreeMap<String, f64> {
        let mut found = Figures::default();
        for (metric, value) in &self.metrics {
            found.add("", metric.name(), *value);
        }
        if let Some(null) = self.null {
            found.add("", "brier_scaled", null.brier_scaled);
            found.add("", "log_loss_scaled", null.log_loss_scaled);
        }
        self.add_survival(&mut found);
        for (part, of) in parts("calibration", self.calibration.as_ref()) {
            for (name, value) in [
                ("observed_expected", of.observed_expected),
                ("in_the_large", of.in_the_large),
                ("intercept", of.intercept),
                ("slope", of.slope),
                ("ici", of.ici),
                ("e50", of.e50),
                ("e90", of.e90),
            ] {
                found.add(&part, name, value);
            }
        }
        for (part, of) in parts("thresholds", self.thresholds.as_ref()) {
            for at in &of.at {
                let threshold = number(at.threshold);
                let part = match part.strip_suffix(']') {
                    Some(time) => format!("{time}, {threshold}]"),
                    None => format!("{part}[{threshold}]"),
                };
                for (name, value) in [
                    ("sensitivity", at.sensitivity),
                    ("specificity", at.specificity),
                    ("ppv", at.ppv),
                    ("npv", at.npv),
                    ("net_benefit", at.net_benefit),
                ] {
                    found.add(&part, name, value);
                }
            }
        }
        if let Some(confusion) = &self.confusion {
            for (part, of) in [
                ("confusion.macro", confusion.macro_average),
                ("confusion.micro", confusion.micro_average),
            ] {
                found.add(part, "precision", Some(of.precision));
                found.add(part, "recall", Some(of.recall));
                found.add(part, "f1", Some(of.f1));
                found.add(part, "auc", of.auc);
            }
        }
        found.0
    }

    fn add_survival(&self, found: &mut Figures) {
        let of = &self.survival;
        found.add("", "uno_c", of.uno_c.flatten());
        found.add("", "tauc_mean", of.tauc_mean.flatten());
        found.add("", "ibs", of.ibs.flatten());
        found.add("", "ibs_scaled", of.ibs_scaled);
        let values = |of: &Option<Option<Vec<f64>>>| {
            let values = of.iter().flatten().flatten();
            values.map(|&value| Some(value)).collect::<Vec<_>>()
        };
        let scaled = of.brier_scaled.clone().unwrap_or_default();
        for (name, values) in [
            ("tauc", values(&of.tauc)),
            ("brier", values(&of.brier)),
            ("brier_scaled", scaled),
        ] {
            for (time, value) in self.times.iter().zip(values) {
                found.add("", &format!("{name}[{}]", number(*time)), value);
            }
        }
    }
}

impl Intervals {
    pub(super) fn of(
        bootstrap: &Bootstrap,
        response: &Response,
        figures: BTreeMap<String, Option<Interval>>,
    ) -> Intervals {
        Intervals {
            level: 0.95,
            samples: bootstrap.samples,
            seed: bootstrap.seed,
            drawn: drawn(response).into(),
            figures,
        }
    }
}

/// What a bootstrap draws of these rows.
pub(super) fn drawn(response: &Response) -> &'static str {
    match response.clusters {
        Some(_) => "clusters",
        None => "rows",
    }
}

impl Asked {
    /// An agreement with its curve only where that is wanted.
    fn shown(&self, of: Agreement) -> Agreement {
        Agreement {
            curve: of.curve.filter(|_| self.curves),
            ..of
        }
    }

    /// The same without what no sample needs.
    pub(super) fn of_sample(&self) -> Asked {
        Asked {
            curves: false,
            bootstrap: None,
            ..self.clone()
        }
    }
}

impl<T> Part<T> {
    fn at(time: f64, of: T) -> Self {
        Part {
            class: None,
            time: Some(time),
            of,
        }
    }
}

#[derive(Default)]
struct Figures(BTreeMap<String, f64>);

impl Figures {
    fn add(&mut self, part: &str, name: &str, value: Option<f64>) {
        let name = match part {
            "" => name.to_string(),
            part => format!("{part}.{name}"),
        };
        let value = value.filter(|value| value.is_finite());
        self.0.extend(value.map(|value| (name, value)));
    }
}

/// The parts with their names.
fn parts<'a, T>(name: &str, each: Option<&'a Each<T>>) -> Vec<(String, &'a T)> {
    match each {
        None => vec![],
        Some(Each::Whole(of)) => vec![(name.into(), of)],
        Some(Each::Parts(parts)) => {
            let named = |part: &'a Part<T>| {
                let of_time = || part.time.map(number);
                let key = part.class.clone().or_else(of_time).unwrap_or_default();
                (format!("{name}[{key}]"), &part.of)
            };
            parts.iter().map(named).collect()
        }
    }
}

/// The figures of all rows and of bootstrap samples, in the order of their names.
fn replicates(
    bootstrap: &Bootstrap,
    names: &[String],
    predicted: &Predicted,
    response: &Response,
    asked: &Asked,
) -> Replicates {
    let asked = asked.of_sample();
    bootstrap.replicates(response, |rows| {
        let found = Evaluation::plain(&predicted.rows(rows), &response.rows(rows), &asked);
        let figures = found.map(|found| found.figures()).unwrap_or_default();
        names
            .iter()
            .map(|name| figures.get(name).copied())
            .collect()
    })
}

/// The interval of an AUC by its placements, where rows are independent and count once each.
fn analytic(name: &str, predicted: &Predicted, response: &Response) -> Option<Interval> {
    if name != Metric::Auc.name() || !independent(response) {
        return None;
    }
    let (Prediction::Probabilities(p), Outcome::Classes { labels, .. }) =
        (&predicted.prediction, &response.outcome)
    else {
        return None;
    };
    delong(&positive(labels), &p[1], response.weights())
        .ok()?
        .interval
}

/// Whether rows are units of their own that count once each.
pub(super) fn independent(response: &Response) -> bool {
    response.clusters.is_none() && response.weights.is_none()
}

fn or_note<T>(notes: &mut Vec<String>, name: &str, found: Result<T>) -> Option<T> {
    let are = if name.contains(" and ") { "are" } else { "is" };
    found
        .map_err(|reason| notes.push(format!("{name} {are} undefined: {reason}")))
        .ok()
}

/// Refuses predictions of another number of rows, and of other times.
pub(super) fn check_lengths(
    predicted: &Predicted,
    response: &Response,
    asked: &Asked,
) -> Result<()> {
    let n = response.len();
    let curves = predicted.survival.len();
    if curves > 0 && curves != asked.times.len() {
        return Err(Error::Data(format!(
            "survival is predicted at {curves} times, but {} are given",
            asked.times.len()
        )));
    }
    let own = Some(&predicted.own).filter(|own| !own.is_empty());
    let columns = predicted.prediction.columns().iter();
    for column in columns.chain(&predicted.survival).chain(own) {
        super::check_rows(n, "prediction", column.len())?;
    }
    response.check_weights()?;
    response.check_folds()
}
