//! Weighted k-means.
//!
//! `start` draws the initial centres, `lloyd` improves them iteratively, `bounds` avoids most
//! distance computations, and `tiles` defines the memory layout of the centres. `order_free` makes
//! the result independent of the order of the points.

mod bounds;
mod lloyd;
mod order_free;
mod points;
mod start;
mod tiles;

use enclust_core::{
    Bytes, Error, Parameters, Partition, Range, Result, Watch, check_k, parameters,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

pub use order_free::{kmeans_order_free, kmeans_order_free_bytes};

use bounds::{Bounds, bounds_of_a_point};
use lloyd::{Settled, lloyd};
use order_free::set_apart;
use points::{Points, squared_distance};
use start::spread;
use tiles::{LANES, Tiles};

parameters! {
    /// Parameters of [`kmeans`].
    pub struct KMeansParams for "kmeans" {
        /// Number of initialisations; the best result is kept.
        pub replicates: usize = 10, in Range::AtLeast(1.0);
        /// Maximum number of iterations per initialisation.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
        /// Number of candidates for each initial centre, of which the best is selected; 1 is
        /// plain k-means++, auto is 2 + ⌊ln k⌋, at most 8.
        pub candidates: Option<usize> = Some(1), in Range::Within(1.0, 8.0);
    }
}

/// The result of [`kmeans`].
#[derive(Clone, Debug, PartialEq)]
pub struct KMeans {
    /// Cluster of each point; clusters are numbered by first occurrence.
    pub labels: Vec<usize>,
    /// The mean of each cluster, one after the other.
    pub centres: Vec<f64>,
    /// Weighted sum of the squared distances of the points to their centres.
    pub inertia: f64,
    /// Number of iterations of the best initialisation.
    pub iterations: usize,
}

/// Weighted k-means on the rows of a matrix.
///
/// # Problem
///
/// Partition points xᵢ of weight wᵢ into k non-empty clusters such that Σᵢ wᵢ ‖xᵢ − c(i)‖² is
/// small, where c(i) is the weighted mean of the cluster of i. Each initialisation draws
/// centres by k-means++ and improves them by Lloyd's algorithm until no label changes. A
/// cluster that loses all its points is given the point farthest from its centre. Distances
/// that are irrelevant by the triangle inequality are not computed; this does not change any
/// bit of the result.
///
/// # Parameters
///
/// `points` in row-major order with `dimension` numbers each; `weights`, one per point (1 if
/// `None`); `k` from 1 to the number of points; [`KMeansParams`]; `seed`.
///
/// # Complexity
///
/// At most O(n k d) time per iteration, and far less when the centres move little; O(nk/8 + kd)
/// memory per initialisation.
///
/// # Determinism and ties
///
/// Initialisation number r draws from stream r of one ChaCha8 generator, so its result depends
/// neither on the number of threads nor on the number of initialisations. Equal distances are
/// resolved by the lowest index of the centre or point; among equally good initialisations, the
/// first one is selected. There are always exactly k clusters, even if points coincide.
///
/// # Errors
///
/// [`Error::ClusterCount`] for k = 0 or k > n; [`Error::Size`] if lengths do not match;
/// [`Error::NotFinite`] for a coordinate that is not finite; [`Error::Param`] for a weight or
/// parameter out of range.
///
/// # Example
///
/// ```
/// use enclust_kmeans::{KMeansParams, kmeans};
///
/// let points = [0.0, 0.1, 5.0, 5.1, 5.2];
/// let found = kmeans(&points, 1, None, 2, &KMeansParams::default(), 0)?;
/// assert_eq!(found.labels, [0, 0, 1, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// D. Arthur, S. Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.
pub fn kmeans(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
) -> Result<KMeans> {
    kmeans_watched(points, dimension, weights, k, params, seed, Watch::default())
}

/// The same as [`kmeans`], ended by the cancel flag of the watch within one round.
///
/// # Errors
///
/// The same as for [`kmeans`], and [`Error::Cancelled`].
pub fn kmeans_watched(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
    watch: Watch<'_>,
) -> Result<KMeans> {
    let job = Job { watch, ..Job::new(points, dimension, weights, k, params, seed)? };
    best_of_starts(&job)
}

/// Runs all initialisations on all threads.
fn best_of_starts(job: &Job<'_>) -> Result<KMeans> {
    let replicates = job.params.replicates;
    // Threads that share an initialisation would start others while they wait.
    let shared = replicates < rayon::current_num_threads();
    let starts = (0..replicates).into_par_iter().map(|start| job.run(start, shared));
    best(starts.collect::<Result<_>>()?)
}

/// The same result as [`kmeans_watched`], computed only on the calling thread. It is intended for
/// callers that run many clusterings in parallel.
///
/// # Errors
///
/// The same as for [`kmeans_watched`].
pub fn kmeans_on_one_thread(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
    watch: Watch<'_>,
) -> Result<KMeans> {
    let job = Job { watch, ..Job::new(points, dimension, weights, k, params, seed)? };
    best((0..params.replicates).map(|start| job.run(start, false)).collect::<Result<_>>()?)
}

/// Lloyd's algorithm from given initial centres, one after the other in `centres`; otherwise
/// the same as [`kmeans`]. Permuting the points permutes the labels, up to rounding.
///
/// ```
/// use enclust_kmeans::kmeans_from;
///
/// let found = kmeans_from(&[0.0, 0.1, 5.0, 5.1], 1, None, &[1.0, 2.0], 100)?;
/// assert_eq!(found.labels, [0, 0, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`kmeans`], and [`Error::Size`] if the centres do not form complete rows.
pub fn kmeans_from(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    centres: &[f64],
    max_iterations: usize,
) -> Result<KMeans> {
    let params = KMeansParams::default().max_iterations(max_iterations);
    let k = centres.len() / dimension.max(1);
    Error::check_size("coordinates of the centres", k * dimension, centres.len())?;
    let job = Job::new(points, dimension, weights, k, &params, 0)?;
    let shared = rayon::current_num_threads() > 1;
    best(vec![job.improve(centres.to_vec(), shared)?])
}

impl KMeans {
    /// For each of these points, the cluster with the nearest centre; the first one among
    /// equally near centres.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if lengths do not match; [`Error::NotFinite`] for a coordinate that is
    /// not finite.
    pub fn assign(&self, points: &[f64], dimension: usize) -> Result<Vec<usize>> {
        nearest(&self.centres, points, dimension)
    }
}

/// For each of these points, the nearest of these centres; the first one among equally near
/// centres.
///
/// ```
/// assert_eq!(enclust_kmeans::nearest(&[0.0, 5.0], &[1.0, 4.0, 9.0], 1)?, [0, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// The same as for [`KMeans::assign`].
pub fn nearest(centres: &[f64], points: &[f64], dimension: usize) -> Result<Vec<usize>> {
    let points = Points::new(points, dimension, None)?;
    let whole = centres.len() / dimension * dimension;
    Error::check_size("coordinates of the centres", whole, centres.len())?;
    let tiles = Tiles::in_order(centres, dimension);
    let nearest = |i| tiles.nearest(points.row(i)).centre as usize;
    Ok((0..points.len()).map(nearest).collect())
}

/// An upper bound on the memory of [`kmeans`], including its result but not the points.
pub fn kmeans_bytes(
    points: usize,
    dimension: usize,
    k: usize,
    params: &KMeansParams,
    threads: usize,
) -> Bytes {
    // The result of each initialisation, and the data per point of a running initialisation:
    // first probabilities and distances to candidates, then the previous and the new cluster,
    // and bounds.
    let working = 96.max(24 + bounds_of_a_point(k));
    let each_point =
        Bytes(8) * (2 + params.replicates as u64) + Bytes(working as u64) * threads as u64;
    let centres = Bytes(8 * 6) * (k + LANES) as u64 * dimension as u64 * threads as u64;
    let kept = Bytes(8) * (k * dimension * params.replicates) as u64;
    each_point * points as u64 + centres + kept
}

/// A checked request.
struct Job<'a> {
    points: Points<'a>,
    k: usize,
    params: &'a KMeansParams,
    seed: u64,
    watch: Watch<'a>,
    /// The mean of the points, if initial centres are [set apart](set_apart).
    apart: Option<&'a [f64]>,
}

impl<'a> Job<'a> {
    fn new(
        points: &'a [f64],
        dimension: usize,
        weights: Option<&[f64]>,
        k: usize,
        params: &'a KMeansParams,
        seed: u64,
    ) -> Result<Self> {
        params.validate()?;
        let points = Points::new(points, dimension, weights)?;
        check_k("kmeans", k, points.len())?;
        Ok(Job { points, k, params, seed, watch: Watch::default(), apart: None })
    }

    /// One initialisation: k-means++, then Lloyd's algorithm, on all threads or only on this
    /// one.
    fn run(&self, start: usize, shared: bool) -> Result<KMeans> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(start as u64);
        let candidates =
            self.params.candidates.unwrap_or(2 + (self.k as f64).ln() as usize).min(LANES);
        let first = spread(&self.points, self.k, candidates, &mut rng, self.watch)?;
        let mut centres: Vec<f64> =
            first.into_iter().flat_map(|i| self.points.row(i)).copied().collect();
        if let Some(mean) = self.apart {
            set_apart(&mut centres, mean);
        }
        self.improve(centres, shared)
    }

    /// Lloyd's rounds.
    fn improve(&self, centres: Vec<f64>, shared: bool) -> Result<KMeans> {
        let (limit, bounds) = (self.params.max_iterations, &mut Bounds::new(shared));
        Ok(self.result(lloyd(&self.points, centres, limit, bounds, self.watch)?))
    }

    /// The clusters renumbered by first occurrence.
    fn result(&self, settled: Settled) -> KMeans {
        let d = self.points.dimension;
        let (labels, centres) = by_first_occurrence(&settled.labels, &settled.centres, d);
        let inertia = (0..labels.len())
            .map(|i| {
                let centre = &centres[labels[i] * d..][..d];
                self.points.weights[i] * squared_distance(self.points.row(i), centre)
            })
            .sum();
        KMeans { labels, centres, inertia, iterations: settled.iterations }
    }
}

/// Clusters numbered by first occurrence, and their centres in this order.
fn by_first_occurrence(given: &[u32], centres: &[f64], d: usize) -> (Vec<usize>, Vec<f64>) {
    let labels = Partition::from_labels(given.iter().copied()).labels().to_vec();
    let mut sorted = vec![0.0; centres.len()];
    for (&new, &old) in labels.iter().zip(given) {
        sorted[new * d..][..d].copy_from_slice(&centres[old as usize * d..][..d]);
    }
    (labels, sorted)
}

/// The best of the initialisations; the first one among equals.
fn best(starts: Vec<KMeans>) -> Result<KMeans> {
    let better = |best: KMeans, next: KMeans| {
        let gained = next.inertia < best.inertia || best.inertia.is_nan();
        if gained { next } else { best }
    };
    match starts.into_iter().reduce(better) {
        Some(best) if best.inertia.is_finite() => Ok(best),
        other => {
            let iteration = other.map_or(0, |best| best.iterations);
            Err(Error::NotFinite { what: "the sum of squared distances", iteration })
        }
    }
}
