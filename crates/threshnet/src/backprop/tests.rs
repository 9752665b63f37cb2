use super::*;
use crate::activation::Activation;
use crate::columns::{Part, Scaling, Standardised};
use crate::dataset::{Dataset, Outcome, Task};
use crate::kernel::InstructionSet;
use crate::kernel::tests::on;
use crate::loss::{Ties, for_response};
use crate::network::Mlp;
use crate::precise;
use crate::random::{Purpose, Random};

fn outcomes(n: usize) -> Vec<Outcome> {
    let label = |i: usize, k: usize| (i * 5 + 1) % k;
    let classes = |k: usize, task| Outcome::Classes {
        labels: (0..n).map(|i| label(i, k)).collect(),
        classes: (0..k).map(|c| c.to_string()).collect(),
        task,
    };
    vec![
        Outcome::Continuous((0..n).map(|i| (i as f64 * 0.37).sin()).collect()),
        classes(2, Task::Binary),
        classes(3, Task::Multiclass),
        Outcome::Survival {
            time: (0..n).map(|i| (i % 7) as f64).collect(),
            event: (0..n).map(|i| i % 3 != 0).collect(),
        },
    ]
}

/// Both gradient paths, for every loss × activation × depth: 64 bit
/// against central differences, single precision against 64 bit.
#[test]
fn gradients_equal_central_differences() {
    let (n, d) = (37, 4);
    let rows: Vec<usize> = (0..n).collect();
    for outcome in outcomes(n) {
        let mut random = Random::new(5, Purpose::Simulation, 0, 0);
        let columns = (0..d)
            .map(|_| (0..n).map(|_| random.normal()).collect())
            .collect();
        let names = (0..d).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(names, columns, outcome.clone()).unwrap();
        let scaling = Scaling::learn(&data, &rows, true);
        let columns = Standardised::of_rows(&data, &rows, &scaling);
        for ties in [Ties::Breslow, Ties::Efron] {
            let loss = for_response(&outcome.clone().into(), ties);
            for activation in Activation::ALL {
                for (hidden, shortcut) in [
                    (vec![], false),
                    (vec![5], false),
                    (vec![6, 3], false),
                    (vec![4, 3, 2], false),
                    (vec![5], true),
                    (vec![6, 3], true),
                ] {
                    let plain = Shape::new(&hidden, loss.outputs(), activation, outcome.task());
                    let shape = Shape { shortcut, ..plain };
                    let mut network = Mlp::random(vec![0, 2, 3], shape, &mut random);
                    // A ReLU at its kink has no derivative: move the biases off it.
                    for w in &mut network.weights {
                        *w = 4.0 * *w + 0.05;
                    }
                    check(
                        &mut network,
                        &columns,
                        &*loss,
                        &format!("{activation:?} {hidden:?} {shortcut}"),
                    );
                }
            }
        }
    }
}

fn check(network: &mut Mlp, columns: &Standardised, loss: &dyn Loss, name: &str) {
    let value = |network: &Mlp| loss.value(&precise::output(network, columns));
    let tapes = precise::tapes(network, columns);
    let output = precise::gathered(&tapes, columns.layout());
    let mut delta = vec![0.0; output.len()];
    let all = RowPart::all(columns.layout().rows());
    let exact_value = loss.gradient(all, &output, &mut delta, &mut vec![]);
    let exact = precise::gradient(network, columns, &tapes, &delta);
    let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
    let mut fast = vec![f32::NAN; single.len()];
    let (inputs, storage) = (columns.places(&network.inputs), columns.storage());
    let mut workspace = Workspace::new(&network.shape, inputs, storage, loss, false);
    let fast_value = workspace.gradient(storage, 0, loss, &single, &mut fast);
    assert!(
        (fast_value - exact_value).abs() < 1e-4 * (1.0 + exact_value),
        "{name}"
    );
    for i in 0..exact.len() {
        let (center, step) = (network.weights[i], 1e-6);
        network.weights[i] = center + step;
        let above = value(network);
        network.weights[i] = center - step;
        let below = value(network);
        network.weights[i] = center;
        let difference = (above - below) / (2.0 * step);
        let scale = 1.0 + exact[i].abs();
        assert!(
            (exact[i] - difference).abs() < 1e-6 * scale,
            "{name}[{i}]: {} against {difference}",
            exact[i]
        );
        assert!(
            (f64::from(fast[i]) - exact[i]).abs() < 1e-4 * scale,
            "{name}[{i}] f32"
        );
    }
}

/// What `kernel/mod.rs` says of sets with and without a fused multiply-add.
#[test]
fn sets_agree_on_a_gradient_within_their_bound() {
    let (n, d) = (403, 60);
    let rows: Vec<usize> = (0..n).collect();
    for outcome in outcomes(n) {
        let mut random = Random::new(6, Purpose::Simulation, 0, 0);
        let columns = (0..d)
            .map(|_| (0..n).map(|_| random.normal()).collect())
            .collect();
        let names = (0..d).map(|j| format!("x{j}")).collect();
        let data = Dataset::new(names, columns, outcome.clone()).unwrap();
        let held = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
        let (storage, loss) = (held.storage(), for_response(data.response(), Ties::Efron));
        for activation in Activation::ALL {
            let shape = Shape::new(&[10, 5], loss.outputs(), activation, outcome.task());
            let network = Mlp::random((0..d).collect(), shape, &mut random);
            let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
            let inputs: Vec<u32> = (0..d as u32).collect();
            let gradient = |set: InstructionSet| {
                on(set, || {
                    let mut workspace =
                        Workspace::new(&network.shape, inputs.clone(), storage, &*loss, false);
                    let mut gradient = vec![f32::NAN; single.len()];
                    workspace.gradient(storage, 0, &*loss, &single, &mut gradient);
                    gradient
                })
            };
            let sets = InstructionSet::available();
            let first = gradient(sets[0]);
            let scale = first.iter().fold(0f32, |most, g| most.max(g.abs()));
            for &set in &sets[1..] {
                let differences = first.iter().zip(gradient(set)).map(|(a, b)| (a - b).abs());
                let most = differences.fold(0f32, f32::max);
                let bound = match set {
                    InstructionSet::Portable => 1e-5,
                    _ => 0.0,
                };
                assert!(
                    most <= bound * scale,
                    "{activation:?} {set:?}: {most} of {scale}"
                );
            }
        }
    }
}

/// The gradient of some rows alone, in 64 bit.
fn precise_gradient(data: &Dataset, rows: &[usize], network: &Mlp) -> (f64, Vec<f64>) {
    let columns = Standardised::of_rows(data, rows, &Scaling::learn(data, rows, false));
    let loss = for_response(&data.response().rows(rows), Ties::Efron);
    let tapes = precise::tapes(network, &columns);
    let output = precise::gathered(&tapes, columns.layout());
    let mut delta = vec![0.0; output.len()];
    let all = RowPart::all(rows.len());
    let value = loss.gradient(all, &output, &mut delta, &mut vec![]);
    (value, precise::gradient(network, &columns, &tapes, &delta))
}

/// Many blocks, batches of them, stripes of them, on several threads: each
/// step is that of its rows, and its bits are those of one thread.
#[test]
fn blocks_batches_and_stripes_are_the_same_sums() {
    let (n, d) = (2003, 850);
    let mut random = Random::new(5, Purpose::Simulation, 0, 0);
    let columns: Vec<Vec<f64>> = (0..d)
        .map(|_| (0..n).map(|_| random.normal()).collect())
        .collect();
    let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
    let rows: Vec<usize> = (0..n).collect();
    for outcome in outcomes(n) {
        let data = Dataset::new(names.clone(), columns.clone(), outcome.clone()).unwrap();
        let scaling = Scaling::learn(&data, &rows, false);
        let loss = for_response(&outcome.clone().into(), Ties::Efron);
        let shape = Shape::new(&[10, 5], loss.outputs(), Activation::Relu, outcome.task());
        let network = Mlp::random((0..d).collect(), shape, &mut random);
        let single: Vec<f32> = network.weights.iter().map(|&w| w as f32).collect();
        let batches = if loss.additive() {
            vec![n, 300]
        } else {
            vec![n]
        };
        for batch in batches {
            let all: Vec<usize> = (0..d).collect();
            let part = Part {
                rows: &rows,
                columns: &all,
                batch,
            };
            let columns = Standardised::new(&data, part, &scaling);
            let (storage, layout) = (columns.storage(), columns.layout());
            let inputs: Vec<u32> = (0..d as u32).collect();
            let run = |threads: usize, number: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let parallel = threads > 1;
                pool.build().unwrap().install(|| {
                    let mut workspace =
                        Workspace::new(&network.shape, inputs.clone(), storage, &*loss, parallel);
                    assert_eq!(workspace.stripes.len() > 1, batch == n);
                    let mut gradient = vec![f32::NAN; single.len()];
                    let value = workspace.gradient(storage, number, &*loss, &single, &mut gradient);
                    (value, gradient)
                })
            };
            for number in [0, layout.batches() - 1] {
                let (value, gradient) = run(1, number);
                assert_eq!((value, gradient.clone()), run(3, number));
                let blocks = &layout.blocks()[layout.batch(number)];
                let own = &rows[blocks[0].rows.start..blocks[blocks.len() - 1].rows.end];
                let (exact_value, exact) = precise_gradient(&data, own, &network);
                assert!((value - exact_value).abs() < 1e-4 * (1.0 + exact_value));
                for (g, exact) in gradient.iter().zip(&exact) {
                    let error = (f64::from(*g) - exact).abs();
                    assert!(error < 1e-4 * (1.0 + exact.abs()), "{g} against {exact}");
                }
            }
        }
    }
}
