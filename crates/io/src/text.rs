//! Splitting of text into cells: separator and lines.

use std::borrow::Cow;

use crate::budget::Budget;
use crate::cells::{Records, line_ends};
use crate::error::{Fault, Place};
use crate::file::Format;
use crate::grid::{Cell, Grid};
use crate::marks::MissingMarks;
use crate::separator::{Separator, detect};
use crate::table::TableOptions;

/// Bytes per cell: its end position, and the value that is made of it.
const CELL: u64 = 16;
/// Bytes per line and per column: their numbers, names and counts.
const LINE: u64 = 64;

/// The trimmed cells of a text file. All lines have the same number of cells.
///
/// The text of all cells is stored in one string, so a cell only costs its end position.
#[derive(Clone, Debug)]
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
    separator: Separator,
    marks: MissingMarks,
}

impl TextGrid {
    /// Splits text. If the options state a header and an id column, the first line may lack its
    /// first cell, as in files written by R.
    pub fn parse(bytes: &[u8], format: Format, options: &TableOptions) -> Result<Self, Fault> {
        let text = utf8(bytes)?;
        let short_header = options.header == Some(true) && options.id_column == Some(true);
        let marks = options.missing.clone();
        let budget = Budget::new(options.memory);
        budget.require(bytes.len() as u64, text.len() as u64)?;
        let separator = match options.separator {
            Some(stated) => stated,
            None => detect(text, format, short_header, &marks)?,
        };
        let room = Room::for_text(text, separator);
        room.check(bytes.len(), budget)?;
        let mut grid = TextGrid {
            text: String::with_capacity(text.len()),
            ends: Vec::with_capacity(room.cells),
            lines: Vec::with_capacity(room.lines),
            width: 0,
            header: 0,
            id_column: 0,
            separator,
            marks,
        };
        let mut records = Records::new(text, separator);
        while let Some(row) = records.next(|cell| grid.push(cell))? {
            grid.end_row(row.line, row.cells, short_header)?;
        }
        Ok(grid)
    }

    fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    fn end_row(&mut self, line: usize, found: usize, short_header: bool) -> Result<(), Fault> {
        self.lines.push(line);
        match self.lines.len() {
            1 => self.width = found,
            2 if short_header && found == self.width + 1 => {
                self.ends.insert(0, 0);
                self.width = found;
            }
            _ if found != self.width => {
                let (expected, separator) = (self.width, self.separator);
                return Err(Fault::Ragged { line, expected, found, separator });
            }
            _ => {}
        }
        Ok(())
    }

    /// The separator that was stated or detected.
    pub fn separator(&self) -> Separator {
        self.separator
    }

    /// The texts that stand for missing values.
    pub fn marks(&self) -> &MissingMarks {
        &self.marks
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
            text if self.marks.contains(text) => Cell::Missing,
            text => Cell::Text(Cow::Borrowed(text)),
        }
    }

    fn place(&self, row: usize, column: usize) -> Place {
        Place::Line { line: self.lines[row + self.header], column: column + self.id_column + 1 }
    }
}

/// Upper bounds on the numbers of cells and lines.
struct Room {
    text: usize,
    cells: usize,
    lines: usize,
    columns: usize,
}

impl Room {
    /// Every cell ends with a separator, a line end or the end of the text.
    fn for_text(text: &str, separator: Separator) -> Self {
        let bytes = text.as_bytes();
        let (mut lines, mut cells, mut columns, mut line) = (1, 1, 1, 1);
        for &byte in bytes {
            if matches!(byte, b'\n' | b'\r') {
                (lines, line) = (lines + 1, 0);
            }
            if separator.is(byte) || line == 0 {
                (cells, line) = (cells + 1, line + 1);
                columns = columns.max(line);
            }
        }
        // A short header gets one more cell.
        Room { text: text.len(), cells: cells + 1, lines, columns }
    }

    fn check(&self, held: usize, budget: Budget) -> Result<(), Fault> {
        let (cells, others) = (self.cells as u64, (self.lines + self.columns) as u64);
        let more = (self.text as u64)
            .saturating_add(cells.saturating_mul(CELL))
            .saturating_add(others.saturating_mul(LINE));
        budget.require(held as u64, more)
    }
}

/// The text without a byte order mark and without trailing line ends.
fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    if is_utf16(bytes) {
        return Err(Fault::Utf16);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        // The bytes before the error are text.
        let before = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Fault::NotUtf8 { line: 1 + line_ends(before) }
    })?;
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(Fault::Nul { line: 1 + line_ends(&text[..at]) });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok(text.trim_end_matches(['\r', '\n']))
}

/// Whether the bytes begin with the mark of UTF-16, or every other byte at the beginning is zero,
/// as in UTF-16 text without accents. UTF-32 has even more zeros.
fn is_utf16(bytes: &[u8]) -> bool {
    const BEGINNING: usize = 64;
    let is_marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let (pairs, _) = bytes[..bytes.len().min(BEGINNING)].as_chunks::<2>();
    let half_zero = |&[one, other]: &[u8; 2]| (one == 0) != (other == 0);
    is_marked || (!pairs.is_empty() && pairs.iter().all(|pair| half_zero(pair) || *pair == [0, 0]))
}
