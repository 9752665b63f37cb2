//! The network and the linear models beside it.

use super::FitReport;
use crate::settings::PenaltyName;
use crate::statistics::Estimate;
use crate::tune::Fit;
use serde::{Deserialize, Serialize};

/// A difference of so many standard errors is no accident.
const CLEAR: f64 = 2.0;

/// A model that was compared with the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedModel {
    /// Widths of its hidden layers; none for a linear model.
    pub hidden: Vec<usize>,
    /// Its penalty.
    pub penalty: PenaltyName,
    /// How many columns it selects.
    pub size: usize,
    /// Its loss on held-out rows.
    pub loss: Estimate,
    /// How much more it loses than the network on the same folds, if there were draws.
    pub behind: Option<Estimate>,
    /// Whether it is the model.
    pub chosen: bool,
}

impl ComparedModel {
    /// Whether it has no hidden layer.
    pub fn is_linear(&self) -> bool {
        self.hidden.is_empty()
    }

    /// What it is called: `linear`, or `network 10,5`.
    pub fn title(&self) -> String {
        if self.is_linear() {
            return "linear".into();
        }
        let widths: Vec<String> = self.hidden.iter().map(usize::to_string).collect();
        format!("network {}", widths.join(","))
    }
}

/// The network first; none if there was nothing to compare.
pub(super) fn compared(fit: &Fit) -> Vec<ComparedModel> {
    let entries = fit.contenders.iter().enumerate();
    entries
        .map(|(number, of)| ComparedModel {
            hidden: of.hidden.clone(),
            penalty: of.penalty.into(),
            size: of.size,
            loss: of.validation,
            behind: of.behind,
            chosen: number == fit.winner,
        })
        .collect()
}

/// Whether a network is needed, or a linear model would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkNeeded {
    /// It predicts clearly better.
    Yes,
    /// It predicts better, but within what chance explains.
    Perhaps,
    /// A linear model predicts as well, or better.
    No,
}

impl FitReport {
    /// Whether the best network beats the best linear model; none without a linear model.
    pub fn network_needed(&self) -> Option<NetworkNeeded> {
        let best = |linear: bool| {
            let kind = self.models.iter().filter(|of| of.is_linear() == linear);
            kind.min_by(|a, b| a.loss.mean.total_cmp(&b.loss.mean))
        };
        network_needed(best(false)?, best(true)?)
    }
}

fn network_needed(network: &ComparedModel, linear: &ComparedModel) -> Option<NetworkNeeded> {
    let behind = linear.loss.mean - network.loss.mean;
    // Without folds in common, what one hold-out says of itself must do.
    let se = linear.behind.unwrap_or(linear.loss).se;
    if behind.is_nan() {
        None
    } else if behind > CLEAR * se {
        Some(NetworkNeeded::Yes)
    } else if behind > 0.0 {
        Some(NetworkNeeded::Perhaps)
    } else {
        Some(NetworkNeeded::No)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(hidden: &[usize], loss: f64, behind: Option<f64>) -> ComparedModel {
        let with_se = |mean: f64| Estimate { mean, se: 0.1 };
        ComparedModel {
            hidden: hidden.to_vec(),
            penalty: PenaltyName::Mcp,
            size: 3,
            loss: with_se(loss),
            behind: behind.map(with_se),
            chosen: false,
        }
    }

    #[test]
    fn a_network_is_needed_if_it_is_ahead_by_two_standard_errors() {
        let network = model(&[10, 5], 1.0, Some(0.0));
        let said = |loss: f64, behind: Option<f64>| {
            network_needed(&network, &model(&[], loss, behind)).unwrap()
        };
        assert_eq!(said(1.4, Some(0.4)), NetworkNeeded::Yes);
        assert_eq!(said(1.1, Some(0.1)), NetworkNeeded::Perhaps);
        assert_eq!(said(0.9, Some(-0.1)), NetworkNeeded::No);
        assert_eq!(said(1.4, None), NetworkNeeded::Yes);
        assert_eq!(network_needed(&network, &model(&[], f64::NAN, None)), None);
        assert_eq!(model(&[], 1.0, None).title(), "linear");
        assert_eq!(network.title(), "network 10,5");
    }
}
