//! Data on their way in: files become a data set, texts become groups of columns.
//!
//! # Map
//!
//! | module | what it does |
//! | --- | --- |
//! | [`text`] | a column of text as the engine takes it, to fit and to predict |
//! | `files` | CSV, Parquet, Arrow and NPY files as data sets, and what is in them; files that are written whole |
//!
//! Readers need the feature `files`, which is on by default. Without it nothing but [`text`] is
//! compiled: enough for a front end whose columns are already in memory.

#[cfg(feature = "files")]
mod files;
pub mod text;

#[cfg(feature = "files")]
pub use files::{
    Columns, FeatureStream, Features, Input, Inspection, Keep, ModelOutcome, Needed,
    OutcomeColumns, Overview, Reached, Table, for_model, load_cohort, load_dataset, load_labelled,
    two_classes, write_whole,
};
