//! Label rows that are spread over many machines: matching, sketches and landmarks.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use enclust::core::{Ctx, Microclusters, Reduce, Result};
use enclust::reduce::{Landmarks, Nearest};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::Array2;
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;
use crate::labels::{Labels, Names, match_by, names_from_pairs, pairs_of_names};

/// A hash that is the same in every process.
fn hash<T: Hash>(row: &[T]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(row)
}

/// The numbers of an array in row-major order.
fn in_rows<'a, T: Element + Copy>(array: &'a Array2<'_, T>) -> std::borrow::Cow<'a, [T]> {
    match array.as_slice() {
        Ok(values) => values.into(),
        Err(_) => array.as_array().iter().copied().collect::<Vec<_>>().into(),
    }
}

macro_rules! with_integers {
    ($object:expr, $array:ident => $body:expr) => {
        if let Some($array) = Array2::<i64>::of($object)? {
            $body
        } else if let Some($array) = Array2::<i32>::of($object)? {
            $body
        } else {
            Err(PyTypeError::new_err("rows must be an array of int32 or int64"))
        }
    };
}

/// For each row of `rows`, the position of the same row in `table`, or -1.
#[pyfunction]
pub fn match_rows<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    rows: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    fn matched<T: Element + Copy + Eq + Hash + Sync>(
        py: Python<'_>,
        table: &Array2<'_, T>,
        rows: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<i64>> {
        let rows = Array2::<T>::of(rows)?.ok_or_else(|| {
            PyTypeError::new_err("both arrays must have the same type of numbers")
        })?;
        let width = table.as_array().dim().1;
        if rows.as_array().dim().1 != width {
            return Err(invalid("both arrays must have the same number of columns"));
        }
        let (table, rows) = (in_rows(table), in_rows(&rows));
        interruptible(py, 1, |_| {
            let mut places: HashMap<&[T], i64> = HashMap::new();
            for (at, row) in table.chunks_exact(width.max(1)).enumerate() {
                places.entry(row).or_insert(at as i64);
            }
            let place = |row: &[T]| places.get(row).copied().unwrap_or(-1);
            rows.chunks_exact(width.max(1)).map(place).collect()
        })
    }
    let found = with_integers!(table, array => matched(py, &array, rows))?;
    Ok(PyArray1::from_vec(py, found))
}

/// A hash of each row that does not depend on the process.
#[pyfunction]
pub fn row_hashes<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let hashes = with_integers!(rows, array => {
        let width = array.as_array().dim().1.max(1);
        let values = in_rows(&array);
        interruptible(py, 1, |_| values.chunks_exact(width).map(hash).collect::<Vec<u64>>())
    })?;
    Ok(PyArray1::from_vec(py, hashes))
}

/// Representative rows that were chosen from a sample, and what assigns other rows to them.
#[pyclass(frozen, module = "enclust._enclust")]
pub struct LandmarkRows {
    names: Vec<Names>,
    nearest: Nearest,
}

/// Chooses at most `rows` landmarks from labels, as the reduction of a run does.
#[pyfunction]
#[pyo3(signature = (labels, rows, seed, threads=0))]
pub fn landmarks(
    py: Python<'_>,
    labels: &Bound<'_, Labels>,
    rows: usize,
    seed: u64,
    threads: usize,
) -> PyResult<LandmarkRows> {
    let ensemble = &labels.get().ensemble;
    let nearest = interruptible(py, threads, |cancel| -> Result<Nearest> {
        let ctx = Ctx::<f64>::default().with_seed(seed).with_threads(threads).with_cancel(cancel);
        let microclusters = Microclusters::of(ensemble);
        let part = Landmarks::default();
        let reduced = part.reduce(&microclusters, rows, &ctx)?;
        Ok(part.nearest(&microclusters, &reduced.microclusters))
    })?;
    let names = labels.get().names().to_vec();
    Ok(LandmarkRows { names, nearest: nearest.map_err(raised)? })
}

#[pymethods]
impl LandmarkRows {
    /// The landmarks, one row each, as numbers of base clusters with -1 for missing labels.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let missing = enclust::core::MISSING;
        let number = |&label: &u32| if label == missing { -1 } else { label as i32 };
        let (rows, m) = (self.nearest.landmarks(), self.names.len());
        let values: Vec<i32> = rows.iter().map(number).collect();
        Ok(PyArray1::from_vec(py, values).reshape([rows.len() / m, m])?.into_any())
    }

    /// The landmark of each of these rows, given by the labels that they have; 0 for a row that
    /// shares nothing with any of them.
    fn assign<'py>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        noise: &str,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let numbers = match_by(&self.names, array, noise)?;
        let found = interruptible(py, 1, |_| {
            let mut search = self.nearest.search();
            let place = |row: &[u32]| search.of(row).map_or(0, i64::from);
            numbers.rows().map(place).collect::<Vec<i64>>()
        })?;
        Ok(PyArray1::from_vec(py, found))
    }

    fn __len__(&self) -> usize {
        self.nearest.landmarks().len() / self.names.len()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let own = slf.get();
        let state = (
            pairs_of_names(&own.names),
            own.nearest.landmarks().to_vec(),
            own.nearest.offsets().to_vec(),
            own.nearest.weights().to_vec(),
        );
        Ok((slf.get_type().getattr("_from_parts")?, state.into_pyobject(slf.py())?))
    }

    /// The inverse of `__reduce__`.
    #[staticmethod]
    fn _from_parts(
        names: Vec<Vec<(i128, u32)>>,
        landmarks: Vec<u32>,
        offsets: Vec<usize>,
        weights: Vec<u32>,
    ) -> Self {
        let nearest = Nearest::new(landmarks, offsets, weights);
        LandmarkRows { names: names_from_pairs(names), nearest }
    }
}
