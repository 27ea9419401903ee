//! Base clusterings made from features.

use enclust_consensus::{KMeansParams, kmeans};
use enclust_core::{Ensemble, Error, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Runs of k-means on the rows of a feature matrix, as the EC-CMS paper makes its
/// pools: each run draws its number of clusters evenly from 2 to ⌊√n⌋ and starts
/// once by k-means++.
///
/// Run number b draws from stream b of one generator, so neither the number of
/// threads nor that of runs changes what a run finds.
///
/// ```
/// use enclust_experiment::kmeans_pool;
///
/// let points: Vec<f64> = (0..30).map(|i| f64::from(i % 3) * 10.0 + f64::from(i) * 0.01).collect();
/// let pool = kmeans_pool(&points, 1, 8, 1)?;
/// assert_eq!((pool.samples(), pool.clusterings()), (30, 8));
/// assert!(pool.clusters().iter().all(|k| (2..=5).contains(k)));
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`] for fewer than four points or no runs, and whatever
/// [`kmeans`] has against the features.
pub fn kmeans_pool(points: &[f64], dimension: usize, runs: usize, seed: u64) -> Result<Ensemble> {
    let samples = points.len() / dimension.max(1);
    let most = samples.isqrt();
    if most < 2 || runs == 0 {
        return Err(Error::Empty { what: "set of features or number of runs" });
    }
    let once = KMeansParams { replicates: 1, ..KMeansParams::default() };
    let columns = (0..runs)
        .into_par_iter()
        .map(|run| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(run as u64);
            let k = rng.random_range(2..=most);
            Ok(kmeans(points, dimension, None, k, &once, rng.random())?.labels)
        })
        .collect::<Result<Vec<_>>>()?;
    Ensemble::from_columns(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_runs_leave_the_first_ones_as_they_are() {
        let points: Vec<f64> = (0..120).map(|i| f64::from(i * 37 % 101)).collect();
        let (few, many) =
            (kmeans_pool(&points, 2, 3, 9).unwrap(), kmeans_pool(&points, 2, 6, 9).unwrap());
        assert_eq!(many.select(&[0, 1, 2]).unwrap(), few);
    }

    #[test]
    fn threads_change_nothing() {
        let points: Vec<f64> = (0..400).map(|i| f64::from(i * 37 % 101)).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| kmeans_pool(&points, 2, 6, 9)).unwrap()
        };
        assert_eq!(with(1), with(2));
    }

    #[test]
    fn too_little_input_is_refused() {
        assert!(kmeans_pool(&[1.0, 2.0], 1, 5, 0).is_err());
        assert!(kmeans_pool(&[1.0; 20], 1, 0, 0).is_err());
        assert!(kmeans_pool(&[1.0; 21], 2, 5, 0).is_err());
    }
}
