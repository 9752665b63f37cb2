//! Which byte separates the cells of a file: what its first rows say, and its name in doubt.

use super::cells::first_rows;
use std::path::Path;

/// Rows that are looked at.
const SAMPLED: usize = 20;

/// The delimiter of a file that begins with these bytes.
///
/// The header must have it. The one is taken by which the rows have as many cells as the header,
/// and among several of these the one that the file's name stands for, then the one that makes
/// most cells. Blanks separate cells only where nothing else does, and every row agrees (or has
/// one more cell than the header: a row name).
pub fn detect(path: &Path, start: &[u8]) -> u8 {
    let usual = by_name(path);
    let best = [b',', b'\t', b';', b'|']
        .into_iter()
        .filter_map(|delimiter| {
            let cells = counts(start, delimiter);
            let header = *cells.first().filter(|&&cells| cells > 1)?;
            let agree = cells.iter().all(|&cells| cells == header);
            Some(((agree, delimiter == usual, header), delimiter))
        })
        .max_by_key(|&(merit, _)| merit);
    match best {
        Some((_, delimiter)) => delimiter,
        None if separated_by_blanks(start) => b' ',
        None => usual,
    }
}

/// How many cells the first rows have.
fn counts(start: &[u8], delimiter: u8) -> Vec<usize> {
    first_rows(start, delimiter, SAMPLED)
        .map(Iterator::count)
        .collect()
}

fn separated_by_blanks(start: &[u8]) -> bool {
    let cells = counts(start, b' ');
    match cells.split_first() {
        Some((&header, rows @ [first, ..])) if header > 1 => {
            [header, header + 1].contains(first) && rows.iter().all(|cells| cells == first)
        }
        _ => false,
    }
}

/// The delimiter that a name stands for.
fn by_name(path: &Path) -> u8 {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.ends_with(".tsv") || name.ends_with(".tab") {
        true => b'\t',
        false => b',',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rows_tell_the_delimiter() {
        for (name, text, delimiter) in [
            ("d.csv", "a,b\n1,2\n", b','),
            ("d.csv", "a;b\n1,5;2,5\n", b';'),
            ("d.csv", "a\tb\n1\t2\n", b'\t'),
            ("d.txt", "a|b\n1|2\n", b'|'),
            ("d.txt", "a b\n1 2\n", b' '),
            ("d.txt", "\"a b\" c\n\"r 1\" 1 2\n\"r 2\" 3 4\n", b' '),
            // text that has other separators
            ("d.csv", "a;b,c\n1,2\n3;4,5\n", b','),
            ("d.csv", "a,\"b;c;d\"\n1,2\n", b','),
            ("d.tsv", "a\tb,c\n1\t2\n", b'\t'),
            ("d.tsv", "a,b\tc,d\n1,2\t3,4\n", b'\t'),
            ("d.csv", "a,b\tc,d\n1,2\t3,4\n", b','),
            // one column, and rows that go wrong later
            ("d.csv", "the name\n1\n2\n", b','),
            ("d.csv", "a,b\nrow1,2,3\n", b','),
            ("d.tsv.gz", "a\n1\n", b'\t'),
            ("d.csv", "", b','),
        ] {
            let found = detect(Path::new(name), text.as_bytes());
            assert_eq!(found as char, delimiter as char, "{name} {text:?}");
        }
    }
}
