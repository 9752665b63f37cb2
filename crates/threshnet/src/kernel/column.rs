//! What coordinate descent asks of one column: its products with vectors in 64 bit.
//!
//! Products are added up in sixteen partial sums, number i in the one with number i mod 16, and
//! these by halves; none is fused with a sum. So every instruction set gives the same bits.

use super::{Isa, Kernel, LANES};

/// Sixteen partial sums in 64 bit.
type Partial = [f64; LANES];

/// Σx and so on, by halves.
#[inline(always)]
fn by_halves(mut partial: Partial) -> f64 {
    let mut half = LANES;
    while half > 1 {
        half /= 2;
        for i in 0..half {
            partial[i] += partial[i + half];
        }
    }
    partial[0]
}

/// Sixteen numbers from `at`; zeros where there are fewer.
#[inline(always)]
fn sixteen<T: Copy + Into<f64>>(values: &[T], at: usize) -> Partial {
    match values[at..].first_chunk::<LANES>() {
        Some(values) => std::array::from_fn(|i| values[i].into()),
        None => {
            let mut all = [0.0; LANES];
            for (to, &from) in all.iter_mut().zip(&values[at..]) {
                *to = from.into();
            }
            all
        }
    }
}

/// Σᵢ xᵢ·yᵢ
pub struct DotColumn<'a> {
    /// The column.
    pub x: &'a [f32],
    /// As long.
    pub y: &'a [f64],
    /// What the sum is added to.
    pub sum: &'a mut f64,
}

impl Kernel for DotColumn<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let mut partial = [0.0; LANES];
        for at in (0..self.x.len()).step_by(LANES) {
            let (x, y) = (sixteen(self.x, at), sixteen(self.y, at));
            for i in 0..LANES {
                partial[i] += x[i] * y[i];
            }
        }
        *self.sum += by_halves(partial);
    }
}

/// y += factor·w∘x
pub struct AddColumn<'a> {
    /// The column.
    pub x: &'a [f32],
    /// Multiplies it.
    pub factor: f64,
    /// What each row counts.
    pub weights: &'a [f64],
    /// As long.
    pub y: &'a mut [f64],
}

impl Kernel for AddColumn<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        for ((y, &x), &w) in self.y.iter_mut().zip(self.x).zip(self.weights) {
            *y += self.factor * (w * f64::from(x));
        }
    }
}

/// Σᵢ wᵢ·xᵢ and Σᵢ wᵢ·xᵢ².
pub struct ColumnMoments<'a> {
    /// The column.
    pub x: &'a [f32],
    /// What each row counts.
    pub weights: &'a [f64],
    /// What the sum is added to.
    pub sum: &'a mut f64,
    /// What the sum of squares is added to.
    pub squares: &'a mut f64,
}

impl Kernel for ColumnMoments<'_> {
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
        for at in (0..self.x.len()).step_by(LANES) {
            let (x, w) = (sixteen(self.x, at), sixteen(self.weights, at));
            for i in 0..LANES {
                let product = w[i] * x[i];
                sums[i] += product;
                squares[i] += product * x[i];
            }
        }
        *self.sum += by_halves(sums);
        *self.squares += by_halves(squares);
    }
}
