//! Matrices over the samples that are constant between groups.

use enclust_core::{Csr, Mat, Real};
use rayon::prelude::*;

/// A matrix over the samples with one value for each pair of groups, one for different samples of a
/// group, and one for a sample with itself.
#[derive(Clone, Debug)]
pub struct Block {
    /// The values between groups; on the diagonal, those within a group.
    pub square: Mat<f64>,
    /// The values of samples with themselves.
    pub own: Vec<f64>,
}

/// Entries with a given value.
#[derive(Clone, Debug)]
pub struct Marks {
    /// For each group, the other groups and the values.
    between: Vec<Vec<(u32, f64)>>,
    within: Vec<Option<f64>>,
    own: Option<f64>,
}

impl Marks {
    /// No entries.
    pub fn none(groups: usize) -> Self {
        Marks { between: vec![Vec::new(); groups], within: vec![None; groups], own: None }
    }

    /// The entries of a symmetric matrix, with values within groups and on the diagonal.
    pub fn of<S: Real>(
        pairs: &Csr<S>,
        value: impl Fn(S) -> f64,
        within: Vec<Option<f64>>,
        own: Option<f64>,
    ) -> Self {
        let row = |p: usize| pairs.iter_row(p).map(|(q, v)| (q as u32, value(v))).collect();
        Marks { between: (0..pairs.rows()).map(row).collect(), within, own }
    }
}

impl Block {
    pub fn zeros(groups: usize) -> Self {
        Block { square: Mat::zeros(groups, groups), own: vec![0.0; groups] }
    }

    /// 2μ F − Xᵀ − Y.
    pub fn combined(mu: f64, f: &Block, x: &Block, y: &Block) -> Self {
        let n = f.own.len();
        let entry = |(p, q)| 2.0 * mu * f.square[(p, q)] - x.square[(q, p)] - y.square[(p, q)];
        let square = Mat::from_fn(n, n, |p, q| entry((p, q)));
        let own = (0..n).map(|p| 2.0 * mu * f.own[p] - x.own[p] - y.own[p]).collect();
        Block { square, own }
    }

    /// The symmetric part of X + Y / 2μ, clipped to [0, 1], with the marked entries at their values.
    pub fn clip(&mut self, x: &Block, y: &Block, mu: f64, marks: &Marks) {
        let n = self.own.len();
        let scale = 0.5 / mu;
        let clipped =
            |p: usize, q: usize| (x.square[(p, q)] + scale * y.square[(p, q)]).clamp(0.0, 1.0);
        self.square.data_mut().par_chunks_mut(n.max(1)).enumerate().for_each(|(q, column)| {
            for (p, out) in column.iter_mut().enumerate() {
                *out = 0.5 * (clipped(p, q) + clipped(q, p));
            }
            // Marks are symmetric, so the mean of both entries is their value.
            marks.between[q].iter().for_each(|&(p, value)| column[p as usize] = value);
            if let Some(value) = marks.within[q] {
                column[q] = value;
            }
        });
        for (p, own) in self.own.iter_mut().enumerate() {
            let clipped = (x.own[p] + scale * y.own[p]).clamp(0.0, 1.0);
            *own = marks.own.unwrap_or(clipped);
        }
    }

    /// Adds μ (X − F).
    pub fn add_difference(&mut self, mu: f64, x: &Block, f: &Block) {
        let entries = self.square.data_mut().iter_mut();
        for (y, (x, f)) in entries.zip(x.square.data().iter().zip(f.square.data())) {
            *y += mu * (x - f);
        }
        for (y, (x, f)) in self.own.iter_mut().zip(x.own.iter().zip(&f.own)) {
            *y += mu * (x - f);
        }
    }

    /// The Frobenius norm of the difference, over the samples.
    pub fn distance(&self, other: &Block, sizes: &[f64]) -> f64 {
        let n = self.own.len();
        let column = |q: usize| -> f64 {
            let pairs = self.square.col(q).iter().zip(other.square.col(q)).zip(sizes).enumerate();
            let terms = pairs.map(|(p, ((x, y), size))| {
                let count = if p == q { size * (size - 1.0) } else { size * sizes[q] };
                count * (x - y) * (x - y)
            });
            terms.sum()
        };
        let columns: Vec<f64> = (0..n).into_par_iter().map(column).collect();
        let own = (0..n).map(|p| sizes[p] * (self.own[p] - other.own[p]).powi(2));
        (columns.into_iter().sum::<f64>() + own.sum::<f64>()).sqrt()
    }

    /// The matrix over the groups, in the orthonormal basis of vectors that are constant on a group,
    /// and the factor of differences inside each group.
    pub fn hatted(self, sizes: &[f64]) -> (Mat<f64>, Vec<f64>) {
        let Block { mut square, own } = self;
        let inside = |p: usize| if sizes[p] > 1.0 { own[p] - square[(p, p)] } else { 0.0 };
        let differences: Vec<f64> = (0..own.len()).map(inside).collect();
        // A group of one sample has no pairs within; its value is that on the diagonal.
        for p in (0..own.len()).filter(|&p| sizes[p] <= 1.0) {
            square[(p, p)] = own[p];
        }
        let roots: Vec<f64> = sizes.iter().map(|r| r.sqrt()).collect();
        for (q, root) in roots.iter().enumerate() {
            square.col_mut(q).iter_mut().zip(&roots).for_each(|(x, r)| *x *= r * root);
            square[(q, q)] += differences[q];
        }
        (square, differences)
    }

    /// The inverse of [`hatted`](Self::hatted).
    pub fn from_hatted(mut square: Mat<f64>, differences: Vec<f64>, sizes: &[f64]) -> Self {
        let roots: Vec<f64> = sizes.iter().map(|r| r.sqrt()).collect();
        for (q, root) in roots.iter().enumerate() {
            square[(q, q)] -= differences[q];
            square.col_mut(q).iter_mut().zip(&roots).for_each(|(x, r)| *x /= r * root);
        }
        let own = (0..sizes.len()).map(|p| square[(p, p)] + differences[p]).collect();
        Block { square, own }
    }
}
