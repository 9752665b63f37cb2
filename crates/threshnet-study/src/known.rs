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
    /// The kind of its outcome.
    pub task: Task,
    /// The column of the outcome, or those of time and event.
    outcome: &'static [&'static str],
    /// Columns to use, globs allowed; empty for all but the outcome.
    features: &'static [&'static str],
    drop: &'static [&'static str],
    /// The range to which an intensity is brought before its log₂ is taken, which is done before
    /// anything else. Neither the outcome nor another row has a part in it, so it may be done
    /// before rows are split.
    logged: Option<(f64, f64)>,
    studies: &'static [StudyName],
}

/// Two classes, and all other columns as they are.
const CLASSES: Known = Known {
    name: "",
    file: "",
    task: Task::Binary,
    outcome: &["class"],
    features: &[],
    drop: &[],
    logged: None,
    studies: &[StudyName::Real],
};

const KNOWN: [Known; 6] = [
    Known {
        name: "colon",
        file: "alon.csv",
        // (no intensity is below 5)
        logged: Some((1.0, f64::INFINITY)),
        ..CLASSES
    },
    Known {
        name: "leukemia",
        file: "golub.csv",
        // what the scanner can tell (Dudoit, Fridlyand and Speed 2002, JASA 97:77–87)
        logged: Some((100.0, 16_000.0)),
        ..CLASSES
    },
    Known {
        name: "madelon",
        file: "madelon.csv",
        ..CLASSES
    },
    Known {
        name: "riboflavin",
        file: "riboflavin.csv",
        task: Task::Regression,
        outcome: &["log2_riboflavin_rate"],
        ..CLASSES
    },
    Known {
        name: "metabric",
        file: "metabric1558_clin_mut_expr.csv",
        task: Task::Cox,
        outcome: &["time_days", "event_dss"],
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
        studies: &[StudyName::SurvivalReal, StudyName::Real],
        ..CLASSES
    },
    Known {
        name: "glioma",
        file: "Brain_Integ_raw.csv",
        task: Task::Cox,
        outcome: &["time_days", "event"],
        drop: &["patient", "subtype"],
        studies: &[StudyName::SurvivalReal, StudyName::Real],
        ..CLASSES
    },
];

/// The data sets of a study, in its order.
pub fn of_study(study: StudyName) -> impl Iterator<Item = &'static Known> {
    (KNOWN.iter()).filter(move |known| known.studies.contains(&study))
}

impl Known {
    /// Brings the values to their scale.
    pub fn scaled(&self, data: Dataset<'static>) -> Result<Dataset<'static>> {
        let Some((floor, ceiling)) = self.logged else {
            return Ok(data);
        };
        let log = |x: f64| x.clamp(floor, ceiling).log2();
        let columns = (data.columns().iter()).map(|column| column.iter().map(log).collect());
        let names = data.names().to_vec();
        Dataset::new(names, columns.collect(), data.outcome().clone())
    }

    /// Its columns, as the flags of `fit` would say it.
    pub fn columns(&self) -> Columns {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let mut columns = Columns {
            features: owned(self.features),
            drop: owned(self.drop),
            task: Some(self.task),
            ..Columns::default()
        };
        match *self.outcome {
            [time, event] => {
                columns.time = Some(time.into());
                columns.event = Some(event.into());
            }
            _ => columns.target = self.outcome.first().map(|name| name.to_string()),
        }
        columns
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
