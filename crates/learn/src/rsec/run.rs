//! The variables of the augmented Lagrangian and one iteration.
//!
//! Everything is at group size: for an n × n matrix P X Pᵀ, constant on pairs of groups,
//! with P the membership of samples in groups and R = PᵀP their sizes, X̂ = R^½ X R^½ is
//! kept. Sums, products, inverses and singular values of hatted matrices are those of the
//! large ones. What is no such function undoes the hats: the length of a sample's
//! column is that of the group's over √r, an entry is the hatted one over √(r r').
//!
//! S = U diag(λ) Uᵀ has a low rank, and the error E and the multiplier Y₁ never leave the
//! span of U. They are kept as coordinates there.

use enclust_core::{Error, Mat, Microclusters, Result};
use enclust_linalg::multiply;
use rayon::prelude::*;

use super::RsecH;
use super::embedding::{Embedding, Setting};
use super::threshold::shrink_singular_values;
use crate::modes::Modes;

/// The iteration at some point.
pub(crate) struct Run<'a> {
    params: &'a RsecH,
    setting: Setting<'a>,
    /// U, one row a group.
    basis: Mat<f64>,
    /// λ.
    spectrum: Vec<f64>,
    /// μ.
    penalty: f64,
    /// Z.
    pub z: Mat<f64>,
    /// H, not yet that of the Z above.
    embedding: Embedding,
    /// Y₂/μ, the multiplier of Z = J.
    split_dual: Mat<f64>,
    /// Uᵀ Y₁/μ, the multiplier of S = SZ + E.
    fit_dual: Mat<f64>,
    /// UᵀE.
    error: Mat<f64>,
}

/// √r for each group.
pub(crate) fn size_roots(microclusters: &Microclusters) -> Vec<f64> {
    microclusters.grouping().sizes().iter().map(|&r| (r as f64).sqrt()).collect()
}

impl<'a> Run<'a> {
    /// Everything zero.
    pub fn new(
        component: &str,
        microclusters: &Microclusters,
        params: &'a RsecH,
        setting: Setting<'a>,
    ) -> Result<Self> {
        let modes = Modes::of(component, microclusters, setting.roots, setting.backend)?;
        let total = microclusters.total_weight();
        let spectrum: Vec<f64> = modes.squares.iter().map(|square| square / total).collect();
        let norm = spectrum.last().copied().unwrap_or(1.0);
        let (n, rank) = (microclusters.len(), spectrum.len());
        Ok(Run {
            params,
            setting,
            basis: modes.vectors,
            spectrum,
            penalty: params.mu / norm,
            z: Mat::zeros(n, n),
            embedding: Embedding::none(n),
            split_dual: Mat::zeros(n, n),
            fit_dual: Mat::zeros(rank, n),
            error: Mat::zeros(rank, n),
        })
    }

    /// One iteration, the first having the number 1; the largest violation of the two constraints after it.
    pub fn step(&mut self, iteration: usize) -> Result<f64> {
        let low_rank = match iteration {
            1 => Mat::zeros(self.z.rows(), self.z.cols()),
            _ => self.low_rank_and_embedding()?,
        };
        self.represent(&low_rank);
        let fit_gap = self.fit_error();
        let split_gap = self.update_split(&low_rank);
        let residual = fit_gap.max(split_gap);
        // `max` forgets a NaN on one side.
        if !(fit_gap.is_finite() && split_gap.is_finite()) {
            return Err(Error::NotFinite { what: "an iterate of RSEC", iteration });
        }
        Ok(residual)
    }

    /// H for the Z of the last iteration.
    pub fn finish(self) -> Result<(Mat<f64>, Mat<f64>)> {
        let embedding = self.embedding.next(&self.z, &self.setting)?;
        Ok((self.z, embedding.points))
    }

    /// J, by thresholding Z + Y₂/μ, and H of the Z before: neither needs the other, and
    /// each is a decomposition that one thread makes.
    fn low_rank_and_embedding(&mut self) -> Result<Mat<f64>> {
        let Run { z, split_dual, embedding, setting, .. } = &*self;
        let threshold = self.params.lambda1 / self.penalty;
        let backend = setting.backend;
        let (low_rank, next) = rayon::join(
            || shrink_singular_values(&sum(z, split_dual), threshold, backend),
            || embedding.next(z, setting),
        );
        self.embedding = next?;
        low_rank
    }

    /// Z = (S² + I)⁻¹ (S² + J − SE + (SY₁ − Y₂ + D^-½ HHᵀ D^-½)/μ), and the error S − SZ + Y₁/μ
    /// before it is shrunk. Along U the inverse is a division, across it does nothing.
    fn represent(&mut self, low_rank: &Mat<f64>) {
        let Run { setting, basis, spectrum, split_dual, fit_dual, error, .. } = &*self;
        let (backend, rank) = (setting.backend, spectrum.len());
        let mut z = difference(low_rank, split_dual);
        let points = self.embedding.scaled_points();
        let (view, share) = (points.view(), self.penalty.recip());
        multiply(backend, share, view, view.transposed(), 1.0, &mut z);
        let mut along = Mat::zeros(rank, z.cols());
        multiply(backend, 1.0, basis.view().transposed(), z.view(), 0.0, &mut along);
        let mut unshrunk = Mat::zeros(rank, z.cols());
        for q in 0..z.cols() {
            let (step, unshrunk) = (along.col_mut(q), unshrunk.col_mut(q));
            for i in 0..rank {
                let (lambda, target) = (spectrum[i], spectrum[i] * basis[(q, i)]);
                let pull = lambda * (target + fit_dual[(i, q)] - error[(i, q)]);
                let solved = (step[i] + pull) / (lambda * lambda + 1.0);
                unshrunk[i] = target - lambda * solved + fit_dual[(i, q)];
                step[i] = solved - step[i];
            }
        }
        multiply(backend, 1.0, basis.view(), along.view(), 1.0, &mut z);
        self.z = z;
        self.error = unshrunk;
    }

    /// Shrinks the columns of E, and moves Y₁ by the violation of S = SZ + E, of which it
    /// returns the largest entry.
    fn fit_error(&mut self) -> f64 {
        let threshold = self.params.lambda2 / self.penalty;
        let growth = self.growth();
        let rank = self.spectrum.len();
        let mut gap = Mat::zeros(rank, self.z.cols());
        for q in 0..self.z.cols() {
            let column = self.error.col_mut(q);
            let length = column.iter().map(|x| x * x).sum::<f64>().sqrt() / self.setting.roots[q];
            let share = if length > threshold { 1.0 - threshold / length } else { 0.0 };
            let (dual, gap) = (self.fit_dual.col_mut(q), gap.col_mut(q));
            for i in 0..rank {
                let multiplier = (1.0 - share) * column[i];
                gap[i] = multiplier - dual[i];
                dual[i] = multiplier / growth;
                column[i] *= share;
            }
        }
        let mut entries = Mat::zeros(self.z.rows(), self.z.cols());
        multiply(self.setting.backend, 1.0, self.basis.view(), gap.view(), 0.0, &mut entries);
        self.largest_entry(&entries)
    }

    /// Moves Y₂ by the violation of Z = J, of which it returns the largest entry, and
    /// raises the penalty.
    fn update_split(&mut self, low_rank: &Mat<f64>) -> f64 {
        let gap = difference(&self.z, low_rank);
        let growth = self.growth();
        let dual = self.split_dual.data_mut().par_iter_mut();
        dual.zip(gap.data()).for_each(|(dual, gap)| *dual = (*dual + gap) / growth);
        self.penalty *= growth;
        self.largest_entry(&gap)
    }

    /// By how much μ grows after this iteration.
    fn growth(&self) -> f64 {
        self.params.rho.min(self.params.mu_max / self.penalty).max(1.0)
    }

    /// The largest entry between samples; NaN if one is.
    fn largest_entry(&self, matrix: &Mat<f64>) -> f64 {
        let roots = self.setting.roots;
        let mut largest = 0.0;
        for (q, root) in roots.iter().enumerate() {
            for (value, other) in matrix.col(q).iter().zip(roots) {
                let entry = value.abs() / (root * other);
                // Nothing is larger than a NaN, so it stays.
                if entry.is_nan() || entry > largest {
                    largest = entry;
                }
            }
        }
        largest
    }
}

fn sum(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    combined(a, b, |x, y| x + y)
}

fn difference(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    combined(a, b, |x, y| x - y)
}

fn combined(a: &Mat<f64>, b: &Mat<f64>, f: impl Fn(f64, f64) -> f64 + Sync) -> Mat<f64> {
    let mut out = a.clone();
    out.data_mut().par_iter_mut().zip(b.data()).for_each(|(x, &y)| *x = f(*x, y));
    out
}
