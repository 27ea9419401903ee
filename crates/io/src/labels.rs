//! The true classes of the samples.

use std::collections::HashMap;
use std::path::Path;

use enclust_core::Partition;

use crate::error::{Fault, ReadError, shown};
use crate::file::Format;
use crate::grid::Grid;
use crate::keys::{Key, Keys};
use crate::layout::Layout;
use crate::pool::Pool;
use crate::source::Source;
use crate::table::{Table, TableOptions, Use, vector_length, with_table};

/// The classes of samples, and the names of the samples if the file has them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Labels {
    /// The classes of the samples that have one, in the order of the samples.
    pub partition: Partition,
    /// The samples that have no class, counted from 0 and ascending.
    pub missing: Vec<usize>,
    /// Unique names of all samples.
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
    Ok(Source::read(path, options.memory)?.labels(options)?.0)
}

impl Labels {
    /// One class for every sample.
    pub fn new(partition: Partition, ids: Option<Vec<String>>) -> Self {
        Labels { partition, missing: Vec::new(), ids }
    }

    /// Reads labels from the bytes of a file: a table with one column, or with ids and labels;
    /// a row or column vector; in a file of several arrays, the array named `gt`, `truth` or
    /// `labels`, otherwise the only array.
    ///
    /// Labels are text or whole numbers. −1 is an ordinary class.
    ///
    /// ```
    /// use enclust_io::{Format, Labels, TableOptions};
    ///
    /// let file = "id,class\ns1,setosa\ns2,virginica\ns3,setosa\ns4,NA\n";
    /// let labels = Labels::from_bytes(file.as_bytes(), Format::Csv, &TableOptions::default())?;
    /// assert_eq!(labels.partition.labels(), [0, 1, 0]);
    /// assert_eq!(labels.missing, [3]);
    /// assert_eq!(labels.ids.unwrap(), ["s1", "s2", "s3", "s4"]);
    /// # Ok::<(), enclust_io::Fault>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] with the cause and the position; [`Fault::NoTruth`] if no sample has a class.
    pub fn from_bytes(bytes: &[u8], format: Format, options: &TableOptions) -> Result<Self, Fault> {
        Self::from_bytes_with_layout(bytes, format, options).map(|(labels, _)| labels)
    }

    /// Like [`Labels::from_bytes`]; also returns the layout of a text file.
    ///
    /// # Errors
    /// The same as [`Labels::from_bytes`].
    pub fn from_bytes_with_layout(
        bytes: &[u8],
        format: Format,
        options: &TableOptions,
    ) -> Result<(Self, Option<Layout>), Fault> {
        with_table(bytes, format, options, Use::Truth, None, |table| {
            let Table { grid, ids, names, layout, .. } = table;
            // A row can be a vector, but not if it has an id or a header.
            let lying = grid.columns() > 1;
            if lying && (names.is_some() || ids.as_ref().is_some_and(|ids| ids.len() == 1)) {
                return Err(too_wide(&*grid));
            }
            let (partition, missing) = classes(&*grid)?;
            Ok((Labels { partition, missing, ids }, layout))
        })
    }

    /// Number of samples, with and without a class.
    pub fn samples(&self) -> usize {
        self.partition.len() + self.missing.len()
    }

    /// The samples that have a class, counted from 0 and ascending.
    pub fn known(&self) -> Vec<usize> {
        (0..self.samples()).filter(|sample| self.missing.binary_search(sample).is_err()).collect()
    }

    /// The labels in the order of the samples of a pool. If pool and labels both name the
    /// samples, they are matched by name, and labels of other samples are ignored; otherwise
    /// they are matched by position.
    ///
    /// # Errors
    /// [`Fault::UnknownId`] if the labels do not contain the name of a sample,
    /// [`Fault::Samples`] if there are more or fewer labels than samples.
    pub fn aligned(self, pool: &Pool) -> Result<Labels, Fault> {
        if let (Some(own), Some(theirs)) = (&pool.ids, &self.ids) {
            return self.matched(own, theirs);
        }
        let (samples, truth) = (pool.ensemble.samples(), self.samples());
        if samples != truth {
            let transposed = pool.ensemble.clusterings() == truth;
            return Err(Fault::Samples { samples, truth, transposed });
        }
        Ok(self)
    }

    /// The labels of the samples with these names.
    fn matched(&self, ids: &[String], theirs: &[String]) -> Result<Labels, Fault> {
        let mut classes: HashMap<&String, Option<usize>> =
            theirs.iter().map(|id| (id, None)).collect();
        for (sample, &label) in self.known().into_iter().zip(self.partition.labels()) {
            classes.insert(&theirs[sample], Some(label));
        }
        let class = |id: &String| {
            classes.get(id).copied().ok_or_else(|| Fault::UnknownId { id: shown(id) })
        };
        let classes = ids.iter().map(class).collect::<Result<Vec<_>, _>>()?;
        let missing = (0..classes.len()).filter(|&sample| classes[sample].is_none()).collect();
        let partition = Partition::from_labels(classes.into_iter().flatten());
        Ok(Labels { partition, missing, ids: Some(ids.to_vec()) })
    }
}

/// The classes in a grid of a single column or row, and the samples without a class.
fn classes(grid: &dyn Grid) -> Result<(Partition, Vec<usize>), Fault> {
    let keys = Keys::of(grid, None)?;
    let samples = vector_length(grid).ok_or_else(|| too_wide(grid))?;
    let key = |sample| -> Option<Key<'_>> {
        if grid.columns() == 1 { keys.get(sample, 0) } else { keys.get(0, sample) }
    };
    let missing: Vec<usize> = (0..samples).filter(|&sample| key(sample).is_none()).collect();
    if missing.len() == samples {
        return Err(Fault::NoTruth { at: grid.place(0, 0) });
    }
    Ok((Partition::from_labels((0..samples).filter_map(key)), missing))
}

/// The classes in a grid of a single column or row, if every sample has one.
pub(crate) fn complete(grid: &dyn Grid) -> Result<Partition, Fault> {
    let (partition, missing) = classes(grid)?;
    match missing.first() {
        None => Ok(partition),
        Some(&sample) => {
            let (row, column) = if grid.columns() == 1 { (sample, 0) } else { (0, sample) };
            Err(Fault::NoTruth { at: grid.place(row, column) })
        }
    }
}

fn too_wide(grid: &dyn Grid) -> Fault {
    let expected = "true classes need one column, or an id column and one column";
    Fault::Columns { expected, found: grid.columns() }
}
