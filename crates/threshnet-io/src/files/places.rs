//! Where the rows of a table are in its file, in little memory.

/// For every row the line it starts in, or its number where a format has no lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    word: &'static str,
    /// (row, place) wherever the places do not simply go on from the row before.
    runs: Vec<(usize, u64)>,
    rows: usize,
}

impl Places {
    /// No rows yet, of a text file.
    pub fn lines() -> Self {
        Places::of("line")
    }

    /// Some rows of a file that counts them from 1, after so many others.
    pub fn of_rows(before: usize, rows: usize) -> Self {
        let mut places = Places::of("row");
        places.extend_by(before as u64 + 1, rows);
        places
    }

    fn of(word: &'static str) -> Self {
        Places {
            word,
            runs: Vec::new(),
            rows: 0,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The next row is at this place.
    pub fn push(&mut self, place: u64) {
        self.extend_by(place, 1);
    }

    /// So many rows follow, the first of them at this place, the others each one on.
    pub fn extend_by(&mut self, place: u64, rows: usize) {
        if self.next() != Some(place) {
            self.runs.push((self.rows, place));
        }
        self.rows += rows;
    }

    /// The rows of `other` follow.
    pub fn append(&mut self, other: &Places) {
        for (i, &(row, place)) in other.runs.iter().enumerate() {
            let end = other.runs.get(i + 1).map_or(other.rows, |&(row, _)| row);
            self.extend_by(place, end - row);
        }
    }

    /// Where the next row is if it goes on from the last.
    fn next(&self) -> Option<u64> {
        let &(row, place) = self.runs.last()?;
        Some(place + (self.rows - row) as u64)
    }

    /// The place of a row.
    pub fn number(&self, row: usize) -> u64 {
        let run = self.runs.partition_point(|&(first, _)| first <= row) - 1;
        let (first, place) = self.runs[run];
        place + (row - first) as u64
    }

    /// The place of a row in words, such as `line 7`.
    pub fn name(&self, row: usize) -> String {
        format!("{} {}", self.word, self.number(row))
    }

    /// These rows alone.
    pub fn only(&self, rows: &[usize]) -> Places {
        let mut kept = Places::of(self.word);
        rows.iter().for_each(|&row| kept.push(self.number(row)));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_through_gaps_and_joins() {
        let lines = [2, 3, 4, 7, 8, 12];
        let mut whole = Places::lines();
        lines.into_iter().for_each(|line| whole.push(line));
        assert_eq!(whole.runs.len(), 3);
        for cut in 0..=lines.len() {
            let (mut first, mut second) = (Places::lines(), Places::lines());
            lines[..cut].iter().for_each(|&line| first.push(line));
            lines[cut..].iter().for_each(|&line| second.push(line));
            first.append(&second);
            assert_eq!(first, whole);
        }
        assert_eq!((whole.len(), whole.name(3)), (6, "line 7".to_string()));
        let kept = whole.only(&[1, 2, 3, 5]);
        let numbers: Vec<u64> = (0..kept.len()).map(|row| kept.number(row)).collect();
        assert_eq!(numbers, [3, 4, 7, 12]);
    }
}
