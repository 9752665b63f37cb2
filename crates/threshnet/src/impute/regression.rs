//! Weighted least squares with a very small ridge, of several responses on the same predictors.

use nalgebra::{DMatrix, DVector};

/// The ridge beside standardised predictors: what one more row would weigh.
const RIDGE: f64 = 1.0;

/// y = intercept + Σ slopeₖ·xₖ.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    pub intercept: f64,
    pub slopes: Vec<f64>,
}

impl Fitted {
    /// The value in a row of these predictors.
    pub fn at(&self, predictors: &[&[f64]], row: usize) -> f64 {
        let products = self.slopes.iter().zip(predictors).map(|(b, x)| b * x[row]);
        self.intercept + products.sum::<f64>()
    }
}

/// Minimises Σᵢ wᵢ(yᵢ − a − Σₖ bₖ(xᵢₖ − x̄ₖ)/sₖ)² + Σₖ bₖ² for each response over the given rows, with
/// weighted means x̄ and deviations s, and gives the slopes of the predictors as they are. Responses
/// that add up to 1 in every row do so when fitted.
pub fn regress(
    predictors: &[&[f64]],
    responses: &[&[f64]],
    rows: &[usize],
    weights: &[f64],
) -> Vec<Fitted> {
    let total: f64 = weights.iter().sum();
    let mean = |values: &[f64]| -> f64 {
        let products = rows.iter().zip(weights).map(|(&i, w)| w * values[i]);
        products.sum::<f64>() / total
    };
    let p = predictors.len();
    let centers: Vec<f64> = predictors.iter().map(|x| mean(x)).collect();
    let scales: Vec<f64> = (predictors.iter().zip(&centers))
        .map(|(x, center)| {
            let squares = rows
                .iter()
                .zip(weights)
                .map(|(&i, w)| w * (x[i] - center).powi(2));
            (squares.sum::<f64>() / total).sqrt()
        })
        .collect();
    // (a predictor that is constant here has no slope)
    let factor = |k: usize| {
        if scales[k] > 0.0 {
            1.0 / scales[k]
        } else {
            0.0
        }
    };
    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
    let x = DMatrix::from_fn(rows.len(), p, |i, k| {
        roots[i] * (predictors[k][rows[i]] - centers[k]) * factor(k)
    });
    let mut gram = x.tr_mul(&x);
    for k in 0..p {
        gram[(k, k)] += RIDGE;
    }
    let gram = gram.cholesky().expect("a sum of squares and a ridge");
    (responses.iter())
        .map(|y| {
            let center = mean(y);
            let y = DVector::from_fn(rows.len(), |i, _| roots[i] * (y[rows[i]] - center));
            let solved = gram.solve(&x.tr_mul(&y));
            let slopes: Vec<f64> = (0..p).map(|k| solved[k] * factor(k)).collect();
            let shift: f64 = slopes.iter().zip(&centers).map(|(b, c)| b * c).sum();
            Fitted {
                intercept: center - shift,
                slopes,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Random};

    /// Against the objective itself: no step in any direction lowers it.
    #[test]
    fn what_is_fitted_is_a_minimum() {
        let mut random = Random::new(1, Purpose::Imputation, 0, 0);
        let columns: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..40).map(|_| 2.0 + random.normal()).collect())
            .collect();
        let x: Vec<&[f64]> = columns[..2].iter().map(Vec::as_slice).collect();
        let rows: Vec<usize> = (0..40).filter(|i| i % 3 > 0).collect();
        let weights: Vec<f64> = rows.iter().map(|_| random.exponential()).collect();
        let total: f64 = weights.iter().sum();
        let deviation = |x: &[f64]| {
            let of = |v: &dyn Fn(usize) -> f64| -> f64 {
                rows.iter()
                    .zip(&weights)
                    .map(|(&i, w)| w * v(i))
                    .sum::<f64>()
                    / total
            };
            let mean = of(&|i| x[i]);
            of(&|i| (x[i] - mean).powi(2)).sqrt()
        };
        let objective = |fitted: &Fitted| -> f64 {
            let loss: f64 = (rows.iter().zip(&weights))
                .map(|(&i, w)| w * (columns[2][i] - fitted.at(&x, i)).powi(2))
                .sum();
            let of_slope = fitted.slopes.iter().zip(&x);
            loss + of_slope
                .map(|(b, x)| (b * deviation(x)).powi(2))
                .sum::<f64>()
        };
        let fitted = regress(&x, &[&columns[2]], &rows, &weights).remove(0);
        let least = objective(&fitted);
        for step in [1e-3, -1e-3] {
            let mut other = fitted.clone();
            other.intercept += step;
            assert!(objective(&other) > least);
            for k in 0..2 {
                let mut other = fitted.clone();
                other.slopes[k] += step;
                assert!(objective(&other) > least, "{k}");
            }
        }
    }

    #[test]
    fn shares_add_up_and_constants_have_no_slope() {
        let x: Vec<f64> = (0..12).map(|i| f64::from(i % 5)).collect();
        let level =
            |l: usize| -> Vec<f64> { (0..12).map(|i| f64::from(u8::from(i % 3 == l))).collect() };
        let (levels, constant) = ([level(0), level(1), level(2)], vec![7.0; 12]);
        let responses: Vec<&[f64]> = levels.iter().map(Vec::as_slice).collect();
        let rows: Vec<usize> = (0..12).collect();
        let x: [&[f64]; 2] = [&x, &constant];
        let fitted = regress(&x, &responses, &rows, &[1.0; 12]);
        for row in 0..12 {
            let sum: f64 = fitted.iter().map(|f| f.at(&x, row)).sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
        assert!(fitted.iter().all(|f| f.slopes[1] == 0.0));
    }
}
