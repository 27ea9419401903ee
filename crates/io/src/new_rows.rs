//! New rows of base-cluster labels, for a model.

use std::collections::HashMap;

use enclust_core::{Assignment, MISSING};

use crate::error::{Fault, shown};
use crate::file::Format;
use crate::grid::Grid;
use crate::keys::{Keys, Noise};
use crate::layout::Layout;
use crate::model::Model;
use crate::table::{Table, TableOptions, Use, with_table};

/// New rows, with labels numbered as in the pool of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NewRows {
    /// Row-major, one label per base clustering of the model, as
    /// [`Assignment::scores`] reads them.
    labels: Vec<u32>,
    clusterings: usize,
    /// Unique names of the rows, if the file has them.
    pub ids: Option<Vec<String>>,
    /// Number of labels that do not occur in the pool of the model. A label −1 that means a
    /// cluster of its own is not counted.
    pub unknown_labels: usize,
    /// Number of rows with such a label.
    pub rows_with_unknown_labels: usize,
    /// Number of missing labels.
    pub missing_labels: usize,
    /// Whether columns were matched by name; otherwise they were matched by position.
    pub by_name: bool,
}

impl NewRows {
    /// Reads new rows from the bytes of a file, in any format of a
    /// [pool](crate::Pool::from_bytes).
    ///
    /// Columns are matched by name if the model and the file both have names; other columns of the
    /// file are then ignored. Otherwise they are matched by position, and the file must have as
    /// many columns as the pool. Labels of a column are compared as numbers if they were all
    /// numbers in the pool, otherwise as text.
    ///
    /// ```
    /// use enclust_core::{Assignment, Ensemble, Microclusters, Partition};
    /// use enclust_io::{Format, Model, NewRows, Noise, Pool, PoolOptions, TableOptions};
    ///
    /// let options = PoolOptions { cluster_names: true, ..PoolOptions::default() };
    /// let pool = Pool::from_bytes(b"id,km,ward\na,7,x\nb,7,y\nc,2,y\n", Format::Csv, &options)?;
    /// let result = Partition::from_labels([0, 0, 1]);
    /// let table = Assignment::new(&Microclusters::of(&pool.ensemble), &[1.0; 4], &result)?;
    /// let model = Model {
    ///     assignment: table,
    ///     cluster_names: pool.cluster_names.unwrap(),
    ///     columns: pool.columns,
    ///     positions: vec![0, 1],
    ///     pool_columns: 2,
    ///     noise: Noise::Error,
    ///     representation: "eac".into(),
    /// };
    /// let file = b"id,ward,km\nd,y,2.0\ne,z,7\n";
    /// let (rows, _) =
    ///     NewRows::from_bytes(file, Format::Csv, &model, model.noise, &TableOptions::default())?;
    /// let labels: Vec<&[u32]> = rows.rows().collect();
    /// assert_eq!(labels, [[1, 1], [0, Assignment::OTHER]]);
    /// assert_eq!((rows.unknown_labels, rows.by_name), (1, true));
    /// # Ok::<(), enclust_io::Fault>(())
    /// ```
    ///
    /// # Errors
    /// [`Fault::ModelColumn`] if a named column is missing or occurs twice,
    /// [`Fault::ModelColumns`] if the number of columns is wrong, and the faults of a pool.
    pub fn from_bytes(
        bytes: &[u8],
        format: Format,
        model: &Model,
        noise: Noise,
        options: &TableOptions,
    ) -> Result<(Self, Option<Layout>), Fault> {
        with_table(bytes, format, options, Use::Pool, None, |table| {
            let Table { grid, ids, names, layout, .. } = table;
            if grid.rows() == 0 || grid.columns() == 0 {
                return Err(Fault::Empty);
            }
            let columns = columns(model, names.as_deref(), grid.columns())?;
            let by_name = names.is_some() && model.columns.is_some();
            let rows = Self::numbered(&*grid, model, noise, &columns)?;
            Ok((NewRows { ids, by_name, ..rows }, layout))
        })
    }

    /// One row after the other.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.labels.chunks_exact(self.clusterings)
    }

    /// The rows of a grid; `columns` are the columns of the base clusterings in it.
    fn numbered(
        grid: &dyn Grid,
        model: &Model,
        noise: Noise,
        columns: &[usize],
    ) -> Result<Self, Fault> {
        let mut numeric = vec![None; grid.columns()];
        for (&column, clusters) in columns.iter().zip(&model.cluster_names) {
            numeric[column] = Some(clusters.numeric);
        }
        let keys = Keys::compared(grid, noise, &numeric)?;
        let (n, m) = (grid.rows(), columns.len());
        let mut labels = vec![MISSING; n * m];
        let (mut unknown, mut missing) = (vec![0; n], 0);
        for (b, (&column, clusters)) in columns.iter().zip(&model.cluster_names).enumerate() {
            let named = clusters.names.iter().zip(0..);
            let numbers: HashMap<&str, u32> =
                named.filter_map(|(name, number)| Some((name.as_deref()?, number))).collect();
            // A column that the model uses twice is counted once.
            let is_counted = !columns[..b].contains(&column);
            for row in 0..n {
                let Some(key) = keys.get(row, column) else {
                    missing += usize::from(is_counted);
                    continue;
                };
                let name = key.name();
                let number = name.as_deref().and_then(|name| numbers.get(name));
                let is_unknown = name.is_some() && number.is_none();
                unknown[row] += usize::from(is_unknown && is_counted);
                labels[row * m + b] = number.copied().unwrap_or(Assignment::OTHER);
            }
        }
        Ok(NewRows {
            labels,
            clusterings: m,
            ids: None,
            unknown_labels: unknown.iter().sum(),
            rows_with_unknown_labels: unknown.iter().filter(|&&count| count > 0).count(),
            missing_labels: missing,
            by_name: false,
        })
    }
}

/// The column of each base clustering of the model in a file of new rows.
fn columns(model: &Model, names: Option<&[String]>, found: usize) -> Result<Vec<usize>, Fault> {
    let (Some(wanted), Some(names)) = (&model.columns, names) else {
        let expected = model.pool_columns;
        if expected != found {
            return Err(Fault::ModelColumns { expected, found, named: names.is_some() });
        }
        return Ok(model.positions.clone());
    };
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (column, name) in names.iter().enumerate() {
        places.entry(name).or_default().push(column);
    }
    let column = |name: &String| match places.get(name.as_str()).map_or(&[][..], Vec::as_slice) {
        [only] => Ok(*only),
        several => Err(Fault::ModelColumn {
            name: shown(name),
            found: several.len(),
            known: names.to_vec(),
        }),
    };
    wanted.iter().map(column).collect()
}
