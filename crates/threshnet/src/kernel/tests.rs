//! Every kernel on every instruction set of this machine, against sums
//! written out in 64 bit: all tile widths, odd and even numbers of lanes, no
//! column, one column.

use super::*;
use crate::activation::Activation;

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
                        blocks,
                        columns: &columns,
                        weight: &weight,
                        bias: &bias,
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
                let mut gradient = vec![f32::NAN; columns.len() * units];
                let kernel = Products {
                    x: &x,
                    blocks,
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
fn adam_follows_its_recurrence() {
    each_set(|set| {
        let n = 37;
        let mut weights = numbers(n, 1);
        let (mut mean, mut square, mut target) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut exact: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
        let (mut m, mut v) = (vec![0.0; n], vec![0.0; n]);
        let (rate, ridge) = (0.01, 0.25);
        for t in 1..=50 {
            let gradient = numbers(n, 100 * t);
            let kernel = AdamStep {
                weights: &weights,
                gradient: &gradient,
                mean: &mut mean,
                square: &mut square,
                target: &mut target,
                ridge: ridge as f32,
                rates: AdamRates::at(t, rate),
            };
            // SAFETY: the set is available.
            unsafe { run_on(set, kernel) };
            weights.copy_from_slice(&target);
            for i in 0..n {
                let g = f64::from(gradient[i]) + 2.0 * ridge * exact[i];
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (m_hat, v_hat): (f64, f64) = (
                    m[i] / (1.0 - 0.9f64.powi(t as i32)),
                    v[i] / (1.0 - 0.999f64.powi(t as i32)),
                );
                exact[i] -= rate * m_hat / (v_hat.sqrt() + 1e-8);
            }
        }
        for (w, exact) in weights.iter().zip(&exact) {
            assert!(
                (f64::from(*w) - exact).abs() < 1e-5,
                "{set:?}: {w} against {exact}"
            );
        }
    });
}
