//! Tables on a terminal.

use std::io::{self, Write};

use crate::console::{HEAD, plain};

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct TextCell {
    /// The text of the cell.
    pub text: String,
    /// Whether the text is bold.
    pub bold: bool,
}

impl TextCell {
    /// A cell that is not bold.
    pub fn plain(text: impl Into<String>) -> Self {
        TextCell { text: text.into(), bold: false }
    }
}

/// Rows of cells below a header; columns have their minimum width.
#[derive(Clone, Debug)]
pub struct TextTable {
    rows: Vec<Vec<TextCell>>,
}

impl TextTable {
    /// A table with this header.
    pub fn new<'a>(head: impl IntoIterator<Item = &'a str>) -> Self {
        let head = head.into_iter().map(|text| TextCell { text: plain(text), bold: true });
        TextTable { rows: vec![head.collect()] }
    }

    /// Adds a column.
    pub fn add_head(&mut self, text: &str) {
        self.rows[0].push(TextCell { text: plain(text), bold: true });
    }

    /// Adds a row.
    pub fn add(&mut self, cells: Vec<TextCell>) {
        let shown = |cell: TextCell| TextCell { text: plain(cell.text), ..cell };
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// Writes the table with styles; `out` decides whether they are shown.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let length = |cell: &TextCell| cell.text.chars().count();
        let width = |column| {
            self.rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                // No trailing spaces.
                let pad = if at + 1 < row.len() { widths[at] - length(cell) + 2 } else { 0 };
                if cell.bold {
                    write!(out, "{HEAD}{}{HEAD:#}{:pad$}", cell.text, "")?;
                } else {
                    write!(out, "{}{:pad$}", cell.text, "")?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
