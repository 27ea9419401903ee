//! Dense column-major matrices and the views that backends use.

use std::ops::{Index, IndexMut};

use crate::numbers::real::Real;

/// A dense matrix, column-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Mat<S> {
    rows: usize,
    cols: usize,
    data: Vec<S>,
}

impl<S: Real> Mat<S> {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Mat { rows, cols, data: vec![S::zero(); rows * cols] }
    }

    /// The identity matrix.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { S::one() } else { S::zero() })
    }

    /// From a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> S) -> Self {
        // Exact capacity: a growing vector would use up to three times as much memory.
        let mut data = Vec::with_capacity(rows * cols);
        (0..cols).for_each(|j| data.extend((0..rows).map(|i| f(i, j))));
        Mat { rows, cols, data }
    }

    /// Combines this matrix with `other` entry by entry through `f`.
    ///
    /// ```
    /// use enclust_core::Mat;
    ///
    /// let one = Mat::from_fn(2, 1, |i, _| i as f64);
    /// assert_eq!(one.zip(&one, |a, b| a + 2.0 * b).data(), [0.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn zip(&self, other: &Self, f: impl Fn(S, S) -> S) -> Self {
        assert!(self.rows == other.rows && self.cols == other.cols, "matrices of one size");
        let data = self.data.iter().zip(&other.data).map(|(&a, &b)| f(a, b)).collect();
        Mat { data, ..*self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries in column-major order.
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// All entries in column-major order, mutable.
    pub fn data_mut(&mut self) -> &mut [S] {
        &mut self.data
    }

    /// One column.
    pub fn col(&self, j: usize) -> &[S] {
        &self.data[j * self.rows..][..self.rows]
    }

    /// One column, mutable.
    pub fn col_mut(&mut self, j: usize) -> &mut [S] {
        &mut self.data[j * self.rows..][..self.rows]
    }

    /// A read-only view.
    pub fn view(&self) -> MatRef<'_, S> {
        MatRef { data: &self.data, rows: self.rows, cols: self.cols, strides: (1, self.rows) }
    }

    /// A mutable view.
    pub fn view_mut(&mut self) -> MatMut<'_, S> {
        MatMut { stride: self.rows, rows: self.rows, cols: self.cols, data: &mut self.data }
    }
}

impl<S> Index<(usize, usize)> for Mat<S> {
    type Output = S;
    fn index(&self, (i, j): (usize, usize)) -> &S {
        assert!(
            i < self.rows && j < self.cols,
            "entry ({i}, {j}) of a {} x {} matrix",
            self.rows,
            self.cols
        );
        &self.data[j * self.rows + i]
    }
}

impl<S> IndexMut<(usize, usize)> for Mat<S> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut S {
        assert!(
            i < self.rows && j < self.cols,
            "entry ({i}, {j}) of a {} x {} matrix",
            self.rows,
            self.cols
        );
        &mut self.data[j * self.rows + i]
    }
}

/// A read-only view of a dense matrix: a slice with strides, so that transposing does not copy.
#[derive(Clone, Copy, Debug)]
pub struct MatRef<'a, S> {
    data: &'a [S],
    rows: usize,
    cols: usize,
    strides: (usize, usize),
}

impl<'a, S: Real> MatRef<'a, S> {
    /// A column-major view of a slice; `stride` is the distance between columns.
    ///
    /// # Panics
    ///
    /// If the slice is too short or the stride is smaller than the number of rows.
    pub fn new(data: &'a [S], rows: usize, cols: usize, stride: usize) -> Self {
        check_extent(data.len(), rows, cols, stride);
        MatRef { data, rows, cols, strides: (1, stride) }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance in the slice between consecutive rows, and between consecutive columns.
    pub fn strides(&self) -> (usize, usize) {
        self.strides
    }

    /// The underlying slice.
    pub fn data(&self) -> &'a [S] {
        self.data
    }

    /// One entry.
    pub fn at(&self, i: usize, j: usize) -> S {
        self.data[i * self.strides.0 + j * self.strides.1]
    }

    /// The transpose, without a copy.
    pub fn transposed(self) -> Self {
        MatRef {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            strides: (self.strides.1, self.strides.0),
        }
    }

    /// A copy in column-major order.
    pub fn to_owned(&self) -> Mat<S> {
        Mat::from_fn(self.rows, self.cols, |i, j| self.at(i, j))
    }
}

/// A mutable view of a dense column-major matrix.
#[derive(Debug)]
pub struct MatMut<'a, S> {
    data: &'a mut [S],
    rows: usize,
    cols: usize,
    stride: usize,
}

impl<'a, S: Real> MatMut<'a, S> {
    /// A column-major view of a slice; `stride` is the distance between columns.
    ///
    /// # Panics
    ///
    /// If the slice is too short or the stride is smaller than the number of rows.
    pub fn new(data: &'a mut [S], rows: usize, cols: usize, stride: usize) -> Self {
        check_extent(data.len(), rows, cols, stride);
        MatMut { data, rows, cols, stride }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Distance in the slice between consecutive columns.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The underlying slice.
    pub fn data(&mut self) -> &mut [S] {
        self.data
    }

    /// One column.
    pub fn col(&mut self, j: usize) -> &mut [S] {
        &mut self.data[j * self.stride..][..self.rows]
    }

    /// Copies the entries of a view of the same size, in tiles that fit in cache, so that copying
    /// a transpose is also fast.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn copy_from(&mut self, source: MatRef<'_, S>) {
        const TILE: usize = 8;
        assert!(self.rows == source.rows && self.cols == source.cols, "a copy keeps the size");
        let (down, across) = source.strides;
        for first_col in (0..self.cols).step_by(TILE) {
            for first_row in (0..self.rows).step_by(TILE) {
                let rows = first_row..(first_row + TILE).min(self.rows);
                for j in first_col..(first_col + TILE).min(self.cols) {
                    let column = &mut self.data[j * self.stride..][rows.clone()];
                    let start = first_row * down + j * across;
                    let entries = source.data[start..].iter().step_by(down);
                    column.iter_mut().zip(entries).for_each(|(to, &from)| *to = from);
                }
            }
        }
    }
}

fn check_extent(len: usize, rows: usize, cols: usize, stride: usize) {
    assert!(stride >= rows, "columns {stride} apart cannot hold {rows} rows");
    let needed = if rows == 0 || cols == 0 { 0 } else { stride * (cols - 1) + rows };
    assert!(
        len >= needed,
        "a {rows} x {cols} view with stride {stride} needs {needed} entries, found {len}"
    );
}
