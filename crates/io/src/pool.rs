//! Pools of base clusterings.

use std::collections::HashMap;
use std::path::Path;

use enclust_core::{Ensemble, Partition};

use crate::error::{Fault, ReadError, shown};
use crate::file::{self, Format};
use crate::grid::Grid;
use crate::keys::{Keys, Noise};
use crate::labels::{Labels, partition};
use crate::mat::MatFile;
use crate::table::{Table, TableOptions, Use, vector_length, with_table};

/// Many base clusterings of the same samples, from which ensembles are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// The clusterings.
    pub ensemble: Ensemble,
    /// The classes of the samples, if they are known.
    pub truth: Option<Partition>,
    /// Unique names of the samples, if the file has them.
    pub ids: Option<Vec<String>>,
    /// Names of the clusterings, if the file has them.
    pub columns: Option<Vec<String>>,
}

/// Options for reading a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolOptions {
    /// What the label −1 means.
    pub noise: Noise,
    /// Whether the first line of text names the clusterings; see [`TableOptions`].
    pub header: Option<bool>,
    /// Whether the first column names the samples; see [`TableOptions`].
    pub id_column: Option<bool>,
}

/// Reads a pool of base clusterings, see [`Pool::from_bytes`].
///
/// # Errors
/// [`ReadError`] with the file, the position and the cause.
pub fn read_pool(path: impl AsRef<Path>) -> Result<Pool, ReadError> {
    read_pool_with(path, &PoolOptions::default())
}

/// Like [`read_pool`], with options.
///
/// # Errors
/// The same as [`read_pool`].
pub fn read_pool_with(path: impl AsRef<Path>, options: &PoolOptions) -> Result<Pool, ReadError> {
    file::read(path.as_ref(), |bytes, format| Pool::from_bytes(bytes, format, options))
}

impl Pool {
    /// A pool without truth and names.
    pub fn new(ensemble: Ensemble) -> Self {
        Pool { ensemble, truth: None, ids: None, columns: None }
    }

    /// Reads a pool from the bytes of a file. Rows are samples, columns are clusterings.
    ///
    /// - Text and Parquet: a table, with names of samples and clusterings if they are detected;
    ///   see [`TableOptions`].
    /// - `.npy`: a matrix; a vector is a single clustering.
    /// - `.mat` and `.npz`: the array `members`, otherwise the only array; with `gt`, `truth`
    ///   or `labels` as true classes. An `.npz` may name samples in `ids` and clusterings in
    ///   `columns`.
    ///
    /// Labels are whole numbers or text. Labels in a column are compared as numbers if all of
    /// them are numbers, otherwise as text. NaN, `None` and their text representations are
    /// missing labels.
    ///
    /// ```
    /// use enclust_io::{Format, Pool, PoolOptions};
    ///
    /// let file = "id,kmeans,ward\na,1,x\nb,1,NA\nc,2,y\n";
    /// let pool = Pool::from_bytes(file.as_bytes(), Format::Csv, &PoolOptions::default())?;
    /// assert_eq!((pool.ensemble.samples(), pool.ensemble.clusterings()), (3, 2));
    /// assert_eq!(pool.columns.unwrap(), ["kmeans", "ward"]);
    /// assert!(pool.ensemble.has_missing());
    /// # Ok::<(), enclust_io::Fault>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault`] with the cause and the position.
    pub fn from_bytes(bytes: &[u8], format: Format, options: &PoolOptions) -> Result<Self, Fault> {
        let &PoolOptions { noise, header, id_column } = options;
        let known = TableOptions { header, id_column };
        with_table(bytes, format, known, Use::Pool, |table| Self::from_table(table, noise))
    }

    /// Reads a pool from the arrays of a MATLAB file, like [`Pool::from_bytes`] with the
    /// default options.
    ///
    /// # Errors
    /// [`Fault`] with the array, the cause and the position.
    pub fn from_mat(file: &MatFile) -> Result<Self, Fault> {
        Self::from_table(Table::from_arrays(&mut &*file, Use::Pool)?, Noise::default())
    }

    fn from_table(table: Table<'_>, noise: Noise) -> Result<Self, Fault> {
        let Table { grid, ids, names, truth } = table;
        if let Some(truth) = &truth {
            check_samples(&*grid, &**truth)?;
        }
        let keys = Keys::of(&*grid, Some(noise))?;
        let ensemble =
            Ensemble::from_keys(grid.rows(), grid.columns(), |row, column| keys.get(row, column))?;
        let truth = truth.map(|truth| partition(&*truth)).transpose()?;
        Ok(Pool { ensemble, truth, ids, columns: names })
    }

    /// The same pool with its true classes. If pool and labels both name the samples, they are
    /// matched by name, and labels of other samples are ignored; otherwise they are matched by
    /// position.
    ///
    /// ```
    /// use enclust_core::{Ensemble, Partition};
    /// use enclust_io::{Labels, Pool};
    ///
    /// let names = |ids: [&str; 2]| Some(ids.map(String::from).to_vec());
    /// let mut pool = Pool::new(Ensemble::from_columns(&[[0, 1]])?);
    /// pool.ids = names(["a", "b"]);
    /// let partition = Partition::from_labels(["of b", "of a"]);
    /// let pool = pool.with_truth(Labels { partition, ids: names(["b", "a"]) })?;
    /// assert_eq!(pool.truth, Some(Partition::from_labels(["of a", "of b"])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::UnknownId`] if a sample has no label, [`Fault::Samples`] if there are more
    /// or fewer labels than samples.
    pub fn with_truth(mut self, labels: Labels) -> Result<Self, Fault> {
        let Labels { partition, ids } = labels;
        self.truth = Some(match (&self.ids, &ids) {
            (Some(own), Some(theirs)) => matched(own, theirs, &partition)?,
            _ => {
                let (samples, truth) = (self.ensemble.samples(), partition.len());
                if samples != truth {
                    let transposed = self.ensemble.clusterings() == truth;
                    return Err(Fault::Samples { samples, truth, transposed });
                }
                partition
            }
        });
        Ok(self)
    }
}

/// Returns an error if the pool and the truth have different lengths, before anything is built
/// from them.
fn check_samples(grid: &dyn Grid, truth: &dyn Grid) -> Result<(), Fault> {
    let Some(length) = vector_length(truth) else {
        let expected = "true classes need a single row or column";
        return Err(Fault::Columns { expected, found: truth.columns() });
    };
    if length == grid.rows() {
        return Ok(());
    }
    let transposed = grid.columns() == length;
    Err(Fault::Samples { samples: grid.rows(), truth: length, transposed })
}

/// The labels of the samples, looked up by name.
fn matched(own: &[String], theirs: &[String], partition: &Partition) -> Result<Partition, Fault> {
    let labels: HashMap<_, _> = theirs.iter().zip(partition.labels()).collect();
    let label = |id: &String| match labels.get(id) {
        Some(&&label) => Ok(label),
        None => Err(Fault::UnknownId { id: shown(id) }),
    };
    Ok(Partition::from_labels(own.iter().map(label).collect::<Result<Vec<_>, _>>()?))
}
