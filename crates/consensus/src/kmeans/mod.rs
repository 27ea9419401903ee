//! Weighted k-means.
//!
//! `start` draws the centres to begin with, `lloyd` improves them round by round,
//! `bounds` spares it most of the distances, `tiles` is how centres lie in memory.

mod bounds;
mod lloyd;
mod points;
mod start;
mod tiles;

use enclust_core::{Bytes, Error, Parameters, Partition, Range, Result, check_k, parameters};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use bounds::{Bounds, bounds_of_a_point};
use lloyd::{Settled, lloyd};
use points::{Points, squared_distance};
use start::spread;
use tiles::{LANES, Tiles};

parameters! {
    /// Parameters of [`kmeans`].
    pub struct KMeansParams for "kmeans" {
        /// Number of starts; the best result is kept.
        pub replicates: usize = 10, in Range::AtLeast(1.0);
        /// Rounds of assignment after which a start ends, settled or not.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
        /// Points drawn for each centre of a start, the best of which is taken; 1 is plain k-means++, auto is 2 + ⌊ln k⌋, at most 8.
        pub candidates: Option<usize> = Some(1), in Range::Within(1.0, 8.0);
    }
}

/// What [`kmeans`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeans {
    /// Cluster of each point, clusters numbered by first occurrence.
    pub labels: Vec<usize>,
    /// The mean of each cluster, one after the other.
    pub centres: Vec<f64>,
    /// Weighted sum of the squared distances of the points to their centres.
    pub inertia: f64,
    /// Rounds of assignment that the best start took.
    pub iterations: usize,
}

/// Weighted k-means on the rows of a matrix.
///
/// # Problem
///
/// Divide points xᵢ of weight wᵢ into k non-empty clusters such that Σᵢ wᵢ ‖xᵢ − c(i)‖² is
/// small, where c(i) is the weighted mean of the cluster of i. Each start draws centres by
/// k-means++ and improves them by Lloyd's rounds until no point moves. A cluster that loses all
/// its points is given the point farthest from its centre. Distances that cannot matter, by the
/// triangle inequality, are not computed; that changes no bit of the answer.
///
/// # Parameters
///
/// `points` row after row, `dimension` numbers each; `weights`, one a point (1 if `None`); `k`
/// from 1 to the number of points; [`KMeansParams`]; `seed`.
///
/// # Complexity
///
/// O(n k d) a round in time at most, and far less once the centres move little; O(nk/8 + kd)
/// memory a start.
///
/// # Determinism and ties
///
/// Start number r draws from stream r of one ChaCha8 generator, so neither the number of
/// threads nor that of starts changes what a start finds. Equal distances go to the lowest
/// index, of a centre or of a point; among equally good starts the first wins. Exactly k
/// clusters come out, even if points coincide.
///
/// # Errors
///
/// [`Error::ClusterCount`] for k = 0 or k > n; [`Error::Size`] where lengths do not fit;
/// [`Error::NotFinite`] for a coordinate that is not finite; [`Error::Param`] for a weight or
/// parameter out of range.
///
/// # Example
///
/// ```
/// use enclust_consensus::{KMeansParams, kmeans};
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
    let job = Job::new(points, dimension, weights, k, params, seed)?;
    // Threads that share a start would take up others while they wait.
    let shared = params.replicates < rayon::current_num_threads();
    let starts = (0..params.replicates).into_par_iter().map(|start| job.run(start, shared));
    best(starts.collect())
}

/// The same answer as [`kmeans`], found on the calling thread alone: for callers that cluster
/// many times and use the threads for that.
///
/// # Errors
///
/// Those of [`kmeans`].
pub fn kmeans_on_one_thread(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
) -> Result<KMeans> {
    let job = Job::new(points, dimension, weights, k, params, seed)?;
    best((0..params.replicates).map(|start| job.run(start, false)).collect())
}

/// Lloyd's rounds from centres that the caller gives, one after the other in `centres`; as in
/// [`kmeans`], but no start is drawn. Permuting the points permutes the labels, up to rounding.
///
/// ```
/// use enclust_consensus::kmeans_from;
///
/// let found = kmeans_from(&[0.0, 0.1, 5.0, 5.1], 1, None, &[1.0, 2.0], 100)?;
/// assert_eq!(found.labels, [0, 0, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`kmeans`], and [`Error::Size`] if the centres do not fill whole rows.
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
    best(vec![job.improve(centres.to_vec(), shared)])
}

impl KMeans {
    /// The cluster whose centre is nearest to each of these points, the first of equally near
    /// ones.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] where lengths do not fit, [`Error::NotFinite`] for a coordinate that is
    /// not finite.
    pub fn assign(&self, points: &[f64], dimension: usize) -> Result<Vec<usize>> {
        let points = Points::new(points, dimension, None)?;
        let whole = self.centres.len() / dimension * dimension;
        Error::check_size("coordinates of the centres", whole, self.centres.len())?;
        let tiles = Tiles::in_order(&self.centres, dimension);
        let nearest = |i| tiles.nearest(points.row(i)).centre as usize;
        Ok((0..points.len()).map(nearest).collect())
    }
}

/// What [`kmeans`] takes besides the points, its answer included: an upper bound.
pub fn kmeans_bytes(
    points: usize,
    dimension: usize,
    k: usize,
    params: &KMeansParams,
    threads: usize,
) -> Bytes {
    // What is kept of each start, and what a start at work has of each point: at first
    // chances and distances to candidates, then its cluster before and after, and bounds.
    let working = 96.max(24 + bounds_of_a_point(k));
    let each_point =
        Bytes(8) * (2 + params.replicates as u64) + Bytes(working as u64) * threads as u64;
    let centres = Bytes(8 * 6) * (k + LANES) as u64 * dimension as u64 * threads as u64;
    let kept = Bytes(8) * (k * dimension * params.replicates) as u64;
    each_point * points as u64 + centres + kept
}

/// What to do, checked.
struct Job<'a> {
    points: Points<'a>,
    k: usize,
    params: &'a KMeansParams,
    seed: u64,
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
        Ok(Job { points, k, params, seed })
    }

    /// One start: k-means++, then Lloyd's rounds, on all threads or on this one alone.
    fn run(&self, start: usize, shared: bool) -> KMeans {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(start as u64);
        let candidates =
            self.params.candidates.unwrap_or(2 + (self.k as f64).ln() as usize).min(LANES);
        let first = spread(&self.points, self.k, candidates, &mut rng);
        let centres = first.into_iter().flat_map(|i| self.points.row(i)).copied().collect();
        self.improve(centres, shared)
    }

    /// Lloyd's rounds.
    fn improve(&self, centres: Vec<f64>, shared: bool) -> KMeans {
        let limit = self.params.max_iterations;
        self.result(lloyd(&self.points, centres, limit, &mut Bounds::new(shared)))
    }

    /// The clusters renumbered by first occurrence.
    fn result(&self, settled: Settled) -> KMeans {
        let d = self.points.dimension;
        let partition = Partition::from_labels(settled.labels.iter().copied());
        let labels = partition.labels().to_vec();
        let mut centres = vec![0.0; settled.centres.len()];
        for (&new, &old) in labels.iter().zip(&settled.labels) {
            let old = &settled.centres[old as usize * d..][..d];
            centres[new * d..][..d].copy_from_slice(old);
        }
        let inertia = (0..labels.len())
            .map(|i| {
                let centre = &centres[labels[i] * d..][..d];
                self.points.weights[i] * squared_distance(self.points.row(i), centre)
            })
            .sum();
        KMeans { labels, centres, inertia, iterations: settled.iterations }
    }
}

/// The best of the starts, of equals the first.
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
