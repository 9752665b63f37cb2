//! The network and the linear models beside it, for `summary.json` and for a person.

use super::short;
use serde_json::{Value, json};
use threshnet::tune::{Contender, Fit};

/// A difference of so many standard errors is no accident.
const CLEAR: f64 = 2.0;

/// The `models` of `summary.json`, the network first; none if there was no contest.
pub fn to_json(fit: &Fit) -> Vec<Value> {
    let entries = fit.contenders.iter().enumerate();
    entries
        .map(|(number, of)| {
            json!({
                "model": kind(of),
                "penalty": of.penalty.name(),
                "size": of.size,
                "value": of.validation.0,
                "se": of.validation.1,
                "behind": of.behind.map(|(mean, _)| mean),
                "behind_se": of.behind.map(|(_, se)| se),
                "chosen": number == fit.winner,
            })
        })
        .collect()
}

/// The same as lines; `metric` is that of the validation.
pub fn to_lines(fit: &Fit, metric: &str) -> Vec<String> {
    let Some((network, linear)) = fit.contenders.split_first() else {
        return vec![];
    };
    let names: Vec<String> = (fit.contenders.iter())
        .map(|of| format!("{} ({})", kind(of), of.penalty.name()))
        .collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut lines = vec![format!("non-linear? {}", verdict(network, linear))];
    for (number, (name, of)) in names.iter().zip(&fit.contenders).enumerate() {
        let (mean, se) = of.validation;
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

/// Whether the network is needed: whether it beats the better linear model clearly.
fn verdict(network: &Contender, linear: &[Contender]) -> &'static str {
    let better = |a: &&Contender, b: &&Contender| a.validation.0.total_cmp(&b.validation.0);
    let Some(best) = linear.iter().min_by(better) else {
        return "unknown";
    };
    // Without folds in common, what one hold-out says of itself must do.
    let (behind, se) = best
        .behind
        .unwrap_or((best.validation.0 - network.validation.0, best.validation.1));
    if behind > CLEAR * se {
        "yes: the network predicts clearly better than a linear model"
    } else if behind > 0.0 {
        "perhaps: the network predicts better than a linear model, but within what chance explains"
    } else {
        "no: a linear model predicts as well as the network, or better"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshnet::penalty::Penalty;

    fn contender(hidden: &[usize], loss: f64, behind: f64) -> Contender {
        Contender {
            hidden: hidden.to_vec(),
            penalty: Penalty::MCP,
            validation: (loss, 0.1),
            size: 3,
            behind: Some((behind, 0.1)),
        }
    }

    #[test]
    fn the_verdict_asks_the_better_linear_model() {
        let network = contender(&[10, 5], 1.0, 0.0);
        let said = |linear: &[(f64, f64)]| {
            let linear: Vec<Contender> = (linear.iter())
                .map(|&(loss, behind)| contender(&[], loss, behind))
                .collect();
            verdict(&network, &linear).split(':').next().unwrap()
        };
        assert_eq!(said(&[(1.5, 0.5), (1.4, 0.4)]), "yes");
        assert_eq!(said(&[(1.5, 0.5), (1.1, 0.1)]), "perhaps");
        assert_eq!(said(&[(0.9, -0.1), (1.4, 0.4)]), "no");
    }
}
