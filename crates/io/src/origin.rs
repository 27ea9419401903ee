//! How a pool was made: arrays that `enclust generate` keeps in an `.npz` pool.

use crate::error::Fault;
use crate::features::finite;
use crate::grid::Grid;
use crate::npz::Archive;
use crate::table::{Arrays, names_in};

/// The array with the features of some of the samples.
pub(crate) const SAMPLE_FEATURES: &str = "sample_features";
/// The array with the settings of the generator, one text.
pub(crate) const GENERATOR: &str = "generator";

/// What is needed to make base clusterings in the same way as those of a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The features of some or all samples in row-major order, scaled as for the pool.
    pub features: Vec<f64>,
    /// Number of features per sample.
    pub dimension: usize,
    /// The settings of the generator as text; its format is that of the program that wrote it.
    pub generator: String,
}

impl Origin {
    /// Reads the two arrays of an archive, if both exist.
    pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Option<Self>, Fault> {
        let found = archive.names();
        if ![SAMPLE_FEATURES, GENERATOR].iter().all(|name| found.iter().any(|f| f == name)) {
            return Ok(None);
        }
        let generator: Box<dyn Grid> = archive.array(GENERATOR)?;
        let generator = names_in(&*generator).concat();
        let grid: Box<dyn Grid> = archive.array(SAMPLE_FEATURES)?;
        let (rows, dimension) = (grid.rows(), grid.columns());
        if rows == 0 || dimension == 0 {
            return Err(Fault::Empty);
        }
        let value = |at| finite(&*grid, at / dimension, at % dimension);
        let features = (0..rows * dimension).map(value).collect::<Result<_, _>>()?;
        Ok(Some(Origin { features, dimension, generator }))
    }
}
