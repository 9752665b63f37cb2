//! Which columns are features: `--features`, `--drop` and the outcome.

use super::Columns;
use super::header::Header;
use super::wording::{did_you_mean, quoted};
use anyhow::Result;
use glob::Pattern;
use std::collections::HashMap;

/// The positions of the feature columns, in file order: those that `features`
/// names (all if it is empty), without those that `drop` names and without the
/// outcome. Both lists may hold globs such as `expr_*`.
pub fn features(
    header: &Header,
    Columns { features, drop, .. }: &Columns,
    outcome: &[usize],
) -> Result<Vec<usize>> {
    let index = header.positions();
    let mut used = vec![features.is_empty(); header.names().len()];
    for (flag, entries, is_used) in [("--features", features, true), ("--drop", drop, false)] {
        for entry in entries {
            for position in resolve(header, &index, flag, entry)? {
                used[position] = is_used;
            }
        }
    }
    for &position in outcome {
        used[position] = false;
    }
    let chosen: Vec<usize> = (0..used.len()).filter(|&p| used[p]).collect();
    if chosen.is_empty() {
        return Err(header.error("no feature columns are left; see --features and --drop"));
    }
    Ok(chosen)
}

/// The columns that one entry of a list stands for: the one of that name, or
/// else those that match it as a glob.
pub fn resolve(
    header: &Header,
    index: &HashMap<&str, usize>,
    flag: &str,
    entry: &str,
) -> Result<Vec<usize>> {
    let entry = entry.trim();
    if let Some(&position) = index.get(entry) {
        return Ok(vec![position]);
    }
    let names = header.names();
    let pattern = Pattern::new(entry).map_err(|error| {
        let entry = quoted(entry);
        header.error(format_args!(
            "{flag}: {entry} is no valid glob: {}",
            error.msg
        ))
    })?;
    let matches: Vec<usize> = (0..names.len())
        .filter(|&position| pattern.matches(&names[position]))
        .collect();
    if matches.is_empty() {
        let hint = did_you_mean(entry, names);
        let entry = quoted(entry);
        return Err(header.error(format_args!("{flag}: no column matches {entry}; {hint}")));
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The names that a comma-separated pair of lists selects from the columns
    /// `id,expr_1,expr_2,a[1],age,y` with the outcome `y`.
    fn select(wanted: &str, dropped: &str) -> Result<Vec<String>> {
        let names = ["id", "expr_1", "expr_2", "a[1]", "age", "y"];
        let header = Header::new(Path::new("d.csv"), names).unwrap();
        let split = |list: &str| -> Vec<String> {
            let entries = list.split(',').filter(|e| !e.is_empty());
            entries.map(String::from).collect()
        };
        let columns = Columns {
            features: split(wanted),
            drop: split(dropped),
            ..Columns::default()
        };
        let chosen = features(&header, &columns, &[5])?;
        Ok(header.subset(chosen).names().to_vec())
    }

    #[test]
    fn lists_and_globs_keep_the_file_order() {
        for (wanted, dropped, chosen) in [
            ("", "", "id expr_1 expr_2 a[1] age"),
            ("age,expr_*", "", "expr_1 expr_2 age"),
            ("age, expr_2", "", "expr_2 age"),
            ("", "id,expr_?", "a[1] age"),
            ("expr_*", "*_1", "expr_2"),
            ("a[1]", "", "a[1]"),
            ("*", "", "id expr_1 expr_2 a[1] age"),
            ("", "y", "id expr_1 expr_2 a[1] age"),
        ] {
            assert_eq!(select(wanted, dropped).unwrap().join(" "), chosen);
        }
    }

    #[test]
    fn bad_lists_are_refused() {
        for (wanted, dropped, message) in [
            (
                "agee",
                "",
                r#"d.csv: --features: no column matches "agee"; did you mean "age"?"#,
            ),
            (
                "",
                "gene_*",
                r#"d.csv: --drop: no column matches "gene_*"; the columns are "id", "expr_1", "expr_2", "a[1]", "age", …"#,
            ),
            (
                "",
                "expr_[1",
                r#"d.csv: --drop: "expr_[1" is no valid glob: invalid range pattern"#,
            ),
            (
                "",
                "*",
                "d.csv: no feature columns are left; see --features and --drop",
            ),
        ] {
            assert_eq!(select(wanted, dropped).unwrap_err().to_string(), message);
        }
    }
}
