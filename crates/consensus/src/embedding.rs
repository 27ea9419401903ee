//! Common part of the spectral consensus functions: an embedding of the groups for each k,
//! clustered by k-means.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ctx, Fitted, Grouping, Mat, Partition, Real, Result, Shape, Stage, Weighting, check_k,
};
use enclust_linalg::leading_eigenpairs_bytes;

use enclust_kmeans::{KMeans, KMeansParams, kmeans_order_free, kmeans_order_free_bytes};

/// A map of the groups into k dimensions, for any k.
pub(crate) trait Embedding<S: Real>: Send + Sync {
    /// The component that makes it.
    fn component(&self) -> &'static str;

    /// The largest possible k.
    fn largest_k(&self) -> usize;

    /// Size of the matrix whose eigenvectors are computed.
    fn dim(&self) -> usize;

    /// One row of k numbers per group.
    fn vectors(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Mat<S>>;
}

/// The rows of the embedding in k dimensions, scaled to unit length, one after
/// the other.
pub(crate) fn embed<S: Real>(
    embedding: &dyn Embedding<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Vec<f64>> {
    check_k(embedding.component(), k, embedding.largest_k())?;
    let vectors = ctx.install(|ctx| embedding.vectors(k, ctx))??;
    Ok(unit_rows(&vectors))
}

/// The memory of a cut as far as it is known in advance, for a matrix of size `dim`.
pub(crate) fn cut_ahead_bytes(dim: usize, shape: &Shape, kmeans: &KMeansParams) -> Bytes {
    let labels = shape.each_sample(2 * size_of::<usize>());
    cut_bytes(dim, shape.clusters_ahead().min(shape.groups), shape, kmeans) + labels
}

/// The memory to cut into k clusters.
fn cut_bytes(dim: usize, k: usize, shape: &Shape, kmeans: &KMeansParams) -> Bytes {
    // The embedding, and its rows in a growing list.
    let rows = shape.each_group(shape.scalar + 24) * k as u64;
    let eigenpairs = leading_eigenpairs_bytes(dim, k, shape.scalar, shape.threads);
    rows + eigenpairs.max(kmeans_order_free_bytes(shape.groups, k, k, kmeans, shape.threads))
}

/// Number of objects that each group represents.
pub(crate) fn multiplicities(weighting: Weighting, grouping: &Grouping) -> Vec<f64> {
    match weighting {
        Weighting::Samples => grouping.sizes().iter().map(|&r| r as f64).collect(),
        Weighting::Groups => vec![1.0; grouping.len()],
    }
}

/// 1/√x, and 0 if x is 0.
pub(crate) fn inverse_root(x: f64) -> f64 {
    if x > 0.0 { x.sqrt().recip() } else { 0.0 }
}

/// Rows scaled to unit length. A row that is only rounding noise compared with the longest one
/// becomes zero instead of a unit vector of random direction.
pub(crate) fn unit_rows<S: Real>(vectors: &Mat<S>) -> Vec<f64> {
    let (n, k) = (vectors.rows(), vectors.cols());
    let mut rows: Vec<f64> =
        (0..n).flat_map(|i| (0..k).map(move |j| (i, j))).map(|at| vectors[at].wide()).collect();
    let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
    let longest = rows.chunks_exact(k).map(length).fold(0.0, f64::max);
    let noise = S::epsilon().wide().sqrt() * longest;
    for row in rows.chunks_exact_mut(k) {
        let length = length(row);
        row.iter_mut().for_each(|x| *x = if length > noise { *x / length } else { 0.0 });
    }
    rows
}

/// An embedding that is cut by k-means.
pub(crate) struct Embedded<E> {
    pub embedding: E,
    pub grouping: Arc<Grouping>,
    /// Number of rows after those of the groups, which stand for no sample and have weight 1.
    pub helpers: usize,
    pub weighting: Weighting,
    pub kmeans: KMeansParams,
}

impl<E> Embedded<E> {
    fn check_room<S: Real>(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<()>
    where
        E: Embedding<S>,
    {
        let (samples, groups) = (self.grouping.samples(), self.grouping.len());
        let rows = groups + self.helpers;
        let shape = Shape::ahead::<S>(samples, 1, 1, rows).with_threads(ctx.threads());
        let needed = cut_bytes(self.embedding.dim(), k, &shape, &self.kmeans);
        ctx.require(
            &Stage::Cut.of(self.embedding.component()),
            needed,
            &format!("k = {k} of n' = {groups}"),
            "request fewer clusters",
        )
    }
}

impl<S: Real, E: Embedding<S>> Fitted<S> for Embedded<E> {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        check_k(self.embedding.component(), k, self.embedding.largest_k())?;
        self.check_room(k, ctx)?;
        let rows = embed(&self.embedding, k, ctx)?;
        let mut weights = multiplicities(self.weighting, &self.grouping);
        weights.extend(vec![1.0; self.helpers]);
        let (seed, watch) = (ctx.seed(), ctx.watch());
        let cluster = || kmeans_order_free(&rows, k, Some(&weights), k, &self.kmeans, seed, watch);
        let mut found = ctx.install(|_| cluster())??;
        found.labels.truncate(self.grouping.len());
        if self.helpers > 0 {
            fill_empty(&rows, k, &mut found);
        }
        Ok(self.grouping.lift(&found.labels))
    }

    fn largest_k(&self) -> usize {
        self.embedding.largest_k()
    }
}

/// Gives each cluster without groups, whose rows are all helpers, the group that is farthest from its
/// own centre, the first one among equals, if it is not the only one of its cluster.
fn fill_empty(rows: &[f64], k: usize, found: &mut KMeans) {
    let mut counts = vec![0_usize; k];
    found.labels.iter().for_each(|&label| counts[label] += 1);
    let distance = |i: usize, label: usize| -> f64 {
        let centre = &found.centres[label * k..][..k];
        rows[i * k..][..k].iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
    };
    let mut distances: Vec<f64> =
        found.labels.iter().enumerate().map(|(i, &label)| distance(i, label)).collect();
    for empty in 0..k {
        if counts[empty] > 0 {
            continue;
        }
        let farthest = (0..distances.len())
            .filter(|&i| counts[found.labels[i]] > 1)
            .reduce(|best, i| if distances[i] > distances[best] { i } else { best });
        if let Some(i) = farthest {
            counts[found.labels[i]] -= 1;
            counts[empty] = 1;
            found.labels[i] = empty;
            distances[i] = 0.0;
        }
    }
}
