//! Products of a sparse matrix with a panel.

use pulp::{Arch, NullaryFnOnce};

use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::stages::backend::{SparseProduct, check_panel};

use super::PANEL;

/// A sparse matrix by rows, multiplied without preparation.
///
/// A row of the product is the weighted sum of the rows of the panel at the nonzero columns of
/// that row of the matrix, added in the order of the columns.
#[derive(Clone, Debug)]
pub struct SparseMatrix<S> {
    rows: Csr<S>,
}

impl<S: Real> SparseMatrix<S> {
    pub fn new(rows: Csr<S>) -> Self {
        SparseMatrix { rows }
    }
}

/// Number of rows of a product that are computed before they are visited; they fit in the
/// first-level cache.
const BLOCK: usize = 32;

impl<S: Real> SparseProduct<S> for SparseMatrix<S> {
    fn multiply(&self, x: &[S], y: &mut [S], width: usize) {
        self.multiply_and_visit(x, y, width, &mut |_, _| {});
    }

    fn multiply_and_visit(
        &self,
        x: &[S],
        y: &mut [S],
        width: usize,
        visit: &mut dyn FnMut(usize, &[S]),
    ) {
        check_panel(x, self.rows.cols(), width);
        check_panel(y, self.rows.rows(), width);
        for (block, y) in y.chunks_mut((BLOCK * width).max(1)).enumerate() {
            let first = block * BLOCK;
            Arch::new().dispatch(Multiply { a: &self.rows, first, x, y, width });
            visit(first, y);
        }
    }
}

/// Computes some rows of the product, compiled for several instruction sets. The fastest one is
/// chosen at run time; all give bitwise equal results.
struct Multiply<'a, S> {
    a: &'a Csr<S>,
    first: usize,
    x: &'a [S],
    y: &'a mut [S],
    width: usize,
}

impl<S: Real> NullaryFnOnce for Multiply<'_, S> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Multiply { a, first, x, y, width } = self;
        if width != PANEL {
            return of_any_width(a, first, x, y, width);
        }
        let (x, y) = (x.as_chunks::<PANEL>().0, y.as_chunks_mut::<PANEL>().0);
        for (i, y) in (first..).zip(y) {
            let row = a.row(i);
            // 64 sums in double precision would not fit into the registers.
            if size_of::<S>() > size_of::<f32>() {
                add_row::<S, { PANEL / 2 }>(row, 0, x, y);
                add_row::<S, { PANEL / 2 }>(row, PANEL / 2, x, y);
            } else {
                add_row::<S, PANEL>(row, 0, x, y);
            }
        }
    }
}

/// Computes some columns of one row of the product, with sums that stay in registers.
#[inline(always)]
fn add_row<S: Real, const COLUMNS: usize>(
    (columns, values): (&[u32], &[S]),
    first: usize,
    x: &[[S; PANEL]],
    y: &mut [S; PANEL],
) {
    let mut sum = [S::zero(); COLUMNS];
    for (&j, &value) in columns.iter().zip(values) {
        let source = &x[j as usize][first..][..COLUMNS];
        for c in 0..COLUMNS {
            sum[c] += value * source[c];
        }
    }
    y[first..][..COLUMNS].copy_from_slice(&sum);
}

#[inline(always)]
fn of_any_width<S: Real>(a: &Csr<S>, first: usize, x: &[S], y: &mut [S], width: usize) {
    y.fill(S::zero());
    for (i, sum) in (first..).zip(y.chunks_mut(width)) {
        for (j, value) in a.iter_row(i) {
            let source = &x[j * width..][..width];
            sum.iter_mut().zip(source).for_each(|(s, &v)| *s += value * v);
        }
    }
}
