//! An inspection for a person, and as JSON.

use super::Inspection;
use super::columns::{Described, Kind};
use crate::files::overview::{Line, aligned, describe, heading, of_columns};
use crate::files::wording::{count, drop_flag, flag, shell};
use crate::files::{Manner, OutcomeColumns};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;
use std::io::Write;
use threshnet::dataset::Outcome;
use threshnet::model::Decimal;

/// How many columns that may be an outcome are named.
const MOST_NAMES: usize = 10;
/// How many alarms are told one by one.
const MOST_ALARMS: usize = 20;

impl Inspection {
    /// All that was found, for programs. Written as it is made, for there may be a million columns.
    pub fn write_json(&self, out: impl Write) -> serde_json::Result<()> {
        let duplicates: Vec<Value> = (self.duplicates.iter())
            .map(|&(column, first)| {
                json!({"name": self.columns[column].name, "equals": self.columns[first].name})
            })
            .collect();
        let said = Json {
            file: self.input.data.display().to_string(),
            rows: self.rows,
            columns: &self.columns,
            missing_cells: self.columns.iter().map(|c| c.missing).sum(),
            duplicates,
            outcome: self.outcome_json(),
            fit: self.outcome.as_ref().map(|_| self.command()),
            seconds: self.read_in.as_secs_f64(),
        };
        serde_json::to_writer_pretty(out, &said)
    }

    fn outcome_json(&self) -> Value {
        let Some(found) = &self.outcome else {
            return Value::Null;
        };
        let mut said = json!({"columns": found.columns.names(), "guessed": found.guessed});
        if let Ok(outcome) = &found.outcome {
            said["task"] = json!(outcome.task().name());
        }
        match &found.outcome {
            Err(problem) => said["problem"] = json!(format!("{problem:#}")),
            Ok(Outcome::Continuous(_)) => {}
            Ok(Outcome::Classes {
                labels, classes, ..
            }) => {
                let rows = |class| labels.iter().filter(|&&label| label == class).count();
                said["classes"] = (classes.iter().enumerate())
                    .map(|(class, name)| json!({"name": name, "rows": rows(class)}))
                    .collect();
            }
            Ok(Outcome::Survival { event, .. }) => {
                let events = event.iter().filter(|&&event| event).count();
                said["events"] = json!(events);
                said["censored"] = json!(event.len() - events);
            }
        }
        said
    }

    /// The fit that these data suggest, ready to be pasted into a shell.
    pub(crate) fn command(&self) -> String {
        let path = |path: &std::path::Path| path.display().to_string();
        let mut words = vec!["threshnet fit".to_string(), shell(&path(&self.input.data))];
        let named = [
            ("--names", &self.input.names),
            ("--outcome", &self.input.outcome),
        ];
        for (name, file) in named {
            words.extend(file.as_ref().map(|file| flag(name, &path(file))));
        }
        match self.outcome.as_ref().map(|found| &found.columns) {
            Some(OutcomeColumns::Target(target)) => words.push(flag("--target", target)),
            Some(OutcomeColumns::Survival { time, event }) => {
                words.extend([flag("--time", time), flag("--event", event)]);
            }
            None => words.push("--target COL".into()),
        }
        words.extend(self.manner());
        let dropped = self.dropped();
        if !dropped.is_empty() {
            words.push(drop_flag(&dropped));
        }
        if self.has_gaps() {
            words.push("--missing impute".into());
        }
        words.push("--out fit".into());
        words.join(" ")
    }

    /// Flags that say how the file is written.
    fn manner(&self) -> Vec<String> {
        let Manner { encoding, reading } = &self.input.manner;
        let mut flags = vec![];
        flags.extend(encoding.map(|encoding| flag("--encoding", encoding.name())));
        flags.extend(reading.decimal.map(|decimal| {
            let sign = match decimal {
                Decimal::Point => ".",
                Decimal::Comma => ",",
            };
            flag("--decimal", sign)
        }));
        if !reading.na.is_empty() {
            flags.push(flag("--na", &reading.na.join(",")));
        }
        flags.extend(
            reading
                .censored_cells
                .map(|_| "--censored-cells half".into()),
        );
        flags
    }

    /// Columns that a fit cannot use, or should not.
    fn dropped(&self) -> Vec<&str> {
        let unusable = |column: &&Described| !column.usable() && !column.outcome;
        let all = self.columns.iter().filter(unusable);
        all.map(|column| column.name.as_str()).collect()
    }

    /// A line on the columns of which something holds.
    fn line(&self, label: &'static str, of: impl Fn(&Described) -> Option<String>) -> Option<Line> {
        let found: Vec<String> = self.columns.iter().filter_map(of).collect();
        of_columns(label, &found)
    }

    fn lines(&self) -> Vec<Line> {
        let size = (self.rows, self.columns.len());
        let numbers = self.columns.iter().filter(|c| c.kind == Kind::Numbers);
        let numbers = numbers.count();
        let mut lines = vec![
            ("", heading(&self.input.data, size, self.read_in)),
            ("numbers", count(numbers, "column")),
        ];
        lines.extend(self.encoding.clone().map(|how| ("encoding", how)));
        for kind in [
            "text",
            "identifiers",
            "dates",
            "mixed",
            "unreadable",
            "empty",
        ] {
            lines.extend(self.line(kind, |c| (c.kind.name() == kind).then(|| c.shown())));
        }
        let missing: usize = self.columns.iter().map(|c| c.missing).sum();
        let cells = self.line("missing", |c| {
            (c.missing > 0).then(|| format!("{} ({})", c.name, c.missing))
        });
        let cells = cells
            .map(|(label, columns)| (label, format!("{} in {columns}", count(missing, "cell"))));
        lines.extend(cells);
        lines.extend(self.line("constant", |c| c.constant.then(|| c.name.clone())));
        let pairs: Vec<String> = (self.duplicates.iter())
            .map(|&(a, b)| format!("{} = {}", self.columns[a].name, self.columns[b].name))
            .collect();
        lines.extend(of_columns("duplicate", &pairs));
        lines.push(("outcome", self.outcome_text()));
        let alarms = self
            .columns
            .iter()
            .filter_map(|column| Some((column, column.alarm.as_ref()?)));
        let alarms: Vec<String> = (alarms)
            .map(|(column, why)| format!("{} {why}; not suggested as a feature", column.name))
            .collect();
        lines.extend(
            alarms
                .iter()
                .take(MOST_ALARMS)
                .map(|alarm| ("alarm", alarm.clone())),
        );
        if alarms.len() > MOST_ALARMS {
            lines.push((
                "alarm",
                format!("… and {} more", alarms.len() - MOST_ALARMS),
            ));
        }
        lines
    }

    fn outcome_text(&self) -> String {
        let Some(found) = &self.outcome else {
            let among = match &self.beside[..] {
                [] => String::new(),
                names if names.len() > MOST_NAMES => {
                    format!(" among {}, …", names[..MOST_NAMES].join(", "))
                }
                names => format!(" among {}", names.join(", ")),
            };
            return format!(
                "no usual name{among}; say --target COL, or --time COL and --event COL"
            );
        };
        let names = found.columns.names().join(", ");
        let guess = match found.guessed {
            true => " (a guess, by the name)",
            false => "",
        };
        match &found.outcome {
            Ok(outcome) => {
                let coding = found.coding.iter().map(|how| format!(", {how}"));
                format!(
                    "{names}{guess}: {}{}",
                    describe(outcome),
                    coding.collect::<String>()
                )
            }
            Err(problem) => format!("{names}: {problem:#}"),
        }
    }
}

/// What programs are told.
#[derive(Serialize)]
struct Json<'a> {
    file: String,
    rows: usize,
    columns: &'a [Described],
    missing_cells: usize,
    duplicates: Vec<Value>,
    outcome: Value,
    fit: Option<String>,
    seconds: f64,
}

impl Serialize for Described {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut column = out.serialize_map(None)?;
        column.serialize_entry("name", &self.name)?;
        column.serialize_entry("type", self.kind.name())?;
        column.serialize_entry("missing", &self.missing)?;
        column.serialize_entry("constant", &self.constant)?;
        if let Some(alarm) = &self.alarm {
            column.serialize_entry("alarm", alarm)?;
        }
        match &self.kind {
            Kind::Text(levels) => column.serialize_entry("levels", levels)?,
            Kind::Mixed(problem) | Kind::Unreadable(problem) => {
                column.serialize_entry("problem", problem)?;
            }
            _ => {}
        }
        column.end()
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&aligned(&self.lines()))?;
        if self.outcome.is_none() {
            let say = "Say what the outcome is in place of COL; then:";
            return writeln!(f, "\n{say}\n{}", self.command());
        }
        let wrong = matches!(&self.outcome, Some(found) if found.outcome.is_err());
        if let Some(problem) = &self.problem {
            writeln!(f, "\nA fit needs this corrected first: {problem}; then:")?;
        }
        let first = match wrong {
            true => "\nA fit needs the outcome corrected first; then:",
            false => "",
        };
        writeln!(f, "{first}\n{}", self.command())
    }
}
