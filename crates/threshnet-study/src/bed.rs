//! Genotypes in PLINK's binary format, as dosages: how many copies a row has of the first allele.
//!
//! `.bed` begins with the bytes 6c 1b 01 and has four rows to a byte, the first in the lowest two
//! bits, each variant beginning a byte: 00 two copies, 10 one, 11 none, 01 not known. `.bim` has a
//! line per variant with its name second, `.fam` a line per row.

use super::raw::{Cells, Raw, bytes, numbered};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The files of a data set, each where it was found.
pub struct Files<'a> {
    pub bed: &'a Path,
    pub bim: &'a Path,
    pub fam: &'a Path,
}

/// Reads variants as columns.
pub fn read(files: &Files) -> Result<Raw> {
    let rows = lines(files.fam)?.lines().count();
    let variants = lines(files.bim)?;
    let names: Option<Vec<&str>> = (variants.lines())
        .map(|line| line.split_whitespace().nth(1))
        .collect();
    let names = names.with_context(|| {
        let shown = files.bim.display();
        format!("{shown}: a line without the name of a variant; download it again")
    })?;
    let genotypes = bytes(files.bed)?;
    let of_variant = rows.div_ceil(4);
    if genotypes.get(..3) != Some(&[0x6c, 0x1b, 1])
        || genotypes.len() != 3 + of_variant * names.len()
    {
        bail!(
            "{}: not the genotypes of {rows} rows and {} variants, variant by variant; download \
             it again",
            files.bed.display(),
            names.len()
        );
    }
    let variants = (0..names.len()).map(|at| &genotypes[3 + at * of_variant..][..of_variant]);
    Ok(Raw {
        columns: variants
            .map(|variant| Cells::Numbers((0..rows).map(|row| dosage(variant, row)).collect()))
            .collect(),
        names: numbered(names.into_iter()),
    })
}

fn dosage(variant: &[u8], row: usize) -> f64 {
    match variant[row / 4] >> (2 * (row % 4)) & 3 {
        0 => 2.0,
        1 => f64::NAN,
        2 => 1.0,
        _ => 0.0,
    }
}

/// A file of words in lines, a column of words as cells: numbers, or `NA`.
pub fn column_of_words(path: &Path, column: usize) -> Result<Cells> {
    let text = lines(path)?;
    let numbers = text.lines().enumerate().map(|(at, line)| {
        let word = line.split_whitespace().nth(column);
        let number = word.and_then(|word| match word {
            "NA" => Some(f64::NAN),
            word => word.parse().ok(),
        });
        number.with_context(|| {
            format!(
                "{}: line {}: no number in column {}; download it again",
                path.display(),
                at + 1,
                column + 1
            )
        })
    });
    Ok(Cells::Numbers(numbers.collect::<Result<_>>()?))
}

fn lines(path: &Path) -> Result<String> {
    String::from_utf8(bytes(path)?)
        .ok()
        .with_context(|| format!("{}: not text; download it again", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn genotypes_are_copies_of_the_first_allele() {
        let home = tempfile::tempdir().unwrap();
        let [bed, bim, fam] = ["m.bed", "m.bim", "m.fam"].map(|name| home.path().join(name));
        fs::write(&fam, "1 a\n1 b\n1 c\n1 d\n1 e\n").unwrap();
        fs::write(&bim, "1 rs1 0 1 A C\n1 rs2 0 2 G T\n").unwrap();
        // rs1: 2, not known, 1, 0, 2; rs2: 0, 0, 0, 0, 1
        fs::write(&bed, [0x6c, 0x1b, 1, 0b1110_0100, 0, 0xff, 0b10]).unwrap();
        let files = Files {
            bed: &bed,
            bim: &bim,
            fam: &fam,
        };
        let raw = read(&files).unwrap();
        assert_eq!(raw.names, ["rs1", "rs2"]);
        let first = raw.columns[0].numbers().unwrap();
        assert_eq!(format!("{first:?}"), "[2.0, NaN, 1.0, 0.0, 2.0]");
        assert_eq!(raw.columns[1].numbers().unwrap(), [0.0, 0.0, 0.0, 0.0, 1.0]);
        // a byte short, and row by row
        for bad in [&[0x6c, 0x1b, 1, 0, 0, 0][..], &[0x6c, 0x1b, 0, 0, 0, 0, 0]] {
            fs::write(&bed, bad).unwrap();
            let problem = read(&files).err().unwrap().to_string();
            assert!(
                problem.contains("m.bed: not the genotypes of 5 rows"),
                "{problem}"
            );
        }
    }

    #[test]
    fn phenotypes_are_words() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("pheno.txt");
        fs::write(&path, "0.5\tNA\n-1 2\n").unwrap();
        assert_eq!(
            column_of_words(&path, 0).unwrap(),
            Cells::Numbers(vec![0.5, -1.0])
        );
        let second = column_of_words(&path, 1).unwrap();
        assert!(second.numbers().unwrap()[0].is_nan());
        let problem = column_of_words(&path, 2).err().unwrap().to_string();
        assert!(
            problem.contains("line 1: no number in column 3"),
            "{problem}"
        );
    }
}
