//! Every kernel on every instruction set of this machine, against sums
//! written out in 64 bit: all tile widths, odd and even numbers of lanes, no
//! column, one column.

use super::*;
use crate::activation::Activation;
use crate::groups::{Group, Groups};
use crate::penalty::Penalty;
use std::cell::Cell;

mod column;
mod order;

thread_local! {
    /// What kernels of this thread run on in place of the set in use.
    pub static FORCED: Cell<Option<InstructionSet>> = const { Cell::new(None) };
}

/// Does what runs on this thread alone with the kernels of one set.
pub fn on<T>(set: InstructionSet, work: impl FnOnce() -> T) -> T {
    FORCED.set(Some(set));
    let done = work();
    FORCED.set(None);
    done
}

fn lanes(count: usize, seed: usize) -> Vec<Lanes> {
    (0..count)
        .map(|b| Lanes(std::array::from_fn(|l| number(seed + b * LANES + l))))
        .collect()
}

fn number(i: usize) -> f32 {
    ((i * 2_654_435_761) % 2001) as f32 / 1000.0 - 1.0
}

fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| number(seed + 31 * i)).collect()
}

fn each_set(mut check: impl FnMut(InstructionSet)) {
    for set in InstructionSet::available() {
        check(set);
    }
}

#[test]
fn affine_equals_its_sums() {
    each_set(|set| {
        for (blocks, units) in (1..4).flat_map(|b| (1..24).map(move |u| (b, u))) {
            for columns in [vec![], vec![2], vec![0, 1, 3], vec![4, 0, 2, 1]] {
                for bias in [vec![], numbers(units, 9)] {
                    let x = lanes(5 * blocks, 1);
                    let weight = numbers(columns.len() * units, 3);
                    let mut z = lanes(units * blocks, 7);
                    let kernel = Affine {
                        x: &x,
                        lanes: blocks,
                        columns: &columns,
                        weight: &weight,
                        bias: &bias,
                        epilogue: Plain,
                        z: &mut z,
                    };
                    // SAFETY: the set is available.
                    unsafe { run_on(set, kernel) };
                    let rows = blocks * LANES;
                    for (k, unit) in as_rows(&z).chunks_exact(rows).enumerate() {
                        for (i, &z) in unit.iter().enumerate() {
                            let mut exact = bias.get(k).map_or(0.0, |&b| f64::from(b));
                            for (j, &column) in columns.iter().enumerate() {
                                exact += f64::from(weight[j * units + k])
                                    * f64::from(as_rows(&x)[column as usize * rows + i]);
                            }
                            assert!(
                                (f64::from(z) - exact).abs() < 1e-5,
                                "{set:?} {units} {k} {i}"
                            );
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn products_equal_their_sums() {
    each_set(|set| {
        for (blocks, units) in (1..4).flat_map(|b| (1..24).map(move |u| (b, u))) {
            for columns in [vec![], vec![2], vec![0, 1, 3], vec![4, 0, 2, 1]] {
                let (x, delta) = (lanes(5 * blocks, 1), lanes(units * blocks, 5));
                let mut gradient = vec![0.0; columns.len() * units];
                let kernel = Products {
                    x: &x,
                    lanes: blocks,
                    columns: &columns,
                    delta: &delta,
                    gradient: &mut gradient,
                };
                // SAFETY: the set is available.
                unsafe { run_on(set, kernel) };
                let rows = blocks * LANES;
                for (j, &column) in columns.iter().enumerate() {
                    for k in 0..units {
                        let exact: f64 = (0..rows)
                            .map(|i| {
                                f64::from(as_rows(&x)[column as usize * rows + i])
                                    * f64::from(as_rows(&delta)[k * rows + i])
                            })
                            .sum();
                        let sum = f64::from(gradient[j * units + k]);
                        assert!((sum - exact).abs() < 3e-5, "{set:?} {units} {j} {k}");
                    }
                }
            }
        }
    });
}

#[test]
fn activations_equal_their_definitions() {
    each_set(|set| {
        for activation in Activation::ALL {
            let z = lanes(3, 2);
            let (mut a, mut delta) = (lanes(3, 4), lanes(3, 6));
            let before = delta.clone();
            let kernel = Activate {
                activation,
                z: &z,
                a: &mut a,
            };
            // SAFETY: the set is available.
            unsafe { run_on(set, kernel) };
            let kernel = MultiplySlope {
                activation,
                z: &z,
                a: &a,
                delta: &mut delta,
            };
            // SAFETY: the set is available.
            unsafe { run_on(set, kernel) };
            for i in 0..3 * LANES {
                let z = f64::from(as_rows(&z)[i]);
                let value = activation.value(z);
                let slope = f64::from(as_rows(&before)[i]) * activation.slope(z, value);
                assert!(
                    (f64::from(as_rows(&a)[i]) - value).abs() < 1e-6,
                    "{activation:?}"
                );
                assert!(
                    (f64::from(as_rows(&delta)[i]) - slope).abs() < 1e-6,
                    "{activation:?}"
                );
            }
        }
    });
}

#[test]
fn relu_epilogues_keep_what_is_positive() {
    each_set(|set| {
        let (lanes_per, units) = (3, 7);
        let x = lanes(5 * lanes_per, 1);
        let (columns, weight) = ([3, 1], numbers(2 * units, 3));
        let affine = |epilogue_of: &dyn Fn(&mut [Lanes])| {
            let mut z = lanes(units * lanes_per, 7);
            epilogue_of(&mut z);
            as_rows(&z).to_vec()
        };
        macro_rules! with {
            ($epilogue:expr) => {
                affine(&|z| {
                    let kernel = Affine {
                        x: &x,
                        lanes: lanes_per,
                        columns: &columns,
                        weight: &weight,
                        bias: &[],
                        epilogue: $epilogue,
                        z,
                    };
                    // SAFETY: the set is available.
                    unsafe { run_on(set, kernel) }
                })
            };
        }
        let a = lanes(units * lanes_per, 11);
        let (plain, relu, slope) = (with!(Plain), with!(Relu), with!(ReluSlope(as_rows(&a))));
        for (i, &z) in plain.iter().enumerate() {
            assert_eq!(relu[i], z.max(0.0), "{set:?}");
            let expected = if as_rows(&a)[i] > 0.0 { z } else { 0.0 };
            assert_eq!(slope[i], expected, "{set:?}");
        }
    });
}

#[test]
fn bias_gradients_equal_their_sums() {
    each_set(|set| {
        for (blocks, units) in (1..4).flat_map(|b| (0..5).map(move |u| (b, u))) {
            let delta = lanes(units * blocks, 5);
            let mut gradient = numbers(units, 2);
            let before = gradient.clone();
            let kernel = Sums {
                delta: &delta,
                lanes: blocks,
                gradient: &mut gradient,
            };
            // SAFETY: the set is available.
            unsafe { run_on(set, kernel) };
            for (k, unit) in as_rows(&delta).chunks_exact(blocks * LANES).enumerate() {
                let exact: f64 = unit.iter().map(|&d| f64::from(d)).sum();
                let sum = f64::from(gradient[k] - before[k]);
                assert!((sum - exact).abs() < 3e-5, "{set:?} {units} {k}");
            }
        }
    });
}

/// Adam and the threshold, written out in 64 bit.
struct Naive {
    weights: Vec<f64>,
    mean: Vec<f64>,
    square: Vec<f64>,
}

impl Naive {
    /// The step with number `t`; what a sweep finds out.
    fn step(
        &mut self,
        t: usize,
        gradient: &[f32],
        groups: (&[Group], usize),
        shrink: Shrink,
    ) -> Swept {
        let (rate, ridge, penalty, lambda) = shrink;
        let (groups, h) = groups;
        let (b1, b2) = (0.9f64, 0.999f64);
        let mut gains = vec![0.0; gradient.len()];
        for i in 0..gradient.len() {
            let g = f64::from(gradient[i]) + 2.0 * ridge * self.weights[i];
            self.mean[i] = b1 * self.mean[i] + (1.0 - b1) * g;
            self.square[i] = b2 * self.square[i] + (1.0 - b2) * g * g;
            let m = self.mean[i] / (1.0 - b1.powi(t as i32));
            let v = self.square[i] / (1.0 - b2.powi(t as i32));
            let step = rate * m / (v.sqrt() + 1e-8);
            self.weights[i] -= step;
            gains[i] = m * step;
        }
        let mut swept = Swept {
            settled: true,
            ..Swept::default()
        };
        let mut grouped = 0;
        for group in groups {
            let of_group = group.range.start * h..group.range.end * h;
            grouped = of_group.end;
            let weights = &mut self.weights[of_group.clone()];
            let lambda = lambda * group.factor;
            let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
            let factor = penalty.shrink(norm, 1.0, lambda);
            weights.iter_mut().for_each(|w| *w *= factor);
            swept.penalty += penalty.value(norm * factor, lambda);
            if factor == 0.0 {
                swept.dead += group.range.len();
            } else {
                swept.gain += gains[of_group].iter().sum::<f64>();
                swept.settled &= factor == 1.0;
            }
        }
        swept.gain += gains[grouped..].iter().sum::<f64>();
        swept.squares = self.weights.iter().map(|w| w * w).sum();
        swept
    }
}

/// (rate, ridge, ρ, λ√h)
type Shrink = (f64, f64, Penalty, f64);

#[test]
fn a_sweep_follows_adams_recurrence_and_the_threshold() {
    let alone = |inputs: usize| Groups::default().divide(&(0..inputs).collect::<Vec<_>>());
    let of_sizes = |sizes: &[usize]| {
        let columns: Vec<usize> = (0..sizes.iter().sum()).collect();
        Groups::of_sizes(sizes).divide(&columns)
    };
    let mut with_factors = of_sizes(&[1, 4, 2, 1, 1, 30, 1, 2]);
    for (number, group) in with_factors.groups.iter_mut().enumerate() {
        // (the third group stays)
        group.factor *= [1.0, 2.0, 0.0, 0.5][number % 4];
    }
    let shapes = [
        (alone(0), 1, 5),
        (alone(1), 1, 0),
        (alone(3), 10, 71),
        (alone(20), 5, 1),
        (alone(17), 16, 3),
        (alone(2), 40, 8),
        (alone(5), 33, 0),
        (of_sizes(&[3]), 10, 71),
        (of_sizes(&[1, 4, 2, 1, 1, 30, 1, 2]), 5, 1),
        (with_factors, 5, 1),
        (of_sizes(&[2, 1, 1, 16, 1]), 7, 0),
    ];
    each_set(|set| {
        for (divided, h, rest) in &shapes {
            let (groups, h, rest) = (&divided.groups, *h, *rest);
            let inputs = divided.order.len();
            let plain = groups.iter().all(|group| group.factor == 1.0);
            for penalty in [Penalty::Lasso, Penalty::MCP, Penalty::SCAD] {
                let (grouped, n) = (inputs * h, inputs * h + rest);
                let mut weights = numbers(n, 1);
                let mut target = vec![f32::NAN; n];
                let (mut mean, mut square) = (vec![0.0; n], vec![0.0; n]);
                let mut naive = Naive {
                    weights: weights.iter().map(|&w| f64::from(w)).collect(),
                    mean: vec![0.0; n],
                    square: vec![0.0; n],
                };
                // strong enough to kill some groups, weak enough to leave others
                let lambda = 0.45 * (h as f64).sqrt();
                let lambda = if penalty == Penalty::Lasso {
                    0.02 * lambda
                } else {
                    lambda
                };
                for t in 1..=20 {
                    let gradient = numbers(n, 100 * t);
                    let mut swept = Swept::default();
                    let kernel = AdamSweep {
                        weights: &weights,
                        gradient: &gradient,
                        mean: &mut mean,
                        square: &mut square,
                        target: &mut target,
                        grouped,
                        h,
                        groups: (!plain).then_some(groups),
                        ridge: 0.25,
                        rates: AdamRates::at(t, 0.01),
                        penalty,
                        gamma: 1.0,
                        lambda,
                        swept: &mut swept,
                    };
                    // SAFETY: the set is available.
                    unsafe { run_on(set, kernel) };
                    let shrink = (0.01, 0.25, penalty, lambda);
                    let exact = naive.step(t, &gradient, (groups, h), shrink);
                    let name = format!("{set:?} {groups:?}x{h}+{rest} {penalty:?} step {t}");
                    for (&w, &exact) in target.iter().zip(&naive.weights) {
                        assert!((f64::from(w) - exact).abs() < 1e-5, "{name}: {w} {exact}");
                        assert_eq!(w == 0.0, exact == 0.0, "{name}");
                    }
                    assert_eq!(
                        (swept.dead, swept.settled),
                        (exact.dead, exact.settled),
                        "{name}"
                    );
                    for (found, exact) in [
                        (swept.squares, exact.squares),
                        (swept.penalty, exact.penalty),
                        (swept.gain, exact.gain),
                    ] {
                        assert!(
                            (found - exact).abs() < 1e-4 * (1.0 + exact.abs()),
                            "{name}: {found} {exact}"
                        );
                    }
                    std::mem::swap(&mut weights, &mut target);
                }
            }
        }
    });
}

/// The longest step is attained by gradients that grow by β₂/β₁, and by no
/// others exceeded.
#[test]
fn no_step_is_longer_than_the_longest() {
    let ratio_after = |gradients: &mut dyn Iterator<Item = f64>| {
        let (mut m, mut v, mut t) = (0.0, 0.0, 0);
        for g in gradients {
            t += 1;
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
        }
        let corrected: f64 = v / (1.0 - 0.999f64.powi(t));
        m / (1.0 - 0.9f64.powi(t)) / corrected.sqrt()
    };
    let mut before = 0.0;
    for t in [1, 2, 3, 10, 50, 200, 500, 2000, 20_000] {
        let bound = longest_step(t);
        // later gradients alone matter: earlier ones would underflow
        let growing = (0..t.min(500))
            .rev()
            .map(|i| (0.9f64 / 0.999).powi(i as i32));
        let zeros = std::iter::repeat_n(0.0, t - t.min(500));
        let worst = ratio_after(&mut zeros.chain(growing));
        assert!(
            worst <= bound && worst > 0.995 * bound,
            "{t}: {worst} of {bound}"
        );
        let steady = ratio_after(&mut (0..t).map(|i| 2.0 + f64::from(number(i))));
        assert!(steady <= bound, "{t}");
        assert!(bound >= before, "{t}");
        before = bound;
    }
    assert!((before - 7.27).abs() < 0.02);
}
