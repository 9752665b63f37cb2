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

/// The numbers that sixteens leave over, with zeros after them.
#[inline(always)]
fn padded<T: Copy + Into<f64>>(rest: &[T]) -> Partial {
    let mut all = [0.0; LANES];
    for (to, &from) in all.iter_mut().zip(rest) {
        *to = from.into();
    }
    all
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
        let ((xs, x), (ys, y)) = (self.x.as_chunks::<LANES>(), self.y.as_chunks::<LANES>());
        for (x, y) in xs.iter().zip(ys) {
            for i in 0..LANES {
                partial[i] += f64::from(x[i]) * y[i];
            }
        }
        let (x, y) = (padded(x), padded(y));
        for i in 0..LANES {
            partial[i] += x[i] * y[i];
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
        let ((xs, x), (ws, w)) = (
            self.x.as_chunks::<LANES>(),
            self.weights.as_chunks::<LANES>(),
        );
        for (x, w) in xs.iter().zip(ws) {
            for i in 0..LANES {
                let product = w[i] * f64::from(x[i]);
                sums[i] += product;
                squares[i] += product * f64::from(x[i]);
            }
        }
        let (x, w) = (padded(x), padded(w));
        for i in 0..LANES {
            let product = w[i] * x[i];
            sums[i] += product;
            squares[i] += product * x[i];
        }
        *self.sum += by_halves(sums);
        *self.squares += by_halves(squares);
    }
}
