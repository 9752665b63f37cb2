//! The wording that all messages share: quoted cells and short lists.

/// How many names a message lists before it says `…`.
pub(crate) const LISTED: usize = 5;

/// How many characters of a cell or a name a message shows.
const SHOWN: usize = 60;

/// `text` in quotes, on one line and not longer than a message can bear.
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}", format!("{}…", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// The first names, quoted and separated by commas, with `…` if there are more.
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    match names.get(..LISTED) {
        Some(first) if names.len() > LISTED => full_list(first) + ", …",
        _ => full_list(names),
    }
}

/// All names, quoted and separated by commas.
pub fn full_list<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name.as_ref())).collect();
    names.join(", ")
}
