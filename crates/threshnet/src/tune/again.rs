//! A second look at the columns a draw has left out.
//!
//! Among very many columns a network drops most before it has learned what they are good
//! for. One that matters only bent, or only together with another, is easily lost there,
//! and easily found once the others are known. With r the residuals of the draw's network
//! on the rows it learned from (the gradient of the loss in its output) and z the
//! standardised columns, those are the most promising that have the largest
//!
//! ```text
//! max { |cor(r, v)| : v = zⱼ, zⱼ², zⱼ·z_s for selected s },
//! ```
//!
//! all of second order in zⱼ and the selected ones. Of m such correlations over n rows noise
//! alone seldom has one above √(2 ln(2m)/n): what is not above it is left alone. The others
//! and the draw's own are fitted once more, without the rest. Rows that the draw holds out
//! take no part in this, so they can still tell which of the two fits is better.

use super::noise::{bounded, correlation, level};
use super::part::Part;
use crate::network::Mlp;
use rayon::prelude::*;

/// At most so many columns are looked at again.
const LOOKED_AT: usize = 10;

/// Selected columns whose products are tried, the strongest.
const PARTNERS: usize = 10;

/// The columns of a network and the most promising others of its part, ascending.
pub fn promising(part: &Part, network: &Mlp) -> Vec<usize> {
    let residuals: Vec<Vec<f64>> = (part.residuals(network).into_iter()).map(bounded).collect();
    let mut strongest: Vec<(f64, usize)> = network
        .norms()
        .into_iter()
        .zip(network.inputs.iter().copied())
        .collect();
    best_first(&mut strongest);
    let partners: Vec<Vec<f64>> = (strongest.iter().take(PARTNERS))
        .map(|&(_, s)| bounded(part.column(s)))
        .collect();
    let mut others: Vec<(f64, usize)> = (part.usable.par_iter())
        .filter(|j| network.inputs.binary_search(j).is_err())
        .map(|&j| (promise(&bounded(part.column(j)), &partners, &residuals), j))
        .collect();
    best_first(&mut others);
    let tried = others.len() * (2 + partners.len()) * residuals.len();
    let noise = level(tried, part.split.train.len());
    let standing_out = others.iter().take_while(|(promise, _)| *promise > noise);
    let best = standing_out.take(LOOKED_AT).map(|(_, j)| *j);
    let columns: Vec<usize> = network.inputs.iter().copied().chain(best).collect();
    part.completed(&columns)
}

/// Largest first; among equals the earlier column.
fn best_first(order: &mut [(f64, usize)]) {
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}

/// The largest correlation of residuals with a column, its square and its products.
fn promise(column: &[f64], partners: &[Vec<f64>], residuals: &[Vec<f64>]) -> f64 {
    let squared = std::iter::once(column);
    (squared.chain(partners.iter().map(Vec::as_slice)))
        .map(|other| column.iter().zip(other).map(|(a, b)| a * b).collect())
        .chain(std::iter::once(column.to_vec()))
        .flat_map(|v: Vec<f64>| residuals.iter().map(move |r| correlation(&v, r).abs()))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Penalty;
    use crate::random::{Purpose, Random};
    use crate::settings::{Protocol, Settings, Size, Validation};
    use crate::simulate::{Scenario, Simulation};
    use crate::tune::search::everything;

    /// The outcome is a product of two signs: alone, neither column differs from noise.
    #[test]
    fn noise_is_left_alone_and_the_partner_of_a_known_column_is_not() {
        let data = Simulation::new(Scenario::Xor, 400, 300).draw().unwrap();
        let settings = Settings::new(
            Protocol::Default,
            Penalty::MCP,
            Validation::None,
            Size::of(&data),
        );
        let part = Part::new(&data, everything(data.n()), &settings, false);
        let of = |inputs: &[usize]| {
            let mut random = Random::new(1, Purpose::Weights, 0, 0);
            let network = Mlp::random(inputs.to_vec(), part.shape(&settings), &mut random);
            promising(&part, &network)
        };
        assert_eq!(of(&[]), [0; 0]);
        assert_eq!(of(&[7]), [7]);
        assert_eq!(of(&[0]), [0, 1]);
        assert_eq!(of(&[1, 7]), [0, 1, 7]);
    }

    #[test]
    fn bent_and_joint_effects_stand_out() {
        let mut random = Random::new(5, Purpose::Simulation, 0, 0);
        let mut column = || -> Vec<f64> { (0..400).map(|_| random.normal()).collect() };
        let (known, bent, joint, noise) = (column(), column(), column(), column());
        let residual: Vec<f64> = (0..400)
            .map(|i| (bent[i].abs() + 0.1).ln() + 0.7 * joint[i] * known[i])
            .collect();
        let residuals = [bounded(residual)];
        let partners = [bounded(known)];
        let of = |column: Vec<f64>| promise(&bounded(column), &partners, &residuals);
        let (bent, joint, noise) = (of(bent), of(joint), of(noise));
        assert!(
            bent > 3.0 * noise && joint > 3.0 * noise,
            "{bent} {joint} {noise}"
        );
    }
}
