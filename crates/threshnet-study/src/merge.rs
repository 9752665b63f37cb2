//! `--merge`: the shares of a study joined.

use super::norms;
use super::results::{Results, Row};
use crate::name::StudyName;
use crate::options::Options;
use anyhow::{Result, bail};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use threshnet::settings::Named;

/// Adds the rows of shares that are not there yet. The same fit with another result, but for its
/// seconds, is refused: then something is different about the share.
pub fn merge(
    options: &Options,
    shares: &[PathBuf],
    results: &mut Results,
    out: &Path,
) -> Result<()> {
    let by_key = |rows: Vec<Row>| rows.into_iter().map(|row| (row.key(), row));
    let mut known: HashMap<_, Row> = by_key(results.rows()?).collect();
    for share in shares {
        let file = share.join("results.csv");
        if !file.is_file() {
            bail!(
                "{}: there is no results.csv; give the folder of a share",
                share.display()
            );
        }
        let rows = Results::open(share, options.name.name())?.rows()?;
        let mut new = vec![];
        for (key, row) in by_key(rows) {
            match known.get(&key) {
                None => {
                    known.insert(key, row.clone());
                    new.push(row);
                }
                Some(before) if !is_same(before, &row) => bail!(
                    "{}: {} {} replicate {} has another result than the rows before; all shares \
                     must be of one command and version",
                    file.display(),
                    row.model,
                    row.method,
                    row.replicate
                ),
                Some(_) => {}
            }
        }
        // (a panel is there before its row: what is killed between them is merged again)
        if options.name == StudyName::Path {
            norms::join(&share.join("norms.csv"), &out.join("norms.csv"))?;
        }
        results.add(&new)?;
    }
    Ok(())
}

fn is_same(one: &Row, other: &Row) -> bool {
    let timeless = |row: &Row| Row {
        seconds: 0.0,
        ..row.clone()
    };
    timeless(one) == timeless(other)
}

/// What is printed of so many fits of all.
pub fn told(table: &str, out: &Path, done: usize, total: usize) -> String {
    let rows = out.join("results.csv");
    let shown = rows.display();
    match total - done {
        0 => format!("{table}\n{total} fits in {shown}\n"),
        missing => format!(
            "{table}\n{done} of {total} fits in {shown}; {missing} are missing: the same study with \
             --out {} makes them\n",
            out.display()
        ),
    }
}
