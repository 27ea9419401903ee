//! The affinity of a low-rank representation.

use enclust_core::{
    Backend, Bytes, Condensed, Grouping, Mat, MatMut, MatRef, Real, Result, Shape, Similarity,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Singular values below this share of the largest are ignored.
const CUT: f64 = 1e-4;
/// Rows shorter than this share of the longest row are rounding errors without a meaningful
/// direction.
const NOISE: f64 = 1e-12;
/// Number of groups whose affinities one thread computes at a time.
const PANEL: usize = 64;

/// The affinity of the rows of a matrix Z with singular value decomposition A diag(s) Bᵀ.
///
/// # Problem
///
/// The rows of A diag(√s), restricted to the s above 10⁻⁴ of the largest, are scaled to unit
/// length; the affinity of two rows is the fourth power of their cosine. It lies in [0, 1], is
/// positive semidefinite, and depends neither on the lengths of the rows nor on the choice of A
/// for equal singular values.
///
/// # Complexity
///
/// O(n'² r) time for r singular values above the limit; n'²/2 numbers.
///
/// # Determinism and ties
///
/// Panels are fixed, so the result does not depend on the number of threads. A zero row has
/// affinity 0 to all others.
///
/// # Reference
///
/// The usual last step of low-rank representation: G. Liu et al., "Robust recovery of subspace
/// structures by low-rank representation", TPAMI 2013.
pub(crate) struct LowRankAffinity {
    /// Unit vectors, one row per group.
    directions: Mat<f64>,
}

impl LowRankAffinity {
    /// Built from the left singular vectors of Z, one row per group, and their singular values
    /// in any order. A row may be scaled by any factor.
    pub fn new(vectors: &Mat<f64>, values: &[f64]) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let kept: Vec<(usize, f64)> = values
            .iter()
            .enumerate()
            .filter(|&(_, &s)| s > CUT * largest)
            .map(|(i, s)| (i, s.sqrt()))
            .collect();
        let entry = |p: usize, i: usize| vectors[(p, kept[i].0)] * kept[i].1;
        let mut directions = Mat::from_fn(vectors.rows(), kept.len(), entry);
        normalise_rows(&mut directions);
        LowRankAffinity { directions }
    }

    /// The affinities between different groups, as the upper triangle in row-major order.
    pub fn condensed<S: Real>(&self, backend: &dyn Backend<f64>) -> Condensed<Vec<S>> {
        let n = self.directions.rows();
        let mut affinities = Condensed::zeros(n);
        let mut panels = Vec::with_capacity(n.div_ceil(PANEL));
        let mut rest = affinities.values_mut();
        for start in (0..n).step_by(PANEL) {
            let entries: usize = (start..n.min(start + PANEL)).map(|p| n - p - 1).sum();
            let (panel, tail) = rest.split_at_mut(entries);
            panels.push((start, panel));
            rest = tail;
        }
        panels.into_par_iter().for_each(|(start, panel)| self.fill(start, panel, backend));
        affinities
    }

    /// The affinities of a panel of groups to all later groups.
    fn fill<S: Real>(&self, start: usize, panel: &mut [S], backend: &dyn Backend<f64>) {
        let (n, rank) = (self.directions.rows(), self.directions.cols());
        let (behind, width) = (n - start, PANEL.min(n - start));
        // If there are no directions, the data are empty.
        let data = self.directions.data().get(start..).unwrap_or(&[]);
        let all = MatRef::new(data, behind, rank, n);
        let own = MatRef::new(data, width, rank, n).transposed();
        let mut cosines = vec![0.0; behind * width];
        backend.gemm(1.0, all, own, 0.0, MatMut::new(&mut cosines, behind, width, behind));
        let rows = cosines.chunks_exact(behind).enumerate();
        let found = rows.flat_map(|(p, row)| &row[p + 1..]);
        panel.iter_mut().zip(found).for_each(|(to, &cosine)| *to = S::of(fourth_power(cosine)));
    }

    /// The affinities as a similarity; the value within a group is 1.
    pub fn similarity<S: Real>(
        &self,
        grouping: &Arc<Grouping>,
        backend: &dyn Backend<f64>,
    ) -> Result<Similarity<S>> {
        let ones = vec![S::one(); grouping.len()];
        let between = self.condensed(backend).into_values();
        Similarity::new(Arc::clone(grouping), between, ones.clone(), ones)
    }

    /// The memory to build it from `rank` vectors and to fill a triangle, without the triangle
    /// itself.
    pub fn bytes(shape: &Shape, rank: usize) -> Bytes {
        let wide = shape.in_double();
        let panels = wide.vector() * (PANEL * shape.threads) as u64;
        wide.vector() * rank as u64 + Bytes(24) * rank as u64 + panels
    }
}

/// Rounding may leave a cosine outside [−1, 1].
fn fourth_power(cosine: f64) -> f64 {
    let square = (cosine * cosine).min(1.0);
    square * square
}

/// Scales rows to unit length; rows that are only noise relative to the longest one become
/// zero.
fn normalise_rows(rows: &mut Mat<f64>) {
    let mut lengths = vec![0.0; rows.rows()];
    for i in 0..rows.cols() {
        lengths.iter_mut().zip(rows.col(i)).for_each(|(sum, x)| *sum += x * x);
    }
    lengths.iter_mut().for_each(|square: &mut f64| *square = square.sqrt());
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let factor = |&length: &f64| if length > NOISE * longest { length.recip() } else { 0.0 };
    let factors: Vec<f64> = lengths.iter().map(factor).collect();
    for i in 0..rows.cols() {
        rows.col_mut(i).iter_mut().zip(&factors).for_each(|(x, f)| *x *= f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust_core::Reference;

    #[test]
    fn cosines_of_scaled_rows_to_the_fourth() {
        // The last value is below the limit; the second row has twice the length.
        let vectors =
            Mat::from_fn(3, 3, |p, i| [[1.0, 0.0, 5.0], [1.0, 1.0, 7.0], [0.0, 0.0, 1.0]][p][i]);
        let affinity = LowRankAffinity::new(&vectors, &[4.0, 12.0, 1e-4]);
        let found: Vec<f64> = affinity.condensed(&Reference).into_values();
        // The cosine of (2, 0) and (2, √12) is ½; the third row is zero.
        assert!((found[0] - 1.0 / 16.0).abs() < 1e-15, "{found:?}");
        assert_eq!(found[1..], [0.0, 0.0]);
    }

    #[test]
    fn panels_meet() {
        let n = 2 * PANEL + 3;
        let vectors = Mat::from_fn(n, 2, |p, i| ((p + 1) as f64 * 0.01 + i as f64).sin());
        let affinity = LowRankAffinity::new(&vectors, &[1.0, 1.0]);
        let found: Vec<f64> = affinity.condensed(&Reference).into_values();
        let unit = |p: usize| {
            let (x, y) = (vectors[(p, 0)], vectors[(p, 1)]);
            (x / x.hypot(y), y / x.hypot(y))
        };
        let pairs = (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q)));
        for ((p, q), found) in pairs.zip(found) {
            let ((a, b), (c, d)) = (unit(p), unit(q));
            assert!((found - (a * c + b * d).powi(4)).abs() < 1e-14, "{p} {q}");
        }
    }
}
