//! Splitting of text into records and cells.
//!
//! Quotes follow RFC 4180: a quoted cell begins and ends with a quote, and a quote inside it is
//! doubled. The `csv` crate accepts text after a closing quote and files that end inside quotes;
//! both usually mean that samples are lost, so they are errors here.

use std::borrow::Cow;

use crate::error::{Fault, Place};
use crate::separator::Separator;

/// Reads one record after the other.
pub(crate) struct Records<'t> {
    text: &'t str,
    at: usize,
    /// The current line, counted from 1.
    line: usize,
    separator: Separator,
}

/// A record that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    /// The line at which it begins, counted from 1.
    pub line: usize,
    /// Number of cells.
    pub cells: usize,
    /// Whether a cell that is not quoted contains a quote.
    pub has_inner_quote: bool,
}

impl<'t> Records<'t> {
    pub fn new(text: &'t str, separator: Separator) -> Self {
        Records { text, at: 0, line: 1, separator }
    }

    /// Passes the trimmed cells of the next record to `take`; `None` at the end of the text.
    pub fn next(&mut self, mut take: impl FnMut(&str)) -> Result<Option<Row>, Fault> {
        if self.at == self.text.len() {
            return Ok(None);
        }
        let mut row = Row { line: self.line, cells: 0, has_inner_quote: false };
        let start = self.at;
        self.skip_blanks();
        if self.ends_line() {
            return Err(Fault::Blank { line: self.line });
        }
        if self.separator != Separator::Space {
            // The blanks belong to the first cell.
            self.at = start;
        }
        loop {
            row.cells += 1;
            let is_quoted = self.byte() == Some(b'"');
            let cell = self.cell(row.cells)?;
            row.has_inner_quote |= !is_quoted && cell.contains('"');
            take(cell.trim());
            if !self.skip_separator() {
                self.skip_line_end();
                return Ok(Some(row));
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn ends_line(&self) -> bool {
        matches!(self.byte(), None | Some(b'\n' | b'\r'))
    }

    /// Skips spaces and tabs that are not separators, or that are without meaning because they
    /// begin or end a line whose cells are separated by spaces.
    fn skip_blanks(&mut self) {
        let is_blank =
            |byte| matches!(byte, b' ' | b'\t') && self.separator != Separator::Byte(byte);
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|&&byte| is_blank(byte)).count();
    }

    /// Whether a separator follows, which is skipped.
    fn skip_separator(&mut self) -> bool {
        if self.separator == Separator::Space {
            self.skip_blanks();
            return !self.ends_line();
        }
        let follows = self.byte().is_some_and(|byte| self.separator.is(byte));
        self.at += usize::from(follows);
        follows
    }

    fn skip_line_end(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += if rest.starts_with(b"\r\n") { 2 } else { usize::from(!rest.is_empty()) };
        self.line += 1;
    }

    /// The content of the next cell, up to the separator or the end of the line.
    fn cell(&mut self, column: usize) -> Result<Cow<'t, str>, Fault> {
        let start = self.at;
        if self.byte() == Some(b'"') {
            return self.quoted(column);
        }
        let rest = &self.text.as_bytes()[start..];
        let ends = |&byte: &u8| self.separator.is(byte) || matches!(byte, b'\n' | b'\r');
        self.at = start + rest.iter().position(ends).unwrap_or(rest.len());
        let cell = &self.text[start..self.at];
        if cell.trim_start().starts_with('"') {
            return Err(Fault::StrayQuote { at: self.place(column) });
        }
        Ok(Cow::Borrowed(cell))
    }

    fn quoted(&mut self, column: usize) -> Result<Cow<'t, str>, Fault> {
        let at = self.place(column);
        let mut content = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at + 1..];
            let Some(length) = rest.find('"') else { return Err(Fault::UnclosedQuote { at }) };
            self.line += line_ends(&rest[..length]);
            content += &rest[..length];
            self.at += length + 2;
            if self.byte() != Some(b'"') {
                break;
            }
            content += "\"";
        }
        if self.separator == Separator::Space && self.byte().is_some_and(|b| self.separator.is(b)) {
            return Ok(content);
        }
        self.skip_blanks();
        if self.ends_line() || self.byte().is_some_and(|byte| self.separator.is(byte)) {
            return Ok(content);
        }
        Err(Fault::StrayQuote { at: self.place(column) })
    }

    fn place(&self, column: usize) -> Place {
        Place::Line { line: self.line, column }
    }
}

/// The number of line ends: LF, CRLF or CR.
pub(crate) fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |&at: &usize| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(ends).count()
}
