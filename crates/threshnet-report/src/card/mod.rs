//! `model-card.md`: a fit in the headings of a model card (Mitchell et al. 2019), made of its
//! own figures. It holds no date and no time: the same fit has the same card.

mod markdown;
mod words;

use crate::words::{
    held_out_rows, interval, metric_value, setting, with_interval, without_columns,
};
use markdown::{escaped, table};
use threshnet::dataset::Task;
use threshnet::format::short;
use threshnet::report::{FitReport, HeldOutReport, LossName};
use threshnet::settings::Named;

/// How many selected columns the card lists.
const SHOWN: usize = 50;

const NOTHING_HELD_OUT: &str = "Nothing was held out: how well it predicts new rows is not known.";

/// What the card is written from.
struct Card<'a>(&'a FitReport);

/// The text of `model-card.md`.
pub fn card(report: &FitReport) -> String {
    let card = Card(report);
    let sections = [
        ("Intended use", card.intended()),
        ("Data", card.data()),
        ("How it was fitted", card.fitted()),
        ("Selected columns", card.selected()),
        ("Performance", card.performance()),
        ("Limits", card.limits()),
        ("How to use it", card.usage()),
        ("How to make it again", card.again()),
    ];
    let sections = sections.map(|(title, text)| format!("\n## {title}\n\n{}\n", text.trim_end()));
    card.opening() + &sections.concat()
}

impl Card<'_> {
    /// The outcome by its columns.
    fn outcome(&self) -> String {
        let columns = self.0.outcome.columns.iter();
        let names: Vec<String> = columns.map(|name| escaped(name)).collect();
        names.join(" and ")
    }

    /// What it predicts, in a few words.
    fn subject(&self) -> String {
        match self.0.task {
            Task::Regression | Task::Binary | Task::Multiclass => self.outcome(),
            Task::Cox => format!("survival ({})", self.outcome()),
        }
    }

    fn opening(&self) -> String {
        let report = self.0;
        let kind = match report.task {
            Task::Regression => ", a number,".into(),
            Task::Binary | Task::Multiclass => {
                format!(", one of {} classes,", report.classes().len())
            }
            Task::Cox => String::new(),
        };
        let well = match (&report.held_out, report.main_estimate()) {
            (Some(held_out), Some((metric, estimate))) => format!(
                "Held out: {} {} on {}.",
                metric.title(),
                with_interval(metric, estimate),
                held_out_rows(held_out)
            ),
            _ => NOTHING_HELD_OUT.into(),
        };
        format!(
            "# Model card: {subject}\n\n{model} that predicts {subject}{kind} from {used} of {all} \
             columns. {well} Made by threshnet {version}.\n",
            subject = self.subject(),
            model = words::model(&report.model),
            used = report.selected.len(),
            all = report.data.d,
            version = report.version,
        )
    }

    fn intended(&self) -> String {
        format!(
            "- To predict {} for new rows from the population that the rows below were drawn \
             from, with the same columns, measured in the same way and in the same units.\n\
             - To say which columns are worth a closer look.\n\n\
             Not intended:\n\n\
             - Decisions about people, before the model has been tested on independent data of \
             the place where it is to be used.\n\
             - Statements on causes: a selected column goes with the outcome, which does not say \
             that it brings it about.\n\
             - Populations, instruments or ranges of values that the data did not have.\n",
            self.subject()
        )
    }

    fn data(&self) -> String {
        let data = &self.0.data;
        let mut rows = vec![
            ["rows".into(), data.n.to_string()],
            ["columns".into(), data.d.to_string()],
            ["outcome".into(), self.outcome()],
        ];
        rows.extend(words::outcome(self.0));
        if data.constant > 0 {
            rows.push([
                "constant columns, left out".into(),
                data.constant.to_string(),
            ]);
        }
        table(["", ""], &rows)
    }

    fn fitted(&self) -> String {
        let (model, validation) = (&self.0.model, &self.0.validation);
        let certificate = model.certificate;
        let standardized = match model.standardized {
            true => "yes, within the model",
            false => "no",
        };
        let rows = [
            ("model", words::model(model)),
            ("penalty on columns", model.penalty.name().into()),
            (
                "lambda, ridge",
                format!("{}, {}", short(model.lambda), short(model.ridge)),
            ),
            ("chosen by", words::validation(validation.how)),
            ("rule", validation.rule.name().into()),
            ("trained on", format!("{} rows", model.rows)),
            ("standardised", standardized.into()),
            ("protocol", self.0.run.protocol.name().into()),
            ("solver ended", model.status.name().replace('_', " ")),
            (
                "certificate",
                format!(
                    "stationary but for {:.1e} on selected columns, {:.1e} on the others, {:.1e} \
                     on the rest",
                    certificate.active, certificate.inactive, certificate.rest
                ),
            ),
        ];
        table(["", ""], &rows.map(|(name, value)| [name.into(), value]))
    }

    fn selected(&self) -> String {
        let selected = &self.0.selected;
        if selected.is_empty() {
            return "None: the model predicts the same for every row.\n".into();
        }
        let mut text = String::from(
            "Strength is the norm of all weights that leave a column, after standardisation; of \
             several networks the mean.",
        );
        let rows = selected.iter().take(SHOWN).map(|column| {
            let frequency = column.frequency.map_or("".into(), |f| format!("{f:.2}"));
            [
                escaped(&column.name),
                format!("{:.3}", column.norm),
                frequency,
            ]
        });
        let rows: Vec<[String; 3]> = rows.collect();
        if selected[0].frequency.is_some() {
            text += " Frequency is the share of draws or half-samples that selected it.\n\n";
            text += &table(["column", "strength", "frequency"], &rows);
        } else {
            text += "\n\n";
            let rows: Vec<[String; 2]> = rows.into_iter().map(|[n, s, _]| [n, s]).collect();
            text += &table(["column", "strength"], &rows);
        }
        if selected.len() > SHOWN {
            let more = selected.len() - SHOWN;
            text += &format!("\nAnd {more} more, in `selected.csv`.\n");
        }
        text
    }

    fn performance(&self) -> String {
        let report = self.0;
        let mut text = match &report.held_out {
            Some(held_out) => self.held_out(held_out),
            None => format!("{NOTHING_HELD_OUT}\n"),
        };
        if let Some(loss) = report.validation.loss {
            text += &format!(
                "\nValidation loss: {} {} (standard error {}).\n",
                LossName::of(report.task).title(),
                short(loss.mean),
                short(loss.se)
            );
        }
        let rows: Vec<[String; 5]> = report.models.iter().map(words::compared).collect();
        if !rows.is_empty() {
            text += "\nModels that were compared, on the same held-out rows:\n\n";
            text += &table(["model", "penalty", "columns", "loss (SE)", ""], &rows);
        }
        let train: Vec<String> = (report.train.iter())
            .filter_map(|(&metric, value)| {
                let value = metric_value(metric, (*value)?);
                Some(format!("{} {value}", metric.title()))
            })
            .collect();
        text + &format!(
            "\nOn its own training rows, which is too good and says nothing of other rows: {}.\n",
            train.join(", ")
        )
    }

    /// Every metric on rows that were held out.
    fn held_out(&self, held_out: &HeldOutReport) -> String {
        let rows: Vec<[String; 3]> = (held_out.metrics.iter())
            .map(|(&metric, estimate)| match *estimate {
                Some(estimate) => [
                    metric.title().into(),
                    metric_value(metric, estimate.value),
                    interval(metric, estimate),
                ],
                None => [metric.title().into(), "undefined".into(), String::new()],
            })
            .collect();
        let mut text = format!(
            "Held out: {}. {}\n\n{}",
            held_out_rows(held_out),
            words::part_of(held_out),
            table(["held out", "value", "95 % interval"], &rows)
        );
        if let Some(naive) = without_columns(self.0) {
            text += &format!("\nFor comparison: {naive}.\n");
        }
        text
    }

    fn limits(&self) -> String {
        let mut points = vec![
            "The intervals tell what chance in the held-out rows does. They do not tell how \
             the model fares elsewhere: test it on data of another place or time."
                .to_string(),
            "Of columns that go together closely one may stand for the others.".to_string(),
            "Values beyond the range of the rows it was trained on are predicted for like others, without a warning.".to_string(),
        ];
        if self.0.task == Task::Cox {
            points.push(
                "Hazards are taken to be proportional over time. Beyond the last event time the \
                 survival curve stays where it was."
                    .into(),
            );
        }
        points.push(match &self.0.control {
            Some(control) => format!("Error control: {}", words::control(control)),
            None => "The selection carries no bound on falsely selected columns: the settings \
                     `stability` and `fdr` give one."
                .into(),
        });
        let notes = self.0.notes.iter();
        points.extend(notes.map(|note| format!("Note: {}", escaped(&note.to_string()))));
        points.iter().map(|point| format!("- {point}\n")).collect()
    }

    fn usage(&self) -> String {
        let times = if self.0.task == Task::Cox {
            " --times 12,24"
        } else {
            ""
        };
        format!(
            "With `DIR` the folder of this card, and files that have the selected columns under \
             the same names:\n\n\
             ```\n\
             threshnet predict DIR new.csv{times} > predictions.csv\n\
             threshnet evaluate DIR new-with-outcome.csv\n\
             threshnet export DIR --onnx model.onnx{times}\n\
             ```\n\n\
             In Python: `threshnet.load(\"DIR\").predict(X)`.\n"
        )
    }

    fn again(&self) -> String {
        let report = self.0;
        let mut text = format!(
            "The same data, the same settings and the seed {} give the same model to the last bit \
             with threshnet {} on a processor with {}, whatever the number of threads. \
             `summary.json` holds all figures above, `path.csv` the grid they were chosen from.\n",
            report.run.seed,
            report.version,
            report.run.instruction_set.name(),
        );
        if report.settings.is_empty() {
            return text + "\nNo setting was given: all are the defaults.\n";
        }
        text += "\nSettings that were given:\n\n";
        for (name, value) in &report.settings {
            text += &format!("- {}: {}\n", escaped(name), escaped(&setting(value)));
        }
        text
    }
}
