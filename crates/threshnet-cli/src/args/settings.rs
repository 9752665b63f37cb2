//! Flags made of the library's table of settings.

use crate::commands::load_model;
use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::Path;
use threshnet::settings::{Request, Setting, Stage, TABLE, Takes, Value};

/// What was typed, by the names of settings.
pub struct SettingsArgs {
    given: Vec<(&'static Setting, String)>,
}

impl SettingsArgs {
    /// What it asks for. A model is read from its file.
    pub fn request(&self) -> Result<Request> {
        let mut request = Request::default();
        for (setting, text) in &self.given {
            let value = match setting.takes {
                Takes::Model => Value::Model(Box::new(load_model(Path::new(text))?)),
                _ => Value::Text(text.clone()),
            };
            request.set(setting.name, value)?;
        }
        Ok(request)
    }
}

/// How a setting is typed: `max_false` is `--max-false`.
pub fn flag(name: &str) -> String {
    name.replace('_', "-")
}

/// The flag that says no to a setting of yes or no.
fn refusal(setting: &Setting) -> String {
    format!("no-{}", flag(setting.name))
}

impl Args for SettingsArgs {
    fn augment_args(command: Command) -> Command {
        TABLE.iter().fold(command, |command, setting| {
            let command = command.arg(arg(setting));
            match setting.takes {
                Takes::YesNo => command.arg(
                    Arg::new(refusal(setting))
                        .long(refusal(setting))
                        .action(ArgAction::SetTrue)
                        .conflicts_with(setting.name)
                        .hide(true),
                ),
                _ => command,
            }
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> clap::error::Result<Self> {
        let said_no = |setting: &Setting| {
            setting.takes == Takes::YesNo && matches.get_flag(&refusal(setting))
        };
        let given = TABLE.iter().filter_map(|setting| {
            let text = match said_no(setting) {
                true => Some("no".to_string()),
                false => matches.get_one::<String>(setting.name).cloned(),
            };
            text.map(|text| (setting, text))
        });
        Ok(SettingsArgs {
            given: given.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> clap::error::Result<()> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn arg(setting: &'static Setting) -> Arg {
    let arg = Arg::new(setting.name)
        .long(flag(setting.name))
        .help(short_help(setting))
        .long_help(long_help(setting))
        .help_heading(setting.group.heading())
        .hide_short_help(setting.stage == Stage::Advanced)
        .allow_hyphen_values(true)
        .value_name(match setting.takes {
            Takes::Number => "NUMBER",
            Takes::Whole => "COUNT",
            Takes::YesNo => "yes|no",
            Takes::Choice(_) => "NAME",
            Takes::Widths => "W,W",
            Takes::Grid => "LIST",
            Takes::Form => "HOW",
            Takes::Model => "MODEL",
        });
    match setting.takes {
        Takes::Choice(names) => arg.value_parser(PossibleValuesParser::new(names)),
        Takes::YesNo => arg.value_parser(["yes", "no"]).hide_possible_values(true),
        _ => arg,
    }
}

fn short_help(setting: &Setting) -> String {
    let none = match setting.takes {
        Takes::Widths => ", or `none` for a linear model",
        _ => "",
    };
    format!("{}{none} [default: {}]", setting.help(), setting.defaults())
}

/// What it does, what it takes, what happens without it.
fn long_help(setting: &Setting) -> String {
    let typed = match setting.takes {
        Takes::YesNo => format!("`--{}` is short for no", refusal(setting)),
        Takes::Widths => format!(
            "Such as 10,5; each {}; `none` for a linear model",
            setting.wanted()
        ),
        Takes::Grid => format!("A list such as 0.01,0.05; each {}", setting.wanted()),
        Takes::Number | Takes::Whole => {
            let wanted = setting.wanted();
            format!("{}{}", wanted[..1].to_uppercase(), &wanted[1..])
        }
        Takes::Model => "The folder of a fit, or its model.json".into(),
        Takes::Choice(_) | Takes::Form => String::new(),
    };
    let default = format!("[default: {}]", setting.defaults());
    [setting.help(), &setting.details(), &typed, &default]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| match part.ends_with(['.', ']']) {
            true => part.to_string(),
            false => format!("{part}."),
        })
        .collect::<Vec<_>>()
        .join(" ")
}
