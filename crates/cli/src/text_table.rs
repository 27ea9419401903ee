//! Tables as text, Markdown, LaTeX or CSV.

use std::io::{self, Write};

use clap::ValueEnum;

use crate::console::{HEAD, plain};
use crate::csv_table::write_csv;

/// The format of printed tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Aligned columns
    #[default]
    Text,
    /// Pipe tables
    Markdown,
    /// A `tabular` environment with the rules of the package `booktabs`
    Latex,
    /// Comma-separated values
    Csv,
}

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

    /// Writes the table in a format.
    pub fn print_as(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Text => self.print(out),
            Format::Markdown => self.print_markdown(out),
            Format::Latex => self.print_latex(out),
            Format::Csv => self.print_csv(out),
        }
    }

    fn print_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
        for (at, row) in self.rows.iter().enumerate() {
            let shown = |cell: &TextCell| {
                let text = cell.text.replace('|', "\\|");
                if cell.bold && at > 0 { format!("**{text}**") } else { text }
            };
            writeln!(out, "| {} |", filled(row.iter().map(shown), columns).join(" | "))?;
            if at == 0 {
                writeln!(out, "|{}", "---|".repeat(columns))?;
            }
        }
        Ok(())
    }

    fn print_latex(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
        writeln!(out, "\\begin{{tabular}}{{l{}}}", "c".repeat(columns.saturating_sub(1)))?;
        writeln!(out, "\\toprule")?;
        for (at, row) in self.rows.iter().enumerate() {
            let shown = |cell: &TextCell| {
                let text = latex(&cell.text);
                if cell.bold && at > 0 { format!("\\textbf{{{text}}}") } else { text }
            };
            writeln!(out, "{} \\\\", filled(row.iter().map(shown), columns).join(" & "))?;
            if at == 0 {
                writeln!(out, "\\midrule")?;
            }
        }
        writeln!(out, "\\bottomrule\n\\end{{tabular}}")
    }

    fn print_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
        let row = |row: &Vec<TextCell>| filled(row.iter().map(|cell| cell.text.clone()), columns);
        let mut rows = self.rows.iter().map(row);
        let head = rows.next().unwrap_or_default();
        write_csv(out, head, rows)
    }

    fn columns(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Writes the table with styles; `out` decides whether they are shown.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns();
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

/// The cells of a row, with empty ones at the end.
fn filled(cells: impl Iterator<Item = String>, columns: usize) -> Vec<String> {
    let mut cells: Vec<String> = cells.collect();
    cells.resize(columns, String::new());
    cells
}

/// Text in LaTeX.
fn latex(text: &str) -> String {
    let escaped = |c: char| match c {
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        '±' => "$\\pm$".into(),
        '<' | '>' => format!("${c}$"),
        _ => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_every_format() {
        let mut table = TextTable::new(["ari", "A_1", "rank"]);
        let bold = TextCell { text: "0.5 ± 0.1".into(), bold: true };
        table.add(vec![TextCell::plain("x|y"), bold, TextCell::plain("1.00")]);
        table.add(vec![TextCell::plain("z"), TextCell::plain("-")]);
        let printed = |format| {
            let mut out = Vec::new();
            table.print_as(format, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let markdown =
            "| ari | A_1 | rank |\n|---|---|---|\n| x\\|y | **0.5 ± 0.1** | 1.00 |\n| z | - |  |\n";
        assert_eq!(printed(Format::Markdown), markdown);
        let latex = "\\begin{tabular}{lcc}\n\\toprule\nari & A\\_1 & rank \\\\\n\\midrule\n\
                     x|y & \\textbf{0.5 $\\pm$ 0.1} & 1.00 \\\\\nz & - &  \\\\\n\
                     \\bottomrule\n\\end{tabular}\n";
        assert_eq!(printed(Format::Latex), latex);
        assert_eq!(printed(Format::Csv), "ari,A_1,rank\nx|y,0.5 ± 0.1,1.00\nz,-,\n");
    }
}
