//! faer's sparse kernels.

use enclust_core::{
    Csr, Error, Real, Result, ShiftedFactor, SparseProduct, SparseSolve, check_panel,
};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::prelude::default;
use faer::sparse::linalg::cholesky::{
    LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::linalg::matmul::sparse_dense_matmul;
use faer::sparse::{SparseColMat, SparseRowMat, SymbolicSparseColMat, SymbolicSparseRowMat};
use faer::traits::RealField;
use faer::{Accum, Conj, MatMut, MatRef, Par, Side};

/// A sparse matrix in faer's compressed-row format.
pub(crate) struct Product<S> {
    matrix: SparseRowMat<usize, S>,
}

impl<S: Real> Product<S> {
    pub(crate) fn new(a: &Csr<S>) -> Self {
        let (starts, indices, values) = a.to_arrays();
        let pattern = SymbolicSparseRowMat::new_checked(a.rows(), a.cols(), starts, None, indices);
        Product { matrix: SparseRowMat::new(pattern, values) }
    }
}

impl<S: Real + RealField> SparseProduct<S> for Product<S> {
    fn multiply(&self, x: &[S], y: &mut [S], width: usize) {
        let (rows, columns) = (self.matrix.nrows(), self.matrix.ncols());
        check_panel(x, columns, width);
        check_panel(y, rows, width);
        let x = MatRef::from_row_major_slice(x, columns, width);
        let y = MatMut::from_row_major_slice_mut(y, rows, width);
        sparse_dense_matmul(y, Accum::Replace, self.matrix.as_ref(), x, S::one(), Par::Seq);
    }
}

/// faer's sparse Cholesky factor, with an approximate minimum degree ordering.
pub(crate) struct Factor<S> {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<S>,
}

impl<S: Real + RealField> Factor<S> {
    /// `None` if the factor would have more than `most` off-diagonal entries. Explicit zeros that
    /// faer adds to form supernodes count as entries.
    pub(crate) fn new(a: &Csr<S>, most: usize) -> Result<Option<Self>> {
        let n = a.rows();
        // faer detects the first negative pivot but not NaN.
        if let Some(pivot) = (0..n).find(|&i| a.row(i).1.iter().any(|v| !v.is_finite())) {
            return Err(Error::NotPositiveDefinite { pivot });
        }
        let (starts, indices, values) = a.to_arrays();
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, indices);
        let matrix = SparseColMat::new(pattern, values);
        let ordering = SymmetricOrdering::Amd;
        let symbolic =
            factorize_symbolic_cholesky(matrix.symbolic(), Side::Lower, ordering, default())
                .map_err(|e| {
                    Error::failed("faer", format!("the sparse factorisation failed: {e:?}"))
                })?;
        if symbolic.len_val() > most.saturating_add(n) {
            return Ok(None);
        }
        let mut values = vec![S::zero(); symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<S>(Par::Seq, default());
        let mut memory = MemBuffer::new(scratch);
        let outcome = symbolic.factorize_numeric_llt(
            &mut values,
            matrix.as_ref(),
            Side::Lower,
            default(),
            Par::Seq,
            MemStack::new(&mut memory),
            default(),
        );
        if let Err(LltError::NonPositivePivot { index }) = outcome {
            let row = |p: faer::perm::PermRef<'_, usize>| p.arrays().0.get(index).copied();
            let pivot = symbolic.perm().and_then(row).unwrap_or(index);
            return Err(Error::NotPositiveDefinite { pivot });
        }
        Ok(Some(Factor { symbolic, values }))
    }
}

impl<S: Real + RealField> SparseSolve<S> for Factor<S> {
    fn solve_panel(&self, b: &mut [S], width: usize) {
        let n = self.symbolic.nrows();
        check_panel(b, n, width);
        let scratch = self.symbolic.solve_in_place_scratch::<S>(width, Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let b = MatMut::from_row_major_slice_mut(b, n, width);
        let factor = LltRef::new(&self.symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, b, Par::Seq, MemStack::new(&mut memory));
    }
}

/// A matrix of which faer factors A + s. The analysis is repeated for each factor.
pub(crate) struct Shifted {
    matrix: Csr<f64>,
}

impl Shifted {
    /// `None` as for [`Factor::new`].
    pub(crate) fn new(a: &Csr<f64>, most: usize) -> Result<Option<Self>> {
        let fits = Factor::new(a, most)?.is_some();
        Ok(fits.then(|| Shifted { matrix: a.clone() }))
    }
}

impl<S: Real + RealField> ShiftedFactor<S> for Shifted {
    fn factor(&self, shift: f64) -> Result<Box<dyn SparseSolve<S>>> {
        let row = |i: usize| {
            let added = move |j: usize| if i == j { shift } else { 0.0 };
            self.matrix.iter_row(i).map(move |(j, v)| (j as u32, S::of(v + added(j)))).collect()
        };
        let n = self.matrix.rows();
        let factor = Factor::new(&Csr::from_rows(n, (0..n).map(row).collect()), usize::MAX)?;
        let factor = factor.ok_or_else(|| Error::failed("faer", "a factor is too large"))?;
        Ok(Box::new(factor))
    }
}
