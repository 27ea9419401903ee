//! The matrices of the iteration.

use enclust_core::{Mat, Real, Similarity};
use rayon::prelude::*;

/// Number of columns per panel. It is fixed, so that the result does not depend on the number of
/// threads.
pub const PANEL: usize = 64;

/// A matrix over samples that is constant on groups: one value per ordered pair of groups (p = q:
/// two different samples of p), and the diagonal.
pub struct Variable<S> {
    /// One column per group.
    pub square: Mat<S>,
    /// The values of a sample with itself.
    pub diagonal: Vec<S>,
}

impl<S: Real> Variable<S> {
    pub fn zeros(n: usize) -> Self {
        Variable { square: Mat::zeros(n, n), diagonal: vec![S::zero(); n] }
    }

    /// The similarity with rows and columns in the given order.
    pub fn ordered(similarity: &Similarity<S>, order: &[usize]) -> Self {
        let n = order.len();
        let mut square = Mat::zeros(n, n);
        square.data_mut().par_chunks_mut(n).enumerate().for_each(|(j, column)| {
            for (i, value) in column.iter_mut().enumerate() {
                *value = match (order[i], order[j]) {
                    (p, q) if p == q => similarity.within()[p],
                    (p, q) => similarity.between(p, q),
                };
            }
        });
        Variable { square, diagonal: order.iter().map(|&p| similarity.own()[p]).collect() }
    }

    /// Panels of columns with the corresponding parts of the diagonal.
    pub fn panels(&mut self) -> impl IndexedParallelIterator<Item = (&mut [S], &mut [S])> {
        let n = self.diagonal.len();
        let squares = self.square.data_mut().par_chunks_mut(n * PANEL);
        squares.zip(self.diagonal.par_chunks_mut(PANEL))
    }
}
