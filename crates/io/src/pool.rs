//! Pools of base clusterings.

use std::path::Path;

use enclust_core::{Ensemble, Partition};

use crate::counts::{CountsColumn, split_counts};
use crate::error::{Fault, ReadError};
use crate::file::Format;
use crate::grid::Grid;
use crate::keys::{Key, Keys, Noise};
use crate::labels::{Labels, complete};
use crate::layout::Layout;
use crate::mat::MatFile;
use crate::origin::Origin;
use crate::source::Source;
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
    /// How the pool was made, if the file tells.
    pub origin: Option<Origin>,
    /// The names of the base clusters, one entry per clustering, if
    /// [`PoolOptions::cluster_names`] asks for them.
    pub cluster_names: Option<Vec<ClusterNames>>,
}

/// The names of the clusters of one base clustering: its labels as they are in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterNames {
    /// In the order of their numbers. Numbers are in their shortest form, so that 1.0 is `1`. A
    /// cluster that only stands for one sample with the label −1 has no name.
    pub names: Vec<Option<String>>,
    /// Whether the labels are compared as numbers, because all of them are numbers.
    pub numeric: bool,
}

/// Options for reading a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolOptions {
    /// What the label −1 means.
    pub noise: Noise,
    /// How a table is read.
    pub table: TableOptions,
    /// Where the pool holds how often each row occurs. Without it, the array `counts` of an `.npz`
    /// is used, if there is one.
    pub counts: Option<CountsColumn>,
    /// Whether the names of the base clusters are kept.
    pub cluster_names: bool,
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
    Ok(Source::read(path, options.table.memory)?.pool(options)?.0)
}

impl Pool {
    /// A pool without truth, names and origin.
    pub fn new(ensemble: Ensemble) -> Self {
        Pool { ensemble, truth: None, ids: None, columns: None, origin: None, cluster_names: None }
    }

    /// Reads a pool from the bytes of a file. Rows are samples, columns are clusterings.
    ///
    /// - Text and Parquet: a table, with names of samples and clusterings if they are detected;
    ///   see [`TableOptions`].
    /// - `.npy`: a matrix; a vector is a single clustering.
    /// - `.mat` and `.npz`: the array `members`, otherwise the only array; with `gt`, `truth`
    ///   or `labels` as true classes. An `.npz` may name samples in `ids` and clusterings in
    ///   `columns`, and state in `counts` how often each row occurs.
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
        Self::from_bytes_with_layout(bytes, format, options).map(|(pool, _)| pool)
    }

    /// Like [`Pool::from_bytes`]; also returns the layout of a text file.
    ///
    /// # Errors
    /// The same as [`Pool::from_bytes`].
    pub fn from_bytes_with_layout(
        bytes: &[u8],
        format: Format,
        options: &PoolOptions,
    ) -> Result<(Self, Option<Layout>), Fault> {
        with_table(bytes, format, &options.table, Use::Pool, options.counts.as_ref(), |table| {
            let layout = table.layout;
            Ok((Self::from_table(table, options)?, layout))
        })
    }

    /// Reads a pool from the arrays of a MATLAB file, like [`Pool::from_bytes`] with the
    /// default options.
    ///
    /// # Errors
    /// [`Fault`] with the array, the cause and the position.
    pub fn from_mat(file: &MatFile) -> Result<Self, Fault> {
        Self::from_table(Table::from_arrays(&mut &*file, Use::Pool, None)?, &PoolOptions::default())
    }

    fn from_table(table: Table<'_>, options: &PoolOptions) -> Result<Self, Fault> {
        let (table, counts) = split_counts(table, options.counts.as_ref())?;
        let Table { grid, ids, names, truth, origin, .. } = table;
        if let Some(truth) = &truth {
            check_samples(&*grid, &**truth)?;
        }
        let keys = Keys::of(&*grid, Some(options.noise))?;
        let ensemble =
            Ensemble::from_keys(grid.rows(), grid.columns(), |row, column| keys.get(row, column))?;
        let ensemble = match counts {
            Some(counts) => {
                check_noise(&*grid, &keys, &counts)?;
                ensemble
                    .with_counts(&counts)
                    .map_err(|error| Fault::Counts { what: error.to_string() })?
            }
            None => ensemble,
        };
        let truth = truth.map(|truth| complete(&*truth)).transpose()?;
        let cluster_names = options.cluster_names.then(|| cluster_names(&ensemble, &keys));
        Ok(Pool { ensemble, truth, ids, columns: names, origin, cluster_names })
    }

    /// The same pool with its true classes, matched by [`Labels::aligned`].
    ///
    /// ```
    /// use enclust_core::{Ensemble, Partition};
    /// use enclust_io::{Labels, Pool};
    ///
    /// let names = |ids: [&str; 2]| Some(ids.map(String::from).to_vec());
    /// let mut pool = Pool::new(Ensemble::from_columns(&[[0, 1]])?);
    /// pool.ids = names(["a", "b"]);
    /// let partition = Partition::from_labels(["of b", "of a"]);
    /// let pool = pool.with_truth(Labels::new(partition, names(["b", "a"])))?;
    /// assert_eq!(pool.truth, Some(Partition::from_labels(["of a", "of b"])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Labels::aligned`], and [`Fault::TruthGaps`] if a sample has no class.
    pub fn with_truth(mut self, labels: Labels) -> Result<Self, Fault> {
        let labels = labels.aligned(&self)?;
        if !labels.missing.is_empty() {
            return Err(Fault::TruthGaps { missing: labels.missing.len() });
        }
        self.truth = Some(labels.partition);
        Ok(self)
    }
}

/// Returns an error if samples of one row would be different clusters.
fn check_noise(grid: &dyn Grid, keys: &Keys<'_>, counts: &[u64]) -> Result<(), Fault> {
    for (row, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 1) {
        let alone = |&column: &usize| matches!(keys.get(row, column), Some(Key::Alone(_)));
        if let Some(column) = (0..grid.columns()).find(alone) {
            return Err(Fault::NoiseCount { at: grid.place(row, column), count });
        }
    }
    Ok(())
}

/// The label of the first sample of each base cluster.
fn cluster_names(ensemble: &Ensemble, keys: &Keys<'_>) -> Vec<ClusterNames> {
    let of_clustering = |column: usize| {
        let mut names = Vec::with_capacity(ensemble.clusters()[column]);
        for (row, &label) in ensemble.column(column).iter().enumerate() {
            // Clusters are numbered by first occurrence.
            if label as usize == names.len() {
                names.push(keys.get(row, column).and_then(|key| key.name()));
            }
        }
        ClusterNames { names, numeric: keys.is_numeric(column) }
    };
    (0..ensemble.clusterings()).map(of_clustering).collect()
}

/// Returns an error if the pool and the truth have different lengths, before anything is built
/// from them.
pub(crate) fn check_samples(grid: &dyn Grid, truth: &dyn Grid) -> Result<(), Fault> {
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
