//! Sparse and iterative linear algebra of enclust.
//!
//! A backend knows dense matrices only. What a consensus function needs is
//! often a handful of eigenvectors of a matrix that is too large to decompose,
//! or that is stored in some form of its own; [`leading_eigenpairs`] finds them
//! for anything that can be multiplied by a block of vectors, a
//! [`SymmetricOperator`], and [`smallest_eigenpairs`] those at the other end of a
//! semidefinite matrix. Kernels of a backend run on one thread; [`multiply`] and
//! [`lower_gram`] use them on all. [`SparseCholesky`] and [`IncompleteCholesky`] factor the sparse
//! systems of high-confidence graphs.

mod incomplete_cholesky;
mod leading;
mod operator;
mod panels;
mod smallest;
mod sparse_cholesky;

pub use incomplete_cholesky::IncompleteCholesky;
pub use leading::{leading_eigenpairs, leading_eigenpairs_bytes, leading_eigenpairs_within};
pub use operator::{PackedSymmetric, SymmetricOperator};
pub use panels::{lower_gram, multiply};
pub use smallest::{smallest_eigenpairs, smallest_eigenpairs_bytes};
pub use sparse_cholesky::SparseCholesky;
