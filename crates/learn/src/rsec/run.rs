//! The variables of the augmented Lagrangian and one iteration.
//!
//! All computations run on groups. An n × n matrix P X Pᵀ that is constant on pairs of groups,
//! with P the membership of samples in groups and R = PᵀP their sizes, is stored as X̂ = R^½ X
//! R^½. Sums, products, inverses and singular values of the hatted matrices correspond to those
//! of the large ones. Other operations must undo the scaling: the length of a sample's column
//! is the length of the group's column divided by √r, and an entry is the hatted entry divided
//! by √(r r').
//!
//! S = U diag(λ) Uᵀ has a low rank, and the error E and the multiplier Y₁ never leave the
//! span of U. They are stored as coordinates in this span.

use enclust_core::{Error, Mat, Microclusters, Result};
use enclust_linalg::multiply;
use rayon::prelude::*;

use super::RsecH;
use super::embedding::{Embedding, Setting};
use super::threshold::shrink_singular_values;
use crate::modes::Modes;

/// The state of the iteration.
pub(crate) struct Run<'a> {
    params: &'a RsecH,
    setting: Setting<'a>,
    /// U, one row per group.
    basis: Mat<f64>,
    /// λ.
    spectrum: Vec<f64>,
    /// μ.
    penalty: f64,
    /// Z.
    pub z: Mat<f64>,
    /// H of the previous Z.
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
    /// The initial state, in which all variables are zero.
    pub fn new(
        component: &str,
        microclusters: &Microclusters,
        params: &'a RsecH,
        setting: Setting<'a>,
    ) -> Result<Self> {
        let modes = Modes::of(component, microclusters, setting.roots, setting.ctx.backend())?;
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

    /// Performs an iteration; the first one has number 1. Returns the largest violation of the
    /// two constraints after it.
    pub fn step(&mut self, iteration: usize) -> Result<f64> {
        let low_rank = match iteration {
            1 => Mat::zeros(self.z.rows(), self.z.cols()),
            _ => self.low_rank_and_embedding()?,
        };
        self.represent(&low_rank);
        let fit_gap = self.fit_error();
        let split_gap = self.update_split(&low_rank);
        let residual = fit_gap.max(split_gap);
        // `max` ignores a NaN in one of its arguments.
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

    /// Computes J by thresholding Z + Y₂/μ, and H of the previous Z. The two are independent,
    /// and each is a decomposition on one thread.
    fn low_rank_and_embedding(&mut self) -> Result<Mat<f64>> {
        let Run { z, split_dual, embedding, setting, .. } = &*self;
        let threshold = self.params.lambda1 / self.penalty;
        let backend = setting.ctx.backend();
        let (low_rank, next) = rayon::join(
            || shrink_singular_values(&sum(z, split_dual), threshold, backend),
            || embedding.next(z, setting),
        );
        self.embedding = next?;
        low_rank
    }

    /// Z = (S² + I)⁻¹ (S² + J − SE + (SY₁ − Y₂ + D^-½ HHᵀ D^-½)/μ), and the error S − SZ + Y₁/μ
    /// before it is shrunk. In the span of U the inverse is a division; on its orthogonal
    /// complement it is the identity.
    fn represent(&mut self, low_rank: &Mat<f64>) {
        let Run { setting, basis, spectrum, split_dual, fit_dual, error, .. } = &*self;
        let (backend, rank) = (setting.ctx.backend(), spectrum.len());
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

    /// Shrinks the columns of E and updates Y₁ by the violation of S = SZ + E. Returns the
    /// largest entry of the violation.
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
        multiply(self.setting.ctx.backend(), 1.0, self.basis.view(), gap.view(), 0.0, &mut entries);
        self.largest_entry(&entries)
    }

    /// Updates Y₂ by the violation of Z = J and increases the penalty. Returns the largest
    /// entry of the violation.
    fn update_split(&mut self, low_rank: &Mat<f64>) -> f64 {
        let gap = difference(&self.z, low_rank);
        let growth = self.growth();
        let dual = self.split_dual.data_mut().par_iter_mut();
        dual.zip(gap.data()).for_each(|(dual, gap)| *dual = (*dual + gap) / growth);
        self.penalty *= growth;
        self.largest_entry(&gap)
    }

    /// The factor by which μ grows after this iteration.
    fn growth(&self) -> f64 {
        self.params.rho.min(self.params.mu_max / self.penalty).max(1.0)
    }

    /// The largest absolute entry between samples; NaN if an entry is NaN.
    fn largest_entry(&self, matrix: &Mat<f64>) -> f64 {
        let roots = self.setting.roots;
        let mut largest = 0.0;
        for (q, root) in roots.iter().enumerate() {
            for (value, other) in matrix.col(q).iter().zip(roots) {
                let entry = value.abs() / (root * other);
                // No comparison with NaN is true, so a NaN is kept.
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
