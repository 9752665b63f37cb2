//! What a study is asked, and who is told of it.

use crate::name::StudyName;
use std::path::PathBuf;
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
    /// What to do.
    pub work: Work,
}

/// What to do with the parts of a study.
#[derive(Debug, Clone)]
pub enum Work {
    /// Fit them; `results.csv` and `table.md` go to this folder, which may hold an earlier part.
    Fit(PathBuf),
    /// Make `table.md` anew from the rows in this folder.
    Table(PathBuf),
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
