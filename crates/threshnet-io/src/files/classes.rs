//! The classes of a column: their order, their names and the class of each row.

use super::column::Column;
use crate::cell::parse;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Sorted classes and the class of every row.
#[derive(Debug)]
pub struct Classes {
    /// The position of each row's class in `names`.
    pub labels: Vec<usize>,
    /// Each class as it is written where it first occurs.
    pub names: Vec<String>,
}

impl Classes {
    /// The distinct values of a complete column: compared and sorted as numbers
    /// if all are numbers (so `1` and `1.0` are one class), else as text.
    pub fn of(column: &Column) -> Classes {
        let spelled = column.spelled();
        let (labels, firsts) = if column.first_text.is_none() {
            let values = column.numbers();
            let compare = |a: usize, b: usize| values[a].partial_cmp(&values[b]);
            rank(values.len(), |a, b| {
                compare(a, b).unwrap_or(Ordering::Equal)
            })
        } else {
            rank(spelled.len(), |a, b| spelled[a].cmp(&spelled[b]))
        };
        let names = firsts.iter().map(|&row| spelled[row].to_string()).collect();
        Classes { labels, names }
    }

    /// How many classes are not numbers.
    pub fn texts(&self) -> usize {
        let texts = self.names.iter().filter(|name| parse(name).is_none());
        texts.count()
    }
}

/// The class of every row in sorted order, and the first row of each class.
fn rank(rows: usize, compare: impl Fn(usize, usize) -> Ordering) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..rows).collect();
    // A stable sort: the first row of a class leads its run.
    order.sort_by(|&a, &b| compare(a, b));
    let mut labels = vec![0; rows];
    let mut firsts: Vec<usize> = Vec::new();
    for row in order {
        if firsts
            .last()
            .is_none_or(|&first| compare(first, row).is_ne())
        {
            firsts.push(row);
        }
        labels[row] = firsts.len() - 1;
    }
    (labels, firsts)
}

/// The position in `classes` of each cell, or the first row that is none of
/// them. Numbers are compared as numbers.
pub fn map_onto<S: AsRef<str>>(cells: &[S], classes: &[String]) -> Result<Vec<usize>, usize> {
    let positions = classes.iter().enumerate();
    let mut known: HashMap<&str, usize> = positions.map(|(at, class)| (&class[..], at)).collect();
    let numbers: Vec<Option<f64>> = classes.iter().map(|class| parse(class)).collect();
    let mut labels = Vec::with_capacity(cells.len());
    for (row, cell) in cells.iter().enumerate() {
        let cell = cell.as_ref();
        let label = known.get(cell).copied().or_else(|| {
            let value = parse(cell)?;
            numbers.iter().position(|&number| number == Some(value))
        });
        let label = label.ok_or(row)?;
        known.insert(cell, label);
        labels.push(label);
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Rules;
    use crate::files::places::Places;
    use crate::files::source::{Block, Keep};

    #[test]
    fn classes_are_sorted_and_keep_their_first_spelling() {
        for (cells, names, labels) in [
            ("1 0 1.0 0", "0 1", vec![1, 0, 1, 0]),
            ("+1 -1 1", "-1 +1", vec![1, 0, 1]),
            ("10 9 2", "2 9 10", vec![2, 1, 0]),
            ("0 -0 1", "0 1", vec![0, 0, 1]),
            ("b a b", "a b", vec![1, 0, 1]),
            ("10 9 x", "10 9 x", vec![0, 1, 2]),
            ("a a", "a", vec![0, 0]),
        ] {
            let cells: Vec<&str> = cells.split(' ').collect();
            let mut block = Block::new(&[Keep::Spelling], cells.len(), Places::lines());
            for (row, cell) in cells.iter().enumerate() {
                block.put_text(row, 0, cell, &Rules::default());
                block.places.push(row as u64);
            }
            let mut column = Column::new(Keep::Spelling);
            column.append(&block, 0);
            let classes = Classes::of(&column);
            assert_eq!(classes.names.join(" "), names);
            assert_eq!(classes.labels, labels, "{cells:?}");
        }
    }

    #[test]
    fn labels_are_mapped_onto_known_classes() {
        for (classes, cells, labels) in [
            ("0 1", "1.0 0 1 00", Ok(vec![1, 0, 1, 0])),
            ("-1 +1", "1 -1.0", Ok(vec![1, 0])),
            ("no yes", "yes yes no", Ok(vec![1, 1, 0])),
            ("no yes", "yes Yes", Err(1)),
            ("0 1", "0 2", Err(1)),
            ("0 1", "a", Err(0)),
        ] {
            let classes: Vec<String> = classes.split(' ').map(String::from).collect();
            let cells: Vec<&str> = cells.split(' ').collect();
            assert_eq!(map_onto(&cells, &classes), labels, "{cells:?}");
        }
    }
}
