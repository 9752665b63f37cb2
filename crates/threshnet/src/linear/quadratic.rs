//! The loss near a point as a quadratic function of the weights, and coordinate descent on it.
//!
//! With δ = ∂loss/∂η and V its curvature, row by row, at the point,
//!
//! ```text
//! loss(η + Δ) ≈ loss(η) + Σᵢ δᵢ·Δᵢ + ½ Σᵢ Vᵢ·Δᵢ²,        Δ = X(w⁺ − w) + (b⁺ − b).
//! ```
//!
//! The bias is always at its best for the weights: a step d on column j moves it by −c·sⱼ·d with
//! sⱼ = Σᵢ Vᵢ·x_ij and c = 1/(ΣV + 2·its ridge). So column j acts as xⱼ − c·sⱼ, whatever its mean,
//! and its curvature is Σ V·xⱼ² − c·sⱼ².
//!
//! What is kept up to date is u = δ + V∘Δ, as `slopes` + `constant`·V: a step on a column then
//! touches its cells alone, also where these are less a shift. Where rows or outputs bend together
//! (`joint.rs`) it is u = δ + HΔ with the second derivative H.

use super::design::{Design, norm, squares};
use super::joint::Joint;
use super::point::Point;
use crate::loss::Curvature;
use nalgebra::DMatrix;

/// The least curvature of a row, as a share of a row's weight: rows that are fitted without doubt
/// do not bend at all.
const LEAST_CURVATURE: f64 = 1e-8;
/// How close to the penalty's limit 1/curvature may come: beyond the limit a threshold is no
/// minimum, at the limit it divides by zero.
const BELOW_LIMIT: f64 = 0.9;
/// A group whose columns bend more together than was thought is taken to bend by so much more
/// than it was seen to.
const TOGETHER: f64 = 1.05;

/// What the model needs of a column.
#[derive(Clone, Copy)]
struct Moments {
    /// For which curvature they were taken.
    version: u32,
    /// Σ V·cell
    cells: f64,
    /// Σ V·x
    sum: f64,
}

/// The loss near a point, the penalty and the ridge as they are.
pub struct Quadratic<'a> {
    pub design: &'a Design<'a>,
    pub lambda: f64,
    /// V, where rows bend by themselves.
    curvature: Vec<f64>,
    /// H, where they do not.
    joint: Option<Joint>,
    /// By how much more these bend than the loss; 0 before they were taken.
    factor: f64,
    version: u32,
    /// ΣV
    total: f64,
    /// c.
    bias_step: f64,
    /// By column.
    moments: Vec<Moments>,
    /// By group: at least the largest eigenvalue of its columns' curvature.
    bends: Vec<f64>,
    slopes: Vec<f64>,
    constant: f64,
    pub weights: Vec<f64>,
    pub bias: Vec<f64>,
    room: Room,
}

/// Room to work in.
#[derive(Default)]
struct Room {
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// X·step …
    together: Vec<f64>,
    /// … and by how much u changes with it.
    change: Vec<f64>,
    /// By how much the bias does.
    of_bias: Vec<f64>,
    ones: Vec<f64>,
}

impl<'a> Quadratic<'a> {
    pub fn new(design: &'a Design<'a>) -> Self {
        let none = Moments {
            version: 0,
            cells: 0.0,
            sum: 0.0,
        };
        Quadratic {
            design,
            lambda: 0.0,
            curvature: vec![],
            joint: None,
            factor: 0.0,
            version: 0,
            total: 0.0,
            bias_step: 0.0,
            moments: vec![none; design.width()],
            bends: vec![0.0; design.groups.len()],
            slopes: vec![],
            constant: 0.0,
            weights: vec![],
            bias: vec![],
            room: Room {
                ones: vec![1.0; design.rows],
                ..Room::default()
            },
        }
    }

    /// The model at a point, with the curvature there times `factor`.
    pub fn at(&mut self, point: &Point, lambda: f64, factor: f64) {
        self.lambda = lambda;
        let loss = self.design.problem.loss;
        if self.factor != factor || !loss.quadratic() {
            self.factor = factor;
            self.take_curvature(point, factor);
        }
        self.slopes.clone_from(&point.slopes);
        self.constant = 0.0;
        self.weights.clone_from(&point.weights);
        self.bias.clone_from(&point.bias);
        self.bias.resize(self.design.outputs, 0.0);
        let units = self.slopes.chunks_exact(self.design.rows).zip(&self.bias);
        let slopes: Vec<f64> = units
            .map(|(unit, bias)| unit.iter().sum::<f64>() + 2.0 * self.design.bias_ridge * bias)
            .collect();
        match &self.joint {
            Some(joint) => {
                let step = joint.bias_step(&slopes, &mut self.slopes);
                self.bias
                    .iter_mut()
                    .zip(step)
                    .for_each(|(b, step)| *b += step);
            }
            None => {
                let step = -self.bias_step * slopes[0];
                self.bias[0] += step;
                self.constant += step;
            }
        }
    }

    fn take_curvature(&mut self, point: &Point, factor: f64) {
        let design = self.design;
        let least = LEAST_CURVATURE / design.rows as f64;
        self.version += 1;
        match design.problem.loss.curvature(&point.output) {
            Curvature::Rows(mut by_row) => {
                by_row.iter_mut().for_each(|v| *v = factor * v.max(least));
                self.total = by_row.iter().sum();
                self.bias_step = 1.0 / (self.total + 2.0 * design.bias_ridge);
                self.curvature = by_row;
            }
            curvature => {
                let products = match self.joint.take() {
                    Some(joint) => joint.products,
                    None => vec![vec![]; design.width()],
                };
                self.joint = Some(Joint::new(design, (curvature, least), factor, products));
            }
        }
    }

    /// Takes what steps on a group need of its columns, unless it is known.
    pub fn prepare(&mut self, group: usize) {
        let design = self.design;
        let columns = design.groups[group].clone();
        if self.moments[columns.start].version == self.version {
            return;
        }
        let mut bend = 0.0f64;
        for column in columns {
            let mut moments = Moments {
                version: self.version,
                cells: 0.0,
                sum: 0.0,
            };
            let own = match self.joint.is_some() {
                true => self.prepare_joint(column),
                false => {
                    let place = design.places[column];
                    let cells = design.columns.cell_sums(place, &self.curvature);
                    let shift = design.columns.shift(place);
                    moments.cells = cells.sum;
                    moments.sum = cells.sum - shift * self.total;
                    let squares = cells.squares - shift * (cells.sum + moments.sum);
                    squares - self.bias_step * moments.sum * moments.sum
                }
            };
            bend = bend.max(own);
            self.moments[column] = moments;
        }
        self.bends[group] = bend;
    }

    /// How much a joint model bends with a column's weight for an output at most; keeps the product
    /// of a model with one.
    fn prepare_joint(&mut self, column: usize) -> f64 {
        let mut steps = vec![0.0; self.design.outputs];
        let mut bend = 0.0f64;
        for output in 0..self.design.outputs {
            steps[output] = 1.0;
            bend = bend.max(self.bent_along(column..column + 1, &steps));
            steps[output] = 0.0;
        }
        if let (Some(joint), 1) = (&mut self.joint, self.design.outputs) {
            joint.products[column].clone_from(&self.room.change);
        }
        bend
    }

    /// One step on each of these groups; the largest of their violations before it.
    pub fn pass(&mut self, groups: &[usize]) -> f64 {
        groups.iter().fold(0.0, |most, &group| {
            if self.joint.is_none() {
                self.prepare(group);
            }
            let violation = match self.design.groups[group].len() * self.design.outputs {
                1 => self.step_on_one(group),
                _ => self.step_on_group(group),
            };
            violation.max(most)
        })
    }

    /// Whether a group has weights.
    pub fn is_active(&self, group: usize) -> bool {
        let weights = &self.weights[self.design.weights_of(group)];
        weights.iter().any(|w| *w != 0.0)
    }

    /// The curvature in a step's own model, for which the threshold is its minimum.
    fn bend(&self, group: usize) -> f64 {
        let problem = self.design.problem;
        let least = 1.0 / (BELOW_LIMIT * problem.penalty.step_limit());
        (self.bends[group] + 2.0 * problem.ridge).max(least)
    }

    /// ∂/∂w of a column's weight for an output.
    pub fn slope(&self, column: usize, output: usize) -> f64 {
        let (design, rows) = (self.design, self.design.rows);
        let place = design.places[column];
        let slopes = &self.slopes[output * rows..(output + 1) * rows];
        let weight = self.weights[column * design.outputs + output];
        // (the bias is at its best, so Σu is what its ridge leaves)
        let sum = -2.0 * design.bias_ridge * self.bias[output];
        design.columns.dot_cells(place, slopes) + self.constant * self.moments[column].cells
            - design.columns.shift(place) * sum
            + 2.0 * design.problem.ridge * weight
    }

    /// A step on a single weight.
    fn step_on_one(&mut self, group: usize) -> f64 {
        let (design, column) = (self.design, self.design.groups[group].start);
        let (old, slope) = (self.weights[column], self.slope(column, 0));
        let lambda = self.lambda * design.factors[group];
        if old == 0.0 && slope.abs() <= lambda {
            return 0.0;
        }
        self.prepare(group);
        let bend = self.bend(group);
        let target = old - slope / bend;
        let new = target * (design.problem.penalty).shrink(target.abs(), 1.0 / bend, lambda);
        let step = new - old;
        if step == 0.0 {
            return 0.0;
        }
        self.weights[column] = new;
        self.take_step(column, step);
        bend * step.abs()
    }

    /// Brings u and the bias to where a step on a column's weight leads, of a model with one output;
    /// a joint one has no bias then.
    fn take_step(&mut self, column: usize, step: f64) {
        if let Some(joint) = &self.joint {
            let slopes = self.slopes.iter_mut().zip(&joint.products[column]);
            slopes.for_each(|(u, change)| *u += step * change);
            return;
        }
        let place = self.design.places[column];
        let columns = self.design.columns;
        columns.add_cells(place, step, &self.curvature, &mut self.slopes);
        let of_bias = self.bias_step * self.moments[column].sum * step;
        self.bias[0] -= of_bias;
        self.constant -= columns.shift(place) * step + of_bias;
    }

    /// Brings u and the bias to where a step on some columns leads, each with its outputs.
    pub fn take_steps(&mut self, columns: &[usize], steps: &[f64]) {
        if self.joint.is_none() {
            for (&column, &step) in columns.iter().zip(steps) {
                self.take_step(column, step);
            }
            return;
        }
        self.bent_along(columns.iter().copied(), steps);
        self.take_change();
    }

    /// The change of u and of the bias that were found last.
    fn take_change(&mut self) {
        for (u, change) in self.slopes.iter_mut().zip(&self.room.change) {
            *u += change;
        }
        for (bias, step) in self.bias.iter_mut().zip(&self.room.of_bias) {
            *bias += step;
        }
    }

    /// A step on the weights of several columns, or for several outputs, that share a penalty.
    fn step_on_group(&mut self, group: usize) -> f64 {
        let (design, outputs) = (self.design, self.design.outputs);
        let columns = design.groups[group].clone();
        let of_group = design.weights_of(group);
        let mut gradient = std::mem::take(&mut self.room.gradient);
        let mut step = std::mem::take(&mut self.room.step);
        gradient.clear();
        for column in columns.clone() {
            gradient.extend((0..outputs).map(|output| self.slope(column, output)));
        }
        let lambda = self.lambda * design.factors[group];
        if !self.is_active(group) && norm(&gradient) <= lambda {
            (self.room.gradient, self.room.step) = (gradient, step);
            return 0.0;
        }
        self.prepare(group);
        let violation = loop {
            let bend = self.bend(group);
            let old = &self.weights[of_group.clone()];
            step.clear();
            step.extend(old.iter().zip(&gradient).map(|(w, g)| w - g / bend));
            let factor = (design.problem.penalty).shrink(norm(&step), 1.0 / bend, lambda);
            for (to, old) in step.iter_mut().zip(old) {
                *to = factor * *to - old;
            }
            let moved = squares(&step);
            if moved == 0.0 {
                break 0.0;
            }
            let bent = self.bent_along(columns.clone(), &step);
            let bends_more = bent > self.bends[group] * moved;
            if !bends_more {
                break bend * moved.sqrt();
            }
            self.bends[group] = TOGETHER * bent / moved;
        };
        if violation > 0.0 {
            for (w, step) in self.weights[of_group].iter_mut().zip(&step) {
                *w += step;
            }
            match self.joint {
                Some(_) => self.take_change(),
                None => columns
                    .zip(&step)
                    .for_each(|(j, &step)| self.take_step(j, step)),
            }
        }
        (self.room.gradient, self.room.step) = (gradient, step);
        violation
    }

    /// X′HX of the columns of some groups for every output, the bias at its best.
    pub fn gram(&mut self, columns: &[usize], groups: &[usize]) -> DMatrix<f64> {
        let outputs = self.design.outputs;
        let count = columns.len() * outputs;
        let mut gram = DMatrix::zeros(count, count);
        let mut steps = vec![0.0; outputs];
        for (at, &column) in columns.iter().enumerate() {
            for output in 0..outputs {
                steps[output] = 1.0;
                self.bent_along(std::iter::once(column), &steps);
                steps[output] = 0.0;
                let products = self.design.dots(groups, &self.room.change);
                gram.column_mut(at * outputs + output)
                    .copy_from_slice(&products);
            }
        }
        gram
    }

    /// How much the model bends along a step on these columns; leaves by how much u and the bias
    /// change with it.
    fn bent_along(&mut self, columns: impl Iterator<Item = usize>, step: &[f64]) -> f64 {
        let (design, rows) = (self.design, self.design.rows);
        let Room {
            together,
            change,
            of_bias,
            ones,
            ..
        } = &mut self.room;
        together.clear();
        together.resize(design.outputs * rows, 0.0);
        let mut shifts = vec![0.0; design.outputs];
        for (column, steps) in columns.zip(step.chunks_exact(design.outputs)) {
            let place = design.places[column];
            let units = together.chunks_exact_mut(rows).zip(&mut shifts);
            for ((unit, shift), &step) in units.zip(steps) {
                if step != 0.0 {
                    design.columns.add_cells(place, step, ones, unit);
                    *shift += step * design.columns.shift(place);
                }
            }
        }
        for (unit, shift) in together.chunks_exact_mut(rows).zip(shifts) {
            unit.iter_mut().for_each(|x| *x -= shift);
        }
        change.resize(together.len(), 0.0);
        *of_bias = match &self.joint {
            Some(joint) => joint.product(together, change),
            None => {
                let sum = (self.curvature.iter().zip(&*together))
                    .map(|(v, x)| v * x)
                    .sum::<f64>();
                let of_bias = -self.bias_step * sum;
                let rows = change.iter_mut().zip(&self.curvature).zip(&*together);
                rows.for_each(|((change, v), x)| *change = v * (x + of_bias));
                vec![of_bias]
            }
        };
        change
            .iter()
            .zip(together)
            .map(|(change, x)| change * *x)
            .sum()
    }
}
