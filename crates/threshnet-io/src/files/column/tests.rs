//! Cells of every kind, in one block or in several.

use super::*;
use crate::cell::Rules;
use crate::files::places::Places;

/// A column of the given cells, cut into blocks of so many rows.
fn column(keep: Keep, cells: &[&str], rows: usize) -> Column {
    let mut column = Column::new(keep);
    for cells in cells.chunks(rows) {
        let mut block = Block::new(&[keep], cells.len(), Places::lines());
        for (row, cell) in cells.iter().enumerate() {
            block.put_text(row, 0, cell, &Rules::default());
            block.places.push(row as u64);
        }
        column.append(&block, 0);
    }
    column
}

#[test]
fn numbers_are_parsed_in_64_bit() {
    let cells = ["1", " -2.5e-3 ", "+7", "0.1234567890123456789", ".5"];
    let values = vec![1.0, -2.5e-3, 7.0, 0.123_456_789_012_345_68, 0.5];
    for keep in [Keep::Values, Keep::Spelling] {
        for rows in 1..=5 {
            let column = column(keep, &cells, rows);
            assert_eq!(column.first_text, None);
            assert_eq!(column.first_number, Some((0, 1.0)));
            assert_eq!(column.missing, 0);
            assert_eq!(column.numbers(), values);
            assert_eq!(column.into_numbers(), values);
        }
    }
}

#[test]
fn missing_and_infinite_cells_are_counted() {
    for cell in [
        "", " ", "NA", "N/A", "NaN", "nan", "null", ".", "inf", "-Inf", "1e999",
    ] {
        for keep in [Keep::Values, Keep::Spelling] {
            for rows in 1..=4 {
                let column = column(keep, &["1", cell, "2", cell], rows);
                assert_eq!(column.missing, 2, "{cell}");
                assert_eq!(column.first_missing, Some(1));
                assert_eq!(column.first_text, None);
                assert!(column.numbers()[1].is_nan());
                assert_eq!(column.numbers()[2], 2.0);
            }
        }
    }
}

#[test]
fn text_has_levels_and_codes() {
    let cells = ["NA", "m", "f", "", "m", " f "];
    for rows in 1..=6 {
        let column = column(Keep::Values, &cells, rows);
        let Cells::Text(text) = &column.cells else {
            panic!("{column:?}");
        };
        let levels: Vec<&String> = text.levels().iter().collect();
        assert_eq!(levels, ["m", "f"]);
        let none = Text::MISSING;
        assert_eq!(text.codes(), [none, 0, 1, none, 0, 1]);
        assert_eq!((column.missing, column.first_missing), (2, Some(0)));
        assert_eq!((column.first_text, column.text_cell()), (Some(1), "m"));
        assert_eq!(column.first_number, None);
        assert_eq!(column.spelled(), ["", "m", "f", "", "m", "f"]);
        assert!(!text.identifies());
    }
}

#[test]
fn mixtures_remember_the_first_cell_of_each_kind() {
    for (cells, text, number) in [
        (&["1.0", "NA", "a", "2.0", "b"][..], (2, "a"), (0, 1.0)),
        (&["a", "", "b", "7", "c", "8"], (0, "a"), (3, 7.0)),
        (&["", "", "7", "c"], (3, "c"), (2, 7.0)),
    ] {
        for rows in 1..=cells.len() {
            let mixed = column(Keep::Values, cells, rows);
            assert!(matches!(mixed.cells, Cells::Mixed(_)), "{cells:?} {rows}");
            assert_eq!(mixed.first_text, Some(text.0), "{cells:?} {rows}");
            assert_eq!(mixed.text_cell(), text.1, "{cells:?} {rows}");
            assert_eq!(mixed.first_number, Some(number));
            assert_eq!(
                mixed.missing,
                cells.iter().filter(|c| ["", "NA"].contains(c)).count()
            );
            // as it is spelled, it is all there
            let spelled = column(Keep::Spelling, cells, rows);
            let expected: Vec<&str> = cells.iter().map(|c| c.trim_start_matches("NA")).collect();
            assert_eq!(spelled.spelled(), expected);
            assert_eq!(spelled.first_text, Some(text.0));
        }
    }
}
