//! Pools of k-means clusterings with different numbers of clusters, features and samples.

use enclust_core::{
    Bytes, Component, Ctx, Ensemble, MISSING, ParamError, Parameters, Range, Result, Watch,
    check_k, choice, parameters,
};
use enclust_kmeans::{KMeansParams, kmeans_bytes, kmeans_on_one_thread, kmeans_watched};
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::features::{Features, Scale, Subset};
use crate::progress::Counter;

const NAME: &str = "kmeans-pool";

/// Seeds up to this value can be stored in file formats whose numbers are doubles.
const LARGEST_SEED: f64 = (1_u64 << 53) as f64;

choice! {
    /// The labels of samples on which a clustering was not fitted.
    pub enum Rest {
        /// The samples have no label.
        Missing = "missing",
        /// The samples are assigned to the nearest centre.
        Nearest = "nearest",
    }
}

parameters! {
    /// Parameters of [`KMeansPool`].
    pub struct KMeansPoolParams for "kmeans-pool" {
        /// Number of base clusterings.
        pub size: usize = 100, in Range::AtLeast(1.0);
        /// Minimum number of clusters of a base clustering.
        pub min_clusters: usize = 2, in Range::AtLeast(1.0);
        /// Maximum number of clusters of a base clustering; auto is the square root of the
        /// number of samples it is fitted on, rounded down.
        pub max_clusters: Option<usize> = None, in Range::AtLeast(1.0);
        /// Maximum number of k-means iterations.
        pub iterations: usize = 100, in Range::AtLeast(1.0);
        /// Number of candidates for each initial centre, of which the best is selected; 1 is
        /// plain k-means++, auto is 2 + ⌊ln K⌋, at most 8.
        pub candidates: Option<usize> = None, in Range::Within(1.0, 8.0);
        /// Share of the features that each clustering uses (random subspaces).
        pub features: f64 = 1.0, in Range::Share;
        /// Share of the samples that each clustering is fitted on (subsampling).
        pub samples: f64 = 1.0, in Range::Share;
        /// The labels of the other samples.
        pub assign: Rest = Rest::Missing, in Range::Any;
        /// Scaling of the features.
        pub scale: Scale = Scale::None, in Range::Any;
        /// Seed of the random number generator.
        pub seed: u64 = 1, in Range::Within(0.0, LARGEST_SEED);
    }
}

/// Many runs of k-means on the rows of a feature matrix.
///
/// # Problem
///
/// An ensemble needs base clusterings that are good and diverse. Each run draws its number of
/// clusters K uniformly from 2 to ⌊√n⌋, like the pools of the EC-CMS paper, and is initialised
/// once by [k-means++](enclust_kmeans::kmeans). It may use a random subset of the features
/// (random subspaces) and be fitted on a random subset of the samples (subsampling); both
/// subsets are drawn without replacement.
///
/// # Parameters
///
/// See [`KMeansPoolParams`]. Shares are rounded to whole numbers, at least 1. By default, the
/// initialisation selects the best of several candidates for each centre, as scikit-learn does;
/// `candidates = 1` is plain k-means++.
///
/// # Complexity
///
/// That of [`kmeans`](enclust_kmeans::kmeans) for each run, in parallel. Memory for the
/// labels and for one run per thread.
///
/// # Determinism and ties
///
/// Run number b draws from stream b of one ChaCha8 generator: K, the seed of k-means, the
/// features, the samples, in this order. Therefore run b depends neither on the number of
/// threads nor on the size of the pool.
///
/// # Errors
///
/// [`Error::Empty`](enclust_core::Error::Empty) without features,
/// [`Size`](enclust_core::Error::Size) if they do not form a matrix,
/// [`Feature`](enclust_core::Error::Feature) for a value that is not finite,
/// [`Param`](enclust_core::Error::Param) if `min_clusters` exceeds the maximum number of
/// clusters, [`ClusterCount`](enclust_core::Error::ClusterCount) if this maximum exceeds the
/// number of samples on which a run is fitted, [`NotFinite`](enclust_core::Error::NotFinite) if
/// values are too large to be squared, [`Memory`](enclust_core::Error::Memory) if the run does
/// not fit into memory, [`Cancelled`](enclust_core::Error::Cancelled) if the caller cancels it.
///
/// # Example
///
/// ```
/// use enclust_generate::{KMeansPool, KMeansPoolParams};
///
/// let features: Vec<f64> = (0..200).map(|i| f64::from(i * 37 % 101)).collect();
/// let params = KMeansPoolParams::default().size(5).samples(0.8);
/// let ensemble = KMeansPool::new(params)?.generate(&features, 2)?;
/// assert_eq!((ensemble.samples(), ensemble.clusterings()), (100, 5));
/// assert!(ensemble.has_missing());
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// # Reference
///
/// Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association matrix
/// self-enhancement", TNNLS 2023.
#[derive(Clone, Debug, Default)]
pub struct KMeansPool {
    params: KMeansPoolParams,
}

/// Makes `size` clusterings as in the paper: [`KMeansPool`] with default parameters.
///
/// # Errors
/// The same as [`KMeansPool::generate`].
pub fn kmeans_pool(features: &[f64], dimension: usize, size: usize, seed: u64) -> Result<Ensemble> {
    let params = KMeansPoolParams::default().size(size).seed(seed);
    KMeansPool::new(params)?.generate(features, dimension)
}

impl KMeansPool {
    /// Checks the parameters.
    pub fn new(params: KMeansPoolParams) -> Result<Self, ParamError> {
        params.validate()?;
        Ok(KMeansPool { params })
    }

    /// The base clusterings of samples given in row-major order with `dimension` features each.
    pub fn generate(&self, features: &[f64], dimension: usize) -> Result<Ensemble> {
        self.generate_watched(features, dimension, Watch::default())
    }

    /// The same, reporting the number of finished clusterings to `watch`.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use enclust_core::{Error, Event, Watch};
    /// use enclust_generate::KMeansPool;
    ///
    /// let features: Vec<f64> = (0..100).map(f64::from).collect();
    /// let stop = |event: &Event<'_>| match event {
    ///     Event::Progress { done: 3.., .. } => ControlFlow::Break(()),
    ///     _ => ControlFlow::Continue(()),
    /// };
    /// let watch = Watch::default().with_observer(&stop);
    /// let stopped = KMeansPool::default().generate_watched(&features, 1, watch);
    /// assert!(matches!(stopped, Err(Error::Cancelled { done: 3.., total: 100, .. })));
    /// ```
    pub fn generate_watched(
        &self,
        features: &[f64],
        dimension: usize,
        watch: Watch<'_>,
    ) -> Result<Ensemble> {
        let features = Features::new(features, dimension, self.params.scale)?;
        let plan = Plan::new(&self.params, &features)?;
        plan.check_memory()?;
        let counter = Counter::new("making base clusterings", self.params.size, watch);
        let columns = (0..self.params.size)
            .into_par_iter()
            .with_max_len(1)
            .map(|run| counter.part(|| plan.run(run, watch)))
            .collect::<Vec<_>>();
        // Of several errors, the one of the first run is returned, for any number of threads.
        let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
        Ensemble::from_keys(features.samples, columns.len(), |i, run| {
            Some(columns[run][i]).filter(|&label| label != MISSING)
        })
    }
}

impl Component for KMeansPool {
    fn name(&self) -> &str {
        NAME
    }
}

/// Data shared by all runs.
struct Plan<'a> {
    params: &'a KMeansPoolParams,
    features: &'a Features<'a>,
    /// Number of features per run.
    seen: usize,
    /// Number of samples on which a run is fitted.
    fitted: usize,
    most_clusters: usize,
    kmeans: KMeansParams,
}

impl<'a> Plan<'a> {
    fn new(params: &'a KMeansPoolParams, features: &'a Features<'a>) -> Result<Self> {
        let fitted = part_of(features.samples, params.samples);
        let most_clusters = params.max_clusters.unwrap_or(fitted.isqrt());
        if params.min_clusters > most_clusters {
            let why = match params.max_clusters {
                Some(_) => "which is max_clusters".to_string(),
                None => format!(
                    "the square root of the number of samples a clustering is fitted on, {fitted}"
                ),
            };
            Err(ParamError::OutOfRange {
                component: NAME,
                parameter: "min_clusters",
                value: params.min_clusters.to_string(),
                range: format!("must be at most {most_clusters}, {why}"),
            })?;
        }
        check_k(NAME, most_clusters, fitted)?;
        let kmeans = KMeansParams::default()
            .replicates(1)
            .max_iterations(params.iterations)
            .candidates(params.candidates);
        let seen = part_of(features.dimension, params.features);
        Ok(Plan { params, features, seen, fitted, most_clusters, kmeans })
    }

    fn check_memory(&self) -> Result<()> {
        let threads = rayon::current_num_threads();
        let (n, size) = (self.features.samples as u64, self.params.size as u64);
        // The labels as returned by the runs and in the ensemble; the features of each run.
        let labels = Bytes(8) * n * size;
        let parts = Bytes(8 * n) * (self.seen * threads) as u64;
        let runs = kmeans_bytes(self.fitted, self.seen, self.most_clusters, &self.kmeans, threads);
        let size = format!("{size} clusterings of n = {n}");
        let advice = "make fewer clusterings or use fewer threads";
        Ctx::<f64>::default().require(NAME, labels + parts + runs, &size, advice)
    }

    /// The labels of one base clustering.
    fn run(&self, run: usize, watch: Watch<'_>) -> Result<Vec<u32>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.params.seed);
        rng.set_stream(run as u64);
        let k = rng.random_range(self.params.min_clusters..=self.most_clusters);
        let seed = rng.random();
        let columns = draw(self.features.dimension, self.seen, &mut rng);
        let rows = draw(self.features.samples, self.fitted, &mut rng);

        let alone = self.params.size >= rayon::current_num_threads();
        let cluster = if alone { kmeans_on_one_thread } else { kmeans_watched };
        let points = self.features.part(&rows, &columns);
        let found = cluster(&points, self.seen, None, k, &self.kmeans, seed, watch.quiet())?;
        let mut labels = vec![MISSING; self.features.samples];
        put(&mut labels, &rows, &found.labels);
        if self.params.assign == Rest::Nearest && !rows.is_all() {
            let rest = rows.rest();
            let points = self.features.part(&rest, &columns);
            put(&mut labels, &rest, &found.assign(&points, self.seen)?);
        }
        Ok(labels)
    }
}

/// A share of `all`, rounded to the nearest whole number, at least 1.
fn part_of(all: usize, share: f64) -> usize {
    ((all as f64 * share).round() as usize).clamp(1, all)
}

fn draw(of: usize, amount: usize, rng: &mut ChaCha8Rng) -> Subset {
    if amount == of {
        return Subset::all(of);
    }
    Subset::some(of, index::sample(rng, of, amount).into_vec())
}

fn put(labels: &mut [u32], rows: &Subset, found: &[usize]) {
    rows.iter().zip(found).for_each(|(i, &label)| labels[i] = label as u32);
}
