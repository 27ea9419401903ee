//! Sparse Cholesky factorisation.

use crate::error::{Error, Result};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::{ShiftedFactor, SparseSolve};

use super::substitution::Substitution;

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
    factor: Substitution<S>,
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
        let position = positions(&pattern);
        let columns = factored(with_values(a, pattern, &position), &position)?;
        Ok(Some(SparseCholesky { factor: substitution(&columns, &position) }))
    }
}

/// The elimination of a sparse matrix A, from which the factor of A + s for any shift s is
/// computed. The computation is in double precision.
#[derive(Clone, Debug)]
pub struct ShiftedCholesky {
    /// The entries of A in the pattern of L.
    columns: Vec<Column<f64>>,
    position: Vec<usize>,
}

impl ShiftedCholesky {
    /// Eliminates A, which stores both triangles. Returns `None` if L would have more than `most`
    /// entries below its diagonal.
    pub fn new(a: &Csr<f64>, most: usize) -> Option<Self> {
        let pattern = eliminate(a, most)?;
        let position = positions(&pattern);
        Some(ShiftedCholesky { columns: with_values(a, pattern, &position), position })
    }
}

impl<S: Real> ShiftedFactor<S> for ShiftedCholesky {
    fn factor(&self, shift: f64) -> Result<Box<dyn SparseSolve<S>>> {
        let mut columns = self.columns.clone();
        columns.iter_mut().for_each(|column| column.diagonal += shift);
        let columns = factored(columns, &self.position)?;
        Ok(Box::new(SparseCholesky { factor: substitution::<S, f64>(&columns, &self.position) }))
    }
}

/// The step at which each row is eliminated.
fn positions(pattern: &[(usize, Vec<usize>)]) -> Vec<usize> {
    let mut position = vec![0; pattern.len()];
    pattern.iter().enumerate().for_each(|(at, (pivot, _))| position[*pivot] = at);
    position
}

/// Overwrites the columns of A with those of L.
fn factored<S: Real>(mut columns: Vec<Column<S>>, position: &[usize]) -> Result<Vec<Column<S>>> {
    for at in 0..columns.len() {
        let (done, rest) = columns.split_at_mut(at + 1);
        let column = &mut done[at];
        if !(column.diagonal > S::zero() && column.diagonal.is_finite()) {
            return Err(Error::NotPositiveDefinite { pivot: column.pivot });
        }
        column.diagonal = column.diagonal.sqrt();
        column.values.iter_mut().for_each(|v| *v /= column.diagonal);
        for (i, &row) in column.rows.iter().enumerate() {
            rest[position[row] - at - 1].subtract(column, i, position);
        }
    }
    Ok(columns)
}

impl<S: Real> SparseSolve<S> for SparseCholesky<S> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        self.factor.solve(b, width);
    }
}

/// The columns of L are the rows of Lᵀ; they are also distributed over the rows of L.
fn substitution<S: Real, W: Real>(columns: &[Column<W>], position: &[usize]) -> Substitution<S> {
    let mut lower: Vec<Vec<(u32, S)>> = vec![Vec::new(); columns.len()];
    for column in columns {
        for (&row, &l) in column.rows.iter().zip(&column.values) {
            lower[position[row]].push((column.pivot as u32, S::of(l.wide())));
        }
    }
    let upper = columns.iter().map(|column| {
        let entries = column.rows.iter().zip(&column.values);
        entries.map(|(&row, &l)| (row as u32, S::of(l.wide()))).collect()
    });
    let mut upper: Vec<Vec<(u32, S)>> = upper.collect();
    lower.iter_mut().chain(&mut upper).for_each(|row| row.sort_unstable_by_key(|e| e.0));
    let inverse = |column: &Column<W>| S::of(1.0 / column.diagonal.wide());
    let inverse_diagonal = columns.iter().map(inverse).collect();
    let order = columns.iter().map(|column| column.pivot as u32).collect();
    Substitution::new(order, lower, upper, inverse_diagonal)
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
fn with_values<S: Real>(
    a: &Csr<S>,
    pattern: Vec<(usize, Vec<usize>)>,
    position: &[usize],
) -> Vec<Column<S>> {
    let column = |(pivot, mut rows): (usize, Vec<usize>)| {
        rows.sort_unstable_by_key(|&row| position[row]);
        let value = |row: usize| a.get(pivot, row).unwrap_or(S::zero());
        let values = rows.iter().map(|&row| value(row)).collect();
        Column { pivot, diagonal: value(pivot), rows, values }
    };
    pattern.into_iter().map(column).collect()
}
