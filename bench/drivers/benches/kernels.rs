//! Every kernel, every loss and whole epochs, beside what the machine can do.
//!
//! `cargo bench -p threshnet-bench --bench kernels` prints times;
//! `bench/kernels.py` runs it on each instruction set and writes the rates. A
//! benchmark's throughput is its work: FLOPs as "elements", and bytes that must
//! be read or written if every number moves once. Padded rows are not work.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::Task;
use threshnet::dataset::Weights;
use threshnet::kernel::{
    Activate, AdamRates, AdamSweep, Affine, Epilogue, Lanes, MultiplySlope, Plain, Products, Relu,
    ReluSlope, Sums, Swept, as_rows, as_rows_mut, dispatch,
};
use threshnet::loss::{Cox, Logistic, Loss, RowPart, Softmax, Squared, Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::penalty::Penalty;
use threshnet::random::{Purpose, Random};
use threshnet::simulate::{self, Simulation};
use threshnet::solver::{Adam, Epoch, Observer, Problem};
use threshnet_bench::machine::{self, Read};

/// FLOPs of the functions of `kernel/math.rs`, counted there.
const EXP: usize = 33;
const EXP_M1: usize = 35;
const LN: usize = 46;
const LN_1P: usize = 38;
const ERFC: usize = 150;

const F32: usize = size_of::<f32>();
const F64: usize = size_of::<f64>();

/// A layer over some rows.
#[derive(Clone, Copy)]
struct Layer {
    rows: usize,
    inputs: usize,
    outputs: usize,
}

impl Layer {
    const fn new(rows: usize, inputs: usize, outputs: usize) -> Self {
        Layer {
            rows,
            inputs,
            outputs,
        }
    }

    fn name(self, what: &str) -> String {
        let Layer {
            rows,
            inputs,
            outputs,
        } = self;
        format!("{what} n={rows} {inputs}-{outputs}")
    }

    fn flops(self) -> usize {
        2 * self.rows * self.inputs * self.outputs
    }

    /// Its inputs, its weights, and what stands at its outputs.
    fn bytes(self) -> usize {
        F32 * (self.rows * (self.inputs + self.outputs) + self.inputs * self.outputs)
    }
}

const WIDE: Layer = Layer::new(400, 1000, 10);
const NARROW: Layer = Layer::new(300, 20, 10);
const SECOND: Layer = Layer::new(300, 10, 5);
const LAST: Layer = Layer::new(300, 5, 1);

struct Numbers(Random);

impl Numbers {
    fn new() -> Self {
        Numbers(Random::new(0, Purpose::Simulation, 0, 0))
    }

    fn flat(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.0.normal() as f32).collect()
    }

    fn wide(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.0.normal()).collect()
    }

    /// Columns of rows, padded with zeros.
    fn columns(&mut self, rows: usize, columns: usize) -> Vec<Lanes> {
        let lanes = Lanes::for_rows(rows);
        let mut values = vec![Lanes::ZERO; lanes * columns];
        for column in values.chunks_exact_mut(lanes) {
            as_rows_mut(column)[..rows].fill_with(|| self.0.normal() as f32);
        }
        values
    }
}

/// Adds one benchmark that does so many FLOPs on so many bytes.
fn add(
    group: &mut BenchmarkGroup<WallTime>,
    name: String,
    (flops, bytes): (usize, usize),
    mut work: impl FnMut(),
) {
    group.throughput(Throughput::ElementsAndBytes {
        elements: flops as u64,
        bytes: bytes as u64,
    });
    group.bench_function(name, |bencher| bencher.iter(&mut work));
}

fn machine_rates(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("machine");
    const STEPS: usize = 1 << 16;
    let flops = machine::flops(STEPS) as usize;
    add(&mut group, "fma".into(), (flops, 0), || {
        machine::multiply_add(black_box(STEPS));
    });
    group.sampling_mode(SamplingMode::Flat);
    for (name, kib) in [
        ("L2 256 KiB", 256),
        ("L3 4 MiB", 4 << 10),
        ("memory 256 MiB", 256 << 10),
    ] {
        let bytes = kib << 10;
        let values = vec![Lanes([1.0; 16]); bytes / size_of::<Lanes>()];
        add(&mut group, name.into(), (0, bytes), || {
            dispatch(Read(black_box(&values)));
        });
    }
}

fn affine(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("affine");
    for layer in [WIDE, NARROW, SECOND] {
        add_affine(&mut group, "forward", layer, true, Relu);
    }
    add_affine(&mut group, "forward", LAST, true, Plain);
    for Layer {
        rows,
        inputs,
        outputs,
    } in [LAST, SECOND]
    {
        let below = Numbers::new().columns(rows, inputs);
        let layer = Layer::new(rows, outputs, inputs);
        add_affine(
            &mut group,
            "backward",
            layer,
            false,
            ReluSlope(as_rows(&below)),
        );
    }
}

fn add_affine(
    group: &mut BenchmarkGroup<WallTime>,
    what: &str,
    layer: Layer,
    biased: bool,
    epilogue: impl Epilogue,
) {
    let mut numbers = Numbers::new();
    let x = numbers.columns(layer.rows, layer.inputs);
    let columns: Vec<u32> = (0..layer.inputs as u32).collect();
    let weight = numbers.flat(layer.inputs * layer.outputs);
    let bias = numbers.flat(if biased { layer.outputs } else { 0 });
    let lanes = Lanes::for_rows(layer.rows);
    let mut z = vec![Lanes::ZERO; lanes * layer.outputs];
    add(
        group,
        layer.name(what),
        (layer.flops(), layer.bytes()),
        || {
            dispatch(Affine {
                x: black_box(&x),
                lanes,
                columns: &columns,
                weight: &weight,
                bias: &bias,
                epilogue,
                z: black_box(&mut z),
            });
        },
    );
}

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("products");
    for layer in [WIDE, NARROW, SECOND, LAST] {
        let mut numbers = Numbers::new();
        let x = numbers.columns(layer.rows, layer.inputs);
        let delta = numbers.columns(layer.rows, layer.outputs);
        let columns: Vec<u32> = (0..layer.inputs as u32).collect();
        let mut gradient = vec![0.0; layer.inputs * layer.outputs];
        let work = (layer.flops(), layer.bytes());
        add(&mut group, layer.name("gradient"), work, || {
            dispatch(Products {
                x: black_box(&x),
                lanes: Lanes::for_rows(layer.rows),
                columns: &columns,
                delta: &delta,
                gradient: black_box(&mut gradient),
            });
        });
    }
}

fn sums(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sums");
    for Layer { rows, outputs, .. } in [WIDE, LAST] {
        let delta = Numbers::new().columns(rows, outputs);
        let mut gradient = vec![0.0; outputs];
        let numbers = rows * outputs;
        let name = format!("n={rows} {outputs}");
        add(&mut group, name, (numbers, F32 * numbers), || {
            dispatch(Sums {
                delta: black_box(&delta),
                lanes: Lanes::for_rows(rows),
                gradient: black_box(&mut gradient),
            });
        });
    }
}

/// FLOPs of σ and of δ·σ′ for one number.
fn activation_flops(activation: Activation) -> (usize, usize) {
    match activation {
        Activation::Relu => (1, 1),
        Activation::Softplus => (EXP + LN_1P + 1, EXP + 3),
        Activation::Gelu => (ERFC + 3, ERFC + EXP + 8),
        Activation::Tanh => (EXP_M1 + 3, 3),
        Activation::Sigmoid => (EXP + 2, 3),
        Activation::Selu => (EXP_M1 + 2, 2),
    }
}

fn activate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("activate");
    for activation in Activation::ALL {
        let (numbers, z, mut a) = units();
        let flops = activation_flops(activation).0;
        let work = (flops * numbers, 2 * F32 * numbers);
        add(
            &mut group,
            format!("{activation:?} n=400 10").to_lowercase(),
            work,
            || {
                dispatch(Activate {
                    activation,
                    z: black_box(&z),
                    a: black_box(&mut a),
                });
            },
        );
    }
}

fn multiply_slope(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("multiply_slope");
    for activation in Activation::ALL {
        let (numbers, z, mut a) = units();
        dispatch(Activate {
            activation,
            z: &z,
            a: &mut a,
        });
        // A δ of zeros stays what it is, however often it is multiplied.
        let mut delta = vec![Lanes::ZERO; z.len()];
        let flops = activation_flops(activation).1;
        let work = (flops * numbers, 4 * F32 * numbers);
        add(
            &mut group,
            format!("{activation:?} n=400 10").to_lowercase(),
            work,
            || {
                dispatch(MultiplySlope {
                    activation,
                    z: black_box(&z),
                    a: &a,
                    delta: black_box(&mut delta),
                });
            },
        );
    }
}

/// The numbers of a first layer's output, z, and room for σ(z).
fn units() -> (usize, Vec<Lanes>, Vec<Lanes>) {
    let Layer { rows, outputs, .. } = WIDE;
    let z = Numbers::new().columns(rows, outputs);
    let a = vec![Lanes::ZERO; z.len()];
    (rows * outputs, z, a)
}

fn sweep(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep");
    for d in [20, 1000] {
        let shape = shape(d);
        let count = shape.parameters();
        let mut numbers = Numbers::new();
        let (weights, gradient) = (numbers.flat(count), numbers.flat(count));
        let (mut mean, mut square) = (gradient.clone(), vec![1.0; count]);
        let mut target = vec![0.0; count];
        let mut swept = Swept::default();
        // Per weight: 17 for Adam's step, 2 for the norms; four numbers read
        // and three written.
        add(
            &mut group,
            format!("{d}-10-5-1"),
            (19 * count, 7 * F32 * count),
            || {
                dispatch(AdamSweep {
                    weights: black_box(&weights),
                    gradient: &gradient,
                    mean: &mut mean,
                    square: &mut square,
                    target: black_box(&mut target),
                    grouped: shape.grouped(),
                    h: shape.group(),
                    groups: None,
                    ridge: 0.01,
                    rates: AdamRates::at(100, 1e-3),
                    penalty: Penalty::MCP,
                    gamma: 1.0,
                    lambda: 0.01,
                    swept: &mut swept,
                });
            },
        );
    }
}

fn losses(criterion: &mut Criterion) {
    const ROWS: usize = 400;
    const CLASSES: usize = 3;
    let mut numbers = Numbers::new();
    let time: Vec<f64> = numbers.wide(ROWS).iter().map(|z| z.exp()).collect();
    let tied: Vec<f64> = time.iter().map(|t| (10.0 * t).ceil()).collect();
    let event: Vec<bool> = (0..ROWS).map(|i| i % 5 != 0).collect();
    let positive = (0..ROWS).map(|i| i % 3 == 0);
    let labels = (0..ROWS).map(|i| i % CLASSES).collect();
    // FLOPs per row; those of the softmax are for all its classes.
    let cases: [(&str, Box<dyn Loss>, usize); 6] = [
        (
            "squared",
            Box::new(Squared::new(numbers.wide(ROWS), None)),
            5,
        ),
        (
            "logistic",
            Box::new(Logistic::new(positive, None)),
            EXP + LN_1P + 8,
        ),
        (
            "softmax 3",
            Box::new(Softmax::new(labels, CLASSES, None)),
            CLASSES * (EXP + 5) + LN,
        ),
        (
            "cox",
            Box::new(Cox::new(&time, &event, Weights::EQUAL, Ties::Breslow)),
            EXP + LN + 10,
        ),
        (
            "cox tied breslow",
            Box::new(Cox::new(&tied, &event, Weights::EQUAL, Ties::Breslow)),
            EXP + LN + 10,
        ),
        (
            "cox tied efron",
            Box::new(Cox::new(&tied, &event, Weights::EQUAL, Ties::Efron)),
            EXP + LN + 10,
        ),
    ];
    let mut group = criterion.benchmark_group("loss");
    for (name, loss, flops) in cases {
        let eta = numbers.wide(loss.outputs() * ROWS);
        let mut gradient = vec![0.0; eta.len()];
        let mut scratch = vec![];
        let work = (flops * ROWS, F64 * (2 * eta.len() + ROWS));
        add(&mut group, format!("{name} n={ROWS}"), work, || {
            let part = RowPart::all(ROWS);
            black_box(loss.gradient(part, black_box(&eta), &mut gradient, &mut scratch));
        });
    }
}

/// The paper's network on `d` columns.
fn shape(d: usize) -> Shape {
    let mut shape = Shape::new(&[10, 5], 1, Activation::Relu, Task::Regression);
    shape.widths[0] = d;
    shape
}

/// When the first and the last epoch of a solve ended.
struct Clock {
    last: usize,
    ends: Mutex<(Instant, Instant)>,
}

impl Observer for Clock {
    fn epoch(&self, epoch: &Epoch) {
        // Nobody else waits for the lock: there is one thread.
        let mut ends = self.ends.lock().expect("no thread panicked");
        if epoch.number == 1 {
            ends.0 = Instant::now();
        }
        if epoch.number == self.last {
            ends.1 = Instant::now();
        }
    }
}

/// Epochs as the solver does them: the clock runs from the end of a solve's
/// first epoch to the end of its last, so neither setting up nor the
/// certificate is counted.
fn epochs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("epoch");
    group.sampling_mode(SamplingMode::Flat);
    for (n, d) in [(300, 20), (500, 1000)] {
        let data = Simulation::new(simulate::Scenario::Regression, n, d)
            .draw()
            .expect("a valid design");
        let rows: Vec<usize> = (0..n).collect();
        let columns = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
        let loss = for_response(data.response(), Ties::Breslow);
        let problem = Problem::new(&columns, &*loss, Penalty::MCP, 0.01);
        let mut random = Random::new(0, Purpose::Weights, 0, 0);
        let start = Mlp::random((0..d).collect(), shape(d), &mut random);
        // Every layer forward and its gradient, all but the first backward.
        let layers = [(d, 10, 2), (10, 5, 3), (5, 1, 3)];
        let flops: usize = layers
            .iter()
            .map(|(i, o, passes)| passes * 2 * n * i * o)
            .sum();
        group.throughput(Throughput::ElementsAndBytes {
            elements: flops as u64,
            bytes: (F32 * n * d) as u64,
        });
        group.bench_function(format!("{n}x{d}"), |bencher| {
            bencher.iter_custom(|count| timed_epochs(&problem, &start, count as usize));
        });
    }
}

fn timed_epochs(problem: &Problem, start: &Mlp, count: usize) -> Duration {
    // Few per solve: it must not converge.
    const MOST: usize = 200;
    let mut total = Duration::ZERO;
    let mut left = count;
    while left > 0 {
        let part = left.min(MOST);
        let now = Instant::now();
        let clock = Clock {
            last: part + 1,
            ends: Mutex::new((now, now)),
        };
        // λ so small that no column dies.
        Adam::default().solve(problem, 1e-6, &mut start.clone(), part + 1, &clock);
        let (first, last) = *clock.ends.lock().expect("no thread panicked");
        total += last - first;
        left -= part;
    }
    total
}

fn main() {
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(25)
        .nresamples(2000)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(700))
        .configure_from_args();
    for group in [
        machine_rates,
        affine,
        products,
        sums,
        activate,
        multiply_slope,
        sweep,
        losses,
        epochs,
    ] {
        group(&mut criterion);
    }
    criterion.final_summary();
}
