//! The true classes of the samples.

use std::path::Path;

use enclust_core::Partition;

use crate::error::{Fault, ReadError};
use crate::file::{self, Format};
use crate::grid::Grid;
use crate::keys::Keys;
use crate::table::{Table, TableOptions, Use, vector_length, with_table};

/// One label per sample, and the names of the samples if the file has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// The classes.
    pub partition: Partition,
    /// Unique names of the samples.
    pub ids: Option<Vec<String>>,
}

/// Reads true classes: one column of labels, or ids and labels. See
/// [`Labels::from_bytes`].
///
/// # Errors
/// [`ReadError`] with the file, the position and the cause.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Labels, ReadError> {
    read_labels_with(path, &TableOptions::default())
}

/// Like [`read_labels`], with options for text files.
///
/// # Errors
/// The same as [`read_labels`].
pub fn read_labels_with(
    path: impl AsRef<Path>,
    options: &TableOptions,
) -> Result<Labels, ReadError> {
    file::read(path.as_ref(), |bytes, format| Labels::from_bytes(bytes, format, options))
}

impl Labels {
    /// Reads labels from the bytes of a file: a table with one column, or with ids and labels;
    /// a row or column vector; in a file of several arrays, the array named `gt`, `truth` or
    /// `labels`, otherwise the only array.
    ///
    /// Labels are text or whole numbers, and none may be missing. −1 is an ordinary class.
    ///
    /// ```
    /// use enclust_io::{Format, Labels, TableOptions};
    ///
    /// let file = "id,class\ns1,setosa\ns2,virginica\ns3,setosa\n";
    /// let labels = Labels::from_bytes(file.as_bytes(), Format::Csv, &TableOptions::default())?;
    /// assert_eq!(labels.partition.labels(), [0, 1, 0]);
    /// assert_eq!(labels.ids.unwrap(), ["s1", "s2", "s3"]);
    /// # Ok::<(), enclust_io::Fault>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] with the cause and the position.
    pub fn from_bytes(bytes: &[u8], format: Format, options: &TableOptions) -> Result<Self, Fault> {
        with_table(bytes, format, *options, Use::Truth, |table| {
            let Table { grid, ids, names, .. } = table;
            // A row can be a vector, but not if it has an id or a header.
            let lying = grid.columns() > 1;
            if lying && (names.is_some() || ids.as_ref().is_some_and(|ids| ids.len() == 1)) {
                return Err(too_wide(&*grid));
            }
            let partition = partition(&*grid)?;
            Ok(Labels { partition, ids })
        })
    }
}

/// The classes in a grid of a single column or row.
pub(crate) fn partition(grid: &dyn Grid) -> Result<Partition, Fault> {
    let keys = Keys::of(grid, None)?;
    let samples = vector_length(grid).ok_or_else(|| too_wide(grid))?;
    let place = |sample| if grid.columns() == 1 { (sample, 0) } else { (0, sample) };
    let key = |sample| {
        let (row, column) = place(sample);
        keys.get(row, column)
    };
    match (0..samples).find(|&sample| key(sample).is_none()) {
        None => Ok(Partition::from_labels((0..samples).map(key))),
        Some(sample) => {
            let (row, column) = place(sample);
            Err(Fault::NoTruth { at: grid.place(row, column) })
        }
    }
}

fn too_wide(grid: &dyn Grid) -> Fault {
    let expected = "true classes need one column, or an id column and one column";
    Fault::Columns { expected, found: grid.columns() }
}
