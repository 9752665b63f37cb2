//! The price of sparsity: what all columns together tell of held-out rows and the selected ones do
//! not.

use super::Fitted;
use crate::metrics::Metric;
use crate::tune::{HeldOut, Member};
use serde::{Deserialize, Serialize};

/// The sparse model beside models of all columns, on held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SparsityPrice {
    /// What they are compared by.
    pub metric: Metric,
    /// Its value for the selected columns.
    pub sparse: f64,
    /// For the dense references: a ridge and a forest of all columns, as one.
    pub dense: f64,
    /// For the ensemble of all that was fitted.
    pub ensemble: f64,
    /// What the ensemble is made of.
    pub members: Vec<Member>,
}

impl SparsityPrice {
    /// How much better the dense references are than the sparse model; below 0 they are worse.
    pub fn price(&self) -> f64 {
        // (of every main metric more is better)
        self.dense - self.sparse
    }
}

/// None without an ensemble, or where the metric is undefined.
pub(super) fn price(fitted: &Fitted) -> Option<SparsityPrice> {
    let (fit, response) = (fitted.fit, fitted.data.response());
    let ensemble = fit.ensemble.as_ref()?;
    let metric = Metric::main(response.task());
    let of = |said: &HeldOut| {
        let rows = response.rows(&said.rows);
        metric.value(&said.prediction, &rows).ok()
    };
    Some(SparsityPrice {
        metric,
        sparse: of(fit.held_out.as_ref()?)?,
        dense: of(&ensemble.dense)?,
        ensemble: of(&ensemble.held_out)?,
        members: ensemble.members.clone(),
    })
}
