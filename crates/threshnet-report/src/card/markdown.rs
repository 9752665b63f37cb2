//! Text that Markdown shows as it is.

/// A name, such as that of a column, for any place within a line or a table.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // A line break would end the row of a table.
            c if c.is_control() => out.push(' '),
            // Everything that can begin a mark, a tag or an entity, or end a cell.
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A table: its header and its rows, cells as they are to be read by Markdown.
pub fn table<const N: usize>(header: [&str; N], rows: &[[String; N]]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&header.map(String::from)) + &line(&header.map(|_| "---".into()));
    text.extend(rows.iter().map(|row| line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_they_are() {
        assert_eq!(escaped("IL-6 (log2)"), "IL-6 (log2)");
        assert_eq!(escaped("a|b_c*d\n"), "a\\|b\\_c\\*d ");
        assert_eq!(escaped("<b>&lt;[x](y)"), "\\<b\\>\\&lt;\\[x\\](y)");
    }

    #[test]
    fn a_table_has_a_line_per_row() {
        let rows = [["1".to_string(), "2".to_string()]];
        assert_eq!(
            table(["a", "b"], &rows),
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
        );
    }
}
