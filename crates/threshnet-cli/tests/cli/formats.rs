//! The same table in every format, and files as people have them.

use super::{cells, simulated, stdout, threshnet, words};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use npyz::WriterBuilder;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The names and columns of `data.csv`, all of them numbers.
fn table(folder: &Path) -> (Vec<String>, Vec<Vec<f64>>) {
    let rows = cells(&fs::read_to_string(folder.join("data.csv")).unwrap());
    let value = |row: &Vec<String>, j: usize| row[j].parse().unwrap();
    let columns = (0..rows[0].len())
        .map(|j| rows[1..].iter().map(|row| value(row, j)).collect())
        .collect();
    (rows[0].clone(), columns)
}

/// An array as NumPy writes it.
fn npy<T: npyz::AutoSerialize>(
    shape: &[u64],
    order: npyz::Order,
    values: impl IntoIterator<Item = T>,
) -> Vec<u8> {
    let mut bytes = vec![];
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(shape)
        .order(order)
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    writer.extend(values).unwrap();
    writer.finish().unwrap();
    bytes
}

fn write_npy(path: &Path, columns: &[Vec<f64>], order: npyz::Order) {
    let (n, d) = (columns[0].len(), columns.len());
    let shape = [n as u64, d as u64];
    let shape = if d == 1 { &shape[..1] } else { &shape[..] };
    let bytes = match order {
        npyz::Order::Fortran => npy(shape, order, columns.iter().flatten().copied()),
        npyz::Order::C => {
            let rows = (0..n).flat_map(|i| columns.iter().map(move |column| column[i]));
            npy(shape, order, rows)
        }
    };
    fs::write(path, bytes).unwrap();
}

/// Writes the cells of these columns that are not zero, last rows first; all of them if `all`.
pub fn write_mtx(path: &Path, columns: &[Vec<f64>], all: bool) {
    let (n, d) = (columns[0].len(), columns.len());
    let mut lines = vec![];
    for (j, column) in columns.iter().enumerate() {
        for (i, value) in column.iter().enumerate().rev() {
            if all || *value != 0.0 {
                lines.push(format!("{} {} {value}\n", i + 1, j + 1));
            }
        }
    }
    let text = format!(
        "%%MatrixMarket matrix coordinate real general\n{n} {d} {}\n{}",
        lines.len(),
        lines.concat()
    );
    fs::write(path, text).unwrap();
}

/// Writes every cell, column after column.
fn write_array(path: &Path, columns: &[Vec<f64>]) {
    let mut text = "%%MatrixMarket matrix array real general\n".to_string();
    text += &format!("{} {}\n", columns[0].len(), columns.len());
    for value in columns.iter().flatten() {
        text += &format!("{value}\n");
    }
    fs::write(path, text).unwrap();
}

fn flat<T: npyz::AutoSerialize>(values: Vec<T>) -> Vec<u8> {
    npy(&[values.len() as u64], npyz::Order::C, values)
}

/// Writes the cells that are not zero, or all, in csc or by row and column, as SciPy does.
pub fn write_npz(path: &Path, columns: &[Vec<f64>], kind: &str, all: bool) {
    let (mut rows, mut of, mut values, mut ends) = (vec![], vec![], vec![], vec![0]);
    for (j, column) in columns.iter().enumerate() {
        for (i, value) in column.iter().enumerate().filter(|(_, v)| all || **v != 0.0) {
            rows.push(i as i32);
            of.push(j as i32);
            values.push(*value);
        }
        ends.push(rows.len() as i32);
    }
    let shape = vec![columns[0].len() as i64, columns.len() as i64];
    let mut format =
        b"\x93NUMPY\x01\0\x46\0{'descr': '|S3', 'fortran_order': False, 'shape': (), }".to_vec();
    format.resize(79, b' ');
    format.push(b'\n');
    format.extend(kind.bytes());
    let mut parts = vec![
        ("format", format),
        ("shape", flat(shape)),
        ("data", flat(values)),
    ];
    parts.extend(match kind {
        "csc" => [("indices", flat(rows)), ("indptr", flat(ends))],
        _ => [("row", flat(rows)), ("col", flat(of))],
    });
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    for (name, bytes) in parts {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
}

pub fn compress(path: &Path) {
    let text = fs::read(path).unwrap();
    let gz = fs::File::create(format!("{}.gz", path.display())).unwrap();
    let mut gz = flate2::write::GzEncoder::new(gz, flate2::Compression::default());
    gz.write_all(&text).unwrap();
    gz.finish().unwrap();
}

/// Writes `data.csv` in every other format there is, too.
fn in_every_format(folder: &Path, outcome: &[&str]) {
    let (names, columns) = table(folder);
    let text = fs::read_to_string(folder.join("data.csv")).unwrap();
    compress(&folder.join("data.csv"));
    let windows = text.replace(',', ";").replace('\n', "\r\n");
    fs::write(folder.join("data.txt"), format!("\u{feff}{windows}")).unwrap();

    let arrays = columns
        .iter()
        .map(|c| Arc::new(Float64Array::from(c.clone())) as ArrayRef);
    let batch = RecordBatch::try_from_iter(names.iter().zip(arrays)).unwrap();
    let file = fs::File::create(folder.join("data.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let file = fs::File::create(folder.join("data.feather")).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();

    let is_outcome = |name: &String| outcome.contains(&name.as_str());
    let (y, x): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(|&j| is_outcome(&names[j]));
    let take = |which: &[usize]| {
        which
            .iter()
            .map(|&j| columns[j].clone())
            .collect::<Vec<_>>()
    };
    write_npy(&folder.join("data.npy"), &take(&x), npyz::Order::C);
    write_npy(&folder.join("columns.npy"), &take(&x), npyz::Order::Fortran);
    write_npy(&folder.join("outcome.npy"), &take(&y), npyz::Order::C);
    // (with every zero, for sums in the order of rows)
    write_mtx(&folder.join("data.mtx"), &take(&x), true);
    compress(&folder.join("data.mtx"));
    write_array(&folder.join("array.mtx"), &take(&x));
    write_array(&folder.join("outcome.mtx"), &take(&y));
    write_npz(&folder.join("data.npz"), &take(&x), "csc", true);
}

const FILES: [&str; 11] = [
    "data.csv",
    "data.csv.gz",
    "data.txt",
    "data.parquet",
    "data.feather",
    "data.npy --outcome outcome.npy",
    "columns.npy --outcome outcome.npy",
    "data.mtx --outcome outcome.mtx",
    "data.mtx.gz --outcome outcome.npy",
    "array.mtx --outcome data.csv",
    "data.npz --outcome outcome.mtx",
];

#[test]
fn every_format_gives_the_same_model_predictions_and_scores() {
    for (design, outcome, flags) in [
        ("regression", &["y"][..], "--target y"),
        ("classification", &["y"], "--target y"),
        ("survival", &["time", "event"], "--time time --event event"),
    ] {
        let home = simulated(design, 90, 5, &["--seed", "3"]);
        in_every_format(home.path(), outcome);
        let mut results = Vec::new();
        for (number, file) in FILES.iter().enumerate() {
            // The outcome's own file says what it is.
            let flags = if file.contains("--outcome outcome") {
                ""
            } else {
                flags
            };
            let line = format!(
                "fit {file} {flags} --lambdas 0.02,0.05 --ridges 0.01 --first-epochs 50 --out f{number}"
            );
            let line = line.replace("  ", " ");
            stdout(home.path(), &words(&line));
            let model = fs::read_to_string(home.path().join(format!("f{number}/model.json")));
            let data = file.split(' ').next().unwrap();
            results.push((
                model.unwrap(),
                stdout(home.path(), &words(&format!("predict f{number} {data}"))),
                stdout(home.path(), &words(&format!("evaluate f{number} {file}"))),
            ));
        }
        for (result, file) in results.iter().zip(FILES) {
            assert_eq!(result.0, results[0].0, "{design}: the model of {file}");
            assert_eq!(
                result.1, results[0].1,
                "{design}: the predictions of {file}"
            );
            assert_eq!(result.2, results[0].2, "{design}: the scores of {file}");
        }
    }
}

#[test]
fn a_matrix_takes_names_from_a_file() {
    let home = simulated("regression", 60, 4, &[]);
    in_every_format(home.path(), &["y"]);
    fs::write(home.path().join("names.txt"), "age\nheight\n\"a\"\nb c\n").unwrap();
    let line = "fit data.npy --outcome outcome.npy --names names.txt --lambdas 0.001 --ridges 0.01 \
                --drop age --out fit --first-epochs 20";
    stdout(home.path(), &words(line));
    let model = fs::read_to_string(home.path().join("fit/model.json")).unwrap();
    assert!(
        model.contains("\"height\"") && model.contains("\"b c\"") && !model.contains("\"age\"")
    );
    let with = stdout(
        home.path(),
        &words("predict fit data.npy --names names.txt"),
    );
    assert_eq!(with.lines().count(), 61);
    for (line, piece) in [
        ("predict fit data.npy", "data.npy: the file lacks"),
        (
            "predict fit data.csv --names names.txt",
            "--names is for .npy, .npz and .mtx matrices",
        ),
        (
            "predict fit data.npy --names none.txt",
            "none.txt: cannot read the names",
        ),
        (
            "fit data.npy --target y",
            "data.npy: there is no column \"y\"",
        ),
        (
            "fit data.csv --outcome outcome.npy",
            "column \"y\" is the outcome, which --outcome has, too; leave it out with --drop y",
        ),
    ] {
        let run = threshnet()
            .current_dir(home.path())
            .args(words(line))
            .assert()
            .code(1);
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            said.contains(piece) && said.lines().count() == 1,
            "{line}: {said}"
        );
    }
    fs::write(home.path().join("short.csv"), "y\n1\n2\n").unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(words("fit data.npy --outcome short.csv"))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains("short.csv: 2 rows, but the features have 60"),
        "{said}"
    );
}

/// Predictions are written as rows are read: the same bytes as ever, and a bad row far into the
/// file is named.
#[test]
fn predictions_stream() {
    let home = simulated("regression", 60, 4, &[]);
    stdout(
        home.path(),
        &words("fit data.csv --target y --lambdas 0.001 --ridges 0.01 --out fit --first-epochs 50"),
    );
    let text = fs::read_to_string(home.path().join("data.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    // some 9 MB: several chunks
    let times = 9_000_000 / rows.len();
    let long = format!("{header}\n{}", rows.repeat(times));
    fs::write(home.path().join("long.csv"), &long).unwrap();
    let few = stdout(home.path(), &words("predict fit data.csv"));
    let (name, few) = few.split_once('\n').unwrap();
    let many = stdout(home.path(), &words("predict fit long.csv"));
    assert!(many == format!("{name}\n{}", few.repeat(times)));
    // The same through a pipe.
    let piped = threshnet()
        .current_dir(home.path())
        .args(words("predict fit /dev/stdin"))
        .write_stdin(long.clone())
        .assert()
        .success();
    assert!(piped.get_output().stdout == many.as_bytes());
    let line = times * 60 + 2;
    fs::write(home.path().join("bad.csv"), format!("{long}x,1,1,1,1\n")).unwrap();
    let run = threshnet()
        .current_dir(home.path())
        .args(words("predict fit bad.csv"))
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(
        said.contains(&format!(
            "bad.csv: line {line}, column \"x1\": \"x\" is not a number"
        )),
        "{said}"
    );
    let before = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(
        before.starts_with(name) && many.starts_with(&before),
        "good rows come first"
    );
}
