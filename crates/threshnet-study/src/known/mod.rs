//! The public data sets that studies know by name: where their rows are, what is a feature and
//! what is not, and to which half of the battery they belong.

mod list;
pub mod read;

pub use list::KNOWN;

use crate::name::StudyName;
use threshnet::dataset::Task;
use threshnet::settings::Named;

/// A half of the battery. Whatever is chosen is chosen on the one, and shown on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// May be looked at, as often as one likes.
    Tuning,
    /// Nothing is ever chosen by it.
    Confirmation,
}

/// A public data set.
pub struct Known {
    pub name: &'static str,
    /// Looked for in the folder of `--data`, and one folder below; its name may go on with `.gz`.
    /// A CSV file with a header, a PLINK `.bed` or an IDX file of digits.
    pub file: &'static str,
    /// The kind of its outcome.
    pub task: Task,
    pub half: Half,
    /// Whether its splits had been looked at before the halves were dealt.
    pub looked_at: bool,
    /// The column of the outcome, or those of time and event; of a PLINK data set the number of
    /// the column in `outcome_file`.
    pub outcome: &'static [&'static str],
    /// The file of the outcome, if it has one of its own, with a row for each row.
    pub outcome_file: Option<&'static str>,
    /// Columns to use, globs allowed; empty for all but the outcome.
    pub features: &'static [&'static str],
    /// Columns to leave out.
    pub drop: &'static [&'static str],
    /// Values whose log₂ is taken, before anything else.
    pub logged: Option<Logged>,
    /// Whether the outcome is a positive number whose log is predicted.
    pub logged_outcome: bool,
    /// What the file writes for a missing cell, beside nothing and `NA`.
    pub missing: &'static [&'static str],
    /// The columns that a clinician has without the laboratory, globs allowed.
    pub clinical: &'static [&'static str],
    /// A column whose text up to its last `_` names the animal: rows of one animal stay together.
    pub animal: Option<&'static str>,
}

/// The range to which a value is brought before its log₂ is taken. Neither the outcome nor
/// another row has a part in it, so it may be done before rows are split.
#[derive(Clone, Copy)]
pub struct Logged {
    /// The columns, globs allowed.
    pub columns: &'static str,
    pub floor: f64,
    pub ceiling: f64,
}

impl Named for Half {
    const ALL: &'static [Half] = &[Half::Tuning, Half::Confirmation];

    fn name(self) -> &'static str {
        match self {
            Half::Tuning => "tuning",
            Half::Confirmation => "confirmation",
        }
    }
}

/// The data sets of a study, in its order.
pub fn of_study(study: StudyName) -> impl Iterator<Item = &'static Known> {
    let the_papers = ["metabric", "glioma"];
    (KNOWN.iter())
        .filter(move |known| study == StudyName::Battery || the_papers.contains(&known.name))
}

/// The data set of this name.
pub fn named(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

/// Whether `--only` can say it of some data set.
pub fn is_word(word: &str) -> bool {
    KNOWN.iter().any(|known| known.words().contains(&word))
}

impl Known {
    /// What `--only` can say of it: its name, its half, the kind of its outcome.
    pub fn words(&self) -> [&'static str; 3] {
        [self.name, self.half.name(), self.task.name()]
    }

    /// Whether a column is a feature.
    pub fn uses(&self, column: &str) -> bool {
        let any = |globs: &[&str]| globs.iter().any(|glob| matches(glob, column));
        let is_outcome = self.outcome_file.is_none() && self.outcome.contains(&column);
        let chosen = self.features.is_empty() || any(self.features);
        chosen && !is_outcome && !any(self.drop) && self.animal != Some(column)
    }

    /// Whether a feature is clinical.
    pub fn is_clinical(&self, column: &str) -> bool {
        self.clinical.iter().any(|glob| matches(glob, column))
    }
}

impl Logged {
    /// A value of a column on its scale.
    pub fn apply(&self, column: &str, value: f64) -> f64 {
        match matches(self.columns, column) {
            true => value.clamp(self.floor, self.ceiling).log2(),
            false => value,
        }
    }
}

/// Whether a name is a glob's: one `*` stands for any text.
fn matches(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        None => glob == name,
        Some((start, end)) => {
            let long_enough = name.len() >= start.len() + end.len();
            long_enough && name.starts_with(start) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use threshnet::random::{Purpose, Random};

    /// The seed that the halves were dealt with.
    const DEAL: u64 = 0;
    const TASKS: [Task; 4] = [Task::Binary, Task::Multiclass, Task::Regression, Task::Cox];

    /// The rule: of every kind of outcome half of the data sets, rounded down, are for tuning.
    /// Those that had been looked at are the first of them; the others are dealt in random order,
    /// outcomes of the same rows together.
    fn dealt() -> BTreeSet<&'static str> {
        let mut tuning = BTreeSet::new();
        for (stream, task) in TASKS.into_iter().enumerate() {
            let of_task = || KNOWN.iter().filter(move |known| known.task == task);
            let mut left = of_task().count() / 2;
            for known in of_task().filter(|known| known.looked_at) {
                tuning.insert(known.name);
                left = left.saturating_sub(1);
            }
            let mut files: Vec<&str> = (of_task().filter(|known| !known.looked_at))
                .map(|known| known.file)
                .collect();
            files.sort_unstable();
            files.dedup();
            let order =
                Random::new(DEAL, Purpose::Split, stream as u64, 0).permutation(files.len());
            for file in order.into_iter().map(|i| files[i]) {
                let of_file: Vec<_> = of_task().filter(|known| known.file == file).collect();
                if of_file.len() <= left {
                    left -= of_file.len();
                    tuning.extend(of_file.iter().map(|known| known.name));
                }
            }
        }
        tuning
    }

    #[test]
    fn the_halves_are_as_they_were_dealt() {
        let tuning: BTreeSet<&str> = (KNOWN.iter())
            .filter(|known| known.half == Half::Tuning)
            .map(|known| known.name)
            .collect();
        assert_eq!(tuning, dealt());
        let looked_at: Vec<&str> = (KNOWN.iter().filter(|known| known.looked_at))
            .map(|known| known.name)
            .collect();
        assert_eq!(looked_at.len(), 11, "{looked_at:?}");
    }

    #[test]
    fn names_are_words_of_their_own() {
        let mut words: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        words.extend(Half::ALL.iter().map(|half| half.name()));
        words.extend(TASKS.map(Task::name));
        let distinct: BTreeSet<&str> = words.iter().copied().collect();
        assert_eq!(distinct.len(), words.len());
        assert_eq!(of_study(StudyName::SurvivalReal).count(), 2);
    }

    #[test]
    fn globs_have_one_star() {
        assert!(matches("num_*", "num_age") && !matches("num_*", "fac_age"));
        assert!(matches("*_Clinical", "age_Clinical") && matches("a*b", "ab"));
        assert!(!matches("ab*b", "ab") && matches("age", "age") && !matches("age", "ages"));
    }

    #[test]
    fn an_outcome_is_no_feature() {
        let used = |name: &str, column: &str| named(name).unwrap().uses(column);
        assert!(used("metabric", "clin_NPI") && !used("metabric", "event_os"));
        assert!(used("metabric-os", "clin_LATERALITY"));
        assert!(!used("metabric-os", "event_dss") && !used("metabric-os", "patientId"));
        assert!(!used("glioma", "subtype") && !used("prostate", "num_sdate"));
        for column in ["class", "Genotype", "Treatment", "Behavior", "MouseID"] {
            assert!(!used("mice", column), "{column}");
        }
        // (a file of its own has the outcome, and may have names that are none)
        assert!(used("hnscc", "original_firstorder_Energy"));
    }

    #[test]
    fn intensities_are_logged_within_their_range() {
        let of = |name: &str, column: &str| {
            let logged = named(name).unwrap().logged.unwrap();
            [-5.0, 1024.0, 64_000.0].map(|value| logged.apply(column, value))
        };
        assert_eq!(of("leukemia", "x"), [100f64.log2(), 10.0, 16_000f64.log2()]);
        assert_eq!(of("colon", "x"), [0.0, 10.0, 64_000f64.log2()]);
        assert_eq!(of("brca", "mirna_21"), [0.0, 10.0, 64_000f64.log2()]);
        assert_eq!(of("brca", "protein_1"), [-5.0, 1024.0, 64_000.0]);
        assert!(named("riboflavin").unwrap().logged.is_none());
    }
}
