//! Similarities of base clusters through common neighbours.

use enclust_core::{Bytes, Csr, Mat, Microclusters, Result, Shape, Watch, choice};
use rayon::prelude::*;

use crate::cluster_walk::{coefficients_bytes, jaccard_coefficients};

/// What is reported while links are followed.
const DOING: &str = "following links between base clusters";

choice! {
    /// The pairs of base clusters among which the most similar one has similarity 1, before the decay.
    pub enum LinkScale {
        /// Pairs of clusters of the same clustering, as in the authors' toolbox.
        Clustering = "clustering",
        /// All pairs of clusters, as in a survey's port.
        All = "all",
    }
}

/// For each clustering, the similarities of its clusters: the share of what two of them have in
/// common with the clusters of other clusterings, times a decay. A cluster has similarity 1 with
/// itself.
pub(crate) struct SharedNeighbours {
    blocks: Vec<Mat<f64>>,
}

impl SharedNeighbours {
    /// With J the Jaccard coefficients of clusters of different clusterings, T[a, b] is the sum of
    /// min(J[a, c], J[b, c]) over all c, divided by the largest such sum of two different clusters. The clusters of a clustering of weight w count w times. No label may be missing.
    pub fn new(
        microclusters: &Microclusters,
        decay: f64,
        among: LinkScale,
        watch: Watch<'_>,
    ) -> Result<Self> {
        let jaccard = jaccard_coefficients(microclusters);
        let offsets = microclusters.cluster_offsets();
        let worth = weights_of_clusters(microclusters);
        let blocks: Result<Vec<Mat<f64>>> = (0..microclusters.clusterings())
            .map(|k| block(&jaccard, offsets[k]..offsets[k + 1], &worth, watch))
            .collect();
        let mut blocks = blocks?;
        let largest_of = |block: &Mat<f64>| block.data().iter().copied().fold(0.0, f64::max);
        let largest = match among {
            LinkScale::Clustering => blocks.iter().map(largest_of).fold(0.0, f64::max),
            LinkScale::All => largest_of(&block(&jaccard, 0..worth.len(), &worth, watch)?),
        };
        let scale = if largest > 0.0 { decay / largest } else { 0.0 };
        for block in &mut blocks {
            block.data_mut().iter_mut().for_each(|t| *t = (*t * scale).min(decay));
            (0..block.rows()).for_each(|a| block[(a, a)] = 1.0);
        }
        Ok(SharedNeighbours { blocks })
    }

    /// The similarities of one cluster to all clusters of its clustering.
    pub fn of(&self, clustering: usize, label: usize) -> &[f64] {
        self.blocks[clustering].col(label)
    }

    /// The memory of the result.
    pub fn result_bytes(shape: &Shape) -> Bytes {
        Bytes(shape.clusters as u64) * (8 * shape.largest as u64)
            + Bytes(shape.clusterings as u64) * size_of::<Mat<f64>>() as u64
    }

    /// The memory of [`new`](Self::new), including its result: in addition to it the coefficients,
    /// and one dense row of them for each thread.
    pub fn bytes(shape: &Shape) -> Bytes {
        let dense = Bytes(shape.clusters as u64) * (8 * shape.threads as u64 + 16);
        Self::result_bytes(shape) + coefficients_bytes(shape) + dense
    }
}

/// The weight of the clustering of each base cluster.
pub(crate) fn weights_of_clusters(microclusters: &Microclusters) -> Vec<f64> {
    let clusters = microclusters.clusters().iter().enumerate();
    clusters.flat_map(|(k, &count)| vec![microclusters.weight(k); count]).collect()
}

/// The weighted sums of the smaller coefficients, for the clusters of one clustering, with a zero
/// diagonal.
fn block(
    jaccard: &Csr<f64>,
    own: std::ops::Range<usize>,
    worth: &[f64],
    watch: Watch<'_>,
) -> Result<Mat<f64>> {
    let (first, count) = (own.start, own.len());
    let mut block = Mat::zeros(count, count);
    let columns = block.data_mut().par_chunks_mut(count.max(1)).enumerate();
    columns.try_for_each_init(
        || vec![0.0; jaccard.cols()],
        |dense, (a, column)| -> Result<()> {
            watch.checkpoint(DOING)?;
            jaccard.iter_row(first + a).for_each(|(c, j)| dense[c] = j);
            for (b, out) in column.iter_mut().enumerate().filter(|(b, _)| *b != a) {
                let common = jaccard.iter_row(first + b).map(|(c, j)| worth[c] * j.min(dense[c]));
                *out = common.sum();
            }
            jaccard.iter_row(first + a).for_each(|(c, _)| dense[c] = 0.0);
            Ok(())
        },
    )?;
    Ok(block)
}

/// The relation of all base clusters through common neighbours: the sum of `worth[c]` min(W[a, c],
/// W[b, c]) over all c, divided by the largest such sum of two different clusters. W contains the
/// Jaccard coefficients of clusters of different clusterings, and W[c, c] = 1, so that a cluster is a
/// neighbour of itself. The diagonal is 1; a cluster without samples has no relations.
pub(crate) fn common_neighbours(
    microclusters: &Microclusters,
    worth: &[f64],
    watch: Watch<'_>,
) -> Result<Mat<f64>> {
    let jaccard = with_unit_diagonal(&jaccard_coefficients(microclusters), microclusters);
    let n = jaccard.rows();
    let mut relations = block(&jaccard, 0..n, worth, watch)?;
    let largest = relations.data().iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        relations.data_mut().iter_mut().for_each(|r| *r /= largest);
    }
    let present = |a: usize| if jaccard.row(a).0.is_empty() { 0.0 } else { 1.0 };
    (0..n).for_each(|a| relations[(a, a)] = present(a));
    Ok(relations)
}

/// The memory of [`common_neighbours`], including its result.
pub(crate) fn common_neighbours_bytes(shape: &Shape) -> Bytes {
    squared_links_bytes(shape) + coefficients_bytes(shape)
}

/// The coefficients with 1 for every cluster that has samples.
fn with_unit_diagonal(jaccard: &Csr<f64>, microclusters: &Microclusters) -> Csr<f64> {
    let sizes = microclusters.cluster_sizes();
    let row = |a: usize| {
        let own = (sizes[a] > 0).then_some((a, 1.0));
        let mut row: Vec<(u32, f64)> =
            jaccard.iter_row(a).chain(own).map(|(c, j)| (c as u32, j)).collect();
        row.sort_by_key(|entry| entry.0);
        row
    };
    Csr::from_row_iter(jaccard.cols(), jaccard.entries() + sizes.len(), (0..sizes.len()).map(row))
}

/// The similarities of all base clusters by SimRank-like links of length two: the sum of
/// J[a, c] J[b, c] over all c, divided by the numbers of neighbours of a and b and by the largest
/// such value, times a decay. The diagonal is 1.
pub(crate) fn squared_links(
    microclusters: &Microclusters,
    decay: f64,
    watch: Watch<'_>,
) -> Result<Mat<f64>> {
    let jaccard = jaccard_coefficients(microclusters);
    let n = jaccard.rows();
    let degree = |a: usize| jaccard.row(a).0.len() as f64;
    let mut links = Mat::zeros(n, n);
    links.data_mut().par_chunks_mut(n.max(1)).enumerate().try_for_each_init(
        || vec![0.0; n],
        |dense, (a, column)| -> Result<()> {
            watch.checkpoint(DOING)?;
            jaccard.iter_row(a).for_each(|(c, j)| dense[c] = j);
            for (b, out) in column.iter_mut().enumerate().filter(|(b, _)| *b != a) {
                let sum: f64 = jaccard.iter_row(b).map(|(c, j)| j * dense[c]).sum();
                *out = if sum > 0.0 { sum / (degree(a) * degree(b)) } else { 0.0 };
            }
            jaccard.iter_row(a).for_each(|(c, _)| dense[c] = 0.0);
            Ok(())
        },
    )?;
    let largest = links.data().iter().copied().fold(0.0, f64::max);
    let scale = if largest > 0.0 { decay / largest } else { 0.0 };
    links.data_mut().iter_mut().for_each(|c| *c = (*c * scale).min(decay));
    (0..n).for_each(|a| links[(a, a)] = 1.0);
    Ok(links)
}

/// The memory of [`squared_links`], including its result.
pub(crate) fn squared_links_bytes(shape: &Shape) -> Bytes {
    let wide = shape.in_double().with_groups(shape.clusters);
    wide.square() + coefficients_bytes(shape) + wide.vector() * shape.threads as u64
}
