//! Incomplete Cholesky factorisation.

use crate::error::{Error, Result};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::SparseSolve;

use super::substitution::Substitution;

/// A ≈ LLᵀ, where L has the sparsity pattern of the lower triangle of A.
///
/// # Problem
///
/// Solve AX = B approximately for many right-hand sides at the cost of a product with A. If A is
/// diagonally dominant with non-positive off-diagonal entries, such as a shifted graph Laplacian,
/// the factor exists and is symmetric positive definite for any order of the rows.
///
/// # Complexity
///
/// Factorisation: the sum over the entries (i, k) of L of the length of row k. Solve: twice the
/// number of entries of L per right-hand side.
///
/// # Determinism and ties
///
/// Rows are eliminated in their given order, so there are no ties.
///
/// # Reference
///
/// J. Meijerink, H. van der Vorst, "An iterative solution method for linear systems of which the
/// coefficient matrix is a symmetric M-matrix", Math. Comp. 1977.
#[derive(Clone, Debug)]
pub struct IncompleteCholesky<S> {
    factor: Substitution<S>,
}

impl<S: Real> IncompleteCholesky<S> {
    /// Factors A, which stores both triangles. The computation is in double precision, and the
    /// factor is stored in `S`.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] with the row.
    pub fn factor(a: &Csr<f64>) -> Result<Self> {
        let n = a.rows();
        let mut rows: Vec<Vec<(u32, f64)>> = Vec::with_capacity(n);
        let mut diagonal = Vec::with_capacity(n);
        let mut scattered = vec![0.0; n];
        for i in 0..n {
            let row = factor_row(a, i, &rows, &diagonal, &mut scattered);
            let pivot = a.get(i, i).unwrap_or(0.0) - row.iter().map(|e| e.1 * e.1).sum::<f64>();
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(Error::NotPositiveDefinite { pivot: i });
            }
            diagonal.push(pivot.sqrt());
            rows.push(row);
        }
        let mut columns: Vec<Vec<(u32, S)>> = vec![Vec::new(); n];
        for (i, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(j, l)| columns[j as usize].push((i as u32, S::of(l))));
        }
        let narrow = |row: Vec<(u32, f64)>| row.into_iter().map(|(j, l)| (j, S::of(l))).collect();
        let lower = rows.into_iter().map(narrow).collect();
        let inverse_diagonal = diagonal.into_iter().map(|d| S::of(1.0 / d)).collect();
        let order = (0..n as u32).collect();
        Ok(IncompleteCholesky {
            factor: Substitution::new(order, lower, columns, inverse_diagonal),
        })
    }
}

impl<S: Real> SparseSolve<S> for IncompleteCholesky<S> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        self.factor.solve(b, width);
    }
}

/// Row i of L left of the diagonal; `scattered` is zero before and after the call.
fn factor_row(
    a: &Csr<f64>,
    i: usize,
    rows: &[Vec<(u32, f64)>],
    diagonal: &[f64],
    scattered: &mut [f64],
) -> Vec<(u32, f64)> {
    let mut row = Vec::new();
    for (k, value) in a.iter_row(i).take_while(|&(k, _)| k < i) {
        let known: f64 = rows[k].iter().map(|&(j, l)| l * scattered[j as usize]).sum();
        let l = (value - known) / diagonal[k];
        scattered[k] = l;
        row.push((k as u32, l));
    }
    row.iter().for_each(|&(k, _)| scattered[k as usize] = 0.0);
    row
}
