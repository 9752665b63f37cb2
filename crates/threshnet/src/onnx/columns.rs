//! From raw columns to the inputs of networks.

use super::graph::{Graph, Value};
use super::proto::Element;
use crate::error::{Error, Result};
use crate::model::Model;
use std::collections::HashSet;

/// How a raw column becomes numbers.
pub enum Encoding<'a> {
    /// It is a number.
    Number,
    /// It is a text: a column of zeros and ones per level, all zeros for any other text.
    #[cfg_attr(not(test), expect(dead_code, reason = "no model has text columns yet"))]
    Levels(&'a [String]),
}

/// The standardised columns that a model uses, in the order of [`Model::selected`]:
/// (x − center)/scale. None if it uses none.
pub fn standardised(graph: &mut Graph, model: &Model) -> Result<Option<Value>> {
    let selected = model.selected();
    check_names(selected.iter().map(|&j| &model.features[j][..]))?;
    let blocks: Vec<Value> = (selected.iter())
        .map(|&j| encoded(graph, &model.features[j], Encoding::Number))
        .collect();
    let Some(raw) = beside(graph, &blocks) else {
        return Ok(None);
    };
    let of_selected = |values: &[f64]| selected.iter().map(|&j| values[j]).collect();
    let center = graph.row(of_selected(&model.scaling.center));
    let scale = graph.row(of_selected(&model.scaling.scale));
    let centered = graph.node("Sub", &[&raw, &center]);
    Ok(Some(graph.node("Div", &[&centered, &scale])))
}

/// The number of rows as a shape, for a model that uses no column. Its first feature column is
/// the input: what is in it does not matter.
pub fn rows_alone(graph: &mut Graph, model: &Model) -> Result<Value> {
    let names = model.features.first().map(|name| &name[..]);
    check_names(names.into_iter())?;
    let Some(name) = names else {
        let problem = "a model without any feature column cannot be exported; fit it again";
        return Err(Error::Model(problem.into()));
    };
    let column = encoded(graph, name, Encoding::Number);
    Ok(graph.node("Shape", &[&column]))
}

/// One raw column as numbers, a column per number.
fn encoded(graph: &mut Graph, name: &str, encoding: Encoding) -> Value {
    match encoding {
        Encoding::Number => graph.input(name, Element::Double),
        Encoding::Levels(levels) => {
            let text = graph.input(name, Element::Text);
            let levels = graph.texts(levels);
            let is_level = graph.node("Equal", &[&text, &levels]);
            graph.cast(&is_level, Element::Double)
        }
    }
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
