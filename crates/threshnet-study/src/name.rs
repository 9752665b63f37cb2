//! The studies there are.

/// A table or figure of the paper, or a study of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
// (`about` says what each is)
#[allow(missing_docs)]
pub enum StudyName {
    Path,
    Xor,
    Hierarchical,
    Table1,
    Table2,
    Sensitivity,
    Relaxed,
    Mnist,
    SurvivalReal,
    Candidates,
    Quality,
    Control,
    Real,
}

impl StudyName {
    /// All of them, in the order in which they are listed.
    pub const ALL: [StudyName; 13] = [
        StudyName::Path,
        StudyName::Xor,
        StudyName::Hierarchical,
        StudyName::Table1,
        StudyName::Table2,
        StudyName::Sensitivity,
        StudyName::Relaxed,
        StudyName::Mnist,
        StudyName::SurvivalReal,
        StudyName::Candidates,
        StudyName::Quality,
        StudyName::Control,
        StudyName::Real,
    ];

    /// The study of this name.
    pub fn named(name: &str) -> Option<StudyName> {
        let mut all = StudyName::ALL.into_iter();
        all.find(|study| study.name() == name)
    }

    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        self.described().0
    }

    /// What it is about, in a line.
    pub fn about(self) -> &'static str {
        self.described().1
    }

    fn described(self) -> (&'static str, &'static str) {
        match self {
            StudyName::Path => (
                "path",
                "Figure 1: solution paths cold, forward and backward",
            ),
            StudyName::Xor => (
                "xor",
                "A product of two signs, against the number of columns",
            ),
            StudyName::Hierarchical => (
                "hierarchical",
                "A sign and its product with another, against the number of columns",
            ),
            StudyName::Table1 => ("table1", "Table 1 and its box plots"),
            StudyName::Table2 => ("table2", "Table 2: correlated columns"),
            StudyName::Sensitivity => (
                "sensitivity",
                "GSCADNet under other thresholds, rates and networks",
            ),
            StudyName::Relaxed => ("relaxed", "relaxed-GLASSONet on the product of two signs"),
            StudyName::Mnist => ("mnist", "Digits 7 and 8 under noise"),
            StudyName::SurvivalReal => ("survival-real", "Random splits of real survival data"),
            StudyName::Candidates => (
                "candidates",
                "Beyond the paper: ways to select, on its designs and others",
            ),
            StudyName::Quality => (
                "quality",
                "Beyond the paper: the default beside the paper's protocol, on its designs and others",
            ),
            StudyName::Control => (
                "control",
                "Beyond the paper: whether `--fdr` and `--max-false` keep what they promise",
            ),
            StudyName::Real => (
                "real",
                "Beyond the paper: the default and other packages on random splits of six real data sets",
            ),
        }
    }
}
