//! Scalars and matrices.

pub(crate) mod csr;
pub(crate) mod matrix;
pub(crate) mod real;
