//! The rows of a bipartite graph as sparse points in an order of their own.

use enclust_core::{Bipartite, Csr, Error, Real, Result};

use super::model::Distance;

/// Distances from the mean are compared in units of this share of the largest one, so that rounding
/// errors do not decide about the order.
const UNIT: f64 = 1e-9;

/// Points xᵢ with weights, sorted by quantities that do not depend on the order of the samples nor
/// on the numbers of clusters. Random starts select points by position, and sums over points are
/// formed in this order, so that the same samples have the same clusters in every order.
pub(crate) struct LabelRows {
    /// The given number of each point.
    order: Vec<u32>,
    /// The values of the points; see [`Distance`].
    points: Csr<f64>,
    /// The weight of each point.
    weights: Vec<f64>,
    /// The factor by which all values of a point are multiplied.
    scales: Vec<f64>,
    /// The clustering of each column, if the distance reads it.
    blocks: Vec<u32>,
    distance: Distance,
}

impl LabelRows {
    /// The points of a graph; a group counts `sizes` times.
    pub fn new<S: Real>(
        component: &str,
        graph: &Bipartite<S>,
        sizes: &[f64],
        distance: Distance,
    ) -> Result<Self> {
        check_weights(component, &graph.weights)?;
        let blocks = match distance.reads_blocks() {
            true => blocks(component, &graph.weights)?,
            false => Vec::new(),
        };
        let value = |w: f64| if distance.is_squared() { w.sqrt() } else { w };
        let (scales, weights) = match distance {
            Distance::NormalisedCut => by_degree(&graph.weights, sizes),
            _ => (vec![1.0; sizes.len()], sizes.to_vec()),
        };
        let order = canonical_order(&graph.weights, &scales, &weights, sizes, value);
        let present = |&p: &u32| {
            let entries = graph.weights.iter_row(p as usize).filter(|(_, w)| *w > S::zero());
            entries.map(|(a, w)| (a as u32, value(w.wide())))
        };
        let (columns, entries) = (graph.weights.cols(), graph.weights.entries());
        let points = Csr::from_row_iter(columns, entries, order.iter().map(present));
        let sorted = |given: Vec<f64>| order.iter().map(|&p| given[p as usize]).collect();
        let (weights, scales) = (sorted(weights), sorted(scales));
        Ok(LabelRows { points, weights, scales, order, blocks, distance })
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Number of base clusters.
    pub fn columns(&self) -> usize {
        self.points.cols()
    }

    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub fn distance(&self) -> Distance {
        self.distance
    }

    pub fn blocks(&self) -> &[u32] {
        &self.blocks
    }

    /// The columns and values of a point, and the factor of the values.
    pub fn point(&self, i: usize) -> (&[u32], &[f64], f64) {
        let (columns, values) = self.points.row(i);
        (columns, values, self.scales[i])
    }

    /// ‖xᵢ‖².
    pub fn squared_length(&self, i: usize) -> f64 {
        let (_, values, scale) = self.point(i);
        values.iter().map(|x| x * x).sum::<f64>() * scale * scale
    }

    /// The labels of the points in the order in which they were given.
    pub fn in_given_order(&self, labels: &[u32]) -> Vec<usize> {
        let mut given = vec![0; labels.len()];
        self.order.iter().zip(labels).for_each(|(&p, &label)| given[p as usize] = label as usize);
        given
    }
}

/// Checks that the weights are finite and not negative.
fn check_weights<S: Real>(component: &str, weights: &Csr<S>) -> Result<()> {
    for row in 0..weights.rows() {
        let bad = weights.iter_row(row).find(|(_, w)| !(*w >= S::zero() && w.is_finite()));
        if let Some((column, w)) = bad {
            let what = format!("weight {w} between group {row} and cluster {column}");
            return Err(Error::unsupported(component, what));
        }
    }
    Ok(())
}

/// The clustering of each column of a graph that links each group to one cluster of every clustering,
/// in the order of the clusterings.
fn blocks<S: Real>(component: &str, weights: &Csr<S>) -> Result<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let mut blocks = vec![NONE; weights.cols()];
    let links = if weights.rows() > 0 { weights.row(0).0.len() } else { 0 };
    for p in 0..weights.rows() {
        let columns = weights.row(p).0;
        let fits = |(k, &a): (u32, &u32)| {
            let known = &mut blocks[a as usize];
            *known = if *known == NONE { k } else { *known };
            *known == k
        };
        if columns.len() != links || !(0..).zip(columns).all(fits) {
            let what = "a graph that does not link each sample to one cluster of every clustering";
            return Err(Error::unsupported(component, what));
        }
    }
    // A column without links may belong to any clustering.
    blocks.iter_mut().filter(|block| **block == NONE).for_each(|block| *block = 0);
    Ok(blocks)
}

/// The factors 1/vᵢ and weights rᵢvᵢ for the degrees v of the points in the graph with the weights
/// xᵢ·xⱼ.
fn by_degree<S: Real>(weights: &Csr<S>, sizes: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut totals = vec![0.0; weights.cols()];
    for (p, size) in sizes.iter().enumerate() {
        weights.iter_row(p).for_each(|(a, w)| totals[a] += size * w.wide().sqrt());
    }
    let degree =
        |p: usize| weights.iter_row(p).map(|(a, w)| w.wide().sqrt() * totals[a]).sum::<f64>();
    let degrees: Vec<f64> = (0..sizes.len()).map(degree).collect();
    let scale = |v: &f64| if *v > 0.0 { v.recip() } else { 0.0 };
    let weight = |(v, r): (&f64, &f64)| v * r;
    (degrees.iter().map(scale).collect(), degrees.iter().zip(sizes).map(weight).collect())
}

/// The points by their distance from the mean, then by size, then by the sizes of their clusters.
fn canonical_order<S: Real>(
    graph: &Csr<S>,
    scales: &[f64],
    weights: &[f64],
    sizes: &[f64],
    value: impl Fn(f64) -> f64,
) -> Vec<u32> {
    let mut mean = vec![0.0; graph.cols()];
    let mut held = vec![0.0; graph.cols()];
    for p in 0..graph.rows() {
        for (a, w) in graph.iter_row(p) {
            mean[a] += weights[p] * scales[p] * value(w.wide());
            held[a] += sizes[p];
        }
    }
    let total: f64 = weights.iter().sum();
    mean.iter_mut().for_each(|x| *x /= total.max(f64::MIN_POSITIVE));
    // Without the length of the mean, which is the same for all points.
    let distance = |p: usize| -> f64 {
        let term = |(a, w): (usize, S)| {
            let x = scales[p] * value(w.wide());
            x * (x - 2.0 * mean[a])
        };
        graph.iter_row(p).map(term).sum()
    };
    let distances: Vec<f64> = (0..graph.rows()).map(distance).collect();
    let largest = distances.iter().fold(0.0, |largest, d| d.abs().max(largest));
    let unit = (UNIT * largest).max(f64::MIN_POSITIVE);
    let keys: Vec<f64> = distances.iter().map(|d| (d / unit).round()).collect();
    let mut order: Vec<u32> = (0..graph.rows() as u32).collect();
    order.sort_by(|&p, &q| {
        let (p, q) = (p as usize, q as usize);
        let clusters = |p: usize| graph.row(p).0.iter().map(|&a| held[a as usize]);
        keys[p]
            .total_cmp(&keys[q])
            .then_with(|| sizes[p].total_cmp(&sizes[q]))
            .then_with(|| clusters(p).partial_cmp(clusters(q)).unwrap_or(std::cmp::Ordering::Equal))
    });
    order
}
