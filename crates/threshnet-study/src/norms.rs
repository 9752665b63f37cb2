//! `norms.csv` of the path study: the group norm of every column at every λ of
//! every panel, and how smooth a panel is.

use super::results::Results;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::fs;
use std::mem::replace;
use std::path::Path;
use threshnet::format::number;
use threshnet::path::Step;
use threshnet_io::write_whole;

const HEADER: &str = "method,direction,lambda,column,norm";

/// Refuses a folder with another seed's panels, or with rows whose panels have
/// gone.
pub fn check(path: &Path, results: &mut Results, seed_of_study: u64) -> Result<()> {
    let seed = super::replicate(seed_of_study, 1).seed;
    let text = fs::read_to_string(path).unwrap_or_default();
    for row in results.rows()? {
        if row.seed != seed {
            bail!(
                "{}: the panels there are of another --seed; choose another --out",
                path.display()
            );
        }
        let panel = format!("\n{},{},", row.method, row.variant);
        if !text.contains(&panel) {
            bail!(
                "{}: it lacks the panel {}, {}; delete results.csv beside it and run again",
                path.display(),
                row.method,
                row.variant
            );
        }
    }
    Ok(())
}

/// Puts a panel into the file, in place of what an earlier run left of it.
pub fn put(path: &Path, (method, direction): (&str, &str), steps: &[Step], d: usize) -> Result<()> {
    let panel = format!("{method},{direction},");
    let old = fs::read_to_string(path).unwrap_or_default();
    let kept = old.lines().skip(1).filter(|line| !line.starts_with(&panel));
    let mut lines: Vec<String> = [HEADER].into_iter().chain(kept).map(String::from).collect();
    for step in steps {
        for (column, norm) in norms(step, d).into_iter().enumerate() {
            let (lambda, norm) = (number(step.lambda), number(norm));
            lines.push(format!("{panel}{lambda},{column},{norm}"));
        }
    }
    write_whole(path, (lines.join("\n") + "\n").as_bytes())
}

/// Adds the panels of another file to one.
pub fn join(from: &Path, to: &Path) -> Result<()> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let (more, old) = (read(from), read(to));
    let before: HashSet<&str> = old.lines().collect();
    let new = more
        .lines()
        .filter(|line| !before.contains(line) && *line != HEADER);
    let lines: Vec<&str> = [HEADER]
        .into_iter()
        .chain(old.lines().skip(1))
        .chain(new)
        .collect();
    write_whole(to, (lines.join("\n") + "\n").as_bytes())
}

/// The norms of all columns at a step; 0 for those that are not in the network.
fn norms(step: &Step, d: usize) -> Vec<f64> {
    let mut all = vec![0.0; d];
    for (&column, norm) in step.network.inputs.iter().zip(step.network.norms()) {
        all[column] = norm;
    }
    all
}

/// The smoothness of each panel of the file, as Markdown: Σ over columns and
/// neighbouring λ of |‖W₀ⱼ(λ′)‖ − ‖W₀ⱼ(λ)‖|.
pub fn table(path: &Path) -> Result<String> {
    let shown = path.display();
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("{shown}: cannot read"))?;
    let mut panels: Vec<(String, f64)> = vec![];
    // Of each column at the last λ.
    let mut norms: Vec<f64> = vec![];
    for row in reader.deserialize() {
        let (method, direction, _, column, norm): (String, String, f64, usize, f64) =
            row.with_context(|| format!("{shown}: delete it and results.csv, and run again"))?;
        let title = format!("{method}, {direction}");
        if panels.last().is_none_or(|(last, _)| *last != title) {
            panels.push((title, 0.0));
            norms.clear();
        }
        match (norms.get_mut(column), panels.last_mut()) {
            (Some(last), Some((_, jumps))) => *jumps += (norm - replace(last, norm)).abs(),
            _ => norms.push(norm),
        }
    }
    let lines: String = (panels.iter())
        .map(|(title, jumps)| format!("| {title} | {jumps:.2} |\n"))
        .collect();
    Ok(format!(
        "| panel | sum of absolute jumps between neighbouring λ |\n| --- | --- |\n{lines}\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_summed_over_columns_and_lambdas() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("norms.csv");
        let rows = [
            "gmcp,cold,0.1,0,1",
            "gmcp,cold,0.1,1,2",
            "gmcp,cold,0.2,0,0.5",
            "gmcp,cold,0.2,1,3",
            "gmcp,cold,0.3,0,0.5",
            "gmcp,cold,0.3,1,0",
            "gmcp,forward,0.1,0,1",
            "gmcp,forward,0.1,1,1",
        ];
        fs::write(&path, format!("{HEADER}\n{}\n", rows.join("\n"))).unwrap();
        let table = table(&path).unwrap();
        // |0.5 − 1| + |3 − 2| + 0 + |0 − 3|
        assert!(table.contains("| gmcp, cold | 4.50 |"), "{table}");
        assert!(table.contains("| gmcp, forward | 0.00 |"), "{table}");
    }
}
