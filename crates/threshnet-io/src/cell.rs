//! What a single cell says: a number, a text, or that its value is not known.

/// How a cell says that its value is not known.
const MISSING: [&str; 7] = ["", "NA", "N/A", "NaN", "nan", "null", "."];

/// The number in a cell, NaN if it is missing or not finite, `None` if it is text.
pub fn parse(cell: &str) -> Option<f64> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Some(value),
        Ok(_) => Some(f64::NAN),
        Err(_) => MISSING.contains(&cell).then_some(f64::NAN),
    }
}

/// A number with a decimal comma, such as `-1,5`, as it should be written.
pub fn decimal_point(cell: &str) -> Option<String> {
    let point = cell.replacen(',', ".", 1);
    let number = cell.contains(',') && point.parse::<f64>().is_ok_and(f64::is_finite);
    number.then_some(point)
}
