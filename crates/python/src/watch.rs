//! Functions of Python that watch a run.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use enclust::core::{Event, Observer, Quantities, Record};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::invalid;

/// The quantities that a function asks for in its attribute `needs`.
pub fn quantities(function: &Bound<'_, PyAny>) -> PyResult<Quantities> {
    let Ok(needs) = function.getattr("needs") else { return Ok(Quantities::NONE) };
    let words: Vec<String> = needs.extract()?;
    let mut all = Quantities::NONE;
    for word in words {
        all = all
            | match word.as_str() {
                "changes" => Quantities::CHANGES,
                "objective" => Quantities::OBJECTIVE,
                "residual" => Quantities::RESIDUAL,
                "labels" => Quantities::LABELS,
                "similarity" => Quantities::ITERATE,
                _ => {
                    return Err(invalid(format!(
                        "needs: \"{word}\" is none of changes, objective, residual, labels, similarity"
                    )));
                }
            };
    }
    Ok(all)
}

/// What is known about an iteration.
pub fn dictionary<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("iteration", record.iteration)?;
    told.set_item("elapsed", record.elapsed.as_secs_f64())?;
    told.set_item("objective", record.objective)?;
    told.set_item("residual", record.residual)?;
    let changes = PyDict::new(py);
    for change in &record.changes {
        changes.set_item(change.name, change.ratio())?;
    }
    told.set_item("changes", changes)?;
    Ok(told)
}

/// Calls a function for every event of a run.
pub struct Watcher {
    callback: Option<Py<PyAny>>,
    needs: Quantities,
    raised: Mutex<Option<PyErr>>,
}

impl Watcher {
    /// A watcher that calls this function with one dictionary per event; what is true ends the run.
    pub fn new(callback: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let needs = callback.map(quantities).transpose()?.unwrap_or_default();
        let callback = callback.map(|callback| callback.clone().unbind());
        Ok(Watcher { callback, needs, raised: Mutex::new(None) })
    }

    /// What the function raised.
    pub fn check(&self) -> PyResult<()> {
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn tell(&self, py: Python<'_>, callback: &Py<PyAny>, event: &Event<'_>) -> PyResult<bool> {
        let told = match event {
            Event::Iteration { record, state } => {
                let told = dictionary(py, record)?;
                if self.needs.contains(Quantities::LABELS) {
                    let labels = state.labels().map_err(crate::errors::raised)?;
                    told.set_item("labels", crate::matrices::labels(py, &labels))?;
                }
                if self.needs.contains(Quantities::ITERATE) {
                    let similarity = state.similarity().map_err(crate::errors::raised)?;
                    told.set_item("similarity", crate::matrices::square(py, &similarity.square()))?;
                }
                told
            }
            _ => PyDict::new(py),
        };
        let kind = match event {
            Event::Stage(stage) => {
                told.set_item("stage", stage.key())?;
                "stage"
            }
            Event::Progress { done, total } => {
                told.set_item("done", done)?;
                told.set_item("total", total)?;
                "progress"
            }
            Event::Done(what) => {
                told.set_item("what", what)?;
                "done"
            }
            Event::Start { component, size, limit, .. } => {
                told.set_item("component", component)?;
                told.set_item("size", size)?;
                told.set_item("limit", limit)?;
                "start"
            }
            Event::Iteration { .. } => "iteration",
            Event::End(report) => {
                told.set_item("component", &report.component)?;
                told.set_item("status", report.status.to_string())?;
                told.set_item("iterations", report.iterations)?;
                "end"
            }
            _ => return Ok(false),
        };
        told.set_item("event", kind)?;
        callback.bind(py).call1((told,))?.is_truthy()
    }
}

impl Observer for Watcher {
    fn needs(&self) -> Quantities {
        self.needs
    }

    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        let Some(callback) = &self.callback else { return ControlFlow::Continue(()) };
        let stop = Python::attach(|py| self.tell(py, callback, event)).unwrap_or_else(|error| {
            let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
            true
        });
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
