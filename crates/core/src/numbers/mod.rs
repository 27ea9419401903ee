//! Scalars and matrices.

pub(crate) mod condensed;
pub(crate) mod csr;
pub(crate) mod matrix;
pub(crate) mod real;
