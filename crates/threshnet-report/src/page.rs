//! The page: what the template is filled with.

use super::checks::{Check, checks, warnings};
use super::figure::{Figure, Layer};
use super::figures::{self, held_out::risk_name, validation::chosen_ridge};
use super::table::{self, Table};
use super::{plotly, svg, words};
use anyhow::Result;
use askama::Template;
use serde_json::json;
use std::collections::BTreeMap;
use threshnet::dataset::Task;
use threshnet::format::short;
use threshnet::report::{Curves, DataFile, FitReport, LossName, OutcomeKind};
use threshnet::settings::{Named, Validation};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a FitReport,
    outcome: String,
    answer: String,
    facts: Vec<(&'static str, String)>,
    columns: Vec<Column>,
    swing_explained: String,
    near: Vec<String>,
    models: Table,
    interactions: Table,
    scores: Vec<(&'static str, String)>,
    training: Vec<(&'static str, String)>,
    settings: Vec<String>,
    seconds: String,
    /// Whether there were draws.
    is_drawn: bool,
    file: Option<&'a DataFile>,
    more_columns: usize,
    checks: Vec<Check>,
    warnings: Vec<String>,
    path: Vec<Drawn>,
    path_of: String,
    validation: Vec<Drawn>,
    effects: Vec<Drawn>,
    joint: Vec<Drawn>,
    held_out: Vec<Drawn>,
    held_out_means: String,
    confusion: Option<Table>,
    at_risk: Option<Table>,
    log_rank: Option<String>,
    certificate: String,
    command: Option<String>,
    style: &'static str,
    script: &'static str,
    plotly: String,
    /// Data of figures and of the path, as JSON that is safe in a page.
    data: String,
}

/// A selected column, as a row of the table.
struct Column {
    name: String,
    /// Its norm, as a share of the largest.
    bar: String,
    norm: String,
    frequency: Option<String>,
    direction: String,
    swing: String,
    curve: String,
}

/// A figure on the page.
struct Drawn {
    id: String,
    title: String,
    table: Table,
}

/// The text of `report.html`.
pub fn html(report: &FitReport) -> Result<String> {
    let all = figures::all(report);
    let of = |ids: &[&str]| -> Vec<Drawn> {
        let belongs = |figure: &&Figure| ids.iter().any(|id| figure.id.starts_with(id));
        all.iter().filter(belongs).map(drawn).collect()
    };
    let held_out = report.held_out.as_ref();
    let curves = held_out.and_then(|of| of.curves.as_ref());
    let page = Page {
        outcome: words::outcome(report),
        answer: words::answer(report),
        facts: facts(report),
        columns: columns(report),
        swing_explained: words::swing_explained(report),
        near: (report.near.iter())
            .map(|near| format!("{} ({})", near.name, words::percent(near.frequency)))
            .collect(),
        models: models(report),
        interactions: interactions(report),
        scores: (held_out.iter().flat_map(|of| &of.metrics))
            .filter_map(|(&metric, estimate)| {
                Some((metric.title(), words::with_interval(metric, (*estimate)?)))
            })
            .collect(),
        training: (report.train.iter())
            .filter_map(|(&metric, value)| {
                Some((metric.title(), words::metric_value(metric, (*value)?)))
            })
            .collect(),
        settings: (report.settings.iter())
            .map(|(name, value)| format!("{name} {}", words::setting(value)))
            .collect(),
        seconds: format!("{:.1}", report.run.seconds),
        is_drawn: matches!(report.validation.how, Validation::Draws { .. }),
        file: report.origin.as_ref().and_then(|of| of.file.as_ref()),
        more_columns: report.selected.len().saturating_sub(report.effects.len()),
        checks: checks(report),
        warnings: warnings(report),
        path: of(&["path", "sizes"]),
        path_of: path_of(report),
        validation: of(&["surface", "validation"]),
        effects: of(&["effect-"]),
        joint: of(&["joint"]),
        held_out: of(&[
            "predicted-observed",
            "roc",
            "precision-recall",
            "calibration",
            "kaplan-meier",
            "time-auc",
        ]),
        held_out_means: held_out.map_or(String::new(), words::held_out_means),
        confusion: curves.and_then(|curves| confusion(report, curves)),
        at_risk: curves.and_then(|curves| at_risk(report, curves)),
        log_rank: curves.and_then(log_rank),
        certificate: words::certificate(report),
        command: report.origin.as_ref().map(|origin| {
            shlex::try_join(origin.command.iter().map(|word| &word[..]))
                .unwrap_or_else(|_| origin.command.join(" "))
        }),
        style: include_str!("page/report.css"),
        script: include_str!("page/report.js"),
        plotly: plotly::script(),
        data: data(report, &all)?,
        report,
    };
    Ok(page.render()?)
}

fn drawn(figure: &Figure) -> Drawn {
    Drawn {
        id: figure.id.clone(),
        title: figure.title.clone(),
        table: table::of(figure),
    }
}

/// The question: data, outcome, settings.
fn facts(report: &FitReport) -> Vec<(&'static str, String)> {
    let (data, model) = (&report.data, &report.model);
    let mut facts = Vec::new();
    if let Some(file) = report.origin.as_ref().and_then(|of| of.file.as_ref()) {
        facts.push(("Data", file.name.clone()));
    }
    facts.push((
        "Size",
        format!(
            "{} rows, {} columns to choose from",
            words::count(data.n),
            words::count(data.d)
        ),
    ));
    let kind = match &report.outcome.kind {
        OutcomeKind::Number { mean, sd, .. } => format!(
            "{}, a number; mean {}, standard deviation {}",
            words::outcome(report),
            short(*mean),
            short(*sd)
        ),
        OutcomeKind::Survival { events, longest } => format!(
            "time to {} (column {}); {} events in {} rows, the others censored; longest time {}",
            report.outcome.columns.get(1).map_or("event", |name| name),
            words::time_name(report),
            words::count(*events),
            words::count(data.n),
            short(*longest)
        ),
        OutcomeKind::Classes { classes } => {
            let classes: Vec<String> = (classes.iter())
                .map(|class| format!("{} ({} rows)", class.name, words::count(class.rows)))
                .collect();
            format!("{}: {}", words::outcome(report), classes.join(", "))
        }
    };
    facts.push(("Outcome", kind));
    if let Some(positive) = report.positive_class() {
        facts.push(("Predicted", format!("the probability of {positive}")));
    }
    let widths: Vec<String> = model.hidden.iter().map(usize::to_string).collect();
    facts.push((
        "Model",
        match (model.networks, &widths[..]) {
            (1, []) => "a linear model".into(),
            (many, []) => format!("the mean of {many} linear models"),
            (1, widths) => format!("a network with hidden layers {}", widths.join(", ")),
            (many, widths) => {
                format!(
                    "the mean of {many} networks with hidden layers {}",
                    widths.join(", ")
                )
            }
        } + &format!("; penalty {}", model.penalty.name()),
    ));
    let rule = report.validation.rule.name();
    facts.push((
        "Chosen by",
        match report.validation.how {
            Validation::Draws { count, .. } => format!(
                "{count} repeated fits (draws), each with rows held out and starts of its own; a column is \
                 selected if {} of them select it, each weighted by how well it predicts",
                report.threshold.map_or("enough".into(), words::percent)
            ),
            Validation::Folds { count } => {
                format!("cross-validation in {count} folds, rule {rule}")
            }
            Validation::Holdout { .. } => format!("one hold-out, rule {rule}"),
            Validation::None => "nothing: λ and ridge were given".into(),
        },
    ));
    facts.push((
        "λ and ridge",
        format!("{} and {}", short(model.lambda), short(model.ridge)),
    ));
    if let Some(loss) = report.validation.loss.filter(|loss| loss.mean.is_finite()) {
        let se = match loss.se.is_finite() {
            true => format!(" (standard error {})", short(loss.se)),
            false => String::new(),
        };
        let name = LossName::of(report.task).title();
        facts.push(("Held-out loss", format!("{name} {}{se}", short(loss.mean))));
    }
    facts
}

fn columns(report: &FitReport) -> Vec<Column> {
    let strongest = report.selected.first().map_or(1.0, |column| column.norm);
    let drawn = figures::effects::small(&report.effects);
    let curve = |name: &str| drawn.iter().find(|figure| figure.id == name);
    let effect = |name: &str| report.effects.iter().find(|effect| effect.name == name);
    (report.selected.iter())
        .map(|column| {
            let effect = effect(&column.name);
            Column {
                name: column.name.clone(),
                bar: format!("{:.0}", 100.0 * column.norm / strongest),
                norm: format!("{:.3}", column.norm),
                frequency: column.frequency.map(words::percent),
                direction: effect.map_or(String::new(), |of| words::direction(report, of)),
                swing: effect.map_or(String::new(), |of| words::swing(report, of)),
                curve: curve(&column.name).map_or(String::new(), svg::sparkline),
            }
        })
        .collect()
}

/// The network and the linear models beside it.
fn models(report: &FitReport) -> Table {
    let known = |value: f64| match value.is_finite() {
        true => short(value),
        false => "–".into(),
    };
    let head = [
        "model",
        "penalty",
        "columns",
        "held-out loss",
        "standard error",
        "more than the network",
    ];
    let rows = report.models.iter().map(|of| {
        let behind = match of.behind {
            Some(behind) => format!("{} ± {}", known(behind.mean), known(behind.se)),
            None => "–".into(),
        };
        let chosen = if of.chosen { " – the model" } else { "" };
        vec![
            format!("{}{chosen}", of.title()),
            of.penalty.name().into(),
            of.size.to_string(),
            known(of.loss.mean),
            known(of.loss.se),
            behind,
        ]
    });
    Table {
        head: head.map(String::from).to_vec(),
        rows: rows.collect(),
    }
}

fn interactions(report: &FitReport) -> Table {
    let rows = report.interactions.iter().map(|pair| {
        vec![
            format!("{} × {}", pair.first, pair.second),
            short(pair.strength),
            words::percent(pair.h2),
        ]
    });
    Table {
        head: ["columns", "strength", "share H²"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// Which path it is that is shown.
fn path_of(report: &FitReport) -> String {
    let path = &report.path;
    let most = path.sizes.first().copied().unwrap_or(0);
    let least = match path.sizes.last() {
        Some(0) | None => "until none is left".into(),
        Some(left) => format!("until {} are left", words::count(*left)),
    };
    let story = format!(
        "At the smallest penalty λ there are {} columns in the model. As λ grows, those that do not pay \
         for themselves leave, {least}.",
        words::count(most)
    );
    match report.validation.how {
        Validation::Draws { count, .. } => format!(
            "{story} Shown is the path of the first of {count} repeated fits, and the λ that this one \
             chose. Fits differ, so a column may be selected in the end that this one drops, or the other \
             way round."
        ),
        _ => format!("{story} Shown is the path that the model is on."),
    }
}

fn confusion(report: &FitReport, curves: &Curves) -> Option<Table> {
    let (Curves::Binary { confusion, .. } | Curves::Multiclass { confusion }) = curves else {
        return None;
    };
    let classes = report.classes();
    let mut head = vec!["truth \\ predicted".to_string()];
    head.extend(classes.iter().map(|class| class.name.clone()));
    let rows = classes.iter().zip(confusion).map(|(class, counts)| {
        let mut row = vec![class.name.clone()];
        row.extend(counts.iter().map(|&rows| words::count(rows)));
        row
    });
    Some(Table {
        head,
        rows: rows.collect(),
    })
}

fn at_risk(report: &FitReport, curves: &Curves) -> Option<Table> {
    let Curves::Cox {
        groups, risk_times, ..
    } = curves
    else {
        return None;
    };
    let mut head = vec![format!("at risk at {} =", words::time_name(report))];
    head.extend(risk_times.iter().map(|&time| format!("{time:.0}")));
    head.push("events in all".into());
    let rows = groups.iter().enumerate().map(|(number, group)| {
        let mut row = vec![risk_name(number, groups.len()).to_string()];
        row.extend(group.at_risk.iter().map(|&rows| words::count(rows)));
        row.push(words::count(group.events));
        row
    });
    Some(Table {
        head,
        rows: rows.collect(),
    })
}

fn log_rank(curves: &Curves) -> Option<String> {
    let Curves::Cox {
        log_rank,
        time_auc_mean,
        ..
    } = curves
    else {
        return None;
    };
    let test = log_rank.as_ref().map(|test| {
        let p = match test.p {
            p if p < 1e-4 => "p < 0.0001".to_string(),
            p => format!("p = {}", short(p)),
        };
        format!(
            "Do the groups differ? Log-rank test: χ² = {:.1} with {} degrees of freedom, {p}.",
            test.chi_squared, test.degrees
        )
    });
    let mean = time_auc_mean.map(|mean| format!("Mean AUC over time: {mean:.2}."));
    let said: Vec<String> = [test, mean].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// What the page's script reads.
fn data(report: &FitReport, all: &[Figure]) -> Result<String> {
    let mut figures = BTreeMap::new();
    for figure in all {
        let drawn: serde_json::Value = serde_json::from_str(&plotly::json(figure))?;
        figures.insert(&figure.id[..], drawn);
    }
    let path = &report.path;
    let ridge = chosen_ridge(report);
    let loss = |lambda: f64| {
        let mut grid = report.validation.grid.iter();
        grid.find(|point| Some(point.ridge) == ridge && point.lambda == lambda)?
            .validation_loss
    };
    let traces: Vec<&str> = (all.iter().filter(|figure| figure.id == "path"))
        .flat_map(|figure| &figure.layers)
        .map(|layer| match layer {
            Layer::Line { name, .. } => &name[..],
            _ => "",
        })
        .collect();
    let text = json!({
        "figures": figures,
        "path": {
            "lambdas": path.lambdas,
            "sizes": path.sizes,
            "chosen": path.chosen,
            "columns": path.columns,
            "losses": path.lambdas.iter().map(|&lambda| loss(lambda)).collect::<Vec<_>>(),
            "loss": LossName::of(report.task).title(),
            "traces": traces,
        },
    });
    // No text can end the element it is in.
    Ok(serde_json::to_string(&text)?.replace('<', "\\u003c"))
}
