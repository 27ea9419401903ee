//! Symmetric matrices as operators.

use std::ops::Range;

use enclust_core::{Backend, Bytes, Condensed, Error, Mat, MatRef, Real, Result};
use rayon::prelude::*;

use crate::panels::rows;

/// Side of the tiles in which a stored matrix is multiplied. A tile fits in a second-level cache,
/// and its product takes longer than unpacking it.
const TILE: usize = 128;

/// A symmetric matrix A, given by its products.
pub trait SymmetricOperator<S: Real>: Sync {
    /// Number of rows and of columns.
    fn dim(&self) -> usize;

    /// AX for a block X of vectors, one per column. The result must not depend on the number of
    /// threads.
    fn apply(&self, backend: &dyn Backend<S>, x: &Mat<S>) -> Mat<S>;
}

/// A dense symmetric matrix that stores both triangles.
impl<S: Real> SymmetricOperator<S> for Mat<S> {
    fn dim(&self) -> usize {
        self.rows()
    }

    fn apply(&self, backend: &dyn Backend<S>, x: &Mat<S>) -> Mat<S> {
        multiply_by_tiles(backend, x, |rows, columns, tile| {
            for (to, from) in tile.chunks_exact_mut(rows.len()).zip(columns) {
                to.copy_from_slice(&self.col(from)[rows.clone()]);
            }
            Order::Columns
        })
    }
}

/// A symmetric matrix stored as its diagonal and its strict upper triangle in row-major order:
/// half the memory of a dense one.
///
/// ```
/// use enclust_core::{Mat, Reference};
/// use enclust_linalg::{PackedSymmetric, SymmetricOperator};
///
/// // [2 1 0; 1 2 1; 0 1 2] between two factors diag(1, 1, 10).
/// let a = PackedSymmetric::new(vec![1.0, 0.0, 1.0], vec![2.0; 3])?.scaled(&[1.0, 1.0, 10.0])?;
/// let x = Mat::from_fn(3, 1, |_, _| 1.0);
/// assert_eq!(a.apply(&Reference, &x).data(), &[3.0, 13.0, 210.0]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PackedSymmetric<S> {
    upper: Condensed<Vec<S>>,
    diagonal: Vec<S>,
}

impl<S: Real> PackedSymmetric<S> {
    /// From the entries above the diagonal in row-major order, and the diagonal.
    pub fn new(upper: Vec<S>, diagonal: Vec<S>) -> Result<Self> {
        Ok(PackedSymmetric { upper: Condensed::new(diagonal.len(), upper)?, diagonal })
    }

    /// DAD for a diagonal D.
    pub fn scaled(mut self, factors: &[S]) -> Result<Self> {
        let n = self.diagonal.len();
        Error::check_size("factors of a scaling", n, factors.len())?;
        for i in 0..n {
            self.diagonal[i] *= factors[i] * factors[i];
            let row = self.upper.row_mut(i).iter_mut();
            row.zip(&factors[i + 1..]).for_each(|(v, &f)| *v *= factors[i] * f);
        }
        Ok(self)
    }

    /// Entries (i, j) for the j of `columns` right of the diagonal.
    fn row(&self, i: usize, columns: Range<usize>) -> &[S] {
        if columns.is_empty() {
            return &[];
        }
        &self.upper.row(i)[columns.start - i - 1..][..columns.len()]
    }

    /// Writes the tile of these rows and columns in the order in which it is stored. Tiles are on
    /// one grid, so a tile is above the diagonal, below it, or centred on it.
    fn unpack(&self, rows: Range<usize>, columns: Range<usize>, tile: &mut [S]) -> Order {
        let (stored, across, order) = if rows.start > columns.start {
            (columns, rows, Order::Columns)
        } else {
            (rows, columns, Order::Rows)
        };
        let width = across.len();
        if stored.start < across.start {
            for (to, i) in tile.chunks_exact_mut(width).zip(stored) {
                to.copy_from_slice(self.row(i, across.clone()));
            }
            return order;
        }
        for (at, i) in stored.enumerate() {
            tile[at * width + at] = self.diagonal[i];
            for (offset, &v) in (at + 1..).zip(self.row(i, i + 1..across.end)) {
                tile[at * width + offset] = v;
                tile[offset * width + at] = v;
            }
        }
        order
    }
}

impl<S: Real> SymmetricOperator<S> for PackedSymmetric<S> {
    fn dim(&self) -> usize {
        self.diagonal.len()
    }

    fn apply(&self, backend: &dyn Backend<S>, x: &Mat<S>) -> Mat<S> {
        multiply_by_tiles(backend, x, |rows, columns, tile| self.unpack(rows, columns, tile))
    }
}

/// The order of the entries of a tile.
enum Order {
    Rows,
    Columns,
}

/// The memory of the tiles that a product unpacks, without its result.
pub(crate) fn product_bytes(scalar: usize, threads: usize) -> Bytes {
    Bytes((TILE * TILE * scalar) as u64) * threads as u64
}

/// AX, where `unpack` writes the tile of A for given rows and columns. Each panel of rows is
/// computed by one thread.
fn multiply_by_tiles<S: Real>(
    backend: &dyn Backend<S>,
    x: &Mat<S>,
    unpack: impl Fn(Range<usize>, Range<usize>, &mut [S]) -> Order + Sync,
) -> Mat<S> {
    let n = x.rows();
    let span = |tile: usize| tile * TILE..n.min((tile + 1) * TILE);
    let tiles = n.div_ceil(TILE);
    let panels: Vec<Mat<S>> = (0..tiles)
        .into_par_iter()
        .map_init(Vec::new, |space, i| {
            let mut panel = Mat::zeros(span(i).len(), x.cols());
            for j in 0..tiles {
                let (down, across) = (span(i).len(), span(j).len());
                space.resize(down * across, S::zero());
                let tile = match unpack(span(i), span(j), space) {
                    Order::Columns => MatRef::new(space, down, across, down),
                    Order::Rows => MatRef::new(space, across, down, across).transposed(),
                };
                let x = rows(x.view(), span(j).start, across);
                backend.gemm(S::one(), tile, x, S::one(), panel.view_mut());
            }
            panel
        })
        .collect();
    let mut product = Mat::zeros(n, x.cols());
    for column in 0..x.cols() {
        for (to, panel) in product.col_mut(column).chunks_mut(TILE).zip(&panels) {
            to.copy_from_slice(panel.col(column));
        }
    }
    product
}
