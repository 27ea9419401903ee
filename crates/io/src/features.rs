//! Features of samples, from which base clusterings are made.

use std::path::Path;

use enclust_core::Partition;

use crate::error::{Fault, ReadError, shown};
use crate::file::Format;
use crate::grid::{Cell, Grid};
use crate::labels::complete;
use crate::layout::Layout;
use crate::pool::check_samples;
use crate::source::Source;
use crate::table::{Table, TableOptions, Use, with_table};

/// One row of finite numbers per sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// The values in row-major order.
    pub values: Vec<f64>,
    /// Number of rows.
    pub samples: usize,
    /// Number of columns.
    pub dimension: usize,
    /// Unique names of the samples, if the file has them.
    pub ids: Option<Vec<String>>,
    /// Names of the features, if the file has them.
    pub names: Option<Vec<String>>,
    /// The classes of the samples, if the file has them.
    pub truth: Option<Partition>,
}

/// Reads features, see [`Features::from_bytes`].
///
/// # Errors
/// [`ReadError`] with the file, the position and the cause.
pub fn read_features(path: impl AsRef<Path>) -> Result<Features, ReadError> {
    read_features_with(path, &TableOptions::default())
}

/// Like [`read_features`], with options for text files.
///
/// # Errors
/// The same as [`read_features`].
pub fn read_features_with(
    path: impl AsRef<Path>,
    options: &TableOptions,
) -> Result<Features, ReadError> {
    Ok(Source::read(path, options.memory)?.features(options)?.0)
}

impl Features {
    /// Reads features from the bytes of a file: a table of numbers whose rows are samples. In a
    /// file of several arrays, the array named `features`, `X`, `fea` or `data` is used,
    /// otherwise the only array; `gt`, `truth` or `labels` contains the true classes.
    ///
    /// ```
    /// use enclust_io::{Features, Format, TableOptions};
    ///
    /// let file = "width,length\n0.5,1\n0.25,-2e3\n";
    /// let features = Features::from_bytes(file.as_bytes(), Format::Csv, &TableOptions::default())?;
    /// assert_eq!((features.samples, features.dimension), (2, 2));
    /// assert_eq!(features.values, [0.5, 1.0, 0.25, -2000.0]);
    /// # Ok::<(), enclust_io::Fault>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::Feature`] if a value is missing or not a finite number; other variants of
    /// [`Fault`] for other errors, with their position.
    pub fn from_bytes(bytes: &[u8], format: Format, options: &TableOptions) -> Result<Self, Fault> {
        Self::from_bytes_with_layout(bytes, format, options).map(|(features, _)| features)
    }

    /// Like [`Features::from_bytes`]; also returns the layout of a text file.
    ///
    /// # Errors
    /// The same as [`Features::from_bytes`].
    pub fn from_bytes_with_layout(
        bytes: &[u8],
        format: Format,
        options: &TableOptions,
    ) -> Result<(Self, Option<Layout>), Fault> {
        with_table(bytes, format, options, Use::Features, None, |table| {
            let Table { grid, ids, names, truth, layout, .. } = table;
            if let Some(truth) = &truth {
                check_samples(&*grid, &**truth)?;
            }
            let truth = truth.map(|truth| complete(&*truth)).transpose()?;
            let (samples, dimension) = (grid.rows(), grid.columns());
            if samples == 0 || dimension == 0 {
                return Err(Fault::Empty);
            }
            let place = |at| (at / dimension, at % dimension);
            let value = |at| {
                let (row, column) = place(at);
                finite(&*grid, row, column)
            };
            let values = (0..samples * dimension).map(value).collect::<Result<_, _>>()?;
            Ok((Features { values, samples, dimension, ids, names, truth }, layout))
        })
    }
}

pub(crate) fn finite(grid: &dyn Grid, row: usize, column: usize) -> Result<f64, Fault> {
    let (value, text) = match grid.cell(row, column) {
        Cell::Whole(value) => return Ok(value as f64),
        Cell::Real(value) => (value, value.to_string()),
        Cell::Missing => (f64::NAN, "a missing value".into()),
        Cell::Text(text) => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => return Ok(value),
            _ => (f64::NAN, format!("{:?}", shown(&text))),
        },
    };
    if value.is_finite() {
        return Ok(value);
    }
    Err(Fault::Feature { at: grid.place(row, column), value: text })
}
