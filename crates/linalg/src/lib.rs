//! Iterative linear algebra of enclust, built on the kernels of a backend.
//!
//! A consensus function often needs a few eigenvectors of a matrix that is too large to decompose
//! or is stored in a special form. [`leading_eigenpairs`] computes them for anything that can be
//! multiplied by a block of vectors, a [`SymmetricOperator`]; [`smallest_eigenpairs`] computes
//! those at the lower end of the spectrum of a semidefinite matrix. The kernels of a backend run
//! on one thread; [`multiply`], [`lower_product`] and [`lower_gram`] use them on all threads.
//! [`ConjugateGradients`] solves symmetric positive definite systems.

mod conjugate_gradients;
mod leading;
mod operator;
mod panels;
mod smallest;

pub use conjugate_gradients::{
    ConjugateGradients, Operator, Preconditioner, Products, Step, Vector, Vectors,
};
pub use leading::{leading_eigenpairs, leading_eigenpairs_bytes, leading_eigenpairs_within};
pub use operator::{PackedSymmetric, SymmetricOperator};
pub use panels::{complete, lower_gram, lower_product, multiply};
pub use smallest::{smallest_eigenpairs, smallest_eigenpairs_bytes};
