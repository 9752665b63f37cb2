//! What several drivers of benchmarks need.

pub mod counts;
pub mod machine;
pub mod memory;
