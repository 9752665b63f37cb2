//! The page: what the template is filled with.

use super::checks::{checks, warnings};
use super::figure::{Figure, Layer};
use super::figures::{self, effects::sparklines, held_out::risk_name, validation::chosen_ridge};
use super::methods::{Item, Methods, items, methods};
use super::table::{self, Table};
use super::{plotly, words};
use anyhow::Result;
use askama::Template;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde_json::{Map, json};
use sha2::{Digest, Sha256};
use threshnet::certificate::Certificate;
use threshnet::dataset::Task;
use threshnet::format::{number, short};
use threshnet::report::{
    Coefficients, ColumnEffect, Curves, DataFile, Evidence, FitReport, LossName, OutcomeKind,
    SelectedColumn, ratio_name,
};
use threshnet::settings::{Named, Validation};

/// The page's own script.
const SCRIPT: &str = include_str!("page/report.js");

/// A certificate below this is as good as stationary.
const STATIONARY: f64 = 1e-3;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a FitReport,
    figures: &'a [Figure],
    outcome: String,
    /// The selected columns; the strongest with their effects, and these as small curves.
    columns: Vec<(&'a SelectedColumn, Option<(&'a ColumnEffect, String)>)>,
    /// The largest norm.
    strongest: f64,
    /// Whether it is known how often columns are selected.
    is_repeated: bool,
    scores: Vec<(&'static str, String)>,
    /// What is drawn and said of rows that nothing was learned from.
    curves: Option<&'a Curves>,
    evidence: Option<&'a Evidence>,
    methods: Methods,
    items: Vec<Item>,
    /// Whether there were draws.
    is_drawn: bool,
    file: Option<&'a DataFile>,
    command: Option<String>,
    plotly: String,
    script: &'static str,
    /// What the page may do: nothing but draw itself.
    policy: String,
    /// Data of figures and of the path, as JSON that is safe in a page.
    data: String,
}

/// The text of `report.html`.
pub fn html(report: &FitReport) -> Result<String> {
    let figures = figures::all(report);
    let plotly = plotly::script();
    let held_out = report.held_out.as_ref();
    let (curves, evidence) = figures::seen(report);
    let mut effects: Vec<(&ColumnEffect, String)> = sparklines(&report.effects);
    let page = Page {
        outcome: words::outcome(report),
        columns: (report.selected.iter())
            .map(|column| {
                let own = effects.iter().position(|(of, _)| of.name == column.name);
                (column, own.map(|own| effects.swap_remove(own)))
            })
            .collect(),
        strongest: report.selected.first().map_or(1.0, |column| column.norm),
        is_repeated: report.selected.iter().any(|of| of.frequency.is_some()),
        scores: (held_out.iter().flat_map(|of| &of.metrics))
            .filter_map(|(&metric, estimate)| {
                Some((metric.title(), words::with_interval(metric, (*estimate)?)))
            })
            .collect(),
        curves,
        evidence,
        methods: methods(report),
        items: items(report),
        is_drawn: matches!(report.validation.how, Validation::Draws { .. }),
        file: report.origin.as_ref().and_then(|of| of.file.as_ref()),
        command: report.origin.as_ref().map(|origin| {
            shlex::try_join(origin.command.iter().map(|word| &word[..]))
                .unwrap_or_else(|_| origin.command.join(" "))
        }),
        policy: policy(&[&plotly, SCRIPT]),
        plotly,
        script: SCRIPT,
        data: data(report, &figures)?,
        figures: &figures,
        report,
    };
    Ok(page.render()?)
}

impl Page<'_> {
    /// The figures whose names begin so.
    fn drawn(&self, beginnings: &[&str]) -> Vec<&Figure> {
        let belongs = |figure: &&Figure| beginnings.iter().any(|of| figure.id.starts_with(of));
        self.figures.iter().filter(belongs).collect()
    }

    /// A linear model, side by side per unit and per standard deviation, as ratios where there are any.
    fn coefficients(&self, of: &Coefficients) -> Table {
        let ratio = ratio_name(self.report.task).map(|(_, title)| title);
        let by_class = of.rows.iter().any(|row| row.class.is_some());
        let has_levels = of.rows.iter().any(|row| row.level.is_some());
        let mut head = vec!["column".to_string()];
        head.extend(has_levels.then(|| "level".into()));
        head.extend(by_class.then(|| "class".into()));
        head.extend(["coefficient per unit", "per SD"].map(String::from));
        head.extend(
            ratio
                .iter()
                .flat_map(|of| [format!("{of} per unit"), format!("{of} per SD")]),
        );
        head.push("SD".into());
        let rows = of.rows.iter().map(|row| {
            let (unit, sd) = (row.coefficient, row.per_sd());
            let mut cells = vec![row.name.clone()];
            cells.extend(has_levels.then(|| row.level.clone().unwrap_or_default()));
            cells.extend(by_class.then(|| row.class.clone().unwrap_or_default()));
            cells.extend([unit, sd].map(words::digits));
            let ratios = [unit.exp(), sd.exp()].map(words::digits);
            cells.extend(ratios.into_iter().filter(|_| ratio.is_some()));
            cells.push(words::digits(row.sd));
            cells
        });
        Table {
            head,
            rows: rows.collect(),
        }
    }

    /// Rows by class, `[truth][prediction]`.
    fn confusion(&self) -> Option<&[Vec<usize>]> {
        match self.curves? {
            Curves::Binary { confusion, .. } | Curves::Multiclass { confusion } => Some(confusion),
            Curves::Regression { .. } | Curves::Cox { .. } => None,
        }
    }
}

/// A content-security policy (W3C, level 3) for a page with these scripts alone. Whatever else got
/// into a page, by a name that some escape forgot, would not run; and nothing is loaded or sent.
fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!(" 'sha256-{}'", BASE64.encode(Sha256::digest(script)));
    let scripts: String = scripts.iter().map(hash).collect();
    // (plotly.js styles what it draws, and hands out pictures of it)
    format!(
        "default-src 'none'; script-src{scripts}; style-src 'unsafe-inline'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'"
    )
}

/// What the page's script reads.
fn data(report: &FitReport, all: &[Figure]) -> Result<String> {
    let drawn = |figure: &Figure| (figure.id.clone(), plotly::json(figure));
    let figures: Map<_, _> = all.iter().map(drawn).collect();
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
            "mark": words::chosen_lambda(report),
        },
    });
    // No text can end the element it is in.
    Ok(serde_json::to_string(&text)?.replace('<', "\\u003c"))
}
