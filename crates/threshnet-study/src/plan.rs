//! What a study consists of: cells (data to draw or read), the methods fitted to
//! each, and the filter of `--only`.

use super::method::Method;
use super::{battery, control, known, quality};
use crate::error::Error;
use crate::name::StudyName;
use threshnet::dataset;
use threshnet::simulate::Scenario;

/// How many columns the XOR-type designs are tried with.
const WIDTHS: [usize; 7] = [20, 50, 100, 200, 300, 400, 500];
/// Sizes of Table 1, n × d.
const SIZES: [(usize, usize); 3] = [(300, 20), (500, 20), (500, 1000)];
/// What `--only` calls a method as the paper has it, without a variant.
const PLAIN: &str = "plain";
/// Share of censored rows where the paper shows only one.
const CENSORING: f64 = 0.2;

/// The variant of Table 2 that takes the paper's text at its word.
const AS_PRINTED: &str = "as-printed";
/// Wide data with the ridges of others.
const SMALLER_RIDGES: &str = "ridges=0.001:0.1";
/// 200 rows in place of 300.
const FEWER_ROWS: &str = "n=200";
/// 600 rows in place of 500.
const MORE_ROWS: &str = "n=600";

/// Begins the names of correlated cells where independent ones stand beside them.
const CORRELATED: &str = "correlated-";

/// Data of one kind, of which every replicate is a draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Design or data set.
    pub model: String,
    pub n: usize,
    pub d: usize,
    /// The kind of outcome.
    pub task: dataset::Task,
    /// Share of censored rows; none unless it is simulated survival.
    pub censoring: Option<f64>,
    pub correlation: f64,
    /// Whether x₁ and x₂ change places in the design.
    pub swapped: bool,
}

/// A method fitted to the replicates of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    pub cell: Cell,
    pub method: Method,
    /// What differs from the study's usual settings; empty if nothing.
    pub variant: String,
    /// Whether it runs only if `--only` names its variant.
    pub optional: bool,
}

/// What the paper ran, or what stands for it.
pub struct Plan {
    pub tasks: Vec<Task>,
    /// Replicates in the paper, or of a study of our own.
    pub reps: u64,
}

impl Cell {
    /// Data that were not simulated.
    pub fn real(model: &str, (n, d): (usize, usize), task: dataset::Task) -> Self {
        Cell {
            model: model.into(),
            n,
            d,
            task,
            censoring: None,
            correlation: 0.0,
            swapped: false,
        }
    }

    pub fn simulated(design: Scenario, size: (usize, usize), censoring: f64) -> Self {
        Cell {
            censoring: (design == Scenario::Survival).then_some(censoring),
            ..Cell::real(design.name(), size, design.task())
        }
    }

    pub fn size(&self) -> String {
        format!("{}x{}", self.n, self.d)
    }

    /// A name for files and people.
    pub fn name(&self) -> String {
        let mut name = format!("{}-{}", self.model, self.size());
        if let Some(share) = self.censoring {
            name += &format!("-c{share}");
        }
        if self.correlation != 0.0 && !self.swapped {
            name += "-printed";
        }
        name
    }
}

impl Task {
    pub fn new(cell: &Cell, method: Method, variant: &str) -> Task {
        Task {
            cell: cell.clone(),
            method,
            variant: variant.into(),
            optional: false,
        }
    }

    /// Whether a token of `--only` is true of this task; `!token` is true where
    /// the token is not.
    fn matches(&self, token: &str) -> bool {
        match token.strip_prefix('!') {
            Some(negated) => !self.matches(negated),
            None => self.words().any(|word| word == token),
        }
    }

    /// What `--only` can say of it.
    fn words(&self) -> impl Iterator<Item = String> {
        let variant = match &self.variant[..] {
            "" => PLAIN,
            variant => variant,
        };
        let (model, method) = (self.cell.model.clone(), self.method.name().into());
        let censoring = self.cell.censoring.map(|share| format!("c{share}"));
        let words = [model, method, self.cell.size(), variant.into()];
        let of_data = known::named(&self.cell.model).map(|known| known.words());
        let of_data = of_data.into_iter().flatten().map(String::from);
        words.into_iter().chain(censoring).chain(of_data)
    }
}

/// The design that a cell's model names, if it is simulated.
pub fn design_of(model: &str) -> Option<Scenario> {
    Scenario::named(model.strip_prefix(CORRELATED).unwrap_or(model))
}

/// The cells and methods of a study; `real_cells` are those of the data at hand.
pub fn plan(study: StudyName, real_cells: Vec<Cell>) -> Plan {
    use Method::{Glasso, Gmcp, Gscad, Nn, OracleNn, Relaxed};
    let simulated = [Gmcp, Gscad, Glasso, Nn, OracleNn];
    let (tasks, reps) = match study {
        StudyName::Path => (paths(), 1),
        StudyName::Xor => (every(widths(Scenario::Xor), &simulated), 20),
        StudyName::Hierarchical => (every(widths(Scenario::Hierarchical), &simulated), 20),
        StudyName::Relaxed => (every(widths(Scenario::Xor), &[Relaxed]), 20),
        StudyName::Table1 => (table1(&simulated), 200),
        StudyName::Table2 => (table2(&simulated), 200),
        StudyName::Sensitivity => (sensitivity(), 200),
        StudyName::Quality => (quality::tasks(compared_cells()), 40),
        StudyName::Control => (control::tasks(correlated), 200),
        StudyName::Battery => (battery::tasks(&real_cells), 10),
        StudyName::Mnist | StudyName::SurvivalReal => {
            (every(real_cells, &[Gmcp, Gscad, Glasso, Nn]), 100)
        }
    };
    Plan { tasks, reps }
}

fn every(cells: Vec<Cell>, methods: &[Method]) -> Vec<Task> {
    (cells.iter())
        .flat_map(|cell| (methods.iter()).map(move |&method| Task::new(cell, method, "")))
        .collect()
}

fn widths(design: Scenario) -> Vec<Cell> {
    WIDTHS
        .iter()
        .map(|&d| Cell::simulated(design, (500, d), 0.0))
        .collect()
}

/// Three sizes of five models. Where the paper's figures do not come out, what
/// they look like is there to be tried: smaller ridges or more rows for wide
/// classification, fewer rows under heavy censoring.
fn table1(methods: &[Method]) -> Vec<Task> {
    let classification = |size| Cell::simulated(Scenario::Classification, size, 0.0);
    let mut tasks = every(table1_cells(), methods);
    tasks.extend(varied(vec![classification(SIZES[2])], SMALLER_RIDGES));
    tasks.extend(varied(vec![classification((600, 1000))], MORE_ROWS));
    let fewer = Cell::simulated(Scenario::Survival, (200, 20), 0.4);
    tasks.extend(varied(vec![fewer], FEWER_ROWS));
    tasks
}

fn table1_cells() -> Vec<Cell> {
    let models = [
        (Scenario::Regression, 0.0),
        (Scenario::Classification, 0.0),
        (Scenario::Survival, 0.0),
        (Scenario::Survival, CENSORING),
        (Scenario::Survival, 0.4),
    ];
    (models.iter())
        .flat_map(|&(design, share)| SIZES.map(|size| Cell::simulated(design, size, share)))
        .collect()
}

/// The cells of both tables, told apart by name.
fn compared_cells() -> Vec<Cell> {
    let mut cells = table1_cells();
    cells.extend(table2_cells(true).map(correlated));
    cells
}

/// A correlated cell under a name of its own.
fn correlated(cell: Cell) -> Cell {
    Cell {
        model: format!("{CORRELATED}{}", cell.model),
        ..cell
    }
}

/// GMCPNet and GSCADNet on these cells with a variant, for those who ask for it.
fn varied(cells: Vec<Cell>, variant: &str) -> impl Iterator<Item = Task> {
    let tasks = every(cells, &[Method::Gmcp, Method::Gscad]).into_iter();
    tasks.map(move |task| Task {
        variant: variant.into(),
        optional: true,
        ..task
    })
}

/// Correlated columns. The paper's figures come out with x₁ and x₂ in the places
/// that its package gives them; the variant has them as its text does.
fn table2(methods: &[Method]) -> Vec<Task> {
    let mut tasks = every(table2_cells(true).into(), methods);
    tasks.extend(varied(table2_cells(false).into(), AS_PRINTED));
    let [_, classification, _] = table2_cells(true);
    tasks.extend(varied(vec![classification], SMALLER_RIDGES));
    tasks
}

fn table2_cells(swapped: bool) -> [Cell; 3] {
    [
        Scenario::Regression,
        Scenario::Classification,
        Scenario::Survival,
    ]
    .map(|design| Cell {
        correlation: 0.5,
        swapped,
        ..Cell::simulated(design, (500, 1000), CENSORING)
    })
}

/// One setting at a time away from γ = 1, rate 0.001 and layers 10, 5.
fn sensitivity() -> Vec<Task> {
    let variants = [
        "",
        "gamma=0.001",
        "gamma=0.01",
        "gamma=0.1",
        "rate=0.0001",
        "rate=0.01",
        "rate=0.1",
        "hidden=5",
        "hidden=10",
        "hidden=10-10-5",
        "hidden=20-10-5",
    ];
    let cell = Cell::simulated(Scenario::Regression, (500, 1000), 0.0);
    (variants.iter())
        .map(|variant| Task::new(&cell, Method::Gscad, variant))
        .collect()
}

/// Figure 1's panels, in its order.
fn paths() -> Vec<Task> {
    use Method::{Glasso, Gmcp, Gscad};
    let cell = Cell::simulated(Scenario::Regression, (500, 20), 0.0);
    [
        (Gmcp, "cold"),
        (Gmcp, "forward"),
        (Glasso, "forward"),
        (Gscad, "backward"),
        (Gmcp, "backward"),
        (Glasso, "backward"),
    ]
    .map(|(method, direction)| Task::new(&cell, method, direction))
    .into()
}

/// `--only`: what every token must be true of.
pub struct Only {
    tokens: Vec<String>,
    replicates: Vec<u64>,
}

impl Only {
    /// Refuses a token that is true of nothing in the plan, unless it leaves out data that were
    /// not even read.
    pub fn new(tokens: &[String], plan: &Plan) -> Result<Only, Error> {
        let mut only = Only {
            tokens: vec![],
            replicates: vec![],
        };
        for token in tokens.iter().map(|token| token.trim()) {
            let number = token.strip_prefix('r').and_then(|n| n.parse().ok());
            if let Some(number) = number.filter(|&number| number > 0) {
                only.replicates.push(number);
            } else if !token.is_empty()
                && ((plan.tasks.iter()).any(|task| task.matches(token.trim_start_matches('!')))
                    || token.strip_prefix('!').is_some_and(known::is_word))
            {
                only.tokens.push(token.into());
            } else {
                return Err(Error::Usage(format!(
                    "--only: nothing in this study is {token:?}; take of {}",
                    vocabulary(plan)
                )));
            }
        }
        match plan.tasks.iter().any(|task| only.keeps(task)) {
            true => Ok(only),
            false => Err(Error::Usage(format!(
                "--only: no part of this study is all of {}; see --list",
                tokens.join(", ")
            ))),
        }
    }

    pub fn keeps(&self, task: &Task) -> bool {
        let named = || self.tokens.contains(&task.variant);
        self.tokens.iter().all(|token| task.matches(token)) && (!task.optional || named())
    }

    /// The numbers of the replicates to run, from 1.
    pub fn replicates(&self, reps: u64) -> Vec<u64> {
        match &self.replicates[..] {
            [] => (1..=reps).collect(),
            some => some.to_vec(),
        }
    }
}

/// Everything that `--only` can say of a study.
fn vocabulary(plan: &Plan) -> String {
    let mut words: Vec<String> = vec![];
    for word in plan.tasks.iter().flat_map(Task::words) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(study: StudyName, only: &[&str]) -> Vec<String> {
        let plan = plan(study, vec![]);
        let tokens: Vec<String> = only.iter().map(|t| t.to_string()).collect();
        let only = Only::new(&tokens, &plan).unwrap();
        (plan.tasks.iter())
            .filter(|task| only.keeps(task))
            .map(|task| {
                format!(
                    "{} {}{}",
                    task.cell.name(),
                    task.method.name(),
                    task.variant
                )
            })
            .collect()
    }

    #[test]
    fn a_method_without_a_variant_is_plain() {
        let of = |variant| {
            kept(
                StudyName::Quality,
                &["regression", "300x20", "gmcp", variant],
            )
        };
        assert_eq!(of("plain"), ["regression-300x20 gmcp"]);
        assert_eq!(of("!plain"), ["regression-300x20 gmcpdefault"]);
    }

    #[test]
    fn every_token_must_be_true() {
        assert_eq!(
            kept(StudyName::Table1, &["regression", "gmcp", "300x20"]),
            ["regression-300x20 gmcp"]
        );
        assert_eq!(
            kept(StudyName::Table1, &["c0.4", "500x20", "gscad"]),
            ["survival-500x20-c0.4 gscad"]
        );
        // 5 models × 3 sizes
        assert_eq!(kept(StudyName::Table1, &["gmcp"]).len(), 15);
        assert_eq!(kept(StudyName::Sensitivity, &["rate=0.01"]).len(), 1);
        assert_eq!(kept(StudyName::Path, &["backward"]).len(), 3);
        assert_eq!(
            kept(
                StudyName::Table2,
                &["regression", "!nn", "!oracle-nn", "!glasso"]
            ),
            ["regression-500x1000 gmcp", "regression-500x1000 gscad"]
        );
        // what is beside the paper's table runs only if it is asked for
        assert_eq!(
            kept(StudyName::Table2, &["regression", "gmcp", "as-printed"]),
            ["regression-500x1000-printed gmcpas-printed"]
        );
    }

    #[test]
    fn what_is_true_of_nothing_is_refused() {
        let plan = plan(StudyName::Table1, vec![]);
        for bad in [
            &["gmpc"][..],
            &["!gmpc"],
            &["regression", "c0.2"],
            &["gmcp", "!gmcp"],
            &["300x21"],
        ] {
            let tokens: Vec<String> = bad.iter().map(|t| t.to_string()).collect();
            assert!(Only::new(&tokens, &plan).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn replicates_count_from_one() {
        let plan = plan(StudyName::Table1, vec![]);
        let all = Only::new(&[], &plan).unwrap();
        assert_eq!(all.replicates(3), [1, 2, 3]);
        let seventh = Only::new(&["r7".to_string()], &plan).unwrap();
        assert_eq!(seventh.replicates(3), [7]);
        for bad in ["r0", "", "r"] {
            assert!(Only::new(&[bad.to_string()], &plan).is_err(), "{bad:?}");
        }
    }
}
