//! Stability over numbers of clusters.

use enclust::core::Parameters;
use enclust::stability::{Rule, StabilityParams, choose, stability as measure};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::composition::{Composition, value_of};
use crate::errors::{invalid, raised};
use crate::interrupt::interruptible;
use crate::labels::Labels;
use crate::matrices::object;
use crate::watch::Watcher;

/// The stability of a method for each number of clusters from `from` to `to`, and a choice.
#[pyfunction]
#[pyo3(signature = (labels, from, to, rule, settings, method, stages, params, seed, threads, memory, callback))]
#[allow(clippy::too_many_arguments)]
pub fn stability<'py>(
    py: Python<'py>,
    labels: &Bound<'py, Labels>,
    from: usize,
    to: usize,
    rule: &str,
    settings: &Bound<'py, PyDict>,
    method: Option<&str>,
    stages: &Bound<'py, PyDict>,
    params: &Bound<'py, PyDict>,
    seed: u64,
    threads: usize,
    memory: Option<u64>,
    callback: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let composition = Composition::of(method, stages, params)?;
    let pipeline = composition.registry.pipeline(&composition.spec).map_err(raised)?;
    let machine = composition.machine(None, seed, threads, memory)?;
    let rule: Rule = enclust::core::ParamType::from_value(&rule.into()).ok_or_else(|| {
        let known = <Rule as enclust::core::ParamType>::expected();
        invalid(format!("rule must be {known}, not \"{rule}\""))
    })?;
    let mut values = enclust::core::Values::new();
    for (name, value) in settings.iter() {
        let name: String = name.extract()?;
        let value = value_of(&value).ok_or_else(|| invalid(format!("{name} must be a number")))?;
        values.insert(name, value);
    }
    let settings = StabilityParams::from_values(&values).map_err(|error| raised(error.into()))?;
    let watcher = Watcher::new(callback)?;
    let ensemble = &labels.get().ensemble;
    let found = interruptible(py, threads, |cancel| {
        let ctx = machine.context(Some(&watcher), cancel);
        let found = measure(&pipeline, ensemble, from..=to, &settings, &ctx)?;
        let choice = choose(&found, rule)?;
        Ok((found, choice))
    })?;
    watcher.check()?;
    let (found, choice) = found.map_err(|error| composition.failures.raised(error))?;
    let levels: Vec<_> = found
        .levels
        .iter()
        .map(|level| {
            let (values, shares): (Vec<f64>, Vec<f64>) = level.cdf.steps().unzip();
            json!({
                "k": level.k,
                "agreement": level.agreement,
                "pac": level.pac,
                "delta_area": level.delta_area,
                "cluster_consensus": level.cluster_consensus,
                "gap": level.gap,
                "cdf": {"values": values, "shares": shares},
            })
        })
        .collect();
    object(
        py,
        &json!({
            "k": choice.k,
            "clear": choice.verdict == enclust::stability::Verdict::Clear,
            "reason": choice.reason,
            "levels": levels,
            "take": found.take,
            "samples": found.samples,
            "used": found.used,
            "groups": found.groups,
            "method": found.method,
        }),
    )
}
