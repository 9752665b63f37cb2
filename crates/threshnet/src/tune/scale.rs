//! How raw columns and a raw outcome become what a network sees, as some rows have it.

use crate::columns::Scaling;
use crate::dataset::{Dataset, Outcome, Response};
use crate::network::{Mlp, Units};
use crate::settings::Settings;
use crate::statistics::weighted_moments;

/// Centres and scales of columns and outcome.
pub struct Scale {
    pub columns: Scaling,
    /// The value of a standardised continuous outcome that becomes 0; 0 for others.
    pub center: f64,
    /// How much of it becomes 1; 1 for others.
    pub unit: f64,
}

impl Scale {
    /// As these rows have it.
    pub fn learn(data: &Dataset, rows: &[usize], settings: &Settings) -> Scale {
        Scale::learn_among(data, rows, settings, 0..data.d())
    }

    /// The same where no other columns than these will be asked for.
    pub fn learn_among(
        data: &Dataset,
        rows: &[usize],
        settings: &Settings,
        columns: impl IntoIterator<Item = usize>,
    ) -> Scale {
        let columns = Scaling::learn_among(data, rows, settings.standardize, columns);
        let as_it_is = Scale {
            columns,
            center: 0.0,
            unit: 1.0,
        };
        let Outcome::Continuous(y) = data.outcome() else {
            return as_it_is;
        };
        if !settings.standardize {
            return as_it_is;
        }
        let weights = data.response().rows(rows).weights;
        let values = rows.iter().map(|&row| y[row]);
        let moments = weighted_moments(values, weights.as_deref().into());
        let constant = rows.iter().all(|&row| y[row] == y[rows[0]]);
        let (center, unit) = match (moments.mean, moments.deviation) {
            // few rows can all have the same outcome
            (mean, _) if constant => (mean, 1.0),
            // (a linear model has no bends to find)
            (mean, deviation) if settings.hidden.is_empty() => (mean, deviation),
            (mean, deviation) => (mean - settings.lift * deviation, deviation),
        };
        Scale {
            center,
            unit,
            ..as_it_is
        }
    }

    /// The same function of raw columns by a network of this scale, on another one.
    pub fn translated(&self, network: &Mlp, to: &Scale) -> Mlp {
        network.rescaled(self.units(), to.units())
    }

    /// A response as the network sees it.
    pub fn standardised(&self, response: Response) -> Response {
        let outcome = match response.outcome {
            Outcome::Continuous(y) => {
                let standardised = y.iter().map(|y| (y - self.center) / self.unit);
                Outcome::Continuous(standardised.collect())
            }
            other => other,
        };
        Response {
            outcome,
            ..response
        }
    }

    fn units(&self) -> Units<'_> {
        Units {
            columns: &self.columns,
            center: self.center,
            unit: self.unit,
        }
    }
}
