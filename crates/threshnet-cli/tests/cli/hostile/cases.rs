//! The cases.

use super::{Case, Fits, file, flags, line, read_by};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::io::Write;

/// All of them.
pub fn all(fits: &Fits) -> Vec<Case> {
    let parts = [
        texts(),
        outcomes(),
        arrays(),
        matrices(),
        tables(),
        models(fits),
        predictions(),
        reports(fits),
        lists(),
        settings(),
        commands(),
        folders(),
    ];
    parts.into_iter().flatten().collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Delimited text.
fn texts() -> Vec<Case> {
    let quotes = format!("a{},y\n1,2\n", "\"".repeat(300_000));
    vec![
        file("d.csv", "", &["d.csv: the file is empty"]),
        file("d.csv", "\n\n  \n", &["the file is empty"]),
        file("d.csv", "a,y\n", &["a header, but no rows"]),
        file("d.csv", "a,y\n1,2\n", &["1 row of data"]),
        file(
            "d.csv",
            "a,y\n1,2,3\n4,5,6\n",
            &["line 2: 3 cells, but the header has 2"],
        ),
        file(
            "d.csv",
            "a,y\n1,2\n3\n",
            &["line 3: 1 cell, but the header has 2"],
        ),
        file("d.csv", "a,,y\n1,2,3\n", &["column 2 has no name"]),
        file(
            "d.csv",
            "a,a,y\n1,2,3\n",
            &["columns 1 and 2 are both named \"a\""],
        ),
        file(
            "d.csv",
            "a,y\n1,\"2\n3,4\n",
            &["line 2: a quote is opened and never closed"],
        ),
        file("d.csv", quotes, &["1 row of data"]),
        file(
            "d.csv",
            vec![0; 1 << 20],
            &["line 1: a byte 0, which no text has"],
        ),
        file("d.csv", "a,y\n1,2\n3,\0\n", &["line 3: a byte 0"]),
        file(
            "d.csv",
            "a,y\r1,2\r3,4\r",
            &["line 1: lines end with a carriage return alone"],
        ),
        file(
            "d.csv",
            ",".repeat(1 << 24),
            &["16777217 columns, but 16777216 are the most"],
        ),
        file(
            "d.csv",
            "a,y\n1,2\nx\x1b[31m,3\n4,5\n",
            &["line 3, column \"a\": \"x\\u{1b}[31m\""],
        ),
        file(
            "d.csv",
            "a\x1b]0;x\x07,z\n1,2\n3,4\n",
            &["there is no column \"y\"", "\\u{1b}"],
        ),
        file("d.csv.gz", gzip(&vec![0; 50 << 20]), &["line 1: a byte 0"]),
        file(
            "d.csv.gz",
            &gzip(b"a,y\n1,2\n3,4\n")[..20],
            &["the gzip data is broken"],
        ),
        file("d.csv.gz", "a,y\n1,2\n", &["the file is not compressed"]),
        file(
            "d.csv",
            gzip(b"a,y\n"),
            &["the file is compressed; let its name end in .gz"],
        ),
        file("d.csv", "PK\x03\x04", &["a zip file or a spreadsheet"]),
        file("d.csv", "BZh91AY", &["this compression is not known"]),
        file("d.feather", "FEA1", &["the first version of Feather"]),
        read_by(
            "fit FILE --target y --encoding utf-8",
            "d.csv",
            b"a,y\n1,2\n3,\xff\n",
            &["line 3: this is not UTF-8 text"],
        ),
        read_by("inspect FILE", "d.csv", "a,y\n", &["a header, but no rows"]),
        line(
            1,
            "fit /dev/null --target y",
            &["/dev/null: the file is empty"],
        ),
        line(
            1,
            "fit /dev/zero --target y",
            &["/dev/zero: line 1: a byte 0"],
        ),
        line(1, "fit none.csv --target y", &["none.csv: no such file"]),
        line(1, "fit fit --target y", &["this is a folder"]),
    ]
}

/// Outcomes and cells.
fn outcomes() -> Vec<Case> {
    let rows = |cells: [&str; 4]| -> String {
        let row = |(i, cell): (usize, &&str)| format!("{},{cell}\n", i * i);
        "a,y\n".to_string() + &cells.iter().enumerate().map(row).collect::<String>()
    };
    let survival = |cells: [&str; 3]| -> String {
        let row = |(i, cell): (usize, &&str)| format!("{},{cell}\n", i * i);
        "a,time,event\n".to_string() + &cells.iter().enumerate().map(row).collect::<String>()
    };
    let time = |cells, says| {
        read_by(
            "fit FILE --time time --event event",
            "d.csv",
            survival(cells),
            says,
        )
    };
    vec![
        file("d.csv", rows(["1", "1", "1", "1"]), &["every row is \"1\""]),
        file(
            "d.csv",
            rows(["1e300", "-1e300", "1", "0"]),
            &["squares leave the range"],
        ),
        file(
            "d.csv",
            rows(["1", "", "3", "4"]),
            &["line 3, column \"y\": a missing"],
        ),
        file(
            "d.csv",
            rows(["1", "inf", "3", "4"]),
            &["line 3, column \"y\": a missing"],
        ),
        file(
            "d.csv",
            "a,y\n1,1\n1,2\n1,3\n",
            &["every feature column is constant"],
        ),
        file(
            "d.csv",
            "a,y\n1,1\n<5,2\n3,4\n",
            &["line 3, column \"a\"", "<5"],
        ),
        file(
            "d.csv",
            "a,y\n1,1\n,2\n3,4\n",
            &["line 3, column \"a\": a missing"],
        ),
        file(
            "d.csv",
            "a,y\n1,1\n\"1,5\",2\n3,4\n",
            &["line 3, column \"a\""],
        ),
        time(
            ["1,1", "-1,1", "2,0"],
            &["line 3, column \"time\": the time -1 is negative"],
        ),
        time(["1,0", "3,0", "2,0"], &["no event happened"]),
        time(["1,1", "3,5", "2,0"], &["is not an event indicator"]),
        time(["1,1", "x,1", "2,0"], &["line 3, column \"time\""]),
        read_by(
            "fit FILE --target z",
            "d.csv",
            "a,y\n1,2\n3,4\n",
            &["there is no column \"z\""],
        ),
        read_by(
            "fit FILE --target y --weights w",
            "d.csv",
            "a,w,y\n1,-1,2\n2,1,3\n3,1,5\n",
            &["\"w\""],
        ),
    ]
}

/// An array as NumPy writes it.
fn npy(header: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes
}

fn shaped(dtype: &str, shape: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [npy(&header), vec![0; 64]].concat()
}

/// Dense arrays.
fn arrays() -> Vec<Case> {
    let file = |bytes: Vec<u8>, says| read_by("fit FILE --target x1", "d.npy", bytes, says);
    let long = [b"\x93NUMPY\x02\x00".to_vec(), vec![0xff; 4], vec![b'{'; 99]].concat();
    vec![
        file(npy(&"{".repeat(14)), &["its elements have parts"]),
        file(npy(&"[".repeat(60_000)), &["its elements have parts"]),
        file(npy(""), &["the file is broken"]),
        file(npy("{'descr': '<f8'}"), &["the file is broken"]),
        file(
            long,
            &["a header of 4294967295 bytes, but 65536 are the most"],
        ),
        file(b"\x93NUMPY".to_vec(), &["it ends within a header"]),
        file(
            shaped("<f8", "(4611686018427387904, 0)"),
            &["rows, but 2147483647 are the most"],
        ),
        file(
            shaped("<f8", "(0, 1000000000000)"),
            &["columns, but 16777216 are the most"],
        ),
        file(shaped("<f8", "(2, 0)"), &["a matrix without columns"]),
        file(shaped("<f8", "(0, 2)"), &["a header, but no rows"]),
        file(
            shaped("<f8", "(1000000, 1000000)"),
            &["it is shorter than its header says"],
        ),
        file(shaped("<f8", "(1, 2, 3)"), &["3 dimensions"]),
        file(shaped("<U8", "(2, 2)"), &["elements of type '<U8'"]),
        file(shaped("|O", "(2, 2)"), &["elements of type '|O'"]),
        file(b"1,2\n".to_vec(), &["this is no NPY file"]),
    ]
}

/// Matrix Market files.
fn matrices() -> Vec<Case> {
    let file = |text: &str, says| {
        let text = format!("%%MatrixMarket matrix {text}");
        read_by("fit FILE --target x1", "d.mtx", text, says)
    };
    vec![
        file("coordinate complex general\n1 1 1\n", &["complex numbers"]),
        file(
            "coordinate real diagonal\n1 1 1\n",
            &["no known kind of matrix"],
        ),
        file(
            "coordinate real general\n",
            &["the file ends before its size"],
        ),
        file(
            "coordinate real general\n2 2\n",
            &["rows, of columns and of stored cells"],
        ),
        file(
            "coordinate real general\n2 x 1\n",
            &["\"x\" is no whole number"],
        ),
        file(
            "coordinate real general\n2 2 1\n3 1 1\n",
            &["line 3: row 3, but"],
        ),
        file(
            "coordinate real general\n2 2 1\n0 1 1\n",
            &["line 3: row 0, but"],
        ),
        file(
            "coordinate real general\n2 2 9\n1 1 1\n",
            &["the file ends after 1"],
        ),
        file(
            "coordinate real general\n2 2 1\n1 1 1\n2 2 2\n",
            &["one more than the 1 cells"],
        ),
        file(
            "coordinate real general\n2 2 1\n1 1 z\n",
            &["\"z\" is not a number"],
        ),
        file(
            "coordinate real symmetric\n2 3 1\n1 1 1\n",
            &["cannot be symmetric"],
        ),
        file(
            "coordinate real general\n99999999999 2 1\n",
            &["rows, but 2147483647"],
        ),
        file(
            "coordinate real general\n2 99999999999 1\n",
            &["columns, but 16777216"],
        ),
        file(
            "coordinate real general\n2147483647 16777216 1\n1 1 1\n",
            &["of 1 stored cell"],
        ),
        file(
            "coordinate real general\n5 2 18446744073709551616\n",
            &["is no whole number"],
        ),
        file("array real general\n9 9\n1\n", &["the file ends after 1"]),
    ]
}

/// Parquet, Arrow and zip files.
fn tables() -> Vec<Case> {
    let long = |start: &[u8], end: &[u8]| [start, &[0x41; 4000], end].concat();
    vec![
        file("d.parquet", "PAR1", &["the file is broken"]),
        file(
            "d.parquet",
            long(b"PAR1", b"\xff\xff\xff\x7fPAR1"),
            &["the file is broken"],
        ),
        file(
            "d.parquet",
            long(b"PAR1", b"\x10\0\0\0PAR1"),
            &["the file is broken"],
        ),
        file("d.parquet", "a,y\n", &["this is no Parquet file"]),
        file("d.arrow", "ARROW1\0\0", &["the file is broken"]),
        file(
            "d.arrow",
            long(b"ARROW1\0\0", b"\xff\xff\xff\x7fARROW1"),
            &["the file is broken"],
        ),
        file(
            "d.feather",
            long(b"ARROW1\0\0", b"\x40\0\0\0ARROW1"),
            &["the file is broken"],
        ),
        file("d.npz", "PK\x03\x04", &["the file is broken"]),
        file("d.npz", "x", &["this is no NPZ file"]),
        file("d.mtx", "x", &["this is no Matrix Market file"]),
    ]
}

/// Forged models.
fn models(fits: &Fits) -> Vec<Case> {
    let of = |task: &str, change: fn(&mut Value), says| {
        let bytes = fits.changed(task, "model.json", change);
        read_by("predict FILE data.csv", "model.json", bytes, says)
    };
    let text = |bytes: &str, says| read_by("predict FILE data.csv", "model.json", bytes, says);
    fn layer(model: &mut Value) -> &mut Value {
        &mut model["networks"][0]["layers"][0]
    }
    vec![
        text("", &["not a complete threshnet model"]),
        text("{}", &["missing field `schema`"]),
        text("[[[[", &["not a complete threshnet model"]),
        text("{\"schema\": 99}", &["schema 99"]),
        of(
            "number",
            |m| m["features"][1] = m["features"][0].clone(),
            &["two features"],
        ),
        of("number", |m| m["features"] = json!([]), &["model.json"]),
        of("number", |m| m["networks"] = json!([]), &["no network"]),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(5e-324),
            &["scale of 5e-324"],
        ),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(0),
            &["scale of 0"],
        ),
        of(
            "number",
            |m| m["standardisation"]["scale"][0] = json!(-1),
            &["scale of -1"],
        ),
        of(
            "number",
            |m| m["target"]["scale"] = json!(5e-324),
            &["scale of 5e-324"],
        ),
        of(
            "number",
            |m| layer(m)["weight"][0][0] = json!(1e308),
            &["layer 1: weights that"],
        ),
        of(
            "number",
            |m| layer(m)["bias"][0] = json!(1e200),
            &["layer 1: weights that"],
        ),
        of(
            "number",
            |m| layer(m)["bias"] = json!([1]),
            &["layer 1: 1 biases"],
        ),
        of(
            "number",
            |m| m["networks"][0]["inputs"] = json!([3, 1]),
            &["not ascending"],
        ),
        of(
            "number",
            |m| m["networks"][0]["inputs"] = json!([1u64 << 60]),
            &["model.json"],
        ),
        of("number", |m| m["shares"] = json!([2.0]), &["shares"]),
        of(
            "number",
            |m| m["classes"] = json!(["a"]),
            &["1 classes in a regression model"],
        ),
        of(
            "class",
            |m| m["classes"] = json!(["a", "a"]),
            &["two classes of the name \"a\""],
        ),
        of("class", |m| m["classes"] = json!([]), &["0 classes"]),
        of(
            "survival",
            |m| m["baseline"]["time"][0] = json!(1e300),
            &["rising step function"],
        ),
        of(
            "survival",
            |m| m["baseline"] = json!(null),
            &["no baseline hazard"],
        ),
    ]
}

/// Rows to predict, and models that are not there.
fn predictions() -> Vec<Case> {
    let rows = |text: &'static str, says| read_by("predict fit FILE", "new.csv", text, says);
    vec![
        rows("x1,x2,x3,x4\n", &["new.csv: a header, but no rows"]),
        rows("", &["the file is empty"]),
        rows("z\n1\n", &["the model needs"]),
        rows("x1,x2,x3,x4\n1,x,3,4\n", &["line 2"]),
        rows("x1,x2,x3,x4\n1,2,,\n", &["line 2"]),
        rows(
            "x1,x2,x3,x4\n1e308,1e308,1e308,1e308\n",
            &["line 2: its values are so large"],
        ),
        line(1, "predict none data.csv", &["none: cannot read the model"]),
        line(
            1,
            "predict data.csv data.csv",
            &["not a complete threshnet model"],
        ),
        line(
            1,
            "predict fit data.csv --ensemble --id q",
            &["there is no column \"q\""],
        ),
        line(
            2,
            "predict fit data.csv --times 1",
            &["only a survival model"],
        ),
        line(
            2,
            "predict survival/fit data.csv --times -1",
            &["-1 is not a time"],
        ),
        line(
            2,
            "predict survival/fit data.csv --times nan",
            &["is not a time"],
        ),
        line(
            1,
            "evaluate fit data.csv --target q",
            &["there is no column \"q\""],
        ),
        line(
            1,
            "export none --onnx m.onnx",
            &["none: cannot read the model"],
        ),
    ]
}

/// Forged reports.
fn reports(fits: &Fits) -> Vec<Case> {
    let of = |task: &str, change: fn(&mut Value), says| {
        let bytes = fits.changed(task, "report.json", change);
        read_by("report .", "report.json", bytes, says)
    };
    let text = |bytes: &str, says| read_by("report .", "report.json", bytes, says);
    vec![
        line(1, "report none", &["none/report.json: cannot read"]),
        text("", &["this is not what a fit leaves"]),
        text("{\"schema\": 1}", &["schema 1"]),
        of(
            "number",
            |r| r["path"]["chosen"] = json!(999),
            &["a choice of step 999"],
        ),
        of(
            "number",
            |r| r["path"]["sizes"] = json!([]),
            &["a path with 0 values"],
        ),
        of(
            "number",
            |r| r["path"]["lambdas"][0] = json!(1e308),
            &["a lambda of 1e308"],
        ),
        of(
            "number",
            |r| r["validation"]["chosen"] = json!([999]),
            &["a choice outside"],
        ),
        of(
            "number",
            |r| r["data"]["constant"] = json!(99),
            &["more constant columns"],
        ),
        of(
            "number",
            |r| r["task"] = json!("cox"),
            &["an outcome that is none of a cox model"],
        ),
        of(
            "class",
            |r| r["outcome"]["classes"] = json!([]),
            &["an outcome that is none of"],
        ),
        of(
            "survival",
            |r| r["outcome"]["events"] = json!(9999),
            &["an outcome that is none"],
        ),
        of(
            "number",
            |r| r["effects"][0]["at"] = json!([1]),
            &["an effect"],
        ),
    ]
}

/// Lists beside the data.
fn lists() -> Vec<Case> {
    let by = |flag: &str, text: &'static str, says| {
        let command = format!("fit data.csv --target y --out new --{flag} FILE");
        read_by(&command, "list.csv", text, says)
    };
    vec![
        by("folds", "", &["list.csv: the file is empty"]),
        by("folds", "fold\n1\n1e9\n", &["is not a fold"]),
        by("folds", "fold\n1\n2\n", &["2"]),
        by("folds", "fold\n-1\n2\n", &["-1 is not a fold"]),
        by("penalty-factors", "x1\n", &["list.csv"]),
        by("penalty-factors", "q,1\n", &["list.csv"]),
        by("penalty-factors", "x1,-1\n", &["list.csv", "-1"]),
        by("penalty-factors", "x1,nan\n", &["list.csv"]),
        by("groups", "x1,\n", &["list.csv", "empty"]),
        by("groups", "x1,a\nx1,b\n", &["list.csv: line 2"]),
        line(
            1,
            "fit data.csv --target y --groups none.csv",
            &["none.csv"],
        ),
    ]
}

/// Numbers without bounds, and no numbers.
fn settings() -> Vec<Case> {
    vec![
        flags("--seed -1", &["--seed: -1 is not a whole number"]),
        flags("--seed 1e30", &["--seed: 1e30 is not"]),
        flags(
            "--jobs 100000",
            &["--jobs: 100000 is not a whole number from 1 to 1024"],
        ),
        flags("--epochs 1e18", &["--epochs: 1e18 is not"]),
        flags("--lambdas 1e-3:0.5:1000000000", &["--lambdas", "10000"]),
        flags("--lambdas nan", &["--lambdas: NaN is not"]),
        flags("--hidden 10001", &["--hidden: 10001 is not"]),
        flags(
            "--hidden 10000,10000,10000",
            &["--hidden: 200000000 weights between"],
        ),
        flags("--hidden -3", &["--hidden"]),
        flags("--validation draws:1e9", &["--validation"]),
        flags("--validation cv:1000000", &["--validation"]),
        flags("--stability 1000000000000", &["--stability"]),
        flags("--ridges -1", &["--ridges: -1 is not"]),
        flags("--learning-rate inf", &["--learning-rate"]),
        flags("--batch-size -1", &["--batch-size"]),
        flags("--screen 1", &["--screen: 1 is not"]),
        flags("--fdr 7", &["--fdr: 7 is not"]),
        flags(
            "--activation \x1b[31m",
            &["--activation", "possible values"],
        ),
        flags("--nonsense", &["unexpected argument '--nonsense'"]),
    ]
}

/// The other commands' numbers.
fn commands() -> Vec<Case> {
    vec![
        line(
            2,
            "simulate regression -n 10 -d 4 --seed -1",
            &["--seed", "is not a whole number"],
        ),
        line(
            2,
            "simulate regression -n -1 -d 4",
            &["a whole number of at least 1"],
        ),
        line(
            2,
            "simulate regression -n 1000000000000 -d 1000000000",
            &["ask for fewer by -n or -d"],
        ),
        line(
            2,
            "simulate regression -n 9223372036854775807 -d 9223372036854775807",
            &["-n"],
        ),
        line(
            2,
            "simulate regression -n 10 -d 4 --correlation -1",
            &["--correlation"],
        ),
        line(
            2,
            "simulate survival -n 10 -d 4 --censoring -0.5",
            &["--censoring"],
        ),
        line(2, "demo --seed -1", &["--seed", "is not a whole number"]),
        line(2, "demo --jobs 100000", &["--jobs", "1024"]),
        line(
            2,
            "study table1 --list --reps 1e18",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --reps 1000000000000000000",
            &["--reps", "100000"],
        ),
        line(
            2,
            "study table1 --list --reps 0",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --reps -1",
            &["--reps", "from 1 to 100000"],
        ),
        line(
            2,
            "study table1 --list --seed -1",
            &["--seed", "is not a whole number"],
        ),
        line(2, "study table1 --list --jobs 100000", &["--jobs", "1024"]),
        line(
            2,
            "study table1 --list --ridges 1000000000",
            &["--ridges", "10000"],
        ),
        line(2, "study table9 --list", &["table9"]),
        line(2, "study table1 --list --only nonsense", &["nonsense"]),
        line(
            2,
            "metrics data.csv --target y",
            &["--prediction or --probability"],
        ),
    ]
}

/// Places where nothing can be written.
fn folders() -> Vec<Case> {
    vec![
        line(1, "fit data.csv --target y --out data.csv", &["data.csv"]),
        line(
            1,
            "fit data.csv --target y --out data.csv/new",
            &["data.csv"],
        ),
        line(1, "fit data.csv --target y --out /proc/new", &["/proc/new"]),
        line(1, "fit data.csv --target y --out survival", &["survival"]),
        line(1, "export fit --onnx none/m.onnx", &["none/m.onnx"]),
        line(1, "export fit --onnx fit", &["fit"]),
    ]
}
