//! Data files and the lists beside them.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use threshnet::model::{CensoredCells, Decimal, Reading};
use threshnet_io::cell::{Oddity, Rules};
use threshnet_io::formula::{guarded, unguarded};
use threshnet_io::{Columns, Encoding, Input, Inspection, Manner, load_dataset, load_folds};

/// A file that every run of this thread writes anew.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn new() -> Scratch {
        let thread = format!("{:?}", std::thread::current().id());
        let digits: String = thread.chars().filter(char::is_ascii_digit).collect();
        let name = format!("threshnet-fuzz-{}-{digits}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder for a file");
        Scratch { folder }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // (what is left is in the folder for such things)
        let _ = fs::remove_dir_all(&self.folder);
    }
}

thread_local! {
    static SCRATCH: RefCell<Option<Scratch>> = const { RefCell::new(None) };
}

fn written<T>(name: &str, bytes: &[u8], then: impl FnOnce(&Path) -> T) -> T {
    SCRATCH.with_borrow_mut(|scratch| {
        let path = scratch.get_or_insert_with(Scratch::new).file(name, bytes);
        then(&path)
    })
}

/// An error is one line.
fn told<T, E: std::fmt::Display>(result: Result<T, E>) -> Option<T> {
    match result {
        Ok(found) => Some(found),
        Err(error) => {
            let text = format!("{error:#}");
            assert!(!text.is_empty() && !text.contains('\n'), "{text:?}");
            None
        }
    }
}

/// Looks at all columns, and reads them to fit to one.
fn read(input: &Input, target: &str) {
    if let Some(found) = told(Inspection::read(input, &Columns::default(), &|_| ())) {
        assert!(!found.to_string().is_empty());
        let mut json = vec![];
        found.write_json(&mut json).expect("memory takes all");
    }
    let columns = Columns {
        target: Some(target.into()),
        ..Columns::default()
    };
    if let Some((data, _)) = told(load_dataset(input, &columns, &|_| ())) {
        assert!(data.n() > 1);
        let finite = |j: usize| data.columns()[j].iter().all(f64::is_finite);
        assert!((0..data.columns().len()).all(finite));
    }
}

fn file(name: &str, bytes: &[u8], target: &str) {
    written(name, bytes, |path| read(&Input::of(path), target));
}

pub fn csv(bytes: &[u8]) {
    file("d.csv", bytes, "y");
}

pub fn csv_gz(bytes: &[u8]) {
    file("d.csv.gz", bytes, "y");
}

/// Text that is written in another way: the first three bytes say in which.
pub fn csv_manner(bytes: &[u8]) {
    let Some((&[encoding, decimal, rest], text)) = bytes.split_first_chunk::<3>() else {
        return;
    };
    let manner = Manner {
        encoding: Encoding::ALL.get(usize::from(encoding % 5)).copied(),
        reading: Reading {
            decimal: [None, Some(Decimal::Point), Some(Decimal::Comma)][usize::from(decimal % 3)],
            na: match rest & 1 {
                1 => vec!["-99".into(), "k".into()],
                _ => vec![],
            },
            censored_cells: (rest & 2 > 0).then_some(CensoredCells::Half),
        },
    };
    written("m.csv", text, |path| {
        let input = Input {
            manner,
            ..Input::of(path)
        };
        read(&input, "y");
    });
}

pub fn mtx(bytes: &[u8]) {
    file("d.mtx", bytes, "x1");
}

pub fn npy(bytes: &[u8]) {
    file("d.npy", bytes, "x1");
}

pub fn npz(bytes: &[u8]) {
    file("d.npz", bytes, "x1");
}

pub fn arrow(bytes: &[u8]) {
    file("d.arrow", bytes, "y");
}

pub fn parquet(bytes: &[u8]) {
    file("d.parquet", bytes, "y");
}

/// The files of `--folds`, `--names`, `--penalty-factors` and `--groups`, by the first byte.
pub fn lists(bytes: &[u8]) {
    let Some((kind, list)) = bytes.split_first() else {
        return;
    };
    written("list.csv", list, |list| {
        if kind % 4 == 0 {
            if let Some(folds) = told(load_folds(list)) {
                assert!(folds.iter().all(|&fold| fold > 0));
            }
            return;
        }
        let table = "a,b,=c,y\n1,2,3,4\n2,3,5,1\n4,2,1,2\n";
        let (name, text) = match kind % 4 {
            1 => (
                "t.mtx",
                "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n5\n",
            ),
            _ => ("t.csv", table),
        };
        let data = list.with_file_name(name);
        fs::write(&data, text).expect("a file");
        let list = list.to_path_buf();
        let input = Input {
            names: (kind % 4 == 1).then(|| list.clone()),
            ..Input::of(&data)
        };
        let columns = Columns {
            target: Some("y".into()),
            penalty_factors: (kind % 4 == 2).then(|| list.clone()),
            groups: (kind % 4 == 3).then_some(list),
            ..Columns::default()
        };
        told(load_dataset(&input, &columns, &|_| ()));
    });
}

/// A cell alone, read in every manner; and as it is guarded from spreadsheets.
pub fn cell(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let cell = guarded(&text);
    assert_eq!(unguarded(&cell), text);
    let run = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    assert!(!run || cell.parse::<f64>().is_ok(), "{cell:?}");
    for decimal in [None, Some(Decimal::Point), Some(Decimal::Comma)] {
        for censored_cells in [None, Some(CensoredCells::Half)] {
            let rules = Rules::of(&Reading {
                decimal,
                na: vec!["-99".into()],
                censored_cells,
            });
            let found = rules.parse(&text);
            assert!(!found.is_some_and(f64::is_infinite), "{text:?}");
        }
    }
    let _ = Oddity::of(&text);
}
