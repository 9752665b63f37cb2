//! What single columns hold, and which are equal.

use crate::files::column::{Cells, Column, Stored};
use crate::files::overview::text_name;
use crate::files::table::Table;
use crate::files::wording::quoted;
use rayon::prelude::*;
use std::collections::HashMap;

/// A column and what is in it.
pub struct Described {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub kind: Kind,
    /// How many cells are missing or not finite.
    pub missing: usize,
    /// Whether all cells that are not missing are equal.
    pub constant: bool,
    /// Whether it is the outcome, or a part of it.
    pub outcome: bool,
    /// Why it should not be a feature, though it could be.
    pub alarm: Option<String>,
    /// Its position in the table, if it was read.
    at: Option<usize>,
}

/// What is in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Numbers,
    /// Text of so many levels.
    Text(usize),
    /// Text that differs in most rows.
    Identifiers,
    /// Dates.
    Dates,
    /// Numbers and text, and where the first of each is.
    Mixed(String),
    /// No cell at all.
    Empty,
    /// What cannot be read, and why.
    Unreadable(String),
}

impl Kind {
    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Numbers => "numbers",
            Kind::Text(_) => "text",
            Kind::Identifiers => "identifiers",
            Kind::Dates => "dates",
            Kind::Mixed(_) => "mixed",
            Kind::Empty => "empty",
            Kind::Unreadable(_) => "unreadable",
        }
    }
}

impl Described {
    /// A column of which no more is known, for it cannot be read.
    pub fn of_kind(name: &str, kind: Kind) -> Described {
        Described {
            name: name.to_string(),
            kind,
            missing: 0,
            constant: false,
            outcome: false,
            alarm: None,
            at: None,
        }
    }

    /// A column of a table.
    pub fn new(name: &str, table: &Table, at: usize, column: &Column) -> Described {
        let mixed = |text: usize, (row, number): (usize, f64)| {
            let (cell, at) = (quoted(column.text_cell()), table.place(text));
            Kind::Mixed(format!("{at}: {cell}, {}: {number}", table.place(row)))
        };
        let kind = match (column.first_text, column.first_number, &column.cells) {
            (None, None, _) => Kind::Empty,
            (None, Some(_), _) => Kind::Numbers,
            (Some(text), Some(number), _) => mixed(text, number),
            (Some(_), None, _) if column.is_dates() => Kind::Dates,
            (Some(_), None, Cells::Text(text)) if text.identifies() => Kind::Identifiers,
            (Some(_), None, Cells::Text(text)) => Kind::Text(text.levels().len()),
            (Some(_), None, _) => Kind::Text(1),
        };
        Described {
            constant: constant(column),
            alarm: number_in_disguise(name, column),
            missing: column.missing,
            at: Some(at),
            ..Described::of_kind(name, kind)
        }
    }

    /// Its name, and what there is to say of what is in it.
    pub fn shown(&self) -> String {
        match &self.kind {
            Kind::Text(levels) => text_name(&self.name, *levels),
            Kind::Mixed(problem) | Kind::Unreadable(problem) => {
                format!("{} ({problem})", self.name)
            }
            Kind::Numbers | Kind::Identifiers | Kind::Dates | Kind::Empty => self.name.clone(),
        }
    }

    /// Whether a fit can use it, and should.
    pub fn usable(&self) -> bool {
        matches!(self.kind, Kind::Numbers | Kind::Text(_)) && self.alarm.is_none()
    }
}

/// Parts of the names of columns that number rows.
const NUMBERS_ROWS: [&str; 11] = [
    "id", "pid", "patid", "patient", "subject", "sample", "case", "rownames", "index", "row", "nr",
];

/// From how many rows on a column of numbers can be told from identifiers.
const FEW_ROWS: usize = 20;

/// Why numbers are no feature: they number rows, or are dates.
fn number_in_disguise(name: &str, column: &Column) -> Option<String> {
    let Cells::Numbers(values) = &column.cells else {
        return None;
    };
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    if values.len() < FEW_ROWS || column.missing > 0 || !known().all(|value| value.fract() == 0.0) {
        return None;
    }
    let day = |value: f64| {
        let (year, month, day) = (value / 1e4, (value / 100.0) % 100.0, value % 100.0);
        (1900.0..2101.0).contains(&year)
            && (1.0..13.0).contains(&month)
            && (1.0..32.0).contains(&day)
    };
    if known().all(day) {
        return Some("looks like dates".into());
    }
    let mut sorted: Vec<f64> = known().collect();
    let counts_up = sorted.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    sorted.sort_by(f64::total_cmp);
    let all_differ = sorted.windows(2).all(|pair| pair[0] != pair[1]);
    let lower = name.to_lowercase();
    let is_named = lower
        .split(['_', '.', '-', ' '])
        .any(|part| NUMBERS_ROWS.contains(&part));
    (counts_up || (all_differ && is_named)).then(|| "looks like an identifier".into())
}

/// Whether all cells that are not missing are equal, and there are some.
fn constant(column: &Column) -> bool {
    match (&column.cells, column.first_number) {
        (Cells::Stored(stored), Some((_, first))) => {
            let left_out = stored.rows.len() < column.rows();
            let mut values = stored.values.iter();
            values.all(|&value| value == first || value.is_nan()) && (first == 0.0 || !left_out)
        }
        (Cells::Numbers(values), Some((_, first))) => {
            values.iter().all(|&value| value == first || value.is_nan())
        }
        (Cells::Text(text), _) => text.levels().len() == 1,
        _ => false,
    }
}

/// Columns of numbers that are equal to an earlier one, neither constant nor the outcome: (column,
/// the first of its kind).
pub fn duplicates(table: &Table, columns: &[Described]) -> Vec<(usize, usize)> {
    let numbers = |column: &Described| match &table.columns[column.at?].cells {
        Cells::Numbers(values) => Some(Numbers::All(values)),
        Cells::Stored(stored) => Some(Numbers::Stored(stored)),
        _ => None,
    };
    let hashes: Vec<Option<u64>> = (columns.par_iter())
        .map(|column| match column.constant || column.outcome {
            true => None,
            false => numbers(column).map(|numbers| numbers.hash()),
        })
        .collect();
    let mut firsts: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (position, hash) in hashes.iter().enumerate() {
        let Some(hash) = hash else { continue };
        let known = firsts.entry(*hash).or_default();
        let equal = known.iter().find(|&&first| {
            let (a, b) = (numbers(&columns[first]), numbers(&columns[position]));
            a.zip(b).is_some_and(|(a, b)| a.same(&b))
        });
        match equal {
            Some(&first) => found.push((position, first)),
            None => known.push(position),
        }
    }
    found
}

/// The numbers of a column, with or without zeros; as a file leaves them out everywhere or
/// nowhere, so do all columns of a table.
enum Numbers<'a> {
    All(&'a [f64]),
    Stored(&'a Stored),
}

impl Numbers<'_> {
    /// Whether columns are equal; missing cells are equal to each other.
    fn same(&self, other: &Numbers) -> bool {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        match (self, other) {
            (Numbers::All(a), Numbers::All(b)) => a.iter().zip(*b).all(|(&a, &b)| same(a, b)),
            (Numbers::Stored(a), Numbers::Stored(b)) => {
                let mut others = b.not_zero();
                let mut all = a.not_zero();
                all.all(|(row, a)| others.next().is_some_and(|(at, b)| at == row && same(a, b)))
                    && others.next().is_none()
            }
            _ => false,
        }
    }

    /// Equal columns have equal hashes.
    fn hash(&self) -> u64 {
        // (Fibonacci hashing: the multiplier is 2⁶⁴ over the golden ratio)
        let mix = |hash: u64, bits: u64| {
            let mixed = (hash ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed.rotate_left(29)
        };
        match self {
            // (adding 0 makes 0 of −0)
            Numbers::All(values) => {
                (values.iter()).fold(0, |hash, value| mix(hash, (value + 0.0).to_bits()))
            }
            Numbers::Stored(stored) => (stored.not_zero()).fold(0, |hash, (row, value)| {
                mix(mix(hash, row as u64), value.to_bits())
            }),
        }
    }
}
