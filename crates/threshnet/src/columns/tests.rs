//! Every storage against the definition in 64 bit, and what a fit holds.

use super::*;
use crate::dataset::{Outcome, Response};
use crate::kernel::tests::on;
use crate::kernel::{InstructionSet, LANES, as_rows, as_rows_mut};
use crate::random::{Purpose, Random};
use crate::statistics::moments;

/// Columns of which most cells are zero, some none, one all; the same with and without zeros.
fn both(n: usize, d: usize, weights: Option<Vec<f64>>) -> [Dataset<'static>; 2] {
    let mut random = Random::new(5, Purpose::Simulation, 0, 0);
    let columns: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            (0..n)
                .map(|_| match j {
                    0 => 2000.0 + random.normal(),
                    1 => 0.0,
                    _ if random.below(8) > 0 => 0.0,
                    _ => 3.0 + random.normal(),
                })
                .collect()
        })
        .collect();
    let sparse = (columns.iter())
        .map(|values| {
            let kept = || {
                values
                    .iter()
                    .enumerate()
                    .filter(|(_, value)| **value != 0.0)
            };
            let rows: Vec<i32> = kept().map(|(row, _)| row as i32).collect();
            let values: Vec<f64> = kept().map(|(_, value)| *value).collect();
            Column::sparse(n, rows, values).unwrap()
        })
        .collect();
    let dense = columns.into_iter().map(Column::from).collect();
    [dense, sparse].map(|columns: Vec<Column>| {
        let names = (0..d).map(|j| format!("x{j}")).collect();
        let outcome = Outcome::Continuous((0..n).map(|i| i as f64).collect());
        let weights = weights.clone();
        Dataset::of(
            names,
            columns,
            Response {
                outcome,
                weights,
                folds: None,
                clusters: None,
            },
        )
        .unwrap()
    })
}

/// The definition, of the cells as they are.
struct Naive {
    columns: Vec<Vec<f64>>,
}

impl Naive {
    fn new(data: &Dataset, part: Part, scaling: &Scaling) -> Self {
        let column = |&j: &usize| {
            let values = data.columns()[j].rows(part.rows);
            values.into_iter().map(|x| scaling.apply(j, x)).collect()
        };
        Naive {
            columns: part.columns.iter().map(column).collect(),
        }
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (found - expected).abs();
    assert!(
        off <= tolerance * (1.0 + expected.abs()),
        "{what}: {found} {expected}"
    );
}

/// All products of a storage against the definition; `inputs` are places.
fn check(columns: &Standardised, naive: &Naive, inputs: &[u32], units: usize, what: &str) {
    let (storage, layout) = (columns.storage(), columns.layout());
    let mut random = Random::new(6, Purpose::Simulation, 0, 0);
    let mut draw = |count: usize| -> Vec<f64> { (0..count).map(|_| random.normal()).collect() };
    let (weight, bias) = (draw(inputs.len() * units), draw(units));
    let single = |values: &[f64]| -> Vec<f32> { values.iter().map(|&v| v as f32).collect() };
    let (mut gradient, mut precise) = (vec![0.0f32; weight.len()], vec![0.0; weight.len()]);
    let mut expected_gradient = vec![0.0; weight.len()];
    for (number, block) in layout.blocks().iter().enumerate() {
        let rows = block.rows.len();
        let x = |input: usize, row: usize| {
            naive.columns[inputs[input] as usize][block.rows.start + row]
        };
        let sum = |k: usize, row: usize| -> f64 {
            (0..inputs.len())
                .map(|p| weight[p * units + k] * x(p, row))
                .sum()
        };
        let mut exact = vec![0.0; units * rows];
        storage.add_products(number, inputs, &weight, &mut exact);
        for relu in [false, true] {
            let mut z = vec![Lanes::ZERO; units * block.lanes];
            let layer = Layer {
                inputs,
                weight: &single(&weight),
                bias: &single(&bias),
                relu,
            };
            storage.forward(number, layer, &mut z);
            for k in 0..units {
                for row in 0..rows {
                    let expected = sum(k, row);
                    close(exact[k * rows + row], expected, 1e-5, what);
                    let shown = match relu {
                        true => (expected + bias[k]).max(0.0),
                        false => expected + bias[k],
                    };
                    let found = as_rows(&z)[k * block.lanes * LANES + row];
                    close(f64::from(found), shown, 2e-5, what);
                }
            }
        }
        let delta = draw(units * rows);
        let mut lanes = vec![Lanes::ZERO; units * block.lanes];
        for k in 0..units {
            let unit = &mut as_rows_mut(&mut lanes)[k * block.lanes * LANES..];
            unit[..rows].copy_from_slice(&single(&delta[k * rows..(k + 1) * rows]));
        }
        storage.gradient(number, inputs, &lanes, &mut gradient);
        storage.dot_products(number, inputs, &delta, &mut precise);
        for p in 0..inputs.len() {
            for k in 0..units {
                let sum: f64 = (0..rows).map(|row| x(p, row) * delta[k * rows + row]).sum();
                expected_gradient[p * units + k] += sum;
            }
        }
    }
    for ((single, double), expected) in gradient.iter().zip(&precise).zip(&expected_gradient) {
        close(*double, *expected, 1e-5, what);
        close(f64::from(*single), *expected, 1e-4, what);
    }
    for &place in inputs {
        let column = storage.column(place as usize);
        for (found, expected) in column.iter().zip(&naive.columns[place as usize]) {
            close(f64::from(*found), *expected, 1e-6, what);
        }
    }
}

/// What coordinate descent asks of single columns, against the definition.
fn check_columns(columns: &Standardised, naive: &Naive, what: &str) {
    let storage = columns.storage();
    let mut random = Random::new(7, Purpose::Simulation, 0, 0);
    let rows = storage.layout().rows();
    let mut draw = || -> Vec<f64> { (0..rows).map(|_| random.normal()).collect() };
    let (vector, weights) = (draw(), draw());
    for (place, x) in naive.columns.iter().enumerate() {
        let (j, shift) = (place as u32, storage.shift(place as u32));
        let cells = || x.iter().map(|x| x + shift);
        let size = cells().map(f64::abs).sum::<f64>();
        let sum = |of: &dyn Fn(f64, usize) -> f64| -> f64 {
            cells().enumerate().map(|(i, cell)| of(cell, i)).sum()
        };
        let sums = storage.cell_sums(j, &weights);
        for (found, expected) in [
            (storage.dot_cells(j, &vector), sum(&|c, i| c * vector[i])),
            (sums.sum, sum(&|c, i| c * weights[i])),
            (sums.squares, sum(&|c, i| c * c * weights[i])),
        ] {
            let off = (found - expected).abs();
            assert!(off < 1e-5 * (1.0 + size), "{what}: {found} {expected}");
        }
        let mut moved = vector.clone();
        storage.add_cells(j, 0.7, &weights, &mut moved);
        for (i, cell) in cells().enumerate() {
            close(moved[i], vector[i] + 0.7 * weights[i] * cell, 1e-5, what);
        }
    }
}

#[test]
fn every_storage_has_the_products_of_the_definition() {
    for (n, batch) in [(1, 1), (7, 7), (16, 16), (700, 700), (700, 33), (1601, 900)] {
        let weights = (n > 7).then(|| (0..n + 1).map(|i| 0.5 + (i % 3) as f64).collect());
        for data in both(n + 1, 40, weights) {
            // not all rows, and not in their order
            let rows: Vec<usize> = (0..n).rev().collect();
            let columns: Vec<usize> = (0..40).filter(|j| j % 7 != 5).collect();
            let scaling = Scaling::learn(&data, &rows, n > 1);
            let part = Part {
                rows: &rows,
                columns: &columns,
                batch,
            };
            let naive = Naive::new(&data, part, &scaling);
            let what = format!("{n} by {batch}, sparse: {}", data.is_sparse());
            let by_column = Standardised::in_blocks(&data, part, &scaling, Blocks::ByColumn);
            assert_eq!(by_column.layout().blocks().len(), 1);
            let held = Standardised::new(&data, part, &scaling);
            for held in [&held, &by_column] {
                for set in InstructionSet::available() {
                    let what = format!("{what} on {}", set.name());
                    on(set, || check_columns(held, &naive, &what));
                }
            }
            let gram = by_column.row_gram();
            for (a, b) in [(0, n - 1), (n / 2, n / 2)] {
                let sum: f64 = naive.columns.iter().map(|x| x[a] * x[b]).sum();
                close(gram[(a, b)], sum, 1e-5, &what);
            }
            assert_eq!(held.storage().width(), columns.len());
            let all: Vec<u32> = (0..columns.len() as u32).collect();
            for (inputs, units) in [(&all[..], 10), (&[0, 3, 17], 1), (&[2], 23), (&[], 4)] {
                for set in InstructionSet::available() {
                    let what = format!("{what} on {}", set.name());
                    on(set, || check(&held, &naive, inputs, units, &what));
                }
            }
            let few = [17, 0, 4];
            let packed = Standardised {
                numbers: vec![0, 1, 2],
                storage: Box::new(held.storage().packed(&few)),
                row_gram: OnceLock::new(),
            };
            let of_few = Naive {
                columns: few
                    .iter()
                    .map(|&j| naive.columns[j as usize].clone())
                    .collect(),
            };
            assert_eq!(packed.layout().batches(), held.layout().batches());
            check(&packed, &of_few, &[0, 1, 2], 5, &format!("packed, {what}"));
        }
    }
}

/// Sums over cells have one order, whatever the width of a vector.
#[test]
fn sparse_products_have_the_same_bits_on_every_set_with_fused_multiply_add() {
    let [_, data] = both(700, 40, None);
    let rows: Vec<usize> = (0..700).collect();
    let held = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
    let (storage, inputs) = (held.storage(), (0..40).collect::<Vec<u32>>());
    for units in [1, 10, 16, 23] {
        let weight: Vec<f32> = (0..40 * units).map(|i| (i as f32).sin()).collect();
        let bits = |set: InstructionSet| {
            on(set, || {
                let mut z = vec![Lanes::ZERO; units * storage.layout().blocks()[0].lanes];
                let layer = Layer {
                    inputs: &inputs,
                    weight: &weight,
                    bias: &[],
                    relu: false,
                };
                storage.forward(0, layer, &mut z);
                let mut gradient = vec![0.0f32; weight.len()];
                storage.gradient(0, &inputs, &z, &mut gradient);
                let all = as_rows(&z).iter().chain(&gradient);
                all.map(|value| value.to_bits()).collect::<Vec<u32>>()
            })
        };
        let sets = InstructionSet::available();
        let fused = sets.iter().filter(|set| **set != InstructionSet::Portable);
        for set in fused {
            assert_eq!(bits(*set), bits(sets[0]), "{units} on {}", set.name());
        }
    }
}

#[test]
fn zeros_that_are_left_out_take_no_room_and_change_no_moment() {
    let weights: Vec<f64> = (0..300).map(|i| 0.25 + (i % 5) as f64).collect();
    for weights in [None, Some(weights)] {
        let [dense, sparse] = both(300, 30, weights);
        let rows: Vec<usize> = (0..300).filter(|i| i % 4 > 0).collect();
        let [one, other] = [&dense, &sparse].map(|data| Scaling::learn(data, &rows, true));
        for j in 0..30 {
            close(other.center[j], one.center[j], 1e-12, "center");
            close(other.scale[j], one.scale[j], 1e-12, "scale");
        }
        assert_eq!(
            usable_columns(&dense, &rows),
            usable_columns(&sparse, &rows)
        );
        assert!(!usable_columns(&sparse, &rows).contains(&1));
        let columns: Vec<usize> = (0..30).collect();
        let part = Part {
            rows: &rows,
            columns: &columns,
            batch: rows.len(),
        };
        assert!(Sparse::saves_room(&sparse, part) && !Sparse::saves_room(&dense, part));
        // the column without zeros alone is better held as it is
        let full = Part {
            columns: &[0],
            ..part
        };
        assert!(!Sparse::saves_room(&sparse, full));
        let layout = Layout::of_long_blocks(rows.len(), rows.len());
        let storage = Sparse::new(&sparse, part, &other, layout);
        assert!(storage.worth_packing(2) && !storage.worth_packing(20));
    }
}

#[test]
fn only_training_rows_decide() {
    let columns = vec![
        vec![1e6 + 1.0, 1e6 + 2.0, 1e6 + 3.0, 9e9],
        vec![5.0, 5.0, 5.0, 7.0],
        vec![0.0, 0.0, 3.0, 100.0],
    ];
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let outcome = Outcome::Continuous(vec![1.0, 2.0, 3.0, 4.0]);
    let data = Dataset::new(names, columns, outcome).unwrap();
    let rows = [0, 1, 2];
    let scaling = Scaling::learn(&data, &rows, true);
    let usable = usable_columns(&data, &rows);
    assert_eq!(usable, [0, 2]);
    let part = Part {
        rows: &rows,
        columns: &usable,
        batch: 3,
    };
    let held = Standardised::new(&data, part, &scaling);
    assert_eq!((held.places(&[2]), held.storage().width()), (vec![1], 2));
    for place in 0..2 {
        let column = held.storage().column(place);
        let moments = moments(column.iter().map(|&v| f64::from(v)));
        assert!(moments.mean.abs() < 1e-6 && (moments.deviation - 1.0).abs() < 1e-6);
    }
    let plain = Scaling::learn(&data, &[0, 2, 3], false);
    let as_they_are = Standardised::of_rows(&data, &[3, 0], &plain);
    assert_eq!(as_they_are.storage().column(2), [100.0, 0.0]);
    assert_eq!(as_they_are.storage().column(1), [7.0, 5.0]);
}
