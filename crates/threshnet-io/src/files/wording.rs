//! The wording that messages about files share: flags to paste, counts and the name the user
//! probably meant.

use super::troubles::{Spread, by_column};
use crate::wording::LISTED;
pub use crate::wording::{full_list, list, quoted};
use glob::Pattern;
use strsim::levenshtein;

/// The first names as they are, separated by commas, with `…` if there are more.
pub fn plain_list<S: AsRef<str>>(names: &[S]) -> String {
    let first: Vec<&str> = names.iter().take(LISTED).map(AsRef::as_ref).collect();
    let more = if names.len() > LISTED { ", …" } else { "" };
    first.join(", ").replace('\n', " ") + more
}

/// `--drop` with all these columns, ready to be pasted into a shell.
pub fn drop_flag<S: AsRef<str>>(names: &[S]) -> String {
    let entries: Vec<String> = names.iter().map(|name| drop_entry(name.as_ref())).collect();
    flag("--drop", &entries.join(","))
}

/// A flag and its value, ready to be pasted into a shell.
pub fn flag(name: &str, value: &str) -> String {
    // A value that looks like a flag would be taken for one.
    let space = if value.starts_with('-') { "=" } else { " " };
    format!("{name}{space}{}", shell(value))
}

/// A word, ready to be pasted into a shell. Of control characters, which would break the line that it
/// stands in, the escapes are shown: `$'…'` of bash and zsh.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.,/".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else if word.contains(char::is_control) {
        let escaped = |c: char| match c {
            '\'' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        };
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// One column in the list of `--drop`: its name, or a glob with `?` for what
/// cannot be in the list, such as a comma.
fn drop_entry(name: &str) -> String {
    let unlisted = |c: char| c == ',' || c.is_control();
    if name.contains(unlisted) {
        Pattern::escape(name).replace(unlisted, "?")
    } else {
        name.to_string()
    }
}

/// `1 row`, `2 rows`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// What is said of one missing cell.
pub const MISSING_CELL: &str = "a missing or infinite cell";

/// The first of some missing cells, and how many each column has.
pub fn missing(cells: usize, spread: &[Spread]) -> String {
    match (cells, spread) {
        (1, _) => MISSING_CELL.to_string(),
        (_, [_]) => format!("the first of {cells} missing or infinite cells"),
        _ => format!(
            "the first of {cells} missing or infinite cells {}",
            by_column(spread)
        ),
    }
}

/// What to say after a name that does not exist: the nearest one, or what there is.
pub fn did_you_mean(name: &str, names: &[String]) -> String {
    match nearest(name, names) {
        Some(near) => format!("did you mean {}?", quoted(near)),
        None => format!("the columns are {}", list(names)),
    }
}

/// The name that differs least from `name`, capitals aside, if about two
/// thirds of its characters agree.
fn nearest<'a>(name: &str, names: &'a [String]) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let tolerance = (wanted.chars().count() + 1) / 3;
    let distance = |candidate: &String| levenshtein(&wanted, &candidate.to_lowercase());
    (names.iter())
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_a_shell_stands_in_one_line() {
        assert_eq!(shell("a b"), "'a b'");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell("r2\nr 2'"), r"$'r2\u000ar 2\''");
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["time", "status", "y", "Age"].map(String::from);
        for (typed, near) in [
            ("tme", Some("time")),
            ("STATUS", Some("status")),
            ("statsu", Some("status")),
            ("ag", Some("Age")),
            ("Y", Some("y")),
            ("x", None),
            ("expression", None),
        ] {
            assert_eq!(nearest(typed, &names), near, "{typed}");
        }
        assert_eq!(did_you_mean("tme", &names), r#"did you mean "time"?"#);
        assert_eq!(
            did_you_mean("nothing", &names),
            r#"the columns are "time", "status", "y", "Age""#
        );
    }

    #[test]
    fn lists_and_quotes_stay_short_and_on_one_line() {
        assert_eq!(quoted("a\n\"b\""), r#""a\n\"b\"""#);
        assert_eq!(quoted(&"é".repeat(100)), format!("\"{}…\"", "é".repeat(60)));
        assert_eq!(list(&["a", "b"]), r#""a", "b""#);
        assert_eq!(list(&["a"; 6]), r#""a", "a", "a", "a", "a", …"#);
        assert_eq!(list(&["a"; 5]), r#""a", "a", "a", "a", "a""#);
        assert_eq!(count(1, "row"), "1 row");
        assert_eq!(count(0, "row"), "0 rows");
    }

    #[test]
    fn every_column_to_drop_is_named_for_the_shell() {
        for (names, flag) in [
            (&["id", "x.1"][..], "--drop id,x.1"),
            (&["a", "b", "c", "d", "e", "f", "g"], "--drop a,b,c,d,e,f,g"),
            (&["the id", "o'x"], r"--drop 'the id,o'\''x'"),
            (&["a[1]"], "--drop 'a[1]'"),
            (&["-x"], "--drop=-x"),
            (&["-a b"], "--drop='-a b'"),
            (&["a,b\n*"], "--drop 'a?b?[*]'"),
        ] {
            assert_eq!(drop_flag(names), flag);
        }
    }
}
