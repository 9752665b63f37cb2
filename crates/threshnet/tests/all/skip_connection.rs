//! A way around the hidden layers.

use crate::common::{TASKS, dataset, normal_columns, outcome, path_settings};
use threshnet::path::Direction;
use threshnet::settings::Settings;
use threshnet::solver::Unobserved;
use threshnet::tune::fit;

#[test]
fn a_shortcut_takes_what_is_straight() {
    for task in TASKS {
        let columns = normal_columns(150, 10, 7);
        let signal: Vec<f64> = columns[3].iter().map(|x| 2.0 * x).collect();
        let data = dataset(columns, outcome(task, &signal, 7));
        let settings = Settings {
            shortcut: true,
            standardize: true,
            ..path_settings(&[0.01, 0.03, 0.06, 0.12, 0.3], Direction::Backward)
        };
        let with = fit(&data, &settings, &Unobserved).expect("the fit is valid");
        let network = &with.model.networks[0];
        assert!(network.shape.shortcut, "{task:?}");
        assert!(with.model.selected().contains(&3), "{task:?}");
        // weights on the way around, all zero at the start
        let (h, width) = (network.shape.group(), network.shape.widths[1]);
        let input = network.inputs.iter().position(|&j| j == 3).unwrap();
        let straight = &network.weights[input * h + width..(input + 1) * h];
        assert!(
            straight.iter().any(|w| w.abs() > 0.05),
            "{task:?} {straight:?}"
        );
        // and what is dropped is dropped there too
        assert_eq!(network.inputs, with.model.selected());
    }
}
