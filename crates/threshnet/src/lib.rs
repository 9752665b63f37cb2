//! threshnet
pub mod activation;
pub mod backprop;
pub mod dataset;
pub mod design;
pub mod error;
pub mod kernel;
pub mod loss;
pub mod network;
pub mod penalty;
pub mod precise;
pub mod random;
