use super::*;
use crate::dataset::Weights;
use crate::metrics::{Survival, concordance_harrell, r2};
use crate::solver::Unobserved;
use crate::threads::pool;

fn grown(data: &Dataset, seed: u64) -> Grown {
    let columns: Vec<usize> = (0..data.d()).collect();
    Forest::grow(data, &columns, seed, &Unobserved).unwrap()
}

fn random_columns(count: usize, rows: usize, random: &mut Random) -> Vec<Vec<f64>> {
    (0..count)
        .map(|_| (0..rows).map(|_| random.normal()).collect())
        .collect()
}

fn data_of(columns: Vec<Vec<f64>>, outcome: Outcome) -> Dataset<'static> {
    let names = (0..columns.len()).map(|j| format!("x{j}")).collect();
    Dataset::new(names, columns, outcome).unwrap()
}

#[test]
fn what_is_bent_is_held_out_well_and_noise_is_not() {
    let mut random = Random::new(1, Purpose::Simulation, 0, 0);
    let columns = random_columns(10, 300, &mut random);
    let y: Vec<f64> = (0..300)
        .map(|i| columns[0][i].abs() + columns[1][i] * columns[1][i] + 0.1 * random.normal())
        .collect();
    let noise: Vec<f64> = (0..300).map(|_| random.normal()).collect();
    let bent = data_of(columns.clone(), Outcome::Continuous(y.clone()));
    let found = r2(&y, &grown(&bent, 3).held_out[0], Weights::EQUAL).unwrap();
    assert!(found > 0.6, "{found}");
    let nothing = data_of(columns, Outcome::Continuous(noise.clone()));
    let found = r2(&noise, &grown(&nothing, 3).held_out[0], Weights::EQUAL).unwrap();
    assert!(found < 0.1, "{found}");
}

#[test]
fn survival_is_ranked_and_classes_have_shares() {
    let mut random = Random::new(2, Purpose::Simulation, 0, 0);
    let columns = random_columns(5, 400, &mut random);
    let time: Vec<f64> = (0..400)
        .map(|i| random.exponential() / columns[0][i].abs().exp())
        .collect();
    let event: Vec<bool> = (0..400).map(|i| i % 4 > 0).collect();
    let survival = Outcome::Survival {
        time: time.clone(),
        event: event.clone(),
    };
    let risk = &grown(&data_of(columns.clone(), survival), 3).held_out[0];
    let found = concordance_harrell(Survival::new(&time, &event), risk).unwrap();
    assert!(found > 0.58, "{found}");

    let labels: Vec<usize> = (0..400)
        .map(|i| usize::from(columns[0][i] > 0.5) + usize::from(columns[0][i] > -0.5))
        .collect();
    let classes = Outcome::Classes {
        labels: labels.clone(),
        classes: ["a", "b", "c"].map(String::from).to_vec(),
        task: Task::Multiclass,
    };
    let held_out = grown(&data_of(columns, classes), 3).held_out;
    let mut right = 0;
    for row in 0..400 {
        let shares: Vec<f64> = held_out.iter().map(|class| class[row]).collect();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        right += usize::from(shares[labels[row]] > 0.5);
    }
    assert!(right > 350, "{right}");
}

/// Among all columns and all places between two values.
#[test]
fn a_split_is_the_best_there_is() {
    let mut random = Random::new(4, Purpose::Simulation, 0, 0);
    for (rows, levels) in [(30, 3.0), (30, 100.0), (90, 4.0), (200, 100.0)] {
        let mut columns = random_columns(4, rows, &mut random);
        for value in columns.iter_mut().flatten() {
            *value = (*value * levels).round();
        }
        let y: Vec<f64> = (0..rows).map(|_| random.normal()).collect();
        let data = data_of(columns.clone(), Outcome::Continuous(y.clone()));
        let targets = Targets::new(&data);
        let bins = Bins::new(&data, &[0, 1, 2, 3]);
        let grower = Grower {
            bins: &bins,
            targets: &targets,
            tried: 4,
        };
        let tree = grower.grow((0..rows as u32).collect(), &mut random);
        let mean = |rows: &[usize]| rows.iter().map(|&i| y[i]).sum::<f64>() / rows.len() as f64;
        let squares = |rows: &[usize]| {
            let mean = mean(rows);
            rows.iter().map(|&i| (y[i] - mean).powi(2)).sum::<f64>()
        };
        let left = |column: &Vec<f64>, edge: f64| -> (Vec<usize>, Vec<usize>) {
            (0..rows).partition(|&i| column[i] <= edge)
        };
        let mut least = f64::INFINITY;
        for column in &columns {
            for &edge in column {
                let (low, high) = left(column, edge);
                if low.len() >= 5 && high.len() >= 5 {
                    least = least.min(squares(&low) + squares(&high));
                }
            }
        }
        let (low, high): (Vec<usize>, Vec<usize>) = (0..rows).partition(|&i| {
            let mut at_root = true;
            // (the root is asked first)
            let mut went_left = true;
            tree.leaf(|column| {
                let value = columns[column][i];
                if std::mem::take(&mut at_root) {
                    went_left = value <= tree.root_threshold();
                }
                value
            });
            went_left
        });
        let found = squares(&low) + squares(&high);
        assert!(
            (found - least).abs() < 1e-9 * least,
            "{rows}: {found} {least}"
        );
    }
}

#[test]
fn a_leaf_of_survival_has_the_log_of_its_events_over_those_expected() {
    let outcome = Outcome::Survival {
        time: vec![1.0, 2.0, 3.0, 4.0],
        event: vec![true, true, false, true],
    };
    let data = data_of(vec![vec![1.0, 2.0, 3.0, 4.0]], outcome);
    let targets = Targets::new(&data);
    // the Nelson–Aalen estimate at 1 and 2
    let expected = 1.0 / 4.0 + (1.0 / 4.0 + 1.0 / 3.0);
    let found = targets.response(&[0, 1])[0];
    assert!((found - (3.0 / (expected + 1.0f64)).ln()).abs() < 1e-12);
}

#[test]
fn a_forest_is_the_same_on_any_number_of_threads_and_after_a_file() {
    let mut random = Random::new(5, Purpose::Simulation, 0, 0);
    let columns = random_columns(6, 80, &mut random);
    let y = (0..80).map(|i| columns[0][i] * columns[1][i]).collect();
    let data = data_of(columns, Outcome::Continuous(y));
    let one = pool(Some(1)).unwrap().install(|| grown(&data, 1));
    let two = pool(Some(2)).unwrap().install(|| grown(&data, 1));
    assert!(one.forest == two.forest && one.held_out == two.held_out);
    let text = serde_json::to_string(&one.forest).unwrap();
    let back: Forest = serde_json::from_str(&text).unwrap();
    assert!(back == one.forest);
    assert!(back.trees.iter().all(|tree| tree.check(6, 1).is_ok()));
    assert!(back.trees.iter().any(|tree| tree.check(1, 1).is_err()));
}
