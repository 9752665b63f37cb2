//! Models combined by what they say of rows that they did not see.
//!
//! To one of each, members are added one after the other, each time the one, chosen before or not, with which the
//! mean of all that were added predicts the held-out rows best; how often each was added is what it
//! counts (Caruana, Niculescu-Mizil, Crew and Ksikes 2004, ICML, "Ensemble selection from libraries
//! of models"). The mean is of responses: numbers, probabilities, log-risks. Few steps keep the
//! weights from fitting noise, as the weights of a regression on the members would.

use crate::dataset::{Response, Task};
use crate::ensemble::output_of;
use crate::loss::{Loss, Ties, for_response};

/// How many members are added to one of each, with which it begins: all count a little, for what
/// the held-out rows say of them is uncertain.
const STEPS: usize = 24;
/// No probability of a mean is below this: one row that a member is sure of would decide alone.
const LEAST_PROBABILITY: f64 = 1e-4;

/// What each member counts, together 1: those that together predict these rows best. Responses are
/// `[class][row]` or `[0][row]`.
pub fn weights(members: &[Vec<Vec<f64>>], response: &Response) -> Vec<f64> {
    let mut counts = vec![1.0; members.len()];
    let mut sum = weighted_sum(members, &counts);
    let of_response = for_response(response, Ties::Breslow);
    let loss = |mean: Vec<Vec<f64>>| held_out_loss(mean, response.task(), &*of_response);
    for step in 1..=STEPS {
        let total = (members.len() + step) as f64;
        let with = |member: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            let units = sum.iter().zip(member);
            let added = |(sum, own): (&Vec<f64>, &Vec<f64>)| {
                let values = sum.iter().zip(own);
                values.map(|(sum, own)| (sum + own) / total).collect()
            };
            units.map(added).collect()
        };
        let losses = members.iter().map(|member| loss(with(member)));
        let best = losses.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let (best, _) = best.expect("there is a member");
        counts[best] += 1.0;
        for (sum, own) in sum.iter_mut().zip(&members[best]) {
            for (sum, own) in sum.iter_mut().zip(own) {
                *sum += own;
            }
        }
    }
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

/// The sum of members, each times its weight.
pub fn weighted_sum(members: &[Vec<Vec<f64>>], weights: &[f64]) -> Vec<Vec<f64>> {
    let mut sum: Vec<Vec<f64>> = members[0]
        .iter()
        .map(|unit| vec![0.0; unit.len()])
        .collect();
    for (member, weight) in members.iter().zip(weights) {
        for (sum, own) in sum.iter_mut().flatten().zip(member.iter().flatten()) {
            *sum += weight * own;
        }
    }
    sum
}

/// The loss of these responses; of survival the partial likelihood of all rows.
fn held_out_loss(mut mean: Vec<Vec<f64>>, task: Task, loss: &dyn Loss) -> f64 {
    if matches!(task, Task::Binary | Task::Multiclass) {
        for probability in mean.iter_mut().flatten() {
            *probability = probability.max(LEAST_PROBABILITY);
        }
    }
    let value = loss.value(&output_of(task, mean));
    if value.is_nan() { f64::INFINITY } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Outcome;
    use crate::random::{Purpose, Random};

    #[test]
    fn the_better_counts_more_and_two_that_err_apart_count_both() {
        let mut random = Random::new(1, Purpose::Simulation, 0, 0);
        let mut noisy = |y: &[f64], sd: f64| -> Vec<Vec<f64>> {
            vec![y.iter().map(|y| y + sd * random.normal()).collect()]
        };
        let y: Vec<f64> = (0..400).map(|i| f64::from(i % 7) - 3.0).collect();
        let members = [noisy(&y, 1.0), noisy(&y, 1.0), noisy(&y, 8.0)];
        let response = Response::from(Outcome::Continuous(y.clone()));
        let found = weights(&members, &response);
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // by least squares: ½, ½ and about 1/130
        assert!(
            (found[0] - 0.5).abs() < 0.1 && (found[1] - 0.5).abs() < 0.1,
            "{found:?}"
        );
        assert!(found[2] <= 0.1, "{found:?}");
        let squares =
            |mean: &[f64]| -> f64 { mean.iter().zip(&y).map(|(m, y)| (m - y).powi(2)).sum() };
        let both = squares(&weighted_sum(&members, &found)[0]);
        assert!(both < 0.7 * squares(&members[0][0]) && both < 0.7 * squares(&members[1][0]));
    }

    #[test]
    fn one_row_that_a_member_is_wrongly_sure_of_does_not_decide_alone() {
        let labels: Vec<usize> = (0..60).map(|i| usize::from(i % 2 == 0)).collect();
        let positive = |sure: f64| -> Vec<f64> {
            let of = |&label: &usize| if label == 1 { sure } else { 1.0 - sure };
            labels.iter().map(of).collect()
        };
        let mut good = positive(0.95);
        good[0] = 0.0;
        let member = |p: Vec<f64>| vec![p.iter().map(|p| 1.0 - p).collect(), p];
        let response = Response::from(Outcome::Classes {
            labels: labels.clone(),
            classes: vec!["no".into(), "yes".into()],
            task: Task::Binary,
        });
        let found = weights(&[member(good), member(positive(0.52))], &response);
        assert!(found[0] > 0.6, "{found:?}");
    }
}
