//! Sparse matrices as `scipy.sparse.save_npz` writes them: a zip file with an array for each part.
//!
//! | format | parts |
//! | --- | --- |
//! | csr | `indptr` of rows, `indices` of columns, `data` |
//! | csc | `indptr` of columns, `indices` of rows, `data` |
//! | coo | `row`, `col`, `data` |
//!
//! `shape` and `format` stand beside them.

mod archive;
#[cfg(test)]
pub mod tests;

use super::batch::broken;
use super::stored::{Cells, Shape};
use super::{Names, Source};
use anyhow::{Result, anyhow, bail};
use archive::{Archive, Kind};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// How the places of cells are written.
#[derive(Debug, Clone, Copy)]
enum Format {
    Csr,
    Csc,
    Coo,
}

/// Reads what matrix it is and its shape.
pub fn open(path: &Path, file: File, names: &Names) -> Result<Source> {
    let shown = path.display();
    let mut archive = Archive::open(path, file)?;
    if !archive.has("format") {
        bail!(
            "{shown}: no sparse matrix of SciPy; write one with scipy.sparse.save_npz, or a dense \
             one as .npy"
        );
    }
    let format = match &archive.text("format")?[..] {
        "csr" => Format::Csr,
        "csc" => Format::Csc,
        "coo" => Format::Coo,
        _ => bail!("{shown}: a sparse matrix of another format; write it as csc with x.tocsc()"),
    };
    let shape = archive
        .numbers("shape", Kind::Whole)?
        .take(3)
        .collect::<Result<Vec<f64>>>()?;
    if shape.iter().any(|&size| size < 0.0) {
        return Err(broken(path, "shape has a number below 0"));
    }
    let &[rows, columns] = &shape[..] else {
        bail!(
            "{shown}: {} dimensions; write a matrix of rows and columns",
            shape.len()
        );
    };
    let cells = archive.numbers("data", Kind::Any)?.len();
    let shape = Shape::new(rows as u64, columns as u64).and_then(|shape| shape.of_cells(cells));
    let shape = shape.map_err(|e| anyhow!("{shown}: {e}"))?;
    Ok(Source {
        names: names
            .of(shape.columns)
            .map_err(|e| anyhow!("{shown}: {e}"))?,
        encoding: None,
        unreadable: BTreeMap::new(),
        start: Box::new(move |wanted| {
            let mut cells = Cells::new(shape, wanted);
            let places = places(&mut archive, format, shape)?;
            put(&mut archive, &places, &mut cells)?;
            Ok(Box::new(cells.blocks().map(Ok)))
        }),
    })
}

/// The row and the column of every cell.
struct Places {
    rows: Vec<u32>,
    columns: Vec<u32>,
}

fn places(archive: &mut Archive, format: Format, shape: Shape) -> Result<Places> {
    let Shape { rows, columns } = shape;
    Ok(match format {
        Format::Csr => {
            let columns = positions(archive, "indices", columns)?;
            let rows = repeated(archive, rows, columns.len())?;
            Places { rows, columns }
        }
        Format::Csc => {
            let rows = positions(archive, "indices", rows)?;
            let columns = repeated(archive, columns, rows.len())?;
            Places { rows, columns }
        }
        Format::Coo => Places {
            rows: positions(archive, "row", rows)?,
            columns: positions(archive, "col", columns)?,
        },
    })
}

/// Positions of cells among so many rows or columns.
fn positions(archive: &mut Archive, name: &str, most: usize) -> Result<Vec<u32>> {
    let mut positions = archive.numbers(name, Kind::Whole)?;
    let mut found = vec![];
    while let Some(position) = positions.next().transpose()? {
        if !(0.0..most as f64).contains(&position) {
            let why = format!("{name} has {position}, but positions are from 0 to below {most}");
            return Err(positions.broken(why));
        }
        found.push(position as u32);
    }
    Ok(found)
}

/// The part, a row or a column, that each cell of a compressed matrix is in: `indptr` says where
/// the cells of every part begin, and where those of the last end.
fn repeated(archive: &mut Archive, parts: usize, cells: usize) -> Result<Vec<u32>> {
    let why = format!("indptr does not divide {cells} cells into {parts} parts");
    let mut ends = archive.numbers("indptr", Kind::Whole)?;
    if ends.next().transpose()? != Some(0.0) {
        return Err(ends.broken(why));
    }
    let mut found = vec![];
    for part in 0..parts {
        match ends.next().transpose()? {
            Some(end) if end >= found.len() as f64 && end <= cells as f64 => {
                found.resize(end as usize, part as u32);
            }
            _ => return Err(ends.broken(why)),
        }
    }
    match ends.next().transpose()? {
        None if found.len() == cells => Ok(found),
        _ => Err(ends.broken(why)),
    }
}

/// Puts all cells.
fn put(archive: &mut Archive, places: &Places, cells: &mut Cells) -> Result<()> {
    let Places { rows, columns } = places;
    let mut values = archive.numbers("data", Kind::Any)?;
    let as_many = rows.len() == columns.len() && values.len() == rows.len() as u64;
    if !as_many {
        return Err(values.broken("not every cell has a row, a column and a value"));
    }
    if values.are_bools {
        cells.are_bools();
    }
    for (&row, &column) in rows.iter().zip(columns) {
        if let Some(value) = values.next().transpose()? {
            cells.put(row as usize, column as usize, value);
        }
    }
    // (what follows the last is an error)
    values.next().transpose().map(|_| ())
}
