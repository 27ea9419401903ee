//! Runs of a method on labels.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use enclust::ca::Eac;
use enclust::consensus::Linkage;
use enclust::core::{
    Assignment, Backend, BoxedPipeline, Ca, Component, Constraints, Ctx, Ensemble, Evidence, Fit,
    Kind, Method, Microclusters, Part, Partition, Pipeline, Question, Result, Similarity,
    ensemble_warnings,
};
use enclust::registry::DEFAULT_BACKEND;
use enclust::stability::{Rule, StabilityParams, Verdict, choose, membership, ranking, stability};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::json;

use crate::arrays::Array1;
use crate::composition::Composition;
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;
use crate::labels::{Labels, match_by};
use crate::matrices::{Square, array2, labels as label_array, object};
use crate::parts::Failures;
use crate::watch::Watcher;

/// Settings of the machine and the seed.
pub struct Machine {
    pub backend: Box<dyn Backend<f64>>,
    pub seed: u64,
    pub threads: usize,
    pub memory: Option<u64>,
}

impl Machine {
    /// With the default backend.
    pub fn usual(seed: u64, threads: usize, memory: Option<u64>) -> PyResult<Self> {
        let registry = enclust::registry::standard::<f64>();
        let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND)).map_err(raised)?;
        Ok(Machine { backend, seed, threads, memory })
    }

    /// The context of a run.
    pub fn context<'a>(
        &'a self,
        watch: Option<&'a Watcher>,
        cancel: &'a AtomicBool,
    ) -> Ctx<'a, f64> {
        let ctx = Ctx::new(&*self.backend).with_seed(self.seed).with_threads(self.threads);
        let ctx = ctx.with_cancel(cancel);
        let ctx = match self.memory {
            Some(bytes) => ctx.with_memory(bytes),
            None => ctx,
        };
        match watch {
            Some(watch) => ctx.with_observer(watch),
            None => ctx,
        }
    }
}

impl Composition {
    /// The machine with the backend of this name.
    pub fn machine(
        &self,
        backend: Option<&str>,
        seed: u64,
        threads: usize,
        memory: Option<u64>,
    ) -> PyResult<Machine> {
        let part = Part::named(backend.unwrap_or(DEFAULT_BACKEND));
        let backend = self.registry.backend.build(&part).map_err(raised)?;
        Ok(Machine { backend, seed, threads, memory })
    }
}

/// A fitted method.
#[pyclass(frozen, module = "enclust._enclust")]
pub struct Run {
    pub(crate) fit: Fit<f64>,
    pub(crate) pipeline: BoxedPipeline<f64>,
    composition: Composition,
    machine: Machine,
    pub(crate) ensemble: Arc<Ensemble>,
    pub(crate) question: Question,
}

/// Must-links, cannot-links, and whether labels must satisfy them.
type Pairs = (Vec<(usize, usize)>, Vec<(usize, usize)>, bool);

/// Fits a method to labels.
#[pyfunction]
#[pyo3(signature = (labels, k, method, stages, params, backend, seed, threads, memory, callback, constraints=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit(
    py: Python<'_>,
    labels: &Bound<'_, Labels>,
    k: Option<usize>,
    method: Option<&str>,
    stages: &Bound<'_, PyDict>,
    params: &Bound<'_, PyDict>,
    backend: Option<&str>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
    callback: Option<&Bound<'_, PyAny>>,
    constraints: Option<Pairs>,
) -> PyResult<Run> {
    let composition = Composition::of(method, stages, params)?;
    let mut pipeline = composition.registry.pipeline(&composition.spec).map_err(raised)?;
    let ensemble = Arc::clone(&labels.get().ensemble);
    if let Some((must, cannot, enforce)) = constraints {
        let found = Constraints::new(ensemble.samples(), &must, &cannot).map_err(raised)?;
        pipeline = pipeline.with_constraints(if enforce { found.enforced() } else { found });
    }
    let machine = composition.machine(backend, seed, threads, memory)?;
    let watcher = Watcher::new(callback)?;
    let question = Question::maybe(k).with_second_opinion();
    let fit = interruptible(py, threads, |cancel| {
        let ctx = machine.context(Some(&watcher), cancel);
        pipeline.fit(&ensemble, &question, &ctx)
    })?;
    watcher.check()?;
    let fit = fit.map_err(|error| composition.failures.raised(error))?;
    Ok(Run { fit, pipeline, composition, machine, ensemble, question })
}

impl Run {
    fn failures(&self) -> &Failures {
        &self.composition.failures
    }

    /// Does work with the context of this run.
    pub(crate) fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Ctx<'_, f64>) -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = interruptible(py, self.machine.threads, |cancel| {
            work(&self.machine.context(None, cancel))
        })?;
        done.map_err(|error| self.failures().raised(error))
    }

    /// The consensus of these labels, in the order of the samples.
    pub(crate) fn partition(&self, labels: &Array1<'_, i64>) -> PyResult<Partition> {
        let partition = Partition::from_labels(labels.as_array().iter().copied());
        partition.counted(self.ensemble.counts().cloned()).map_err(raised)
    }

    /// The co-association of the samples, on which memberships are based.
    pub(crate) fn co_association(&self, ctx: &Ctx<'_, f64>) -> Result<Similarity<f64>> {
        let rows = Microclusters::of(&self.ensemble);
        let shape = enclust::core::Shape::of::<f64>(&rows);
        let needed = Ca::<f64>::footprint(&Eac, &shape).total();
        let size = format!("n' = {}", rows.len());
        ctx.require("item consensus", needed, &size, "leave it out")?;
        match Eac.build(&rows, &Question::default(), ctx)?.evidence {
            Evidence::Similarity(similarity) => Ok(similarity),
            other => other.similarity_for("item consensus").cloned(),
        }
    }
}

#[pymethods]
impl Run {
    /// The labels for k clusters, the share of samples that a refinement moved, the comparison
    /// with the result without enhancement, and warnings.
    fn cut<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Bound<'py, PyTuple>> {
        let (partition, moved, opinion) = self.work(py, |ctx| {
            let (partition, moved) = self.fit.cut_and_moves(k, ctx)?;
            let opinion = self.fit.second_opinion(k, &partition, ctx)?;
            Ok((partition, moved, opinion))
        })?;
        let mut warnings = self.fit.warnings.clone();
        warnings.extend(self.fit.label_warnings(k, &partition, opinion));
        let told: Vec<String> = warnings.iter().map(|warning| warning.to_string()).collect();
        let violations = self.fit.violations(&partition);
        let record = json!({
            "k": k,
            "clusters": partition.clusters(),
            "sizes": partition.sizes(),
            "violations": violations,
            "moved": moved,
            "second_opinion": opinion,
        });
        PyTuple::new(
            py,
            [
                label_array(py, &partition).into_any(),
                object(py, &record)?,
                told.into_pyobject(py)?.into_any(),
            ],
        )
    }

    /// SciPy's linkage matrix of the samples, or None if the consensus has no tree.
    fn linkage<'py>(&self, py: Python<'py>) -> PyResult<Option<Square<'py>>> {
        let Some(tree) = self.fit.dendrogram() else { return Ok(None) };
        let steps = interruptible(py, 1, |_| tree.to_scipy())?;
        let rows = steps.len();
        array2(py, rows, 4, steps.into_flattened()).map(Some)
    }

    /// The similarity that was clustered, over the samples: n x n numbers.
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Square<'py>> {
        let n = self.ensemble.samples();
        let values = self.work(py, |ctx| {
            let again;
            let evidence = match self.fit.evidence.kind() {
                Kind::Factored => {
                    let question = self.question.with_matrix();
                    again = self.pipeline.fit(&self.ensemble, &question, ctx)?;
                    &again.evidence
                }
                _ => &self.fit.evidence,
            };
            let similarity = evidence.similarity_for("consensus_matrix_")?;
            let needed = enclust::core::Bytes(8) * (n as u64) * (n as u64);
            let advice = "use microclusters=True or fewer samples";
            ctx.require("consensus_matrix_", needed, &format!("n = {n}"), advice)?;
            Ok(similarity.to_matrix())
        })?;
        array2(py, n, n, values)
    }

    /// For labels of this run: soft memberships, item consensus, best other cluster, its
    /// consensus, and the consensus of each cluster.
    fn membership<'py>(
        &self,
        py: Python<'py>,
        labels: Array1<'py, i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let partition = self.partition(&labels)?;
        let found = self.work(py, |ctx| membership(&self.co_association(ctx)?, &partition))?;
        let (n, k) = (found.items.len(), found.clusters.len());
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let own = found.items.iter().map(|item| number(item.own)).collect();
        let other = found.items.iter().map(|item| item.other.map_or(-1, |other| other.0 as i64));
        let beside = found.items.iter().map(|item| number(item.other.map(|other| other.1)));
        let (other, beside) = (other.collect(), beside.collect());
        let clusters = found.clusters.iter().map(|value| number(*value)).collect();
        let entropies = found.entropies();
        PyTuple::new(
            py,
            [
                array2(py, n, k, found.soft.concat())?.into_any(),
                PyArray1::from_vec(py, own).into_any(),
                PyArray1::<i64>::from_vec(py, other).into_any(),
                PyArray1::from_vec(py, beside).into_any(),
                PyArray1::from_vec(py, clusters).into_any(),
                PyArray1::from_vec(py, entropies).into_any(),
            ],
        )
    }

    /// For each clustering: its agreement with these labels, its rank, and the agreement of the
    /// consensus without it.
    fn ranking<'py>(
        &self,
        py: Python<'py>,
        labels: Array1<'py, i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let partition = self.partition(&labels)?;
        let ranked =
            self.work(py, |ctx| ranking(&self.pipeline, &self.ensemble, &partition, ctx))?;
        let floats = |value: fn(&enclust::stability::Ranked) -> f64| {
            PyArray1::from_vec(py, ranked.iter().map(value).collect()).into_any()
        };
        let ranks = ranked.iter().map(|ranked| ranked.rank as i64).collect::<Vec<_>>();
        let ranks = PyArray1::from_vec(py, ranks).into_any();
        PyTuple::new(py, [floats(|r| r.agreement), ranks, floats(|r| r.without)])
    }

    /// What labels new rows by these labels of the samples.
    fn new_rows(&self, labels: Array1<'_, i64>) -> PyResult<NewRows> {
        let partition = self.partition(&labels)?;
        let ca = self.composition.registry.ca.build(&self.composition.spec.ca).map_err(raised)?;
        let weights = ca.as_cluster_weights().ok_or_else(|| {
            invalid(format!(
                "new rows cannot be labelled with ca={}, which has no values for them; eac and \
                 lwca have",
                self.composition.spec.ca.name
            ))
        })?;
        let rows = Microclusters::of(&self.ensemble);
        let weights = weights.cluster_weights(&rows);
        Ok(NewRows(Assignment::new(&rows, &weights, &partition).map_err(raised)?))
    }

    /// What may be wrong with the base clusterings.
    fn about_clusterings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let found = interruptible(py, 1, |_| ensemble_warnings(&self.ensemble))?;
        Ok(found.iter().map(|warning| format!("{warning} (counted from 1)")).collect())
    }

    /// The reports of the run.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fit = &self.fit;
        let timings: BTreeMap<&str, f64> =
            fit.timings.iter().map(|(stage, time)| (stage.key(), time.as_secs_f64())).collect();
        let value = json!({
            "status": fit.report.status.to_string(),
            "iterations": fit.report.iterations,
            "certificate": fit.report.certificate,
            "component": fit.report.component,
            "learning": fit.learning.clone().map(|report| report.without_last()),
            "pairs": fit.pairs,
            "reduction": fit.reduction,
            "timings": timings,
        });
        object(py, &value)
    }

    /// The parts with all their parameters.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = self.composition.spec.parts();
        let parts: BTreeMap<&str, &Part> =
            parts.into_iter().map(|(stage, part)| (stage.key(), part)).collect();
        object(py, &json!({ "method": self.composition.method, "parts": parts }))
    }

    /// Number of groups on which everything was computed.
    #[getter]
    fn groups(&self) -> usize {
        self.fit.evidence.grouping().len()
    }

    /// The name of the method with its parts.
    #[getter]
    fn name(&self) -> &str {
        self.pipeline.name()
    }
}

/// Labels new rows.
#[pyclass(frozen, module = "enclust._enclust")]
pub struct NewRows(Assignment);

#[pymethods]
impl NewRows {
    /// The label and the score of each row of an array, by the labels of the samples.
    fn assign<'py>(
        &self,
        py: Python<'py>,
        labels: &Bound<'py, Labels>,
        array: &Bound<'py, PyAny>,
        noise: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let numbers = match_by(labels.get().names(), array, noise)?;
        let assigned = interruptible(py, 0, |_| {
            numbers.rows().map(|row| self.0.assign(row)).collect::<Result<Vec<_>>>()
        })?;
        let assigned = assigned.map_err(raised)?;
        let labels: Vec<i64> = assigned.iter().map(|found| found.label as i64).collect();
        let scores: Vec<f64> = assigned.iter().map(|found| found.score).collect();
        let arrays = [labels.into_pyarray(py).into_any(), scores.into_pyarray(py).into_any()];
        PyTuple::new(py, arrays)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let table = &slf.get().0;
        let state = (
            table.clusters(),
            table.base_clusters().to_vec(),
            table.shared().to_vec(),
            table.labelled().to_vec(),
        );
        Ok((slf.get_type().getattr("_from_parts")?, state.into_pyobject(slf.py())?))
    }

    /// The inverse of `__reduce__`.
    #[staticmethod]
    fn _from_parts(
        clusters: usize,
        base_clusters: Vec<usize>,
        shared: Vec<f64>,
        labelled: Vec<f64>,
    ) -> PyResult<Self> {
        Assignment::from_parts(clusters, base_clusters, shared, labelled)
            .map(NewRows)
            .map_err(raised)
    }
}

/// The number of clusters of labels, by the stability of draws.
#[pyfunction]
#[pyo3(signature = (labels, range, seed, threads, memory, callback))]
pub fn choose_k<'py>(
    py: Python<'py>,
    labels: &Bound<'py, Labels>,
    range: Option<(usize, usize)>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
    callback: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let ensemble = &labels.get().ensemble;
    let range: RangeInclusive<usize> = match range {
        Some((from, to)) => from..=to,
        None => 2..=ensemble.samples().saturating_sub(1).clamp(2, 20),
    };
    let machine = Machine::usual(seed, threads, memory)?;
    let watcher = Watcher::new(callback)?;
    let found = interruptible(py, threads, |cancel| {
        let ctx = machine.context(Some(&watcher), cancel);
        // The rules were calibrated for this method.
        let method = Pipeline::plain(Eac, Linkage::average())?;
        let params = StabilityParams::default();
        choose(&stability(&method, ensemble, range.clone(), &params, &ctx)?, Rule::Auto)
    })?;
    watcher.check()?;
    let found = found.map_err(raised)?;
    object(
        py,
        &json!({
            "k": found.k,
            "by": "stability",
            "clear": found.verdict == Verdict::Clear,
            "reason": found.reason,
            "from": range.start(),
            "to": range.end(),
        }),
    )
}
