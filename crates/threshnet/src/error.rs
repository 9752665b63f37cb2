//! What can be wrong with an input. Not converging is no error: it is a
//! [`Status`](crate::solver::Status).

use crate::format::visible;
use thiserror::Error;

/// A `Result` whose error is [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Bad input, with what is wrong and what to do about it. A message is one line: what it quotes of a
/// file has its control characters [spelled out](visible).
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A setting outside its range, or two settings that exclude each other.
    #[error("{name}: {}", visible(problem))]
    Setting {
        /// The setting as the user knows it, such as `lambdas`.
        name: &'static str,
        /// What is wrong with it, and the fix.
        problem: String,
    },
    /// Data that cannot be fitted or scored.
    #[error("{}", visible(.0))]
    Data(String),
    /// A model file that cannot be used.
    #[error("{}", visible(.0))]
    Model(String),
    /// What a finished job has found could not be kept.
    #[error("{}", visible(.0))]
    NotKept(String),
    /// The observer asked to stop before there was anything to return.
    #[error("interrupted")]
    Cancelled,
}

impl Error {
    /// An [`Error::Setting`].
    pub fn setting(name: &'static str, problem: impl Into<String>) -> Self {
        Error::Setting {
            name,
            problem: problem.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let quoting = "no column \"a\nb\u{1b}\"";
        for error in [
            Error::Model(quoting.into()),
            Error::Data(quoting.into()),
            Error::setting("columns", quoting),
        ] {
            assert!(
                error.to_string().ends_with("no column \"a\\nb\\u{1b}\""),
                "{error}"
            );
        }
    }
}
