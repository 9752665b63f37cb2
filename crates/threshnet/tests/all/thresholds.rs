//! The group thresholds against brute force: Penalty::shrink must minimise
//! ½‖w − z‖² + γρ(‖w‖) over all w, for a ρ written out here from its slope.

use proptest::prelude::*;
use threshnet::penalty::Penalty;

/// ρ′ between its kinks, and the kinks, as the papers define them.
fn slope(penalty: Penalty, lambda: f64, t: f64) -> f64 {
    match penalty {
        Penalty::Lasso => lambda,
        Penalty::Mcp(a) => f64::max(lambda - t / a, 0.0),
        Penalty::Scad(a) => lambda.min(f64::max(a * lambda - t, 0.0) / (a - 1.0)),
    }
}

fn kinks(penalty: Penalty, lambda: f64) -> Vec<f64> {
    match penalty {
        Penalty::Lasso => vec![],
        Penalty::Mcp(a) => vec![a * lambda],
        Penalty::Scad(a) => vec![lambda, a * lambda],
    }
}

/// ρ(t) = ∫₀ᵗ ρ′: the slope is linear between kinks, so trapezoids are exact.
fn rho(penalty: Penalty, lambda: f64, t: f64) -> f64 {
    let mut ends: Vec<f64> = kinks(penalty, lambda)
        .into_iter()
        .filter(|kink| *kink < t)
        .collect();
    ends.push(t);
    let (mut from, mut sum) = (0.0, 0.0);
    for to in ends {
        let slopes = slope(penalty, lambda, from) + slope(penalty, lambda, to);
        sum += 0.5 * (to - from) * slopes;
        from = to;
    }
    sum
}

fn euclidean(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The t in [0, z] with the lowest ½(t − z)² + γρ(t): a fine grid, then ever
/// finer ones around its best point.
fn brute_force(z: f64, objective: impl Fn(f64) -> f64) -> f64 {
    let points = 1000;
    let (mut low, mut high) = (0.0, z);
    for _ in 0..5 {
        let width = (high - low) / f64::from(points);
        let at = |i: i32| low + f64::from(i) * width;
        let best = (0..=points)
            .map(at)
            .min_by(|s, t| objective(*s).total_cmp(&objective(*t)))
            .expect("there are points");
        (low, high) = (f64::max(best - width, 0.0), f64::min(best + width, z));
    }
    0.5 * (low + high)
}

/// A penalty and a step γ that it allows, up to 95 % of the limit.
fn pairing() -> impl Strategy<Value = (Penalty, f64)> {
    let share = 0.001..0.95f64;
    prop_oneof![
        (0.01..5.0f64).prop_map(|gamma| (Penalty::Lasso, gamma)),
        (0.05..10.0f64, share.clone()).prop_map(|(a, s)| (Penalty::Mcp(a), s * a)),
        (2.001..10.0f64, share).prop_map(|(a, s)| (Penalty::Scad(a), s * (a - 1.0))),
    ]
}

fn lambda() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 5 => (-4.0..2.0f64).prop_map(|e| 10f64.powf(e))]
}

/// A unit vector of one to six entries.
fn direction() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, 1..=6)
        .prop_filter("a direction", |v| euclidean(v) > 0.05)
        .prop_map(|v| {
            let norm = euclidean(&v);
            v.iter().map(|x| x / norm).collect()
        })
}

/// What the norm of z is made from: a share of the interesting range, the
/// number of a breakpoint, or something tiny.
#[derive(Debug, Clone)]
enum Norm {
    Share(f64),
    Breakpoint(usize),
    Tiny(i32),
}

impl Norm {
    fn of(&self, penalty: Penalty, gamma: f64, lambda: f64) -> f64 {
        let mut breaks = vec![gamma * lambda, lambda, (1.0 + gamma) * lambda];
        breaks.extend(kinks(penalty, lambda));
        let range = breaks.iter().copied().fold(0.1, f64::max);
        match self {
            Norm::Share(share) => 2.0 * share * range,
            Norm::Breakpoint(number) => breaks[number % breaks.len()],
            Norm::Tiny(exponent) => 10f64.powi(*exponent),
        }
    }
}

fn norm() -> impl Strategy<Value = Norm> {
    prop_oneof![
        3 => (1e-6..1.0f64).prop_map(Norm::Share),
        2 => (0usize..5).prop_map(Norm::Breakpoint),
        1 => (-140..-6i32).prop_map(Norm::Tiny),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_threshold_is_the_minimiser(
        (penalty, gamma) in pairing(),
        lambda in lambda(),
        direction in direction(),
        norm in norm(),
        away in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 6), 8),
    ) {
        prop_assert!(penalty.validate().is_ok() && penalty.check_step(gamma).is_ok());
        let norm = norm.of(penalty, gamma, lambda);
        let z: Vec<f64> = direction.iter().map(|u| norm * u).collect();
        let factor = penalty.shrink(norm, gamma, lambda);
        prop_assert!((0.0..=1.0 + 1e-12).contains(&factor), "factor {factor}");

        // along z
        let along = |t: f64| 0.5 * (t - norm).powi(2) + gamma * rho(penalty, lambda, t);
        let found = factor * norm;
        let best = brute_force(norm, along);
        let rounding = 1e-14 * (along(0.0) + along(norm));
        prop_assert!(along(found) <= along(best) + rounding, "{found} is worse than {best}");
        // Strongly convex with modulus 1 − γ/limit ≥ 0.05; near the minimum the
        // values are equal in 64 bit over about √ε of the range.
        prop_assert!((found - best).abs() <= 1e-5 * norm, "{found} against {best}");

        // off the ray
        let objective = |w: &[f64]| {
            let distance: Vec<f64> = w.iter().zip(&z).map(|(w, z)| w - z).collect();
            0.5 * euclidean(&distance).powi(2) + gamma * rho(penalty, lambda, euclidean(w))
        };
        let here: Vec<f64> = z.iter().map(|z| factor * z).collect();
        for (i, away) in away.iter().enumerate() {
            let size = norm * 10f64.powi(-(i as i32 % 4));
            let there: Vec<f64> = here.iter().zip(away).map(|(w, u)| w + size * u).collect();
            prop_assert!(
                objective(&there) >= objective(&here) - rounding,
                "{there:?} is better than {here:?}"
            );
        }
    }

    #[test]
    fn value_and_derivative_belong_together(
        (penalty, _) in pairing(),
        lambda in lambda(),
        share in 1e-4..2.0f64,
    ) {
        let range = kinks(penalty, lambda).into_iter().fold(1.0, f64::max);
        let t = share * range;
        let scale = lambda * range;
        prop_assert!((penalty.value(t, lambda) - rho(penalty, lambda, t)).abs() <= 1e-13 * scale);
        prop_assert_eq!(penalty.value(0.0, lambda), 0.0);
        prop_assert_eq!(penalty.derivative(0.0, lambda), lambda);

        let step = 1e-5 * t;
        let off_kinks = kinks(penalty, lambda).iter().all(|kink| (kink - t).abs() > 2.0 * step);
        if off_kinks {
            let difference = (penalty.value(t + step, lambda) - penalty.value(t - step, lambda))
                / (2.0 * step);
            let error = (difference - penalty.derivative(t, lambda)).abs();
            // ρ is quadratic at most: all that is left is rounding over 2·step
            prop_assert!(error <= 1e-15 * scale / step + 1e-9 * lambda, "off by {error}");
        }
    }

    #[test]
    fn values_have_no_jump_at_a_kink((penalty, _) in pairing(), lambda in 1e-4..100.0f64) {
        for kink in kinks(penalty, lambda) {
            let at = penalty.value(kink, lambda);
            for near in [kink * (1.0 - 1e-9), kink * (1.0 + 1e-9)] {
                let jump = (penalty.value(near, lambda) - at).abs();
                prop_assert!(jump <= 2e-9 * lambda * kink, "{jump} at {kink}");
                let bend = (penalty.derivative(near, lambda) - penalty.derivative(kink, lambda)).abs();
                prop_assert!(bend <= 1e-7 * lambda * (1.0 + kink / lambda), "{bend} at {kink}");
            }
        }
    }

    #[test]
    fn no_lambda_changes_nothing((penalty, gamma) in pairing(), exponent in -320.0..300.0f64) {
        let norm = 10f64.powf(exponent);
        prop_assume!(norm > 0.0);
        prop_assert_eq!(penalty.shrink(norm, gamma, 0.0).to_bits(), 1.0f64.to_bits());
    }

    #[test]
    fn a_zero_group_stays_zero((penalty, gamma) in pairing(), lambda in lambda()) {
        let factor = penalty.shrink(0.0, gamma, lambda);
        prop_assert!(factor.is_finite());
        for zero in [0.0, -0.0] {
            prop_assert_eq!(factor * zero, 0.0);
        }
        // and a group far below γλ becomes zero, even where λ/norm overflows
        if lambda > 0.0 {
            for norm in [f64::from_bits(1), f64::MIN_POSITIVE, 1e-200] {
                prop_assert_eq!(penalty.shrink(norm, gamma, lambda), 0.0);
            }
        }
    }

    #[test]
    fn steps_at_or_beyond_the_limit_are_refused(
        (penalty, gamma) in pairing(),
        excess in 1.0..100.0f64,
    ) {
        prop_assert!(penalty.check_step(gamma).is_ok());
        for bad in [0.0, -gamma, f64::NAN, f64::INFINITY] {
            prop_assert!(penalty.check_step(bad).is_err(), "{bad}");
        }
        let limit = match penalty {
            Penalty::Lasso => {
                prop_assert!(penalty.check_step(1e4 * excess).is_ok());
                return Ok(());
            }
            Penalty::Mcp(a) => a,
            Penalty::Scad(a) => a - 1.0,
        };
        prop_assert!(penalty.check_step(limit.next_down()).is_ok());
        prop_assert!(penalty.check_step(limit).is_err());
        prop_assert!(penalty.check_step(excess * limit).is_err());
    }

    #[test]
    fn concavities_without_a_penalty_are_refused(a in -10.0..0.0f64, b in -10.0..2.0f64) {
        prop_assert!(Penalty::Mcp(a).validate().is_err());
        prop_assert!(Penalty::Scad(b).validate().is_err());
    }
}

#[test]
fn edges_of_the_concavity() {
    for a in [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Penalty::Mcp(a).validate().is_err(), "MCP {a}");
        assert!(Penalty::Scad(a).validate().is_err(), "SCAD {a}");
    }
    assert!(Penalty::Scad(2.0).validate().is_err());
    assert!(Penalty::Scad(2.0f64.next_up()).validate().is_ok());
    assert!(Penalty::Mcp(f64::MIN_POSITIVE).validate().is_ok());
    assert!(Penalty::Lasso.validate().is_ok());
}

/// Why the limit is there: at it MCP divides by zero, and beyond it MCP keeps
/// what should go and SCAD shrinks what should stay.
#[test]
fn the_formula_is_wrong_beyond_the_limit() {
    assert!(Penalty::MCP.shrink(2.9, 3.0, 1.0).is_nan());
    for (penalty, norm, better) in [(Penalty::MCP, 3.1, 0.0), (Penalty::SCAD, 4.9, 4.9)] {
        let gamma = 4.0;
        let objective = |t: f64| 0.5 * (t - norm).powi(2) + gamma * rho(penalty, 1.0, t);
        let formula = norm * penalty.shrink(norm, gamma, 1.0);
        assert!(objective(formula) > objective(better) + 1.0, "{penalty:?}");
    }
}
