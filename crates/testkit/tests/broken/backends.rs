//! Broken backends.

use enclust_core::{
    Backend, Csr, Eigen, Mat, MatMut, MatRef, Reference, Result, ShiftedFactor, SparseProduct,
    SparseSolve, SpdSolve,
};
use enclust_testkit::backend;

use crate::{assert_names, complaint, component};

component!(
    ForgetsZeroBlocks,
    KeepsNan,
    TakesIndefinite,
    MixesEigenpairs,
    LosesColumns,
    SolvesRoughly,
    ForgetsTheShift
);

/// Wrong only if the right factor has a long run of zeros.
impl Backend<f64> for ForgetsZeroBlocks {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, mut c: MatMut<f64>) {
        let rows = b.rows();
        let empty = rows > 300 && (0..rows - 64).any(|i| (i..i + 64).all(|k| b.at(k, 0) == 0.0));
        let (rows, cols, stride) = (c.rows(), c.cols(), c.stride());
        Reference.gemm(alpha, a, b, beta, MatMut::new(c.data(), rows, cols, stride));
        if empty {
            c.col(0)[0] += 0.5;
        }
    }
}

/// Computes 0 · C + αAB instead of overwriting.
impl Backend<f64> for KeepsNan {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, mut c: MatMut<f64>) {
        for j in 0..c.cols() {
            c.col(j).iter_mut().for_each(|v| *v *= beta);
        }
        Reference.gemm(alpha, a, b, 1.0, c);
    }
}

impl Backend<f64> for TakesIndefinite {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn factor_spd(&self, a: MatRef<f64>) -> Result<Box<dyn SpdSolve<f64>>> {
        Reference.factor_spd(a).or_else(|_| Reference.factor_spd(Mat::identity(a.rows()).view()))
    }
}

impl Backend<f64> for MixesEigenpairs {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn eigh(&self, a: MatRef<f64>) -> Result<Eigen<f64>> {
        let mut eigen = Reference.eigh(a)?;
        let n = a.rows();
        if n > 100 {
            for i in 0..n {
                eigen.vectors.data_mut().swap(i, (n - 1) * n + i);
            }
        }
        Ok(eigen)
    }
}

#[test]
fn backend_that_goes_wrong_on_zero_blocks() {
    let complaint = complaint(|| backend::conformance::<f64>(&ForgetsZeroBlocks));
    assert_names(&complaint, "a product equals its definition");
    assert_names(&complaint, "320 x 320 by 320 x 320");
}

#[test]
fn backend_that_keeps_nan() {
    let complaint = complaint(|| backend::conformance::<f64>(&KeepsNan));
    assert_names(&complaint, "beta = 0 overwrites");
}

#[test]
fn backend_that_takes_indefinite_matrices() {
    let complaint = complaint(|| backend::conformance::<f64>(&TakesIndefinite));
    assert_names(&complaint, "not positive definite is refused");
}

#[test]
fn backend_that_mixes_eigenpairs() {
    let complaint = complaint(|| backend::conformance::<f64>(&MixesEigenpairs));
    assert_names(&complaint, "AV = V diag(w)");
}

/// A sparse product or a sparse solve that is slightly wrong.
struct Wrong<T: ?Sized>(Box<T>);

impl SparseProduct<f64> for Wrong<dyn SparseProduct<f64>> {
    fn multiply(&self, x: &[f64], y: &mut [f64], width: usize) {
        self.0.multiply(x, y, width);
        y.iter_mut().skip(width - 1).step_by(width).for_each(|v| *v = 0.0);
    }
}

impl SparseSolve<f64> for Wrong<dyn SparseSolve<f64>> {
    fn solve_panel(&self, b: &mut [f64], width: usize) {
        self.0.solve_panel(b, width);
        b.iter_mut().for_each(|v| *v *= 1.01);
    }
}

/// Leaves out the last column of every panel.
impl Backend<f64> for LosesColumns {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn sparse(&self, a: Csr<f64>) -> Box<dyn SparseProduct<f64>> {
        Box::new(Wrong(Reference.sparse(a)))
    }
}

/// Its sparse solutions are off by a hundredth.
impl Backend<f64> for SolvesRoughly {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn factor_sparse(
        &self,
        a: &Csr<f64>,
        most: usize,
    ) -> Result<Option<Box<dyn SparseSolve<f64>>>> {
        let factor = Reference.factor_sparse(a, most)?;
        Ok(factor.map(|factor| Box::new(Wrong(factor)) as Box<dyn SparseSolve<f64>>))
    }
}

/// Factors A in place of A + s.
impl Backend<f64> for ForgetsTheShift {
    fn gemm(&self, alpha: f64, a: MatRef<f64>, b: MatRef<f64>, beta: f64, c: MatMut<f64>) {
        Reference.gemm(alpha, a, b, beta, c);
    }

    fn shifted(&self, a: &Csr<f64>, most: usize) -> Result<Option<Box<dyn ShiftedFactor<f64>>>> {
        let prepared = Reference.shifted(a, most)?;
        Ok(prepared.map(|prepared| Box::new(Wrong(prepared)) as Box<dyn ShiftedFactor<f64>>))
    }
}

impl ShiftedFactor<f64> for Wrong<dyn ShiftedFactor<f64>> {
    fn factor(&self, _: f64) -> Result<Box<dyn SparseSolve<f64>>> {
        self.0.factor(0.0)
    }
}

#[test]
fn shifted_factor_that_forgets_the_shift() {
    let complaint = complaint(|| backend::conformance::<f64>(&ForgetsTheShift));
    assert_names(&complaint, "a shifted factor solves (A + s)X = B");
}

#[test]
fn sparse_product_that_loses_a_column() {
    let complaint = complaint(|| backend::conformance::<f64>(&LosesColumns));
    assert_names(&complaint, "a sparse product equals its definition");
}

#[test]
fn sparse_solve_that_is_rough() {
    let complaint = complaint(|| backend::conformance::<f64>(&SolvesRoughly));
    assert_names(&complaint, "a sparse factor solves AX = B");
}
