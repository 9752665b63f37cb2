//! The public data sets that studies know by name: their files, their columns, and which
//! study has them.

use crate::name::StudyName;
use threshnet::dataset::{Dataset, Task};
use threshnet::error::Result;
use threshnet_io::Columns;

/// A public data set.
pub struct Known {
    pub name: &'static str,
    /// Looked for in the folder of `--data`, and one folder below; its name may go on with `.gz`.
    pub file: &'static str,
    target: Target,
    /// Columns to use, globs allowed; empty for all but the outcome.
    features: &'static [&'static str],
    drop: &'static [&'static str],
    scale: Scale,
    studies: &'static [StudyName],
}

/// The columns of an outcome.
enum Target {
    Number(&'static str),
    /// Of two values.
    Classes(&'static str),
    Survival {
        time: &'static str,
        event: &'static str,
    },
}

/// What is done to a value before anything else. Neither the outcome nor another row has a
/// part in it, so it may be done before rows are split.
#[derive(Clone, Copy)]
enum Scale {
    AsItIs,
    /// log₂ of an intensity, brought to this range first.
    Log2 {
        floor: f64,
        ceiling: f64,
    },
}

const KNOWN: [Known; 6] = [
    Known {
        name: "colon",
        file: "alon.csv",
        target: Target::Classes("class"),
        features: &[],
        drop: &[],
        // (no intensity is below 5)
        scale: Scale::Log2 {
            floor: 1.0,
            ceiling: f64::INFINITY,
        },
        studies: &[StudyName::Real],
    },
    Known {
        name: "leukemia",
        file: "golub.csv",
        target: Target::Classes("class"),
        features: &[],
        drop: &[],
        // what the scanner can tell (Dudoit, Fridlyand and Speed 2002, JASA 97:77–87)
        scale: Scale::Log2 {
            floor: 100.0,
            ceiling: 16_000.0,
        },
        studies: &[StudyName::Real],
    },
    Known {
        name: "madelon",
        file: "madelon.csv",
        target: Target::Classes("class"),
        features: &[],
        drop: &[],
        scale: Scale::AsItIs,
        studies: &[StudyName::Real],
    },
    Known {
        name: "riboflavin",
        file: "riboflavin.csv",
        target: Target::Number("log2_riboflavin_rate"),
        features: &[],
        drop: &[],
        scale: Scale::AsItIs,
        studies: &[StudyName::Real],
    },
    Known {
        name: "metabric",
        file: "metabric1558_clin_mut_expr.csv",
        target: Target::Survival {
            time: "time_days",
            event: "event_dss",
        },
        // the clinical columns that are numbers
        features: &[
            "clin_AGE_AT_DIAGNOSIS",
            "clin_LYMPH_NODES_EXAMINED_POSITIVE",
            "clin_NPI",
            "clin_GRADE",
            "clin_TUMOR_SIZE",
            "mut_*",
            "expr_*",
        ],
        drop: &[],
        scale: Scale::AsItIs,
        studies: &[StudyName::SurvivalReal, StudyName::Real],
    },
    Known {
        name: "glioma",
        file: "Brain_Integ_raw.csv",
        target: Target::Survival {
            time: "time_days",
            event: "event",
        },
        features: &[],
        drop: &["patient", "subtype"],
        scale: Scale::AsItIs,
        studies: &[StudyName::SurvivalReal, StudyName::Real],
    },
];

/// The data sets of a study, in its order.
pub fn of_study(study: StudyName) -> impl Iterator<Item = &'static Known> {
    (KNOWN.iter()).filter(move |known| known.studies.contains(&study))
}

impl Known {
    /// The kind of its outcome.
    pub fn task(&self) -> Task {
        match self.target {
            Target::Number(_) => Task::Regression,
            Target::Classes(_) => Task::Binary,
            Target::Survival { .. } => Task::Cox,
        }
    }

    /// Brings the values to their scale.
    pub fn scaled(&self, data: Dataset<'static>) -> Result<Dataset<'static>> {
        let Scale::Log2 { floor, ceiling } = self.scale else {
            return Ok(data);
        };
        let log = |x: f64| x.clamp(floor, ceiling).log2();
        let columns = data.columns().iter();
        let columns = columns
            .map(|column| column.iter().map(log).collect())
            .collect();
        Dataset::new(data.names().to_vec(), columns, data.outcome().clone())
    }

    /// Its columns, as the flags of `fit` would say it.
    pub fn columns(&self) -> Columns {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let columns = Columns {
            features: owned(self.features),
            drop: owned(self.drop),
            task: Some(self.task()),
            ..Columns::default()
        };
        match self.target {
            Target::Number(name) | Target::Classes(name) => Columns {
                target: Some(name.into()),
                ..columns
            },
            Target::Survival { time, event } => Columns {
                time: Some(time.into()),
                event: Some(event.into()),
                ..columns
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshnet::dataset::Outcome;

    #[test]
    fn intensities_are_logged_within_their_range() {
        let of = |name: &str| {
            let known = KNOWN.iter().find(|known| known.name == name).unwrap();
            let outcome = Outcome::Continuous(vec![1.0, 2.0, 3.0]);
            let raw = vec![-5.0, 1024.0, 64_000.0];
            let data = Dataset::new(vec!["x".into()], vec![raw], outcome).unwrap();
            known.scaled(data).unwrap().columns()[0].to_vec()
        };
        assert_eq!(of("leukemia"), [100f64.log2(), 10.0, 16_000f64.log2()]);
        assert_eq!(of("colon"), [0.0, 10.0, 64_000f64.log2()]);
        assert_eq!(of("riboflavin"), [-5.0, 1024.0, 64_000.0]);
    }
}
