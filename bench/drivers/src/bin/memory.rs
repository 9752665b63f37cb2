//! The memory of fits that must not hold what they do not use, one case in a process of its own.
//!
//! ```text
//! memory screened THREADS     500 × 100,000 dense, screened to 5,000
//! memory sparse THREADS       5,000 × 50,000 without zeros, one cell in 50 filled
//! ```
//!
//! Both are fits of the default protocol but for fewer draws, λs, ridges and epochs, which change how
//! long they take and not what they hold. Prints a row of a Markdown table: bytes are the most that were
//! resident, before and after the fit.

use std::error::Error;
use std::time::Instant;
use threshnet::settings::{Request, Size, ValidationName, log_grid};
use threshnet::simulate::{Scenario, Simulation};
use threshnet::solver::Unobserved;
use threshnet::threads;
use threshnet::tune;
use threshnet_bench::counts::Counts;
use threshnet_bench::memory::peak_memory;

const MIB: f64 = (1 << 20) as f64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [case, threads] = &arguments[..] else {
        return Err("memory screened|sparse THREADS".into());
    };
    let threads: usize = threads.parse()?;
    let (data, screen) = match case.as_str() {
        "screened" => {
            let simulation = Simulation::new(Scenario::Regression, 500, 100_000);
            (simulation.draw()?, Some(5000))
        }
        "sparse" => {
            let counts = Counts {
                n: 5000,
                d: 50_000,
                filled_in: 50,
                seed: 1,
            };
            (counts.sparse()?, None)
        }
        other => return Err(format!("{other}: screened or sparse").into()),
    };
    let request = Request {
        screen,
        validation: Some(ValidationName::Draws(3)),
        lambdas: Some(log_grid(0.01, 0.5, 8)),
        ridges: Some(vec![0.01]),
        first_epochs: Some(5),
        epochs: Some(5),
        ..Request::default()
    };
    let settings = request.settings(Size::of(&data))?;
    let before = peak_memory()? as f64 / MIB;
    let start = Instant::now();
    let pool = threads::pool(Some(threads))?;
    let fit = pool.install(|| tune::fit(&data, &settings, &Unobserved))?;
    let after = peak_memory()? as f64 / MIB;
    // A matrix of the columns that may be used, of all rows, in single precision.
    let matrix = (data.n() * screen.unwrap_or(data.d()) * size_of::<f32>()) as f64 / MIB;
    let bound = match screen {
        Some(_) => before + 64.0 + threads as f64 * 1.2 * matrix,
        None => matrix / 5.0,
    };
    println!(
        "| {case} | {threads} | {before:.0} | {matrix:.0} | {after:.0} | {bound:.0} | {} | {:.0} |",
        fit.model.selected().len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
