//! A graph under construction: values, and the nodes that make them of others.

use super::proto::{
    AttributeProto, Dimension, Element, GraphProto, INTEGER_ATTRIBUTE, ModelProto, NodeProto,
    OperatorSetIdProto, StringStringEntryProto, TensorProto, TensorShapeProto, TensorTypeProto,
    TypeProto, ValueInfoProto,
};
use prost::Message;
use std::collections::HashSet;

/// The first set of operators that can compare texts. onnxruntime reads it from 1.16 on.
const OPERATORS: i64 = 19;

/// The version of the file format that came with these operators.
const FORMAT: i64 = 9;

/// A tensor of the graph, by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Value(String);

/// What is built. Inputs come first, so that no other value takes their names.
#[derive(Default)]
pub struct Graph {
    proto: GraphProto,
    taken: HashSet<String>,
}

impl Graph {
    /// A raw column: as many rows as there are, one column.
    pub fn input(&mut self, name: &str, element: Element) -> Value {
        let name = self.unused(name.into());
        self.proto.input.push(of_rows(&name, element));
        Value(name)
    }

    /// Makes a value an output under this name, or the name with underscores where an input
    /// has it.
    pub fn output(&mut self, name: &str, value: &Value, element: Element) {
        let name = self.unused(name.into());
        self.proto.output.push(of_rows(&name, element));
        self.push("Identity", &[value], vec![], name);
    }

    /// A constant matrix, row by row.
    pub fn matrix(&mut self, (rows, columns): (usize, usize), double_data: Vec<f64>) -> Value {
        self.constant(TensorProto {
            dims: vec![rows as i64, columns as i64],
            data_type: Element::Double as i32,
            double_data,
            ..TensorProto::default()
        })
    }

    /// A constant row.
    pub fn row(&mut self, values: Vec<f64>) -> Value {
        self.matrix((1, values.len()), values)
    }

    /// A constant number, for every element of what it meets.
    pub fn number(&mut self, value: f64) -> Value {
        self.row(vec![value])
    }

    /// Constant texts, in a row.
    pub fn texts(&mut self, texts: &[String]) -> Value {
        self.constant(TensorProto {
            dims: vec![1, texts.len() as i64],
            data_type: Element::Text as i32,
            string_data: texts.iter().map(|text| text.clone().into_bytes()).collect(),
            ..TensorProto::default()
        })
    }

    /// The given columns of a value.
    pub fn columns(&mut self, of: &Value, columns: &[usize]) -> Value {
        let columns = self.constant(TensorProto {
            dims: vec![columns.len() as i64],
            data_type: Element::Integer as i32,
            int64_data: columns.iter().map(|&k| k as i64).collect(),
            ..TensorProto::default()
        });
        self.node_with("Gather", &[of, &columns], &[("axis", 1)])
    }

    /// The sum of the columns of a value.
    pub fn sum(&mut self, of: &Value) -> Value {
        let axis = self.whole(1);
        self.node("ReduceSum", &[of, &axis])
    }

    /// A value as it is. A row in which this is so has a runtime end with an error: it looks up the
    /// second of one number.
    pub fn refused_where(&mut self, is_so: &Value, value: &Value) -> Value {
        let one = self.constant(TensorProto {
            dims: vec![1],
            data_type: Element::Double as i32,
            double_data: vec![1.0],
            ..TensorProto::default()
        });
        let place = self.cast(is_so, Element::Integer);
        let factor = self.node_with("Gather", &[&one, &place], &[("axis", 0)]);
        self.node("Mul", &[value, &factor])
    }

    /// A constant whole number, as a list of one.
    fn whole(&mut self, number: i64) -> Value {
        self.constant(TensorProto {
            dims: vec![1],
            data_type: Element::Integer as i32,
            int64_data: vec![number],
            ..TensorProto::default()
        })
    }

    /// The same numbers in another type.
    pub fn cast(&mut self, value: &Value, to: Element) -> Value {
        self.node_with("Cast", &[value], &[("to", to as i64)])
    }

    /// What an operator makes of values.
    pub fn node(&mut self, operator: &str, inputs: &[&Value]) -> Value {
        self.node_with(operator, inputs, &[])
    }

    /// The same for an operator with attributes.
    pub fn node_with(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        attributes: &[(&str, i64)],
    ) -> Value {
        let attributes = attributes.iter().map(|&(name, i)| AttributeProto {
            name: name.into(),
            i: Some(i),
            r#type: INTEGER_ATTRIBUTE,
        });
        let name = self.unused(format!("{operator}_{}", self.proto.node.len()));
        self.push(operator, inputs, attributes.collect(), name)
    }

    /// The bytes of an ONNX file, with notes on where it comes from.
    pub fn finish(mut self, notes: &[(&str, String)]) -> Vec<u8> {
        self.proto.name = "threshnet".into();
        let notes = notes.iter().map(|(key, value)| StringStringEntryProto {
            key: (*key).into(),
            value: value.clone(),
        });
        let model = ModelProto {
            ir_version: FORMAT,
            producer_name: "threshnet".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: Some(self.proto),
            opset_import: vec![OperatorSetIdProto {
                domain: Some(String::new()),
                version: OPERATORS,
            }],
            metadata_props: notes.collect(),
        };
        model.encode_to_vec()
    }

    fn constant(&mut self, tensor: TensorProto) -> Value {
        let name = self.unused(format!("constant_{}", self.proto.initializer.len()));
        self.proto.initializer.push(TensorProto {
            name: name.clone(),
            ..tensor
        });
        Value(name)
    }

    fn push(
        &mut self,
        operator: &str,
        inputs: &[&Value],
        attribute: Vec<AttributeProto>,
        name: String,
    ) -> Value {
        self.proto.node.push(NodeProto {
            input: inputs.iter().map(|value| value.0.clone()).collect(),
            output: vec![name.clone()],
            name: name.clone(),
            op_type: operator.into(),
            attribute,
        });
        Value(name)
    }

    /// This name, with underscores if a value has it.
    fn unused(&mut self, mut name: String) -> String {
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// A tensor of one column and as many rows as there are.
fn of_rows(name: &str, element: Element) -> ValueInfoProto {
    let rows = Dimension {
        dim_param: Some("N".into()),
        ..Dimension::default()
    };
    let one = Dimension {
        dim_value: Some(1),
        ..Dimension::default()
    };
    ValueInfoProto {
        name: name.into(),
        r#type: Some(TypeProto {
            tensor_type: Some(TensorTypeProto {
                elem_type: element as i32,
                shape: Some(TensorShapeProto {
                    dim: vec![rows, one],
                }),
            }),
        }),
    }
}
