//! threshnet
pub mod dataset;
pub mod error;
pub mod random;
