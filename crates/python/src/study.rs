//! Studies, whole or in shards.

use std::path::PathBuf;

use enclust::core::{Stage, Watch};
use enclust_experiment::StudyError;
use enclust_experiment::study::{Plan, Registries, RunOptions, Shard, Study, merge};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Cancelled, invalid, raised};
use crate::interrupt::interruptible;
use crate::parts::{Failures, register_as};
use crate::watch::Watcher;

/// A study from a file, or from text in JSON.
fn read(source: &str, is_path: bool) -> PyResult<Study> {
    if is_path {
        return Study::read(source).map_err(invalid);
    }
    let value: toml::Value = serde_json::from_str(source).map_err(invalid)?;
    let text = toml::to_string(&value).map_err(invalid)?;
    Study::parse(&text, "the study").map_err(invalid)
}

/// The registries with functions of Python: stage → name → function.
fn registries(parts: &Bound<'_, PyDict>) -> PyResult<(Registries, Failures)> {
    let (mut registries, failures) = (Registries::standard(), Failures::default());
    for (stage, functions) in parts.iter() {
        let stage: String = stage.extract()?;
        let stage: Stage = stage.parse().map_err(raised)?;
        for (name, function) in functions.cast::<PyDict>()?.iter() {
            let name = name.extract()?;
            register_as(stage, name, &function, &mut registries.double, &failures)?;
        }
    }
    Ok((registries, failures))
}

fn plan(
    source: &str,
    is_path: bool,
    registries: &Registries,
    folders: &[PathBuf],
) -> PyResult<Plan> {
    read(source, is_path)?.plan(registries, folders).map_err(invalid)
}

/// Runs a study, or the shard `"i/n"` of it, and writes its tables into a folder. Returns the
/// variants that were left out, with the reason.
#[pyfunction]
#[pyo3(signature = (source, is_path, folders, out, shard, threads, parts, callback))]
#[allow(clippy::too_many_arguments)]
pub fn study(
    py: Python<'_>,
    source: &str,
    is_path: bool,
    folders: Vec<PathBuf>,
    out: PathBuf,
    shard: Option<&str>,
    threads: usize,
    parts: &Bound<'_, PyDict>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, String)>> {
    let (registries, failures) = registries(parts)?;
    let plan = plan(source, is_path, &registries, &folders)?;
    let shard: Option<Shard> = shard.map(|text| text.parse().map_err(invalid)).transpose()?;
    let watcher = Watcher::new(callback)?;
    let done = interruptible(py, threads, |cancel| {
        let watch = Watch::default().with_observer(&watcher).with_cancel(cancel);
        plan.run_in(&out, &RunOptions { threads, shard, watch }).map(|_| ())
    })?;
    watcher.check()?;
    done.map_err(|error| match error {
        StudyError::Cell { error, cell } => {
            other_with(py, failures.raised(error.as_ref().clone()), &cell)
        }
        cancelled @ StudyError::Cancelled { .. } => Cancelled::new_err(cancelled.to_string()),
        other => invalid(other),
    })?;
    let refused = plan.refused.iter();
    Ok(refused.map(|refused| (refused.variant.clone(), refused.reason.to_string())).collect())
}

/// The same exception, with the run of the study in which it was raised.
fn other_with(py: Python<'_>, error: PyErr, cell: &str) -> PyErr {
    // Notes exist from Python 3.11 on; without them the exception is raised as it is.
    let _ = error.value(py).call_method1("add_note", (format!("in the run {cell} of the study"),));
    error
}

/// Number of runs of a study.
#[pyfunction]
pub fn study_cells(
    source: &str,
    is_path: bool,
    folders: Vec<PathBuf>,
    parts: &Bound<'_, PyDict>,
) -> PyResult<usize> {
    let (registries, _) = registries(parts)?;
    Ok(plan(source, is_path, &registries, &folders)?.protocol.cells())
}

/// Merges the folders of shards into one.
#[pyfunction]
pub fn merge_shards(py: Python<'_>, out: PathBuf, shards: Vec<PathBuf>) -> PyResult<()> {
    interruptible(py, 0, |_| merge(&out, &shards).map(|_| ()))?.map_err(invalid)
}
