//! From raw columns to the inputs of networks.

use super::graph::{Graph, Value};
use super::proto::Element;
use crate::dataset::Unseen;
use crate::error::{Error, Result};
use crate::impute::{Chain, Line, SWEEPS};
use crate::model::Model;
use std::collections::{BTreeMap, HashSet};

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

/// The columns of the features that a model uses.
pub struct Inputs {
    /// Their numbers.
    pub columns: Vec<usize>,
    /// Standardised, as each chain imputes them for its networks, or as they are without.
    by_chain: BTreeMap<Option<usize>, Value>,
}

impl Inputs {
    /// What networks of this chain are fed; none if the model uses no column.
    pub fn of(&self, chain: Option<usize>) -> Option<&Value> {
        self.by_chain.get(&chain)
    }
}

/// The columns of the features that a model uses.
pub fn selected(graph: &mut Graph, model: &Model) -> Result<Inputs> {
    let selected = model.selected();
    let raw: Vec<Column> = (selected.iter()).map(|&j| column(model, j)).collect();
    let columns: Vec<usize> = (selected.iter())
        .flat_map(|&j| model.features.columns_of(j))
        .collect();
    check_names(raw.iter().map(|column| column.name))?;
    let blocks: Vec<Encoded> = (raw.iter()).map(|column| encoded(graph, column)).collect();
    let filled = beside(graph, blocks.iter().map(|block| &block.numbers).collect());
    let mut by_chain = BTreeMap::new();
    for network in &model.networks {
        if by_chain.contains_key(&network.chain) {
            continue;
        }
        let Some(filled) = &filled else { break };
        let chain = network.chain.and_then(|n| model.scaling.fill.chain(n));
        let imputed = match chain {
            None => filled.clone(),
            Some(chain) => {
                let gap = |j: usize| {
                    let feature = model.features.of_column(j);
                    let at = selected.binary_search(&feature).ok()?;
                    blocks[at].is_missing.as_ref()
                };
                imputed(graph, chain, filled, (&columns, &gap))
            }
        };
        by_chain.insert(
            network.chain,
            standardised(graph, model, &columns, &imputed),
        );
    }
    Ok(Inputs { columns, by_chain })
}

/// What a chain puts into gaps, which are filled as usual before. Its equations are gone through one
/// after the other, as often as in the fit.
fn imputed<'v>(
    graph: &mut Graph,
    chain: &Chain,
    filled: &Value,
    (columns, gap): (&[usize], &dyn Fn(usize) -> Option<&'v Value>),
) -> Value {
    struct Step {
        is_gap: Value,
        slopes: Value,
        intercept: Value,
        low: Value,
        high: Value,
    }
    let width = columns.len();
    let place = |j: &usize| columns.binary_search(j).ok();
    let mut steps = vec![];
    for equation in &chain.equations {
        for line in &equation.lines {
            let Line {
                column,
                intercept,
                slopes,
                low,
                high,
            } = line;
            let (Some(at), Some(is_missing)) = (place(column), gap(*column)) else {
                continue;
            };
            let mut own = vec![0.0; width];
            own[at] = 1.0;
            let own = graph.row(own);
            let own = graph.cast(&own, Element::Truth);
            let mut weights = vec![0.0; width];
            for (predictor, &slope) in equation.predictors.iter().zip(slopes) {
                if let Some(at) = place(predictor) {
                    weights[at] = slope;
                }
            }
            steps.push(Step {
                is_gap: graph.node("And", &[is_missing, &own]),
                slopes: graph.matrix((width, 1), weights),
                intercept: graph.number(*intercept),
                low: graph.number(*low),
                high: graph.number(*high),
            });
        }
    }
    let mut state = filled.clone();
    for _ in 0..SWEEPS {
        for step in &steps {
            let product = graph.node("MatMul", &[&state, &step.slopes]);
            let value = graph.node("Sum", &[&product, &step.intercept]);
            let value = graph.node("Max", &[&value, &step.low]);
            let value = graph.node("Min", &[&value, &step.high]);
            state = graph.node("Where", &[&step.is_gap, &value, &state]);
        }
    }
    state
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

/// (x − center)/scale of columns of these numbers.
fn standardised(graph: &mut Graph, model: &Model, numbers: &[usize], columns: &Value) -> Value {
    let of_columns = |values: &[f64]| numbers.iter().map(|&j| values[j]).collect();
    let center = graph.row(of_columns(&model.scaling.center));
    let scale = graph.row(of_columns(&model.scaling.scale));
    let centered = graph.node("Sub", &[columns, &center]);
    graph.node("Div", &[&centered, &scale])
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

/// A raw column as numbers.
struct Encoded {
    numbers: Value,
    /// Where it was missing, if that may be.
    is_missing: Option<Value>,
}

impl Encoded {
    fn complete(numbers: Value) -> Encoded {
        Encoded {
            numbers,
            is_missing: None,
        }
    }
}

/// One raw column as numbers, a column per number: NaN, or a text without a character, is missing.
fn encoded(graph: &mut Graph, column: &Column) -> Encoded {
    match (&column.encoding, column.fill) {
        (Encoding::Number, None) => Encoded::complete(graph.input(column.name, Element::Double)),
        (Encoding::Number, Some(fill)) => {
            let number = graph.input(column.name, Element::Double);
            let is_missing = graph.node("IsNaN", &[&number]);
            filled(graph, column, &number, (is_missing, fill))
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
                return Encoded::complete(graph.refused_where(unknown, &columns));
            }
            let nothing = graph.texts(&[String::new()]);
            let is_missing = graph.node("Equal", &[&text, &nothing]);
            let Some(fill) = fill else {
                return Encoded::complete(graph.refused_where(&is_missing, &columns));
            };
            let columns = match unknown {
                None => columns,
                Some(unknown) => {
                    let is_there = graph.node("Not", &[&is_missing]);
                    let refused = graph.node("And", &[&unknown, &is_there]);
                    graph.refused_where(&refused, &columns)
                }
            };
            filled(graph, column, &columns, (is_missing, fill))
        }
    }
}

/// Numbers with what is put into the place of missing ones, and with what says where that is if the
/// model has it.
fn filled(
    graph: &mut Graph,
    column: &Column,
    values: &Value,
    (is_missing, fill): (Value, &[f64]),
) -> Encoded {
    let fill = graph.row(fill.to_vec());
    let mut numbers = graph.node("Where", &[&is_missing, &fill, values]);
    if column.indicator {
        let indicator = graph.cast(&is_missing, Element::Double);
        numbers = graph.node_with("Concat", &[&numbers, &indicator], &[("axis", 1)]);
    }
    Encoded {
        numbers,
        is_missing: Some(is_missing),
    }
}

/// Values side by side; none of none.
fn beside(graph: &mut Graph, values: Vec<&Value>) -> Option<Value> {
    match &values[..] {
        [] => None,
        [one] => Some((*one).clone()),
        several => Some(graph.node_with("Concat", several, &[("axis", 1)])),
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
