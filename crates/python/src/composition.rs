//! The parts of a run, by the parameters of Python.

use enclust::core::{Error, Part, PipelineSpec, Registry, Stage, Value};
use enclust::registry::{DEFAULT_METHOD, standard};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::errors::{invalid, raised};
use crate::parts::{Failures, register};

/// The parts of a run, and what functions of Python raised in it.
pub struct Composition {
    pub registry: Registry<f64>,
    pub spec: PipelineSpec,
    pub method: Option<String>,
    pub failures: Failures,
}

impl Composition {
    /// `stages` maps stages to the text of a part or to a function, `params` maps
    /// `"stage.parameter"` to values.
    pub fn of(
        method: Option<&str>,
        stages: &Bound<'_, PyDict>,
        params: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (mut registry, failures) = (standard::<f64>(), Failures::default());
        let name = method.unwrap_or(DEFAULT_METHOD);
        let mut spec = registry.preset(name).map_err(raised)?.spec.clone();
        for stage in Stage::PIPELINE {
            let Some(given) = stages.get_item(stage.key())? else { continue };
            let part = part_of(stage, &given, &mut registry, &failures)?;
            registry.swap(&mut spec, stage, part).map_err(raised)?;
        }
        let idle = stages.get_item("confidence")?.is_some() && spec.enhance.is_none();
        if idle && !spec.confidence.is_none() {
            return Err(invalid(format!(
                "confidence={} has no effect, because nothing is enhanced; set enhance, for \
                 example enhance=\"exact\"",
                spec.confidence
            )));
        }
        for (path, value) in params.iter() {
            set(&mut spec, &path, &value)?;
        }
        let spec = registry.resolved(&spec).map_err(raised)?;
        Ok(Composition { registry, spec, method: Some(name.to_string()), failures })
    }
}

/// A part from its text, a number of rows for `reduce`, or a function.
pub fn part_of(
    stage: Stage,
    given: &Bound<'_, PyAny>,
    registry: &mut Registry<f64>,
    failures: &Failures,
) -> PyResult<Part> {
    if stage == Stage::Reduce && given.is_instance_of::<PyInt>() {
        return Ok(Part::named("landmarks").set("rows", given.extract::<i64>()?));
    }
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_string();
        return match (stage, text.as_str()) {
            (Stage::Reduce, "auto") => Ok(Part::named("landmarks")),
            _ => text.parse().map_err(raised),
        };
    }
    if given.is_callable() {
        return Ok(Part::named(register(stage, given, registry, failures)?));
    }
    Err(PyTypeError::new_err(format!(
        "{} must be a string or a function, not {}",
        stage.key(),
        given.get_type().name()?
    )))
}

/// Sets `"stage.parameter"`, or the only parameter with this name.
fn set(spec: &mut PipelineSpec, path: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let path: String = path.extract().map_err(|_| {
        PyTypeError::new_err("the keys of params must be strings such as \"enhance.lambda\"")
    })?;
    let Some((stage, parameter)) = path.split_once('.') else {
        return Err(invalid(format!(
            "params[\"{path}\"]: write the stage as well, for example \"enhance.lambda\""
        )));
    };
    let stage: Stage = stage.parse().map_err(|error: Error| invalid(format!("params: {error}")))?;
    if stage == Stage::Stop && spec.stop.is_none() {
        return Err(invalid(format!(
            "params[\"{path}\"]: there is no stopping rule; set stop, for example stop=\"kkt\""
        )));
    }
    let value = value_of(given).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "params[\"{path}\"] must be a number, a string, a bool or None"
        ))
    })?;
    spec.set(&format!("{stage}.{parameter}"), value).map_err(raised)
}

/// The value of a parameter; None is `auto`.
pub fn value_of(given: &Bound<'_, PyAny>) -> Option<Value> {
    if given.is_none() {
        Some(Value::Text("auto".into()))
    } else if given.is_instance_of::<PyBool>() {
        given.extract().ok().map(Value::Bool)
    } else if given.is_instance_of::<PyString>() {
        given.extract().ok().map(Value::Text)
    } else if given.is_instance_of::<PyFloat>() {
        given.extract().ok().map(Value::Float)
    } else if let Ok(whole) = given.extract::<i64>() {
        Some(Value::Int(whole))
    } else {
        given.extract::<f64>().ok().map(Value::Float)
    }
}
