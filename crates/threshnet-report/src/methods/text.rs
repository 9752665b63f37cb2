//! The paragraphs of a methods section, each made of what the fit did.

use super::judged::{importance, measures, validation};
use super::sources::{Cited, Source};
use crate::words::{self, count, percent};
use threshnet::dataset::Task;
use threshnet::format::{number, short};
use threshnet::loss::Ties;
use threshnet::report::{ErrorControl, FitReport, Note, OutcomeKind};
use threshnet::settings::{Named, PenaltyName, Protocol, Rule, SolverName, Validation};

/// Names of columns in a sentence, at most.
const NAMED: usize = 8;

/// A methods section.
pub struct Methods {
    pub paragraphs: Vec<Paragraph>,
    /// In the order of their numbers in the text.
    pub references: Vec<&'static str>,
}

/// A paragraph under a word of its own.
pub struct Paragraph {
    pub title: &'static str,
    pub text: String,
}

/// That of a fit.
pub fn methods(report: &FitReport) -> Methods {
    let mut cited = Cited::default();
    let all = [
        ("Data and outcome", Some(data(report))),
        ("Missing values", Some(missing(report, &mut cited))),
        ("Model", Some(model(report, &mut cited))),
        ("Selection and tuning", Some(tuning(report))),
        (
            "Error control",
            report.control.as_ref().map(|of| control(of, &mut cited)),
        ),
        ("Competing models", competing(report, &mut cited)),
        ("Validation", Some(validation(report, &mut cited))),
        ("Performance measures", measures(report, &mut cited)),
        ("Importance", importance(report)),
        ("Software", Some(software(report, &mut cited))),
    ];
    let paragraphs = all
        .into_iter()
        .filter_map(|(title, text)| Some(Paragraph { title, text: text? }));
    Methods {
        paragraphs: paragraphs.collect(),
        references: cited.list(),
    }
}

fn data(report: &FitReport) -> String {
    let facts = &report.data;
    let outcome = match &report.outcome.kind {
        OutcomeKind::Number { mean, sd, .. } => format!(
            "The outcome was {}, a number (mean {}, standard deviation {})",
            words::outcome(report),
            short(*mean),
            short(*sd)
        ),
        OutcomeKind::Classes { classes } => {
            let told: Vec<String> = classes
                .iter()
                .map(|class| format!("{} ({} rows)", class.name, count(class.rows)))
                .collect();
            format!(
                "The outcome was {}: {}",
                words::outcome(report),
                told.join(", ")
            )
        }
        OutcomeKind::Survival { events, longest } => format!(
            "The outcome was time to event ({} in column {}, {} of {} rows with the event, the others \
             censored, longest time {})",
            report.outcome.columns.get(1).map_or("event", |name| name),
            words::time_name(report),
            count(*events),
            count(facts.n),
            number(*longest)
        ),
    };
    let texts = match report.procedure.texts {
        0 => String::new(),
        texts => format!(
            ", {} of them categorical, each entered as a group of indicator columns that is selected or \
             left out as one",
            count(texts)
        ),
    };
    let constant = match facts.constant {
        0 => String::new(),
        1 => " One had a single value in all rows and could not be selected.".into(),
        more => format!(
            " {} had a single value in all rows and could not be selected.",
            count(more)
        ),
    };
    let standardised = match (report.model.standardized, report.task) {
        (true, Task::Regression) => {
            " Predictors and outcome were standardised to mean 0 and standard \
             deviation 1, by the rows learned from in every split."
        }
        (true, _) => {
            " Predictors were standardised to mean 0 and standard deviation 1, by the rows learned \
             from in every split."
        }
        (false, _) => " Predictors were taken on their own scales, without standardisation.",
    };
    format!(
        "We analysed {} with {} candidate predictors{texts}.{constant} {outcome}.{standardised} [Authors: where, \
         when and how the data were collected; who was eligible; how outcome and predictors were defined and \
         measured.]",
        words::rows(report),
        count(facts.d)
    )
}

fn missing(report: &FitReport, cited: &mut Cited) -> String {
    let mut told = vec![];
    for note in &report.notes {
        match note {
            Note::Imputed {
                cells,
                columns,
                chains,
            } => {
                let how = match chains {
                    None => "by the median of the predictor, for a categorical one by its most frequent \
                             level"
                        .into(),
                    Some(chains) => format!(
                        "in {chains} ways by chained equations {}; each repeated fit learned from one of the \
                         imputed data sets, and selection and predictions pooled over them",
                        cited.mark(Source::Chained)
                    ),
                };
                told.push(format!(
                    "{} missing cells in {} predictors were imputed {how}. What is imputed was learned in every \
                     split from the rows learned from alone.",
                    count(*cells),
                    count(*columns)
                ));
            }
            Note::Dropped { rows, of } => told.push(format!(
                "{} of {} rows were left out because of a missing cell (complete cases).",
                count(*rows),
                count(*of)
            )),
            _ => {}
        }
    }
    if report.settings.contains_key("missing_indicators") && !told.is_empty() {
        told.push(
            "Each predictor with missing cells had an indicator of missingness in its group."
                .into(),
        );
    }
    if told.is_empty() {
        return "The analysed predictors had no missing cells. [Authors: say so if rows or predictors were \
                left out before.]"
            .into();
    }
    told.push("[Authors: why the cells are missing.]".into());
    told.join(" ")
}

fn model(report: &FitReport, cited: &mut Cited) -> String {
    let (facts, procedure) = (&report.model, &report.procedure);
    // (error control leaves a last fit without a penalty on columns)
    let concavity = procedure
        .concavity
        .map_or(String::new(), |a| format!(", a = {}", number(a)));
    let (penalty, source) = match facts.penalty {
        PenaltyName::Lasso if facts.is_linear() => ("LASSO".to_string(), Source::Lasso),
        PenaltyName::Lasso => ("group LASSO".into(), Source::GroupLasso),
        PenaltyName::Mcp => (
            format!("minimax concave penalty (MCP{concavity})"),
            Source::Mcp,
        ),
        PenaltyName::Scad => {
            let name = "smoothly clipped absolute deviation penalty";
            (format!("{name} (SCAD{concavity})"), Source::Scad)
        }
    };
    let loss = match report.task {
        Task::Regression => "the squared error".to_string(),
        Task::Binary => "the logistic loss".into(),
        Task::Multiclass => "the multinomial logistic loss".into(),
        Task::Cox => {
            let cox = cited.mark(Source::Cox);
            let (how, source) = match procedure.ties {
                Some(Ties::Efron) => ("Efron", Source::Efron),
                _ => ("Breslow", Source::Breslow),
            };
            let ties = cited.mark(source);
            format!("the Cox partial likelihood {cox} (ties by the method of {how} {ties})")
        }
    };
    let source = cited.mark(source);
    let described = match facts.is_linear() {
        true => {
            let group = match procedure.texts {
                0 => String::new(),
                _ => format!(
                    " Indicator columns of a categorical predictor formed a group {}.",
                    cited.mark(Source::GroupLasso)
                ),
            };
            format!(
                "The model is a linear model that minimises {loss} with the {penalty} {source} on its \
                 predictors and a ridge penalty.{group}"
            )
        }
        false => {
            let of = cited.mark(Source::SparseInput);
            let widths: Vec<String> = facts.hidden.iter().map(usize::to_string).collect();
            let shortcut = match facts.shortcut {
                true => " and a direct linear connection of the predictors to the output",
                false => "",
            };
            format!(
                "The model is a sparse-input neural network {of}: a feed-forward network with {} units in its \
                 hidden layers, {} activation{shortcut}, that minimises {loss}. All weights leaving a predictor \
                 form a group under the {penalty} {source}, so that a predictor is in the model with all its \
                 connections or not at all; a ridge penalty covers all weights.",
                widths.join(" and "),
                facts.activation.name(),
            )
        }
    };
    let start = match procedure.given_start {
        true => " from the weights of a given model",
        false => " from random weights",
    };
    let solved = match (facts.is_linear(), procedure.solver) {
        (true, SolverName::Adam) if report.models.is_empty() => {
            format!(
                "It was fitted by Adam {} with group thresholding.",
                cited.mark(Source::Adam)
            )
        }
        (true, SolverName::Proximal) if report.models.is_empty() => {
            "It was fitted by proximal gradient steps with line search.".into()
        }
        (true, _) if report.task == Task::Multiclass && !report.models.is_empty() => {
            "It was fitted by coordinate descent or proximal gradient steps.".into()
        }
        (true, _) => format!(
            "It was fitted by coordinate descent {}.",
            cited.mark(Source::Descent)
        ),
        (false, SolverName::Proximal) => {
            format!("It was fitted{start} by composite gradient descent with line search.")
        }
        (false, _) => format!(
            "It was fitted{start} by Adam {} (learning rate {}) with group thresholding, for at most {} epochs at \
             the smallest λ and {} at each larger one.",
            cited.mark(Source::Adam),
            number(procedure.learning_rate.unwrap_or(0.001)),
            count(procedure.first_epochs),
            count(procedure.epochs)
        ),
    };
    let kept: Vec<&str> = report
        .selected
        .iter()
        .filter(|of| of.kept)
        .map(|of| &of.name[..])
        .collect();
    let kept = match &kept[..] {
        [] => String::new(),
        names => format!(
            " Chosen beforehand to stay in the model, without a penalty: {}.",
            listed(names)
        ),
    };
    let groups: Vec<&str> = report
        .selected
        .iter()
        .filter_map(|of| of.group.as_deref())
        .collect();
    let groups = match groups.is_empty() {
        true => "",
        false => " Groups of predictors given beforehand were selected or left out as one.",
    };
    let weight = match report.data.weight {
        None => "",
        Some(_) => " Rows counted with their case weights.",
    };
    format!("{described} {solved}{kept}{groups}{weight}")
}

fn tuning(report: &FitReport) -> String {
    let of = &report.validation;
    let grid = grid(report);
    let stratified = match report.task {
        Task::Regression => "",
        Task::Binary | Task::Multiclass => ", stratified by class",
        Task::Cox => ", stratified by event",
    };
    let clusters = match report.data.clusters {
        None => "",
        Some(_) => " No split divided a cluster.",
    };
    let screened = match report.procedure.screened {
        None => String::new(),
        Some(kept) => format!(
            " Before every fit predictors were screened, in the rows learned from, down to {}.",
            count(kept)
        ),
    };
    let text = match of.how {
        Validation::Draws { share, .. } => {
            let look = match report.procedure.second_look {
                true => {
                    " Each fit looked again at predictors it had left out, alone, squared and in products, \
                          where these were associated with what was not yet explained."
                }
                false if report.models.is_empty() => "",
                false => {
                    " Where a linear model was ahead on the held-out rows, a network's fit looked again at predictors \
                          it had left out."
                }
            };
            let picked = match report.model.is_linear() && !report.models.is_empty() {
                true => "λ and ridge were those that predicted the held-out rows of all fits best",
                false => "each fit chose the λ and ridge that predicted its held-out rows best",
            };
            let threshold = match report.threshold {
                Some(share) => format!("by at least {} of the fits", percent(share)),
                None => "by enough of the fits".into(),
            };
            let last = match report.is_null() {
                true => {
                    "On folds that no fit had seen, the result did not predict better than no predictor at all, \
                         and none was retained."
                }
                false if report.model.is_linear() => {
                    "The model was then fitted again on the retained predictors and all rows, with as much \
                     of the penalties as predicted folds best that no fit had seen."
                }
                false => {
                    "The networks of all fits were then fitted again on the retained predictors and all rows, \
                     with as much of the penalties as predicted folds best that no fit had seen, and their \
                     predictions averaged."
                }
            };
            format!(
                "The fit was repeated {} times, each time without {} of the rows, drawn at random{stratified}; \
                 {picked} ({grid}).{look} A predictor was retained if it was selected {threshold}, each weighted \
                 by how much of its held-out rows' loss it explained. {last}",
                of.how.splits(),
                percent_exact(share)
            )
        }
        Validation::Folds { count } => format!(
            "λ and ridge were chosen by {count}-fold cross-validation{stratified} ({grid}): {}.{}",
            rule(of.rule),
            refit(of.refit)
        ),
        Validation::Holdout {
            share,
            stratified: is,
        } => format!(
            "λ and ridge were chosen on one random hold-out of {} of the rows{} ({grid}): {}.{}",
            percent_exact(share),
            if is { stratified } else { ", not stratified" },
            rule(of.rule),
            refit(of.refit)
        ),
        Validation::None => format!(
            "λ and ridge were given beforehand (λ = {}, ridge = {}); nothing was tuned on these data. [Authors: \
             where these values come from.]",
            short(report.model.lambda),
            short(report.model.ridge)
        ),
    };
    let chosen = match of.how {
        Validation::None => String::new(),
        // (columns that error control selected are not penalised again)
        _ if report.control.is_some() => {
            format!(
                " The last fit had no penalty on predictors and a ridge of {}.",
                short(report.model.ridge)
            )
        }
        Validation::Draws { .. } if !report.model.is_linear() => format!(
            " The median λ of the fits was {}, the median ridge {}.",
            short(report.model.lambda),
            short(report.model.ridge)
        ),
        _ => format!(
            " Chosen were λ = {} and ridge = {}.",
            short(report.model.lambda),
            short(report.model.ridge)
        ),
    };
    let selected = match report.selected.len() {
        0 => " No predictor was selected.".to_string(),
        1 => " One predictor was selected.".into(),
        more => format!(" {} predictors were selected.", count(more)),
    };
    format!("{text}{chosen}{screened}{clusters}{selected}")
}

/// A share in percent, to one digit where it takes that.
fn percent_exact(share: f64) -> String {
    format!("{} %", number((1000.0 * share).round() / 10.0))
}

/// What was tried.
fn grid(report: &FitReport) -> String {
    let ridges = report.validation.by_ridge();
    let lambdas: Vec<f64> = ridges
        .first()
        .map_or(vec![], |of| of.iter().map(|p| p.lambda).collect());
    let ridges: Vec<f64> = ridges
        .iter()
        .filter_map(|of| Some(of.first()?.ridge))
        .collect();
    let told = |name: &str, many: &str, values: &[f64]| match values {
        [] => format!("no {name}"),
        [one] => format!("{name} {}", short(*one)),
        [first, .., last] => {
            format!(
                "{} {many} from {} to {}",
                values.len(),
                short(*first),
                short(*last)
            )
        }
    };
    format!(
        "{}; {}",
        told("λ", "values of λ", &lambdas),
        told("ridge", "of ridge", &ridges)
    )
}

fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Min => "those with the smallest loss on rows held out",
        Rule::OneStandardError => {
            "the largest λ, at the best ridge, whose loss on rows held out was within one standard error of the \
             smallest"
        }
    }
}

fn refit(refit: bool) -> &'static str {
    match refit {
        true => " The model was then fitted again on all rows.",
        false => " The model is that of the rows learned from; it was not fitted again.",
    }
}

fn control(control: &ErrorControl, cited: &mut Cited) -> String {
    match control {
        ErrorControl::Stability {
            pairs,
            threshold,
            false_at_most,
            ..
        } => format!(
            "Predictors were selected by stability selection {} over {pairs} pairs of complementary half-samples, \
             in each of which the fit was tuned anew; retained were those that at least {} of the {} half-samples \
             selected, so that on average at most {} of them are no better than chance. The model was then fitted on \
             these alone.",
            cited.mark(Source::Stability),
            percent(*threshold),
            2 * pairs,
            short(*false_at_most)
        ),
        ErrorControl::Fdr {
            rate,
            runs,
            threshold,
        } => {
            let result = match threshold {
                Some(_) => "The model was then fitted on the selected predictors alone.",
                None => "No predictor could be certified at this rate.",
            };
            format!(
                "Predictors were selected at a false-discovery rate of {} by Gaussian model-X knockoffs {} \
                 ({runs} runs, statistics averaged), which takes the predictors to be roughly normal. {result}",
                percent_exact(*rate),
                cited.mark(Source::Knockoffs)
            )
        }
    }
}

fn competing(report: &FitReport, cited: &mut Cited) -> Option<String> {
    if report.models.len() < 2 {
        return None;
    }
    let told: Vec<String> = (report.models.iter())
        .map(|of| {
            let loss = match of.loss.mean.is_finite() {
                true => format!("loss {} (SE {})", short(of.loss.mean), short(of.loss.se)),
                false => "loss undefined".into(),
            };
            format!(
                "{} under {}, {} predictors, {loss}",
                of.title(),
                of.penalty.name(),
                of.size
            )
        })
        .collect();
    let rule = match report.procedure.linear_may_win {
        true => {
            "A linear model was to replace the network where it lost less on the same held-out rows by more \
                 than a standard error (with more predictors than rows the network had to be ahead of the LASSO by \
                 as much)"
        }
        false => "They were for comparison and could not replace the network",
    };
    let chosen = report.models.iter().find(|of| of.chosen);
    let chosen = chosen.map_or(String::new(), |of| {
        format!(
            " The model is the {} one under {}.",
            of.title(),
            of.penalty.name()
        )
    });
    Some(format!(
        "Beside the network, linear models were fitted by coordinate descent {} and validated in the same way: {}. \
         {rule}.{chosen}",
        cited.mark(Source::Descent),
        told.join("; ")
    ))
}

fn software(report: &FitReport, cited: &mut Cited) -> String {
    let protocol = match report.run.protocol {
        Protocol::Default => "default protocol".to_string(),
        Protocol::Paper => format!(
            "the published procedure {}",
            cited.mark(Source::SparseInput)
        ),
    };
    let settings = match report.settings.is_empty() {
        true => "All settings were the defaults.".to_string(),
        false => {
            let given = report.settings.iter();
            let given: Vec<String> = given
                .map(|(name, value)| format!("{name} {}", words::setting(value)))
                .collect();
            format!("Settings other than the defaults: {}.", given.join("; "))
        }
    };
    let file = report.origin.as_ref().and_then(|of| of.file.as_ref());
    let file = file.map_or(String::new(), |file| {
        format!(" The data file had the SHA-256 checksum {}.", file.sha256)
    });
    format!(
        "The analysis was made with threshnet {} ({protocol}, seed {}, {}). {settings}{file} Reporting follows \
         TRIPOD+AI {}.",
        report.version,
        report.run.seed,
        report.run.instruction_set.name(),
        cited.mark(Source::Tripod)
    )
}

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    let shown = names
        .iter()
        .take(NAMED)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
