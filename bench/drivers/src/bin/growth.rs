//! One point of `bench/growth.py`, measured in a process of its own.
//!
//! ```text
//! growth peak                                   the machine's FMA peak
//! growth epoch N D HIDDEN SECONDS               seconds per dense epoch, on
//!                                               RAYON_NUM_THREADS threads
//! growth fit N D THREADS holdout|cv             a whole tuned fit
//! ```
//!
//! HIDDEN is a list like `10,5`. Prints JSON. Memory is the largest that was
//! resident (`VmHWM`), so Linux only. Data are drawn into columns that are not
//! a number longer than needed, as a careful caller would have them.

use serde::Serialize;
use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use threshnet::activation::Activation;
use threshnet::columns::{Scaling, Standardised};
use threshnet::dataset::{Dataset, Outcome, Task};
use threshnet::kernel::InstructionSet;
use threshnet::loss::{Ties, for_response};
use threshnet::network::{Mlp, Shape};
use threshnet::penalty::Penalty;
use threshnet::random::{Purpose, Random};
use threshnet::settings::{Protocol, Settings, Size, Validation, log_grid};
use threshnet::solver::{Adam, Epoch, Observer, Problem, Unobserved};
use threshnet::tune;
use threshnet_bench::machine;
use threshnet_bench::memory::peak_memory;

type Fallible<T> = Result<T, Box<dyn Error>>;

#[derive(Serialize)]
struct Peak {
    instruction_set: &'static str,
    flops_per_second: f64,
}

#[derive(Serialize)]
struct Point {
    /// Of the fastest epoch, or of the whole fit.
    seconds: f64,
    /// Done, or over all λ and ridges.
    epochs: usize,
    /// Of the products of one epoch.
    flops: usize,
    /// Resident before the data, with the data, and at most.
    memory: [usize; 3],
}

fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments[..] {
        ["peak"] => serde_json::to_string(&Peak {
            instruction_set: InstructionSet::in_use().name(),
            flops_per_second: machine::peak(),
        }),
        ["epoch", n, d, hidden, seconds] => {
            let hidden: Result<Vec<usize>, _> = hidden.split(',').map(str::parse).collect();
            let budget = Duration::from_secs_f64(seconds.parse()?);
            serde_json::to_string(&epoch(n.parse()?, d.parse()?, &hidden?, budget)?)
        }
        ["fit", n, d, threads, validation] => {
            let validation = match validation {
                "holdout" => Protocol::Default.validation(),
                "cv" => Validation::folds(5),
                other => return Err(format!("{other}: holdout or cv").into()),
            };
            serde_json::to_string(&fit(n.parse()?, d.parse()?, threads.parse()?, validation)?)
        }
        _ => return Err("peak | epoch N D HIDDEN SECONDS | fit N D THREADS VALIDATION".into()),
    };
    println!("{}", report?);
    Ok(())
}

/// Ends a solve when its time is over, but not before a few epochs.
struct Budget {
    end: Instant,
    ends: Mutex<Vec<Instant>>,
}

const FEWEST: usize = 5;

impl Observer for Budget {
    fn cancelled(&self) -> bool {
        // Nobody else waits for the lock: a solver tells from one thread.
        let done = self.ends.lock().expect("no thread panicked").len();
        done > FEWEST && Instant::now() > self.end
    }

    fn epoch(&self, _: &Epoch) {
        let mut ends = self.ends.lock().expect("no thread panicked");
        ends.push(Instant::now());
    }
}

/// Epochs of a solve in which no column dies, for so long.
fn epoch(n: usize, d: usize, hidden: &[usize], budget: Duration) -> Fallible<Point> {
    let before = peak_memory()?;
    let data = data(n, d)?;
    let with_data = peak_memory()?;
    let rows: Vec<usize> = (0..n).collect();
    let columns = Standardised::of_rows(&data, &rows, &Scaling::learn(&data, &rows, true));
    let loss = for_response(data.response(), Ties::Breslow);
    let problem = Problem {
        parallel: rayon::current_num_threads() > 1,
        ..Problem::new(&columns, &*loss, Penalty::MCP, 0.01)
    };
    let shape = Shape::new(hidden, 1, Activation::Relu, Task::Regression);
    let mut random = Random::new(0, Purpose::Weights, 0, 0);
    let mut network = Mlp::random((0..d).collect(), shape, &mut random);
    let clock = Budget {
        end: Instant::now() + budget,
        ends: Mutex::new(Vec::new()),
    };
    Adam::default().solve(&problem, 1e-6, &mut network, 1_000_000, &clock);
    let ends = clock.ends.into_inner()?;
    let fastest = ends.windows(2).map(|pair| pair[1] - pair[0]).min();
    let layers = network.shape.layers();
    let weights = |l: usize| layers[l].weight.len();
    // Every layer forward and its gradient, all but the first backward.
    let products = 2 * weights(0) + 3 * (1..layers.len()).map(weights).sum::<usize>();
    Ok(Point {
        seconds: fastest.ok_or("too few epochs")?.as_secs_f64(),
        epochs: ends.len(),
        flops: 2 * n * products,
        memory: [before, with_data, peak_memory()?],
    })
}

/// A whole tuned fit, short in λs and epochs.
fn fit(n: usize, d: usize, threads: usize, validation: Validation) -> Fallible<Point> {
    let before = peak_memory()?;
    let data = data(n, d)?;
    let with_data = peak_memory()?;
    let mut settings = Settings::new(Protocol::Default, Penalty::MCP, validation, Size::of(&data));
    settings.lambdas = log_grid(1e-2, 0.5, 5);
    settings.ridges = log_grid(1e-2, 0.1, 3);
    (settings.first_epochs, settings.epochs) = (20, 10);
    let pool = threshnet::threads::pool(Some(threads))?;
    let start = Instant::now();
    let fit = pool.install(|| tune::fit(&data, &settings, &Unobserved))?;
    Ok(Point {
        seconds: start.elapsed().as_secs_f64(),
        epochs: fit.cells.iter().map(|cell| cell.epochs).sum(),
        flops: 0,
        memory: [before, with_data, peak_memory()?],
    })
}

fn data(n: usize, d: usize) -> Fallible<Dataset<'static>> {
    let mut random = Random::new(0, Purpose::Simulation, 0, 0);
    let mut column = || -> Vec<f64> { (0..n).map(|_| random.normal()).collect() };
    let columns: Vec<Vec<f64>> = (0..d).map(|_| column()).collect();
    let noise = column();
    let signal = columns[0].iter().zip(&columns[1]);
    let y = signal.zip(noise).map(|((a, b), e)| a + a * b + e).collect();
    let names = (1..=d).map(|j| format!("x{j}")).collect();
    Ok(Dataset::new(names, columns, Outcome::Continuous(y))?)
}
