//! What choices are called where people type them.

use super::request::{PenaltyName, SolverName};
use super::setting::Takes;
use super::value::{Typed, Value};
use super::{Linear, Protocol, Rule};
use crate::activation::Activation;
use crate::dataset::{Task, Unseen};
use crate::loss::Ties;
use crate::path::Direction;

/// A choice among a few, each with a name: so that every front end reads the same names.
pub trait Named: Copy + 'static {
    /// Every choice, in the order in which to list them.
    const ALL: &'static [Self];

    /// The name used in files and on the command line.
    fn name(self) -> &'static str;

    /// The choice of this name.
    fn named(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|choice| choice.name() == text)
    }
}

/// Names the variants of an enum, which a setting can then be.
macro_rules! names {
    ($choice:ty { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl Named for $choice {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl Typed for $choice {
            const TAKES: Takes = Takes::Choice(&[$($name),+]);

            fn read(value: Value) -> Result<Self, String> {
                let named = match &value {
                    Value::Text(text) => Self::named(text),
                    _ => None,
                };
                named.ok_or_else(|| format!("{value} is none of {}", [$($name),+].join(", ")))
            }

            fn shown(&self) -> serde_json::Value {
                serde_json::Value::from(Named::name(*self))
            }
        }
    };
}

names!(Activation {
    Relu = "relu",
    Softplus = "softplus",
    Gelu = "gelu",
    Tanh = "tanh",
    Sigmoid = "sigmoid",
    Selu = "selu",
});
names!(Unseen { Error = "error", Zero = "zero" });
names!(Linear { Leave = "leave", Compare = "compare", Choose = "choose" });
names!(Ties { Breslow = "breslow", Efron = "efron" });
names!(Direction { Backward = "backward", Forward = "forward", Cold = "cold" });
names!(Rule { Min = "min", OneStandardError = "1se" });
names!(SolverName { Adam = "adam", Proximal = "proximal", Descent = "descent" });

names!(Protocol { Paper = "paper", Default = "default" });
names!(PenaltyName { Lasso = "lasso", Mcp = "mcp", Scad = "scad" });

impl Named for Task {
    const ALL: &'static [Self] = &[Task::Regression, Task::Binary, Task::Multiclass, Task::Cox];

    fn name(self) -> &'static str {
        Task::name(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use std::fmt::Debug;

    fn read_back<T: Named + Debug + PartialEq>() {
        for &choice in T::ALL {
            assert_eq!(T::named(choice.name()), Some(choice));
        }
        assert_eq!(T::named("Nobody"), None);
        assert_eq!(T::named(""), None);
    }

    #[test]
    fn names_read_back() {
        read_back::<Task>();
        read_back::<Activation>();
        read_back::<Unseen>();
        read_back::<Linear>();
        read_back::<Ties>();
        read_back::<Direction>();
        read_back::<Rule>();
        read_back::<Protocol>();
        read_back::<PenaltyName>();
        read_back::<SolverName>();
    }

    fn as_in_files<T: Named + Serialize>() {
        for &choice in T::ALL {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
        }
    }

    #[test]
    fn files_have_the_same_names() {
        as_in_files::<Task>();
        as_in_files::<Activation>();
        as_in_files::<Ties>();
        as_in_files::<Rule>();
        as_in_files::<Protocol>();
        as_in_files::<PenaltyName>();
        assert_eq!(<Activation as Named>::ALL, Activation::ALL);
        for &penalty in PenaltyName::ALL {
            assert_eq!(penalty.name(), penalty.usual().name());
            assert_eq!(PenaltyName::from(penalty.usual()), penalty);
        }
    }
}
