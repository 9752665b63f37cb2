//! From raw columns to the inputs of networks.

use super::graph::{Graph, Value};
use super::proto::Element;
use crate::dataset::Unseen;
use crate::error::{Error, Result};
use crate::model::Model;
use std::collections::HashSet;

/// How a raw column becomes numbers.
enum Encoding<'a> {
    /// It is a number.
    Number,
    /// It is a text: a column of zeros and ones per level.
    Levels(&'a [String]),
}

/// A raw column.
struct Column<'a> {
    name: &'a str,
    encoding: Encoding<'a>,
    /// What is put into its place where it is missing, a number for each of its numbers.
    fill: Option<&'a [f64]>,
    /// Whether a number more says where it is missing.
    indicator: bool,
    /// What becomes of texts that are no level.
    unseen: Unseen,
}

/// The standardised columns of the features that a model uses, and their numbers. None if it
/// uses none.
pub fn selected(graph: &mut Graph, model: &Model) -> Result<(Option<Value>, Vec<usize>)> {
    let selected = model.selected();
    let raw: Vec<Column> = (selected.iter()).map(|&j| column(model, j)).collect();
    let columns: Vec<usize> = (selected.iter())
        .flat_map(|&j| model.features.columns_of(j))
        .collect();
    let of_columns = |values: &[f64]| columns.iter().map(|&j| values[j]).collect();
    let center = of_columns(&model.scaling.center);
    let scale = of_columns(&model.scaling.scale);
    check_names(raw.iter().map(|column| column.name))?;
    Ok((standardised(graph, &raw, center, scale), columns))
}

/// A feature as the data have it.
fn column(model: &Model, feature: usize) -> Column<'_> {
    let encoding = match model.features.levels(feature) {
        Some(levels) => Encoding::Levels(levels),
        None => Encoding::Number,
    };
    let own = model.features.columns_of(feature);
    let indicator = model.features.is_indicator(own.end - 1);
    let values = own.start..own.end - usize::from(indicator);
    Column {
        name: &model.features.names()[feature],
        encoding,
        fill: model.scaling.fill.values().map(|fill| &fill[values]),
        indicator,
        unseen: model.unseen,
    }
}

/// (x − center)/scale, of every number that raw columns become.
fn standardised(
    graph: &mut Graph,
    columns: &[Column],
    center: Vec<f64>,
    scale: Vec<f64>,
) -> Option<Value> {
    let blocks: Vec<Value> = (columns.iter())
        .map(|column| encoded(graph, column))
        .collect();
    let raw = beside(graph, &blocks)?;
    let (center, scale) = (graph.row(center), graph.row(scale));
    let centered = graph.node("Sub", &[&raw, &center]);
    Some(graph.node("Div", &[&centered, &scale]))
}

/// The number of rows as a shape, for a model that uses no column. Its first feature is the
/// input: what is in it does not matter.
pub fn rows_alone(graph: &mut Graph, model: &Model) -> Result<Value> {
    if model.features.count() == 0 {
        let problem = "a model without any feature column cannot be exported; fit it again";
        return Err(Error::Model(problem.into()));
    }
    let Column { name, encoding, .. } = column(model, 0);
    check_names(std::iter::once(name))?;
    let element = match encoding {
        Encoding::Number => Element::Double,
        Encoding::Levels(_) => Element::Text,
    };
    let column = graph.input(name, element);
    Ok(graph.node("Shape", &[&column]))
}

/// One raw column as numbers, a column per number: NaN, or a text without a character, is missing.
fn encoded(graph: &mut Graph, column: &Column) -> Value {
    match (&column.encoding, column.fill) {
        (Encoding::Number, None) => graph.input(column.name, Element::Double),
        (Encoding::Number, Some(fill)) => {
            let number = graph.input(column.name, Element::Double);
            let is_missing = graph.node("IsNaN", &[&number]);
            filled(graph, column, &number, (&is_missing, fill))
        }
        (Encoding::Levels(levels), fill) => {
            let text = graph.input(column.name, Element::Text);
            let levels = graph.texts(levels);
            let is_level = graph.node("Equal", &[&text, &levels]);
            let columns = graph.cast(&is_level, Element::Double);
            let unknown = (column.unseen == Unseen::Error).then(|| {
                let one = graph.number(1.0);
                let known = graph.sum(&columns);
                let unknown = graph.node("Sub", &[&one, &known]);
                graph.cast(&unknown, Element::Truth)
            });
            if let (Some(unknown), None) = (&unknown, fill) {
                return graph.refused_where(unknown, &columns);
            }
            let nothing = graph.texts(&[String::new()]);
            let is_missing = graph.node("Equal", &[&text, &nothing]);
            let Some(fill) = fill else {
                return graph.refused_where(&is_missing, &columns);
            };
            let columns = match unknown {
                None => columns,
                Some(unknown) => {
                    let is_there = graph.node("Not", &[&is_missing]);
                    let refused = graph.node("And", &[&unknown, &is_there]);
                    graph.refused_where(&refused, &columns)
                }
            };
            filled(graph, column, &columns, (&is_missing, fill))
        }
    }
}

/// Numbers with what is put into the place of missing ones, and with what says where that is if the
/// model has it.
fn filled(
    graph: &mut Graph,
    column: &Column,
    values: &Value,
    (is_missing, fill): (&Value, &[f64]),
) -> Value {
    let fill = graph.row(fill.to_vec());
    let filled = graph.node("Where", &[is_missing, &fill, values]);
    if !column.indicator {
        return filled;
    }
    let indicator = graph.cast(is_missing, Element::Double);
    graph.node_with("Concat", &[&filled, &indicator], &[("axis", 1)])
}

/// Values side by side; none of none.
fn beside(graph: &mut Graph, values: &[Value]) -> Option<Value> {
    match values {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let several: Vec<&Value> = several.iter().collect();
            Some(graph.node_with("Concat", &several, &[("axis", 1)]))
        }
    }
}

/// Refuses columns that cannot be told apart by name.
fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() {
            let problem = "a selected column has no name, and an ONNX input needs one; name it \
                           and fit again";
            return Err(Error::Model(problem.into()));
        }
        if !seen.insert(name) {
            return Err(Error::Model(format!(
                "two selected columns are called {name:?}, and ONNX inputs go by name; rename \
                 one and fit again"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_by_their_names() {
        assert!(check_names(["a", "b"].into_iter()).is_ok());
        for (names, problem) in [(["a", ""], "no name"), (["a", "a"], "\"a\"")] {
            let error = check_names(names.into_iter()).unwrap_err().to_string();
            assert!(
                error.contains(problem) && error.contains("fit again"),
                "{error}"
            );
        }
    }
}
