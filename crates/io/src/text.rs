//! Splitting of text into cells: separator and lines.

use std::borrow::Cow;
use std::collections::HashSet;

use csv::{ReaderBuilder, StringRecord};

use crate::error::{Fault, Place};
use crate::file::Format;
use crate::grid::{Cell, Grid, is_missing, number};

/// The number of lines from which the separator is detected.
const SAMPLE: usize = 20;

/// The trimmed cells of a text file. All lines have the same number of cells.
///
/// The text of all cells is stored in one string, so a cell only costs its end position.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextGrid {
    text: String,
    ends: Vec<usize>,
    /// The line at which each row begins, counted from 1.
    lines: Vec<usize>,
    /// Number of cells per line.
    width: usize,
    /// Lines before the first sample.
    header: usize,
    /// Columns before the first value.
    id_column: usize,
}

/// The separator between two cells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Separator {
    Byte(u8),
    /// One or more spaces or tabs.
    Space,
}

impl TextGrid {
    /// Splits text; `short_header` accepts a first line without its first cell, as written by
    /// R.
    pub fn parse(bytes: &[u8], format: Format, short_header: bool) -> Result<Self, Fault> {
        let text = utf8(bytes)?;
        let separator = match format {
            Format::Tsv => Separator::Byte(b'\t'),
            _ => separator(text),
        };
        let mut grid = TextGrid::default();
        match separator {
            Separator::Byte(byte) => grid.split_by(byte, text, short_header)?,
            Separator::Space => grid.split_by_space(text, short_header)?,
        }
        Ok(grid)
    }

    /// Quotes follow RFC 4180.
    fn split_by(&mut self, separator: u8, text: &str, short_header: bool) -> Result<(), Fault> {
        let mut reader = ReaderBuilder::new()
            .delimiter(separator)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut record = StringRecord::new();
        let mut lines = Lines { bytes: text.as_bytes(), at: 0, line: 1 };
        loop {
            let start = reader.position().byte() as usize;
            let more = reader.read_record(&mut record);
            if !more.map_err(std::io::Error::from)? {
                return Ok(());
            }
            self.push_row(lines.of_record(start)?, record.iter(), short_header)?;
        }
    }

    /// Quotes have no special meaning, but quotes around a cell are removed.
    fn split_by_space(&mut self, text: &str, short_header: bool) -> Result<(), Fault> {
        for (at, content) in text.lines().enumerate() {
            let line = at + 1;
            if content.trim().is_empty() {
                return Err(Fault::Blank { line });
            }
            self.push_row(line, content.split_whitespace().map(unquoted), short_header)?;
        }
        Ok(())
    }

    fn push_row<'a>(
        &mut self,
        line: usize,
        cells: impl Iterator<Item = &'a str>,
        short_header: bool,
    ) -> Result<(), Fault> {
        let before = self.ends.len();
        for cell in cells {
            self.text.push_str(cell.trim());
            self.ends.push(self.text.len());
        }
        let found = self.ends.len() - before;
        self.lines.push(line);
        match self.lines.len() {
            1 => self.width = found,
            2 if short_header && found == self.width + 1 => {
                self.ends.insert(0, 0);
                self.width = found;
            }
            _ if found != self.width => {
                return Err(Fault::Ragged { line, expected: self.width, found });
            }
            _ => {}
        }
        Ok(())
    }

    /// Number of lines, including the header.
    pub fn height(&self) -> usize {
        self.lines.len()
    }

    /// Number of columns, including the ids.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The text at a line and a column, counting the header and the ids.
    pub fn text(&self, line: usize, column: usize) -> &str {
        let at = line * self.width + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.text[start..self.ends[at]]
    }

    /// The texts of a column, starting at a line.
    pub fn column(&self, column: usize, from: usize) -> impl Iterator<Item = &str> {
        (from..self.height()).map(move |line| self.text(line, column))
    }

    /// The texts of a line.
    pub fn line(&self, line: usize) -> impl Iterator<Item = &str> {
        (0..self.width).map(move |column| self.text(line, column))
    }

    /// Sets which cells are values.
    pub fn leave_out(&mut self, header: bool, id_column: bool) {
        (self.header, self.id_column) = (header.into(), id_column.into());
    }
}

impl Grid for TextGrid {
    fn rows(&self) -> usize {
        self.lines.len() - self.header.min(self.lines.len())
    }

    fn columns(&self) -> usize {
        self.width - self.id_column.min(self.width)
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        match self.text(row + self.header, column + self.id_column) {
            text if is_missing(text) => Cell::Missing,
            text => Cell::Text(Cow::Borrowed(text)),
        }
    }

    fn place(&self, row: usize, column: usize) -> Place {
        Place::Line { line: self.lines[row + self.header], column: column + self.id_column + 1 }
    }
}

/// The text without a byte order mark and without trailing line ends.
fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        Fault::NotUtf8 { line: 1 + before.iter().filter(|&&byte| byte == b'\n').count() }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok(text.trim_end_matches(['\r', '\n']))
}

/// Counts lines up to the beginning of each record.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of the record that begins at a byte. The csv reader silently skips blank lines;
    /// in a single column this would lose samples.
    fn of_record(&mut self, start: usize) -> Result<usize, Fault> {
        let byte = |at: usize| self.bytes.get(at).copied();
        // The csv reader stops after \r and leaves the \n that belongs to it.
        let within_crlf = start > 0 && byte(start - 1) == Some(b'\r') && byte(start) == Some(b'\n');
        let start = start + usize::from(within_crlf);
        let ends_line = |&at: &usize| match byte(at) {
            Some(b'\n') => true,
            Some(b'\r') => byte(at + 1) != Some(b'\n'),
            _ => false,
        };
        let blank = matches!(byte(start), Some(b'\n' | b'\r'));
        self.line += (self.at..start).filter(ends_line).count();
        self.at = start;
        if blank { Err(Fault::Blank { line: self.line }) } else { Ok(self.line) }
    }
}

/// Detects the separator: the first of tab, semicolon and comma that occurs in the first line
/// outside of quotes; otherwise spaces, if [`is_spaced`]; otherwise there is one column.
fn separator(text: &str) -> Separator {
    let first = text.lines().next().unwrap_or("");
    let bare: String = first.split('"').step_by(2).collect();
    let stands_there = |byte: &u8| bare.contains(char::from(*byte));
    match b"\t;,".iter().find(|byte| stands_there(byte)) {
        Some(&byte) => Separator::Byte(byte),
        None if is_spaced(text) => Separator::Space,
        None => Separator::Byte(b','),
    }
}

/// Whether spaces separate cells: all lines have the same number of cells, and the cells are
/// numbers, except in the first line and in a first column without repetition. A name of
/// several words must not be split into cells.
fn is_spaced(text: &str) -> bool {
    let mut lines = text.lines().take(SAMPLE).map(|line| line.split_whitespace());
    let is_number = |cell: &str| is_missing(cell) || number(cell).is_some();
    let Some(first) = lines.next() else { return false };
    let first: Vec<_> = first.collect();
    let body: Vec<Vec<_>> = lines.map(|cells| cells.collect()).collect();
    if body.is_empty() {
        return first.len() > 1 && first.iter().all(|cell| is_number(cell));
    }
    let width = body[0].len();
    let even = body.iter().all(|cells| cells.len() == width);
    if width < 2 || !even || !(width - 1..=width).contains(&first.len()) {
        return false;
    }
    let mut seen = HashSet::new();
    let distinct = body.iter().all(|cells| seen.insert(cells[0]));
    let numbers = |cells: &[&str]| cells.iter().all(|cell| is_number(cell));
    body.iter().all(|cells| numbers(&cells[1..])) && (distinct || body.iter().all(|c| numbers(c)))
}

fn unquoted(cell: &str) -> &str {
    cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(cell)
}
