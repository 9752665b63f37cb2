//! The smooth part of the objective, in 64 bit.

use crate::certificate::Certificate;
use crate::columns::Standardised;
use crate::loss::{Loss, RowPart};
use crate::network::{Mlp, Shape};
use crate::penalty::Penalty;
use crate::precise::{self, Tape};

/// Everything of the objective but λ and the weights.
pub struct Problem<'a> {
    /// The training rows.
    pub columns: &'a Standardised,
    /// Their mean loss.
    pub loss: &'a dyn Loss,
    /// ρ.
    pub penalty: Penalty,
    /// Factor of ‖w‖².
    pub ridge: f64,
    /// Whether the output's bias is no part of this w.
    pub free_bias: bool,
    /// Whether a step may be divided over the threads of the rayon pool it runs
    /// in, which does not change it.
    pub parallel: bool,
    /// Seed of the order in which batches are visited.
    pub seed: u64,
}

/// The smooth part at a point: what a gradient needs besides the point.
pub struct Smooth {
    /// mean loss + ridge·‖w‖²
    pub value: f64,
    /// The mean loss alone.
    pub loss: f64,
    tapes: Vec<Tape>,
    output: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// On one thread, with seed 0.
    pub fn new(
        columns: &'a Standardised,
        loss: &'a dyn Loss,
        penalty: Penalty,
        ridge: f64,
    ) -> Self {
        Problem {
            columns,
            loss,
            penalty,
            ridge,
            free_bias: false,
            parallel: false,
            seed: 0,
        }
    }

    /// The λ of one input: λ√h, h the width of the first hidden layer, or 1
    /// where there is none.
    pub fn input_lambda(shape: &Shape, lambda: f64) -> f64 {
        let h = if shape.depth() == 1 { 1 } else { shape.group() };
        lambda * (h as f64).sqrt()
    }

    /// Σ_g ρ_{λf√(ph)}(‖W₀_g‖) over groups of p inputs, one as a rule, and factor f.
    pub fn penalty_value(&self, network: &Mlp, lambda: f64) -> f64 {
        let lambda = Self::input_lambda(&network.shape, lambda);
        (network.divided().iter())
            .map(|(inputs, factor)| self.penalty.value(network.norm_of(inputs), lambda * factor))
            .sum()
    }

    /// The penalised objective of a network with this mean loss.
    pub fn objective(&self, network: &Mlp, lambda: f64, loss: f64) -> f64 {
        loss + self.ridge * self.squares(network) + self.penalty_value(network, lambda)
    }

    /// Factor of the output bias's square.
    pub fn bias_ridge(&self) -> f64 {
        if self.free_bias { 0.0 } else { self.ridge }
    }

    /// The number of weights that the ridge is for: the output's bias comes last.
    fn ridged(&self, network: &Mlp) -> usize {
        let layers = network.shape.layers();
        match (layers.last(), self.free_bias) {
            (Some(last), true) => last.bias.start,
            _ => network.weights.len(),
        }
    }

    /// ‖w‖²
    fn squares(&self, network: &Mlp) -> f64 {
        let ridged = &network.weights[..self.ridged(network)];
        ridged.iter().map(|w| w * w).sum()
    }

    /// mean loss + ridge·‖w‖²
    pub fn smooth(&self, network: &Mlp) -> Smooth {
        let tapes = precise::tapes(network, self.columns);
        let output = precise::gathered(&tapes, self.columns.layout());
        let loss = self.loss.value(&output);
        Smooth {
            value: loss + self.ridge * self.squares(network),
            loss,
            tapes,
            output,
        }
    }

    /// Its gradient.
    pub fn gradient(&self, network: &Mlp, smooth: &Smooth) -> Vec<f64> {
        let mut delta = vec![0.0; smooth.output.len()];
        let all = RowPart::all(self.columns.layout().rows());
        (self.loss).gradient(all, &smooth.output, &mut delta, &mut Vec::new());
        let mut gradient = precise::gradient(network, self.columns, &smooth.tapes, &delta);
        let ridged = self.ridged(network);
        for (g, w) in gradient[..ridged].iter_mut().zip(&network.weights) {
            *g += 2.0 * self.ridge * w;
        }
        gradient
    }

    /// How stationary the network is, given its gradient.
    pub fn certify(&self, network: &Mlp, lambda: f64, gradient: &[f64]) -> Certificate {
        Certificate::new(
            self.penalty,
            Self::input_lambda(&network.shape, lambda),
            &network.weights,
            gradient,
            (&network.divided(), network.shape.group()),
        )
    }

    /// The columns outside the network that a stationary point needs:
    /// ‖g_j‖ > λf√h + `tolerance`, of groups together.
    pub fn violators(&self, network: &Mlp, lambda: f64, tolerance: f64) -> Vec<usize> {
        let smooth = self.smooth(network);
        let gradient = self.gradient(network, &smooth);
        let lambda = Self::input_lambda(&network.shape, lambda);
        let h = network.shape.group();
        (network.divided().iter())
            .filter(|(inputs, factor)| {
                let gradients = inputs.iter().flat_map(|input| &gradient[input * h..][..h]);
                let bound = lambda * factor + tolerance;
                network.norm_of(inputs) == 0.0
                    && gradients.map(|g| g * g).sum::<f64>().sqrt() > bound
            })
            .flat_map(|(inputs, _)| inputs.iter().map(|&input| network.inputs[input]))
            .collect()
    }

    /// The mean loss of the network and how stationary it is over its inputs.
    pub fn assess(&self, network: &Mlp, lambda: f64) -> (f64, Certificate) {
        let smooth = self.smooth(network);
        let gradient = self.gradient(network, &smooth);
        (smooth.loss, self.certify(network, lambda, &gradient))
    }
}
