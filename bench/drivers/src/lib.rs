//! What several drivers of benchmarks need.

pub mod machine;
