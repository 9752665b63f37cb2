//! Binary formats: what is read, what is refused, and that broken files do no harm.

use super::*;
use crate::files::column::{Cells, Column};
use crate::files::table::Reader;
use crate::files::tests::fixture::Fixture;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int64Array,
    ListArray, RecordBatch, types::Int8Type, types::Int32Type,
};
use npyz::WriterBuilder;
use proptest::prelude::*;
use std::sync::Arc;

/// Six columns that can be read, of two rows, and one that cannot.
fn batch() -> RecordBatch {
    let sexes: DictionaryArray<Int8Type> = vec![Some("f"), None].into_iter().collect();
    let lists = vec![Some(vec![Some(1)]), Some(vec![])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let columns: [(&str, ArrayRef); 7] = [
        (
            "double",
            Arc::new(Float64Array::from(vec![1.5, f64::INFINITY])),
        ),
        (
            "single",
            Arc::new(Float32Array::from(vec![Some(0.1), None])),
        ),
        ("whole", Arc::new(Int64Array::from(vec![3, -4]))),
        ("yes", Arc::new(BooleanArray::from(vec![true, false]))),
        ("sex", Arc::new(sexes)),
        ("day", Arc::new(Date32Array::from(vec![0, 1]))),
        ("list", Arc::new(lists)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn parquet_file(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer =
        ::parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn arrow_file(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = batch.schema();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut bytes, &schema).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// A matrix of three rows and two columns.
fn npy_file<T: npyz::AutoSerialize>(values: [T; 6], order: npyz::Order) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .shape(&[3, 2])
        .order(order)
        .writer(&mut bytes)
        .begin_nd()
        .unwrap();
    writer.extend(values).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A matrix of three rows and two columns, of which four cells are stored.
const MTX: &[u8] =
    b"%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 1\n3 2 6\n2 1 -3\n1 2 2.5\n";

/// The same in csc.
fn npz_file() -> Vec<u8> {
    let (of, ends, values) = ([0, 1, 0, 2], [0, 2, 4], [1.0, -3.0, 2.5, 6.0]);
    npz::tests::csc(&[3, 2], &of, &ends, &values)
}

/// The names and the columns of a file.
fn columns(path: &Path, wanted: &[(usize, Keep)], names: &Names) -> Result<Vec<Column>> {
    let table = Reader::open(path, names, &Manner::default())?.read(wanted, &|_| ())?;
    Ok(table.columns)
}

#[test]
fn arrow_types_become_numbers_or_text() {
    let batch = batch();
    for (name, bytes) in [
        ("d.parquet", parquet_file(&batch)),
        ("d.feather", arrow_file(&batch)),
    ] {
        let file = Fixture::bytes(name, &bytes);
        let source = open(&file.path, &Names::Features, &Manner::default()).unwrap();
        assert_eq!(
            source.names,
            ["double", "single", "whole", "yes", "sex", "day", "list"]
        );
        let unreadable: Vec<_> = source.unreadable.iter().collect();
        assert!(matches!(&unreadable[..], [(6, why)] if why.contains("neither a number nor text")));
        // (in another order than in the file)
        let wanted: Vec<_> = [2, 1, 0, 3, 4, 5].map(|at| (at, Keep::Values)).into();
        let found = columns(&file.path, &wanted, &Names::Features).unwrap();
        assert_eq!(found[0].numbers(), vec![3.0, -4.0]);
        assert_eq!(found[1].numbers()[0], f64::from(0.1f32));
        assert_eq!((found[1].missing, found[1].first_missing), (1, Some(1)));
        assert_eq!(found[2].numbers()[0], 1.5);
        assert_eq!((found[2].missing, found[2].first_missing), (1, Some(1)));
        assert_eq!(found[3].numbers(), vec![1.0, 0.0]);
        assert_eq!(found[4].spelled(), ["f", ""]);
        assert_eq!(found[5].spelled(), ["1970-01-01", "1970-01-02"]);
        assert!(matches!(found[5].cells, Cells::Text(_)));
        let spelled = [(2, Keep::Spelling), (0, Keep::Spelling)];
        let found = columns(&file.path, &spelled, &Names::Features).unwrap();
        assert_eq!(found[0].spelled(), ["3", "-4"]);
        assert_eq!(found[1].spelled(), ["1.5", ""]);
        let list = [(6, Keep::Values)];
        let said = file.complaint(columns(&file.path, &list, &Names::Features));
        assert!(said.contains("column \"list\": List"), "{said}");
        assert!(said.ends_with("is neither a number nor text; leave it out with --drop list"));
        let given = Names::Given(vec!["a".into()]);
        let said = file.complaint(columns(&file.path, &list, &given));
        assert!(
            said.contains("--names is for .npy, .npz and .mtx matrices"),
            "{said}"
        );
    }
}

#[test]
fn matrices_of_any_order_and_type_are_read() {
    use npyz::Order::{C, Fortran};
    let rows = |bytes: Vec<u8>| {
        let file = Fixture::bytes("d.npy", &bytes);
        let wanted = [(1, Keep::Values), (0, Keep::Values)];
        let found = columns(&file.path, &wanted, &Names::Features).unwrap();
        found
            .into_iter()
            .map(Column::into_numbers)
            .collect::<Vec<_>>()
    };
    let expected = vec![vec![2.0, 4.0, 6.0], vec![1.0, 3.0, 5.0]];
    assert_eq!(
        rows(npy_file([1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0], C)),
        expected
    );
    assert_eq!(
        rows(npy_file([1.0f32, 3.0, 5.0, 2.0, 4.0, 6.0], Fortran)),
        expected
    );
    assert_eq!(rows(npy_file([1i32, 2, 3, 4, 5, 6], C)), expected);
    assert_eq!(rows(npy_file([1u8, 2, 3, 4, 5, 6], C)), expected);
    assert_eq!(rows(npy_file([1i64, 3, 5, 2, 4, 6], Fortran)), expected);
    let yes = [true, false, true, true, false, true];
    assert_eq!(rows(npy_file(yes, C)), [[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]);
}

#[test]
fn matrices_get_names() {
    let file = Fixture::bytes("d.npy", &npy_file([1i32, 2, 3, 4, 5, 6], npyz::Order::C));
    let given = |names: &[&str]| Names::Given(names.iter().map(|n| n.to_string()).collect());
    for (names, expected) in [
        (Names::Features, ["x1", "x2"]),
        (Names::Outcome, ["time", "event"]),
        (given(&["a", "b"]), ["a", "b"]),
    ] {
        assert_eq!(
            open(&file.path, &names, &Manner::default()).unwrap().names,
            expected
        );
    }
    assert_eq!(
        file.complaint(open(&file.path, &given(&["a"]), &Manner::default()).map(|_| ())),
        "FILE: 2 columns, but --names has 1 name; give each one"
    );
}

#[test]
fn files_that_are_not_what_they_seem_are_refused() {
    let npy = npy_file([1.0f64, 2.0, 3.0, 4.0, 5.0, 6.0], npyz::Order::C);
    let mut cube = npy.clone();
    let at = npy.windows(6).position(|w| w == b"(3, 2,").unwrap();
    cube[at..at + 6].copy_from_slice(b"(1,3,2");
    for (name, bytes, message) in [
        (
            "d.parquet",
            &b"a,b\n1,2\n"[..],
            "FILE: this is no Parquet file, whatever its name; write it again, or let the name end in .csv if it is text",
        ),
        (
            "d.feather",
            b"FEA1....",
            "FILE: this is the first version of Feather; write it",
        ),
        ("d.npy", b"1,2", "FILE: this is no NPY file"),
        ("d.parquet", b"PAR1PAR1", "FILE: the file is broken ("),
        ("d.arrow", b"ARROW1\0\0", "FILE: the file is broken ("),
        ("d.npy", b"\x93NUMPY\x01\0", "FILE: the file is broken ("),
        (
            "d.npy",
            &npy[..npy.len() - 1],
            "FILE: the file is broken (it is shorter than its header says); write it again",
        ),
        (
            "d.npy",
            &cube,
            "FILE: 3 dimensions; write a matrix of rows and columns",
        ),
    ] {
        let file = Fixture::bytes(name, bytes);
        let said = file.complaint(columns(&file.path, &[(0, Keep::Values)], &Names::Features));
        assert!(said.starts_with(message), "{said}");
    }
}

/// An array file whose header says this.
fn npy_of_header(version: u8, said: u32, header: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = said.to_le_bytes();
    bytes.extend(&length[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(header.as_bytes());
    bytes
}

/// Headers that took years to parse, or all memory.
#[test]
fn forged_arrays_are_refused_at_once() {
    let of_shape = |shape: &str| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        npy_of_header(1, header.len() as u32, &header)
    };
    let nested = |open: &str| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {open}");
        npy_of_header(1, header.len() as u32, &header)
    };
    let parts = "its elements have parts; write floats";
    for (bytes, says) in [
        (nested(&"{".repeat(14)), parts),
        (nested(&"[".repeat(1000)), parts),
        (nested(&"((".repeat(1000)), parts),
        (npy_of_header(1, 1000, "{"), "it ends within a header"),
        (
            npy_of_header(2, u32::MAX, "{"),
            "a header of 4294967295 bytes",
        ),
        (
            npy_of_header(2, 1 << 17, &" ".repeat(1 << 17)),
            "but 65536 are the most",
        ),
        (npy_of_header(9, 3, "{} "), "unsupported version"),
        (
            of_shape("(4611686018427387904, 0)"),
            "4611686018427387904 rows, but 2147483647",
        ),
        (
            of_shape("(0, 1000000000000)"),
            "1000000000000 columns, but 16777216 are the most",
        ),
        (of_shape("(5, 0)"), "a matrix without columns"),
        (of_shape("(0, 5)"), "a header, but no rows"),
        (
            of_shape("(2147483647, 16777216)"),
            "it is shorter than its header says",
        ),
        (of_shape("(18446744073709551616, 2)"), "larger than u64"),
        (of_shape("(-1, 2)"), "negative"),
        (of_shape("()"), "0 dimensions"),
    ] {
        let file = Fixture::bytes("d.npy", &bytes);
        let said = file.complaint(columns(&file.path, &[(0, Keep::Values)], &Names::Features));
        assert!(
            said.starts_with("FILE: ") && said.contains(says),
            "{says}: {said}"
        );
    }
}

/// A packed Arrow file of one batch of zeros.
fn packed(rows: usize, compression: arrow_ipc::CompressionType) -> Vec<u8> {
    let zeros: ArrayRef = Arc::new(arrow_array::UInt8Array::from(vec![0; rows]));
    let batch = RecordBatch::try_from_iter([("a", zeros)]).unwrap();
    let options = arrow_ipc::writer::IpcWriteOptions::default();
    let options = options.try_with_compression(Some(compression)).unwrap();
    let mut bytes = Vec::new();
    let schema = batch.schema();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new_with_options(&mut bytes, &schema, options).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

/// The same with a number in place of another.
fn forged(bytes: &[u8], number: i64, other: i64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len() - 8)
        .filter(|&at| bytes[at..at + 8] == number.to_le_bytes())
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + 8].copy_from_slice(&other.to_le_bytes());
    }
    bytes
}

/// What a packed file says of its length is not set aside.
#[test]
fn a_batch_that_swells_is_refused() {
    use arrow_ipc::CompressionType;
    let (lz4, zstd) = (CompressionType::LZ4_FRAME, CompressionType::ZSTD);
    let all = [(0, Keep::Values)];
    let read = |bytes: &[u8]| {
        let file = Fixture::bytes("d.feather", bytes);
        (columns(&file.path, &all, &Names::Features))
            .map(|columns| columns[0].numbers().len())
            .map_err(|error| file.complaint::<()>(Err(error)))
    };
    for codec in [lz4, zstd] {
        let good = packed(70_001, codec);
        assert_eq!(read(&good), Ok(70_001), "several pieces");
        let bomb = read(&forged(&good, 70_001, 1 << 40)).unwrap_err();
        assert!(
            bomb.contains("says it is unpacked to 1099511627776"),
            "{bomb}"
        );
        let below = read(&forged(&good, 70_001, -2)).unwrap_err();
        assert!(below.contains("a size below 0"), "{below}");
    }
    let large = packed(260 << 20, zstd);
    assert!(large.len() < 100_000);
    let said = read(&large).unwrap_err();
    assert!(said.contains("take batches of fewer rows"), "{said}");
}

/// A column of nothing has as many rows as a file says, and no byte for them.
#[test]
fn rows_without_cells_are_refused() {
    let nothing: ArrayRef = Arc::new(arrow_array::NullArray::new(70_001));
    let bytes = arrow_file(&RecordBatch::try_from_iter([("a", nothing)]).unwrap());
    let file = Fixture::bytes("d.arrow", &forged(&bytes, 70_001, 1 << 40));
    let said = file.complaint(columns(&file.path, &[(0, Keep::Values)], &Names::Features));
    assert!(
        said.contains("1099511627776 rows, but no cells for them"),
        "{said}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// Files with some bytes changed, or cut off, are read or refused in one line.
    #[test]
    fn broken_files_do_no_harm(
        format in 0..5usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut bytes) = match format {
            0 => ("d.parquet", parquet_file(&batch())),
            1 => ("d.arrow", arrow_file(&batch())),
            2 => ("d.npy", npy_file([1i32, 2, 3, 4, 5, 6], npyz::Order::C)),
            3 => ("d.npz", npz_file()),
            _ => ("d.mtx", MTX.to_vec()),
        };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let file = Fixture::bytes(name, &bytes);
        // (a header may have lost a column, and nobody asks for one that it does not name)
        let named = open(&file.path, &Names::Features, &Manner::default())
            .map_or(0, |source| source.names.len());
        let wanted: Vec<_> = [(0, Keep::Values), (1, Keep::Spelling)]
            .into_iter()
            .filter(|&(at, _)| at < named)
            .collect();
        if let Err(error) = columns(&file.path, &wanted, &Names::Features) {
            let text = error.to_string();
            prop_assert!(!text.contains('\n'), "{}", text);
        }
    }
}
