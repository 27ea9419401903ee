//! Pools from files.

use std::path::PathBuf;

use enclust_io::{PoolOptions, read_pool_with};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::invalid;
use crate::interrupt::interruptible;
use crate::labels::Labels;
use crate::matrices::labels as label_array;

/// The clusterings of a file, the true classes, and the names of samples and clusterings.
#[pyfunction]
#[pyo3(signature = (path, noise="error"))]
pub fn read_pool<'py>(py: Python<'py>, path: PathBuf, noise: &str) -> PyResult<Bound<'py, PyDict>> {
    let noise = noise.parse().map_err(invalid)?;
    let options = PoolOptions { noise, ..PoolOptions::default() };
    let pool = interruptible(py, 0, |_| read_pool_with(&path, &options))?.map_err(invalid)?;
    let told = PyDict::new(py);
    told.set_item("truth", pool.truth.map(|truth| label_array(py, &truth)))?;
    told.set_item("ids", pool.ids)?;
    told.set_item("columns", pool.columns)?;
    let counts = pool.ensemble.counts();
    let counts = counts.map(|c| c.of_rows().iter().map(|&count| count as u64).collect());
    told.set_item("counts", counts.map(|counts: Vec<u64>| PyArray1::from_vec(py, counts)))?;
    told.set_item("labels", Bound::new(py, Labels::of(pool.ensemble))?.call_method0("to_array")?)?;
    Ok(told)
}
