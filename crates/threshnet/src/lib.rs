//! Sparse-input neural networks with group concave penalties.
//!
//! A feed-forward network f_w whose input columns each form a group is trained
//! by minimising
//!
//! ```text
//! mean loss(f_w(xᵢ), yᵢ)  +  Σⱼ ρ(‖W₀ⱼ‖₂; λ√h, a)  +  ridge·‖w‖₂²
//! ```
//!
//! where W₀ⱼ are the weights that leave column j, h is the width of the first
//! hidden layer, and ρ is the LASSO, MCP or SCAD. The penalty makes whole
//! columns exactly zero, so a fit selects columns and learns a non-linear
//! function of them at once. Solutions are traced from dense to sparse, and
//! (λ, ridge) is chosen on held-out rows. The method is that of Luo and Halabi,
//! *Sparse-Input Neural Network using Group Concave Regularization* (TMLR 2025).
//!
//! # Map
//!
//! From the outside in, as data flow:
//!
//! | module | what it does |
//! | --- | --- |
//! | [`dataset`] | rows, features, a response: the outcome and what each row counts |
//! | [`columns`] | feature columns, dense or without their zeros; the standardised view of them |
//! | [`settings`] | what a fit can be told; protocols; what a user asks for |
//! | [`tune`] | the default protocol, step by step; hold-out, folds, a single path |
//! | [`split`] | hold-out, folds, halves |
//! | [`screen`] | which columns of very wide data are tried at all |
//! | [`validate`](mod@validate) | the whole procedure again in outer splits |
//! | [`control`] | selection with error control, as independent runs |
//! | [`stability`], [`knockoffs`] | selection with a bound on false columns, or on their share |
//! | [`path`](mod@path), [`relax`] | backward, forward and cold paths over λ; refits without λ |
//! | [`solver`] | [`Adam`](solver::Adam) and [`Proximal`](solver::Proximal) at one λ |
//! | [`linear`] | models without a hidden layer, by coordinate descent |
//! | [`certificate`] | how stationary a point is |
//! | [`penalty`], [`loss`], [`activation`] | the pieces of the objective |
//! | [`groups`] | columns that enter and leave together |
//! | [`network`] | the weights, their start, pruning |
//! | [`backprop`], [`kernel`] | the fast single-precision gradient |
//! | [`precise`] | the same in 64 bit |
//! | [`model`] | predictions, `model.json` |
//! | [`conformal`] | prediction intervals, sets of classes, lower bounds of survival times |
//! | [`onnx`] | a model as an ONNX graph |
//! | [`explain`] | effect curves and interactions of a model |
//! | [`metrics`] | how good predictions and selections are |
//! | [`report`] | all that is told of a fit, as one typed result |
//! | [`statistics`] | means, variances, medians |
//! | [`threads`] | how many threads work on a fit |
//! | [`simulate`], [`random`] | the paper's scenarios; seeds |
//! | [`mod@format`] | numbers as text |
//!
//! # Example
//!
//! ```
//! use threshnet::penalty::Penalty;
//! use threshnet::settings::{Protocol, Settings, Size};
//! use threshnet::simulate::{Scenario, Simulation};
//! use threshnet::solver::Unobserved;
//!
//! // 300 rows, 6 columns, of which only the first four matter.
//! let data = Simulation::new(Scenario::Regression, 300, 6).draw()?;
//! let validation = Protocol::Default.validation();
//! let mut settings = Settings::new(Protocol::Default, Penalty::MCP, validation, Size::of(&data));
//! settings.ridges = vec![0.01];
//! let fit = threshnet::tune::fit(&data, &settings, &Unobserved)?;
//! assert!(fit.model.selected().contains(&2) && fit.model.selected().contains(&3));
//! # Ok::<(), threshnet::error::Error>(())
//! ```

pub mod activation;
pub mod backprop;
pub mod certificate;
pub mod columns;
pub mod conformal;
pub mod control;
pub mod dataset;
mod ensemble;
pub mod error;
pub mod explain;
pub mod forest;
pub mod format;
pub mod groups;
pub mod impute;
pub mod keeper;
#[allow(unsafe_code)] // vectors of the processor
pub mod kernel;
pub mod knockoffs;
pub mod leak;
pub mod linear;
pub mod loss;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod network;
pub mod onnx;
pub mod path;
pub mod penalty;
pub mod precise;
pub mod random;
pub mod relax;
pub mod report;
pub mod screen;
pub mod settings;
pub mod simulate;
pub mod solver;
pub mod split;
pub mod stability;
pub mod statistics;
pub mod threads;
pub mod tune;
pub mod validate;
