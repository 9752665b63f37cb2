//! On what terms columns enter a model: `--keep`, and the files of `--penalty-factors` and
//! `--groups`, which have a column and what is said of it on every line.

use super::Columns;
use super::header::Header;
use super::select::resolve;
use super::wording::{did_you_mean, quoted};
use anyhow::{Context, Result, anyhow};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::fs;
use std::path::Path;
use threshnet::dataset::{KEPT, Terms};

/// What the flags say of the features with this header.
pub fn terms(features: &Header, columns: &Columns) -> Result<Terms> {
    let index = features.positions();
    let mut terms = Terms::default();
    for entry in &columns.keep {
        for feature in resolve(features, &index, "--keep", entry)? {
            terms.factors.insert(feature, KEPT);
        }
    }
    if let Some(path) = &columns.penalty_factors {
        for line in lines(path)? {
            let Some((feature, factor)) = line.factor(features, &index)? else {
                continue;
            };
            if let Some(before) = terms.factors.insert(feature, factor) {
                let said = match columns.keep.is_empty() {
                    true => "an earlier line",
                    false => "--keep or an earlier line",
                };
                return Err(line.error(format_args!(
                    "column {} has the factor {factor} here and {before} by {said}; say it once",
                    quoted(&line.column)
                )));
            }
        }
    }
    if let Some(path) = &columns.groups {
        terms.groups = groups(path, features, &index)?;
    }
    Ok(terms)
}

/// The features of every group of a file.
fn groups(
    path: &Path,
    features: &Header,
    index: &HashMap<&str, usize>,
) -> Result<BTreeMap<String, Vec<usize>>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut seen: HashMap<usize, (usize, String)> = HashMap::new();
    for line in lines(path)? {
        let is_known = index.contains_key(line.column.as_str());
        if line.is_first && !is_known && line.column.eq_ignore_ascii_case("column") {
            continue;
        }
        let feature = line.feature(features, index)?;
        if line.value.is_empty() {
            return Err(line.error("the name of the group is empty"));
        }
        let (column, group) = (quoted(&line.column), quoted(&line.value));
        if let Some((before, other)) = seen.insert(feature, (line.number, line.value.clone())) {
            return Err(line.error(format_args!(
                "column {column} is in group {group} here and in {} on line {before}: a column's \
                 weights have one penalty, so groups cannot overlap; leave it in one of them",
                quoted(&other)
            )));
        }
        groups.entry(line.value).or_default().push(feature);
    }
    Ok(groups)
}

/// A line with a column and what is said of it.
struct Line {
    /// The file, as it was named.
    path: String,
    /// Counted from 1.
    number: usize,
    /// Whether no other is before it.
    is_first: bool,
    column: String,
    value: String,
}

/// The lines of such a file that say something.
fn lines(path: &Path) -> Result<Vec<Line>> {
    let shown = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("{shown}: cannot read it"))?;
    let mut lines: Vec<Line> = Vec::new();
    let text = text.trim_start_matches('\u{feff}').lines().enumerate();
    for (at, line) in text.filter(|(_, line)| !line.trim().is_empty()) {
        // (the column may have commas in its name)
        let Some((column, value)) = line.rsplit_once(',') else {
            return Err(anyhow!(
                "{shown}: line {}: {} has no comma; write a column and, behind a comma, what is \
                 said of it",
                at + 1,
                quoted(line.trim())
            ));
        };
        lines.push(Line {
            path: shown.clone(),
            number: at + 1,
            is_first: lines.is_empty(),
            column: unquoted(column),
            value: unquoted(value),
        });
    }
    Ok(lines)
}

/// A cell without the quotes around it.
fn unquoted(cell: &str) -> String {
    let cell = cell.trim();
    let inner = cell.strip_prefix('"').and_then(|c| c.strip_suffix('"'));
    inner.map_or(cell.to_string(), |inner| inner.replace("\"\"", "\""))
}

impl Line {
    /// The feature that it speaks of.
    fn feature(&self, features: &Header, index: &HashMap<&str, usize>) -> Result<usize> {
        index.get(self.column.as_str()).copied().ok_or_else(|| {
            let hint = did_you_mean(&self.column, features.names());
            let column = quoted(&self.column);
            self.error(format_args!("there is no feature column {column}; {hint}"))
        })
    }

    /// The feature and its penalty factor; nothing where this is a header.
    fn factor(
        &self,
        features: &Header,
        index: &HashMap<&str, usize>,
    ) -> Result<Option<(usize, f64)>> {
        let factor: Option<f64> = self.value.parse().ok();
        if factor.is_none() && self.is_first && !index.contains_key(self.column.as_str()) {
            return Ok(None);
        }
        let feature = self.feature(features, index)?;
        match factor {
            Some(factor) if factor >= 0.0 => Ok(Some((feature, factor))),
            _ => Err(self.error(format_args!(
                "{} is no penalty factor of column {}: give 0 to keep it, a positive number, or \
                 inf to drop it",
                quoted(&self.value),
                quoted(&self.column)
            ))),
        }
    }

    fn error(&self, problem: impl Display) -> anyhow::Error {
        anyhow!("{}: line {}: {problem}", self.path, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these flags and files say of the columns `age,stage,"a,b",x1,x2`, or the complaint.
    fn read(keep: &[&str], factors: Option<&str>, groups: Option<&str>) -> Result<Terms, String> {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str, text: Option<&str>| {
            let path = home.path().join(name);
            text.map(|text| {
                fs::write(&path, text).unwrap();
                path
            })
        };
        let columns = Columns {
            keep: keep.iter().map(|entry| entry.to_string()).collect(),
            penalty_factors: file("f.csv", factors),
            groups: file("g.csv", groups),
            ..Columns::default()
        };
        let header = Header::new(Path::new("d.csv"), ["age", "stage", "a,b", "x1", "x2"]).unwrap();
        let folder = format!("{}/", home.path().display());
        terms(&header, &columns).map_err(|e| e.to_string().replace(&folder, ""))
    }

    #[test]
    fn flags_and_files_are_put_together() {
        let factors = "column,factor\nstage,2\n\"a,b\",inf\n\n";
        let groups = "x1,pathway\r\nx2,pathway\r\n";
        let found = read(&["x*", "age"], Some(factors), Some(groups)).unwrap();
        let factors: Vec<(usize, f64)> = found.factors.into_iter().collect();
        let inf = f64::INFINITY;
        assert_eq!(factors, [(0, 0.0), (1, 2.0), (2, inf), (3, 0.0), (4, 0.0)]);
        assert_eq!(found.groups["pathway"], [3, 4]);
        // a header is not needed
        assert_eq!(read(&[], Some("age,0.5"), None).unwrap().factor(0), 0.5);
        let headed = read(&[], None, Some("Column,Group\nage,a")).unwrap();
        assert_eq!(headed.groups.len(), 1);
        assert!(read(&[], None, None).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_is_told_by_file_and_line() {
        for (keep, factors, groups, says) in [
            (
                "agee",
                None,
                None,
                r#"d.csv: --keep: no column matches "agee"; did you mean "age"?"#,
            ),
            (
                "age",
                Some("age,2"),
                None,
                r#"f.csv: line 1: column "age" has the factor 2 here and 0 by --keep or an earlier"#,
            ),
            (
                "",
                Some("age,1\nstag,2"),
                None,
                r#"f.csv: line 2: there is no feature column "stag"; did you mean "stage"?"#,
            ),
            (
                "",
                Some("age,-1"),
                None,
                r#"f.csv: line 1: "-1" is no penalty factor of column "age""#,
            ),
            ("", Some("age,NaN"), None, r#""NaN" is no penalty factor"#),
            ("", Some("age,two"), None, r#""two" is no penalty factor"#),
            (
                "",
                Some("age\n"),
                None,
                r#"f.csv: line 1: "age" has no comma"#,
            ),
            (
                "",
                None,
                Some("age,a\nx1,b\nage,b"),
                r#"g.csv: line 3: column "age" is in group "b" here and in "a" on line 1"#,
            ),
            (
                "",
                None,
                Some("gene,a"),
                r#"g.csv: line 1: there is no feature column "gene""#,
            ),
            ("", None, Some("age,"), "the name of the group is empty"),
        ] {
            let keep: Vec<&str> = Some(keep).filter(|k| !k.is_empty()).into_iter().collect();
            let said = read(&keep, factors, groups).unwrap_err();
            assert!(said.contains(says), "{said}");
            assert_eq!(said.lines().count(), 1);
        }
    }
}
