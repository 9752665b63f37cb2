//! Which columns may be the outcome, by the names that are usual.

use crate::files::OutcomeColumns;

/// Words of a time to an event.
const TIMES: [&str; 7] = [
    "time", "futime", "survtime", "duration", "ostime", "survival", "followup",
];

/// Words of an event indicator.
const EVENTS: [&str; 8] = [
    "event", "status", "death", "dead", "died", "fustat", "vital", "deceased",
];

/// Words of other outcomes.
const TARGETS: [&str; 10] = [
    "y",
    "target",
    "outcome",
    "class",
    "label",
    "response",
    "diagnosis",
    "status",
    "event",
    "group",
];

/// Possible outcomes, the most likely first: a time with an event, then single columns.
pub fn candidates(names: &[String]) -> Vec<OutcomeColumns> {
    let mut found = Vec::new();
    let (times, events) = (named(names, &TIMES), named(names, &EVENTS));
    for &time in &times {
        for &event in events.iter().filter(|&&event| event != time) {
            found.push(OutcomeColumns::Survival {
                time: time.clone(),
                event: event.clone(),
            });
        }
    }
    let targets = named(names, &TARGETS).into_iter().cloned();
    found.extend(targets.map(OutcomeColumns::Target));
    found
}

/// The names that are one of these words, in the order of the words, then those that have one of
/// them as a part.
fn named<'a>(names: &'a [String], words: &[&str]) -> Vec<&'a String> {
    /// More columns with such a part are a naming scheme, and no outcome.
    const MOST: usize = 4;
    let is = |name: &String, word: &str| name.eq_ignore_ascii_case(word);
    let whole = (words.iter()).flat_map(|word| names.iter().filter(move |name| is(name, word)));
    let mut found: Vec<&String> = whole.collect();
    let has_part = |name: &String, least: usize| {
        let is = |part: &str| words.iter().any(|word| part.eq_ignore_ascii_case(word));
        (name.split(['_', '.', '-', ' '])).any(|part| part.len() >= least && is(part))
    };
    let parts: Vec<&String> = (names.iter())
        .filter(|name| name.len() > 2 && has_part(name, 1) && !found.contains(name))
        .take(MOST + 1)
        .collect();
    if parts.len() <= MOST {
        // (a part of one letter, such as y of x_y, says nothing)
        found.extend(parts.iter().filter(|name| has_part(name, 2)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_are_found() {
        for (names, first) in [
            ("x1 x2 y", Some("y")),
            ("id time event x", Some("time+event")),
            ("OS_time OS_event x", Some("OS_time+OS_event")),
            ("time_days event_dss x", Some("time_days+event_dss")),
            ("futime fustat age", Some("futime+fustat")),
            ("Class x1", Some("Class")),
            ("a x_y b", None),
            ("gene1 gene2", None),
            ("status x1", Some("status")),
        ] {
            let names: Vec<String> = names.split(' ').map(String::from).collect();
            let found = candidates(&names).into_iter().next();
            let found = found.map(|columns| columns.names().join("+"));
            assert_eq!(found.as_deref(), first, "{names:?}");
        }
    }
}
