//! Reads a known data set from its files.

use super::Known;
use crate::bed;
use crate::digits;
use crate::feature::Feature;
use crate::raw::{Cells, Raw};
use crate::source_file::find;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use threshnet::dataset::{Outcome, Task};

/// The rows of a data set whose outcome is known.
pub struct Rows {
    pub features: Vec<Feature>,
    pub outcome: Outcome,
    /// Which rows of the file these are.
    pub numbers: Vec<usize>,
    /// How many rows the file has.
    pub of: usize,
    /// The animal of every row, if rows of one stay together.
    pub animals: Option<Vec<usize>>,
}

impl Known {
    /// The data set, from a folder or its subfolders. Rows without an outcome, and those of a
    /// survival outcome whose time is not positive, are left out.
    pub fn read(&self, folder: &Path) -> Result<Rows> {
        let path = zipped_or_not(folder, self.file)?;
        let failed = || format!("{}: cannot be used", path.display());
        let (raw, outcome) = self.cells(folder, &path).with_context(failed)?;
        let of = outcome[0].texts().len();
        let known: Vec<usize> = (0..of)
            .filter(|&row| outcome.iter().all(|cells| is_known(cells, row)))
            .collect();
        let (numbers, outcome) = self.outcome(&outcome, known).with_context(failed)?;
        let animals = self.animal.map(|column| {
            let cells = raw.column(&path, column)?.rows(&numbers);
            anyhow::Ok(animals(&cells.texts()))
        });
        let feature = |(name, cells): (String, Cells)| {
            let clinical = self.is_clinical(&name);
            Feature::new(&name, self.scaled(&name, cells.rows(&numbers)), clinical)
        };
        let used = (raw.names.iter().cloned().zip(raw.columns.iter().cloned()))
            .filter(|(name, _)| self.uses(name));
        Ok(Rows {
            features: used.map(feature).collect(),
            outcome,
            of,
            animals: animals.transpose()?,
            numbers,
        })
    }

    /// All columns of the file, and those of the outcome.
    fn cells(&self, folder: &Path, path: &Path) -> Result<(Raw, Vec<Cells>)> {
        let beside = || match self.outcome_file {
            Some(file) => zipped_or_not(folder, file),
            None => Ok(path.to_path_buf()),
        };
        if self.file.ends_with(".bed") {
            let stem = self.file.trim_end_matches("bed");
            let part = |end: &str| zipped_or_not(folder, &format!("{stem}{end}"));
            let (bim, fam) = (part("bim")?, part("fam")?);
            let raw = bed::read(&bed::Files {
                bed: path,
                bim: &bim,
                fam: &fam,
            })?;
            let column: usize = self.outcome[0].parse()?;
            return Ok((raw, vec![bed::column_of_words(&beside()?, column - 1)?]));
        }
        if self.file.ends_with("ubyte") {
            let (raw, digits) = digits::first(folder)?;
            return Ok((raw, vec![digits]));
        }
        let raw = Raw::read(path, self.missing)?;
        let beside = beside()?;
        let other = match self.outcome_file {
            Some(_) => &Raw::read(&beside, self.missing)?,
            None => &raw,
        };
        let outcome = (self.outcome.iter()).map(|name| Ok(other.column(&beside, name)?.clone()));
        let outcome: Vec<Cells> = outcome.collect::<Result<_>>()?;
        if raw.columns[0].texts().len() != outcome[0].texts().len() {
            bail!(
                "{} has not as many rows; download both again",
                beside.display()
            );
        }
        Ok((raw, outcome))
    }

    /// The outcome of the rows that have one, and which these are.
    fn outcome(&self, cells: &[Cells], known: Vec<usize>) -> Result<(Vec<usize>, Outcome)> {
        let number = |at: usize| -> Result<Vec<f64>> {
            let of_rows = cells[at].rows(&known);
            Ok(of_rows.numbers().context("the outcome")?.to_vec())
        };
        let outcome = match self.task {
            Task::Regression => {
                let log = |y: f64| if self.logged_outcome { y.ln() } else { y };
                Outcome::Continuous(number(0)?.into_iter().map(log).collect())
            }
            Task::Binary | Task::Multiclass => {
                let texts: Vec<String> = cells[0]
                    .rows(&known)
                    .texts()
                    .into_iter()
                    .flatten()
                    .collect();
                let mut classes = texts.clone();
                classes.sort_unstable();
                classes.dedup();
                let label = |text: &String| classes.partition_point(|class| class < text);
                Outcome::Classes {
                    labels: texts.iter().map(label).collect(),
                    classes,
                    task: self.task,
                }
            }
            Task::Cox => {
                let (time, event) = (number(0)?, number(1)?);
                let later: Vec<usize> = (0..known.len()).filter(|&i| time[i] > 0.0).collect();
                let outcome = Outcome::Survival {
                    time: later.iter().map(|&i| time[i]).collect(),
                    event: later.iter().map(|&i| event[i] == 1.0).collect(),
                };
                return Ok((later.iter().map(|&i| known[i]).collect(), outcome));
            }
        };
        Ok((known, outcome))
    }

    /// A feature on its scale.
    fn scaled(&self, name: &str, cells: Cells) -> Cells {
        match (self.logged, cells) {
            (Some(logged), Cells::Numbers(numbers)) => {
                let scaled = numbers.into_iter().map(|x| logged.apply(name, x));
                Cells::Numbers(scaled.collect())
            }
            (_, cells) => cells,
        }
    }
}

fn zipped_or_not(folder: &Path, file: &str) -> Result<PathBuf> {
    find(folder, &[&format!("{file}.gz"), file])
}

fn is_known(cells: &Cells, row: usize) -> bool {
    match cells {
        Cells::Numbers(numbers) => !numbers[row].is_nan(),
        Cells::Texts(texts) => texts[row].is_some(),
    }
}

/// The animal of every row by number: its name is the text up to the last `_`.
fn animals(texts: &[Option<String>]) -> Vec<usize> {
    let name = |text: &Option<String>| {
        let text = text.clone().unwrap_or_default();
        text.rsplit_once('_')
            .map_or(text.clone(), |(animal, _)| animal.into())
    };
    let names: Vec<String> = texts.iter().map(name).collect();
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (names.iter())
        .map(|name| distinct.partition_point(|other| other < name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::named;
    use std::fs;

    /// What is made of these files.
    fn read(name: &str, files: &[(&str, &str)]) -> Result<Rows> {
        let home = tempfile::tempdir().unwrap();
        for (file, text) in files {
            fs::write(home.path().join(file), text).unwrap();
        }
        named(name).unwrap().read(home.path())
    }

    fn columns(rows: &Rows) -> Vec<String> {
        rows.features.iter().flat_map(Feature::columns).collect()
    }

    #[test]
    fn rows_without_an_outcome_or_time_are_left_out() {
        let text =
            "event,time,fac_rx,num_age,num_sdate\n1,5,a,70,1\n0,0,b,60,2\n,9,b,50,3\n0,3,c,,4\n";
        let rows = read("prostate", &[("prostate.csv", text)]).unwrap();
        assert_eq!((rows.numbers.clone(), rows.of), (vec![0, 3], 4));
        let expected = Outcome::Survival {
            time: vec![5.0, 3.0],
            event: vec![true, false],
        };
        assert_eq!(rows.outcome, expected);
        // levels that only rows without an outcome have are none
        assert_eq!(columns(&rows), ["fac_rx=c", "num_age"]);
        assert!(rows.features.iter().all(|feature| feature.clinical));
    }

    #[test]
    fn an_outcome_may_have_a_file_of_its_own() {
        let x = ("hnscc_x.csv", "a,b\n1,2\n3,4\n");
        let y = "Overall survival_duration,OS4Y\n7,1\n8,0\n";
        let rows = read("hnscc", &[x, ("hnscc_y.csv", y)]).unwrap();
        assert_eq!(
            (columns(&rows), rows.outcome.len()),
            (vec!["a".into(), "b".into()], 2)
        );
        let problem = read(
            "hnscc",
            &[x, ("hnscc_y.csv", "Overall survival_duration,OS4Y\n7,1\n")],
        );
        assert!(format!("{:#}", problem.err().unwrap()).contains("not as many rows"));
        let problem = read("hnscc", &[x, ("hnscc_y.csv", "time,OS4Y\n7,1\n8,0\n")])
            .err()
            .unwrap();
        assert!(format!("{problem:#}").contains("no column"), "{problem:#}");
        let problem = read("hnscc", &[x]).err().unwrap();
        assert!(
            format!("{problem:#}").contains("hnscc_y.csv"),
            "{problem:#}"
        );
    }

    #[test]
    fn rows_know_their_animal_and_classes_are_sorted() {
        let text = "MouseID,DYRK1A_N,Genotype,class\nb_10_1,1,x,t\nb_10_2,,x,t\na_1,3,y,c\n";
        let rows = read("mice", &[("Data_Cortex_Nuclear.csv", text)]).unwrap();
        assert_eq!(rows.animals, Some(vec![1, 1, 0]));
        assert_eq!(columns(&rows), ["DYRK1A_N"]);
        let Outcome::Classes {
            labels, classes, ..
        } = rows.outcome
        else {
            unreachable!()
        };
        assert_eq!(
            (labels, classes),
            (vec![1, 1, 0], vec!["c".into(), "t".into()])
        );
    }

    #[test]
    fn outcomes_and_features_are_on_their_scale() {
        let rows = read("permeability", &[("permeability.csv", "y,X1\n1,0\n10,1\n")]).unwrap();
        assert_eq!(rows.outcome, Outcome::Continuous(vec![0.0, 10f64.ln()]));
        let rows = read("leukemia", &[("golub.csv", "class,g\nALL,-5\nAML,1024\n")]).unwrap();
        assert_eq!(
            rows.features[0].encoded(&[0], &[0, 1]),
            [[100f64.log2(), 10.0]]
        );
    }
}
