//! Arrays of NumPy as arguments.

use std::ops::Deref;

use numpy::ndarray::{Dimension, Ix1, Ix2};
use numpy::{
    Element, PyArray, PyArrayMethods, PyReadonlyArray, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

/// The same array; a copy of it if its numbers do not lie where the processor expects them.
///
/// Arrays that were received from another process or mapped from a file may begin at any byte, and
/// no number of them may be read in place.
pub fn aligned<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match array.cast::<PyUntypedArray>() {
        // NumPy calls all empty arrays aligned.
        Ok(found) if !found.is_aligned() || found.is_empty() => array.call_method1("copy", ("K",)),
        _ => Ok(array.clone()),
    }
}

/// An array that is only read.
pub struct Array<'py, T: Element, D: Dimension>(PyReadonlyArray<'py, T, D>);

pub type Array1<'py, T> = Array<'py, T, Ix1>;
pub type Array2<'py, T> = Array<'py, T, Ix2>;

impl<'py, T: Element, D: Dimension> Array<'py, T, D> {
    /// `None` if the object is not an array of this type.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        match aligned(object)?.cast_into::<PyArray<T, D>>() {
            Ok(array) => Ok(Some(Array(array.try_readonly()?))),
            Err(_) => Ok(None),
        }
    }
}

impl<'py, T: Element, D: Dimension> Deref for Array<'py, T, D> {
    type Target = PyReadonlyArray<'py, T, D>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a, 'py, T: Element, D: Dimension> FromPyObject<'a, 'py> for Array<'py, T, D> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let object = aligned(&object)?;
        Ok(Array(object.cast_into::<PyArray<T, D>>()?.try_readonly()?))
    }
}
