//! How a loss bends.

use super::cox::RiskCurvature;

/// The second derivative of a loss in η at some η.
pub enum Curvature {
    /// Of a sum over rows: each row bends by itself. With several outputs v_k of a row,
    /// Σ_kl v_k·v_l·∂²/∂η_k∂η_l is at most this times Σ_k v_k².
    Rows(Vec<f64>),
    /// Of Cox's loss, which bends with all rows of a risk set.
    RiskSets(RiskCurvature),
}

impl Curvature {
    /// Writes its product with a direction, one number per row.
    pub fn product(&self, direction: &[f64], product: &mut [f64]) {
        match self {
            Curvature::Rows(by_row) => {
                for ((product, v), d) in product.iter_mut().zip(by_row).zip(direction) {
                    *product = v * d;
                }
            }
            Curvature::RiskSets(risk) => risk.product(direction, product),
        }
    }
}
