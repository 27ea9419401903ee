//! Models: what is needed to label new rows by the result of a run.

use std::io;
use std::path::Path;

use enclust_core::{Assignment, Bytes};

use crate::atomic::write_atomically;
use crate::error::{Fault, WriteError};
use crate::features::finite;
use crate::file::Format;
use crate::grid::{Cell, Grid, text};
use crate::keys::Noise;
use crate::marks::MissingMarks;
use crate::npz::Archive;
use crate::pool::ClusterNames;
use crate::table::{Arrays, COLUMNS, TableOptions, names_in};
use crate::write::{Block, write_npz};

/// The version of the format, in the array of the same name.
const VERSION: i64 = 1;

const FORMAT: &str = "enclust_model";
const REPRESENTATION: &str = "representation";
const NOISE: &str = "noise";
const POOL_COLUMNS: &str = "pool_columns";
const POSITIONS: &str = "positions";
const NUMERIC: &str = "numeric";
const BASE_CLUSTERS: &str = "base_clusters";
const NAMES: &str = "names";
const SHARED: &str = "shared";
const LABELLED: &str = "labelled";

/// The model of a result: the table of an [`Assignment`], and the names by which new rows are
/// matched with it.
///
/// It is stored as an `.npz` archive. For m base clusterings with b base clusters in total, and a
/// result of k clusters:
///
/// | array | shape | content |
/// |---|---|---|
/// | `enclust_model` | 1 | the version of the format, 1 |
/// | `representation` | 1 | the representation in words |
/// | `noise` | 1 | the meaning of the label −1: `error`, `missing` or `singleton` |
/// | `pool_columns` | 1 | number of columns of the pool |
/// | `positions` | m | the column of each base clustering in the pool, counted from 1 |
/// | `columns` | m | the names of these columns; absent if columns are matched by position |
/// | `numeric` | m | 1 if labels are compared as numbers, 0 if they are compared as text |
/// | `base_clusters` | m | number of base clusters of each base clustering |
/// | `names` | b | the label of each base cluster; empty if no new row can have it |
/// | `shared` | b × k | [`Assignment::shared`] |
/// | `labelled` | m × k | [`Assignment::labelled`] |
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The table.
    pub assignment: Assignment,
    /// The names of the base clusters, one entry per base clustering.
    pub cluster_names: Vec<ClusterNames>,
    /// The names of the base clusterings; `None` to match columns by position.
    pub columns: Option<Vec<String>>,
    /// The column of each base clustering in the pool, counted from 0.
    pub positions: Vec<usize>,
    /// Number of columns of the pool.
    pub pool_columns: usize,
    /// What the label −1 means.
    pub noise: Noise,
    /// The representation in words, for messages.
    pub representation: String,
}

impl Model {
    /// Reads a model from the bytes of a file.
    ///
    /// # Errors
    /// [`Fault::NotAModel`] if the content is not a model, [`Fault::Memory`] if it does not fit
    /// into this memory, or into the available memory if that is `None`.
    pub fn from_bytes(bytes: &[u8], format: Format, memory: Option<Bytes>) -> Result<Self, Fault> {
        if format != Format::Npz {
            return Err(not_a_model("it is not an .npz archive"));
        }
        // Labels such as NA are names here if the pool was read so.
        let missing = MissingMarks::new::<String>([]);
        let options = TableOptions { missing, memory, ..TableOptions::default() };
        let mut archive = Archive::open(bytes, &options)?;
        let model = Reader { archive: &mut archive }.model()?;
        model.check().map_err(not_a_model)?;
        Ok(model)
    }

    /// What is wrong with it, if anything is.
    fn check(&self) -> Result<(), &'static str> {
        let m = self.assignment.base_clusters().len();
        let names = self.cluster_names.iter().map(|clusters| clusters.names.len());
        if !names.eq(self.assignment.base_clusters().iter().copied()) {
            return Err("the numbers of base clusters and of their names differ");
        }
        if self.columns.as_ref().is_some_and(|columns| columns.len() != m) {
            return Err("the number of names of columns is wrong");
        }
        if self.positions.len() != m || self.positions.iter().any(|&at| at >= self.pool_columns) {
            return Err("the positions of the columns are not in the pool");
        }
        Ok(())
    }
}

/// Writes a model. Equal models give equal files.
///
/// # Errors
/// [`WriteError`] if writing fails or if the parts of the model do not fit together.
pub fn write_model(path: impl AsRef<Path>, model: &Model) -> Result<(), WriteError> {
    write_atomically(path, |file| {
        let refused = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
        model.check().map_err(refused)?;
        write_npz(file, arrays(model).into_iter())
    })
}

fn arrays(model: &Model) -> Vec<(&'static str, Block)> {
    let table = &model.assignment;
    let (m, k) = (table.base_clusters().len(), table.clusters());
    let all = model.cluster_names.iter().flat_map(|clusters| &clusters.names);
    let names: Vec<String> = all.map(|name| name.clone().unwrap_or_default()).collect();
    let numeric = model.cluster_names.iter().map(|clusters| i64::from(clusters.numeric));
    let positions = model.positions.iter().map(|&at| at as i64 + 1);
    let base_clusters = table.base_clusters().iter().map(|&count| count as i64);
    let mut arrays = vec![
        (FORMAT, Block::integers(&[1], [VERSION].into_iter())),
        (REPRESENTATION, Block::texts(std::slice::from_ref(&model.representation))),
        (NOISE, Block::texts(&[model.noise.to_string()])),
        (POOL_COLUMNS, Block::integers(&[1], [model.pool_columns as i64].into_iter())),
        (POSITIONS, Block::integers(&[m], positions)),
        (NUMERIC, Block::integers(&[m], numeric)),
        (BASE_CLUSTERS, Block::integers(&[m], base_clusters)),
        (NAMES, Block::texts(&names)),
        (SHARED, Block::doubles(&[names.len(), k], table.shared())),
        (LABELLED, Block::doubles(&[m, k], table.labelled())),
    ];
    arrays.extend(model.columns.as_ref().map(|columns| (COLUMNS, Block::texts(columns))));
    arrays
}

/// Reads the arrays of a model.
struct Reader<'r, 'a> {
    archive: &'r mut Archive<'a>,
}

impl Reader<'_, '_> {
    fn model(&mut self) -> Result<Model, Fault> {
        if self.one(FORMAT)? != VERSION as usize {
            return Err(not_a_model("it was written by another version of enclust"));
        }
        let base_clusters = self.wholes(BASE_CLUSTERS)?;
        let (clusters, labelled) = self.doubles(LABELLED)?;
        let (width, shared) = self.doubles(SHARED)?;
        if width != clusters && !shared.is_empty() {
            return Err(unsound(SHARED));
        }
        let names = self.vector(NAMES)?;
        let numeric = self.wholes(NUMERIC)?;
        let total = base_clusters.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
        if names.rows() != total || numeric.len() != base_clusters.len() {
            return Err(not_a_model("the number of names of base clusters is wrong"));
        }
        let mut rows = 0..total;
        let name = |row| text(names.cell(row, 0)).map(String::from);
        let of_clustering = |(&count, &numeric): (&usize, &usize)| ClusterNames {
            names: rows.by_ref().take(count).map(name).collect(),
            numeric: numeric == 1,
        };
        let cluster_names = base_clusters.iter().zip(&numeric).map(of_clustering).collect();
        let assignment = Assignment::from_parts(clusters, base_clusters, shared, labelled)
            .map_err(not_a_model)?;
        let positions = self.wholes(POSITIONS)?;
        let from_zero = |at: usize| at.checked_sub(1).ok_or_else(|| unsound(POSITIONS));
        Ok(Model {
            assignment,
            cluster_names,
            columns: match self.has(COLUMNS) {
                true => Some(names_in(&*self.vector(COLUMNS)?)),
                false => None,
            },
            positions: positions.into_iter().map(from_zero).collect::<Result<_, _>>()?,
            pool_columns: self.one(POOL_COLUMNS)?,
            noise: self.text(NOISE)?.parse().map_err(not_a_model)?,
            representation: self.text(REPRESENTATION)?,
        })
    }

    fn has(&self, name: &str) -> bool {
        self.archive.names().iter().any(|found| found == name)
    }

    fn array(&mut self, name: &str) -> Result<Box<dyn Grid>, Fault> {
        if !self.has(name) {
            return Err(not_a_model(format!("there is no array {name:?}")));
        }
        self.archive.array(name)
    }

    fn vector(&mut self, name: &str) -> Result<Box<dyn Grid>, Fault> {
        let grid = self.array(name)?;
        if grid.columns() == 1 { Ok(grid) } else { Err(unsound(name)) }
    }

    fn text(&mut self, name: &str) -> Result<String, Fault> {
        Ok(names_in(&*self.vector(name)?).concat())
    }

    fn wholes(&mut self, name: &str) -> Result<Vec<usize>, Fault> {
        let grid = self.vector(name)?;
        let whole = |row| match grid.cell(row, 0) {
            Cell::Whole(value) => usize::try_from(value).map_err(|_| unsound(name)),
            _ => Err(unsound(name)),
        };
        (0..grid.rows()).map(whole).collect()
    }

    fn one(&mut self, name: &str) -> Result<usize, Fault> {
        match self.wholes(name)?[..] {
            [value] => Ok(value),
            _ => Err(unsound(name)),
        }
    }

    /// The number of columns and all values of a matrix.
    fn doubles(&mut self, name: &str) -> Result<(usize, Vec<f64>), Fault> {
        let grid = self.array(name)?;
        let columns = grid.columns();
        let value = |at| finite(&*grid, at / columns, at % columns);
        let values = (0..grid.rows() * columns).map(value).collect::<Result<_, _>>()?;
        Ok((columns, values))
    }
}

fn not_a_model(what: impl ToString) -> Fault {
    Fault::NotAModel { what: what.to_string() }
}

fn unsound(name: &str) -> Fault {
    not_a_model(format!("the array {name:?} has wrong values"))
}
