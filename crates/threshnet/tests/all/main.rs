//! The library as its users see it: a module per subject, and all in one
//! program to compile, link and start. Only
//! `memory.rs`, which measures the memory of its process, is one of its own.

mod adam_oracle;
mod choosing;
mod coming_from;
mod common;
mod concave;
mod contest;
mod datasets;
mod descent;
mod divergence;
mod draws;
mod ensemble;
mod exact_paths;
mod explain;
mod glmnet;
mod groups;
mod held_out;
mod keeping;
mod knockoffs;
mod linear_models;
mod linear_oracles;
mod metrics;
mod missing;
mod model_files;
mod models;
mod old_models;
mod paper;
mod paths;
mod relaxed;
mod report;
mod same_result;
mod savings;
mod scales;
mod selecting;
mod skip_connection;
mod solvers;
mod sparse;
mod starts;
mod terms;
mod thresholds;
mod tuning;
mod weights;
