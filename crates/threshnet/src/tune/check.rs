//! What settings must have in common with the data they are for, checked before any work.

use super::Context;
use crate::dataset::{Outcome, Task};
use crate::error::{Error, Result};
use crate::loss::Ties;
use crate::network::Mlp;

/// Efron's ties have a term for every event, each as often as it counts: together at most so many.
const MOST_TIED: f64 = 1e6;

/// The most weights that a network has before any column leaves it.
const MOST_WEIGHTS: usize = 200_000_000;

/// Refuses what does not go with the data.
pub fn check(context: Context) -> Result<()> {
    let Context { data, settings, .. } = context;
    if settings.batch_size.is_some() && data.outcome().task() == Task::Cox {
        return Err(Error::setting(
            "batch_size",
            "a survival outcome's risk sets need all rows at once; leave it out",
        ));
    }
    check_size(context)?;
    let response = data.response();
    if response.weights.is_some()
        && settings.ties == Ties::Efron
        && response.task() == Task::Cox
        && response.mass() > MOST_TIED
    {
        return Err(Error::setting(
            "ties",
            format!(
                "with Efron's, an event that counts {MOST_TIED} times is as many tied ones; take \
                 breslow, or give weights with a mean of 1"
            ),
        ));
    }
    if let Some(columns) = &settings.columns
        && (!columns.is_sorted_by(|a, b| a < b) || columns.last().is_some_and(|&j| j >= data.d()))
    {
        return Err(Error::setting(
            "columns",
            format!("give numbers below {} in ascending order", data.d()),
        ));
    }
    Ok(())
}

/// Refuses networks that no memory holds several times.
fn check_size(context: Context) -> Result<()> {
    let Context { data, settings, .. } = context;
    let screened = settings.screen.unwrap_or(usize::MAX);
    let widths = std::iter::once(data.d().min(screened)).chain(settings.hidden.iter().copied());
    let widths: Vec<usize> = widths.collect();
    let weights: usize = widths
        .windows(2)
        .map(|pair| pair[0].saturating_mul(pair[1]))
        .sum();
    if weights <= MOST_WEIGHTS {
        return Ok(());
    }
    Err(Error::setting(
        "hidden",
        format!(
            "{weights} weights with {} columns: {MOST_WEIGHTS} are the most; take narrower layers, \
             or screen the columns",
            widths[0]
        ),
    ))
}

/// The first network of the model to start from, checked to fit the data and the settings.
pub fn initial_network(context: Context) -> Result<Option<Mlp>> {
    let Context { data, settings, .. } = context;
    let Some(model) = &settings.init else {
        return Ok(None);
    };
    let problem = |what: &str| Err(Error::setting("init", what.to_string()));
    if !model.features.are_those_of(data.features()) {
        return problem("the model was fitted on other columns than these data have");
    }
    if model.task != data.outcome().task() {
        return problem("the model was fitted for another task");
    }
    if matches!(data.outcome(), Outcome::Classes { classes, .. } if *classes != model.classes) {
        return problem("the model was fitted for other classes");
    }
    let network = &model.networks[0];
    let hidden = &network.shape.widths[1..network.shape.depth()];
    let shape = &network.shape;
    if hidden != settings.hidden
        || shape.activation != settings.activation
        || shape.shortcut != settings.shortcut
    {
        let shortcut = if shape.shortcut { "a" } else { "no" };
        return Err(Error::setting(
            "init",
            format!(
                "the model has hidden layers {hidden:?}, activation {:?} and {shortcut} shortcut; \
                 give the same hidden layers, activation and shortcut",
                shape.activation
            ),
        ));
    }
    Ok(Some(network.clone()))
}
