//! Iterative linear algebra of enclust, on the kernels of a backend.
//!
//! What a consensus function needs is often a handful of eigenvectors of a matrix that is too
//! large to decompose, or that is stored in some form of its own. [`leading_eigenpairs`] finds
//! them for anything that can be multiplied by a block of vectors, a [`SymmetricOperator`], and
//! [`smallest_eigenpairs`] finds those at the other end of a semidefinite matrix. Kernels of a
//! backend run on one thread; [`multiply`] and [`lower_gram`] use them on all threads.
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
pub use panels::{lower_gram, multiply};
pub use smallest::{smallest_eigenpairs, smallest_eigenpairs_bytes};
