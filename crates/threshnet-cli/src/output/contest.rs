//! The network and the linear models beside it, for `summary.json` and for a person.

use serde_json::{Value, json};
use threshnet::format::short;
use threshnet::statistics::Estimate;
use threshnet::tune::{Contender, Fit};
use threshnet_report::is_needed;

/// The `models` of `summary.json`, the network first; none if there was no contest.
pub fn to_json(fit: &Fit) -> Vec<Value> {
    let entries = fit.contenders.iter().enumerate();
    entries
        .map(|(number, of)| {
            json!({
                "model": kind(of),
                "penalty": of.penalty.name(),
                "size": of.size,
                "value": of.validation.mean,
                "se": of.validation.se,
                "behind": of.behind.map(|behind| behind.mean),
                "behind_se": of.behind.map(|behind| behind.se),
                "chosen": number == fit.winner,
            })
        })
        .collect()
}

/// The same as lines; `metric` is that of the validation.
pub fn to_lines(fit: &Fit, metric: &str) -> Vec<String> {
    if fit.contenders.is_empty() {
        return vec![];
    }
    let names: Vec<String> = (fit.contenders.iter())
        .map(|of| format!("{} ({})", kind(of), of.penalty.name()))
        .collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut lines = vec![match verdict(&fit.contenders) {
        Some(verdict) => format!("non-linear? {verdict}"),
        None => "models".into(),
    }];
    for (number, (name, of)) in names.iter().zip(&fit.contenders).enumerate() {
        let Estimate { mean, se } = of.validation;
        let chosen = if number == fit.winner {
            "  ← the model"
        } else {
            ""
        };
        lines.push(format!(
            "            {name:width$}  {metric} {} (SE {}), {} columns{chosen}",
            short(mean),
            short(se),
            of.size
        ));
    }
    lines
}

fn kind(of: &Contender) -> String {
    match &of.hidden[..] {
        [] => "linear".into(),
        hidden => {
            let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
            format!("network {}", widths.join(","))
        }
    }
}

/// Whether a network is needed: whether the best one beats the best linear model clearly;
/// none without a linear model.
fn verdict(contenders: &[Contender]) -> Option<&'static str> {
    let best = |linear: bool| {
        let kind = contenders.iter().filter(|of| of.is_linear() == linear);
        kind.min_by(|a, b| a.validation.mean.total_cmp(&b.validation.mean))
    };
    let (network, linear) = (best(false)?, best(true)?);
    // Without folds in common, what one hold-out says of itself must do.
    let se = linear.behind.unwrap_or(linear.validation).se;
    Some(is_needed(
        network.validation.mean,
        (linear.validation.mean, se),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshnet::penalty::Penalty;

    fn contender(hidden: &[usize], loss: f64, behind: f64) -> Contender {
        Contender {
            hidden: hidden.to_vec(),
            penalty: Penalty::MCP,
            validation: Estimate {
                mean: loss,
                se: 0.1,
            },
            size: 3,
            behind: Some(Estimate {
                mean: behind,
                se: 0.1,
            }),
        }
    }

    #[test]
    fn the_verdict_asks_the_better_linear_model() {
        let network = contender(&[10, 5], 1.0, 0.0);
        let said = |linear: &[(f64, f64)]| {
            let linear = (linear.iter()).map(|&(loss, behind)| contender(&[], loss, behind));
            let all: Vec<Contender> = std::iter::once(network.clone()).chain(linear).collect();
            verdict(&all).map(|verdict| verdict.split(':').next().unwrap())
        };
        assert_eq!(said(&[(1.5, 0.5), (1.4, 0.4)]), Some("yes"));
        assert_eq!(said(&[(1.5, 0.5), (1.1, 0.1)]), Some("perhaps"));
        assert_eq!(said(&[(0.9, -0.1), (1.4, 0.4)]), Some("no"));
        assert_eq!(said(&[]), None);
        // a rival network stands for networks where it is the better one
        let all = [
            network.clone(),
            contender(&[10], 0.5, -0.5),
            contender(&[], 0.9, -0.1),
        ];
        assert!(verdict(&all).unwrap().starts_with("yes"));
    }
}
