//! `results.csv`: a row per replicate and method, written as soon as it is
//! known, so that a stopped study loses none and repeats none.

use crate::name::StudyName;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use threshnet::settings::Named;

/// More selected columns than this are not listed.
const LISTED: usize = 1000;

/// A row of `results.csv`. What does not apply is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub study: String,
    pub model: String,
    pub method: String,
    pub variant: String,
    pub n: usize,
    pub d: usize,
    pub censoring: Option<f64>,
    pub replicate: u64,
    pub seed: u64,
    /// Share of the columns that do not matter which were selected.
    pub fpr: Option<f64>,
    /// Share of the columns that matter which were missed.
    pub fnr: Option<f64>,
    pub size: Option<usize>,
    /// R², accuracy, AUC, C-index or mean time-dependent AUC on the test rows.
    pub score: Option<f64>,
    pub lambda: Option<f64>,
    pub ridge: Option<f64>,
    /// Of processor time, each fit being on one thread: the clock would count what else the
    /// machine does.
    pub seconds: f64,
    /// Column numbers from 0, separated by spaces.
    pub selected: String,
    /// What the score is, where a study has rows of several.
    #[serde(skip_serializing, default)]
    pub metric: String,
    /// Another score of the same test rows.
    #[serde(skip_serializing, default)]
    pub second: Option<f64>,
}

/// What tells rows apart.
pub type Key = String;

const HEADER: &str = "study,model,method,variant,n,d,censoring,replicate,seed,fpr,fnr,size,score,\
                      lambda,ridge,seconds,selected";
/// What follows in the battery.
const FURTHER: &str = ",metric,second";

impl Row {
    pub fn key(&self) -> Key {
        let names = [
            &self.study,
            &self.model,
            &self.method,
            &self.variant,
            &self.metric,
        ];
        let numbers = (self.n, self.d, self.censoring, self.replicate, self.seed);
        format!("{names:?} {numbers:?}")
    }

    /// How many columns were selected.
    pub fn selected_columns(&self) -> Option<f64> {
        self.size.map(|size| size as f64)
    }

    /// The selected columns; none if the method selects none, or too many to be listed.
    pub fn columns(&self) -> Option<HashSet<usize>> {
        let words = self.selected.split_whitespace();
        let columns: HashSet<usize> = words.filter_map(|word| word.parse().ok()).collect();
        (Some(columns.len()) == self.size).then_some(columns)
    }
}

/// Selected columns as they stand in a row.
pub fn listed(selected: &[usize]) -> String {
    if selected.len() > LISTED {
        return String::new();
    }
    let numbers: Vec<String> = selected.iter().map(usize::to_string).collect();
    numbers.join(" ")
}

/// The file of a study, open for more rows.
pub struct Results {
    path: PathBuf,
    file: File,
    /// Whether rows have the columns of the battery.
    further: bool,
    known: HashSet<Key>,
}

impl Results {
    /// Opens or creates `results.csv` of a study in a folder. A last line that a
    /// killed run left unfinished is cut off, for its replicate runs again.
    pub fn open(folder: &Path, study: &str) -> Result<Results> {
        let path = folder.join("results.csv");
        let cannot = |what: &str| format!("{}: cannot {what}", path.display());
        fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)
            .with_context(|| cannot("open"))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!(
                "{}: another study is writing here; wait for it, or choose another --out",
                path.display()
            );
        }
        let mut text = String::new();
        file.read_to_string(&mut text)
            .with_context(|| cannot("read"))?;
        let further = study == StudyName::Battery.name();
        let header = match further {
            true => format!("{HEADER}{FURTHER}"),
            false => HEADER.into(),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let ours = match whole {
            // Only a header that was begun is ours to cut.
            0 => header.starts_with(&text),
            _ => text.lines().next() == Some(&header),
        };
        if !ours {
            bail!(
                "{}: line 1: not the header of a study's results; choose another --out",
                path.display()
            );
        }
        // Only then: other programs may be adding rows.
        let length = file.metadata().with_context(|| cannot("read"))?.len();
        if whole < text.len() && length == text.len() as u64 {
            file.set_len(whole as u64)
                .with_context(|| cannot("write"))?;
        }
        if whole == 0 {
            file.write_all(format!("{header}\n").as_bytes())
                .with_context(|| cannot("write"))?;
        }
        let mut results = Results {
            path,
            file,
            further,
            known: HashSet::new(),
        };
        for row in results.rows()? {
            if row.study != study {
                bail!(
                    "{}: it has rows of the study {}; choose another --out",
                    results.path.display(),
                    row.study
                );
            }
            results.known.insert(row.key());
        }
        Ok(results)
    }

    pub fn has(&self, key: &Key) -> bool {
        self.known.contains(key)
    }

    /// Adds the rows of one fit, all or none of them.
    pub fn add(&mut self, rows: &[Row]) -> Result<()> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(vec![]);
        for row in rows {
            match self.further {
                true => writer.serialize((row, &row.metric, row.second))?,
                false => writer.serialize(row)?,
            }
        }
        let text = writer.into_inner()?;
        let before = self.file.metadata().map(|file| file.len());
        if let Err(error) = self.file.write_all(&text) {
            // Half a row would spoil the next one. If even this fails, `open` will see to it.
            let _ = before.and_then(|length| self.file.set_len(length));
            return Err(error).with_context(|| format!("{}: cannot write", self.path.display()));
        }
        // (so that a power cut spoils no line; not every disk offers it)
        let _ = self.file.sync_data();
        self.known.extend(rows.iter().map(Row::key));
        Ok(())
    }

    /// All rows of the file, those of other programs too, each once.
    pub fn rows(&mut self) -> Result<Vec<Row>> {
        let shown = self.path.display();
        let mut text = String::new();
        self.file
            .seek(SeekFrom::Start(0))
            .and_then(|_| self.file.read_to_string(&mut text))
            .with_context(|| format!("{shown}: cannot read"))?;
        let mut seen = HashSet::new();
        let rows: Result<Vec<Row>> = csv::Reader::from_reader(text.as_bytes())
            .deserialize()
            .map(|row| {
                row.map_err(|error| {
                    let line = error.position().map_or(0, csv::Position::line);
                    anyhow!(
                        "{shown}: line {line}: not a row of results ({error}); mend or delete it"
                    )
                })
            })
            .collect();
        let mut rows = rows?;
        rows.retain(|row| seen.insert(row.key()));
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(replicate: u64) -> Row {
        Row {
            study: "table1".into(),
            model: "survival".into(),
            method: "gmcp".into(),
            variant: String::new(),
            n: 300,
            d: 20,
            censoring: Some(0.2),
            replicate,
            seed: replicate,
            fpr: Some(0.0625),
            fnr: Some(0.0),
            size: Some(5),
            score: Some(0.8),
            lambda: Some(0.1),
            ridge: None,
            seconds: 0.5,
            selected: listed(&[0, 1, 2, 3, 7]),
            ..Row::default()
        }
    }

    #[test]
    fn rows_of_the_battery_say_by_what_they_are_scored() {
        let home = tempfile::tempdir().unwrap();
        let of = |metric: &str, second| Row {
            study: "battery".into(),
            metric: metric.into(),
            second,
            ..row(1)
        };
        let rows = [of("c_index", Some(0.17)), of("time_auc", None)];
        let mut results = Results::open(home.path(), "battery").unwrap();
        results.add(&rows).unwrap();
        assert_eq!(results.rows().unwrap(), rows);
        assert!(!results.has(&of("", None).key()));
        drop(results);
        let text = fs::read_to_string(home.path().join("results.csv")).unwrap();
        assert!(text.starts_with(&format!("{HEADER},metric,second\nbattery,")));
        assert!(text.ends_with(",0 1 2 3 7,time_auc,\n"), "{text}");
        // the columns are those of the study
        assert!(Results::open(home.path(), "table1").is_err());
    }

    #[test]
    fn rows_come_back_and_are_known() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("new");
        let mut results = Results::open(&folder, "table1").unwrap();
        results.add(&[row(1), row(2)]).unwrap();
        drop(results);
        let mut again = Results::open(&folder, "table1").unwrap();
        assert_eq!(again.rows().unwrap(), [row(1), row(2)]);
        assert!(again.has(&row(2).key()) && !again.has(&row(3).key()));
        again.add(&[row(3)]).unwrap();
        assert_eq!(again.rows().unwrap().len(), 3);
        let text = fs::read_to_string(folder.join("results.csv")).unwrap();
        assert_eq!(text.lines().next(), Some(HEADER));
    }

    #[test]
    fn an_unfinished_line_is_cut_off() {
        let home = tempfile::tempdir().unwrap();
        let mut results = Results::open(home.path(), "table1").unwrap();
        results.add(&[row(1), row(2)]).unwrap();
        drop(results);
        let path = home.path().join("results.csv");
        let text = fs::read_to_string(&path).unwrap();
        for cut in [1, 10, 40] {
            fs::write(&path, &text[..text.len() - cut]).unwrap();
            let mut again = Results::open(home.path(), "table1").unwrap();
            assert_eq!(again.rows().unwrap(), [row(1)]);
            again.add(&[row(2)]).unwrap();
            drop(again);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        // not even the header was finished
        fs::write(&path, &HEADER[..20]).unwrap();
        assert!(
            Results::open(home.path(), "table1")
                .unwrap()
                .rows()
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("results.csv");
        for other in ["a,b\n1,2\n", "a,b\n1,2", "a,b", "study,thesis"] {
            fs::write(&path, other).unwrap();
            assert!(Results::open(home.path(), "table1").is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
        fs::write(&path, format!("{HEADER}\ntable1,x\n")).unwrap();
        let error = Results::open(home.path(), "table1")
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn rows_count_once_and_are_of_one_study() {
        let home = tempfile::tempdir().unwrap();
        let mut results = Results::open(home.path(), "table1").unwrap();
        results.add(&[row(1)]).unwrap();
        results.add(&[row(1), row(2)]).unwrap();
        assert_eq!(results.rows().unwrap(), [row(1), row(2)]);
        drop(results);
        let error = Results::open(home.path(), "table2").err().unwrap();
        assert!(error.to_string().contains("of the study table1"), "{error}");
    }

    #[test]
    fn two_runs_do_not_share_a_folder() {
        let home = tempfile::tempdir().unwrap();
        let _first = Results::open(home.path(), "table1").unwrap();
        assert!(Results::open(home.path(), "table1").is_err());
    }

    #[test]
    fn too_many_columns_are_not_listed() {
        assert_eq!(listed(&[3, 5]), "3 5");
        assert_eq!(listed(&(0..1001).collect::<Vec<_>>()), "");
        let columns = |size, selected: &str| {
            let selected = selected.into();
            let row = row(1);
            (Row {
                size,
                selected,
                ..row
            })
            .columns()
        };
        assert_eq!(columns(Some(2), "3 5"), Some(HashSet::from([3, 5])));
        assert_eq!(columns(Some(0), ""), Some(HashSet::new()));
        assert_eq!(columns(Some(1001), ""), None);
        assert_eq!(columns(None, ""), None);
    }
}
