//! Sparse Cholesky factorisation.

use pulp::{Arch, NullaryFnOnce};

use crate::error::{Error, Result};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::{SparseSolve, check_panel};

/// PAPᵀ = LLᵀ for a sparse symmetric positive definite A.
///
/// # Problem
///
/// Solve AX = B for many right-hand sides if A and L are sparse, as for the Laplacians of
/// high-confidence graphs.
///
/// # Parameters
///
/// The matrix, and the maximum number of entries of L. The factorisation stops early if L would
/// have more, so that the caller can use a dense one.
///
/// # Complexity
///
/// For column degrees dⱼ of L: O(Σ dⱼ² log dⱼ) to factor, 4 Σ dⱼ operations per right-hand side
/// to solve, Σ dⱼ numbers.
///
/// # Determinism and ties
///
/// The elimination order is minimum degree; ties are broken by the lowest index.
///
/// # Reference
///
/// A. George, J. Liu, "The evolution of the minimum degree ordering algorithm", SIAM Review 1989.
#[derive(Clone, Debug)]
pub struct SparseCholesky<S> {
    columns: Vec<Column<S>>,
}

/// A column of L, in order of elimination. Rows keep their indices in A.
#[derive(Clone, Debug)]
struct Column<S> {
    pivot: usize,
    diagonal: S,
    /// Rows below, in order of elimination.
    rows: Vec<usize>,
    values: Vec<S>,
}

impl<S: Real> SparseCholesky<S> {
    /// Factors A, which stores both triangles. Returns `None` if L would have more than `most`
    /// entries below its diagonal.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] with the row.
    pub fn factor(a: &Csr<S>, most: usize) -> Result<Option<Self>> {
        let Some(pattern) = eliminate(a, most) else { return Ok(None) };
        let mut columns = with_values(a, pattern);
        let mut position = vec![0; columns.len()];
        columns.iter().enumerate().for_each(|(at, c)| position[c.pivot] = at);
        for at in 0..columns.len() {
            let (done, rest) = columns.split_at_mut(at + 1);
            let column = &mut done[at];
            if !(column.diagonal > S::zero() && column.diagonal.is_finite()) {
                return Err(Error::NotPositiveDefinite { pivot: column.pivot });
            }
            column.diagonal = column.diagonal.sqrt();
            column.values.iter_mut().for_each(|v| *v /= column.diagonal);
            for (i, &row) in column.rows.iter().enumerate() {
                rest[position[row] - at - 1].subtract(column, i, &position);
            }
        }
        Ok(Some(SparseCholesky { columns }))
    }
}

impl<S: Real> SparseSolve<S> for SparseCholesky<S> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        check_panel(b, self.columns.len(), width);
        Arch::new().dispatch(SolveRows { columns: &self.columns, b, width });
    }
}

/// Forward and backward substitution, compiled for several instruction sets. The fastest one is
/// chosen at run time; all give bitwise equal results.
struct SolveRows<'a, S> {
    columns: &'a [Column<S>],
    b: &'a mut [S],
    width: usize,
}

impl<S: Real> NullaryFnOnce for SolveRows<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let SolveRows { columns, b, width } = self;
        let mut held = vec![S::zero(); width];
        for column in columns {
            let inverse = S::one() / column.diagonal;
            let pivot = &mut b[column.pivot * width..][..width];
            pivot.iter_mut().for_each(|v| *v *= inverse);
            held.copy_from_slice(pivot);
            for (&row, &l) in column.rows.iter().zip(&column.values) {
                let target = &mut b[row * width..][..width];
                target.iter_mut().zip(&held).for_each(|(t, &x)| *t -= l * x);
            }
        }
        for column in columns.iter().rev() {
            let inverse = S::one() / column.diagonal;
            held.copy_from_slice(&b[column.pivot * width..][..width]);
            for (&row, &l) in column.rows.iter().zip(&column.values) {
                let source = &b[row * width..][..width];
                held.iter_mut().zip(source).for_each(|(h, &x)| *h -= l * x);
            }
            let pivot = &mut b[column.pivot * width..][..width];
            pivot.iter_mut().zip(&held).for_each(|(p, &h)| *p = h * inverse);
        }
    }
}

impl<S: Real> Column<S> {
    /// Applies the update of the eliminated column `done` to this column, which is the i-th row
    /// of `done`.
    fn subtract(&mut self, done: &Column<S>, i: usize, position: &[usize]) {
        let factor = done.values[i];
        self.diagonal -= factor * factor;
        let mut at = 0;
        // The rows of `done` after i are all rows of this column, in the same order.
        for (&row, &value) in done.rows[i + 1..].iter().zip(&done.values[i + 1..]) {
            while position[self.rows[at]] < position[row] {
                at += 1;
            }
            self.values[at] -= factor * value;
        }
    }
}

/// The pivots in order of elimination, each with the rows of its column of L.
fn eliminate<S: Real>(a: &Csr<S>, most: usize) -> Option<Vec<(usize, Vec<usize>)>> {
    let n = a.rows();
    let mut neighbours: Vec<Vec<usize>> =
        (0..n).map(|i| a.iter_row(i).map(|(j, _)| j).filter(|&j| j != i).collect()).collect();
    let mut queue: std::collections::BTreeSet<(usize, usize)> =
        (0..n).map(|i| (neighbours[i].len(), i)).collect();
    let mut pattern = Vec::with_capacity(n);
    let mut entries = 0;
    while let Some((_, pivot)) = queue.pop_first() {
        let clique = std::mem::take(&mut neighbours[pivot]);
        entries += clique.len();
        if entries > most {
            return None;
        }
        for &i in &clique {
            queue.remove(&(neighbours[i].len(), i));
            neighbours[i] = union_without(&neighbours[i], &clique, [pivot, i]);
            queue.insert((neighbours[i].len(), i));
        }
        pattern.push((pivot, clique));
    }
    Some(pattern)
}

/// Union of two ascending lists, excluding two given members.
fn union_without(a: &[usize], b: &[usize], without: [usize; 2]) -> Vec<usize> {
    let mut union = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => x.min(y),
            (Some(&x), None) | (None, Some(&x)) => x,
            (None, None) => break,
        };
        i += usize::from(a.get(i) == Some(&next));
        j += usize::from(b.get(j) == Some(&next));
        if !without.contains(&next) {
            union.push(next);
        }
    }
    union
}

/// Puts the entries of A into the pattern of L, with rows in order of elimination.
fn with_values<S: Real>(a: &Csr<S>, pattern: Vec<(usize, Vec<usize>)>) -> Vec<Column<S>> {
    let mut position = vec![0; pattern.len()];
    pattern.iter().enumerate().for_each(|(at, (pivot, _))| position[*pivot] = at);
    let column = |(pivot, mut rows): (usize, Vec<usize>)| {
        rows.sort_unstable_by_key(|&row| position[row]);
        let value = |row: usize| a.get(pivot, row).unwrap_or(S::zero());
        let values = rows.iter().map(|&row| value(row)).collect();
        Column { pivot, diagonal: value(pivot), rows, values }
    };
    pattern.into_iter().map(column).collect()
}
