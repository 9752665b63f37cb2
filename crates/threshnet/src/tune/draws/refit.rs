//! The networks of draws, fitted again to the columns that were selected.

use super::Draws;
use super::pick::{Averaged, Pick};
use crate::certificate::{Certificate, larger};
use crate::error::{Error, Result};
use crate::network::Mlp;
use crate::settings::Settings;
use crate::solver::{Solved, Status};
use crate::split::Split;
use crate::tune::part::Part;
use rayon::prelude::*;

/// Epochs on the selected columns.
const REFIT_EPOCHS: usize = 1000;

/// What its last fit may keep of a draw's penalties.
#[derive(Clone, Copy)]
pub struct Kept {
    /// The part of its λ.
    lambda: f64,
    /// The part of its ridge, which was chosen for many more columns.
    ridge: f64,
}

impl Kept {
    const fn new(lambda: f64, ridge: f64) -> Self {
        Kept { lambda, ridge }
    }
}

/// All, or no λ and ever less of the ridge: heavy tails of an outcome leave a ridge that
/// many columns need far too large for few.
pub const KEPT: [Kept; 5] = [
    Kept::new(0.0, 1.0),
    Kept::new(1.0, 1.0),
    Kept::new(0.0, 0.2),
    Kept::new(0.0, 0.03),
    Kept::new(0.0, 0.005),
];

impl Draws<'_> {
    /// These rows, with these columns for a network to use.
    pub fn part(&self, split: Split, selected: &[usize]) -> Part {
        let settings = Settings {
            columns: Some(selected.to_vec()),
            screen: None,
            ..self.search.settings.clone()
        };
        Part::new(self.search.data, split, &settings, true)
    }

    /// The networks of some draws, fitted to these columns of a part's rows.
    pub fn refits(
        &self,
        part: &Part,
        columns: &[usize],
        picks: Vec<&Pick>,
        kept: Kept,
    ) -> Result<(Vec<Mlp>, Vec<Solved>)> {
        let refitted: Vec<_> = picks
            .into_par_iter()
            .flat_map_iter(|pick| &pick.networks)
            .filter(|of| columns.is_empty() || of.selects_some_of(columns))
            .map(|of| self.refit(part, columns, of, kept))
            .collect();
        if self.search.observer.cancelled() {
            return Err(Error::Cancelled);
        }
        Ok(refitted.into_iter().unzip())
    }

    fn refit(&self, part: &Part, columns: &[usize], of: &Averaged, kept: Kept) -> (Mlp, Solved) {
        let settings = self.search.settings;
        let mut network = (self.scale)
            .translated(&of.network, &part.scale)
            .widened(columns);
        let problem = part.problem(settings, kept.ridge * of.ridge, false);
        let lambda = kept.lambda * of.lambda;
        let observer = self.search.observer;
        let solved =
            (settings.solver).solve(&problem, lambda, &mut network, REFIT_EPOCHS, observer);
        // (a column that came back in vain is no part of it)
        (network.pruned(), solved)
    }
}

/// The worst of every figure.
pub fn worst(solves: &[Solved]) -> Solved {
    let largest = |of: fn(&Solved) -> f64| solves.iter().map(of).fold(0.0, larger);
    let status = solves.iter().map(|s| s.status).max_by_key(|s| s.severity());
    Solved {
        status: status.unwrap_or(Status::Skipped),
        epochs: solves.iter().map(|s| s.epochs).sum(),
        loss: solves.iter().map(|s| s.loss).sum::<f64>() / solves.len() as f64,
        certificate: Certificate {
            active: largest(|s| s.certificate.active),
            inactive: largest(|s| s.certificate.inactive),
            rest: largest(|s| s.certificate.rest),
        },
    }
}
