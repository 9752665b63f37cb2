//! Files that other programs write: arrays, matrices and tables.

use crate::hostile::{Case, file, read_by};

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
pub fn arrays() -> Vec<Case> {
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
pub fn matrices() -> Vec<Case> {
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
        file(
            "array real general\n2 3081888\n1\n",
            &["the file is too short"],
        ),
    ]
}

/// Parquet, Arrow and zip files.
pub fn tables() -> Vec<Case> {
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
