//! Feature selection as the paper printed it: Tables 1 and 2 of Luo and Halabi
//! (TMLR 2025), 200 replicates a cell.

use crate::name::StudyName;

/// Replicates behind every printed figure.
pub const REPLICATES: f64 = 200.0;

/// One cell: percentages, and the number of selected columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    pub fpr: f64,
    pub fnr: f64,
    pub size: f64,
    pub size_sd: f64,
}

type Line = (&'static str, Option<f64>, &'static str, [[f64; 4]; 3]);

/// Columns: 300 × 20, 500 × 20, 500 × 1000; each FPR, FNR, size, its SD.
#[rustfmt::skip]
const TABLE1: [Line; 17] = [
    ("regression", None, "stg", [[7.8, 5.4, 5.0, 2.0], [7.2, 2.1, 5.1, 1.7], [1.6, 12.1, 19.2, 28.0]]),
    ("regression", None, "glasso", [[86.7, 4.4, 17.7, 4.7], [96.0, 0.6, 19.3, 2.2], [24.3, 29.2, 245.0, 98.7]]),
    ("regression", None, "gmcp", [[2.2, 4.5, 4.2, 1.0], [2.1, 4.2, 4.2, 1.0], [0.0, 5.8, 4.1, 0.9]]),
    ("regression", None, "gscad", [[2.4, 5.0, 4.2, 1.1], [2.0, 3.2, 4.2, 0.9], [0.0, 7.1, 4.1, 1.0]]),
    ("classification", None, "stg", [[25.3, 16.5, 7.4, 6.9], [10.1, 11.0, 5.2, 4.8], [3.8, 15.6, 40.9, 183.4]]),
    ("classification", None, "glasso", [[89.2, 1.0, 18.2, 2.8], [94.7, 0.2, 19.1, 2.0], [16.3, 21.5, 165.4, 92.9]]),
    ("classification", None, "gmcp", [[14.4, 3.9, 6.2, 3.6], [9.3, 0.8, 5.5, 2.6], [0.3, 16.2, 6.5, 4.2]]),
    ("classification", None, "gscad", [[11.6, 5.8, 5.6, 2.9], [7.0, 1.0, 5.1, 1.9], [0.3, 16.8, 6.8, 5.9]]),
    ("survival", Some(0.0), "glasso", [[97.2, 0.0, 19.5, 1.0], [99.2, 0.0, 19.9, 0.5], [18.2, 20.0, 184.8, 56.2]]),
    ("survival", Some(0.0), "gmcp", [[1.6, 0.4, 4.2, 0.6], [0.8, 0.0, 4.1, 0.4], [0.0, 1.5, 4.1, 0.5]]),
    ("survival", Some(0.0), "gscad", [[1.9, 0.2, 4.3, 0.6], [1.2, 0.0, 4.2, 0.5], [0.0, 1.6, 4.1, 0.7]]),
    ("survival", Some(0.2), "glasso", [[98.0, 0.1, 19.7, 0.8], [99.6, 0.0, 19.9, 0.3], [16.8, 18.0, 170.6, 49.0]]),
    ("survival", Some(0.2), "gmcp", [[1.9, 0.4, 4.3, 0.9], [1.7, 0.0, 4.3, 1.0], [0.0, 2.6, 4.2, 0.9]]),
    ("survival", Some(0.2), "gscad", [[1.8, 0.2, 4.3, 0.9], [1.7, 0.1, 4.3, 0.8], [0.0, 3.5, 4.1, 0.7]]),
    ("survival", Some(0.4), "glasso", [[95.0, 0.0, 19.2, 1.7], [98.8, 0.0, 19.8, 0.5], [15.2, 19.9, 154.6, 48.4]]),
    ("survival", Some(0.4), "gmcp", [[5.8, 8.1, 4.6, 1.5], [1.2, 0.1, 4.2, 0.5], [0.0, 4.2, 4.1, 1.0]]),
    ("survival", Some(0.4), "gscad", [[4.8, 7.5, 4.5, 1.3], [1.7, 0.0, 4.3, 0.7], [0.0, 4.9, 4.2, 1.0]]),
];

/// Correlated columns, 500 × 1000.
#[rustfmt::skip]
const TABLE2: [(&str, Option<f64>, &str, [f64; 4]); 11] = [
    ("regression", None, "stg", [8.4, 16.6, 86.8, 132.6]),
    ("regression", None, "glasso", [28.8, 26.6, 290.0, 144.6]),
    ("regression", None, "gmcp", [0.1, 13.4, 4.0, 1.4]),
    ("regression", None, "gscad", [0.1, 13.2, 4.0, 1.2]),
    ("classification", None, "stg", [1.5, 21.0, 18.6, 121.1]),
    ("classification", None, "glasso", [19.3, 22.4, 195.7, 116.4]),
    ("classification", None, "gmcp", [0.2, 13.9, 5.5, 4.5]),
    ("classification", None, "gscad", [0.1, 11.8, 4.8, 2.9]),
    ("survival", Some(0.2), "glasso", [16.0, 1.9, 163.1, 51.4]),
    ("survival", Some(0.2), "gmcp", [0.0, 0.0, 4.1, 0.4]),
    ("survival", Some(0.2), "gscad", [0.0, 0.0, 4.1, 0.6]),
];

/// What the paper printed for a cell and a method, if it did.
pub fn published(
    study: StudyName,
    (model, censoring): (&str, Option<f64>),
    method: &str,
    (n, d): (usize, usize),
) -> Option<Published> {
    let is = |m: &str, c: Option<f64>, by: &str| (m, c, by) == (model, censoring, method);
    let [fpr, fnr, size, size_sd] = match study {
        StudyName::Table1 => {
            let column = match (n, d) {
                (300, 20) => 0,
                (500, 20) => 1,
                (500, 1000) => 2,
                _ => return None,
            };
            TABLE1.iter().find(|(m, c, by, _)| is(m, *c, by))?.3[column]
        }
        StudyName::Table2 => TABLE2.iter().find(|(m, c, by, _)| is(m, *c, by))?.3,
        _ => return None,
    };
    Some(Published {
        fpr,
        fnr,
        size,
        size_sd,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_rates() {
        // MS = 4·(1 − FNR) + (d − 4)·FPR, up to the rounding of all three
        let sizes = [20.0, 20.0, 1000.0];
        let table1 = TABLE1.iter().flat_map(|line| line.3.into_iter().zip(sizes));
        let table2 = TABLE2.iter().map(|line| (line.3, 1000.0));
        for ([fpr, fnr, size, _], d) in table1.chain(table2) {
            let implied = 4.0 * (1.0 - fnr / 100.0) + (d - 4.0) * fpr / 100.0;
            let rounding = 0.05 + 0.0005 * (d - 4.0) + 0.002;
            assert!((implied - size).abs() <= rounding, "{fpr}, {fnr}, {size}");
        }
    }
}
