//! The spectral embedding H of the iteration.

use enclust_core::{Backend, Condensed, Ctx, Eigen, Error, Mat, Result};
use enclust_linalg::{PackedSymmetric, leading_eigenpairs, leading_eigenpairs_within, multiply};

use crate::low_rank_affinity::LowRankAffinity;

/// Eigenvalues of a normalised affinity, which lie in [0, 1], count as equal if their
/// difference is at most this.
const TIE: f64 = 1e-8;
/// Up to this size all eigenvectors are computed, because this is not slower than computing a
/// few.
const SMALL: usize = 400;
/// Maximum number of products in the search for the leading eigenvectors.
const PRODUCTS: usize = 60;

/// H = D^-½ V with the k leading eigenvectors V of D^-½ A D^-½, on groups: the row of a group
/// of r samples is √r times the row of one of its samples.
pub(crate) struct Embedding {
    /// Ĥ = D^-½ V.
    pub points: Mat<f64>,
    /// D^-½ for each group.
    inverse_roots: Vec<f64>,
    /// Whether the leading eigenvectors can be found without the others. After a failure, the
    /// search is not repeated.
    has_gap: bool,
}

/// The data that all embeddings of a run share.
pub(crate) struct Setting<'a> {
    pub k: usize,
    /// √r for each group.
    pub roots: &'a [f64],
    pub ctx: Ctx<'a, f64>,
}

impl Embedding {
    /// No embedding yet: H = 0, D = I.
    pub fn none(groups: usize) -> Self {
        let inverse_roots = vec![1.0; groups];
        Embedding { points: Mat::zeros(groups, 0), inverse_roots, has_gap: groups > SMALL }
    }

    /// The embedding of the low-rank affinity of (Z + Zᵀ)/2 + HHᵀ, with this H.
    pub fn next(&self, z: &Mat<f64>, setting: &Setting<'_>) -> Result<Self> {
        let backend = setting.ctx.backend();
        let affinity = {
            let eigen = backend.eigh(self.symmetrised(z, backend).view())?;
            let strengths: Vec<f64> = eigen.values.iter().map(|v| v.abs()).collect();
            LowRankAffinity::new(&eigen.vectors, &strengths)
        };
        let between: Condensed<Vec<f64>> = affinity.condensed(backend);
        drop(affinity);
        let degrees = degrees(&between, setting.roots);
        let inverse_roots: Vec<f64> = degrees.iter().map(|d| d.sqrt().recip()).collect();
        let factors: Vec<f64> =
            inverse_roots.iter().zip(setting.roots).map(|(d, root)| d * root).collect();
        let diagonal = vec![1.0; factors.len()];
        let normalised = PackedSymmetric::new(between.into_values(), diagonal)?.scaled(&factors)?;
        let found = if self.has_gap { leading_vectors(&normalised, setting)? } else { None };
        let has_gap = found.is_some();
        let mut points = match found {
            Some(vectors) => vectors,
            None => leading_space(&normalised, setting)?,
        };
        scale_rows(&mut points, &inverse_roots);
        Ok(Embedding { points, inverse_roots, has_gap })
    }

    /// B with D^-½ HHᵀ D^-½ = BBᵀ.
    pub fn scaled_points(&self) -> Mat<f64> {
        let mut points = self.points.clone();
        scale_rows(&mut points, &self.inverse_roots);
        points
    }

    /// (Z + Zᵀ)/2 + HHᵀ.
    fn symmetrised(&self, z: &Mat<f64>, backend: &dyn Backend<f64>) -> Mat<f64> {
        let n = z.rows();
        let mut sum = Mat::zeros(n, n);
        sum.view_mut().copy_from(z.view().transposed());
        sum.data_mut().iter_mut().zip(z.data()).for_each(|(t, z)| *t = 0.5 * (*t + z));
        let points = self.points.view();
        multiply(backend, 1.0, points, points.transposed(), 1.0, &mut sum);
        sum
    }
}

/// For each group, the sum of the affinities of one of its samples to all samples; the affinity
/// to itself is 1.
fn degrees(between: &Condensed<Vec<f64>>, roots: &[f64]) -> Vec<f64> {
    let sizes: Vec<f64> = roots.iter().map(|root| root * root).collect();
    between.row_sums(&sizes, sizes.clone())
}

/// The k leading eigenvectors, if the gap after them is large enough for an iterative method.
fn leading_vectors(
    matrix: &PackedSymmetric<f64>,
    setting: &Setting<'_>,
) -> Result<Option<Mat<f64>>> {
    let count = setting.roots.len().min(setting.k + 1);
    match leading_eigenpairs_within(PRODUCTS, matrix, count, &setting.ctx) {
        Ok(found) if count > setting.k && found.values[1] - found.values[0] > TIE => {
            Ok(Some(last_columns(&found, setting.k)))
        }
        Ok(_) | Err(Error::NoConvergence { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The k leading eigenvectors. If the last one is one of several with the same eigenvalue, all
/// of these are included, scaled so that together they count as the missing vectors. This
/// avoids an arbitrary choice.
fn leading_space(matrix: &PackedSymmetric<f64>, setting: &Setting<'_>) -> Result<Mat<f64>> {
    let (n, k) = (setting.roots.len(), setting.k);
    let all = leading_eigenpairs(matrix, n, &setting.ctx)?;
    let last = all.values[n - k];
    let above = all.values.iter().filter(|&&v| v > last + TIE).count();
    let kept = all.values.iter().filter(|&&v| v >= last - TIE).count();
    let mut vectors = last_columns(&all, kept);
    let share = ((k - above) as f64 / (kept - above) as f64).sqrt();
    for j in 0..kept - above {
        vectors.col_mut(j).iter_mut().for_each(|v| *v *= share);
    }
    Ok(vectors)
}

fn last_columns(eigen: &Eigen<f64>, count: usize) -> Mat<f64> {
    let first = eigen.values.len() - count;
    Mat::from_fn(eigen.vectors.rows(), count, |p, j| eigen.vectors[(p, first + j)])
}

fn scale_rows(matrix: &mut Mat<f64>, factors: &[f64]) {
    for j in 0..matrix.cols() {
        matrix.col_mut(j).iter_mut().zip(factors).for_each(|(v, f)| *v *= f);
    }
}
