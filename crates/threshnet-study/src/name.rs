//! The studies there are.

use threshnet::settings::Named;

/// Makes the enum and what is known of its variants of one list.
macro_rules! studies {
    ($($(#[doc = $about:literal])+ $study:ident = $name:literal,)+) => {
        /// A table or figure of the paper, or a study of our own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum StudyName {
            $($(#[doc = $about])+ $study,)+
        }

        impl Named for StudyName {
            const ALL: &'static [StudyName] = &[$(StudyName::$study,)+];

            fn name(self) -> &'static str {
                match self { $(StudyName::$study => $name,)+ }
            }
        }

        impl StudyName {
            /// What it is about, in a line.
            pub fn about(self) -> &'static str {
                match self { $(StudyName::$study => concat!($($about),+).trim(),)+ }
            }
        }
    };
}

studies! {
    /// Figure 1: solution paths cold, forward and backward
    Path = "path",
    /// A product of two signs, against the number of columns
    Xor = "xor",
    /// A sign and its product with another, against the number of columns
    Hierarchical = "hierarchical",
    /// Table 1 and its box plots
    Table1 = "table1",
    /// Table 2: correlated columns
    Table2 = "table2",
    /// GSCADNet under other thresholds, rates and networks
    Sensitivity = "sensitivity",
    /// relaxed-GLASSONet on the product of two signs
    Relaxed = "relaxed",
    /// Digits 7 and 8 under noise
    Mnist = "mnist",
    /// Random splits of real survival data
    SurvivalReal = "survival-real",
    /// Beyond the paper: the default beside the paper's protocol, on its designs and others
    Quality = "quality",
    /// Beyond the paper: whether `--fdr` and `--max-false` keep what they promise
    Control = "control",
    /// Beyond the paper: the default and other packages on random splits of forty public data sets
    Battery = "battery",
}
