//! The hot loops, and the one place where an instruction set is chosen.
//!
//! A loop is written once, as a [`Kernel`] whose body is inlined into three
//! thin shells compiled for AVX-512, AVX2 with FMA, and whatever the target
//! has anyway (SSE2 on x86-64, NEON on aarch64). [`dispatch`] runs the widest
//! one this machine has, found once per process.
//!
//! One answer on every processor: sums are added up in one order whatever the
//! width of a vector (`lane_sums.rs`), so sets with a fused multiply-add
//! (AVX-512, AVX2, NEON) give the same bits. SSE2 has none and rounds products
//! on their own: a gradient then differs by at most 10⁻⁵ of its largest
//! component, unless a ReLU's argument is within rounding of its kink.
//!
//! Rows stand in vector lanes: a column is a run of [`Lanes`] (16 rows each,
//! the last padded), so that narrow layers waste nothing and a pruned column
//! is simply not visited. Padded rows are harmless because the loss gradient
//! there is zero.

mod adam;
mod affine;
mod column;
mod double;
mod elementwise;
mod epilogue;
mod lane_sums;
mod layer;
pub mod math;
mod portable;
mod products;
mod sparse;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use adam::{AdamRates, AdamSweep, Swept, longest_step};
pub use affine::Affine;
pub use column::{AddColumn, ColumnMoments, DotColumn};
pub use double::{AddProducts, DotProducts};
pub use elementwise::{Activate, MultiplySlope};
pub use epilogue::{Epilogue, Plain, Relu, ReluSlope};
pub use layer::Layer;
pub use products::{Products, Sums};
pub use sparse::{SparseAffine, SparseCells, SparseProducts};

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Rows per [`Lanes`].
pub const LANES: usize = 16;

/// Sixteen rows of one column, on a cache line of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// Sixteen zeros.
    pub const ZERO: Lanes = Lanes([0.0; LANES]);

    /// How many hold `rows` rows.
    pub fn for_rows(rows: usize) -> usize {
        rows.div_ceil(LANES)
    }
}

/// Views columns of lanes as plain rows.
pub fn as_rows(lanes: &[Lanes]) -> &[f32] {
    // SAFETY: `Lanes` is `repr(C)` around `[f32; LANES]` and as large as its
    // alignment, so a slice of it is LANES times as many consecutive f32.
    unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), lanes.len() * LANES) }
}

/// Views columns of lanes as plain rows.
pub fn as_rows_mut(lanes: &mut [Lanes]) -> &mut [f32] {
    // SAFETY: as in `as_rows`; the borrow is exclusive.
    unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast(), lanes.len() * LANES) }
}

/// What a body may use of the instruction set it is compiled for.
///
/// # Safety
/// The operations may only run inside the shell of their set, which is where
/// [`run_on`] runs every [`Kernel`]. Pointers must be good for as many numbers
/// as are read or written; they need not be aligned.
pub unsafe trait Isa {
    /// [`WIDTH`](Self::WIDTH) numbers in a register.
    type Vector: Copy;
    /// Numbers per vector; divides [`LANES`].
    const WIDTH: usize;
    /// Vectors per [`LANES`].
    const VECTORS: usize = LANES / Self::WIDTH;
    /// Output units of a tile: two sums for each, and what they are added up
    /// from, must fit into registers.
    const UNITS: usize;

    /// Reads a vector.
    ///
    /// # Safety
    /// `from` must be good for `WIDTH` numbers.
    unsafe fn load(from: *const f32) -> Self::Vector;
    /// Writes a vector.
    ///
    /// # Safety
    /// `to` must be good for `WIDTH` numbers.
    unsafe fn store(vector: Self::Vector, to: *mut f32);
    /// Reads the first `count` ≤ `WIDTH` numbers; the others are 0.
    ///
    /// # Safety
    /// `from` must be good for `count` numbers.
    unsafe fn load_first(from: *const f32, count: usize) -> Self::Vector;
    /// Writes the first `count` ≤ `WIDTH` numbers.
    ///
    /// # Safety
    /// `to` must be good for `count` numbers.
    unsafe fn store_first(vector: Self::Vector, to: *mut f32, count: usize);
    /// The same number everywhere.
    fn splat(value: f32) -> Self::Vector;
    /// x·y + z, fused where that is one instruction.
    fn mul_add(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector;
    /// x/y
    fn divide(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// √x
    fn sqrt(x: Self::Vector) -> Self::Vector;
    /// x where y > 0, and 0 elsewhere.
    fn where_positive(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// The sum of the numbers, by halves: those of the second are added to those
    /// of the first until one is left.
    fn sum(vector: Self::Vector) -> f32;
}

/// A loop, compiled once per instruction set. `run` must be `#[inline(always)]`.
pub trait Kernel {
    /// Does the work.
    fn run<I: Isa>(self);
}

/// The instruction sets there are shells for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstructionSet {
    /// AVX-512 F, VL, DQ and BW.
    Avx512,
    /// AVX2 and FMA.
    Avx2,
    /// The target's own.
    Portable,
}

impl InstructionSet {
    /// The one that kernels run on in this process.
    #[inline]
    pub fn in_use() -> InstructionSet {
        #[cfg(test)]
        if let Some(set) = tests::FORCED.get() {
            return set;
        }
        *CHOSEN
    }

    /// The name used by [`ISA_VARIABLE`].
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Avx512 => "avx512",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Portable => "portable",
        }
    }

    /// The one that [`ISA_VARIABLE`] names, or the widest if it is not set;
    /// an error if this machine has none of that name.
    pub fn asked_for() -> Result<InstructionSet> {
        let sets = InstructionSet::available();
        let name = std::env::var_os(ISA_VARIABLE).unwrap_or_default();
        if name.is_empty() {
            return Ok(sets[0]);
        }
        let named = sets
            .iter()
            .find(|set| name.eq_ignore_ascii_case(set.name()));
        named.copied().ok_or_else(|| {
            let names: Vec<&str> = sets.iter().map(|set| set.name()).collect();
            Error::Data(format!(
                "the environment variable {ISA_VARIABLE} is {:?}, but this machine has {}; set it \
                 to one of these or not at all",
                name.to_string_lossy(),
                names.join(", ")
            ))
        })
    }

    /// Those this machine can run, widest first.
    pub fn available() -> Vec<InstructionSet> {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            [
                (avx512, InstructionSet::Avx512),
                (avx2, InstructionSet::Avx2),
                (true, InstructionSet::Portable),
            ]
            .into_iter()
            .filter_map(|(there, set)| there.then_some(set))
            .collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![InstructionSet::Portable]
    }
}

/// Names the instruction set to use, for tests and measurements: `avx512`,
/// `avx2` or `portable`.
pub const ISA_VARIABLE: &str = "THRESHNET_ISA";

/// The one in use.
static CHOSEN: LazyLock<InstructionSet> =
    LazyLock::new(|| InstructionSet::asked_for().unwrap_or_else(|error| panic!("{error}")));

/// Runs a kernel on the instruction set in use: the widest of this machine
/// unless [`ISA_VARIABLE`] says otherwise.
#[inline]
pub fn dispatch(kernel: impl Kernel) {
    // SAFETY: the set in use comes from `available`.
    unsafe { run_on(InstructionSet::in_use(), kernel) }
}

/// Runs a kernel on a given instruction set.
///
/// # Safety
/// This machine must have it, see [`InstructionSet::available`].
#[inline]
pub unsafe fn run_on(set: InstructionSet, kernel: impl Kernel) {
    match set {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller vouches for the instruction set.
        InstructionSet::Avx512 => unsafe { x86::avx512(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller vouches for the instruction set.
        InstructionSet::Avx2 => unsafe { x86::avx2(kernel) },
        _ => kernel.run::<portable::Portable>(),
    }
}

/// The most units a tile can have.
const MOST_UNITS: usize = 10;

/// Calls `$method::<I, K>` with the constant K = `$units`, 1 to 10, so that a
/// tile's sums are a fixed set of registers.
macro_rules! with_units {
    ($units:expr, $self:ident.$method:ident::<$isa:ident>($($argument:expr),*)) => {
        match $units {
            1 => $self.$method::<$isa, 1>($($argument),*),
            2 => $self.$method::<$isa, 2>($($argument),*),
            3 => $self.$method::<$isa, 3>($($argument),*),
            4 => $self.$method::<$isa, 4>($($argument),*),
            5 => $self.$method::<$isa, 5>($($argument),*),
            6 => $self.$method::<$isa, 6>($($argument),*),
            7 => $self.$method::<$isa, 7>($($argument),*),
            8 => $self.$method::<$isa, 8>($($argument),*),
            9 => $self.$method::<$isa, 9>($($argument),*),
            _ => $self.$method::<$isa, 10>($($argument),*),
        }
    };
}
use with_units;

/// Divides `units` into as few tiles of at most `most` as there can be, of
/// nearly equal size: (first unit, how many) of each.
#[inline(always)]
fn tiles(units: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = units.div_ceil(most);
    (0..count).map(move |t| {
        let (start, end) = (t * units / count, (t + 1) * units / count);
        (start, end - start)
    })
}

#[cfg(test)]
pub(crate) mod tests;
