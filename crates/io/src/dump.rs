//! The cells of a pool as text, for comparison with other readers.

use crate::error::Fault;
use crate::file::Format;
use crate::grid::text;
use crate::layout::Layout;
use crate::table::{Table, TableOptions, Use, with_table};

/// A pool before its labels are numbered.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cells {
    /// The layout of a text file.
    pub layout: Option<Layout>,
    /// The names of the samples.
    pub ids: Option<Vec<String>>,
    /// The names of the clusterings.
    pub names: Option<Vec<String>>,
    /// One list of cells per sample, `None` for missing values.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Cells {
    pub(crate) fn of(bytes: &[u8], format: Format, options: &TableOptions) -> Result<Self, Fault> {
        with_table(bytes, format, options, Use::Pool, None, |table| {
            let Table { grid, ids, names, layout, .. } = table;
            let cell = |row, column| text(grid.cell(row, column)).map(String::from);
            let row = |row| (0..grid.columns()).map(|column| cell(row, column)).collect();
            let rows = (0..grid.rows()).map(row).collect();
            Ok(Cells { layout, ids, names, rows })
        })
    }
}
