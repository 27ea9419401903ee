//! Label arrays of NumPy as ensembles, and new rows by the labels of an ensemble.

use std::collections::HashMap;
use std::sync::Arc;

use enclust::core::{Assignment, Ensemble, MISSING};
use numpy::ndarray::{ArrayView1, ArrayView2, Axis};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use rayon::prelude::*;

use crate::arrays::{Array1, Array2};
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;

/// A label as a number that equal labels share: whole numbers as they are, so that 1 and 1.0 are
/// the same label, and other numbers by their bits above all of those.
pub type Key = i128;

/// The first key that is no whole number.
const FRACTIONS: Key = 1 << 100;

/// A label of NumPy.
pub trait Cell: Element + Copy + Send + Sync {
    /// The key of the label, `None` if it is missing, or an error text if it can be no label.
    fn key(self) -> Result<Option<Key>, &'static str>;
}

macro_rules! whole {
    ($($t:ty),*) => {$(
        impl Cell for $t {
            fn key(self) -> Result<Option<Key>, &'static str> {
                Ok(Some(Key::from(self)))
            }
        }
    )*};
}
whole!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

impl Cell for f64 {
    fn key(self) -> Result<Option<Key>, &'static str> {
        if self.is_nan() {
            Ok(None)
        } else if self.is_infinite() {
            Err("infinite")
        } else if self.fract() == 0.0 && self.abs() < 9e18 {
            Ok(Some(self as Key))
        } else {
            Ok(Some(FRACTIONS + Key::from(self.to_bits())))
        }
    }
}

impl Cell for f32 {
    fn key(self) -> Result<Option<Key>, &'static str> {
        f64::from(self).key()
    }
}

/// Applies a function to an array of any type of labels.
macro_rules! with_cells {
    ($object:expr, $array:ident, $view:ident => $body:expr) => {{
        let object = $object;
        with_cells!(@ object, $array, $view => $body;
            i64 i32 u8 i16 u16 u32 i8 u64 f64 f32 bool)
    }};
    (@ $object:ident, $array:ident, $view:ident => $body:expr; $($t:ty)*) => {
        $(if let Some(array) = $array::<$t>::of($object)? {
            let $view = array.as_array();
            $body
        } else)* {
            let kind = $object.getattr("dtype").and_then(|kind| kind.str()).map(|k| k.to_string());
            Err(pyo3::exceptions::PyTypeError::new_err(format!(
                "labels must be whole numbers, floats or booleans here, not {}",
                kind.unwrap_or_else(|_| "an object that is no NumPy array".to_string())
            )))
        }
    };
}

/// What the label -1 means.
#[derive(Clone, Copy, PartialEq)]
pub enum Noise {
    Error,
    Missing,
    Singleton,
}

impl Noise {
    fn of(word: &str) -> PyResult<Self> {
        Ok(match word {
            "error" => Noise::Error,
            "missing" => Noise::Missing,
            "singleton" => Noise::Singleton,
            _ => {
                return Err(invalid(format!(
                    "noise must be \"error\", \"missing\" or \"singleton\", not \"{word}\""
                )));
            }
        })
    }
}

/// The numbers of the labels of one clustering, by first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Names(HashMap<Key, u32>);

/// Base clusterings, with the labels that they were made from.
#[pyclass(frozen, module = "enclust._enclust")]
pub struct Labels {
    pub ensemble: Arc<Ensemble>,
    names: Arc<Vec<Names>>,
}

impl Labels {
    /// Of an ensemble whose labels are its own numbers.
    pub fn of(ensemble: Ensemble) -> Self {
        let own = |&clusters: &usize| Names((0..clusters as u32).map(|c| (c.into(), c)).collect());
        let names = ensemble.clusters().iter().map(own).collect();
        Labels { ensemble: Arc::new(ensemble), names: Arc::new(names) }
    }

    /// The numbers of the labels of each clustering.
    pub fn names(&self) -> &[Names] {
        &self.names
    }
}

/// New rows as numbers of base clusters: n x m.
pub struct NewNumbers {
    shape: [usize; 2],
    numbers: Vec<u32>,
}

impl NewNumbers {
    /// The rows one after the other.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.numbers.chunks_exact(self.shape[1].max(1))
    }
}

/// The numbers of the labels of new rows; [`Assignment::OTHER`] for labels that do not occur.
pub fn match_by(names: &[Names], array: &Bound<'_, PyAny>, noise: &str) -> PyResult<NewNumbers> {
    let noise = Noise::of(noise)?;
    with_cells!(array, Array2, view => {
        let (n, m) = view.dim();
        if m != names.len() {
            return Err(invalid(format!(
                "the new rows have {m} labels, but there are {} clusterings",
                names.len()
            )));
        }
        let numbers = numbers(names, view, noise)?;
        Ok(NewNumbers { shape: [n, m], numbers })
    })
}

fn numbers<T: Cell>(names: &[Names], rows: ArrayView2<'_, T>, noise: Noise) -> PyResult<Vec<u32>> {
    let mut out = Vec::with_capacity(rows.len());
    for (i, row) in rows.axis_iter(Axis(0)).enumerate() {
        for (k, cell) in row.iter().enumerate() {
            out.push(match cell.key().map_err(|why| wrong(i, k, why))? {
                None => MISSING,
                Some(-1) if noise == Noise::Missing => MISSING,
                Some(-1) if noise == Noise::Singleton => Assignment::OTHER,
                Some(-1) if noise == Noise::Error => return Err(wrong(i, k, NOISE)),
                Some(key) => names[k].0.get(&key).copied().unwrap_or(Assignment::OTHER),
            });
        }
    }
    Ok(out)
}

/// The pairs of key and number of each clustering, for pickle.
pub fn pairs_of_names(names: &[Names]) -> Vec<Vec<(Key, u32)>> {
    let pairs = |names: &Names| {
        let mut pairs: Vec<(Key, u32)> = names.0.iter().map(|(k, v)| (*k, *v)).collect();
        pairs.sort_unstable();
        pairs
    };
    names.iter().map(pairs).collect()
}

/// The inverse of [`pairs_of_names`].
pub fn names_from_pairs(pairs: Vec<Vec<(Key, u32)>>) -> Vec<Names> {
    pairs.into_iter().map(|pairs| Names(pairs.into_iter().collect())).collect()
}

const NOISE: &str = "-1, which some clusterers write for noise; say what it means: \
    noise=\"missing\" or noise=\"singleton\"";

fn wrong(row: usize, column: usize, what: &str) -> PyErr {
    invalid(format!("the label in row {row}, column {column} (counted from 0) is {what}"))
}

#[pymethods]
impl Labels {
    /// From an n x m array, one column per clustering.
    #[staticmethod]
    #[pyo3(signature = (array, noise="error", counts=None, threads=0))]
    fn from_array(
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        noise: &str,
        counts: Option<Array1<'_, u64>>,
        threads: usize,
    ) -> PyResult<Self> {
        let noise = Noise::of(noise)?;
        let read = with_cells!(array, Array2, view => {
            let (samples, clusterings) = view.dim();
            read(py, threads, samples, clusterings, |k| view.column(k), noise)
        })?;
        counted(read, counts)
    }

    /// From m arrays of n labels, which may have different types.
    #[staticmethod]
    #[pyo3(signature = (columns, noise="error", counts=None, threads=0))]
    fn from_columns(
        py: Python<'_>,
        columns: Vec<Bound<'_, PyAny>>,
        noise: &str,
        counts: Option<Array1<'_, u64>>,
        threads: usize,
    ) -> PyResult<Self> {
        let noise = Noise::of(noise)?;
        let (mut numbers, mut names, mut samples) = (Vec::new(), Vec::new(), 0);
        for (k, column) in columns.iter().enumerate() {
            let (ensemble, mut name) = with_cells!(column, Array1, view => {
                read(py, threads, view.len(), 1, |_| view.reborrow(), noise)
            })?;
            if k > 0 && ensemble.samples() != samples {
                let found = ensemble.samples();
                return Err(invalid(format!(
                    "clustering {k} (counted from 0) has {found} labels, but {samples} were expected"
                )));
            }
            samples = ensemble.samples();
            numbers.extend_from_slice(ensemble.column(0));
            names.append(&mut name);
        }
        let ensemble = Ensemble::from_numbers(samples, numbers).map_err(raised)?;
        counted((ensemble, names), counts)
    }

    /// Number of rows.
    #[getter]
    fn samples(&self) -> usize {
        self.ensemble.samples()
    }

    /// Number of clusterings.
    #[getter]
    fn clusterings(&self) -> usize {
        self.ensemble.clusterings()
    }

    /// Number of samples, with counts.
    #[getter]
    fn total(&self) -> usize {
        self.ensemble.total()
    }

    /// Number of clusters of each clustering.
    #[getter]
    fn clusters(&self) -> Vec<usize> {
        self.ensemble.clusters().to_vec()
    }

    /// Number of labels that are missing.
    #[getter]
    fn missing(&self) -> usize {
        self.ensemble.missing()
    }

    /// How often each row occurs, or None.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u64>>> {
        let counts = self.ensemble.counts()?;
        let counts = counts.of_rows().iter().map(|&count| count as u64).collect();
        Some(PyArray1::from_vec(py, counts))
    }

    /// The labels as numbers by first occurrence, with -1 for missing ones: an n x m array in
    /// column-major order.
    fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (n, m) = (self.ensemble.samples(), self.ensemble.clusterings());
        let number = |label: &u32| if *label == MISSING { -1 } else { *label as i32 };
        let numbers = (0..m).flat_map(|k| self.ensemble.column(k).iter().map(number)).collect();
        PyArray1::<i32>::from_vec(py, numbers).reshape([m, n])?.call_method0("transpose")
    }

    /// Some of the clusterings, by position.
    fn select(&self, columns: Vec<usize>) -> PyResult<Self> {
        let ensemble = self.ensemble.select(&columns).map_err(raised)?;
        let names = columns.iter().map(|&k| self.names[k].clone()).collect();
        Ok(Labels { ensemble: Arc::new(ensemble), names: Arc::new(names) })
    }

    /// The distinct label rows: for each sample its row, the rows as an array with -1 for missing
    /// labels, the number of samples of each, and the first sample of each.
    fn microclusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let found = interruptible(py, 0, |_| enclust::core::Microclusters::of(&self.ensemble))?;
        let (p, m) = (found.len(), found.clusterings());
        let number = |label: u32| if label == MISSING { -1 } else { label as i64 };
        let rows = (0..p).flat_map(|p| (0..m).map(move |k| (p, k)));
        let rows: Vec<i64> = rows.map(|(p, k)| number(found.label(p, k))).collect();
        let grouping = found.grouping();
        let integers =
            |values: &[usize]| -> Vec<i64> { values.iter().map(|&v| v as i64).collect() };
        let map: Vec<i64> = grouping.map().iter().map(|&p| p.into()).collect();
        PyTuple::new(
            py,
            [
                PyArray1::from_vec(py, map).into_any(),
                PyArray1::from_vec(py, rows).reshape([p, m])?.into_any(),
                PyArray1::from_vec(py, integers(grouping.sizes())).into_any(),
                PyArray1::from_vec(py, integers(grouping.first_members())).into_any(),
            ],
        )
    }

    /// What pickle needs to make it again.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, labels) = (slf.py(), slf.get());
        let ensemble = &labels.ensemble;
        let columns = (0..ensemble.clusterings()).flat_map(|k| ensemble.column(k));
        let bytes: Vec<u8> = columns.flat_map(|label| label.to_le_bytes()).collect();
        let names = pairs_of_names(&labels.names);
        let state = (ensemble.samples(), PyBytes::new(py, &bytes), names, labels.counts(py));
        Ok((slf.get_type().getattr("_from_parts")?, state.into_pyobject(py)?))
    }

    /// The inverse of `__reduce__`.
    #[staticmethod]
    fn _from_parts(
        samples: usize,
        bytes: &[u8],
        names: Vec<Vec<(Key, u32)>>,
        counts: Option<Array1<'_, u64>>,
    ) -> PyResult<Self> {
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return Err(invalid("the pickled labels are damaged"));
        };
        let numbers = numbers.iter().map(|number| u32::from_le_bytes(*number)).collect();
        let ensemble = Ensemble::from_numbers(samples, numbers).map_err(raised)?;
        counted((ensemble, names_from_pairs(names)), counts)
    }

    fn __repr__(&self) -> String {
        let ensemble = &self.ensemble;
        format!(
            "<Labels of {} samples in {} clusterings>",
            ensemble.samples(),
            ensemble.clusterings()
        )
    }
}

fn counted(
    (ensemble, names): (Ensemble, Vec<Names>),
    counts: Option<Array1<'_, u64>>,
) -> PyResult<Labels> {
    let ensemble = match counts {
        Some(counts) => {
            let counts: Vec<u64> = counts.as_array().iter().copied().collect();
            ensemble.with_counts(&counts).map_err(raised)?
        }
        None => ensemble,
    };
    Ok(Labels { ensemble: Arc::new(ensemble), names: Arc::new(names) })
}

/// Reads the columns in place, in parallel.
fn read<'a, T: Cell + 'a>(
    py: Python<'_>,
    threads: usize,
    samples: usize,
    clusterings: usize,
    column: impl Fn(usize) -> ArrayView1<'a, T> + Sync,
    noise: Noise,
) -> PyResult<(Ensemble, Vec<Names>)> {
    let mut numbers: Vec<u32> = Vec::new();
    let total = samples.checked_mul(clusterings);
    if total.is_none_or(|total| numbers.try_reserve_exact(total).is_err()) {
        return Err(PyMemoryError::new_err(format!(
            "{samples} x {clusterings} labels do not fit into memory"
        )));
    }
    numbers.resize(samples * clusterings, MISSING);
    let names = interruptible(py, threads, |_| {
        let columns = numbers.par_chunks_exact_mut(samples.max(1)).enumerate();
        columns
            .map(|(k, out)| number(column(k), out, noise).map_err(|(i, why)| (i, k, why)))
            .collect::<Vec<_>>()
    })?;
    let names: Result<Vec<Names>, _> = names.into_iter().collect();
    let names = names.map_err(|(i, k, why)| wrong(i, k, why))?;
    let ensemble = interruptible(py, threads, |_| Ensemble::from_numbers(samples, numbers))?;
    Ok((ensemble.map_err(raised)?, names))
}

/// Numbers the labels of a column by first occurrence.
fn number<T: Cell>(
    column: ArrayView1<'_, T>,
    out: &mut [u32],
    noise: Noise,
) -> Result<Names, (usize, &'static str)> {
    let mut known = Known::for_keys(&column);
    for (i, (cell, out)) in column.iter().zip(out).enumerate() {
        *out = match cell.key().map_err(|why| (i, why))? {
            None => MISSING,
            Some(-1) if noise == Noise::Missing => MISSING,
            Some(-1) if noise == Noise::Error => return Err((i, NOISE)),
            Some(-1) if noise == Noise::Singleton => known.fresh(),
            Some(key) => known.number(key),
        };
    }
    Ok(known.names())
}

/// The numbers of the keys so far.
struct Known {
    next: u32,
    /// The smallest key, and the numbers of the keys from there on, if they are close together.
    table: Option<(Key, Vec<u32>)>,
    others: HashMap<Key, u32>,
}

impl Known {
    fn for_keys<T: Cell>(column: &ArrayView1<'_, T>) -> Self {
        let keys = || column.iter().filter_map(|cell| cell.key().ok().flatten());
        let (least, most) = keys().fold((Key::MAX, Key::MIN), |(a, b), k| (a.min(k), b.max(k)));
        let close = most >= least && most - least < 65_536 + 2 * column.len() as Key;
        let table = close.then(|| (least, vec![MISSING; (most - least) as usize + 1]));
        Known { next: 0, table, others: HashMap::new() }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn number(&mut self, key: Key) -> u32 {
        let slot = match &mut self.table {
            Some((least, table)) => &mut table[(key - *least) as usize],
            None => self.others.entry(key).or_insert(MISSING),
        };
        if *slot == MISSING {
            *slot = self.next;
            self.next += 1;
        }
        *slot
    }

    fn names(self) -> Names {
        let Some((least, table)) = self.table else { return Names(self.others) };
        let named = table.into_iter().enumerate().filter(|(_, number)| *number != MISSING);
        Names(named.map(|(at, number)| (least + at as Key, number)).collect())
    }
}
