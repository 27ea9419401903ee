//! nalgebra's sparse product.

use enclust_core::{Csr, Real, SparseProduct, check_panel};
use nalgebra::{DMatrix, DMatrixView, RealField};
use nalgebra_sparse::CsrMatrix;
use nalgebra_sparse::ops::Op;
use nalgebra_sparse::ops::serial::spmm_csr_dense;

/// A sparse matrix in nalgebra's compressed-row format.
pub(crate) struct Product<S> {
    matrix: CsrMatrix<S>,
}

impl<S: Real + RealField> Product<S> {
    /// `None` if nalgebra rejects the arrays, which does not happen for a [`Csr`].
    pub(crate) fn new(a: &Csr<S>) -> Option<Self> {
        let (starts, columns, values) = a.to_arrays();
        let matrix =
            CsrMatrix::try_from_csr_data(a.rows(), a.cols(), starts, columns, values).ok()?;
        Some(Product { matrix })
    }
}

impl<S: Real + RealField> SparseProduct<S> for Product<S> {
    fn multiply(&self, x: &[S], y: &mut [S], width: usize) {
        let (rows, columns) = (self.matrix.nrows(), self.matrix.ncols());
        check_panel(x, columns, width);
        check_panel(y, rows, width);
        if rows == 0 || width == 0 {
            return;
        }
        // Row-major order is the transpose in column-major order. nalgebra reads transposed
        // factors but writes column-major output only.
        let x = DMatrixView::from_slice(x, width, columns);
        let mut product = DMatrix::zeros(rows, width);
        let (zero, one) = (S::of(0.0), S::of(1.0));
        spmm_csr_dense(zero, &mut product, one, Op::NoOp(&self.matrix), Op::Transpose(x));
        for (i, row) in y.chunks_exact_mut(width).enumerate() {
            row.iter_mut().enumerate().for_each(|(j, v)| *v = product[(i, j)]);
        }
    }
}
