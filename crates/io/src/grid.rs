//! What all formats have in common: rows and columns of cells.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::{Fault, Place, shown};

/// A value as stored in a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Whole(i128),
    Real(f64),
    Text(Cow<'a, str>),
}

/// Rows and columns of cells, one row per sample.
pub(crate) trait Grid {
    fn rows(&self) -> usize;
    fn columns(&self) -> usize;
    fn cell(&self, row: usize, column: usize) -> Cell<'_>;
    /// The position of a cell in the file.
    fn place(&self, row: usize, column: usize) -> Place;
}

/// Parses text as a number. Words such as `inf` are not accepted, because they may be names.
pub(crate) fn number(text: &str) -> Option<Cell<'static>> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    match text.parse() {
        Ok(whole) => Some(Cell::Whole(whole)),
        Err(_) => text.parse().ok().map(Cell::Real),
    }
}

/// A cell as text.
pub(crate) fn text(cell: Cell<'_>) -> Option<Cow<'_, str>> {
    match cell {
        Cell::Missing => None,
        Cell::Real(value) if value.is_nan() => None,
        Cell::Whole(value) => Some(value.to_string().into()),
        Cell::Real(value) => Some(value.to_string().into()),
        Cell::Text(text) => Some(text),
    }
}

/// The texts of a column. Returns an error if one is missing or occurs twice.
pub(crate) fn texts(grid: &dyn Grid, column: usize) -> Result<Vec<String>, Fault> {
    let mut seen = HashSet::new();
    for row in 0..grid.rows() {
        let at = || grid.place(row, column);
        let id = text(grid.cell(row, column)).ok_or_else(|| Fault::MissingId { at: at() })?;
        if !seen.insert(id) {
            let id = text(grid.cell(row, column)).unwrap_or_default();
            return Err(Fault::DuplicateId { at: at(), id: shown(&id) });
        }
    }
    drop(seen);
    Ok((0..grid.rows()).filter_map(|row| text(grid.cell(row, column))).map(String::from).collect())
}
