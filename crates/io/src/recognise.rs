//! Detection of headers and id columns. [`TableOptions`](crate::TableOptions) documents the
//! rules.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;

use crate::error::Fault;
use crate::grid::{Cell, Grid, number, text, texts};
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
const LABEL_NAMES: [&str; 16] = [
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

/// Whether no text is missing or repeated.
fn is_distinct<T: Eq + Hash>(mut texts: impl Iterator<Item = Option<T>>) -> bool {
    let mut seen = HashSet::new();
    texts.all(|text| text.is_some_and(|text| seen.insert(text)))
}

/// Whether the first line names the columns. An error if it may be a header or a sample.
pub(crate) fn has_header(grid: &TextGrid, used: Use) -> Result<bool, Fault> {
    let first = FirstLine { grid };
    let columns = || 0..grid.width();
    match grid.height() {
        0 => return Ok(false),
        1 if first.are_names(columns()) => return Err(Fault::HeaderUnclear),
        1 => return Ok(false),
        _ => {}
    }
    if first.begins_with_name_of_ids()? {
        return Ok(true);
    }
    if !columns().any(|column| first.is_text(column)) {
        return numbers_alone(&first, used);
    }
    let over_numbers = columns().any(|column| first.is_text_over_numbers(column));
    if columns().any(|column| first.is_number(column)) {
        return if over_numbers { Err(Fault::HeaderUnclear) } else { Ok(false) };
    }
    if columns().any(|column| first.is_text(column) && first.occurs_again(column)) {
        return if over_numbers { Err(Fault::HeaderUnclear) } else { Ok(false) };
    }
    let says_label = grid.line(0).any(says_label);
    // One labelled sample above samples without any label is not a pool.
    let nothing_below = columns().all(|column| first.is_over_nothing(column));
    if first.are_names(columns()) && (over_numbers || says_label || nothing_below) {
        Ok(true)
    } else {
        Err(Fault::HeaderUnclear)
    }
}

/// The first line above the others.
struct FirstLine<'g> {
    grid: &'g TextGrid,
}

impl FirstLine<'_> {
    fn cell(&self, column: usize) -> &str {
        self.grid.text(0, column)
    }

    fn present<'t>(&self, text: &'t str) -> Option<&'t str> {
        (!self.grid.marks().contains(text)).then_some(text)
    }

    fn is_number(&self, column: usize) -> bool {
        is_number(self.cell(column))
    }

    fn is_text(&self, column: usize) -> bool {
        self.present(self.cell(column)).is_some() && !self.is_number(column)
    }

    /// Whether the column contains only numbers below the first line, and at least one.
    fn is_text_over_numbers(&self, column: usize) -> bool {
        let mut body = self.grid.column(column, 1).filter_map(|text| self.present(text)).peekable();
        self.is_text(column) && body.peek().is_some() && body.all(is_number)
    }

    fn is_over_nothing(&self, column: usize) -> bool {
        self.grid.column(column, 1).all(|text| self.present(text).is_none())
    }

    /// Whether the first line of a column occurs again in this column.
    fn occurs_again(&self, column: usize) -> bool {
        self.grid.column(column, 1).any(|text| text == self.cell(column))
    }

    /// Whether these cells are text without repetition.
    fn are_names(&self, columns: Range<usize>) -> bool {
        columns.clone().all(|column| self.is_text(column))
            && is_distinct(columns.map(|column| Some(self.cell(column))))
    }

    /// Whether these cells count 0, 1, 2, … or 1, 2, 3, …
    fn count(&self, columns: Range<usize>) -> bool {
        let first = columns.start;
        let from =
            |start: usize| columns.clone().all(|k| self.cell(k).parse() == Ok(start + k - first));
        from(0) || from(1)
    }

    /// Whether the first cell is empty or a name for ids, above a column without repetition, and
    /// all others are names or count.
    fn begins_with_name_of_ids(&self) -> Result<bool, Fault> {
        let grid = self.grid;
        let others = 1..grid.width();
        if others.is_empty()
            || !says_id(self.cell(0))
            || !is_distinct(grid.column(0, 1).map(|text| self.present(text)))
        {
            return Ok(false);
        }
        let are_new = others.clone().all(|column| !self.occurs_again(column));
        let are_names = are_new && self.are_names(others.clone());
        if !are_names && !self.count(others) {
            return Ok(false);
        }
        // Without a name, one line is not enough to tell an id from a missing label.
        if self.cell(0).is_empty() && grid.height() < 3 {
            return Err(Fault::HeaderUnclear);
        }
        Ok(true)
    }
}

/// Whether a first line of numbers is a header: some programs number columns that have no
/// names.
fn numbers_alone(first: &FirstLine<'_>, used: Use) -> Result<bool, Fault> {
    let width = first.grid.width();
    if width < 3 || !first.count(0..width) {
        return Ok(false);
    }
    let new = (0..width).filter(|&column| !first.occurs_again(column)).count();
    if used != Use::Features && width >= 8 && 2 * new > width {
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
