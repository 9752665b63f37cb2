//! The columns that still take part in a solve: their weights in single
//! precision, Adam's running means, and where their rows are.

use super::Problem;
use crate::backprop::Workspace;
use crate::columns::{Columns, Dense};
use crate::groups::Group;
use crate::kernel::Swept;
use crate::network::{Mlp, Shape};
use crate::penalty::Penalty;

/// Columns are left out of the products once one in so many has died, and copied close together
/// once few enough for their storage are left.
const DROPPED_IN: usize = 16;

/// The state of a solve over the columns that still take part.
pub struct Live {
    pub shape: Shape,
    pub weights: Vec<f32>,
    pub gradient: Vec<f32>,
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    pub target: Vec<f32>,
    /// The groups of its inputs, one after the other, unless each is one of factor 1.
    pub groups: Option<Vec<Group>>,
    /// Which inputs of the network they are.
    inputs: Vec<usize>,
    /// Which columns of the data they are.
    numbers: Vec<usize>,
    /// Where they are among the problem's columns.
    origin: Vec<u32>,
    /// A copy of what is left, if it is used in place of the problem's columns.
    packed: Option<Dense>,
    /// Where they are among the columns in use.
    places: Vec<u32>,
    workspace: Workspace,
    overflowed: bool,
}

impl Live {
    /// All inputs of a network.
    pub fn new(network: &Mlp, problem: &Problem) -> Self {
        let count = network.weights.len();
        let inputs = network.divided().order;
        let numbers: Vec<usize> = inputs.iter().map(|&at| network.inputs[at]).collect();
        let origin = problem.columns.places(&numbers);
        let (packed, places) = packed(None, &origin, &origin, problem);
        let (h, grouped) = (network.shape.group(), network.shape.grouped());
        let of_inputs = inputs.iter().flat_map(|at| &network.weights[at * h..][..h]);
        let weights = of_inputs.chain(&network.weights[grouped..]);
        Live {
            groups: groups_of(&network.shape, &numbers),
            shape: network.shape.clone(),
            weights: weights.map(|&w| w as f32).collect(),
            gradient: vec![0.0; count],
            mean: vec![0.0; count],
            square: vec![0.0; count],
            target: vec![0.0; count],
            inputs,
            numbers,
            origin,
            workspace: workspace(&network.shape, &places, in_use(&packed, problem), problem),
            packed,
            places,
            overflowed: false,
        }
    }

    /// Writes the gradient of a batch's loss and returns that loss.
    pub fn gradient(&mut self, problem: &Problem, batch: usize) -> f64 {
        (self.workspace).gradient(
            in_use(&self.packed, problem),
            batch,
            problem.loss,
            &self.weights,
            &mut self.gradient,
        )
    }

    /// Takes the target as the weights; the target becomes the old weights.
    pub fn accept(&mut self) {
        std::mem::swap(&mut self.weights, &mut self.target);
    }

    /// How far the last accepted step moved the weights.
    pub fn last_move(&self) -> f64 {
        let moves = self.weights.iter().zip(&self.target);
        moves
            .map(|(&new, &old)| f64::from(new - old).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// Leaves out the `dead` columns whose weights are zero, if they are many.
    pub fn drop_dead(&mut self, dead: usize, problem: &Problem) {
        if dead * DROPPED_IN < self.inputs.len() {
            return;
        }
        let h = self.shape.group();
        let mut lives = Vec::with_capacity(self.inputs.len());
        for (weights, factor) in self.groups() {
            let alive = factor == 0.0 || weights.iter().any(|&w| w != 0.0);
            lives.extend(std::iter::repeat_n(alive, weights.len() / h));
        }
        self.overflowed = self.overflowed();
        for values in [
            &mut self.weights,
            &mut self.gradient,
            &mut self.mean,
            &mut self.square,
            &mut self.target,
        ] {
            keep_inputs(values, &lives, h);
        }
        keep(&mut self.inputs, &lives);
        keep(&mut self.numbers, &lives);
        keep(&mut self.origin, &lives);
        keep(&mut self.places, &lives);
        self.groups = groups_of(&self.shape, &self.numbers);
        self.shape.widths[0] = self.inputs.len();
        (self.packed, self.places) =
            packed(self.packed.take(), &self.origin, &self.places, problem);
        let columns = in_use(&self.packed, problem);
        self.workspace = workspace(&self.shape, &self.places, columns, problem);
    }

    /// The first-layer weights of every group, and what λ is multiplied by.
    fn groups(&self) -> impl Iterator<Item = (&[f32], f64)> {
        let h = self.shape.group();
        let (mut number, mut start) = (0, 0);
        std::iter::from_fn(move || {
            if start == self.shape.grouped() {
                return None;
            }
            let (inputs, factor) = match &self.groups {
                None => (1, 1.0),
                Some(groups) => (groups[number].range.len(), groups[number].factor),
            };
            let weights = &self.weights[start..start + inputs * h];
            (number, start) = (number + 1, start + inputs * h);
            Some((weights, factor))
        })
    }

    /// What λ is multiplied by at least, of the groups that may leave: f, for √p makes a group's
    /// steps longer, too.
    pub fn least_factor(&self) -> f64 {
        let groups = self.groups.iter().flatten();
        let factors = groups.map(|group| group.factor / (group.range.len() as f64).sqrt());
        factors.filter(|f| *f > 0.0).fold(1.0, f64::min)
    }

    /// ‖w‖² and Σ_g ρ(‖W₀_g‖) before the first step.
    pub fn measure(&self, penalty: Penalty, lambda: f64) -> Swept {
        let squares =
            |values: &[f32]| -> f64 { values.iter().map(|&v| f64::from(v) * f64::from(v)).sum() };
        Swept {
            squares: squares(&self.weights),
            penalty: (self.groups())
                .map(|(weights, factor)| penalty.value(squares(weights).sqrt(), lambda * factor))
                .sum(),
            ..Swept::default()
        }
    }

    /// Whether a squared gradient has left the finite numbers.
    pub fn overflowed(&self) -> bool {
        self.overflowed || self.square.iter().any(|v| !v.is_finite())
    }

    /// The weights, back in their places; what was left out is zero.
    pub fn write_to(&self, network: &mut Mlp) {
        let (grouped, h) = (network.shape.grouped(), network.shape.group());
        let (groups, rest) = network.weights.split_at_mut(grouped);
        let (own_groups, own_rest) = self.weights.split_at(self.shape.grouped());
        groups.fill(0.0);
        let widen = |to: &mut [f64], from: &[f32]| {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = f64::from(from);
            }
        };
        for (&input, group) in self.inputs.iter().zip(own_groups.chunks_exact(h)) {
            widen(&mut groups[input * h..(input + 1) * h], group);
        }
        widen(rest, own_rest);
    }
}

/// The groups of columns that are in their order.
fn groups_of(shape: &Shape, columns: &[usize]) -> Option<Vec<Group>> {
    (!shape.groups.is_plain()).then(|| shape.groups.divide(columns).groups)
}

/// The copy if there is one, else the problem's columns.
fn in_use<'a>(packed: &'a Option<Dense>, problem: &'a Problem) -> &'a dyn Columns {
    match packed {
        Some(packed) => packed,
        None => problem.columns.storage(),
    }
}

/// The copy to use from now on and where the columns are among those in use.
fn packed(
    current: Option<Dense>,
    origin: &[u32],
    places: &[u32],
    problem: &Problem,
) -> (Option<Dense>, Vec<u32>) {
    if !in_use(&current, problem).worth_packing(places.len()) {
        return (current, places.to_vec());
    }
    // There is never more than one copy.
    drop(current);
    let places = 0..places.len() as u32;
    (
        Some(problem.columns.storage().packed(origin)),
        places.collect(),
    )
}

fn workspace(shape: &Shape, places: &[u32], columns: &dyn Columns, problem: &Problem) -> Workspace {
    let places = places.to_vec();
    Workspace::new(shape, places, columns, problem.loss, problem.parallel)
}

/// Keeps the `h` weights of every input that lives, and all that belong to no input.
fn keep_inputs(values: &mut Vec<f32>, lives: &[bool], h: usize) {
    let mut end = 0;
    for (input, _) in lives.iter().enumerate().filter(|(_, lives)| **lives) {
        values.copy_within(input * h..(input + 1) * h, end);
        end += h;
    }
    let dead = lives.len() * h - end;
    values.copy_within(lives.len() * h.., end);
    values.truncate(values.len() - dead);
}

fn keep<T>(values: &mut Vec<T>, which: &[bool]) {
    let mut which = which.iter();
    values.retain(|_| *which.next().expect("one for each"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_living_inputs_and_of_none_are_kept_in_order() {
        let all: Vec<f32> = (0..11).map(|i| i as f32).collect();
        let kept = |lives: &[bool]| {
            let mut values = all.clone();
            keep_inputs(&mut values, lives, 2);
            values
        };
        assert_eq!(kept(&[true; 4]), all);
        assert_eq!(kept(&[false; 4]), [8.0, 9.0, 10.0]);
        let some = [2.0, 3.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        assert_eq!(kept(&[false, true, false, true]), some);
    }
}
