//! A second look at the columns a draw has left out.
//!
//! Among very many columns a network drops most before it has learned what they are good
//! for. One that matters only bent, or only together with another, is easily lost there,
//! and easily found once the others are known. With r the residuals of the draw's network
//! on the rows it learned from (the gradient of the loss in its output) and z the
//! standardised columns, a column is ranked by
//!
//! ```text
//! max { |cor(r, v)| : v = zⱼ, zⱼ², zⱼ·z_s for selected s },
//! ```
//!
//! all of second order in zⱼ and the selected ones. Of m such correlations over n rows noise
//! alone seldom has one above √(2 ln(2m)/n): what is not above it is left alone. So it is with
//! products of two columns of which none is selected (`pairs.rs`). The others
//! and the draw's own are fitted once more, without the rest. Rows that the draw holds out
//! take no part in this, so they can still tell which of the two fits is better.
//!
//! Where a linear model of the same rows is ahead of the draw's network, the second look begins with
//! that model: its columns, and those that stand out from what it leaves.

use super::pairs;
use super::pick::{Pick, pick_alone};
use crate::dataset::Weights;
use crate::error::Result;
use crate::network::Mlp;
use crate::statistics::noise_level;
use crate::tune::Constants;
use crate::tune::contest::Rival;
use crate::tune::jobs::Paths;
use crate::tune::noise::{correlation, winsorised};
use crate::tune::scale::Scale;
use crate::tune::training::Training;
use rayon::prelude::*;
use std::ops::Range;

/// A column and how strongly it is related to something.
struct Ranked {
    strength: f64,
    column: usize,
}

/// The paths of a second look.
pub struct Again<'a> {
    paths: Paths<'a>,
    /// Whether a draw has had one.
    had: Vec<bool>,
}

impl<'a> Again<'a> {
    /// None as yet.
    pub fn new(first: &Paths<'a>) -> Again<'a> {
        Again {
            paths: first.restricted_to(vec![vec![]; first.splits()]),
            had: vec![false; first.splits()],
        }
    }

    /// Gives these draws a second look: all of them on wide data, else those that a rival is ahead of.
    /// It begins with the better of the draw's own network and its rival's.
    pub fn look(
        &mut self,
        first: &Paths<'a>,
        draws: Range<usize>,
        rival: Option<&Rival>,
    ) -> Result<()> {
        let settings = first.context.settings;
        let wanted = |&draw: &usize| settings.look_again || is_ahead(rival, first, draw);
        let draws: Vec<usize> = draws.filter(wanted).collect();
        let columns: Vec<Vec<usize>> = (draws.par_iter())
            .map(|&draw| {
                let training = first.training(draw);
                match rival {
                    Some(rival) if is_ahead(Some(rival), first, draw) => {
                        candidates(&training, &rival.on_scale(draw, &training.scale))
                    }
                    _ => {
                        let best = first.best_networks(draw);
                        let network = best.first().map(|best| &best.network);
                        network.map_or(vec![], |network| candidates(&training, network))
                    }
                }
            })
            .collect();
        let mut plan = vec![vec![]; first.splits()];
        for (draw, columns) in draws.into_iter().zip(columns) {
            let has_first = |&ridge: &usize| !first.traced(ridge, draw..draw + 1).is_empty();
            plan[draw] = (0..settings.ridges.len()).filter(has_first).collect();
            self.paths.restrict(draw, columns);
            self.had[draw] = true;
        }
        self.paths.run(&plan)
    }

    /// What a draw has traced, if it has had a second look.
    pub fn paths(&self, draw: usize) -> Option<&Paths<'a>> {
        self.had[draw].then_some(&self.paths)
    }

    /// The better of the first pick of every draw and what came of its second look.
    pub fn better(&mut self, first: Vec<Pick>, scale: &Scale) -> Result<Vec<Pick>> {
        (first.into_iter().enumerate())
            .map(|(draw, first)| {
                if !self.had[draw] {
                    return Ok(first);
                }
                let second = pick_alone(&mut self.paths, draw, scale)?;
                Ok(match second.loss < first.loss {
                    true => second,
                    false => first,
                })
            })
            .collect()
    }
}

/// Whether a rival loses less on the rows that a draw holds out.
fn is_ahead(rival: Option<&Rival>, first: &Paths, draw: usize) -> bool {
    rival.is_some_and(|rival| rival.losses[draw] < first.least_loss(draw))
}

/// The columns of a network and those others that its residuals speak for most, ascending.
fn candidates(training: &Training, network: &Mlp) -> Vec<usize> {
    let constants = Constants::DEFAULT;
    let weights = training.weights();
    let residuals: Vec<Vec<f64>> = (training.residuals(network).into_iter())
        .map(|unit| winsorised(unit, weights))
        .collect();
    let mut selected: Vec<Ranked> = (network.norms().into_iter())
        .zip(network.inputs.iter().copied())
        .map(|(strength, column)| Ranked { strength, column })
        .collect();
    strongest_first(&mut selected);
    let partners: Vec<Vec<f64>> = (selected.iter().take(constants.second_look_partners))
        .map(|partner| winsorised(training.column(partner.column), weights))
        .collect();
    let mut others: Vec<Ranked> = (training.usable.par_iter())
        .filter(|j| network.inputs.binary_search(j).is_err())
        .map(|&column| {
            let values = winsorised(training.column(column), weights);
            Ranked {
                strength: largest_correlation(&values, &partners, &residuals, weights),
                column,
            }
        })
        .collect();
    strongest_first(&mut others);
    let tried = others.len() * (2 + partners.len()) * residuals.len();
    let noise = noise_level(tried, weights.total(training.rows.len()));
    let above_noise = (others.iter())
        .take_while(|other| other.strength > noise)
        .take(constants.second_look_columns)
        .map(|other| other.column);
    let joint = (pairs::standing_out(training, &residuals).into_iter())
        .take(constants.second_look_pairs)
        .flat_map(|pair| pair.columns);
    let inputs = network.inputs.iter().copied();
    let mut columns: Vec<usize> = inputs.chain(above_noise).chain(joint).collect();
    columns.sort_unstable();
    columns.dedup();
    training.completed(&columns)
}

/// Strongest first; among equals the earlier column.
fn strongest_first(order: &mut [Ranked]) {
    order.sort_by(|a, b| {
        let by_strength = b.strength.total_cmp(&a.strength);
        by_strength.then(a.column.cmp(&b.column))
    });
}

/// The largest correlation of residuals with a column, its square and its products.
fn largest_correlation(
    column: &[f64],
    partners: &[Vec<f64>],
    residuals: &[Vec<f64>],
    weights: Weights,
) -> f64 {
    let squared = std::iter::once(column);
    (squared.chain(partners.iter().map(Vec::as_slice)))
        .map(|other| column.iter().zip(other).map(|(a, b)| a * b).collect())
        .chain(std::iter::once(column.to_vec()))
        .flat_map(|v: Vec<f64>| {
            let of = move |r: &Vec<f64>| correlation(&v, r, weights).abs();
            residuals.iter().map(of)
        })
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::penalty::Penalty;
    use crate::random::{Purpose, Random};
    use crate::settings::{Protocol, Settings, Size, Validation};
    use crate::simulate::{Scenario, Simulation};

    /// The outcome is a product of two signs: alone, neither column differs from noise.
    #[test]
    fn noise_is_left_alone_and_columns_that_matter_together_are_not() {
        let data = Simulation::new(Scenario::Xor, 400, 300).draw().unwrap();
        let settings = Settings::new(
            Protocol::Default,
            Penalty::MCP,
            Validation::None,
            Size::of(&data),
        );
        let rows: Vec<usize> = (0..data.n()).collect();
        let training = Training::new(&data, &rows, &settings, &[]);
        let of = |inputs: &[usize]| {
            let mut random = Random::new(1, Purpose::Weights, 0, 0);
            let network = Mlp::random(inputs.to_vec(), training.shape(&settings), &mut random);
            candidates(&training, &network)
        };
        // (with nothing known, what matters jointly is seen by its product)
        assert_eq!(of(&[]), [0, 1]);
        assert_eq!(of(&[7]), [0, 1, 7]);
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
        let held = |values: Vec<f64>| winsorised(values, Weights::EQUAL);
        let (residuals, partners) = ([held(residual)], [held(known)]);
        let of = |column: Vec<f64>| {
            largest_correlation(&held(column), &partners, &residuals, Weights::EQUAL)
        };
        let (bent, joint, noise) = (of(bent), of(joint), of(noise));
        assert!(
            bent > 3.0 * noise && joint > 3.0 * noise,
            "{bent} {joint} {noise}"
        );
    }
}
