//! Single steps on arrays, scores and listings.

use std::sync::atomic::AtomicBool;

use enclust::core::{
    Confident, Ctx, Enhance, Error, Evidence, Kind, Microclusters, Part, Partition, Problem,
    Question, Result, Similarity, Stage,
};
use enclust::metrics::{
    Contingency, NmiMean, accuracy, mutual_information, nmi, pair_scores, purity,
};
use enclust_experiment::PaperDraws;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;

use crate::arrays::{Array1, Array2};
use crate::composition::{Composition, part_of, value_of};
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;
use crate::labels::Labels;
use crate::matrices::{Square, array2, object, square, values};
use crate::parts::Failures;
use crate::run::Machine;
use crate::watch::Watcher;

/// A part with its parameters.
fn part(
    composition: &mut Composition,
    stage: Stage,
    given: &Bound<'_, PyAny>,
    params: &Bound<'_, PyDict>,
) -> PyResult<Part> {
    let failures = composition.failures.clone();
    let mut part = part_of(stage, given, &mut composition.registry, &failures)?;
    for (name, value) in params.iter() {
        let name: String = name.extract()?;
        let value = value_of(&value)
            .ok_or_else(|| invalid(format!("{name} must be a number, a string or None")))?;
        part = part.set(name, value);
    }
    Ok(part)
}

fn composition(py: Python<'_>) -> PyResult<Composition> {
    Composition::of(None, &PyDict::new(py), &PyDict::new(py))
}

/// Does work in a context, and raises what a function of Python raised in it.
fn work<T: Send>(
    py: Python<'_>,
    machine: &Machine,
    failures: &Failures,
    watcher: Option<&Watcher>,
    work: impl FnOnce(&Ctx<'_, f64>) -> Result<T> + Send,
) -> PyResult<T> {
    let done = interruptible(py, machine.threads, |cancel: &AtomicBool| {
        work(&machine.context(watcher, cancel))
    })?;
    if let Some(watcher) = watcher {
        watcher.check()?;
    }
    done.map_err(|error| failures.raised(error))
}

/// The similarity that a representation makes.
fn similarity(
    composition: &Composition,
    part: &Part,
    rows: &Microclusters,
    k: Option<usize>,
    ctx: &Ctx<'_, f64>,
) -> Result<Similarity<f64>> {
    let ca = composition.registry.ca.build(part)?;
    if ca.kind() != Kind::Similarity {
        return Err(Error::unsupported(ca.name(), "a matrix of similarities"));
    }
    let shape = enclust::core::Shape::of::<f64>(rows);
    let size = format!("n' = {}", rows.len());
    ctx.require("co_association", ca.footprint(&shape).total(), &size, "use fewer samples")?;
    match ca.build(rows, &Question::maybe(k).with_matrix(), ctx)?.evidence {
        Evidence::Similarity(similarity) => Ok(similarity),
        other => other.similarity_for("co_association").cloned(),
    }
}

/// The co-association matrix of labels, over the samples or over the distinct rows.
#[pyfunction]
#[pyo3(signature = (labels, ca, params, at_microclusters, k, seed, threads, memory))]
#[allow(clippy::too_many_arguments)]
pub fn co_association<'py>(
    py: Python<'py>,
    labels: &Bound<'py, Labels>,
    ca: &Bound<'py, PyAny>,
    params: &Bound<'py, PyDict>,
    at_microclusters: bool,
    k: Option<usize>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
) -> PyResult<Square<'py>> {
    let mut composition = composition(py)?;
    let part = part(&mut composition, Stage::Ca, ca, params)?;
    let machine = composition.machine(None, seed, threads, memory)?;
    let ensemble = &labels.get().ensemble;
    let found = work(py, &machine, &composition.failures, None, |ctx| {
        similarity(&composition, &part, &Microclusters::of(ensemble), k, ctx)
    })?;
    if at_microclusters {
        return Ok(square(py, &found.square()));
    }
    let n = ensemble.samples();
    let matrix = interruptible(py, threads, |_| found.to_matrix())?;
    array2(py, n, n, matrix)
}

/// The confident pairs of labels as (rows, columns, values) over the samples, and α.
#[pyfunction]
#[pyo3(signature = (labels, rule, params, ca, seed, threads, memory))]
#[allow(clippy::too_many_arguments)]
pub fn high_confidence<'py>(
    py: Python<'py>,
    labels: &Bound<'py, Labels>,
    rule: &Bound<'py, PyAny>,
    params: &Bound<'py, PyDict>,
    ca: &Bound<'py, PyAny>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut composition = composition(py)?;
    let rule = part(&mut composition, Stage::Confidence, rule, params)?;
    let ca = part(&mut composition, Stage::Ca, ca, &PyDict::new(py))?;
    let machine = composition.machine(None, seed, threads, memory)?;
    let ensemble = &labels.get().ensemble;
    let (rows, cols, weights, alpha) = work(py, &machine, &composition.failures, None, |ctx| {
        let rows = Microclusters::of(ensemble);
        let similarity = similarity(&composition, &ca, &rows, None, ctx)?;
        let rule = composition.registry.confidence.build(&rule)?;
        let chosen = rule.select(&rows, &similarity, ctx)?;
        let alpha = chosen.alpha;
        let samples = similarity.by_samples();
        let finer: Confident<f64> = chosen.refined(&similarity, samples.grouping())?;
        let (mut rows, mut cols, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..samples.len() {
            for (j, weight) in finer.graph.iter_row(i) {
                rows.push(i as i64);
                cols.push(j as i64);
                weights.push(weight);
            }
        }
        Ok((rows, cols, weights, alpha))
    })?;
    PyTuple::new(
        py,
        [
            PyArray1::from_vec(py, rows).into_any(),
            PyArray1::from_vec(py, cols).into_any(),
            PyArray1::from_vec(py, weights).into_any(),
            alpha.into_pyobject(py)?.into_any(),
        ],
    )
}

/// Enhances a matrix A by confident pairs H: the matrix C and its report.
#[pyfunction]
#[pyo3(signature = (a, h, enhancer, params, stop, seed, threads, memory, callback))]
#[allow(clippy::too_many_arguments)]
pub fn enhance<'py>(
    py: Python<'py>,
    a: Array2<'py, f64>,
    h: Array2<'py, f64>,
    enhancer: &Bound<'py, PyAny>,
    params: &Bound<'py, PyDict>,
    stop: Option<&Bound<'py, PyAny>>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
    callback: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut composition = composition(py)?;
    let enhancer = part(&mut composition, Stage::Enhance, enhancer, params)?;
    let stop =
        stop.map(|stop| part(&mut composition, Stage::Stop, stop, &PyDict::new(py))).transpose()?;
    let machine = composition.machine(None, seed, threads, memory)?;
    let watcher = Watcher::new(callback)?;
    let (n, a) = values("A", &a)?;
    let (other, h) = values("H", &h)?;
    if n != other {
        return Err(invalid(format!("A has {n} rows, but H has {other}")));
    }
    let done = work(py, &machine, &composition.failures, Some(&watcher), |ctx| {
        let similarity = Similarity::from_matrix(n, &a)?;
        let confident = Confident::from_matrix(&similarity, &h)?;
        let rule =
            stop.as_ref().map(|stop| composition.registry.stopping_rule(stop)).transpose()?;
        let enhancer = composition.registry.enhance.build(&enhancer)?;
        if let (Some(rule), Some(provided)) = (&rule, enhancer.provides()) {
            let needs = rule.needs().without(provided);
            if !needs.is_empty() {
                let (rule, component) = (rule.name().to_string(), enhancer.name().to_string());
                return Err(Error::StopMismatch { rule, needs, component, known: Vec::new() });
            }
        }
        let problem = Problem::new(&similarity, &confident)?.with_stop(rule.as_deref());
        let found = enhancer.enhance(&problem, ctx)?;
        Ok((found.similarity.to_matrix(), found.report))
    })?;
    let (matrix, report) = done;
    let told = json!({
        "component": report.component,
        "status": report.status.to_string(),
        "iterations": report.iterations,
        "certificate": report.certificate,
    });
    PyTuple::new(py, [array2(py, n, n, matrix)?.into_any(), object(py, &told)?])
}

/// SciPy's linkage matrix of a similarity.
#[pyfunction]
#[pyo3(signature = (a, consensus, params, threads, memory))]
pub fn linkage<'py>(
    py: Python<'py>,
    a: Array2<'py, f64>,
    consensus: &str,
    params: &Bound<'py, PyDict>,
    threads: usize,
    memory: Option<u64>,
) -> PyResult<Square<'py>> {
    let mut composition = composition(py)?;
    let name = pyo3::types::PyString::new(py, consensus).into_any();
    let part = part(&mut composition, Stage::Consensus, &name, params)?;
    let machine = composition.machine(None, 0, threads, memory)?;
    let (n, a) = values("A", &a)?;
    let steps = work(py, &machine, &composition.failures, None, |ctx| {
        let consensus = composition.registry.consensus.build(&part)?;
        let similarity = Similarity::from_matrix(n, &a)?;
        let fit = enclust::core::Fit::of_similarity(similarity, &*consensus, ctx)?;
        let tree =
            fit.dendrogram().ok_or_else(|| Error::unsupported(consensus.name(), "a tree"))?;
        Ok(tree.to_scipy())
    })?;
    array2(py, steps.len(), 4, steps.into_flattened())
}

/// Scores of predicted labels against true ones.
#[pyfunction]
pub fn scores<'py>(
    py: Python<'py>,
    truth: Array1<'py, i64>,
    predicted: Array1<'py, i64>,
    weights: Option<Array1<'py, u64>>,
) -> PyResult<Bound<'py, PyAny>> {
    let partition = |labels: &Array1<'_, i64>| {
        let partition = Partition::from_labels(labels.as_array().iter().copied());
        match &weights {
            Some(counts) => {
                let counts: Vec<u64> = counts.as_array().iter().copied().collect();
                partition.with_counts(&counts)
            }
            None => Ok(partition),
        }
    };
    let (truth, predicted) =
        (partition(&truth).map_err(raised)?, partition(&predicted).map_err(raised)?);
    let overlaps = Contingency::of(&truth, &predicted).map_err(raised)?;
    let pairs = pair_scores(&overlaps);
    let value = json!({
        "ari": overlaps.ari(),
        "nmi": nmi(&overlaps, NmiMean::Arithmetic),
        "nmi_geometric": nmi(&overlaps, NmiMean::Geometric),
        "nmi_max": nmi(&overlaps, NmiMean::Max),
        "nmi_min": nmi(&overlaps, NmiMean::Min),
        "mutual_information": mutual_information(&overlaps),
        "accuracy": accuracy(&overlaps),
        "purity": purity(&overlaps),
        "precision": pairs.precision,
        "recall": pairs.recall,
        "f1": pairs.f1,
    });
    object(py, &value)
}

/// The columns of the first draws of the paper, counted from 0.
#[pyfunction]
pub fn draws<'py>(
    py: Python<'py>,
    pool: usize,
    size: usize,
    runs: usize,
    seed: u32,
) -> PyResult<Bound<'py, PyAny>> {
    let draws = PaperDraws::new(pool, size, seed).map_err(raised)?;
    let columns: Vec<i64> = draws.take(runs).flatten().map(|column| column as i64).collect();
    Ok(PyArray1::from_vec(py, columns).reshape([runs, size])?.into_any())
}

/// All parts: stage, name, summary and parameters.
#[pyfunction]
pub fn list_parts(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let registry = enclust::registry::standard::<f64>();
    let listed: Vec<_> = registry
        .listing()
        .iter()
        .map(|part| {
            let parameters: Vec<_> = part
                .parameters
                .iter()
                .map(|spec| {
                    json!({
                        "name": spec.name,
                        "default": spec.default,
                        "range": spec.range.to_string(),
                        "doc": spec.doc,
                    })
                })
                .collect();
            json!({
                "stage": part.stage.key(),
                "name": part.name,
                "summary": part.summary,
                "parameters": parameters,
            })
        })
        .collect();
    object(py, &json!(listed))
}

/// All methods: name, summary, advice and parts.
#[pyfunction]
pub fn list_methods(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let registry = enclust::registry::standard::<f64>();
    let listed: Vec<_> = registry
        .presets()
        .iter()
        .map(|preset| {
            json!({
                "name": preset.name,
                "summary": preset.summary,
                "advice": preset.advice,
                "parts": preset.spec.to_string(),
            })
        })
        .collect();
    object(py, &json!(listed))
}
