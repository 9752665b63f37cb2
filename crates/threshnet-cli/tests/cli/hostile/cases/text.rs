//! Files of text: tables and lists beside them.

use crate::hostile::{Case, file, line, read_by};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Delimited text.
pub fn texts() -> Vec<Case> {
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
pub fn outcomes() -> Vec<Case> {
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

/// Lists beside the data.
pub fn lists() -> Vec<Case> {
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
