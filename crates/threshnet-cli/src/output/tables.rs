//! The CSV files of a fit.

use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use threshnet::dataset::{Dataset, Features, Task};
use threshnet::format::number;
use threshnet::report::{Coefficients, GridPoint, SelectedColumn, ratio_name};
use threshnet::tune::Fit;
use threshnet_io::formula::guarded;

/// `selected.csv`: the selected columns, strongest first, with the share of repeated fits or
/// half-samples that selected each, and what was asked of any: `kept` and its group.
pub fn selected(
    selected: &[SelectedColumn],
    repeated: bool,
    features: &Features,
) -> Result<Vec<u8>> {
    let terms = features.terms();
    let (kept, grouped) = (!terms.kept().is_empty(), !terms.groups.is_empty());
    let mut header = vec!["name", "index", "norm"];
    header.extend(repeated.then_some("frequency"));
    header.extend(kept.then_some("kept"));
    header.extend(grouped.then_some("group"));
    let header: Vec<String> = header.into_iter().map(String::from).collect();
    let rows = selected.iter().map(|column| {
        let mut row = vec![
            column.name.clone(),
            column.index.to_string(),
            number(column.norm),
        ];
        row.extend(column.frequency.map(number));
        row.extend(kept.then(|| u8::from(column.kept).to_string()));
        row.extend(grouped.then(|| column.group.clone().unwrap_or_default()));
        row
    });
    table(&header, rows)
}

/// Every feature with a value of its own, the largest first. `frequencies.csv`: how often every
/// column was selected, selected in the end or not; `knockoffs.csv`: by how much it beats its
/// knockoff.
pub fn ranked(data: &Dataset, values: &[f64], what: &str) -> Result<Vec<u8>> {
    let mut features: Vec<usize> = (0..data.features().count()).collect();
    features.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let rows = features.into_iter().map(|j| {
        let name = data.names()[j].clone();
        vec![name, j.to_string(), number(values[j])]
    });
    table(&["name", "index", what].map(String::from), rows)
}

/// `coefficients.csv`: what a linear model adds for every column, per unit of the raw column and per
/// standard deviation, with the ratio that it stands for; the intercept first.
pub fn coefficients(task: Task, of: &Coefficients) -> Result<Vec<u8>> {
    let ratio = ratio_name(task).map(|(name, _)| name);
    let by_class = of.intercepts.len() > 1;
    let mut header: Vec<String> = ["name", "level"].map(String::from).to_vec();
    header.extend(by_class.then(|| "class".into()));
    header.extend(["coefficient", "coefficient_per_sd"].map(String::from));
    header.extend(
        ratio
            .iter()
            .flat_map(|name| [name.to_string(), format!("{name}_per_sd")]),
    );
    let classes = of
        .rows
        .iter()
        .map(|row| row.class.clone().unwrap_or_default());
    let intercepts = of
        .intercepts
        .iter()
        .zip(classes.chain(std::iter::repeat(String::new())));
    let intercepts = intercepts.map(|(intercept, class)| {
        let mut row = vec!["(intercept)".into(), String::new()];
        row.extend(by_class.then_some(class));
        row.extend([number(*intercept), String::new()]);
        row.extend(ratio.iter().flat_map(|_| [String::new(), String::new()]));
        row
    });
    let rows = of.rows.iter().map(|of| {
        let mut row = vec![of.name.clone(), of.level.clone().unwrap_or_default()];
        row.extend(by_class.then(|| of.class.clone().unwrap_or_default()));
        row.extend([of.coefficient, of.per_sd()].map(number));
        row.extend(
            ratio
                .iter()
                .flat_map(|_| [of.coefficient, of.per_sd()].map(|x| number(x.exp()))),
        );
        row
    });
    table(&header, intercepts.chain(rows))
}

/// `path.csv`: a row per (ridge, lambda).
pub fn path(grid: &[GridPoint]) -> Result<Vec<u8>> {
    let header = [
        "ridge",
        "lambda",
        "size",
        "train_loss",
        "validation_loss",
        "validation_se",
        "epochs",
        "status",
    ];
    let defined = |value: Option<f64>| value.map_or(String::new(), number);
    let rows = grid.iter().map(|point| {
        vec![
            number(point.ridge),
            number(point.lambda),
            defined(point.size),
            defined(point.train_loss),
            defined(point.validation_loss),
            defined(point.validation_se),
            point.epochs.to_string(),
            point.status.name().to_string(),
        ]
    });
    table(&header.map(String::from), rows)
}

/// `norms.csv`: the group norms along the chosen ridge's path, a row per
/// lambda and a column per feature that was ever selected.
pub fn norms(fit: &Fit) -> Result<Vec<u8>> {
    let features = &fit.model.features;
    let ever: BTreeSet<usize> = fit
        .path
        .iter()
        .flat_map(|step| features.of_columns(&step.network.inputs))
        .collect();
    let mut header = vec!["lambda".to_string()];
    header.extend(ever.iter().map(|&j| features.names()[j].clone()));
    let rows = fit.path.iter().map(|step| {
        let norms = step.network.feature_norms(features);
        let norms: BTreeMap<usize, f64> = norms.into_iter().collect();
        let mut row = vec![number(step.lambda)];
        row.extend(
            ever.iter()
                .map(|j| number(norms.get(j).copied().unwrap_or(0.0))),
        );
        row
    });
    table(&header, rows)
}

fn table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let mut out = csv::Writer::from_writer(Vec::new());
    put(&mut out, header)?;
    for row in rows {
        put(&mut out, &row)?;
    }
    Ok(out.into_inner()?)
}

/// Writes a row. Texts that a spreadsheet would run are guarded, here and nowhere else.
pub fn put<W: Write>(
    out: &mut csv::Writer<W>,
    cells: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<()> {
    for cell in cells {
        out.write_field(guarded(cell.as_ref()).as_bytes())?;
    }
    Ok(out.write_record(None::<&[u8]>)?)
}
