//! What a study is asked, and who is told of it.

use crate::name::StudyName;
use std::path::PathBuf;
use std::str::FromStr;
use threshnet::solver::Observer;
use threshnet_io::Columns;

/// A study and what may differ in it.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which study.
    pub name: StudyName,
    /// Replicates of every cell and method; the study's own number if none.
    pub reps: Option<u64>,
    /// A replicate's data depend on it and on the replicate's number alone.
    pub seed: u64,
    /// Threads, each with a fit of its own; all cores if none.
    pub threads: Option<usize>,
    /// Words that must all be true of what is run: a model, a method, a size such as `300x20`, a
    /// censoring such as `c0.2`, a variant, a replicate such as `r7`; `!nn` is all but `nn`.
    pub only: Vec<String>,
    /// The folder of the public files, or the file of the user's own.
    pub data: Option<PathBuf>,
    /// The columns of the user's own file, if it is one.
    pub columns: Option<Columns>,
    /// How many ridges to try; the study's own number if none.
    pub ridges: Option<usize>,
    /// A file with the fold of every row of the one data set that is asked for: replicate r tests
    /// on fold r.
    pub folds: Option<PathBuf>,
    /// The share of the fits that is made here; all if none.
    pub shard: Option<Shard>,
    /// What to do.
    pub work: Work,
}

/// One of several shares of a study, such as 3/100: every hundredth fit from the third on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    /// At least that number.
    pub count: usize,
}

impl Shard {
    /// More shares than this are a mistake.
    const MOST: usize = 100_000;

    /// Whether the fit with this number, from 0, is of this share.
    pub fn has(self, fit: usize) -> bool {
        fit % self.count == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match numbers {
            Some((number, count)) if (1..=count).contains(&number) && count <= Shard::MOST => {
                Ok(Shard { number, count })
            }
            _ => Err(format!(
                "which share of how many is needed, such as 3/100, of at most {}",
                Shard::MOST
            )),
        }
    }
}

/// What to do with the parts of a study.
#[derive(Debug, Clone)]
pub enum Work {
    /// Fit them; `results.csv` and `table.md` go to this folder, which may hold an earlier part.
    Fit(PathBuf),
    /// Make `table.md` anew from the rows in this folder.
    Table(PathBuf),
    /// Join the rows of shares into this folder, which may hold some of them.
    Merge {
        /// The folders of the shares.
        shares: Vec<PathBuf>,
        /// The folder of the whole.
        out: PathBuf,
    },
    /// List cells and replicates as CSV.
    List,
    /// Write the arrays of the replicates into this folder, for other programs.
    Export(PathBuf),
}

/// Is told how far a study is; as an observer it can end it.
pub trait Watch: Observer {
    /// The fits begin, some of all of them done before.
    fn begin(&self, done: usize, total: usize) -> anyhow::Result<()>;

    /// A fit has ended.
    fn ended(&self, fit: &str);

    /// There is something to say of a fit.
    fn note(&self, text: &str);

    /// No further fit will end.
    fn finish(&self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fit_is_of_one_share() {
        let shards: Vec<Shard> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        for fit in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(fit)).count(), 1);
        }
        for wrong in [
            "", "3", "0/3", "4/3", "1/0", "a/b", "-1/3", "1/100001", "1/2/3", "1.5/3",
        ] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
