//! Errors of enclust as exceptions of Python.

use std::fmt::Display;

use enclust::core::{Error, ParamError};
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    enclust,
    Cancelled,
    PyRuntimeError,
    "A callback ended work that has no partial result."
);

/// The exception for an error of the library.
pub fn raised(error: Error) -> PyErr {
    let text = in_words_of_python(&error.to_string());
    match error {
        Error::Memory { .. } => PyMemoryError::new_err(text),
        Error::Cancelled { .. } => Cancelled::new_err(text),
        Error::Param(ParamError::WrongType { .. }) => PyTypeError::new_err(text),
        Error::NotFinite { .. }
        | Error::NoConvergence { .. }
        | Error::NotPositiveDefinite { .. }
        | Error::Threads { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// A `ValueError` with this text.
pub fn invalid(text: impl Display) -> PyErr {
    PyValueError::new_err(in_words_of_python(&text.to_string()))
}

/// Options of the command as parameters of Python.
fn in_words_of_python(text: &str) -> String {
    const WORDS: [(&str, &str); 8] = [
        ("--reduce ", "reduce="),
        ("--precision f32", "half the precision (in the command only)"),
        ("--set reduce.refine=true", "params={\"reduce.refine\": True}"),
        ("--counts", "sample_counts"),
        ("--noise ", "noise="),
        ("--method ", "method="),
        ("--memory", "memory"),
        ("k = ", "n_clusters = "),
    ];
    WORDS.iter().fold(text.to_string(), |text, (option, word)| text.replace(option, word))
}
