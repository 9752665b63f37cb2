//! What bounds the false columns of a selection, in `summary.json` and for a person.

use serde_json::{Value, json};
use threshnet::control::Controlled;
use threshnet::format::short;

/// A field of `summary.json`.
pub fn to_json(controlled: &Controlled) -> (&'static str, Value) {
    match controlled {
        Controlled::Stable { found, pairs } => (
            "stability",
            json!({
                "pairs": pairs,
                "threshold": found.threshold,
                "false_at_most": found.bound,
                "mean_size": found.mean_size,
                "counted": found.counted,
            }),
        ),
        Controlled::Certified { found, rate, runs } => (
            "fdr",
            json!({
                "rate": rate,
                "runs": runs,
                "threshold": found.threshold.is_finite().then_some(found.threshold),
            }),
        ),
    }
}

/// The same for a person.
pub fn to_text(controlled: &Controlled) -> String {
    match controlled {
        Controlled::Stable { found, .. } => format!(
            "stability   each in at least {:.1} % of the half-samples; on average at most {} of \
             them no better than chance",
            (1000.0 * found.threshold).floor() / 10.0,
            short(found.bound),
        ),
        Controlled::Certified { found, rate, .. } if found.threshold.is_finite() => format!(
            "fdr         on average at most {} % of the selected are false",
            short(100.0 * rate)
        ),
        Controlled::Certified { rate, .. } => format!(
            "fdr         nothing can be certified at a rate of {rate}, which takes at least {} \
             columns that beat their knockoffs; take a higher rate, or --stability",
            (1.0 / rate - 1e-9).ceil()
        ),
    }
}
