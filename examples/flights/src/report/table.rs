//! A table of text: columns as wide as their widest cell, words to the left, numbers to the right.

use std::fmt;

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// Words.
    Left(&'static str),
    /// Numbers.
    Right(&'static str),
}

/// A table with a heading.
#[derive(Debug)]
pub(super) struct Table {
    heading: String,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(heading: impl Into<String>, columns: impl Into<Vec<Column>>) -> Self {
        Self { heading: heading.into(), columns: columns.into(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }

    fn widths(&self) -> Vec<usize> {
        let width = |text: &str| text.chars().count();
        let cells = |at: usize| self.rows.iter().filter_map(move |row| row.get(at));
        self.columns
            .iter()
            .enumerate()
            .map(|(at, column)| cells(at).map(|cell| width(cell)).chain([width(column.title())]).max().unwrap_or(0))
            .collect()
    }

    fn line<'a>(&self, widths: &[usize], cells: impl Iterator<Item = &'a str>) -> String {
        let mut line = String::new();
        for ((cell, column), width) in cells.zip(&self.columns).zip(widths) {
            let cell = match column {
                Column::Left(_) => format!("{cell:<width$}"),
                Column::Right(_) => format!("{cell:>width$}"),
            };
            line = line + "  " + &cell;
        }
        line.trim_end().to_owned()
    }
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Left(title) | Self::Right(title) => title,
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        writeln!(f, "{}", self.heading)?;
        writeln!(f)?;
        let titles = self.line(&widths, self.columns.iter().map(|column| column.title()));
        if !titles.is_empty() {
            writeln!(f, "{titles}")?;
        }
        for row in &self.rows {
            writeln!(f, "{}", self.line(&widths, row.iter().map(String::as_str)))?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut table = Table::new("Airports", [Column::Left("airport"), Column::Right("n")]);
        table.row(["JFK".to_owned(), "1".to_owned()]);
        table.row(["LGA".to_owned(), "1,000".to_owned()]);
        assert_eq!(table.to_string(), "Airports\n\n  airport      n\n  JFK          1\n  LGA      1,000\n\n");
    }
}
