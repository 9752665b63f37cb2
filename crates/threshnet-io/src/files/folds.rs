//! Given folds: a file of one column, with the number of each row's fold.

use super::source::{Keep, Manner, Names};
use super::table::Reader;
use super::wording::count;
use anyhow::Result;
use std::path::Path;

/// More folds than this are no folds.
const MOST: f64 = 1000.0;

/// Reads the fold of every row, a whole number from 1; each of them has rows.
pub fn load_folds(path: &Path) -> Result<Vec<usize>> {
    let reader = Reader::open(path, &Names::Features, &Manner::default())?;
    let header = reader.header.clone();
    let [name] = header.names() else {
        let columns = count(header.names().len(), "column");
        let problem = format!("{columns}; write one, with the number of each row's fold");
        return Err(header.error(problem));
    };
    let table = reader.read(&[(0, Keep::Values)], &|_| ())?;
    let numbers = table.number(name)?;
    let is_fold = |number: f64| number.fract() == 0.0 && (1.0..=MOST).contains(&number);
    if let Some(row) = numbers.iter().position(|&number| !is_fold(number)) {
        let problem = format!(
            "{} is not a fold; folds are 1, 2, … to {MOST}",
            numbers[row]
        );
        return Err(table.error_at(row, name, problem));
    }
    let folds: Vec<usize> = numbers.iter().map(|&number| number as usize).collect();
    let last = folds.iter().copied().max().unwrap_or(0);
    if last < 2 {
        return Err(table.error_in(name, "one fold only; there must be two or more"));
    }
    if let Some(absent) = (1..last).find(|fold| !folds.contains(fold)) {
        let problem = format!("no row is in fold {absent}, but some are in {last}; leave none out");
        return Err(table.error_in(name, problem));
    }
    Ok(folds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folds_are_whole_numbers_each_with_rows() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("folds.csv");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            load_folds(&path)
        };
        assert_eq!(read("fold\n2\n1\n2\n3\n").unwrap(), [2, 1, 2, 3]);
        for (text, says) in [
            (
                "fold\n1\n2.5\n",
                "folds.csv: line 3, column \"fold\": 2.5 is not a fold",
            ),
            ("fold\n0\n1\n", "0 is not a fold"),
            ("fold\n1\n1e9\n", "is not a fold"),
            ("fold\n1\ntwo\n", "two"),
            ("fold\n1\n3\n", "no row is in fold 2"),
            ("fold\n1\n1\n", "two or more"),
            ("fold,x\n1,2\n2,1\n", "2 columns"),
            ("fold\n", "no rows"),
        ] {
            let problem = format!("{:#}", read(text).unwrap_err());
            assert!(problem.contains(says), "{text:?}: {problem}");
            assert_eq!(problem.lines().count(), 1, "{problem}");
        }
    }
}
