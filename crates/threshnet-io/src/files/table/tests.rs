//! Tables of text files: what is read, and what is refused.

use super::*;
use crate::files::tests::fixture::Fixture;

/// A file opened as one of features.
fn open(file: &Fixture) -> Result<Reader> {
    Reader::open(&file.path, &Names::Features, &Manner::default())
}

#[test]
fn reads_numbers_and_text() {
    let file = Fixture::new(
        "d.csv",
        "\u{feff}\"id\", x ,y\r\n a ,1, 2.50\r\nb,NA,-3\r\n\r\n",
    );
    let table = file.table();
    assert_eq!(table.rows(), 2);
    assert_eq!(table.header.names(), ["id", "x", "y"]);
    assert_eq!(table.text("id").unwrap(), ["a", "b"]);
    assert_eq!(table.number("y").unwrap(), vec![2.5, -3.0]);
    assert_eq!(table.columns[1].missing, 1);
}

#[test]
fn repeated_names_can_be_numbered() {
    let file = Fixture::new("d.csv", "a,b, a,a\n1,2,3,4\n");
    assert!(open(&file).is_err());
    let reader = Reader::open_numbered(&file.path).unwrap();
    assert_eq!(reader.header.names(), ["a", "b", "a (2)", "a (3)"]);
}

#[test]
fn reads_the_wanted_columns_in_the_wanted_order() {
    let file = Fixture::new("d.csv", "a,b,c\n1,x,3.0\n4,y,6.0\n");
    let wanted = [(2, Keep::Spelling), (0, Keep::Values)];
    let table = open(&file).unwrap().read(&wanted, &|_| ()).unwrap();
    assert_eq!(table.header.names(), ["c", "a"]);
    assert_eq!(table.text("c").unwrap(), ["3.0", "6.0"]);
    assert!(table.number("b").is_err());
    let columns = table.columns.into_iter();
    let numbers: Vec<Vec<f64>> = columns.map(Column::into_numbers).collect();
    assert_eq!(numbers, [[3.0, 6.0], [1.0, 4.0]]);
}

#[test]
fn one_column_can_serve_twice() {
    let file = Fixture::new("d.csv", "a,b\n1,2\n4,5\n");
    let names = [
        ("b", Keep::Spelling),
        ("b", Keep::Values),
        ("a", Keep::Values),
    ];
    let table = Table::of_columns(&Input::of(&file.path), &names).unwrap();
    assert_eq!(table.header.names(), ["b", "a"]);
    assert_eq!(table.number("b").unwrap(), vec![2.0, 5.0]);
}

#[test]
fn bad_files_are_refused() {
    let empty = "FILE: the file is empty; write a header line and rows";
    for (text, message) in [
        ("", empty),
        ("\u{feff}\r\n  \n", empty),
        ("a,b\n", "FILE: a header, but no rows; add some"),
        (
            "a,b\n1,\"2\n\"\n3\n",
            "FILE: line 4: 1 cell, but the header has 2; write one for each column",
        ),
        (
            "a,b\n1,2\n3,4,5\n",
            "FILE: line 3: 3 cells, but the header has 2; write one for each column",
        ),
        (
            "a,b\nrow1,2,3\n",
            "FILE: line 2: 3 cells, but the header has 2; name the column of row names, too",
        ),
        (
            "a,a\n1,2\n",
            r#"FILE: header: columns 1 and 2 are both named "a"; rename one"#,
        ),
    ] {
        let file = Fixture::new("d.csv", text);
        assert_eq!(file.complaint(file.read()), message);
    }
}

#[test]
fn bad_cells_are_refused_where_they_are_used() {
    let file = Fixture::new("d.csv", "a,b,c\n1,,x\n\n2,3,4\n3,NA,inf\n");
    let table = file.table();
    assert_eq!(table.number("a").unwrap().len(), 3);
    for (column, message) in [
        (
            "b",
            r#"FILE: line 2, column "b": the first of 2 missing or infinite cells; fill in every cell or leave the row out"#,
        ),
        (
            "c",
            r#"FILE: line 5, column "c": a missing or infinite cell; fill in every cell or leave the row out"#,
        ),
        ("ab", r#"FILE: there is no column "ab"; did you mean "a"?"#),
    ] {
        assert_eq!(file.complaint(table.number(column)), message);
        assert_eq!(file.complaint(table.text(column)), message);
    }
    let file = Fixture::new("d.csv", "a\n1\nx\n");
    assert_eq!(
        file.complaint(file.table().number("a")),
        r#"FILE: line 3, column "a": "x" is not a number; write a number there"#
    );
}

#[test]
fn streamed_rows_are_the_same_rows() {
    // several chunks of rows, blank lines and quoted breaks among them
    let mut text = String::from("id,x,y\n");
    for i in 0..150_000u64 {
        text += &format!("\"a {}\",{}.5,{}\n", i % 7, i, i * i);
        if i % 40_000 == 0 {
            text += "\n\"b\n\",1,2\n";
        }
    }
    let file = Fixture::new("d.csv", &text);
    let whole = file.table();
    assert_eq!(whole.rows(), 150_004);
    let wanted = [(0, Keep::Values), (1, Keep::Values), (2, Keep::Values)];
    let mut stream = open(&file).unwrap().stream(&wanted).unwrap();
    let (mut at, mut blocks) = (0, 0);
    while let Some(part) = stream.next().unwrap() {
        let rows = at..at + part.rows();
        for name in ["x", "y"] {
            assert_eq!(
                part.number(name).unwrap()[..],
                whole.number(name).unwrap()[rows.clone()]
            );
        }
        assert_eq!(
            part.text("id").unwrap()[..],
            whole.text("id").unwrap()[rows.clone()]
        );
        for row in rows.clone().step_by(997) {
            assert_eq!(part.place(row - at), whole.place(row));
        }
        at = rows.end;
        blocks += 1;
    }
    assert_eq!(at, whole.rows());
    assert!(blocks > 1, "the file is too small for this test");
    assert_eq!(whole.place(1), "line 4");
    assert_eq!(whole.place(2), "line 6");
    assert_eq!(
        whole.place(150_003),
        format!("line {}", text.lines().count())
    );
}
