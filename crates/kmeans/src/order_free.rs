//! k-means whose result does not depend on the order of the points.

use enclust_core::{Bytes, Result, Watch};

use super::points::{Points, squared_distance};
use super::{Job, KMeans, KMeansParams, best_of_starts, by_first_occurrence, kmeans_bytes};

/// The initial centre of number j is moved towards the mean of all points by j times this share of
/// its distance from it.
const APART: f64 = 1e-6;

/// The same as [`kmeans_watched`](crate::kmeans_watched) for points in an arbitrary order, such as
/// an embedding of samples: the same points have the same clusters in every order.
///
/// Random numbers select initial centres by position, so that another order of the points gives
/// other centres, and often another local optimum. Here the points are first sorted by their
/// distance from the mean, which neither their order nor a rotation of the space changes. Ties
/// between initial centres are broken by moving each of them a little towards the mean. Otherwise
/// rounding errors would decide about a point that is orthogonal to all of them, such as an
/// isolated group in a spectral embedding.
///
/// What remains are points that have the same distance from the mean and the same weight, and
/// clusterings that are equally good up to rounding.
///
/// ```
/// use enclust_core::Watch;
/// use enclust_kmeans::{KMeansParams, kmeans_order_free};
///
/// let (params, watch) = (KMeansParams::default().replicates(1), Watch::default());
/// let cluster = |points: &[f64], weights: &[f64]| {
///     kmeans_order_free(points, 1, Some(weights), 2, &params, 7, watch)
/// };
/// let found = cluster(&[0.0, 1.0, 3.5, 4.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0])?;
/// let reversed = cluster(&[5.0, 4.0, 3.5, 1.0, 0.0], &[5.0, 4.0, 3.0, 2.0, 1.0])?;
/// assert_eq!(found.labels, [0, 0, 1, 1, 1]);
/// assert_eq!(reversed.labels, [0, 0, 0, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`kmeans_watched`](crate::kmeans_watched).
pub fn kmeans_order_free(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
    watch: Watch<'_>,
) -> Result<KMeans> {
    let given = Points::new(points, dimension, weights)?;
    let mean = mean(&given);
    let order = canonical_order(&given, &mean);
    let rows: Vec<f64> = order.iter().flat_map(|&i| given.row(i)).copied().collect();
    let weights: Vec<f64> = order.iter().map(|&i| given.weights[i]).collect();
    let job = Job::new(&rows, dimension, Some(&weights), k, params, seed)?;
    let job = Job { watch, apart: Some(&mean), ..job };
    let found = best_of_starts(&job)?;
    let mut labels = vec![0; order.len()];
    order.iter().zip(&found.labels).for_each(|(&i, &label)| labels[i] = label as u32);
    let (labels, centres) = by_first_occurrence(&labels, &found.centres, dimension);
    Ok(KMeans { labels, centres, ..found })
}

/// An upper bound on the memory of [`kmeans_order_free`], including its result but not the points.
pub fn kmeans_order_free_bytes(
    points: usize,
    dimension: usize,
    k: usize,
    params: &KMeansParams,
    threads: usize,
) -> Bytes {
    // The sorted points, and for each of them its distance, weight, place and cluster.
    let sorted = Bytes(8) * (dimension as u64 + 5) * points as u64;
    kmeans_bytes(points, dimension, k, params, threads) + sorted
}

/// The points by their distance from the mean; at equal distance the lighter one, then the first.
fn canonical_order(points: &Points<'_>, mean: &[f64]) -> Vec<usize> {
    let distances: Vec<f64> =
        (0..points.len()).map(|i| squared_distance(points.row(i), mean)).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let by_weight = points.weights[a].total_cmp(&points.weights[b]);
        distances[a].total_cmp(&distances[b]).then(by_weight)
    });
    order
}

/// Moves each centre towards the mean by another small share, so that no point is equally far
/// from two of them.
pub(super) fn set_apart(centres: &mut [f64], mean: &[f64]) {
    for (number, centre) in centres.chunks_exact_mut(mean.len()).enumerate() {
        let share = APART * number as f64;
        centre.iter_mut().zip(mean).for_each(|(x, m)| *x += share * (m - *x));
    }
}

fn mean(points: &Points<'_>) -> Vec<f64> {
    let mut mean = vec![0.0; points.dimension];
    for (i, weight) in points.weights.iter().enumerate() {
        mean.iter_mut().zip(points.row(i)).for_each(|(m, x)| *m += weight * x);
    }
    let total: f64 = points.weights.iter().sum();
    mean.iter_mut().for_each(|m| *m /= total);
    mean
}
