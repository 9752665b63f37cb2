//! How a loss bends.

use super::cox::RiskCurvature;

/// The second derivative of a loss in η at some η.
pub enum Curvature {
    /// Of a sum over rows with one output: each row bends by itself.
    Rows(Vec<f64>),
    /// Of a sum over rows with several outputs, which bend together within a row.
    Classes(ClassCurvature),
    /// Of Cox's loss, which bends with all rows of a risk set.
    RiskSets(RiskCurvature),
}

impl Curvature {
    /// Writes its product with a direction, one block of rows per output.
    pub fn product(&self, direction: &[f64], product: &mut [f64]) {
        match self {
            Curvature::Rows(by_row) => {
                for ((product, v), d) in product.iter_mut().zip(by_row).zip(direction) {
                    *product = v * d;
                }
            }
            Curvature::Classes(classes) => classes.product(direction, product),
            Curvature::RiskSets(risk) => risk.product(direction, product),
        }
    }
}

/// diag(p) − p·p′ of every row, p its class probabilities, times what the row counts.
pub struct ClassCurvature {
    /// `[class][row]`
    probabilities: Vec<Vec<f64>>,
    shares: Vec<f64>,
}

impl ClassCurvature {
    /// Of rows with these probabilities, each with its share of the mean.
    pub(super) fn new(probabilities: Vec<Vec<f64>>, shares: Vec<f64>) -> Self {
        ClassCurvature {
            probabilities,
            shares,
        }
    }

    fn product(&self, direction: &[f64], product: &mut [f64]) {
        let rows = self.shares.len();
        let mut means = vec![0.0; rows];
        let units = self.probabilities.iter().zip(direction.chunks_exact(rows));
        for (p, d) in units.clone() {
            for ((mean, p), d) in means.iter_mut().zip(p).zip(d) {
                *mean += p * d;
            }
        }
        for ((p, d), product) in units.zip(product.chunks_exact_mut(rows)) {
            let shares = self.shares.iter().zip(&means);
            for (((product, p), d), (share, mean)) in product.iter_mut().zip(p).zip(d).zip(shares) {
                *product = share * p * (d - mean);
            }
        }
    }

    /// A number for each row which no eigenvalue of its matrix exceeds: max p, or max 2p(1 − p),
    /// the largest sum of absolute values in a row of diag(p) − p·p′ (Gershgorin).
    pub fn bound(&self) -> Vec<f64> {
        let mut most = vec![0.0f64; self.shares.len()];
        for class in &self.probabilities {
            for (most, p) in most.iter_mut().zip(class) {
                *most = p.min(2.0 * p * (1.0 - p)).max(*most);
            }
        }
        let shares = most.iter().zip(&self.shares);
        shares.map(|(most, share)| most * share).collect()
    }
}
