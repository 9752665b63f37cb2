//! x
mod common;
use common::*;
use threshnet::activation::Activation;
use threshnet::penalty::Penalty;
use threshnet::solver::*;
use threshnet::path::*;
use threshnet::settings::log_grid;
use threshnet::simulate::*;

#[test]
fn adam() {
    for design in [Design::Regression, Design::Classification, Design::Survival] {
        for seed in 0..2 {
        let mut sim = Simulation::new(design, 300, 20); sim.seed = seed;
        let data = sim.draw().unwrap();
        let bench = Bench::new(&data);
        for act in [Activation::Relu, Activation::Tanh, Activation::Softplus] {
        for (pen, lams) in [(Penalty::MCP, log_grid(1e-2,0.5,8)), (Penalty::Lasso, log_grid(5e-4, 2e-3, 4))] {
            for (f, e) in [(2000, 200), (3000, 1000)] {
            let t = std::time::Instant::now();
            let problem = bench.problem(pen, 0.01);
            let tr = Tracer{lambdas: &lams, direction: Direction::Backward, solver: Solver::Adam(Adam::default()), first_epochs: f, epochs: e};
            let steps = tr.trace(&problem, |_| bench.start(&[10,5], act, 5), &Unobserved);
            println!("--- {design:?} {seed} {act:?} {pen:?} {f} {:?}", t.elapsed());
            for s in steps {
                let wide = s.network.widened(&bench.usable);
                let (_, c) = problem.assess(&wide, s.lambda);
                let l = s.lambda*10f64.sqrt();
                println!("   {:.4} size {} {:?} {} act {:.2e} inact {:.2e} rest {:.2e}  lam*sqrt(h) {:.2e}", s.lambda, s.network.inputs.len(), s.solved.status, s.solved.epochs, c.active/l, c.inactive/l, c.rest/l, l);
            }}
        }}
    }}
}
