//! The default beside the paper's protocol, cell by cell on the same replicates: whether
//! it is worse anywhere.

use super::method::DEFAULT;
use super::quality::errors;
use super::results::Row;
use super::statistics::Spread;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a fit is judged by.
#[derive(Clone, Copy)]
struct Judged {
    f1: f64,
    /// Falsely selected and missed columns.
    errors: f64,
    score: f64,
    seconds: f64,
}

impl Judged {
    fn of(row: &Row) -> Option<Judged> {
        let (wrong, missed, f1) = errors(row)?;
        Some(Judged {
            f1,
            errors: wrong + missed,
            score: row.score?,
            seconds: row.seconds,
        })
    }
}

/// The fits of a cell by candidate and seed.
type Fits<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<u64, Judged>>;

/// The paper's methods and ours.
const PAPER: [(&str, &str); 2] = [("gmcp", ""), ("gscad", "")];
const OURS: (&str, &str) = ("gmcp", DEFAULT);

/// A line per cell on which both protocols ran; empty without one.
pub fn markdown(rows: &[Row]) -> String {
    let mut cells: BTreeMap<_, Fits> = BTreeMap::new();
    for row in rows {
        let Some(judged) = Judged::of(row) else {
            continue;
        };
        let censoring = row
            .censoring
            .map_or(String::new(), |c| format!(", C = {c}"));
        let cell = format!("{}{censoring}, {} × {}", row.model, row.n, row.d);
        let fits = cells.entry((row.d, cell)).or_default();
        let candidate = (row.method.as_str(), row.variant.as_str());
        fits.entry(candidate).or_default().insert(row.seed, judged);
    }
    let lines: Vec<String> = (cells.iter())
        .filter_map(|((_, cell), fits)| line(cell, fits))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "The default beside the better of the paper's GMCPNet and GSCADNet (better in F1, and better in score), on the same \
         replicates; standard errors of the paired difference in brackets, **bold** where the default is worse by more than \
         one. Errors: falsely selected and missed columns of a fit. Right: fits without an error, %. Cost: seconds, ratio to GMCPNet.\n\n\
         | cell | replicates | F1, paper | default | difference | errors, paper | default | right, paper | default | score, paper | default | difference | cost |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for line in lines {
        let _ = writeln!(out, "{line}");
    }
    out + "\n"
}

fn line(cell: &str, fits: &Fits) -> Option<String> {
    let ours = fits.get(&OURS)?;
    // By the paper's methods that ran on them: pairs of (theirs, ours).
    let paired: Vec<Vec<(Judged, Judged)>> = (PAPER.iter())
        .filter_map(|candidate| fits.get(candidate))
        .map(|theirs| {
            let both = ours
                .iter()
                .filter_map(|(seed, o)| Some((*theirs.get(seed)?, *o)));
            both.collect()
        })
        .filter(|pairs: &Vec<_>| !pairs.is_empty())
        .collect();
    let better = |of: fn(&Judged) -> f64| {
        let mean = |pairs: &Vec<(Judged, Judged)>| middle(pairs.iter().map(|(t, _)| of(t))).0;
        (paired.iter()).max_by(|a, b| mean(a).total_cmp(&mean(b)))
    };
    let compared = |of: fn(&Judged) -> f64| {
        let pairs = better(of)?;
        let (theirs, _) = middle(pairs.iter().map(|(t, _)| of(t)));
        let (own, _) = middle(pairs.iter().map(|(_, o)| of(o)));
        let (gain, error) = middle(pairs.iter().map(|(t, o)| of(o) - of(t)));
        let mark = if gain < -error { "**" } else { "" };
        Some(format!(
            "{theirs:.3} | {own:.3} | {mark}{gain:+.3}{mark} ({error:.3})"
        ))
    };
    let selecting = better(|judged| judged.f1)?;
    let both = |of: fn(&Judged) -> f64| {
        let theirs = middle(selecting.iter().map(|(t, _)| of(t))).0;
        let own = middle(selecting.iter().map(|(_, o)| of(o))).0;
        (theirs, own)
    };
    let (their_errors, own_errors) = both(|judged| judged.errors);
    let right = |judged: &Judged| if judged.errors < 0.5 { 100.0 } else { 0.0 };
    let (their_right, own_right) = both(right);
    let cost = middle(paired[0].iter().map(|(t, o)| o.seconds / t.seconds)).0;
    Some(format!(
        "| {cell} | {} | {} | {their_errors:.2} | {own_errors:.2} | {their_right:.0} | {own_right:.0} | {} | {cost:.1} |",
        selecting.len(),
        compared(|judged| judged.f1)?,
        compared(|judged| judged.score)?,
    ))
}

/// Mean and standard error.
fn middle(values: impl Iterator<Item = f64>) -> (f64, f64) {
    Spread::of(values).map_or((f64::NAN, f64::NAN), |spread| {
        (spread.mean, spread.sd / (spread.count as f64).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row((method, variant): (&str, &str), seed: u64, fnr: f64, score: f64) -> Row {
        Row {
            study: "quality".into(),
            model: "regression".into(),
            method: method.into(),
            variant: variant.into(),
            n: 300,
            d: 20,
            censoring: None,
            replicate: seed,
            seed,
            fpr: Some(0.0),
            fnr: Some(fnr),
            size: Some((4.0 * (1.0 - fnr)) as usize),
            score: Some(score),
            lambda: None,
            ridge: None,
            seconds: if variant.is_empty() { 1.0 } else { 8.0 },
            selected: String::new(),
        }
    }

    #[test]
    fn the_better_of_the_papers_methods_is_the_measure() {
        let text = markdown(&[
            row(("gmcp", ""), 1, 0.5, 0.8),
            row(("gmcp", ""), 2, 0.5, 0.9),
            row(("gscad", ""), 1, 0.0, 0.7),
            row(("gscad", ""), 2, 0.5, 0.7),
            row(OURS, 1, 0.0, 0.7),
            row(OURS, 2, 0.0, 0.8),
            // nobody to be compared with
            row(OURS, 3, 0.0, 0.1),
        ]);
        // F1 of half is 2·2/(2·2 + 2) = 2/3: GSCAD is better in F1, GMCP in score
        let line = text.trim_end().lines().last().unwrap();
        assert_eq!(
            line,
            "| regression, 300 × 20 | 2 | 0.833 | 1.000 | +0.167 (0.167) | 1.00 | 0.00 | 50 | 100 | 0.850 | 0.750 | \
             **-0.100** (0.000) | 8.0 |"
        );
        assert_eq!(markdown(&[row(("gmcp", ""), 1, 0.5, 0.8)]), "");
    }
}
