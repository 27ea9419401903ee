//! Sparse matrices in compressed-row form.

use crate::error::{Error, Result};
use crate::numbers::real::Real;

/// A sparse matrix in compressed-row form. Column indices are ascending in each row.
///
/// ```
/// use enclust_core::Csr;
///
/// let g = Csr::from_rows(3, vec![vec![(1, 0.5)], vec![(0, 0.5), (2, 1.0)], vec![(1, 1.0)]]);
/// assert_eq!(g.row(1), (&[0_u32, 2][..], &[0.5, 1.0][..]));
/// assert_eq!(g.components(), vec![0, 0, 0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<S> {
    cols: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<S>,
}

impl<S: Real> Csr<S> {
    /// From the (column, value) pairs of each row, in ascending order of columns.
    ///
    /// # Panics
    ///
    /// If columns are not strictly ascending or out of range.
    pub fn from_rows(cols: usize, rows: Vec<Vec<(u32, S)>>) -> Self {
        let entries = rows.iter().map(Vec::len).sum();
        Self::from_row_iter(cols, entries, rows)
    }

    /// The same from rows that are made one at a time, with room for this many entries in all.
    ///
    /// # Panics
    ///
    /// Like [`from_rows`](Self::from_rows).
    pub fn from_row_iter<R>(cols: usize, entries: usize, rows: impl IntoIterator<Item = R>) -> Self
    where
        R: IntoIterator<Item = (u32, S)>,
    {
        // Exact capacity: a growing vector would use up to three times as much memory.
        let (indices, values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
        let rows = rows.into_iter();
        let mut starts = Vec::with_capacity(rows.size_hint().0 + 1);
        starts.push(0);
        let mut out = Csr { cols, starts, indices, values };
        for row in rows {
            let start = out.indices.len();
            for (column, value) in row {
                out.indices.push(column);
                out.values.push(value);
            }
            let row = &out.indices[start..];
            assert!(row.is_sorted_by(|a, b| a < b), "columns of a sparse row must ascend");
            assert!(row.last().is_none_or(|&j| (j as usize) < cols), "column out of range");
            out.starts.push(out.indices.len());
        }
        out
    }

    /// A symmetric n × n matrix from its off-diagonal entries, as (row, column, value) in any
    /// order. An entry may be given in either triangle or in both.
    ///
    /// ```
    /// use enclust_core::{Csr, Error};
    ///
    /// let g = Csr::symmetric(3, [(1, 0, 0.5), (0, 1, 0.5), (1, 2, 1.0)])?;
    /// assert_eq!(g.row(1), (&[0_u32, 2][..], &[0.5, 1.0][..]));
    /// let torn = Csr::symmetric(3, [(1, 0, 0.5), (0, 1, 0.6)]);
    /// assert!(matches!(torn, Err(Error::Asymmetric { row: 0, column: 1, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Index`] for a row or column outside the matrix, [`Error::SelfPair`] for a
    /// diagonal entry, [`Error::Asymmetric`] for two different values of one entry.
    pub fn symmetric(
        n: usize,
        entries: impl IntoIterator<Item = (usize, usize, S)>,
    ) -> Result<Self> {
        let mut upper: Vec<Vec<(u32, S)>> = vec![Vec::new(); n];
        for (i, j, value) in entries {
            let (row, column) = (i.min(j), i.max(j));
            if column >= n {
                return Err(Error::Index { what: "row", index: column, len: n });
            }
            if row == column {
                return Err(Error::SelfPair { what: "row", index: row });
            }
            upper[row].push((column as u32, value));
        }
        for (row, entries) in upper.iter_mut().enumerate() {
            entries.sort_by_key(|entry| entry.0);
            if let Some(&[(column, one), (_, other)]) =
                entries.windows(2).find(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1)
            {
                let (upper, lower) = (one.wide(), other.wide());
                return Err(Error::Asymmetric { row, column: column as usize, upper, lower });
            }
            entries.dedup_by_key(|entry| entry.0);
        }
        Ok(Self::symmetric_from_upper(upper))
    }

    /// A symmetric matrix from the entries right of the diagonal in each row, in ascending order
    /// of columns. [`symmetric`](Self::symmetric) takes entries in any order and checks them.
    ///
    /// # Panics
    ///
    /// If an entry is not right of the diagonal or is out of range, or if columns are not
    /// ascending.
    pub fn symmetric_from_upper(upper: Vec<Vec<(u32, S)>>) -> Self {
        let n = upper.len();
        let mut lengths: Vec<usize> = upper.iter().map(Vec::len).collect();
        upper.iter().flatten().for_each(|&(j, _)| lengths[j as usize] += 1);
        let mut rows: Vec<Vec<(u32, S)>> = lengths.into_iter().map(Vec::with_capacity).collect();
        for (i, entries) in upper.into_iter().enumerate() {
            for &(j, v) in &entries {
                rows[j as usize].push((i as u32, v));
            }
            rows[i].extend(entries);
        }
        Self::from_rows(n, rows)
    }

    /// A matrix without entries.
    pub fn empty(rows: usize, cols: usize) -> Self {
        Csr { cols, starts: vec![0; rows + 1], indices: Vec::new(), values: Vec::new() }
    }

    /// The same sparsity pattern with other values: `value(row, column, old)`.
    ///
    /// ```
    /// use enclust_core::Csr;
    ///
    /// let matrix = Csr::from_rows(2, vec![vec![(1, 3.0)], vec![(0, 5.0)]]);
    /// let doubled = matrix.mapped(|_, _, value| 2.0 * value);
    /// assert_eq!(doubled.get(0, 1), Some(6.0));
    /// ```
    pub fn mapped(&self, value: impl Fn(usize, usize, S) -> S) -> Self {
        let row = |i: usize| self.iter_row(i).map(move |(j, v)| (i, j, v));
        let values = (0..self.rows()).flat_map(row).map(|(i, j, v)| value(i, j, v)).collect();
        Csr { values, ..self.clone() }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Copies of the three arrays of the compressed-row format: the start of each row, the
    /// columns, and the values.
    ///
    /// ```
    /// use enclust_core::Csr;
    ///
    /// let a = Csr::from_rows(3, vec![vec![(0, 0.5), (2, 0.25)], vec![(1, 1.0)]]);
    /// let (starts, columns, values) = a.to_arrays();
    /// assert_eq!((starts, columns), (vec![0, 2, 3], vec![0, 2, 1]));
    /// assert_eq!(values, [0.5, 0.25, 1.0]);
    /// ```
    pub fn to_arrays(&self) -> (Vec<usize>, Vec<usize>, Vec<S>) {
        let columns = self.indices.iter().map(|&j| j as usize).collect();
        (self.starts.clone(), columns, self.values.clone())
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Columns and values of one row.
    pub fn row(&self, i: usize) -> (&[u32], &[S]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The (column, value) pairs of one row.
    pub fn iter_row(&self, i: usize) -> impl Iterator<Item = (usize, S)> + '_ {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).map(|(&j, &v)| (j as usize, v))
    }

    /// The stored entry at (i, j), if it exists.
    pub fn get(&self, i: usize, j: usize) -> Option<S> {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).ok().map(|at| values[at])
    }

    /// Connected component of each node of a symmetric graph, numbered by
    /// smallest member.
    pub fn components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let mut component = vec![UNSEEN; self.rows()];
        let mut stack = Vec::new();
        let mut next = 0;
        for start in 0..self.rows() {
            if component[start] != UNSEEN {
                continue;
            }
            component[start] = next;
            stack.push(start);
            while let Some(i) = stack.pop() {
                for &j in self.row(i).0 {
                    if component[j as usize] == UNSEEN {
                        component[j as usize] = next;
                        stack.push(j as usize);
                    }
                }
            }
            next += 1;
        }
        component
    }
}
