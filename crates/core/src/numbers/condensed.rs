//! The strict upper triangle of a symmetric matrix.

use std::ops::{Deref, DerefMut, Index, IndexMut};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::numbers::real::Real;

/// The entries above the diagonal of a symmetric n × n matrix, row by row, as in SciPy's
/// condensed form: n(n − 1)/2 numbers.
///
/// `V` is the storage: `Vec<S>` for a triangle that owns its values, `&[S]` for a view.
///
/// ```
/// use enclust_core::Condensed;
///
/// let t = Condensed::new(3, vec![0.5, 0.25, 1.0])?;
/// assert_eq!(t[(0, 2)], 0.25);
/// assert_eq!(t[(2, 0)], 0.25);
/// assert_eq!(t.row(1), [1.0]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condensed<V> {
    side: usize,
    values: V,
}

/// Number of entries above the diagonal of an n × n matrix.
pub fn condensed_len(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

impl<S, V: Deref<Target = [S]>> Condensed<V> {
    /// The triangle of an n × n matrix with these values.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there are not n(n − 1)/2 values.
    pub fn new(n: usize, values: V) -> Result<Self> {
        Error::check_size("values above the diagonal", condensed_len(n), values.len())?;
        Ok(Condensed { side: n, values })
    }

    /// Number of rows of the matrix.
    pub fn side(&self) -> usize {
        self.side
    }

    /// All values, row by row.
    pub fn values(&self) -> &[S] {
        &self.values
    }

    /// The values (p, p + 1), (p, p + 2), …
    pub fn row(&self, p: usize) -> &[S] {
        let start = self.row_start(p);
        &self.values[start..start + self.side - p - 1]
    }

    /// The triangle of the results of a function of each value.
    pub fn map<T>(&self, f: impl Fn(&S) -> T) -> Condensed<Vec<T>> {
        Condensed { side: self.side, values: self.values.iter().map(f).collect() }
    }

    /// The triangle of the results of a function of the values of two triangles.
    ///
    /// # Panics
    ///
    /// If the triangles have different sizes.
    pub fn zip<T>(&self, other: &Self, f: impl Fn(S, S) -> T) -> Condensed<Vec<T>>
    where
        S: Copy,
    {
        assert_eq!(self.side, other.side, "triangles of different sizes");
        let values = self.values.iter().zip(other.values.iter()).map(|(&a, &b)| f(a, b)).collect();
        Condensed { side: self.side, values }
    }

    /// A view of the same values.
    pub fn view(&self) -> Condensed<&[S]> {
        Condensed { side: self.side, values: &self.values }
    }

    /// The storage.
    pub fn into_values(self) -> V {
        self.values
    }

    /// The position of the first value of a row.
    #[inline]
    fn row_start(&self, p: usize) -> usize {
        p * (2 * self.side - p - 1) / 2
    }

    /// The position of (p, q), p ≠ q.
    #[inline]
    fn position(&self, p: usize, q: usize) -> usize {
        let (low, high) = if p < q { (p, q) } else { (q, p) };
        debug_assert!(low < high && high < self.side);
        self.row_start(low) + (high - low - 1)
    }
}

impl<S, V: DerefMut<Target = [S]>> Condensed<V> {
    /// All values, row by row, which may be changed.
    pub fn values_mut(&mut self) -> &mut [S] {
        &mut self.values
    }

    /// The values (p, p + 1), (p, p + 2), …, which may be changed.
    pub fn row_mut(&mut self, p: usize) -> &mut [S] {
        let start = self.row_start(p);
        &mut self.values[start..start + self.side - p - 1]
    }
}

/// The value at (p, q), p ≠ q, in any order.
impl<S, V: Deref<Target = [S]>> Index<(usize, usize)> for Condensed<V> {
    type Output = S;

    #[inline]
    fn index(&self, (p, q): (usize, usize)) -> &S {
        &self.values[self.position(p, q)]
    }
}

impl<S, V: DerefMut<Target = [S]>> IndexMut<(usize, usize)> for Condensed<V> {
    #[inline]
    fn index_mut(&mut self, (p, q): (usize, usize)) -> &mut S {
        let position = self.position(p, q);
        &mut self.values[position]
    }
}

impl<S: Real> Condensed<Vec<S>> {
    /// The triangle of an n × n matrix with zeros.
    pub fn zeros(n: usize) -> Self {
        Condensed { side: n, values: vec![S::zero(); condensed_len(n)] }
    }

    /// Fills a triangle row by row, with rows in parallel: `fill(p, row)` writes the entries
    /// (p, p + 1), (p, p + 2), …; the row is initially zero.
    ///
    /// ```
    /// use enclust_core::Condensed;
    ///
    /// let t = Condensed::filled(3, |p, row: &mut [f64]| row.fill(p as f64));
    /// assert_eq!(t.values(), [0.0, 0.0, 1.0]);
    /// ```
    pub fn filled(n: usize, fill: impl Fn(usize, &mut [S]) + Sync) -> Self {
        let mut new = Self::zeros(n);
        let mut rows = Vec::with_capacity(n);
        let mut rest = new.values.as_mut_slice();
        for p in 0..n {
            let (row, tail) = rest.split_at_mut(n - p - 1);
            rows.push(row);
            rest = tail;
        }
        rows.into_par_iter().enumerate().for_each(|(p, row)| fill(p, row));
        new
    }
}

impl<S: Copy> Condensed<Vec<S>> {
    /// Keeps these rows and columns, which must be in ascending order, in place.
    ///
    /// ```
    /// use enclust_core::Condensed;
    ///
    /// let mut t = Condensed::new(4, vec![1, 2, 3, 4, 5, 6])?;
    /// t.keep(&[0, 1, 3]);
    /// assert_eq!(t.values(), [1, 3, 5]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn keep(&mut self, rows: &[usize]) {
        let mut to = 0;
        for (k, &i) in rows.iter().enumerate() {
            for &j in &rows[k + 1..] {
                self.values[to] = self[(i, j)];
                to += 1;
            }
        }
        self.values.truncate(to);
        self.side = rows.len();
    }
}

impl<S: Real, V: Deref<Target = [S]>> Condensed<V> {
    /// For each p, `start[p]` plus the sum over q ≠ p of entry (p, q) times `weights[q]`. These
    /// are the degrees of a graph of groups.
    ///
    /// ```
    /// use enclust_core::Condensed;
    ///
    /// let t = Condensed::new(3, vec![0.5, 0.25, 1.0])?;
    /// assert_eq!(t.row_sums(&[1.0, 2.0, 4.0], vec![0.0; 3]), [2.0, 4.5, 2.25]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn row_sums(&self, weights: &[f64], start: Vec<f64>) -> Vec<f64> {
        let mut sums = start;
        for p in 0..self.side {
            for (q, value) in (p + 1..).zip(self.row(p)) {
                sums[p] += weights[q] * value.wide();
                sums[q] += weights[p] * value.wide();
            }
        }
        sums
    }

    /// The connected components of the graph whose edges are the nonzero entries: the component
    /// of each node, numbered by first occurrence. At most O(n²) time.
    ///
    /// ```
    /// use enclust_core::Condensed;
    ///
    /// let edges = Condensed::new(4, vec![0.0, 0.5, 0.0, 0.0, 0.0, 0.0])?;
    /// assert_eq!(edges.components(), [0, 1, 0, 2]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn components(&self) -> Vec<usize> {
        let mut component = vec![0; self.side];
        // Nodes that are not reached yet. Each is tested once per reached node.
        let mut open: Vec<usize> = (0..self.side).rev().collect();
        let mut found = 0;
        while let Some(first) = open.pop() {
            let mut line = vec![first];
            while let Some(p) = line.pop() {
                component[p] = found;
                open.retain(|&q| {
                    let joined = self[(p, q)] != S::zero();
                    if joined {
                        line.push(q);
                    }
                    !joined
                });
            }
            found += 1;
        }
        component
    }
}
