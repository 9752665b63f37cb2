//! What is read, and what is refused with which words.

use crate::files::column::Cells;
use crate::files::source::{Keep, Manner, Names, open};
use crate::files::table::Reader;
use crate::files::tests::fixture::{Fixture, gzip};
use proptest::prelude::*;

/// The columns of a file, with their zeros.
fn columns(file: &Fixture) -> Vec<Vec<f64>> {
    let columns = file.table().columns.into_iter();
    columns.map(|column| column.into_numbers()).collect()
}

fn read(text: &str) -> Vec<Vec<f64>> {
    let columns = columns(&Fixture::new("d.mtx", text));
    let zipped = Fixture::bytes("d.mtx.gz", &gzip(text));
    assert_eq!(self::columns(&zipped), columns);
    columns
}

#[test]
fn every_kind_of_matrix_is_read() {
    for (text, expected) in [
        (
            "%%MatrixMarket matrix coordinate real general\n% made by hand\n%\n\n3 2 3\n3 1 -2.5e-1\n1 2 7\n\n1 1 +.5\n",
            vec![vec![0.5, 0.0, -0.25], vec![7.0, 0.0, 0.0]],
        ),
        (
            "%%matrixmarket MATRIX Coordinate Integer General\r\n2 2 1\r\n2 2 9007199254740993\r\n",
            vec![vec![0.0, 0.0], vec![0.0, 9007199254740992.0]],
        ),
        (
            "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n 2\t1 \n",
            vec![vec![0.0, 1.0], vec![0.0, 0.0], vec![1.0, 0.0]],
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 5\n",
            vec![vec![1.0, 5.0], vec![5.0, 0.0]],
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n",
            vec![vec![0.0, 5.0], vec![-5.0, 0.0]],
        ),
        (
            "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6",
            vec![vec![1.0, 2.0], vec![3.0, 0.0], vec![5.0, 6.0]],
        ),
        (
            "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
            vec![
                vec![1.0, 2.0, 3.0],
                vec![2.0, 4.0, 5.0],
                vec![3.0, 5.0, 6.0],
            ],
        ),
        (
            "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
            vec![
                vec![0.0, 1.0, 2.0],
                vec![-1.0, 0.0, 3.0],
                vec![-2.0, -3.0, 0.0],
            ],
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0.5\n2 2 1\n1 1 0.25\n",
            vec![vec![0.75, 0.0], vec![0.0, 1.0]],
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 1 0\n",
            vec![vec![0.0, 0.0]],
        ),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn cells_that_are_not_finite_are_missing() {
    let text = "%%MatrixMarket matrix coordinate real general\n5 1 4\n4 1 NaN\n1 1 Infinity\n2 1 -inf\n5 1 NA\n";
    let table = Fixture::new("d.mtx", text).table();
    let column = &table.columns[0];
    assert_eq!((column.missing, column.first_missing), (4, Some(0)));
    assert_eq!(column.first_number, Some((2, 0.0)));
    assert_eq!(table.place(3), "row 4");
}

#[test]
fn only_wanted_columns_are_kept_and_zeros_never_are() {
    let text =
        "%%MatrixMarket matrix coordinate real general\n1000000 50000 3\n7 50000 2\n9 1 1\n2 3 4\n";
    let file = Fixture::new("d.mtx", text);
    let reader = Reader::open(&file.path, &Names::Features, &Manner::default()).unwrap();
    let wanted = [(49999, Keep::Values), (2, Keep::Values), (5, Keep::Values)];
    let table = reader.read(&wanted, &|_| ()).unwrap();
    assert_eq!(table.header.names(), ["x50000", "x3", "x6"]);
    assert_eq!(table.rows(), 1_000_000);
    let stored = table.columns.iter().map(|column| match &column.cells {
        Cells::Stored(stored) => stored.not_zero().collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        stored.collect::<Vec<_>>(),
        [vec![(6, 2.0)], vec![(1, 4.0)], vec![]]
    );
}

#[test]
fn spelled_columns_have_their_zeros() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 2 2\n2 1 1.5\n3 1 nan\n";
    let file = Fixture::new("d.mtx", text);
    let reader = Reader::open(&file.path, &Names::Outcome, &Manner::default()).unwrap();
    let table = reader.read(&[(0, Keep::Spelling)], &|_| ()).unwrap();
    assert_eq!(table.header.names(), ["time"]);
    assert_eq!(table.columns[0].spelled(), ["0", "1.5", ""]);
}

#[test]
fn what_is_wrong_is_told_by_line() {
    let general = "%%MatrixMarket matrix coordinate real general\n";
    for (text, message) in [
        (
            "%%MatrixMarket\n",
            r#"FILE: line 1: "%%matrixmarket" is no known kind of matrix; write %%MatrixMarket matrix"#,
        ),
        (
            "%%MatrixMarket vector coordinate real general\n1 1 1\n",
            "FILE: line 1: \"%%matrixmarket vector",
        ),
        (
            "%%MatrixMarket matrix array pattern general\n1 1\n",
            "FILE: line 1: \"%%matrixmarket matrix array pattern",
        ),
        (
            "%%MatrixMarket matrix coordinate complex general\n1 1 1\n",
            "FILE: line 1: complex numbers; write real ones",
        ),
        (
            general,
            "FILE: line 2: the file ends before its size; write it again",
        ),
        (
            &format!("{general}3 2\n"),
            "FILE: line 2: write the numbers of rows, of columns and of stored cells",
        ),
        (
            "%%MatrixMarket matrix array real general\n3 2 1\n",
            "FILE: line 2: write the number of rows and that of columns",
        ),
        (
            &format!("{general}3 2 -1\n"),
            r#"FILE: line 2: "-1" is no whole number"#,
        ),
        (
            &format!("{general}3000000000 2 1\n"),
            "FILE: line 2: 3000000000 rows, but 2147483647 are the most",
        ),
        (
            &format!("{general}3 99999999999 1\n"),
            "FILE: line 2: 99999999999 columns, but 16777216 are the most",
        ),
        (
            "%%MatrixMarket matrix array real symmetric\n3 2\n",
            "FILE: line 2: 3 rows and 2 columns cannot be symmetric; write general in line 1",
        ),
        (
            &format!("{general}3 2 2\n4 1 1\n"),
            "FILE: line 3: row 4, but the size line has rows from 1 to 3; correct one of them",
        ),
        (
            &format!("{general}3 2 2\n0 1 1\n"),
            "FILE: line 3: row 0, but the size line has rows from 1 to 3; correct one of them",
        ),
        (
            &format!("{general}3 2 2\n% \n1 3 1\n"),
            "FILE: line 4: column 3, but the size line has columns from 1 to 2; correct one of them",
        ),
        (
            &format!("{general}3 2 2\n1.5 1 1\n"),
            r#"FILE: line 3: "1.5" is no row; write a whole number from 1 to 3"#,
        ),
        (
            &format!("{general}3 2 2\n1 1\n"),
            "FILE: line 3: there is no value; write row, column and value",
        ),
        (
            &format!("{general}3 2 2\n1\n"),
            "FILE: line 3: there is no column; write row, column and value",
        ),
        (
            &format!("{general}3 2 2\n1 1 1 1\n"),
            r#"FILE: line 3: "1" is more than a cell has; write one cell on each line"#,
        ),
        (
            &format!("{general}3 2 2\n1 1 1,5\n"),
            r#"FILE: line 3: "1,5" has a decimal comma; write decimal points: 1.5"#,
        ),
        (
            &format!("{general}3 2 2\n1 1 x\n"),
            r#"FILE: line 3: "x" is not a number; write one there"#,
        ),
        (
            &format!("{general}3 2 2\n1 1 1\n"),
            "FILE: line 4: the size line says 2 cells, but the file ends after 1; write it again",
        ),
        (
            &format!("{general}3 2 18446744073709551615\n1 1 1\n"),
            "FILE: line 4: the size line says 18446744073709551615 cells, but the file ends after 1; write it again",
        ),
        (
            &format!("{general}3 2 1\n1 1 1\n\n2 1 1\n"),
            "FILE: line 5: one more than the 1 cells that the size line says; correct one of them",
        ),
        (
            "%%MatrixMarket matrix array real general\n2 1\n1\n",
            "FILE: line 4: the size line says 2 cells, but the file ends after 1; write it again",
        ),
        (
            "%%MatrixMarket matrix array real general\n2 3081888\n1\n",
            "FILE: line 2: 3081888 columns, for which the file is too short; write it again",
        ),
        (
            "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
            "FILE: line 3: a cell above the diagonal, where the matrix follows from what is below; leave it out, or write general in line 1",
        ),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n",
            "FILE: line 3: a cell on the diagonal, where the matrix follows",
        ),
        (
            &format!("{general}0 2 0\n"),
            "FILE: a header, but no rows; add some",
        ),
        (
            &format!("{general}3 2 2\n{}", "1".repeat(1 << 17)),
            "FILE: line 3: the line does not end; write one cell on each",
        ),
    ] {
        let file = Fixture::new("d.mtx", text);
        let said = file.complaint(file.read());
        assert!(said.starts_with(message), "{text}: {said}");
        assert!(said.len() < 400, "{said}");
    }
}

#[test]
fn names_and_contents_agree() {
    let matrix = "%%MatrixMarket matrix coordinate real general\n2 1 1\n1 1 3\n";
    for (name, bytes, message) in [
        (
            "d.mtx",
            b"a,b\n1,2\n".to_vec(),
            "FILE: this is no Matrix Market file, whatever its name",
        ),
        (
            "d.mtx.gz",
            gzip("a,b\n1,2\n"),
            "FILE: this is no Matrix Market file, whatever its name",
        ),
        (
            "d.mtx",
            gzip(matrix),
            "FILE: the file is compressed; let its name end in .gz",
        ),
        (
            "d.mtx.gz",
            matrix.into(),
            "FILE: the file is not compressed; take .gz off its name",
        ),
        ("d.mtx.gz", gzip(matrix)[..30].to_vec(), "FILE: "),
    ] {
        let file = Fixture::bytes(name, &bytes);
        let said = file.complaint(file.read());
        assert!(said.starts_with(message), "{said}");
    }
    // What it is follows from its first bytes.
    let file = Fixture::new("d.txt", matrix);
    assert_eq!(columns(&file), [[3.0, 0.0]]);
    let given = Names::Given(vec!["gene".into()]);
    assert_eq!(
        open(&file.path, &given, &Manner::default()).unwrap().names,
        ["gene"]
    );
    let given = Names::Given(vec!["a".into(), "b".into()]);
    assert_eq!(
        file.complaint(open(&file.path, &given, &Manner::default()).map(|_| ())),
        "FILE: 1 column, but --names has 2 names; give each one"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Cells in any order, some of them several times, are those of the matrix they add up to.
    #[test]
    fn any_order_is_the_same_matrix(
        cells in prop::collection::vec((0..30usize, 0..8usize, -1e3..1e3f64), 0..200),
    ) {
        let mut expected = vec![vec![0.0; 30]; 8];
        let mut text = format!("%%MatrixMarket matrix coordinate real general\n30 8 {}\n", cells.len());
        for (row, column, value) in cells {
            expected[column][row] += value;
            text += &format!("{} {} {value}\n", row + 1, column + 1);
        }
        prop_assert_eq!(columns(&Fixture::new("d.mtx", &text)), expected);
    }
}
