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
//! touches its cells alone, also where these are less a shift. Of a Cox model, whose rows bend
//! together and which has no bias, it is u = δ + HΔ with the second derivative H, and Hxⱼ is kept
//! of every column that moves.

use super::design::{Design, norm, squares};
use super::point::Point;
use crate::loss::{Curvature, RiskCurvature};
use nalgebra::DMatrix;
use std::ops::Range;

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
    /// V, of a loss whose rows bend by themselves; otherwise what is added to H.
    curvature: Vec<f64>,
    joint: Option<Joint>,
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
    constant: Vec<f64>,
    pub weights: Vec<f64>,
    pub bias: Vec<f64>,
    room: Room,
}

/// H where rows bend together.
struct Joint {
    risk: RiskCurvature,
    factor: f64,
    /// Hxⱼ by column, of those that have moved.
    products: Vec<Vec<f64>>,
}

/// Room to work in.
#[derive(Default)]
struct Room {
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// X·step, then by how much u changes with it.
    together: Vec<f64>,
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
            version: 0,
            total: 0.0,
            bias_step: 0.0,
            moments: vec![none; design.width()],
            bends: vec![0.0; design.groups.len()],
            slopes: vec![],
            constant: vec![],
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
        if self.version == 0 || !loss.quadratic() || factor != 1.0 {
            self.take_curvature(point, factor);
        }
        self.slopes.clone_from(&point.slopes);
        self.constant.clear();
        self.constant.resize(self.design.outputs, 0.0);
        self.weights.clone_from(&point.weights);
        self.bias.clone_from(&point.bias);
        self.bias.resize(self.design.outputs, 0.0);
        let units = self.slopes.chunks_exact(self.design.rows);
        for ((slopes, bias), constant) in units.zip(&mut self.bias).zip(&mut self.constant) {
            let slope = slopes.iter().sum::<f64>() + 2.0 * self.design.bias_ridge * *bias;
            let step = -self.bias_step * slope;
            *bias += step;
            *constant += step;
        }
    }

    fn take_curvature(&mut self, point: &Point, factor: f64) {
        let least = LEAST_CURVATURE / self.design.rows as f64;
        self.version += 1;
        match self.design.problem.loss.curvature(&point.output) {
            Curvature::Rows(mut by_row) => {
                by_row.iter_mut().for_each(|v| *v = factor * v.max(least));
                self.total = by_row.iter().sum();
                self.bias_step = 1.0 / (self.total + 2.0 * self.design.bias_ridge);
                self.curvature = by_row;
            }
            Curvature::RiskSets(risk) => {
                self.curvature = vec![factor * least; self.design.rows];
                self.joint = Some(Joint {
                    risk,
                    factor,
                    products: match self.joint.take() {
                        Some(joint) => joint.products,
                        None => vec![vec![]; self.design.width()],
                    },
                });
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
            let place = design.places[column];
            let mut moments = Moments {
                version: self.version,
                cells: 0.0,
                sum: 0.0,
            };
            let own = if let Some(joint) = &mut self.joint {
                let x = &mut self.room.together;
                x.clear();
                x.resize(design.rows, -design.columns.shift(place));
                design.columns.add_cells(place, 1.0, &self.room.ones, x);
                let product = &mut joint.products[column];
                product.resize(design.rows, 0.0);
                joint.risk.product(x, product);
                for ((to, x), least) in product.iter_mut().zip(&*x).zip(&self.curvature) {
                    *to = joint.factor * *to + least * x;
                }
                x.iter().zip(product).map(|(x, p)| x * *p).sum()
            } else {
                let cells = design.columns.cell_sums(place, &self.curvature);
                let shift = design.columns.shift(place);
                moments.cells = cells.sum;
                moments.sum = cells.sum - shift * self.total;
                let squares = cells.squares - shift * (cells.sum + moments.sum);
                squares - self.bias_step * moments.sum * moments.sum
            };
            bend = bend.max(own);
            self.moments[column] = moments;
        }
        self.bends[group] = bend;
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
        design.columns.dot_cells(place, slopes) + self.constant[output] * self.moments[column].cells
            - design.columns.shift(place) * sum
            + 2.0 * design.problem.ridge * weight
    }

    /// Follows a step on a column's weight with the bias and the constant.
    fn follow(&mut self, column: usize, output: usize, step: f64) {
        let shift = self.design.columns.shift(self.design.places[column]);
        let of_bias = self.bias_step * self.moments[column].sum * step;
        self.bias[output] -= of_bias;
        self.constant[output] -= shift * step + of_bias;
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

    /// Brings u to where a step on a column's weight leads, of a model with one output.
    pub fn take_step(&mut self, column: usize, step: f64) {
        match &self.joint {
            Some(joint) => {
                let slopes = self.slopes.iter_mut().zip(&joint.products[column]);
                slopes.for_each(|(u, change)| *u += step * change);
            }
            None => {
                let place = self.design.places[column];
                let columns = self.design.columns;
                columns.add_cells(place, step, &self.curvature, &mut self.slopes);
                self.follow(column, 0, step);
            }
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
            if columns.len() == 1 || bent <= self.bends[group] * moved {
                break bend * moved.sqrt();
            }
            self.bends[group] = TOGETHER * bent / moved;
        };
        if violation > 0.0 {
            for (w, step) in self.weights[of_group].iter_mut().zip(&step) {
                *w += step;
            }
            if self.joint.is_none() {
                for (column, steps) in columns.zip(step.chunks_exact(outputs)) {
                    for (output, &step) in steps.iter().enumerate() {
                        self.follow(column, output, step);
                    }
                }
            }
            for (u, change) in self.slopes.iter_mut().zip(&self.room.together) {
                *u += change;
            }
        }
        (self.room.gradient, self.room.step) = (gradient, step);
        violation
    }

    /// X′HX of the columns of some groups, the bias at its best.
    pub fn gram(&mut self, columns: &[usize], groups: &[usize]) -> DMatrix<f64> {
        let (design, count) = (self.design, columns.len());
        let mut gram = DMatrix::zeros(count, count);
        for (at, &column) in columns.iter().enumerate() {
            let own = self.moments[column];
            let products = match &self.joint {
                Some(joint) => design.dots(groups, &joint.products[column]),
                None => {
                    let place = design.places[column];
                    let x = &mut self.room.together;
                    x.clear();
                    let shift = design.columns.shift(place);
                    x.extend(self.curvature.iter().map(|v| -shift * v));
                    (design.columns).add_cells(place, 1.0, &self.curvature, x);
                    design.dots(groups, x)
                }
            };
            for (to, product) in products.into_iter().enumerate() {
                let of_bias = self.bias_step * own.sum * self.moments[columns[to]].sum;
                gram[(to, at)] = product - of_bias;
            }
        }
        gram
    }

    /// How much the model bends along a step on these columns; leaves by how much u changes with
    /// it, but for the constant.
    fn bent_along(&mut self, columns: Range<usize>, step: &[f64]) -> f64 {
        let (design, rows) = (self.design, self.design.rows);
        let together = &mut self.room.together;
        together.clear();
        together.resize(design.outputs * rows, 0.0);
        let mut shifts = vec![0.0; design.outputs];
        for (column, steps) in columns.zip(step.chunks_exact(design.outputs)) {
            let place = design.places[column];
            let units = together.chunks_exact_mut(rows).zip(&mut shifts);
            for ((unit, shift), &step) in units.zip(steps) {
                if step != 0.0 {
                    (design.columns).add_cells(place, step, &self.room.ones, unit);
                    *shift += step * design.columns.shift(place);
                }
            }
        }
        let mut bent = 0.0;
        for (unit, shift) in together.chunks_exact_mut(rows).zip(shifts) {
            if let Some(joint) = &self.joint {
                let x: Vec<f64> = unit.iter().map(|x| x - shift).collect();
                joint.risk.product(&x, unit);
                for ((change, x), least) in unit.iter_mut().zip(&x).zip(&self.curvature) {
                    *change = joint.factor * *change + least * x;
                    bent += *change * x;
                }
                continue;
            }
            let mut sum = 0.0;
            for (x, v) in unit.iter_mut().zip(&self.curvature) {
                let from_shift = *x - shift;
                sum += v * from_shift;
                bent += v * from_shift * from_shift;
                *x *= v;
            }
            bent -= self.bias_step * sum * sum;
        }
        bent
    }
}
