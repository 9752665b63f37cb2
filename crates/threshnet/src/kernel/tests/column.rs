//! Products of one column: against sums in 64 bit as they are written down, and bit for bit the
//! same on every instruction set, since nothing in them is fused.

use super::*;

/// Rows that no kernel finds round.
const ROWS: [usize; 8] = [0, 1, 7, 16, 17, 31, 200, 1003];

fn doubles(count: usize, seed: usize) -> Vec<f64> {
    let values = numbers(count, seed).into_iter();
    values.map(|v| f64::from(v) / 3.0).collect()
}

/// What the kernels make of a column: the dot product, the sums, the vector it is added to.
fn found(set: InstructionSet, rows: usize) -> Vec<f64> {
    let (x, w, mut y) = (numbers(rows, 3), doubles(rows, 5), doubles(rows, 11));
    let (mut dot, mut sum, mut squares) = (0.25, 0.5, 0.75);
    // SAFETY: the set is available.
    unsafe {
        run_on(
            set,
            DotColumn {
                x: &x,
                y: &y,
                sum: &mut dot,
            },
        );
        run_on(
            set,
            ColumnMoments {
                x: &x,
                weights: &w,
                sum: &mut sum,
                squares: &mut squares,
            },
        );
        run_on(
            set,
            AddColumn {
                x: &x,
                factor: -1.7,
                weights: &w,
                y: &mut y,
            },
        );
    }
    [vec![dot, sum, squares], y].concat()
}

#[test]
fn columns_have_the_products_of_the_definition() {
    each_set(|set| {
        for rows in ROWS {
            let (x, w, y) = (numbers(rows, 3), doubles(rows, 5), doubles(rows, 11));
            let terms = || x.iter().map(|&x| f64::from(x)).zip(&w).zip(&y);
            let mut expected = vec![
                0.25 + terms().map(|((x, _), y)| x * y).sum::<f64>(),
                0.5 + terms().map(|((x, w), _)| w * x).sum::<f64>(),
                0.75 + terms().map(|((x, w), _)| w * x * x).sum::<f64>(),
            ];
            expected.extend(terms().map(|((x, w), y)| y - 1.7 * w * x));
            for (found, expected) in found(set, rows).iter().zip(&expected) {
                let off = (found - expected).abs();
                assert!(off < 1e-12 * (1.0 + expected.abs()), "{set:?} {rows}");
            }
        }
    });
}

#[test]
fn columns_have_the_same_bits_on_every_set() {
    for rows in ROWS {
        let bits = |set| -> Vec<u64> { found(set, rows).iter().map(|v| v.to_bits()).collect() };
        let expected = bits(InstructionSet::Portable);
        each_set(|set| assert_eq!(bits(set), expected, "{set:?} {rows}"));
    }
}
