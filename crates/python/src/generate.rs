//! Base clusterings from features.

use std::sync::{Mutex, MutexGuard, PoisonError};

use enclust::ca::Eac;
use enclust::consensus::Linkage;
use enclust::core::{MISSING, Parameters, Pipeline, Result, Values, Watch};
use enclust::generate::{FittedKMeans, FittedPool, KMeansPool, KMeansPoolParams, Scaling};
use enclust::stability::{JudgeParams, judge, subsample};
use enclust_kmeans::{kmeans_watched, nearest};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;

use crate::arrays::Array2;
use crate::composition::value_of;
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;
use crate::matrices::{array2, object};
use crate::run::Machine;
use crate::watch::Watcher;

/// A pool of k-means clusterings with their centres.
#[pyclass(frozen, module = "enclust._enclust")]
pub struct KMeansClusterings {
    generator: KMeansPool,
    params: KMeansPoolParams,
    fitted: Mutex<Option<FittedPool>>,
}

/// The parameters of a pool from their names.
fn parameters(settings: &Bound<'_, PyDict>) -> PyResult<KMeansPoolParams> {
    let mut values = Values::new();
    for (name, value) in settings.iter() {
        let name: String = name.extract()?;
        let found = value_of(&value)
            .ok_or_else(|| invalid(format!("{name} must be a number, a string or None")))?;
        values.insert(name, found);
    }
    KMeansPoolParams::from_values(&values).map_err(|error| raised(error.into()))
}

/// The numbers of a matrix in row-major order, without a copy where it has them in that order.
fn features<'a>(array: &'a Array2<'_, f64>) -> (std::borrow::Cow<'a, [f64]>, usize) {
    let dimension = array.as_array().dim().1;
    match array.as_slice() {
        Ok(values) => (values.into(), dimension),
        Err(_) => (array.as_array().iter().copied().collect::<Vec<_>>().into(), dimension),
    }
}

/// Labels as a NumPy array, with -1 for missing ones.
fn numbers<'py>(py: Python<'py>, labels: &[u32]) -> Bound<'py, PyArray1<i32>> {
    let number = |label: &u32| if *label == MISSING { -1 } else { *label as i32 };
    PyArray1::from_vec(py, labels.iter().map(number).collect())
}

/// Columns of labels as an n x m array in column-major order.
fn columns<'py, C: AsRef<[u32]>>(py: Python<'py>, columns: &[C]) -> PyResult<Bound<'py, PyAny>> {
    let n = columns.first().map_or(0, |column| column.as_ref().len());
    let number = |label: &u32| if *label == MISSING { -1 } else { *label as i32 };
    let all = columns.iter().flat_map(|column| column.as_ref().iter().map(number)).collect();
    PyArray1::<i32>::from_vec(py, all).reshape([columns.len(), n])?.call_method0("transpose")
}

impl KMeansClusterings {
    fn fitted(&self) -> MutexGuard<'_, Option<FittedPool>> {
        self.fitted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl KMeansClusterings {
    #[new]
    fn new(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let params = parameters(settings)?;
        let generator = KMeansPool::new(params.clone()).map_err(|e| raised(e.into()))?;
        Ok(KMeansClusterings { generator, params, fitted: Mutex::new(None) })
    }

    /// Makes the clusterings of an n x d matrix and returns their labels, with -1 for missing ones.
    #[pyo3(signature = (array, threads=0, callback=None))]
    fn fit<'py>(
        &self,
        py: Python<'py>,
        array: Array2<'py, f64>,
        threads: usize,
        callback: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let watcher = Watcher::new(callback)?;
        let (values, dimension) = features(&array);
        let fitted = interruptible(py, threads, |cancel| {
            let watch = Watch::default().with_observer(&watcher).with_cancel(cancel);
            self.generator.fit(&values, dimension, watch)
        })?;
        watcher.check()?;
        let fitted = fitted.map_err(raised)?;
        let labels = columns(py, &fitted.clusterings)?;
        *self.fitted() = Some(fitted);
        Ok(labels)
    }

    /// The nearest centre of each new sample, in each clustering.
    #[pyo3(signature = (array, threads=0))]
    fn assign<'py>(
        &self,
        py: Python<'py>,
        array: Array2<'py, f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (values, dimension) = features(&array);
        let fitted = self.fitted().clone();
        let fitted = fitted.ok_or_else(|| invalid("the clusterings are not fitted"))?;
        let labels = interruptible(py, threads, |_| fitted.assign(&values, dimension))?;
        columns(py, &labels.map_err(raised)?)
    }

    /// What pickle needs to make it again, without the labels of the samples.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let settings = serde_json::to_string(&own.params.to_values()).map_err(invalid)?;
        let fitted = own.fitted();
        let parts = fitted.as_ref().map(|pool| {
            let scaling = pool.scaling.as_ref();
            let scaling: Option<Vec<(f64, f64)>> =
                scaling.map(|all| all.iter().map(|s| (s.mean, s.deviation)).collect());
            let clusterings = pool.clusterings.iter();
            let clusterings: Vec<(Vec<usize>, Vec<f64>)> =
                clusterings.map(|c| (c.columns.clone(), c.centres.clone())).collect();
            (pool.dimension, scaling, clusterings)
        });
        let state = (settings, parts).into_pyobject(py)?;
        Ok((slf.get_type().getattr("_from_parts")?, state))
    }

    /// The inverse of `__reduce__`.
    #[staticmethod]
    #[allow(clippy::type_complexity)]
    fn _from_parts(
        settings: &str,
        parts: Option<(usize, Option<Vec<(f64, f64)>>, Vec<(Vec<usize>, Vec<f64>)>)>,
    ) -> PyResult<Self> {
        let values: Values = serde_json::from_str(settings).map_err(invalid)?;
        let params = KMeansPoolParams::from_values(&values).map_err(|e| raised(e.into()))?;
        let generator = KMeansPool::new(params.clone()).map_err(|e| raised(e.into()))?;
        let fitted = parts.map(|(dimension, scaling, clusterings)| FittedPool {
            dimension,
            scaling: scaling.map(|all| {
                all.into_iter().map(|(mean, deviation)| Scaling { mean, deviation }).collect()
            }),
            clusterings: clusterings
                .into_iter()
                .map(|(columns, centres)| FittedKMeans { labels: Vec::new(), columns, centres })
                .collect(),
        });
        Ok(KMeansClusterings { generator, params, fitted: Mutex::new(fitted) })
    }

    /// The number of clusters of the features, judged against data without clusters.
    #[pyo3(signature = (array, range, seed, threads, memory, callback))]
    #[allow(clippy::too_many_arguments)]
    fn judge<'py>(
        &self,
        py: Python<'py>,
        array: Array2<'py, f64>,
        range: (usize, usize),
        seed: u64,
        threads: usize,
        memory: Option<u64>,
        callback: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let machine = Machine::usual(seed, threads, memory)?;
        let watcher = Watcher::new(callback)?;
        let (values, dimension) = features(&array);
        let params = JudgeParams::default();
        let found = interruptible(py, threads, |cancel| {
            let ctx = machine.context(Some(&watcher), cancel);
            let scaled = enclust::generate::scaled(&values, dimension, self.params.scale)?;
            let most = params.samples * params.pools;
            let some = subsample(&scaled, dimension, most, self.params.seed);
            let plain = self.params.clone().scale(enclust::generate::Scale::None);
            let make = |features: &[f64], seed: u64| {
                let params = plain.for_part(features.len() / dimension).seed(seed);
                KMeansPool::new(params)?.generate(features, dimension)
            };
            let method = Pipeline::plain(Eac, Linkage::average())?;
            judge(&method, &some, dimension, &make, range.0..=range.1, &params, &ctx)
        })?;
        watcher.check()?;
        let found = found.map_err(raised)?;
        object(
            py,
            &json!({
                "k": found.guess,
                "by": "references",
                "clear": found.structure,
                "reason": found.reason(),
                "from": range.0,
                "to": range.1,
            }),
        )
    }
}

/// What one clustering of a pool draws: k, the seed, the samples and the features.
#[pyfunction]
pub fn draw_run<'py>(
    py: Python<'py>,
    settings: &Bound<'py, PyDict>,
    run: usize,
    samples: usize,
    dimension: usize,
) -> PyResult<Bound<'py, PyTuple>> {
    let pool = KMeansPool::new(parameters(settings)?).map_err(|e| raised(e.into()))?;
    let drawn = pool.drawn(run, samples, dimension).map_err(raised)?;
    let integers = |values: Vec<usize>| {
        PyArray1::from_vec(py, values.into_iter().map(|v| v as i64).collect()).into_any()
    };
    PyTuple::new(
        py,
        [
            drawn.k.into_pyobject(py)?.into_any(),
            drawn.seed.into_pyobject(py)?.into_any(),
            integers(drawn.samples),
            integers(drawn.features),
        ],
    )
}

/// Fits one clustering of a pool to the points that it has drawn: labels and centres.
#[pyfunction]
#[pyo3(signature = (settings, points, k, seed, threads=0))]
pub fn fit_run<'py>(
    py: Python<'py>,
    settings: &Bound<'py, PyDict>,
    points: Array2<'py, f64>,
    k: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Bound<'py, PyTuple>> {
    let pool = KMeansPool::new(parameters(settings)?).map_err(|e| raised(e.into()))?;
    let (values, dimension) = features(&points);
    let params = pool.kmeans_params();
    let found = interruptible(py, threads, |cancel| {
        let watch = Watch::default().with_cancel(cancel);
        kmeans_watched(&values, dimension, None, k, &params, seed, watch)
    })?;
    let found = found.map_err(raised)?;
    let labels: Vec<u32> = found.labels.iter().map(|&label| label as u32).collect();
    let centres = array2(py, k, dimension, found.centres)?;
    PyTuple::new(py, [numbers(py, &labels).into_any(), centres.into_any()])
}

/// The nearest of these centres for each point.
#[pyfunction]
pub fn nearest_centres<'py>(
    py: Python<'py>,
    centres: Array2<'py, f64>,
    points: Array2<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let (values, dimension) = features(&points);
    let centres = features(&centres).0;
    let labels = interruptible(py, 1, |_| -> Result<Vec<u32>> {
        Ok(nearest(&centres, &values, dimension)?.into_iter().map(|label| label as u32).collect())
    })?;
    Ok(numbers(py, &labels.map_err(raised)?))
}
