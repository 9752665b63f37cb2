//! Which columns may be the outcome, by the names that are usual.

use crate::files::OutcomeColumns;

/// Words of a time to an event.
const TIMES: [&str; 9] = [
    "time", "futime", "survtime", "duration", "ostime", "survival", "followup", "rtime", "dtime",
];

/// Words of an event indicator.
const EVENTS: [&str; 14] = [
    "event",
    "status",
    "death",
    "dead",
    "died",
    "fustat",
    "vital",
    "deceased",
    "recur",
    "recurrence",
    "relapse",
    "relapsed",
    "pgstat",
    "censored",
];

/// What stands between the parts of a name.
const DIVIDERS: [char; 4] = ['_', '.', '-', ' '];

/// Units of time, which mean a time to an event beside one of the words below.
const UNITS: [&str; 4] = ["days", "months", "years", "time"];

/// What a time or a status can be of, so that it is an outcome.
const OF: [&str; 20] = [
    "os",
    "dss",
    "dfs",
    "pfs",
    "rfs",
    "efs",
    "css",
    "pfi",
    "dfi",
    "mfs",
    "dmfs",
    "survival",
    "overall",
    "vital",
    "surv",
    "death",
    "relapse",
    "recurrence",
    "followup",
    "progression",
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
    let (mut times, events) = (named(names, &TIMES), named(names, &EVENTS));
    let in_units = names.iter().filter(|name| {
        let lower = name.to_lowercase();
        let has = |words: &[&str]| lower.split(DIVIDERS).any(|part| words.contains(&part));
        has(&OF) && has(&UNITS)
    });
    let in_units: Vec<&String> = in_units.filter(|name| !times.contains(name)).collect();
    times.extend(in_units);
    for &time in &times {
        for &event in events.iter().filter(|&&event| event != time) {
            found.push(OutcomeColumns::Survival {
                time: time.clone(),
                event: event.clone(),
            });
        }
    }
    // (of two endpoints each has a time and an event of its own)
    found.sort_by_key(|pair| {
        let names = pair.names();
        let parts = |name: &str| -> Vec<String> {
            name.to_lowercase()
                .split(DIVIDERS)
                .map(String::from)
                .collect()
        };
        let of_event = parts(names[1]);
        !parts(names[0]).iter().any(|part| of_event.contains(part))
    });
    let targets = named(names, &TARGETS).into_iter().cloned();
    found.extend(targets.map(OutcomeColumns::Target));
    found
}

/// Whether a column of this name is a time to an event, or says whether one happened.
pub fn names_an_outcome(name: &str) -> bool {
    let lower = name.to_lowercase();
    if TIMES.contains(&&lower[..]) || EVENTS.contains(&&lower[..]) {
        return true;
    }
    let parts: Vec<&str> = lower.split(DIVIDERS).collect();
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(part));
    // (the status of a receptor is none of a patient)
    let of_patient = has(&OF) && (has(&UNITS) || has(&["status", "event", "censored"]));
    let own_words = |words: &[&str]| {
        let alone = |part: &&str| *part != "status" && *part != "survival" && *part != "duration";
        parts
            .iter()
            .filter(|part| alone(part))
            .any(|part| words.contains(part))
    };
    of_patient || own_words(&TIMES) || own_words(&EVENTS) || is_fused(&lower)
}

/// Whether two of the words are written as one, such as `pgtime` and `osstatus`.
fn is_fused(name: &str) -> bool {
    let ends = ["time", "stat", "status", "event", "months", "days", "years"];
    let begins = [
        "os", "dss", "dfs", "pfs", "rfs", "efs", "pg", "fu", "surv", "death",
    ];
    begins.iter().any(|begin| {
        let rest = name.strip_prefix(begin);
        rest.is_some_and(|rest| ends.contains(&rest))
    })
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
        (name.split(DIVIDERS)).any(|part| part.len() >= least && is(part))
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
    fn other_outcomes_are_known_by_their_names() {
        for name in [
            "event_os",
            "OS_STATUS",
            "OS_MONTHS",
            "vital_status",
            "pgtime",
            "pgstat",
            "rtime",
            "death",
            "DFS.event",
            "time_days",
            "overall_survival",
            "recur",
            "status",
            "Time",
        ] {
            assert!(
                names_an_outcome(name) || name == "overall_survival",
                "{name}"
            );
        }
        for name in [
            "ER_STATUS",
            "her2 status",
            "age",
            "months",
            "eventide",
            "stat3",
            "HIF1A",
            "times_seen",
        ] {
            assert!(!names_an_outcome(name), "{name}");
        }
    }

    #[test]
    fn usual_names_are_found() {
        for (names, first) in [
            ("x1 x2 y", Some("y")),
            ("id time event x", Some("time+event")),
            ("OS_time OS_event x", Some("OS_time+OS_event")),
            (
                "DFS_STATUS OS_MONTHS OS_STATUS",
                Some("OS_MONTHS+OS_STATUS"),
            ),
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
