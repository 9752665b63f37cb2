//! The order of sums is the same on every instruction set: bit for bit that of
//! sixteen partial sums written out, and so the same on all sets that fuse
//! products and sums.

use super::*;
use crate::kernel::portable::FUSED;

/// x·y + z as a set has it.
fn mul_add(set: InstructionSet) -> fn(f32, f32, f32) -> f32 {
    if set == InstructionSet::Portable && !FUSED {
        |x, y, z| x * y + z
    } else {
        f32::mul_add
    }
}

/// Σ xᵢ·yᵢ in sixteen partial sums, which are added up by halves.
fn in_order(set: InstructionSet, terms: impl Iterator<Item = (f32, f32)>) -> f32 {
    let mut partial = [0.0; LANES];
    for (i, (x, y)) in terms.enumerate() {
        partial[i % LANES] = mul_add(set)(x, y, partial[i % LANES]);
    }
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            partial[i] += partial[i + half];
        }
    }
    partial[0]
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// Rows and columns that no kernel finds round: (lanes per column, columns).
fn shapes() -> impl Iterator<Item = (usize, Vec<u32>)> {
    let many: Vec<u32> = (0..33).rev().collect();
    [1, 2, 3, 40].into_iter().flat_map(move |lanes| {
        [vec![], vec![2], vec![0, 1, 3], many.clone()].map(|columns| (lanes, columns))
    })
}

fn products(set: InstructionSet, lanes_per: usize, columns: &[u32], units: usize) -> Vec<f32> {
    let (x, delta) = (lanes(33 * lanes_per, 1), lanes(units * lanes_per, 5));
    let mut gradient = numbers(columns.len() * units, 3);
    let kernel = Products {
        x: &x,
        lanes: lanes_per,
        columns,
        delta: &delta,
        gradient: &mut gradient,
    };
    // SAFETY: the set is available.
    unsafe { run_on(set, kernel) };
    gradient
}

#[test]
fn products_are_added_up_in_order() {
    each_set(|set| {
        for (lanes_per, columns) in shapes() {
            let rows = lanes_per * LANES;
            for units in 1..24 {
                let (x, delta) = (lanes(33 * lanes_per, 1), lanes(units * lanes_per, 5));
                let mut expected = numbers(columns.len() * units, 3);
                for (sums, &j) in expected.chunks_exact_mut(units).zip(&columns) {
                    for (sum, unit) in sums.iter_mut().zip(as_rows(&delta).chunks_exact(rows)) {
                        let x = &as_rows(&x)[j as usize * rows..];
                        *sum += in_order(set, x.iter().copied().zip(unit.iter().copied()));
                    }
                }
                let found = products(set, lanes_per, &columns, units);
                assert_eq!(bits(&found), bits(&expected), "{set:?} {rows} {units}");
            }
        }
    });
}

/// Of n terms in a sum a set rounds each at most as often as it adds to a
/// partial sum, then four times by halves, once for what it is added to, and
/// once for a product that is not fused. Two sets then differ by no more than
/// n·ε/(1 − n·ε) times the sum of what is added up without its sign.
#[test]
fn sets_differ_by_rounding_alone() {
    let sets = InstructionSet::available();
    for (lanes_per, columns) in shapes() {
        let (units, rows) = (7, lanes_per * LANES);
        let (x, delta) = (lanes(33 * lanes_per, 1), lanes(units * lanes_per, 5));
        let rounded = (lanes_per + 6) as f64 * f64::from(f32::EPSILON);
        let before = numbers(columns.len() * units, 3);
        let found: Vec<Vec<f32>> = (sets.iter())
            .map(|&set| products(set, lanes_per, &columns, units))
            .collect();
        for (i, &before) in before.iter().enumerate() {
            let x = &as_rows(&x)[columns[i / units] as usize * rows..];
            let delta = &as_rows(&delta)[i % units * rows..][..rows];
            let size: f64 = (x.iter().zip(delta))
                .map(|(&x, &delta)| f64::from(x * delta).abs())
                .sum();
            let bound = rounded / (1.0 - rounded) * (size + f64::from(before.abs()));
            for other in &found[1..] {
                let difference = f64::from(found[0][i]) - f64::from(other[i]);
                assert!(
                    difference.abs() <= bound,
                    "{rows} {i}: {difference} {bound}"
                );
            }
        }
    }
}

#[test]
fn bias_gradients_are_added_up_in_order() {
    each_set(|set| {
        for lanes_per in 1..40 {
            let delta = lanes(5 * lanes_per, 5);
            let mut gradient = numbers(5, 2);
            let mut expected = gradient.clone();
            for (sum, unit) in expected.iter_mut().zip(delta.chunks_exact(lanes_per)) {
                *sum += in_order(set, as_rows(unit).iter().map(|&delta| (1.0, delta)));
            }
            let kernel = Sums {
                delta: &delta,
                lanes: lanes_per,
                gradient: &mut gradient,
            };
            // SAFETY: the set is available.
            unsafe { run_on(set, kernel) };
            assert_eq!(bits(&gradient), bits(&expected), "{set:?} {lanes_per}");
        }
    });
}

#[test]
fn a_layer_adds_up_its_columns_in_order() {
    each_set(|set| {
        for (lanes_per, columns) in shapes() {
            let rows = lanes_per * LANES;
            for units in 1..24 {
                let x = lanes(33 * lanes_per, 1);
                let (weight, bias) = (numbers(columns.len() * units, 3), numbers(units, 9));
                let mut z = lanes(units * lanes_per, 7);
                let kernel = Affine {
                    x: &x,
                    lanes: lanes_per,
                    columns: &columns,
                    weight: &weight,
                    bias: &bias,
                    epilogue: Plain,
                    z: &mut z,
                };
                // SAFETY: the set is available.
                unsafe { run_on(set, kernel) };
                let expected: Vec<f32> = (0..units * rows)
                    .map(|at| {
                        let (unit, row) = (at / rows, at % rows);
                        let inputs = columns.iter().zip(weight.chunks_exact(units));
                        inputs.fold(bias[unit], |z, (&j, weight)| {
                            mul_add(set)(weight[unit], as_rows(&x)[j as usize * rows + row], z)
                        })
                    })
                    .collect();
                assert_eq!(bits(as_rows(&z)), bits(&expected), "{set:?} {rows} {units}");
            }
        }
    });
}

/// All that three steps of Adam leave, as bits; `grouped` weights in groups of `h`.
fn swept(set: InstructionSet, count: usize, grouped: usize, h: usize) -> Vec<u64> {
    let mut weights = numbers(count, 1);
    let (mut mean, mut square) = (vec![0.0; count], vec![0.0; count]);
    let mut left = Vec::new();
    for t in 1..=3 {
        let gradient = numbers(count, 100 * t);
        let (mut target, mut swept) = (vec![f32::NAN; count], Swept::default());
        let kernel = AdamSweep {
            weights: &weights,
            gradient: &gradient,
            mean: &mut mean,
            square: &mut square,
            target: &mut target,
            grouped,
            h,
            groups: None,
            ridge: 0.25,
            rates: AdamRates::at(t, 0.01),
            penalty: Penalty::MCP,
            gamma: 1.0,
            lambda: 0.45 * (h as f64).sqrt(),
            swept: &mut swept,
        };
        // SAFETY: the set is available.
        unsafe { run_on(set, kernel) };
        left.extend([swept.squares, swept.penalty, swept.gain].map(f64::to_bits));
        left.push(swept.dead as u64);
        left.extend(bits(&target).into_iter().map(u64::from));
        weights = target;
    }
    left.extend(bits(&[mean, square].concat()).into_iter().map(u64::from));
    left
}

#[test]
fn a_sweep_is_the_same_on_all_sets_that_fuse() {
    let fused = |set: &InstructionSet| *set != InstructionSet::Portable || FUSED;
    let sets: Vec<InstructionSet> = (InstructionSet::available().into_iter())
        .filter(fused)
        .collect();
    if sets.len() < 2 {
        println!("SKIPPED: {sets:?} is all this machine has that fuses products and sums");
        return;
    }
    for h in 1..24 {
        for (inputs, rest) in [(0, 5000), (1, 0), (3, 71), (20, 1), (50, 16), (17, 33)] {
            let run = |set: InstructionSet| swept(set, inputs * h + rest, inputs * h, h);
            for &set in &sets[1..] {
                assert_eq!(run(set), run(sets[0]), "{set:?} {inputs}x{h}+{rest}");
            }
        }
    }
}

#[test]
fn squares_of_a_sweep_are_added_up_in_order() {
    each_set(|set| {
        for count in (1..40).chain([4096, 5000]) {
            let left = swept(set, count, 0, 1);
            let (squares, target) = (left[0], &left[4..4 + count]);
            let target: Vec<f32> = (target.iter()).map(|&w| f32::from_bits(w as u32)).collect();
            let expected: f64 = (target.chunks(1 << 12))
                .map(|part| f64::from(in_order(set, part.iter().map(|&w| (w, w)))))
                .sum();
            assert_eq!(f64::from_bits(squares), expected, "{set:?} {count}");
        }
    });
}
