//! Text files as they are, odd ones included.

use crate::files::source::{Encoding, Keep, Manner, Names, open};
use crate::files::tests::fixture::{Fixture, gzip};
use anyhow::Result;
use proptest::prelude::*;
use std::path::Path;

/// A row and the line it begins in.
type Row = (u64, Vec<String>);

/// The header and every row of a file; missing cells are empty.
fn rows(path: &Path) -> Result<(Vec<String>, Vec<Row>)> {
    rows_in(path, None)
}

/// The same of text in this encoding.
fn rows_in(path: &Path, encoding: Option<Encoding>) -> Result<(Vec<String>, Vec<Row>)> {
    let manner = Manner {
        encoding,
        ..Manner::default()
    };
    let source = open(path, &Names::Features, &manner)?;
    let (names, columns) = (source.names.clone(), source.names.len());
    let all: Vec<_> = (0..columns)
        .map(|position| (position, Keep::Spelling))
        .collect();
    let mut rows = Vec::new();
    for block in source.read(&all)? {
        let block = block?;
        let start = rows.len();
        rows.extend(
            (0..block.rows()).map(|i| (block.places.number(i), vec![String::new(); columns])),
        );
        for column in 0..columns {
            let Some(spelled) = block.spelled(column) else {
                continue;
            };
            for &(row, level) in &spelled.cells {
                rows[start + row].1[column] = spelled.levels[level].clone();
            }
        }
    }
    Ok((names, rows))
}

#[test]
fn lines_count_through_blank_lines_quoted_breaks_and_both_line_endings() {
    let text = "a,b\n1,2\n\n  \n3,\"x\ny\"\n4,\"5\"";
    for (text, line_break) in [
        (text.to_string(), "\n"),
        (format!("{text}\n\n"), "\n"),
        (text.replace('\n', "\r\n"), "\r\n"),
        (format!("{}\r\n\r\n", text.replace('\n', "\r\n")), "\r\n"),
        (format!("\u{feff}{text}"), "\n"),
        (format!("\n \n{text}"), "\n"),
    ] {
        let before = if text.starts_with('\n') { 2 } else { 0 };
        let file = Fixture::new("d.csv", &text);
        let expected: Vec<_> = [(2, "1", "2"), (5, "3", "x\ny"), (7, "4", "5")]
            .iter()
            .map(|&(line, a, b)| {
                (
                    before + line,
                    vec![a.to_string(), b.replace('\n', line_break)],
                )
            })
            .collect();
        let found = rows(&file.path).unwrap();
        assert_eq!(found, (vec!["a".into(), "b".into()], expected), "{text:?}");
    }
}

#[test]
fn any_name_and_any_delimiter_will_do() {
    for delimiter in [",", "\t", ";", "|", " "] {
        let text = "a,b\n1,2\n".replace(',', delimiter);
        for name in ["d.csv", "d.txt", "d.TAB", "d"] {
            let plain = Fixture::new(name, &text);
            let zipped = Fixture::bytes(&format!("{name}.gz"), &gzip(&text));
            for file in [plain, zipped] {
                let (names, rows) = rows(&file.path).unwrap();
                assert_eq!(names, ["a", "b"], "{name} {delimiter:?}");
                assert_eq!(rows, [(2, vec!["1".to_string(), "2".to_string()])]);
            }
        }
    }
    let members = [gzip("a,b\n"), gzip("1,2\n")].concat();
    let file = Fixture::bytes("d.csv.gz", &members);
    assert_eq!(rows(&file.path).unwrap().1.len(), 1);
}

/// Texts that took minutes, or all memory.
#[test]
fn hostile_text_costs_little() {
    let quotes = "\"".repeat(400_000);
    let file = Fixture::new("d.csv", &format!("a,b\n1,2\na{quotes},3\n"));
    assert_eq!(rows(&file.path).unwrap().1[1].1[0].len(), 400_001);
    let file = Fixture::new("d.csv", &format!("a{quotes},b\n1,2\n"));
    assert_eq!(rows(&file.path).unwrap().1.len(), 1);
    // as many blank lines as would be 8 TB with a cell in each column
    let names: Vec<String> = (0..1_000_000).map(|j| format!("{j}")).collect();
    let text = format!("{}\n{}", names.join(","), "\n".repeat(1_000_000));
    let file = Fixture::new("d.csv", &text);
    assert_eq!(rows(&file.path).unwrap().1, []);
}

#[test]
fn what_is_no_text_is_refused_where_that_shows() {
    let nothing = vec![0; 100 << 20];
    let mut zipped = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    std::io::Write::write_all(&mut zipped, &nothing).unwrap();
    let bomb = Fixture::bytes("d.csv.gz", &zipped.finish().unwrap());
    let later = Fixture::bytes("d.csv", b"a,b\n1,2\n3,\x004\n");
    for (file, line) in [(bomb, 1), (later, 3)] {
        let said = file.complaint(rows(&file.path));
        let start = format!("FILE: line {line}: a byte 0, which no text has; ");
        assert!(said.starts_with(&start), "{said}");
    }
    // it ends as soon as it shows, for this file has no end
    let said = rows(Path::new("/dev/zero")).unwrap_err().to_string();
    assert!(said.contains("line 1: a byte 0"), "{said}");
}

#[test]
fn a_row_has_an_end() {
    let mut zipped = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    let some = vec![b'a'; 1 << 20];
    for _ in 0..400 {
        std::io::Write::write_all(&mut zipped, &some).unwrap();
    }
    let bomb = Fixture::bytes("d.csv.gz", &zipped.finish().unwrap());
    assert_eq!(
        bomb.complaint(rows(&bomb.path)),
        "FILE: line 1: the row does not end within 320 MB; is a quote never closed?"
    );
}

#[test]
fn more_columns_than_there_can_be_are_refused_before_they_are_named() {
    let file = Fixture::new("d.csv", &",".repeat(1 << 24));
    assert_eq!(
        file.complaint(rows(&file.path)),
        "FILE: line 1: 16777217 columns, but 16777216 are the most"
    );
}

#[test]
fn lines_that_end_as_on_old_macs_are_told() {
    for text in ["a,b\r1,2\r3,4\r", "a,b\r1,2\n"] {
        let file = Fixture::new("d.csv", text);
        let said = file.complaint(rows(&file.path));
        let start = "FILE: line 1: lines end with a carriage return alone, as on old Macs; ";
        assert!(said.starts_with(start), "{said}");
    }
    // in quotes it is a part of a name
    let file = Fixture::new("d.csv", "\"a\rb\",c\r\n1,2\r\n");
    assert_eq!(rows(&file.path).unwrap().0, ["a\rb", "c"]);
}

#[test]
fn wide_characters_need_no_mark() {
    let units = || "a,µ\n1,2\n".encode_utf16();
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        let file = Fixture::bytes("d.csv", &bytes);
        let (names, found) = rows(&file.path).unwrap();
        assert_eq!((names, found.len()), (vec!["a".to_string(), "µ".into()], 1));
    }
}

/// Tables that we write have an apostrophe before what a spreadsheet would run.
#[test]
fn guards_before_formulas_are_taken_off() {
    let file = Fixture::new("d.csv", "'=a,'b\n'@x,-1.5\n''=y,'z\n");
    let (names, found) = rows(&file.path).unwrap();
    assert_eq!(names, ["=a", "'b"]);
    assert_eq!(found[0].1, ["@x", "-1.5"]);
    assert_eq!(found[1].1, ["'=y", "'z"]);
}

#[test]
fn text_that_is_not_what_was_said_is_named_by_line() {
    for (bytes, line) in [(&b"a,b\n1,2\n3,\xff\n"[..], 3), (b"\na,\xff\n1,2\n", 2)] {
        let file = Fixture::bytes("d.csv", bytes);
        let said = file.complaint(rows_in(&file.path, Some(Encoding::Utf8)));
        let problem = format!("FILE: line {line}: this is not UTF-8 text; say how it is encoded");
        assert!(said.starts_with(&problem), "{said}");
        let (names, rows) = rows(&file.path).unwrap();
        let last = rows.last().and_then(|row| row.1.last()).unwrap();
        assert!(names.contains(&"ÿ".to_string()) || last == "ÿ");
    }
    let wide = Fixture::bytes("d.csv", b"\xff\xfea\0,\0b\0\n\x001\0,\0\xb5\0");
    let row = (2, vec!["1".to_string(), "µ".to_string()]);
    assert_eq!(rows(&wide.path).unwrap().1, [row]);
}

#[test]
fn says_why_a_file_cannot_be_read() {
    let cut = gzip(&"1,2\n".repeat(1000));
    for (name, bytes, message) in [
        (
            "d.csv",
            &gzip("a,b\n")[..],
            "FILE: the file is compressed; let its name end in .gz",
        ),
        (
            "d.xlsx",
            b"PK\x03\x04",
            "FILE: this is a zip file or a spreadsheet; save its table as CSV",
        ),
        (
            "d.csv",
            b"a,b\n1,2\n3,\"4\n5,6\n",
            "FILE: line 3: a quote is opened and never closed; close it",
        ),
        (
            "d.csv.gz",
            b"a,b\n1,2\n",
            "FILE: the file is not compressed; take .gz off its name",
        ),
        (
            "d.csv.gz",
            &cut[..cut.len() - 9],
            "FILE: the gzip data is broken (",
        ),
    ] {
        let file = Fixture::bytes(name, bytes);
        let said = file.complaint(rows(&file.path));
        assert!(said.starts_with(message), "{said}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart() {
    let file = Fixture::new("d.csv", "a");
    let gone = Path::new("no/such.csv");
    assert_eq!(
        rows(gone).unwrap_err().to_string(),
        "no/such.csv: no such file; check the path"
    );
    let folder = file.path.parent().unwrap();
    let said = rows(folder).unwrap_err().to_string();
    assert!(
        said.contains("this is a folder; name a data file in it"),
        "{said}"
    );
}

#[test]
fn a_quoted_cell_of_one_column_is_no_blank_line() {
    let file = Fixture::new("d.csv", "a\n1\n\n\"\"\n \n2\n");
    let row = |line, cell: &str| (line, vec![cell.to_string()]);
    let expected = vec![row(2, "1"), row(4, ""), row(6, "2")];
    assert_eq!(rows(&file.path).unwrap().1, expected);
}

/// A bad row far into a file is found where it is, whatever is read side by side.
#[test]
fn the_first_bad_row_of_many_chunks_is_named() {
    let good = "1.25,2.5,-3.75,4\n";
    let many = 400_000;
    for (bad, problem) in [
        (
            "1,2,3\n",
            "3 cells, but the header has 4; write one for each column",
        ),
        (
            "1,\"\n\n\n\",3,\n1,2,3,\"4\n",
            "a quote is opened and never closed; close it",
        ),
    ] {
        let text = format!(
            "a,b,c,d\n{}\n{bad}{}1,2\n",
            good.repeat(many),
            good.repeat(many)
        );
        let file = Fixture::new("d.csv", &text);
        // The header is line 1, and there is a blank line before the bad row.
        let line = many + 3 + if bad.contains('"') { 4 } else { 0 };
        assert_eq!(
            file.complaint(rows(&file.path)),
            format!("FILE: line {line}: {problem}")
        );
    }
}

/// Cells with everything that is hard on a reader.
fn odd_cell() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-c ,;\"\r\n\t|é]{0,6}",
        any::<f64>().prop_map(|value| value.to_string()),
        "[+-]?[0-9]{1,3}(\\.[0-9]{0,3})?(e[+-]?[0-9])?",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// What `csv` writes, however quoted, comes back as `csv` reads it.
    #[test]
    fn odd_tables_come_back(
        columns in 2usize..5,
        cells in prop::collection::vec(odd_cell(), 1..60),
        style in 0..3usize,
        windows in any::<bool>(),
        delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|']),
    ) {
        let rows_written = cells.len() / columns;
        prop_assume!(rows_written > 0);
        let styles = [csv::QuoteStyle::Necessary, csv::QuoteStyle::Always, csv::QuoteStyle::NonNumeric];
        let ending = if windows { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .quote_style(styles[style])
            .terminator(ending)
            .from_writer(vec![]);
        let names: Vec<String> = (0..columns).map(|j| format!("c{j}")).collect();
        writer.write_record(&names).unwrap();
        for row in cells.chunks_exact(columns) {
            writer.write_record(row).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let file = Fixture::bytes("d.csv", &bytes);
        let (found_names, found) = rows(&file.path).unwrap();
        prop_assert_eq!(found_names, names);
        let found: Vec<Vec<String>> = found.into_iter().map(|(_, row)| row).collect();
        let missing = |cell: &str| crate::cell::parse(cell).is_some_and(f64::is_nan);
        let expected: Vec<Vec<String>> = cells
            .chunks_exact(columns)
            .map(|row| {
                let cells = row.iter().map(|cell| cell.trim());
                cells.map(|cell| if missing(cell) { "" } else { cell }.to_string()).collect()
            })
            .collect();
        prop_assert_eq!(found, expected);
    }

    /// Any bytes at all give rows or one line of complaint.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(
        prop::sample::select(b"a1.,;\"\n\r \t\xff\0'=".to_vec()), 0..80,
    )) {
        let file = Fixture::bytes("d.csv", &bytes);
        if let Err(error) = rows(&file.path) {
            let text = error.to_string();
            prop_assert!(!text.contains('\n'), "{}", text);
        }
    }
}
