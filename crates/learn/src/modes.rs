//! The singular value decomposition of the incidence matrix of an ensemble.

use enclust_core::{Backend, Bytes, Eigen, Mat, Microclusters, Result, Shape};
use rayon::prelude::*;

/// Squared singular values below this share of the largest are rounding errors.
const RANK_CUT: f64 = 1e-11;

/// The right singular vectors of X = diag(√w) Incidence diag(scale), which has one row per base
/// cluster and one column per group, and the squares of the non-zero singular values. In other
/// words, XᵀX = V diag(s²) Vᵀ.
pub(crate) struct Modes {
    /// s².
    pub squares: Vec<f64>,
    /// V, one row per group.
    pub vectors: Mat<f64>,
}

impl Modes {
    /// Decomposes the smaller of XXᵀ and XᵀX. The weight of a clustering is its multiplicity;
    /// `scale` has one factor per group.
    pub fn of(
        component: &str,
        microclusters: &Microclusters,
        scale: &[f64],
        backend: &dyn Backend<f64>,
    ) -> Result<Self> {
        microclusters.require_complete(component)?;
        let clusters: usize = microclusters.clusters().iter().sum();
        if clusters < microclusters.len() {
            let incidence = Incidence::new(microclusters, scale);
            let eigen = backend.eigh(incidence.overlaps().view())?;
            let from = first_mode(&eigen);
            let vectors = incidence.transferred(&eigen, from);
            Ok(Modes { squares: eigen.values[from..].to_vec(), vectors })
        } else {
            let eigen = backend.eigh(agreements(microclusters, scale).view())?;
            let from = first_mode(&eigen);
            let rank = eigen.values.len() - from;
            let vectors = Mat::from_fn(scale.len(), rank, |p, i| eigen.vectors[(p, from + i)]);
            Ok(Modes { squares: eigen.values[from..].to_vec(), vectors })
        }
    }

    /// An upper bound on the rank of X.
    pub fn most(shape: &Shape) -> usize {
        shape.clusters.min(shape.groups)
    }

    /// The memory of [`of`](Self::of), including its result: the matrix, its decomposition,
    /// which works on a copy, and the vectors.
    pub fn bytes(shape: &Shape) -> Bytes {
        let rank = Self::most(shape);
        let square = shape.in_double().with_groups(rank).square();
        square * 3 + shape.in_double().vector() * rank as u64
    }
}

/// The index of the first eigenvalue that is not a rounding error; eigenvalues are in ascending
/// order.
fn first_mode(eigen: &Eigen<f64>) -> usize {
    let largest = eigen.values.last().copied().unwrap_or(0.0);
    eigen.values.partition_point(|&value| value <= RANK_CUT * largest)
}

/// XᵀX: the scaled weight of the clusterings that join two groups.
fn agreements(microclusters: &Microclusters, scale: &[f64]) -> Mat<f64> {
    let n = microclusters.len();
    let total = microclusters.total_weight();
    let mut gram = Mat::zeros(n, n);
    gram.data_mut().par_chunks_mut(n).enumerate().for_each(|(p, column)| {
        let below = &mut column[p + 1..];
        microclusters.add_agreement(p, |k| microclusters.weight(k), below);
        below.iter_mut().zip(&scale[p + 1..]).for_each(|(v, s)| *v *= scale[p] * s);
        column[p] = total * scale[p] * scale[p];
    });
    gram
}

/// X, stored as the positions of its entries: each column has one entry per clustering.
struct Incidence<'a> {
    /// The base cluster of each group in each clustering, one group after the other.
    homes: Vec<usize>,
    /// √w for each clustering.
    roots: Vec<f64>,
    clusters: usize,
    scale: &'a [f64],
}

impl<'a> Incidence<'a> {
    fn new(microclusters: &Microclusters, scale: &'a [f64]) -> Self {
        let (n, m) = (microclusters.len(), microclusters.clusterings());
        let offsets = microclusters.cluster_offsets();
        let home = |p: usize, k: usize| offsets[k] + microclusters.label(p, k) as usize;
        Incidence {
            homes: (0..n)
                .flat_map(|p| (0..m).map(move |k| (p, k)))
                .map(|(p, k)| home(p, k))
                .collect(),
            roots: (0..m).map(|k| microclusters.weight(k).sqrt()).collect(),
            clusters: offsets[m],
            scale,
        }
    }

    /// The entries of X in the column of each group: base cluster and value.
    fn columns(&self) -> impl Iterator<Item = (&[usize], f64)> {
        self.homes.chunks_exact(self.roots.len()).zip(self.scale.iter().copied())
    }

    /// XXᵀ.
    fn overlaps(&self) -> Mat<f64> {
        let mut gram = Mat::zeros(self.clusters, self.clusters);
        for (homes, scale) in self.columns() {
            for (&b, right) in homes.iter().zip(&self.roots) {
                let column = gram.col_mut(b);
                let weight = scale * scale * right;
                homes.iter().zip(&self.roots).for_each(|(&a, left)| column[a] += weight * left);
            }
        }
        gram
    }

    /// The right singular vectors XᵀU/s for the left singular vectors U.
    fn transferred(&self, left: &Eigen<f64>, from: usize) -> Mat<f64> {
        let n = self.scale.len();
        let mut vectors = Mat::zeros(n, left.values.len() - from);
        vectors.data_mut().par_chunks_mut(n).enumerate().for_each(|(i, column)| {
            let (u, s) = (left.vectors.col(from + i), left.values[from + i].sqrt());
            for (v, (homes, scale)) in column.iter_mut().zip(self.columns()) {
                let sum: f64 = homes.iter().zip(&self.roots).map(|(&a, root)| root * u[a]).sum();
                *v = sum * scale / s;
            }
        });
        vectors
    }
}
