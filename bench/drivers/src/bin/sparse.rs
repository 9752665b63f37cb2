//! Default fits of the same counts with and without their zeros.
//!
//! ```text
//! sparse SEEDS N D FILLED_IN
//! ```
//!
//! Prints for every seed the F1 of the selected columns, R² on as many fresh rows and the seconds
//! of both, then their means and the standard error of the difference, as a Markdown table.

use std::error::Error;
use std::time::Instant;
use threshnet::dataset::{Dataset, Outcome, Weights};
use threshnet::metrics::r2;
use threshnet::model::Prediction;
use threshnet::settings::{Request, Size};
use threshnet::solver::Unobserved;
use threshnet::statistics::spread;
use threshnet::tune;
use threshnet_bench::counts::{Counts, MATTER};

/// What came of one fit.
struct Found {
    f1: f64,
    r2: f64,
    seconds: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<usize> = (std::env::args().skip(1))
        .map(|argument| argument.parse())
        .collect::<Result<_, _>>()?;
    let [seeds, n, d, filled_in] = arguments[..] else {
        return Err("sparse SEEDS N D FILLED_IN".into());
    };
    println!("| seed | F1 dense | F1 sparse | R² dense | R² sparse | s dense | s sparse |");
    println!("| --: | --: | --: | --: | --: | --: | --: |");
    let mut all = Vec::new();
    for seed in 0..seeds as u64 {
        let of = |seed: u64| Counts {
            n,
            d,
            filled_in,
            seed,
        };
        let fresh = of(seed + 1_000_000).dense()?;
        let [dense, sparse] = [
            found(&of(seed).dense()?, &fresh, seed)?,
            found(&of(seed).sparse()?, &fresh, seed)?,
        ];
        println!(
            "| {seed} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} |",
            dense.f1, sparse.f1, dense.r2, sparse.r2, dense.seconds, sparse.seconds
        );
        all.push([dense, sparse]);
    }
    for (name, of) in [
        ("F1", (|found: &Found| found.f1) as fn(&Found) -> f64),
        ("R²", |found: &Found| found.r2),
        ("seconds", |found: &Found| found.seconds),
    ] {
        let mean = |which: usize| spread(all.iter().map(|pair| of(&pair[which]))).mean;
        let differences = all.iter().map(|[dense, sparse]| of(sparse) - of(dense));
        let difference = spread(differences);
        let se = (difference.variance / (all.len() as f64 - 1.0)).sqrt();
        println!(
            "\n{name}: dense {:.4}, sparse {:.4}, difference {:+.4} (SE {se:.4})",
            mean(0),
            mean(1),
            difference.mean
        );
    }
    Ok(())
}

fn found(data: &Dataset, fresh: &Dataset, seed: u64) -> Result<Found, Box<dyn Error>> {
    let request = Request {
        seed,
        ..Request::default()
    };
    let settings = request.settings(Size::of(data))?;
    let start = Instant::now();
    let model = tune::fit(data, &settings, &Unobserved)?.model;
    let seconds = start.elapsed().as_secs_f64();
    let selected = model.selected();
    let hits = selected.iter().filter(|&&j| j < MATTER).count() as f64;
    let columns: Vec<Vec<f64>> = (model.columns().into_iter())
        .map(|j| fresh.columns()[j].to_vec())
        .collect();
    let (Prediction::Numbers(said), Outcome::Continuous(y)) =
        (model.predict(&columns, fresh.n()), fresh.outcome())
    else {
        return Err("a regression predicts numbers".into());
    };
    Ok(Found {
        f1: 2.0 * hits / (selected.len() + MATTER) as f64,
        r2: r2(y, &said, Weights::EQUAL)?,
        seconds,
    })
}
