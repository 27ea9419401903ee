//! Normalised cut of a graph, discretised by a rotation.

use enclust_core::{Ctx, Error, Mat, Real, Result, check_k};
use enclust_linalg::leading_eigenpairs;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::embedding::unit_rows;
use crate::rotation::nearest_orthogonal;

const NAME: &str = "ncut";
/// Smaller weights are dropped.
const FAINT: f64 = 1e-6;
/// Added to the weight of a node with itself.
const OFFSET: f64 = 0.5;
/// Maximum number of rotations.
const ROTATIONS: usize = 20;
/// Inner products of unit vectors that differ by less are rounding errors of each other. Nodes of
/// different components are orthogonal, so that equal values are common.
const TIED: f64 = 1e-9;

/// Normalised cut of a weighted graph into groups of nodes.
///
/// # Problem
///
/// For weights W with row sums d, compute the k eigenvectors V of D^-1/2 (W + I/2) D^-1/2 with
/// the largest eigenvalues, where D = diag(d + 1). Scale the columns of D^-1/2 V to equal
/// length and then its rows to unit length; each row is a point. Then find k orthogonal axes
/// and a group for each point such that the points are close to the axes of their groups. Two
/// steps alternate: each point is assigned to the axis with the largest inner product, and the
/// axes become the orthogonal ones nearest to the sums of their points. The initial axes are a
/// random point and further points that are as orthogonal as possible to the previous ones.
///
/// # Complexity
///
/// O(N² k) time for each of a few tens of products with N nodes, O(N k² + k³) for each of at
/// most 20 rotations; N² numbers.
///
/// # Determinism and ties
///
/// The result depends only on the weights, k, the seed and the backend, not on the number of
/// threads. The signs and the order of the eigenvectors do not matter, because they transform
/// points and axes in the same way. Nor does the order of the nodes: random numbers select among
/// the points sorted by their inner product with the mean of all points, and ties are broken by
/// this order. A node that is zero in all eigenvectors is assigned to group 0.
///
/// # Errors
///
/// [`Error::Size`] if the matrix of weights is not square; [`Error::Unsupported`] for weights
/// that are negative or not finite; [`Error::ClusterCount`] if k is 0 or larger than N;
/// [`Error::NoConvergence`] if the eigenvectors are not found.
///
/// # Example
///
/// ```
/// use enclust_consensus::Ncut;
/// use enclust_core::{Ctx, Mat};
///
/// // Two pairs with a weak link between them.
/// let w = |i: usize, j: usize| if i / 2 == j / 2 { 1.0 } else if i + j == 3 { 0.1 } else { 0.0 };
/// let cut = Ncut::new(&Mat::from_fn(4, 4, w))?;
/// let groups = cut.groups(2, &Ctx::<f64>::default())?;
/// assert_eq!(groups[0], groups[1]);
/// assert_eq!(groups[2], groups[3]);
/// assert_ne!(groups[0], groups[2]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// J. Shi, J. Malik, *Normalized cuts and image segmentation*, TPAMI 22 (2000); S. Yu, J. Shi,
/// *Multiclass spectral clustering*, ICCV 2003. The offset and the stopping test are those of
/// the program of the latter authors.
#[derive(Clone, Debug, PartialEq)]
pub struct Ncut<S> {
    /// D^-1/2 (W + I/2) D^-1/2.
    matrix: Mat<S>,
    /// D^-1/2.
    scale: Vec<f64>,
}

impl<S: Real> Ncut<S> {
    /// Builds the normalised graph from the lower triangle of these weights.
    pub fn new(weights: &Mat<S>) -> Result<Self> {
        Error::check_size("columns of the weights", weights.rows(), weights.cols())?;
        check_weights(weights)?;
        let n = weights.rows();
        let kept = |a: usize, b: usize| {
            let weight = weights[(a.max(b), a.min(b))].wide();
            if weight < FAINT { 0.0 } else { weight }
        };
        // The published program adds twice the offset to the degrees.
        let degree = |a: usize| (0..n).map(|b| kept(a, b)).sum::<f64>() + 2.0 * OFFSET;
        let scale: Vec<f64> = (0..n).map(|a| degree(a).sqrt().recip()).collect();
        let entry = |a: usize, b: usize| {
            let offset = if a == b { OFFSET } else { 0.0 };
            S::of(scale[a] * scale[b] * (kept(a, b) + offset))
        };
        Ok(Ncut { matrix: Mat::from_fn(n, n, entry), scale })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.scale.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.scale.is_empty()
    }

    /// A group from 0 to k − 1 for each node. Some groups may be empty.
    pub fn groups(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Vec<usize>> {
        check_k(NAME, k, self.len())?;
        let points = ctx.install(|ctx| self.points(k, ctx))??;
        let first = ChaCha8Rng::seed_from_u64(ctx.seed()).random_range(0..self.len());
        let order = self.canonical_order(&points, k);
        let sorted: Vec<f64> = order.iter().flat_map(|&a| &points[a * k..][..k]).copied().collect();
        let mut groups = vec![0; order.len()];
        order.iter().zip(discretise(&sorted, k, first)).for_each(|(&a, group)| groups[a] = group);
        Ok(groups)
    }

    /// The nodes in an order that depends neither on their numbers nor on the signs of the
    /// eigenvectors: by the inner product with the mean of all points, then by their degree.
    fn canonical_order(&self, points: &[f64], k: usize) -> Vec<usize> {
        let mut sum = vec![0.0; k];
        points.chunks_exact(k).for_each(|x| sum.iter_mut().zip(x).for_each(|(s, x)| *s += x));
        let products: Vec<f64> = points.chunks_exact(k).map(|x| dot(x, &sum)).collect();
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| {
            let by_degree = self.scale[b].total_cmp(&self.scale[a]);
            products[a].total_cmp(&products[b]).then(by_degree)
        });
        order
    }

    /// The nodes as points of unit length, in row-major order.
    fn points(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Vec<f64>> {
        let mut vectors = leading_eigenpairs(&self.matrix, k, ctx)?.vectors;
        for j in 0..k {
            let column = vectors.col_mut(j);
            column.iter_mut().zip(&self.scale).for_each(|(v, &s)| *v *= S::of(s));
            let length = column.iter().map(|v| v.wide() * v.wide()).sum::<f64>().sqrt();
            column.iter_mut().for_each(|v| *v /= S::of(length));
        }
        Ok(unit_rows(&vectors))
    }
}

fn check_weights<S: Real>(weights: &Mat<S>) -> Result<()> {
    let sound = |w: &S| *w >= S::zero() && w.is_finite();
    match weights.data().iter().find(|w| !sound(w)) {
        Some(w) => Err(Error::unsupported(NAME, format!("the weight {w}"))),
        None => Ok(()),
    }
}

/// Assigns each point to the group of its closest axis, while the axes are rotated towards the
/// points.
fn discretise(points: &[f64], k: usize, first: usize) -> Vec<usize> {
    let n = points.len() / k;
    let mut axes = spread_axes(points, k, first);
    let mut last = 0.0;
    for rotation in 0.. {
        let groups: Vec<usize> = points.chunks_exact(k).map(|x| nearest(&axes, x)).collect();
        let (turned, closeness) = nearest_orthogonal(sums(points, k, &groups));
        let distance = 2.0 * (n as f64 - closeness);
        // If the groups do not change, the value is bit-identical.
        if (distance - last).abs() < f64::EPSILON || rotation == ROTATIONS {
            return groups;
        }
        (axes, last) = (turned, distance);
    }
    unreachable!("the number of rotations is limited")
}

/// k initial points: the given one, then repeatedly a point that is as orthogonal as possible
/// to the previous ones.
fn spread_axes(points: &[f64], k: usize, first: usize) -> Vec<Vec<f64>> {
    let mut axes = vec![points[first * k..][..k].to_vec()];
    let mut overlap = vec![0.0; points.len() / k];
    while axes.len() < k {
        let newest = &axes[axes.len() - 1];
        for (o, point) in overlap.iter_mut().zip(points.chunks_exact(k)) {
            *o += dot(point, newest).abs();
        }
        let less = |best: usize, i: usize| overlap[i] < overlap[best] - TIED;
        let least = (0..overlap.len()).fold(0, |best, i| if less(best, i) { i } else { best });
        axes.push(points[least * k..][..k].to_vec());
    }
    axes
}

/// The axis with the largest inner product; the first one if there are several.
fn nearest(axes: &[Vec<f64>], point: &[f64]) -> usize {
    let (mut best, mut largest) = (0, f64::NEG_INFINITY);
    for (g, axis) in axes.iter().enumerate() {
        let product = dot(axis, point);
        if product > largest + TIED {
            (best, largest) = (g, product);
        }
    }
    best
}

/// The sum of the points of each group.
fn sums(points: &[f64], k: usize, groups: &[usize]) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; k]; k];
    for (point, &g) in points.chunks_exact(k).zip(groups) {
        sums[g].iter_mut().zip(point).for_each(|(s, x)| *s += x);
    }
    sums
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}
