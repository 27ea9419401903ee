//! Detection of headers and id columns. [`TableOptions`](crate::TableOptions) documents the
//! rules.

use std::collections::HashSet;
use std::hash::Hash;

use crate::error::Fault;
use crate::grid::{Cell, Grid, is_missing, number, text, texts};
use crate::table::Use;
use crate::text::TextGrid;

/// Usual names of a column that names samples.
const ID_NAMES: [&str; 19] = [
    "", "id", "ids", "index", "idx", "name", "names", "row", "rows", "rowname", "rownames",
    "sample", "samples", "cell", "cells", "barcode", "barcodes", "key", "obs",
];
/// Usual endings of the name of a column that names samples.
const ID_ENDINGS: [&str; 3] = ["_id", " id", ".id"];
/// Usual names of a single column of labels.
const LABEL_NAMES: [&str; 17] = [
    "label",
    "labels",
    "class",
    "classes",
    "cluster",
    "clusters",
    "clustering",
    "truth",
    "gt",
    "target",
    "y",
    "group",
    "species",
    "type",
    "celltype",
    "cell_type",
    "ground_truth",
];

fn says_id(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ID_NAMES.contains(&name.as_str()) || ID_ENDINGS.iter().any(|end| name.ends_with(end))
}

fn says_label(name: &str) -> bool {
    LABEL_NAMES.contains(&name.to_ascii_lowercase().as_str())
}

fn is_number(text: &str) -> bool {
    number(text).is_some()
}

fn is_text(text: &str) -> bool {
    !is_missing(text) && !is_number(text)
}

/// Whether no text is missing or repeated.
fn is_distinct<T: Eq + Hash>(mut texts: impl Iterator<Item = Option<T>>) -> bool {
    let mut seen = HashSet::new();
    texts.all(|text| text.is_some_and(|text| seen.insert(text)))
}

fn present(text: &str) -> Option<&str> {
    (!is_missing(text)).then_some(text)
}

/// Whether the first line names the columns.
pub(crate) fn has_header(grid: &TextGrid, used: Use) -> Result<bool, Fault> {
    if grid.height() < 2 {
        return Ok(false);
    }
    let first = |column| grid.text(0, column);
    if (0..grid.width()).any(|column| is_text(first(column)) && is_of_numbers(grid, column)) {
        return Ok(true);
    }
    if grid.width() > 1 && is_distinct(grid.column(0, 1).map(present)) {
        let only_first_empty = grid.line(0).position(str::is_empty) == Some(0)
            && !grid.line(0).skip(1).any(str::is_empty);
        if only_first_empty || (!first(0).is_empty() && says_id(first(0))) {
            return Ok(true);
        }
    }
    if grid.line(0).any(is_text) { text_over_text(grid) } else { numbers_alone(grid, used) }
}

/// Whether a column contains only numbers below its first line.
fn is_of_numbers(grid: &TextGrid, column: usize) -> bool {
    let mut body = grid.column(column, 1).filter(|text| !is_missing(text)).peekable();
    body.peek().is_some() && body.all(is_number)
}

/// Whether the text in the first line of a column occurs again in this column.
fn occurs_again(grid: &TextGrid, column: usize) -> bool {
    grid.column(column, 1).any(|text| text == grid.text(0, column))
}

/// Whether a first line of numbers is a header: some programs number columns that have no
/// names.
fn numbers_alone(grid: &TextGrid, used: Use) -> Result<bool, Fault> {
    let width = grid.width();
    let counts = |start: usize| grid.line(0).enumerate().all(|(k, t)| t.parse() == Ok(start + k));
    if width < 3 || !(counts(0) || counts(1)) {
        return Ok(false);
    }
    let new = (0..width).filter(|&column| !occurs_again(grid, column)).count();
    if used != Use::Features && width >= 8 && 2 * new > width {
        Ok(true)
    } else {
        Err(Fault::HeaderUnclear)
    }
}

/// Whether a first line with text above columns of text is a header.
fn text_over_text(grid: &TextGrid) -> Result<bool, Fault> {
    let is_headed = |column: &usize| is_text(grid.text(0, *column));
    let headed: Vec<usize> = (0..grid.width()).filter(is_headed).collect();
    if grid.line(0).any(is_number) || headed.iter().any(|&column| occurs_again(grid, column)) {
        return Ok(false);
    }
    let repeats = |&&column: &&usize| !is_distinct(grid.column(column, 1).map(present));
    let nothing_below = |column: usize| grid.column(column, 1).all(is_missing);
    let enough = (0..grid.width()).all(nothing_below)
        || headed.iter().any(|&column| says_label(grid.text(0, column)))
        || headed.iter().filter(repeats).count() > 1;
    if enough && is_distinct(grid.line(0).map(present)) {
        Ok(true)
    } else {
        Err(Fault::HeaderUnclear)
    }
}

/// The names of the samples, if the first column contains them. `names` are the names of all
/// columns, empty without a header.
pub(crate) fn ids(
    grid: &dyn Grid,
    names: &[&str],
    said: Option<bool>,
    used: Use,
) -> Result<Option<Vec<String>>, Fault> {
    if said == Some(false) || grid.columns() < 2 || grid.rows() == 0 {
        return Ok(None);
    }
    let called_so = names.first().is_some_and(|name| says_id(name));
    let beside_truth = used == Use::Truth && grid.columns() == 2;
    if said == Some(true) || called_so || beside_truth || names_samples(grid, names, used)? {
        return texts(grid, 0).map(Some);
    }
    Ok(None)
}

/// Whether the first column names the samples although its name does not say so.
fn names_samples(grid: &dyn Grid, names: &[&str], used: Use) -> Result<bool, Fault> {
    let cells = |column| (0..grid.rows()).map(move |row| grid.cell(row, column));
    let in_series = names.len() > 1 && differ_in_number(names[0], names[1]);
    if in_series || !is_distinct(cells(0).map(text)) {
        return Ok(false);
    }
    let others_are_numbers =
        (1..grid.columns()).all(|column| cells(column).all(|cell| !is_text_cell(&cell)));
    if others_are_numbers && cells(0).all(|cell| is_text_cell(&cell)) {
        return Ok(true);
    }
    let counts = |start: usize| {
        cells(0)
            .enumerate()
            .all(|(row, cell)| text(cell).is_some_and(|t| t.parse() == Ok(start + row)))
    };
    let unclear = match used {
        Use::Features => names.is_empty() && (counts(0) || counts(1)),
        Use::Pool | Use::Truth => grid.rows() >= 3,
    };
    if unclear { Err(Fault::IdsUnclear) } else { Ok(false) }
}

fn is_text_cell(cell: &Cell<'_>) -> bool {
    matches!(cell, Cell::Text(text) if !is_number(text))
}

/// Whether two names differ only in the numbers at their ends.
fn differ_in_number(one: &str, other: &str) -> bool {
    fn stem(name: &str) -> &str {
        name.trim_end_matches(|c: char| c.is_ascii_digit())
    }
    let numbered = |name: &str| stem(name).len() < name.len();
    one != other && numbered(one) && numbered(other) && stem(one) == stem(other)
}
