//! Incomplete Cholesky factorisation.

use pulp::{Arch, NullaryFnOnce};

use crate::error::{Error, Result};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::{SparseSolve, check_panel};

use super::PANEL;

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
    /// Rows of L left of the diagonal.
    lower: Csr<S>,
    /// Rows of Lᵀ right of the diagonal.
    upper: Csr<S>,
    /// One over the diagonal of L.
    inverse_diagonal: Vec<S>,
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
        Ok(IncompleteCholesky {
            lower: Csr::from_rows(n, rows.into_iter().map(narrow).collect()),
            upper: Csr::from_rows(n, columns),
            inverse_diagonal: diagonal.into_iter().map(|d| S::of(1.0 / d)).collect(),
        })
    }
}

impl<S: Real> SparseSolve<S> for IncompleteCholesky<S> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        check_panel(b, self.inverse_diagonal.len(), width);
        if width == PANEL {
            Arch::new().dispatch(Solve { factor: self, b: b.as_chunks_mut::<PANEL>().0 });
        } else {
            solve_any_width(self, b, width);
        }
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

/// Forward and backward substitution, compiled for several instruction sets. The fastest one is
/// chosen at run time; all give bitwise equal results.
struct Solve<'a, S> {
    factor: &'a IncompleteCholesky<S>,
    b: &'a mut [[S; PANEL]],
}

impl<S: Real> NullaryFnOnce for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Solve { factor, b } = self;
        for i in 0..b.len() {
            substitute(&factor.lower, factor.inverse_diagonal[i], i, b);
        }
        for i in (0..b.len()).rev() {
            substitute(&factor.upper, factor.inverse_diagonal[i], i, b);
        }
    }
}

/// bᵢ ← (bᵢ − Σⱼ lᵢⱼ bⱼ) / lᵢᵢ.
#[inline(always)]
fn substitute<S: Real>(triangle: &Csr<S>, inverse: S, i: usize, b: &mut [[S; PANEL]]) {
    let mut sum = b[i];
    let (columns, values) = triangle.row(i);
    for (&j, &l) in columns.iter().zip(values) {
        let source = &b[j as usize];
        for c in 0..PANEL {
            sum[c] -= l * source[c];
        }
    }
    sum.iter_mut().for_each(|v| *v *= inverse);
    b[i] = sum;
}

/// The same for panels of another width.
fn solve_any_width<S: Real>(factor: &IncompleteCholesky<S>, b: &mut [S], width: usize) {
    let n = factor.inverse_diagonal.len();
    let mut sum = vec![S::zero(); width];
    for (triangle, i) in
        (0..n).map(|i| (&factor.lower, i)).chain((0..n).rev().map(|i| (&factor.upper, i)))
    {
        sum.copy_from_slice(&b[i * width..][..width]);
        for (j, l) in triangle.iter_row(i) {
            let source = &b[j * width..][..width];
            sum.iter_mut().zip(source).for_each(|(s, &v)| *s -= l * v);
        }
        let inverse = factor.inverse_diagonal[i];
        b[i * width..][..width].iter_mut().zip(&sum).for_each(|(b, &s)| *b = s * inverse);
    }
}
