//! Keeping what finished jobs have found, so that a stopped fit goes on where it was.
//!
//! A fit is many independent jobs: paths, half-samples, runs with knockoffs. What each finds
//! depends on data and settings alone. So a [`Keeper`] may give back what an earlier run of the
//! same fit has found, bit for bit, in place of the work. The library knows no files: where and how
//! long things are kept is the front end's business, and that data and settings are the same.

use crate::error::Result;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Keeps what finished jobs have found. Called from any thread.
pub trait Keeper: Sync {
    /// What this job has found, if it is known.
    fn kept(&self, job: JobId) -> Option<Vec<u8>>;

    /// Keeps what a job has found.
    fn keep(&self, job: JobId, found: &[u8]) -> Result<()>;
}

/// What tells the jobs of a fit apart: all that decides on what one finds, beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

impl JobId {
    /// Of a job that is decided by this.
    pub fn of(decisive: impl Hash) -> JobId {
        let mut hasher = DefaultHasher::new();
        decisive.hash(&mut hasher);
        JobId(hasher.finish())
    }
}

/// Bytes of what was found, little end first. Numbers keep their bits.
#[derive(Default)]
pub struct Packed(pub Vec<u8>);

impl Packed {
    /// Adds a count.
    pub fn count(&mut self, value: usize) {
        self.0.extend((value as u64).to_le_bytes());
    }

    /// Adds a number.
    pub fn number(&mut self, value: f64) {
        self.0.extend(value.to_bits().to_le_bytes());
    }

    /// Adds how many there are, and then each of them.
    pub fn many<T>(&mut self, values: &[T], mut each: impl FnMut(&mut Packed, &T)) {
        self.count(values.len());
        values.iter().for_each(|value| each(self, value));
    }
}

/// The same bytes again. What they cannot be is `None`.
pub struct Unpacked<'a>(&'a [u8]);

impl<'a> Unpacked<'a> {
    /// From the beginning.
    pub fn new(bytes: &'a [u8]) -> Self {
        Unpacked(bytes)
    }

    fn word(&mut self) -> Option<[u8; 8]> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*word)
    }

    /// The next count.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.word()?)).ok()
    }

    /// The next number.
    pub fn number(&mut self) -> Option<f64> {
        Some(f64::from_bits(u64::from_le_bytes(self.word()?)))
    }

    /// The next list.
    pub fn many<T>(&mut self, mut each: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.count()?;
        // (each takes a word at least: a count beyond that is none)
        if count > self.0.len() / size_of::<u64>() {
            return None;
        }
        (0..count).map(|_| each(self)).collect()
    }

    /// Whether that was all.
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits_and_nonsense_is_none() {
        let odd = [
            0.1,
            -0.0,
            f64::NAN,
            f64::from_bits(0x7ff8_0000_dead_beef),
            5e-324,
        ];
        let mut packed = Packed::default();
        packed.many(&odd, |packed, &value| packed.number(value));
        packed.count(usize::MAX);
        let mut unpacked = Unpacked::new(&packed.0);
        let back = unpacked.many(Unpacked::number).unwrap();
        let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|v| v.to_bits()).collect() };
        assert_eq!(bits(&back), bits(&odd));
        assert!(!unpacked.is_over());
        assert_eq!(unpacked.count(), Some(usize::MAX));
        assert!(unpacked.is_over());
        for end in 0..packed.0.len() - 8 {
            assert!(
                Unpacked::new(&packed.0[..end])
                    .many(Unpacked::number)
                    .is_none()
            );
        }
        let huge = u64::MAX.to_le_bytes();
        assert!(Unpacked::new(&huge).many(Unpacked::number).is_none());
    }

    #[test]
    fn ids_tell_jobs_apart() {
        assert_eq!(JobId::of(("path", 1)), JobId::of(("path", 1)));
        assert_ne!(JobId::of(("path", 1)), JobId::of(("path", 2)));
    }
}
