//! Incomplete Cholesky factorisation.

use enclust_core::{Csr, Error, Real, Result};
use pulp::{Arch, NullaryFnOnce};

/// A ≈ LLᵀ with the entries of A and no others.
///
/// **Problem.** Solve nearly AX = B for many right-hand sides, as cheaply as a
/// product by A. For a diagonally dominant A with non-positive off-diagonals, such
/// as a shifted graph Laplacian, the factor exists and is symmetric positive
/// definite, whatever the order of the rows.
///
/// **Complexity.** Σ over the entries (i, k) of L of the length of row k to factor;
/// twice the entries of L a right-hand side to solve.
///
/// **Determinism.** Rows in their order; nothing is chosen.
///
/// ```
/// use enclust_core::Csr;
/// use enclust_linalg::IncompleteCholesky;
///
/// let a = Csr::from_rows(2, vec![vec![(0, 4.0), (1, -2.0)], vec![(0, -2.0), (1, 5.0)]]);
/// let factor = IncompleteCholesky::factor(&a)?;
/// let mut x = [[8.0], [-9.0]]; // one right-hand side
/// factor.solve(&mut x);
/// assert_eq!(x, [[1.375], [-1.25]]); // no fill: exact
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** J. Meijerink, H. van der Vorst, "An iterative solution method for
/// linear systems of which the coefficient matrix is a symmetric M-matrix", Math.
/// Comp. 1977.
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
    /// Factors A, whose entries are given in full (both triangles). Computed in
    /// double precision, kept in `S`.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] naming the row.
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

    /// Number of entries of L below its diagonal.
    pub fn entries(&self) -> usize {
        self.lower.entries()
    }

    /// Overwrites B by (LLᵀ)⁻¹B; `W` right-hand sides side by side.
    pub fn solve<const W: usize>(&self, b: &mut [[S; W]]) {
        Arch::new().dispatch(Solve { factor: self, b });
    }
}

/// Row i of L left of the diagonal; `scattered` is zero before and after.
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

/// Forward and backward substitution, compiled for several processors; the best
/// is taken at run time and all give the same bits.
struct Solve<'a, S, const W: usize> {
    factor: &'a IncompleteCholesky<S>,
    b: &'a mut [[S; W]],
}

impl<S: Real, const W: usize> NullaryFnOnce for Solve<'_, S, W> {
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
fn substitute<S: Real, const W: usize>(triangle: &Csr<S>, inverse: S, i: usize, b: &mut [[S; W]]) {
    let mut sum = b[i];
    let (columns, values) = triangle.row(i);
    for (&j, &l) in columns.iter().zip(values) {
        let source = &b[j as usize];
        for c in 0..W {
            sum[c] -= l * source[c];
        }
    }
    sum.iter_mut().for_each(|v| *v *= inverse);
    b[i] = sum;
}
