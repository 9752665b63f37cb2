//! How the cells of text files are written: kept with a model, so that it reads the next file as it read the first.

use serde::{Deserialize, Serialize};

/// How a file writes what it knows, where that is not the usual way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// What divides a number from its decimals, if it was said; the other of the two then divides
    /// thousands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<Decimal>,
    /// What says that a value is missing, beside the usual markers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// What becomes of cells such as `<5`, if they are not refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub censored_cells: Option<CensoredCells>,
}

/// What divides a number from its decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// `1.5`, and `1,500.5` with thousands.
    #[serde(rename = ".")]
    Point,
    /// `1,5`, and `1.500,5` with thousands.
    #[serde(rename = ",")]
    Comma,
}

/// What becomes of a cell that says no more than that a value is below a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CensoredCells {
    /// Half of the limit.
    Half,
}

impl Reading {
    /// Whether nothing unusual is known.
    pub fn is_usual(&self) -> bool {
        *self == Reading::default()
    }

    /// These choices, and where there are none those of another.
    pub fn or(self, other: &Reading) -> Reading {
        Reading {
            decimal: self.decimal.or(other.decimal),
            na: match self.na.is_empty() {
                true => other.na.clone(),
                false => self.na,
            },
            censored_cells: self.censored_cells.or(other.censored_cells),
        }
    }
}
