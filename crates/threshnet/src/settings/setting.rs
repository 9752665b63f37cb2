//! What is known of a setting: its name, what it takes, its range, its defaults, its help.

use super::value::{Typed, Value};
use crate::dataset::Task;
use crate::error::{Error, Result};
use std::fmt;

/// A setting, as every front end shows and reads it.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name, in words joined by `_`; each front end spells it its own way.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Which numbers it takes, if it takes any.
    pub range: Option<Range>,
    /// What the default protocol does without it.
    pub default: &'static str,
    /// What the paper's protocol does, where it differs.
    pub paper: Option<&'static str>,
    /// Under which heading it is found.
    pub group: Group,
    /// Who needs it.
    pub stage: Stage,
    /// The tasks it means something for; empty for all.
    pub tasks: &'static [Task],
    /// The lines of its documentation.
    pub(super) doc: &'static str,
}

impl Setting {
    /// One that says no more of itself than it must.
    pub(super) const fn new(name: &'static str, takes: Takes, doc: &'static str) -> Self {
        Setting {
            name,
            takes,
            range: None,
            default: "",
            paper: None,
            group: Group::Tuning,
            stage: Stage::Advanced,
            tasks: &[],
            doc,
        }
    }

    /// What it does, in one line.
    pub fn help(&self) -> &'static str {
        self.doc.lines().next().unwrap_or_default().trim()
    }

    /// What else is to be known, in whole sentences; may be empty.
    pub fn details(&self) -> String {
        let lines = self.doc.lines().skip(1).map(str::trim);
        lines
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Its defaults in words.
    pub fn defaults(&self) -> String {
        match self.paper {
            None => self.default.into(),
            Some(paper) => format!("{}; under the paper's protocol {paper}", self.default),
        }
    }

    /// Whether it means something for a task.
    pub fn is_for(&self, task: Task) -> bool {
        self.tasks.is_empty() || self.tasks.contains(&task)
    }

    /// A value of it, in its range.
    pub fn read<T: Typed>(&self, value: Value) -> Result<T> {
        let given = value.to_string();
        let read = T::read(value).map_err(|problem| match &problem[..] {
            "" => self.refused(format!("{given} is not {}", self.wanted())),
            _ => self.refused(problem),
        })?;
        self.check(&read)?;
        Ok(read)
    }

    /// Refuses a value outside the range.
    pub(crate) fn check<T: Typed>(&self, value: &T) -> Result<()> {
        let Some(range) = self.range else {
            return Ok(());
        };
        match value.numbers().into_iter().find(|x| !range.contains(*x)) {
            None => Ok(()),
            Some(bad) => Err(self.refused(format!("{bad} is not {}", self.wanted()))),
        }
    }

    /// The numbers it takes, in words.
    pub fn wanted(&self) -> String {
        let what = match self.takes {
            Takes::Whole | Takes::Widths => "a whole number",
            _ => "a number",
        };
        match self.range {
            Some(range) => format!("{what} {range}"),
            None => format!("{what} of at least 0 that fits into 64 bit"),
        }
    }

    fn refused(&self, problem: String) -> Error {
        Error::setting(self.name, problem)
    }
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// Yes or no.
    YesNo,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// The widths of hidden layers.
    Widths,
    /// Ascending numbers.
    Grid,
    /// A word, some of which have a number behind a colon, such as `cv:5`.
    Form,
    /// A fitted model.
    Model,
}

/// Under which heading a setting is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Columns and the scale of the data.
    Data,
    /// What is fitted.
    Model,
    /// How it is chosen.
    Tuning,
    /// Selection with error control.
    Control,
    /// How it is solved.
    Solver,
    /// How it is run.
    Run,
}

impl Group {
    /// The heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Group::Data => "Outcome and columns",
            Group::Model => "Model",
            Group::Tuning => "Tuning",
            Group::Control => "Selection with error control",
            Group::Solver => "Solver",
            Group::Run => "Run and output",
        }
    }
}

/// Who needs a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Most people, sooner or later: the short help has it.
    Common,
    /// Those who know why.
    Advanced,
}

/// The numbers from one end to the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: End,
    high: End,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    At(f64),
    Open(f64),
}

impl Range {
    /// With both ends.
    pub const fn from_to(low: f64, high: f64) -> Self {
        Range {
            low: End::At(low),
            high: End::At(high),
        }
    }

    /// Without the lower end.
    pub const fn above(low: f64, high: f64) -> Self {
        Range {
            low: End::Open(low),
            high: End::At(high),
        }
    }

    /// Without either end.
    pub const fn between(low: f64, high: f64) -> Self {
        Range {
            low: End::Open(low),
            high: End::Open(high),
        }
    }

    /// Whether a number lies in it.
    pub fn contains(self, x: f64) -> bool {
        let above = match self.low {
            End::At(low) => x >= low,
            End::Open(low) => x > low,
        };
        let below = match self.high {
            End::At(high) => x <= high,
            End::Open(high) => x < high,
        };
        above && below
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.low, self.high) {
            (End::At(low), End::At(high)) => write!(f, "from {low} to {high}"),
            (End::Open(low), End::At(high)) => write!(f, "above {low} and at most {high}"),
            (End::At(low), End::Open(high)) => write!(f, "from {low} to below {high}"),
            (End::Open(low), End::Open(high)) => write!(f, "between {low} and {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_know_their_ends() {
        let (closed, open) = (Range::from_to(1.0, 5.0), Range::between(0.0, 1.0));
        assert!(closed.contains(1.0) && closed.contains(5.0) && !closed.contains(5.1));
        assert!(open.contains(0.5) && !open.contains(0.0) && !open.contains(1.0));
        assert!(!Range::above(0.0, 1.0).contains(0.0) && Range::above(0.0, 1.0).contains(1.0));
        assert!(!closed.contains(f64::NAN) && !closed.contains(f64::INFINITY));
        assert_eq!(closed.to_string(), "from 1 to 5");
        assert_eq!(Range::above(0.0, 1.0).to_string(), "above 0 and at most 1");
    }
}
