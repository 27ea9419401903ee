//! Transfer cut of a bipartite graph.

use std::ops;
use std::sync::Arc;

use enclust_core::{
    Bipartite, Bytes, Consensus, Csr, Ctx, Error, Evidence, Fitted, Footprint, Kind, Mat, Range,
    Real, Result, Shape, Weighting, part,
};
use enclust_linalg::leading_eigenpairs;
use rayon::prelude::*;

use crate::embedding::{Embedded, Embedding, cut_ahead_bytes, embed, inverse_root, multiplicities};
use enclust_kmeans::KMeansParams;

const NAME: &str = "tcut";
/// Replaces the degree of an object that is in no cluster.
const NO_DEGREE: f64 = 1e-10;
/// Number of clusters whose affinities are summed in one pass over the objects.
const TILE: usize = 16;

part! {
    /// Transfer cut: spectral clustering of a bipartite graph of objects and base clusters, at
    /// the cost of an eigenproblem over the clusters.
    ///
    /// # Problem
    ///
    /// For weights B (objects × clusters) with row sums X, let W = BᵀX⁻¹B be the graph over the
    /// clusters and D its row sums. Compute the k eigenvectors V of D^-1/2 W D^-1/2 with the
    /// largest eigenvalues, transfer them to the objects as X⁻¹ B D^-1/2 V, scale the rows to
    /// unit length, and cluster the rows by k-means.
    ///
    /// The computation runs on groups. If samples are counted, every sum over objects counts a
    /// group of r samples r times, which gives each sample the same row as in the graph over
    /// the samples.
    ///
    /// A graph may have rows that stand for no sample
    /// ([`Bipartite::with_helpers`](enclust_core::Bipartite::with_helpers)). They count as objects of
    /// weight 1, and only the labels of the samples are returned. A cluster that contains no sample
    /// then gets the group that is farthest from its centre.
    ///
    /// # Parameters
    ///
    /// `weighting`, `replicates` and `max_iterations`. If groups are counted, every group
    /// counts once.
    ///
    /// # Complexity
    ///
    /// O(Σ eₚ²) time for W, with eₚ the number of entries of row p; O(N² k) for each of a few
    /// tens of products with N clusters; N² numbers of memory in addition to the graph.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the graph, k, the seed and the backend, not on the number of
    /// threads. The order of the samples does not matter to k-means
    /// ([`kmeans_order_free`](enclust_kmeans::kmeans_order_free)). An object without a cluster is
    /// at the origin; a cluster without objects is ignored.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`] if k is 0 or exceeds the number of groups or base clusters;
    /// [`Error::KindMismatch`] for other evidence; [`Error::Size`] if the sizes of graph and
    /// groups do not match; [`Error::Unsupported`] for weights that are negative or not finite;
    /// [`Error::NoConvergence`] if the eigenvectors are not found.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::Tcut;
    /// use enclust_core::{Bipartite, Consensus, Csr, Ctx, Grouping};
    ///
    /// let row = |a, b| vec![(a, 1.0), (b, 1.0)];
    /// let weights = Csr::from_rows(4, vec![row(0, 2), row(0, 2), row(1, 3), row(1, 3)]);
    /// let graph = Bipartite::new(Arc::new(Grouping::singletons(4)), weights)?;
    /// let ctx = Ctx::default();
    /// let fitted = Tcut::default().fit(&graph.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// Z. Li, X.-M. Wu, S.-F. Chang, *Segmentation using superpixels: a bipartite graph
    /// partitioning approach*, CVPR 2012; as used for ensembles by D. Huang, C.-D. Wang, J.-H.
    /// Lai, *Locally weighted ensemble clustering*, IEEE Trans. Cybernetics 48 (2018). The
    /// factor by which the former scales each transferred vector is omitted, as in the latter.
    pub struct Tcut("tcut", "transfer cut of a bipartite graph") {
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of initialisations of k-means; the best result is kept.
        pub replicates: usize = 3, in Range::AtLeast(1.0);
        /// Maximum number of iterations per initialisation.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl Tcut {
    /// The input of k-means in row-major order: one row of k numbers per group, of unit length
    /// (or zero), then those of the rows that stand for no sample.
    pub fn embedding<S: Real>(
        &self,
        graph: &Bipartite<S>,
        k: usize,
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<f64>> {
        embed(&ClusterSide::new(graph, self.weighting, ctx)?, k, ctx)
    }
}

impl<S: Real> Consensus<S> for Tcut {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Bipartite]
    }

    fn fit(&self, evidence: &Evidence<S>, ctx: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let graph = evidence.bipartite_for(NAME)?;
        let Tcut { weighting, replicates, max_iterations } = *self;
        Ok(Box::new(Embedded {
            embedding: ClusterSide::new(graph, weighting, ctx)?,
            grouping: Arc::clone(&graph.grouping),
            helpers: graph.helpers.as_ref().map_or(0, Csr::rows),
            weighting,
            kmeans: KMeansParams::default().replicates(replicates).max_iterations(max_iterations),
        }))
    }

    /// The matrix over the clusters and a copy of the graph; in addition, the affinities and
    /// the copy in lists to build them, or a cut.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let Tcut { replicates, max_iterations, .. } = *self;
        let kmeans = KMeansParams::default().replicates(replicates).max_iterations(max_iterations);
        let row = Bytes(shape.clusters as u64);
        let matrix = row * shape.clusters as u64 * shape.scalar as u64;
        let affinities = (row * 4 + Bytes(64)) * shape.clusters as u64;
        // A graph with more links than one per clustering may have a row for every base cluster.
        let links = (shape.groups as u64).saturating_mul(shape.clusterings as u64);
        let helpers = if shape.input > shape.sparse(links) { shape.clusters } else { 0 };
        let all = shape.clone().with_groups(shape.groups + helpers);
        let lists = shape.input * 2 + all.each_group(size_of::<Vec<(u32, S)>>() + 32);
        let cut = cut_ahead_bytes(shape.clusters, &all, &kmeans);
        Footprint::new(matrix + shape.input, (affinities + lists).max(cut))
    }
}

/// The normalised graph over the clusters, and the transfer to the objects.
struct ClusterSide<S> {
    /// D^-1/2 BᵀX⁻¹B D^-1/2.
    matrix: Mat<S>,
    /// X⁻¹ B D^-1/2.
    transfer: Csr<S>,
    /// Number of groups, which are the first rows.
    groups: usize,
}

impl<S: Real> ClusterSide<S> {
    fn new(graph: &Bipartite<S>, weighting: Weighting, ctx: &Ctx<'_, S>) -> Result<Self> {
        let groups = graph.grouping.len();
        Error::check_size("rows of the bipartite graph", groups, graph.weights.rows())?;
        let weights = match &graph.helpers {
            Some(helpers) => &stacked(&graph.weights, helpers),
            None => &graph.weights,
        };
        check_weights(weights)?;
        let degrees: Vec<f64> = (0..weights.rows()).map(|p| row_sum(weights, p)).collect();
        let mut sizes = multiplicities(weighting, &graph.grouping);
        sizes.resize(weights.rows(), 1.0);
        let shares: Vec<f64> = sizes.iter().zip(&degrees).map(|(r, x)| r / x).collect();
        let affinity = ctx.install(|_| cluster_affinity(weights, &shares))?;
        let scale: Vec<f64> = affinity_degrees(&affinity).into_iter().map(inverse_root).collect();
        let normalised = |a: usize, b: usize| {
            S::of(scale[a] * scale[b] * affinity[a.min(b)][a.max(b) - a.min(b)])
        };
        let clusters = weights.cols();
        Ok(ClusterSide {
            matrix: Mat::from_fn(clusters, clusters, normalised),
            transfer: scaled(weights, &degrees, &scale),
            groups,
        })
    }
}

/// The rows of both matrices.
fn stacked<S: Real>(upper: &Csr<S>, lower: &Csr<S>) -> Csr<S> {
    let of = |matrix: &Csr<S>, i: usize| -> Vec<(u32, S)> {
        matrix.iter_row(i).map(|(a, w)| (a as u32, w)).collect()
    };
    let rows = (0..upper.rows()).map(|i| of(upper, i));
    let rows = rows.chain((0..lower.rows()).map(|i| of(lower, i)));
    Csr::from_row_iter(upper.cols(), upper.entries() + lower.entries(), rows)
}

/// Checks that the weights are finite and not negative.
fn check_weights<S: Real>(weights: &Csr<S>) -> Result<()> {
    for row in 0..weights.rows() {
        let bad = weights.iter_row(row).find(|(_, w)| !(*w >= S::zero() && w.is_finite()));
        if let Some((column, w)) = bad {
            let what = format!("weight {w} between group {row} and cluster {column}");
            return Err(Error::unsupported(NAME, what));
        }
    }
    Ok(())
}

fn row_sum<S: Real>(weights: &Csr<S>, p: usize) -> f64 {
    let sum: f64 = weights.row(p).1.iter().map(|w| w.wide()).sum();
    if sum == 0.0 { NO_DEGREE } else { sum }
}

/// BᵀSB for a diagonal S: for each cluster, its affinities to itself and to later clusters.
fn cluster_affinity<S: Real>(weights: &Csr<S>, shares: &[f64]) -> Vec<Vec<f64>> {
    let clusters = weights.cols();
    (0..clusters.div_ceil(TILE))
        .into_par_iter()
        .flat_map_iter(|tile| {
            affinity_tile(weights, shares, tile * TILE..clusters.min((tile + 1) * TILE))
        })
        .collect()
}

/// The affinities of some consecutive clusters, in one pass over the objects.
fn affinity_tile<S: Real>(
    weights: &Csr<S>,
    shares: &[f64],
    tile: ops::Range<usize>,
) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = tile.clone().map(|a| vec![0.0; weights.cols() - a]).collect();
    for (p, share) in shares.iter().enumerate() {
        let (columns, values) = weights.row(p);
        let first = columns.partition_point(|&a| (a as usize) < tile.start);
        let count = columns[first..].partition_point(|&a| (a as usize) < tile.end);
        for position in first..first + count {
            let a = columns[position] as usize;
            let factor = share * values[position].wide();
            add_scaled(
                &mut out[a - tile.start],
                factor,
                a,
                &columns[position..],
                &values[position..],
            );
        }
    }
    out
}

/// Adds a multiple of a sparse vector to a dense vector that starts at index `offset`.
fn add_scaled<S: Real>(out: &mut [f64], factor: f64, offset: usize, columns: &[u32], values: &[S]) {
    if columns.len() == out.len() {
        // The sparse vector is full, so the column indices are not needed.
        out.iter_mut().zip(values).for_each(|(o, w)| *o += factor * w.wide());
    } else {
        for (&b, w) in columns.iter().zip(values) {
            out[b as usize - offset] += factor * w.wide();
        }
    }
}

/// Row sums of the whole symmetric matrix.
fn affinity_degrees(affinity: &[Vec<f64>]) -> Vec<f64> {
    let mut degrees = vec![0.0; affinity.len()];
    for (a, row) in affinity.iter().enumerate() {
        degrees[a] += row[0];
        for (offset, w) in row.iter().enumerate().skip(1) {
            degrees[a] += w;
            degrees[a + offset] += w;
        }
    }
    degrees
}

/// Rows divided by `degrees`, columns multiplied by `scale`.
fn scaled<S: Real>(weights: &Csr<S>, degrees: &[f64], scale: &[f64]) -> Csr<S> {
    let rows = (0..weights.rows()).map(|p| {
        let entry = |(a, w): (usize, S)| (a as u32, S::of(w.wide() / degrees[p] * scale[a]));
        weights.iter_row(p).map(entry).collect()
    });
    Csr::from_rows(weights.cols(), rows.collect())
}

impl<S: Real> Embedding<S> for ClusterSide<S> {
    fn component(&self) -> &'static str {
        NAME
    }

    fn largest_k(&self) -> usize {
        self.groups.min(self.transfer.cols())
    }

    fn dim(&self) -> usize {
        self.transfer.cols()
    }

    fn vectors(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Mat<S>> {
        let leading = leading_eigenpairs(&self.matrix, k, ctx)?.vectors;
        let entry = |p: usize, j: usize| {
            let column = leading.col(j);
            self.transfer.iter_row(p).map(|(a, w)| w * column[a]).sum()
        };
        Ok(Mat::from_fn(self.transfer.rows(), k, entry))
    }
}
