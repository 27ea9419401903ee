//! Weighted k-means.

use enclust_core::{
    Bytes, Error, ParamError, Parameters, Partition, Range, Result, check_k, parameters,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Centres compared at once; their distances fit the registers.
const LANES: usize = 8;
/// Fewest points worth a thread of their own.
const POINTS: usize = 256;

parameters! {
    /// Parameters of [`kmeans`].
    pub struct KMeansParams for "kmeans" {
        /// Number of starts; the best result is kept.
        pub replicates: usize = 10, in Range::AtLeast(1.0);
        /// Rounds of assignment after which a start ends, settled or not.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

/// What [`kmeans`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeans {
    /// Cluster of each point, clusters numbered by first occurrence.
    pub labels: Vec<usize>,
    /// Weighted sum of the squared distances of the points to their centres.
    pub inertia: f64,
    /// Rounds of assignment that the best start took.
    pub iterations: usize,
}

/// **Summary.** Weighted k-means on the rows of a matrix.
///
/// **Problem.** Divide points xᵢ of weight wᵢ into k non-empty clusters such that
/// Σᵢ wᵢ ‖xᵢ − c(i)‖² is small, where c(i) is the weighted mean of the cluster of
/// i. Each start draws centres by k-means++ and improves them by Lloyd's rounds
/// until no point moves. A cluster that loses all its points is given the point
/// farthest from its centre.
///
/// **Parameters.** `points` row after row, `dimension` numbers each; `weights`,
/// one a point (1 if `None`); `k` from 1 to the number of points;
/// [`KMeansParams`]; `seed`.
///
/// **Complexity.** O(n k d) a round in time, O(n + kd) memory a start.
///
/// **Determinism and ties.** Start number r draws from stream r of one ChaCha8
/// generator, so neither the number of threads nor that of starts changes what a
/// start finds. Equal distances go to the lowest index, of a centre or of a
/// point; among equally good starts the first wins. Exactly k clusters come out,
/// even if points coincide.
///
/// **Errors.** [`Error::ClusterCount`] for k = 0 or k > n; [`Error::Size`] where
/// lengths do not fit; [`Error::NotFinite`] for a coordinate that is not finite;
/// [`Error::Param`] for a weight or parameter out of range.
///
/// **Example.**
/// ```
/// use enclust_consensus::{KMeansParams, kmeans};
///
/// let points = [0.0, 0.1, 5.0, 5.1, 5.2];
/// let found = kmeans(&points, 1, None, 2, &KMeansParams::default(), 0)?;
/// assert_eq!(found.labels, [0, 0, 1, 1, 1]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// **Reference.** D. Arthur, S. Vassilvitskii, *k-means++: the advantages of
/// careful seeding*, SODA 2007.
pub fn kmeans(
    points: &[f64],
    dimension: usize,
    weights: Option<&[f64]>,
    k: usize,
    params: &KMeansParams,
    seed: u64,
) -> Result<KMeans> {
    params.validate()?;
    let points = Points::new(points, dimension, weights)?;
    check_k("kmeans", k, points.len())?;
    let runs: Vec<KMeans> = (0..params.replicates)
        .into_par_iter()
        .map(|replicate| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(replicate as u64);
            points.cluster(k, params.max_iterations, &mut rng)
        })
        .collect();
    let first = KMeans { labels: Vec::new(), inertia: f64::INFINITY, iterations: 0 };
    let better = |best: KMeans, run: KMeans| {
        if run.inertia < best.inertia || best.labels.is_empty() { run } else { best }
    };
    let best = runs.into_iter().fold(first, better);
    if !best.inertia.is_finite() {
        let (what, iteration) = ("the sum of squared distances", best.iterations);
        return Err(Error::NotFinite { what, iteration });
    }
    Ok(best)
}

/// What [`kmeans`] takes besides the points, its answer included: an upper bound.
pub(crate) fn kmeans_bytes(
    points: usize,
    dimension: usize,
    k: usize,
    params: &KMeansParams,
    threads: usize,
) -> Bytes {
    // What is kept of each start, and what a start at work has of each point: its
    // cluster before and after, distances, chances, and lists put together of parts.
    let each_point = Bytes(8) * (2 + params.replicates as u64) + Bytes(96) * threads as u64;
    let centres = Bytes(8 * 4) * (k + LANES) as u64 * dimension as u64 * threads as u64;
    each_point * points as u64 + centres
}

/// Weighted points, checked.
struct Points<'a> {
    coordinates: &'a [f64],
    dimension: usize,
    weights: Vec<f64>,
}

impl<'a> Points<'a> {
    fn new(coordinates: &'a [f64], dimension: usize, weights: Option<&[f64]>) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::Empty { what: "set of coordinates" });
        }
        let n = coordinates.len() / dimension;
        Error::check_size("coordinates of the points", n * dimension, coordinates.len())?;
        if !coordinates.iter().all(|x| x.is_finite()) {
            return Err(Error::NotFinite { what: "a coordinate", iteration: 0 });
        }
        let weights = weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        Error::check_size("weights of the points", n, weights.len())?;
        if let Some(w) = weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            return Err(Error::Param(ParamError::OutOfRange {
                component: "kmeans",
                parameter: "weights",
                value: w.to_string(),
                range: Range::Positive.to_string(),
            }));
        }
        Ok(Points { coordinates, dimension, weights })
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.coordinates[i * self.dimension..][..self.dimension]
    }

    /// One start: k-means++, then Lloyd's rounds.
    fn cluster(&self, k: usize, max_iterations: usize, rng: &mut ChaCha8Rng) -> KMeans {
        let mut centres: Vec<f64> =
            self.spread(k, rng).into_iter().flat_map(|i| self.row(i)).copied().collect();
        let mut labels = Vec::new();
        let mut iterations = 0;
        loop {
            iterations += 1;
            let (mut next, mut distances) = self.assign(&centres);
            fill_empty(k, &mut next, &mut distances);
            let settled = next == labels;
            labels = next;
            if !settled {
                centres = self.means(k, &labels);
            }
            if settled || iterations >= max_iterations {
                return self.result(labels, &centres, iterations);
            }
        }
    }

    fn result(&self, labels: Vec<usize>, centres: &[f64], iterations: usize) -> KMeans {
        let centre = |c: usize| &centres[c * self.dimension..][..self.dimension];
        let inertia = (0..self.len())
            .map(|i| self.weights[i] * squared_distance(self.row(i), centre(labels[i])))
            .sum();
        KMeans { labels: Partition::from_labels(labels).labels().to_vec(), inertia, iterations }
    }

    /// The points that k-means++ begins with: each drawn with a chance
    /// proportional to its weight times the squared distance to those before it.
    fn spread(&self, k: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut chosen = vec![draw(&self.weights, rng)];
        let mut closest = vec![f64::INFINITY; self.len()];
        while chosen.len() < k {
            let last = self.row(chosen[chosen.len() - 1]);
            for (i, c) in closest.iter_mut().enumerate() {
                *c = c.min(squared_distance(self.row(i), last));
            }
            let masses: Vec<f64> = closest.iter().zip(&self.weights).map(|(c, w)| c * w).collect();
            chosen.push(draw(&masses, rng));
        }
        chosen
    }

    /// Nearest centre of each point, and its squared distance.
    fn assign(&self, centres: &[f64]) -> (Vec<usize>, Vec<f64>) {
        let centres = Centres::new(centres, self.dimension);
        self.coordinates
            .par_chunks_exact(self.dimension)
            .with_min_len(POINTS)
            .map(|row| centres.nearest(row))
            .unzip()
    }

    /// Weighted mean of each cluster.
    fn means(&self, k: usize, labels: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; k * self.dimension];
        let mut totals = vec![0.0; k];
        for (i, &label) in labels.iter().enumerate() {
            let w = self.weights[i];
            totals[label] += w;
            let sum = &mut sums[label * self.dimension..][..self.dimension];
            sum.iter_mut().zip(self.row(i)).for_each(|(s, x)| *s += w * x);
        }
        for (sum, total) in sums.chunks_exact_mut(self.dimension).zip(&totals) {
            sum.iter_mut().for_each(|s| *s /= total);
        }
        sums
    }
}

/// Centres in tiles of [`LANES`], one coordinate of all of them after the other.
struct Centres {
    tiles: Vec<[f64; LANES]>,
    dimension: usize,
}

impl Centres {
    fn new(centres: &[f64], dimension: usize) -> Self {
        let count = centres.len() / dimension;
        // The lanes left over are infinitely far from every point.
        let mut tiles = vec![[f64::INFINITY; LANES]; count.div_ceil(LANES) * dimension];
        for (c, centre) in centres.chunks_exact(dimension).enumerate() {
            for (j, &x) in centre.iter().enumerate() {
                tiles[c / LANES * dimension + j][c % LANES] = x;
            }
        }
        Centres { tiles, dimension }
    }

    /// The first of the nearest centres, and its squared distance.
    fn nearest(&self, point: &[f64]) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        for (tile, coordinates) in self.tiles.chunks_exact(self.dimension).enumerate() {
            let mut squared = [0.0; LANES];
            for (&x, centres) in point.iter().zip(coordinates) {
                for (s, &c) in squared.iter_mut().zip(centres) {
                    *s += (x - c) * (x - c);
                }
            }
            for (lane, &s) in squared.iter().enumerate() {
                if s < best.1 {
                    best = (tile * LANES + lane, s);
                }
            }
        }
        best
    }
}

/// Gives every empty cluster the point farthest from its centre, among those
/// that do not leave another cluster empty.
fn fill_empty(k: usize, labels: &mut [usize], distances: &mut [f64]) {
    let mut counts = vec![0; k];
    labels.iter().for_each(|&label| counts[label] += 1);
    for empty in 0..k {
        if counts[empty] > 0 {
            continue;
        }
        let farthest = (0..labels.len())
            .filter(|&i| counts[labels[i]] > 1)
            .reduce(|best, i| if distances[i] > distances[best] { i } else { best });
        // There are at least as many points as clusters, so there is one.
        if let Some(i) = farthest {
            counts[labels[i]] -= 1;
            counts[empty] = 1;
            labels[i] = empty;
            distances[i] = 0.0;
        }
    }
}

/// An index drawn with a chance proportional to its mass; the first one if there
/// is no mass at all.
fn draw(masses: &[f64], rng: &mut ChaCha8Rng) -> usize {
    let mut left = rng.random::<f64>() * masses.iter().sum::<f64>();
    for (i, &mass) in masses.iter().enumerate() {
        if left < mass {
            return i;
        }
        left -= mass;
    }
    // Rounding can step over the end.
    masses.iter().rposition(|&mass| mass > 0.0).unwrap_or(0)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}
