//! Matrices from and to NumPy.

use enclust::core::{Mat, Partition};
use numpy::{IntoPyArray, PyArray1, PyArray2, ndarray};
use pyo3::prelude::*;

use crate::arrays::Array2;
use crate::errors::invalid;

/// A NumPy array of numbers in double precision.
pub type Square<'py> = Bound<'py, PyArray2<f64>>;

/// A NumPy array that owns these numbers, in row-major order.
pub fn array2(py: Python<'_>, rows: usize, cols: usize, values: Vec<f64>) -> PyResult<Square<'_>> {
    let array = ndarray::Array2::from_shape_vec((rows, cols), values).map_err(invalid)?;
    Ok(array.into_pyarray(py))
}

/// A matrix as a NumPy array.
pub fn square<'py>(py: Python<'py>, matrix: &Mat<f64>) -> Square<'py> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    ndarray::Array2::from_shape_fn((rows, cols), |(i, j)| matrix[(i, j)]).into_pyarray(py)
}

/// The numbers of a square matrix in row-major order, and its size.
pub fn values(name: &str, matrix: &Array2<'_, f64>) -> PyResult<(usize, Vec<f64>)> {
    let view = matrix.as_array();
    let (rows, cols) = view.dim();
    if rows != cols {
        return Err(invalid(format!(
            "{name} must be a square matrix, but has shape ({rows}, {cols})"
        )));
    }
    Ok((rows, view.iter().copied().collect()))
}

/// A square matrix that a function of Python returned.
pub fn returned(name: &str, object: &Bound<'_, PyAny>, size: usize) -> PyResult<Mat<f64>> {
    let py = object.py();
    let numpy = py.import("numpy")?;
    let object = match object.hasattr("toarray")? {
        true => object.call_method0("toarray")?,
        false => object.clone(),
    };
    let array = numpy.call_method1("asarray", (object, "float64"))?;
    let array = Array2::<f64>::of(&array)?.ok_or_else(|| {
        invalid(format!("{name} must return a matrix with {size} rows and columns"))
    })?;
    let view = array.as_array();
    if view.dim() != (size, size) {
        let (rows, cols) = view.dim();
        return Err(invalid(format!(
            "{name} must return a matrix with {size} rows and columns, but returned ({rows}, {cols})"
        )));
    }
    Ok(Mat::from_fn(size, size, |i, j| view[(i, j)]))
}

/// Labels as a NumPy array.
pub fn labels<'py>(py: Python<'py>, partition: &Partition) -> Bound<'py, PyArray1<i64>> {
    let labels: Vec<i64> = partition.labels().iter().map(|&label| label as i64).collect();
    PyArray1::from_vec(py, labels)
}

/// A JSON value as an object of Python.
pub fn object<'py>(py: Python<'py>, value: &serde_json::Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
