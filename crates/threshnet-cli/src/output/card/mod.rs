//! `model-card.md`: a fit in the headings of a model card (Mitchell et al. 2019), made of its
//! own figures. It holds no date and no time: the same fit has the same card.

mod markdown;
mod words;

use anyhow::Result;
use markdown::{escaped, table};
use serde_json::Value;
use threshnet::dataset::{Dataset, Task};
use threshnet::format::short;
use threshnet::settings::Settings;
use threshnet::tune::Fit;

use super::summary::Summary;

/// How many selected columns the card lists.
const SHOWN: usize = 50;

/// What the card is written from.
struct Card<'a> {
    data: &'a Dataset<'a>,
    settings: &'a Settings,
    fit: &'a Fit,
    summary: &'a Summary,
    /// `summary.json`.
    figures: Value,
}

/// The text of `model-card.md`.
pub fn card(data: &Dataset, settings: &Settings, fit: &Fit, summary: &Summary) -> Result<String> {
    let card = Card {
        data,
        settings,
        fit,
        summary,
        figures: serde_json::to_value(summary)?,
    };
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
    Ok(card.opening() + &sections.concat())
}

impl Card<'_> {
    fn task(&self) -> Task {
        self.fit.model.task
    }

    /// The outcome by its columns.
    fn outcome(&self) -> String {
        let names: Vec<String> = self.fit.model.outcome.iter().map(|n| escaped(n)).collect();
        names.join(" and ")
    }

    fn number(&self, field: &str) -> f64 {
        self.figures[field].as_f64().unwrap_or(f64::NAN)
    }

    fn word(&self, field: &str) -> &str {
        self.figures[field].as_str().unwrap_or_default()
    }

    /// What it predicts, in a few words.
    fn subject(&self) -> String {
        match self.task() {
            Task::Regression | Task::Binary | Task::Multiclass => self.outcome(),
            Task::Cox => format!("survival ({})", self.outcome()),
        }
    }

    fn opening(&self) -> String {
        let kind = match self.task() {
            Task::Regression => ", a number,".into(),
            Task::Binary | Task::Multiclass => {
                format!(", one of {} classes,", self.fit.model.classes.len())
            }
            Task::Cox => String::new(),
        };
        format!(
            "# Model card: {subject}\n\n{model} that predicts {subject}{kind} from {used} of {all} \
             columns. Made by threshnet {version}.\n",
            subject = self.subject(),
            model = words::model(&self.fit.model),
            used = self.summary.selected.len(),
            all = self.data.features().count(),
            version = self.word("version"),
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
        let mut rows = vec![
            ["rows".into(), self.data.n().to_string()],
            ["columns".into(), self.data.features().count().to_string()],
            ["outcome".into(), self.outcome()],
        ];
        rows.extend(words::outcome(self.data.outcome()));
        let constant = self.data.constant_columns().len();
        if constant > 0 {
            rows.push(["constant columns, left out".into(), constant.to_string()]);
        }
        table(["", ""], &rows)
    }

    fn fitted(&self) -> String {
        let mut rows = vec![
            ["model".into(), words::model(&self.fit.model)],
            ["penalty on columns".into(), self.word("penalty").into()],
            ["lambda, ridge".into(), {
                let (lambda, ridge) = (self.number("lambda"), self.number("ridge"));
                format!("{}, {}", short(lambda), short(ridge))
            }],
            [
                "chosen by".into(),
                words::validation(self.settings.validation),
            ],
            ["rule".into(), self.word("rule").into()],
            ["trained on".into(), format!("{} rows", self.fit.rows.len())],
            ["standardised".into(), {
                let yes = self.settings.standardize;
                if yes { "yes, within the model" } else { "no" }.into()
            }],
            ["protocol".into(), self.word("protocol").into()],
            ["solver ended".into(), self.word("status").replace('_', " ")],
        ];
        let certificate = &self.figures["certificate"];
        let part = |name: &str| certificate[name].as_f64().unwrap_or(f64::NAN);
        rows.push([
            "certificate".into(),
            format!(
                "stationary but for {:.1e} on selected columns, {:.1e} on the others, {:.1e} on \
                 the rest",
                part("active"),
                part("inactive"),
                part("rest")
            ),
        ]);
        table(["", ""], &rows)
    }

    fn selected(&self) -> String {
        let selected = &self.summary.selected;
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
        let validation = &self.figures["validation"];
        let held_out = match validation.as_object() {
            None => "Nothing was held out: how well it predicts new rows is not known.\n".into(),
            Some(_) => {
                let part = |name: &str| short(validation[name].as_f64().unwrap_or(f64::NAN));
                let metric = words::metric(validation["metric"].as_str().unwrap_or_default());
                let mut text = format!(
                    "On rows held out: {metric} {} (standard error {}). {}\n",
                    part("value"),
                    part("se"),
                    words::held_out(self.settings.validation, self.has_control())
                );
                if let Some(naive) = words::without_columns(self.data.outcome()) {
                    text += &format!("\nFor comparison: {naive}.\n");
                }
                text
            }
        };
        let train: Vec<String> = (self.figures["train"].as_object().into_iter().flatten())
            .filter_map(|(name, value)| Some(format!("{name} {}", short(value.as_f64()?))))
            .collect();
        let mut text = format!(
            "{held_out}\nOn the rows it was trained on, which flatters it: {}.\n",
            escaped(&train.join(", "))
        );
        let models = self.figures["models"].as_array().into_iter().flatten();
        let rows: Vec<[String; 5]> = models.map(words::contender).collect();
        if !rows.is_empty() {
            text += "\nModels that were compared, on the same held-out rows:\n\n";
            text += &table(["model", "penalty", "columns", "loss (SE)", ""], &rows);
        }
        text
    }

    fn has_control(&self) -> bool {
        ["stability", "fdr"]
            .iter()
            .any(|field| self.figures.get(field).is_some())
    }

    fn limits(&self) -> String {
        let mut points = vec![
            "The standard error tells what chance in the held-out rows does. It does not tell how \
             the model fares elsewhere: test it on data of another place or time."
                .to_string(),
            "Of columns that go together closely one may stand for the others.".to_string(),
            "Values beyond the range of the rows it was trained on are predicted for like others, without a warning.".to_string(),
        ];
        if self.task() == Task::Cox {
            points.push(
                "Hazards are taken to be proportional over time. Beyond the last event time the \
                 survival curve stays where it was."
                    .into(),
            );
        }
        points.push(if self.has_control() {
            format!("Error control: {}", words::control(&self.figures))
        } else {
            "The selection carries no bound on falsely selected columns: `--stability` or \
             `--fdr` gives one."
                .into()
        });
        let notes = self.figures["notes"].as_array().into_iter().flatten();
        points.extend(
            notes
                .filter_map(Value::as_str)
                .map(|note| format!("Note: {}", escaped(note))),
        );
        points.iter().map(|point| format!("- {point}\n")).collect()
    }

    fn usage(&self) -> String {
        let times = if self.task() == Task::Cox {
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
        let mut text = format!(
            "The same data, the same flags and `--seed {}` give the same model to the last bit \
             with threshnet {} on a processor with {}, whatever the number of threads.",
            self.figures["seed"],
            self.word("version"),
            self.word("instruction_set"),
        );
        let shortcuts: Vec<&str> = (self.figures["shortcuts"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        if !shortcuts.is_empty() {
            text += &format!(
                " Less was done than the protocol says: `{}`.",
                shortcuts.join(" ")
            );
        }
        text + " `summary.json` holds all figures above, `path.csv` the grid they were chosen from.\n"
    }
}
