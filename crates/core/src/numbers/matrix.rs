//! Dense column-major storage and the views that backends read and write.

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
    /// All zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Mat { rows, cols, data: vec![S::zero(); rows * cols] }
    }

    /// The identity.
    pub fn identity(n: usize) -> Self {
        Self::from_fn(n, n, |i, j| if i == j { S::one() } else { S::zero() })
    }

    /// From a function of row and column.
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> S) -> Self {
        // Room for exactly what comes: growing would hold up to three times that.
        let mut data = Vec::with_capacity(rows * cols);
        (0..cols).for_each(|j| data.extend((0..rows).map(|i| f(i, j))));
        Mat { rows, cols, data }
    }

    /// The matrix of `f` of this entry and the one of `other` at the same place.
    ///
    /// ```
    /// use enclust_core::Mat;
    ///
    /// let one = Mat::from_fn(2, 1, |i, _| i as f64);
    /// assert_eq!(one.zip(&one, |a, b| a + 2.0 * b).data(), [0.0, 3.0]);
    /// ```
    ///
    /// # Panics
    /// If the other matrix has another size.
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

    /// All entries, column after column.
    pub fn data(&self) -> &[S] {
        &self.data
    }

    /// All entries, column after column, to write.
    pub fn data_mut(&mut self) -> &mut [S] {
        &mut self.data
    }

    /// One column.
    pub fn col(&self, j: usize) -> &[S] {
        &self.data[j * self.rows..][..self.rows]
    }

    /// One column to write.
    pub fn col_mut(&mut self, j: usize) -> &mut [S] {
        &mut self.data[j * self.rows..][..self.rows]
    }

    /// A view to read.
    pub fn view(&self) -> MatRef<'_, S> {
        MatRef { data: &self.data, rows: self.rows, cols: self.cols, strides: (1, self.rows) }
    }

    /// A view to write.
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

/// A dense matrix to read: a slice with strides, so a transpose costs nothing.
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
    /// If the slice is too short or the stride smaller than the number of rows.
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

    /// Distance in the slice from one row to the next, and from one column to the next.
    pub fn strides(&self) -> (usize, usize) {
        self.strides
    }

    /// The slice behind the view.
    pub fn data(&self) -> &'a [S] {
        self.data
    }

    /// One entry.
    pub fn at(&self, i: usize, j: usize) -> S {
        self.data[i * self.strides.0 + j * self.strides.1]
    }

    /// The same numbers with rows and columns exchanged.
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

/// A dense column-major matrix to write.
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
    /// If the slice is too short or the stride smaller than the number of rows.
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

    /// Distance in the slice from one column to the next.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The slice behind the view.
    pub fn data(&mut self) -> &mut [S] {
        self.data
    }

    /// One column.
    pub fn col(&mut self, j: usize) -> &mut [S] {
        &mut self.data[j * self.stride..][..self.rows]
    }

    /// Copies the entries of a view of the same size, in tiles that stay in the
    /// cache, so that copying a transpose is cheap too.
    ///
    /// # Panics
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
