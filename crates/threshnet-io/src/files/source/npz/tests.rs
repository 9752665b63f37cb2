//! What is read, and what is refused with which words.

use crate::files::source::{Keep, Manner, Names, open};
use crate::files::table::Reader;
use crate::files::tests::fixture::Fixture;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array as NumPy writes it, of elements in bytes.
fn array(dtype: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}");
    let text = format!("{text:117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

fn flat(dtype: &str, elements: &[u8]) -> Vec<u8> {
    let size: usize = dtype[2..].parse().unwrap();
    array(dtype, &format!("({},)", elements.len() / size), elements)
}

fn ints(values: &[i32]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    flat("<i4", &bytes)
}

fn longs(values: &[i64]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    flat("<i8", &bytes)
}

fn doubles(values: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    flat("<f8", &bytes)
}

fn format(name: &str) -> Vec<u8> {
    array(&format!("|S{}", name.len()), "()", name.as_bytes())
}

type Parts = Vec<(&'static str, Vec<u8>)>;

fn file(parts: &Parts, method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    // (NumPy asks for 64-bit sizes, too)
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .large_file(true);
    for (name, bytes) in parts {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The parts of a compressed matrix.
fn parts(kind: &str, shape: &[i64], indices: &[i32], indptr: &[i32], data: Vec<u8>) -> Parts {
    vec![
        ("indices", ints(indices)),
        ("indptr", ints(indptr)),
        ("format", format(kind)),
        ("shape", longs(shape)),
        ("data", data),
        ("_is_array", array("|b1", "()", &[1])),
    ]
}

/// A matrix in csc.
pub fn csc(shape: &[i64], indices: &[i32], indptr: &[i32], data: &[f64]) -> Vec<u8> {
    let parts = parts("csc", shape, indices, indptr, doubles(data));
    file(&parts, CompressionMethod::Deflated)
}

/// The same parts, one of them another.
fn with(parts: &Parts, name: &'static str, other: Option<Vec<u8>>) -> Parts {
    let mut parts = parts.clone();
    match other {
        Some(bytes) => parts.iter_mut().find(|(n, _)| *n == name).unwrap().1 = bytes,
        None => parts.retain(|(n, _)| *n != name),
    }
    parts
}

/// The columns of a file, with their zeros.
fn columns(bytes: &[u8]) -> Vec<Vec<f64>> {
    let columns = Fixture::bytes("d.npz", bytes).table().columns.into_iter();
    columns.map(|column| column.into_numbers()).collect()
}

/// [[0, 2.5], [-1, 0], [4, 0]] in every format.
fn every_format() -> Vec<Parts> {
    let csr = parts(
        "csr",
        &[3, 2],
        &[1, 0, 0],
        &[0, 1, 2, 3],
        doubles(&[2.5, -1.0, 4.0]),
    );
    let csc = parts(
        "csc",
        &[3, 2],
        &[2, 1, 0],
        &[0, 2, 3],
        doubles(&[4.0, -1.0, 2.5]),
    );
    let coo = vec![
        ("row", longs(&[2, 0, 2, 1])),
        ("col", longs(&[0, 1, 0, 0])),
        ("format", array("<U3", "()", b"c\0\0\0o\0\0\0o\0\0\0")),
        ("shape", longs(&[3, 2])),
        ("data", doubles(&[3.0, 2.5, 1.0, -1.0])),
    ];
    vec![csr, csc, coo]
}

#[test]
fn every_format_is_read_compressed_or_not() {
    for parts in every_format() {
        for method in [CompressionMethod::Deflated, CompressionMethod::Stored] {
            assert_eq!(
                columns(&file(&parts, method)),
                [[0.0, -1.0, 4.0], [2.5, 0.0, 0.0]]
            );
        }
    }
}

#[test]
fn values_of_every_type_are_read() {
    let of = |data: Vec<u8>| {
        let parts = parts("csc", &[2, 1], &[1, 0, 1], &[0, 3], data);
        columns(&file(&parts, CompressionMethod::Deflated)).remove(0)
    };
    assert_eq!(of(doubles(&[1.0, 0.5, 2.0])), [0.5, 3.0]);
    let singles: Vec<u8> = [1.0f32, 0.1, 2.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    assert_eq!(of(flat("<f4", &singles)), [f64::from(0.1f32), 3.0]);
    assert_eq!(of(longs(&[1, -7, 2])), [-7.0, 3.0]);
    assert_eq!(of(flat("|u1", &[100, 7, 200])), [7.0, 300.0]);
    assert_eq!(of(flat("|b1", &[1, 1, 1])), [1.0, 1.0]);
    let big: Vec<u8> = [1i16, -2, 3].iter().flat_map(|v| v.to_be_bytes()).collect();
    assert_eq!(of(flat(">i2", &big)), [-2.0, 4.0]);
    let odd = of(doubles(&[1.0, f64::INFINITY, f64::NAN]));
    assert!(odd.iter().all(|value| value.is_nan()));
}

#[test]
fn only_wanted_columns_are_kept() {
    let bytes = csc(
        &[5, 4],
        &[1, 3, 0, 4],
        &[0, 1, 1, 2, 4],
        &[1.0, 2.0, 3.0, 4.0],
    );
    let file = Fixture::bytes("d.npz", &bytes);
    let given = Names::Given(["a", "b", "c", "d"].map(String::from).to_vec());
    let reader = Reader::open(&file.path, &given, &Manner::default()).unwrap();
    let wanted = [(3, Keep::Values), (1, Keep::Spelling)];
    let table = reader.read(&wanted, &|_| ()).unwrap();
    assert_eq!(table.header.names(), ["d", "b"]);
    assert_eq!(table.columns[0].numbers(), vec![3.0, 0.0, 0.0, 0.0, 4.0]);
    assert_eq!(table.columns[1].spelled(), ["0"; 5]);
}

#[test]
fn what_is_wrong_is_told() {
    let all = every_format();
    let (csr, csc, coo) = (&all[0], &all[1], &all[2]);
    let object = array("|O", "(3,)", b"\x80\x04pickled");
    for (parts, message) in [
        (
            vec![("X", doubles(&[1.0])), ("y", doubles(&[2.0]))],
            "FILE: no sparse matrix of SciPy; write one with scipy.sparse.save_npz, or a dense one as .npy",
        ),
        (
            with(csr, "format", Some(format("bsr"))),
            "FILE: a sparse matrix of another format; write it as csc with x.tocsc()",
        ),
        (with(csr, "data", None), "FILE: the file is broken ("),
        (
            with(csr, "data", Some(object.clone())),
            "FILE: data has elements of type '|O'; write floats of 32 or 64 bit, integers or booleans",
        ),
        (
            with(csr, "data", Some(flat("<c16", &[0; 48]))),
            "FILE: data has elements of type '<c16'; write floats",
        ),
        (
            with(csr, "indices", Some(doubles(&[1.0, 0.0, 0.0]))),
            "FILE: indices has elements of type '<f8'; write integers",
        ),
        (
            with(csr, "indices", Some(object)),
            "FILE: indices has elements of type '|O'; write integers",
        ),
        (
            with(csr, "indices", Some(ints(&[1, 0, 2]))),
            "FILE: the file is broken (indices has 2, but positions are from 0 to below 2)",
        ),
        (
            with(coo, "row", Some(ints(&[2, -1, 2, 1]))),
            "FILE: the file is broken (row has -1, but positions are from 0 to below 3)",
        ),
        (
            with(coo, "col", Some(ints(&[0, 1, 0]))),
            "FILE: the file is broken (not every cell has a row, a column and a value)",
        ),
        (
            with(csc, "data", Some(doubles(&[1.0; 4]))),
            "FILE: the file is broken (not every cell has a row, a column and a value)",
        ),
        (
            with(csr, "indptr", Some(ints(&[0, 1, 2]))),
            "FILE: the file is broken (indptr does not divide 3 cells into 3 parts)",
        ),
        (
            with(csr, "indptr", Some(ints(&[0, 2, 1, 3]))),
            "FILE: the file is broken (indptr does not divide 3 cells",
        ),
        (
            with(csr, "indptr", Some(ints(&[0, 1, 2, 2_000_000_000]))),
            "FILE: the file is broken (indptr does not divide 3 cells",
        ),
        (
            with(csr, "indptr", Some(ints(&[1, 1, 2, 3]))),
            "FILE: the file is broken (indptr does not divide 3 cells",
        ),
        (
            with(csr, "shape", Some(longs(&[1 << 40, 2]))),
            "FILE: 1099511627776 rows, but 2147483647 are the most",
        ),
        (
            with(csr, "shape", Some(longs(&[3, -2]))),
            "FILE: the file is broken (shape has a number below 0)",
        ),
        (
            with(csr, "shape", Some(longs(&[3, 2, 1]))),
            "FILE: 3 dimensions; write a matrix of rows and columns",
        ),
        (with(csr, "shape", Some(longs(&[0, 2]))), "FILE: "),
        // Headers that promise what the file does not have.
        (
            with(
                csr,
                "data",
                Some(array("<f8", "(1000000000000,)", &[0; 24])),
            ),
            "FILE: the file is broken (not every cell has",
        ),
        (
            with(
                csr,
                "indices",
                Some(array("<i4", "(1000000000000,)", &[0; 12])),
            ),
            "FILE: the file is broken (",
        ),
        (
            with(csr, "indices", Some(array("<i4", "(3,)", &[0; 16]))),
            "FILE: the file is broken (an array is longer than its header says)",
        ),
        (
            with(csr, "indices", Some(array("<i4", "(3, 1)", &[0; 12]))),
            "FILE: the file is broken (indices is no flat array)",
        ),
        (
            with(csr, "shape", Some(b"not an array".to_vec())),
            "FILE: the file is broken (",
        ),
    ] {
        let bytes = file(&parts, CompressionMethod::Deflated);
        let fixture = Fixture::bytes("d.npz", &bytes);
        let said = fixture.complaint(fixture.read());
        assert!(said.starts_with(message), "{message}: {said}");
    }
}

#[test]
fn zip_files_of_something_else_are_refused() {
    let bytes = csc(&[2, 1], &[0], &[0, 1], &[1.0]);
    let mut cut = bytes.clone();
    cut.truncate(bytes.len() / 2);
    let mut turned = bytes.clone();
    let at = turned.windows(4).position(|w| w == b"data").unwrap() + 40;
    turned[at] ^= 1;
    for (name, bytes, message) in [
        (
            "d.xlsx",
            &bytes,
            "FILE: this is a zip file or a spreadsheet; save its table as CSV",
        ),
        ("d.npz", &cut, "FILE: the file is broken ("),
        ("d.npz", &turned, "FILE: the file is broken ("),
        (
            "d.npz",
            &b"a,b\n1,2\n".to_vec(),
            "FILE: this is no NPZ file, whatever its name",
        ),
    ] {
        let file = Fixture::bytes(name, bytes);
        let said = file.complaint(file.read());
        assert!(said.starts_with(message), "{message}: {said}");
    }
}

/// A part of a thousand times its size in the file is read as far as the shape goes, and no further.
#[test]
fn a_bomb_does_not_go_off() {
    let zeros = vec![0; 64 << 20];
    let long = array("<i4", "(1,)", &zeros);
    let csr = parts("csr", &[1, 1], &[0], &[0, 1], doubles(&[1.0]));
    let bytes = file(
        &with(&csr, "indices", Some(long)),
        CompressionMethod::Deflated,
    );
    assert!(bytes.len() < 1 << 20);
    let fixture = Fixture::bytes("d.npz", &bytes);
    assert!(
        fixture
            .complaint(fixture.read())
            .contains("longer than its header says")
    );
    assert_eq!(
        open(&fixture.path, &Names::Features, &Manner::default())
            .unwrap()
            .names,
        ["x1"]
    );
}
