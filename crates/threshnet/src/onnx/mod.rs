//! A model as an ONNX graph, for programs that have a runtime but not this one.
//!
//! The graph takes raw columns, one input each under the column's own name, a number (64 bit) or
//! a text per row. It standardises them, runs the networks, averages their responses and gives
//! what [`Model::predict`] gives, likewise an output per column. All numbers are 64 bit, as they
//! are in `predict`: raw columns may have few digits that differ, such as dates. `N`, the number
//! of rows, is known at run time.

mod columns;
mod graph;
mod network;
mod proto;

use crate::dataset::Task;
use crate::error::{Error, Result};
use crate::model::Model;
use graph::{Graph, Value};
use proto::Element;

/// A time at which survival is predicted.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The output that gets it.
    pub name: String,
    /// The time.
    pub time: f64,
}

/// The bytes of an ONNX file that predicts what the model predicts, of a survival model also
/// survival at the given times.
pub fn export(model: &Model, curves: &[Curve]) -> Result<Vec<u8>> {
    if model.recalibrated.is_some() {
        return Err(Error::Model(
            "a recalibrated model cannot be exported; export it as it was fitted".into(),
        ));
    }
    let mut graph = Graph::default();
    let response = mean_response(&mut graph, model)?;
    match model.task {
        Task::Regression => number(&mut graph, model, &response),
        Task::Binary | Task::Multiclass => classes(&mut graph, model, &response),
        Task::Cox => survival(&mut graph, model, &response, curves),
    }
    Ok(graph.finish(&[
        ("task", model.task.name().into()),
        ("outcome", model.outcome.join(", ")),
    ]))
}

/// What the networks respond on average, a row per row: numbers and log-risks as they are,
/// classes as probabilities.
fn mean_response(graph: &mut Graph, model: &Model) -> Result<Value> {
    let inputs = columns::selected(graph, model)?;
    let rows = match inputs.columns.is_empty() {
        false => None,
        true => Some(columns::rows_alone(graph, model)?),
    };
    let responses: Vec<Value> = (model.networks.iter())
        .map(|network| {
            let eta = network::output(graph, network, inputs.of(network.chain), &inputs.columns);
            response(graph, model.task, eta)
        })
        .collect();
    let count = graph.number(responses.len() as f64);
    let sum = graph.node("Sum", &responses.iter().collect::<Vec<_>>());
    let mean = graph.node("Div", &[&sum, &count]);
    Ok(match rows {
        None => mean,
        // The same for every row.
        Some(rows) => graph.node("Expand", &[&mean, &rows]),
    })
}

fn response(graph: &mut Graph, task: Task, eta: Value) -> Value {
    match task {
        Task::Regression | Task::Cox => eta,
        Task::Binary => {
            let negative = graph.node("Neg", &[&eta]);
            let both = graph.node_with("Concat", &[&negative, &eta], &[("axis", 1)]);
            graph.node("Sigmoid", &[&both])
        }
        Task::Multiclass => graph.node_with("Softmax", &[&eta], &[("axis", 1)]),
    }
}

/// `prediction`, on the scale of the raw outcome.
fn number(graph: &mut Graph, model: &Model, response: &Value) {
    let (center, scale) = model.target;
    let (center, scale) = (graph.number(center), graph.number(scale));
    let scaled = graph.node("Mul", &[response, &scale]);
    let prediction = graph.node("Add", &[&scaled, &center]);
    graph.output("prediction", &prediction, Element::Double);
}

/// `probability` of the positive class, or that of every class; `label`, the first of the most
/// probable.
fn classes(graph: &mut Graph, model: &Model, probabilities: &Value) {
    let outputs: Vec<(usize, String)> = match model.task {
        Task::Binary => vec![(1, "probability".into())],
        _ => (model.classes.iter().enumerate())
            .map(|(k, class)| (k, format!("probability_{class}")))
            .collect(),
    };
    for (k, name) in outputs {
        let probability = graph.columns(probabilities, &[k]);
        graph.output(&name, &probability, Element::Double);
    }
    let names = graph.texts(&model.classes);
    let best = graph.node_with("ArgMax", &[probabilities], &[("axis", 1), ("keepdims", 0)]);
    // A row of names gives a row of labels: turned, they are one per row.
    let labels = graph.node_with("Gather", &[&names, &best], &[("axis", 1)]);
    let label = graph.node("Transpose", &[&labels]);
    graph.output("label", &label, Element::Text);
}

/// `risk`, and S(t) = exp(−exp(log H₀(t) + risk)).
fn survival(graph: &mut Graph, model: &Model, risk: &Value, curves: &[Curve]) {
    graph.output("risk", risk, Element::Double);
    for Curve { name, time } in curves {
        let log_hazard = graph.number(model.log_baseline(*time));
        let log_hazard = graph.node("Add", &[risk, &log_hazard]);
        let hazard = graph.node("Exp", &[&log_hazard]);
        let negative = graph.node("Neg", &[&hazard]);
        let survival = graph.node("Exp", &[&negative]);
        graph.output(name, &survival, Element::Double);
    }
}
