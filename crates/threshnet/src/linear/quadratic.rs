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
//! and its curvature is Σ V·xⱼ² − c·sⱼ². A Cox model has no bias, but its loss does not change
//! with one, so neither does it for the model to have the best one.
//!
//! What is kept up to date is u = δ + V∘Δ, as `slopes` + `constant`·V: a step on a column then
//! touches its cells alone, also where these are less a shift.

use super::design::{Design, norm, squares};
use super::point::Point;

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
    design: &'a Design<'a>,
    lambda: f64,
    /// V.
    curvature: Vec<f64>,
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

/// Room to work in.
#[derive(Default)]
struct Room {
    gradient: Vec<f64>,
    step: Vec<f64>,
    together: Vec<f64>,
    ones: Vec<f64>,
    scratch: Vec<f64>,
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
        let loss = self.design.problem.loss;
        self.curvature.resize(self.design.rows, 0.0);
        loss.curvature(&point.output, &mut self.curvature, &mut self.room.scratch);
        let least = LEAST_CURVATURE / self.design.rows as f64;
        for v in &mut self.curvature {
            *v = factor * v.max(least);
        }
        self.total = self.curvature.iter().sum();
        self.bias_step = 1.0 / (self.total + 2.0 * self.design.bias_ridge);
        self.version += 1;
    }

    /// Takes the moments of a group's columns, unless they are known.
    fn prepare(&mut self, group: usize) {
        let columns = self.design.groups[group].clone();
        if self.moments[columns.start].version == self.version {
            return;
        }
        let mut bend = 0.0f64;
        for column in columns {
            let place = self.design.places[column];
            let cells = self.design.columns.cell_sums(place, &self.curvature);
            let shift = self.design.columns.shift(place);
            let sum = cells.sum - shift * self.total;
            let squares = cells.squares - shift * (cells.sum + sum);
            bend = bend.max(squares - self.bias_step * sum * sum);
            self.moments[column] = Moments {
                version: self.version,
                cells: cells.sum,
                sum,
            };
        }
        self.bends[group] = bend;
    }

    /// One step on each of these groups; the largest of their violations before it.
    pub fn pass(&mut self, groups: &[usize]) -> f64 {
        groups.iter().fold(0.0, |most, &group| {
            self.prepare(group);
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
    fn slope(&self, column: usize, output: usize) -> f64 {
        let (design, rows) = (self.design, self.design.rows);
        let place = design.places[column];
        let slopes = &self.slopes[output * rows..(output + 1) * rows];
        let weight = self.weights[column * design.outputs + output];
        // (the bias is at its best, so Σu is what its ridge leaves)
        let sum = -2.0 * design.bias_ridge * self.bias[output];
        design.columns.dot_cells(place, slopes)
            + self.constant[output] * self.moments[column].cells
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
        let bend = self.bend(group);
        let old = self.weights[column];
        let target = old - self.slope(column, 0) / bend;
        let lambda = self.lambda * design.factors[group];
        let new = target * (design.problem.penalty).shrink(target.abs(), 1.0 / bend, lambda);
        let step = new - old;
        if step == 0.0 {
            return 0.0;
        }
        self.weights[column] = new;
        let place = design.places[column];
        (design.columns).add_cells(place, step, &self.curvature, &mut self.slopes);
        self.follow(column, 0, step);
        bend * step.abs()
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
            for (column, steps) in columns.zip(step.chunks_exact(outputs)) {
                for (output, &step) in steps.iter().enumerate() {
                    self.follow(column, output, step);
                }
            }
            let rows = self.curvature.iter().cycle();
            for ((u, v), together) in self.slopes.iter_mut().zip(rows).zip(&self.room.together) {
                *u += v * together;
            }
        }
        (self.room.gradient, self.room.step) = (gradient, step);
        violation
    }

    /// d′(X′VX − c·ss′)d along a step d on these columns; leaves the products of its cells, one
    /// block of rows per output.
    fn bent_along(&mut self, columns: std::ops::Range<usize>, step: &[f64]) -> f64 {
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
        let of_outputs = together.chunks_exact(rows).zip(shifts);
        let bent = of_outputs.map(|(unit, shift)| {
            let (mut sum, mut squares) = (0.0, 0.0);
            for (x, v) in unit.iter().zip(&self.curvature) {
                sum += v * (x - shift);
                squares += v * (x - shift) * (x - shift);
            }
            squares - self.bias_step * sum * sum
        });
        bent.sum()
    }
}
