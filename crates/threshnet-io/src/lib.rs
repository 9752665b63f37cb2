//! Data on their way in: files become a data set, texts become groups of columns.
//!
//! # Map
//!
//! | module | what it does |
//! | --- | --- |
//! | [`cell`] | what a cell says: a number, a text, or that its value is not known |
//! | [`text`] | a column of text as the engine takes it, to fit and to predict |
//! | [`formula`] | texts that a spreadsheet would run, on their way out and in |
//! | [`wording`] | how messages quote cells and list names |
//! | `files` | CSV, Parquet, Arrow, NumPy, SciPy and Matrix Market files as data sets, and what is in them; files that are written whole |
//!
//! Readers need the feature `files`, which is on by default. Without it nothing but the others is
//! compiled: enough for a front end whose columns are already in memory.

pub mod cell;
#[cfg(feature = "files")]
mod files;
pub mod formula;
pub mod text;
pub mod wording;

#[cfg(feature = "files")]
pub use files::{
    Columns, Encoding, FeatureStream, Features, Input, Inspection, Keep, Manner, ModelOutcome,
    Needed, OutcomeColumns, Reached, RowColumns, Rows, Table, for_model, load_cohort, load_dataset,
    load_folds, load_labelled, of_rows, shell, sync_folder, two_classes, write_whole,
};
