//! Pools of k-means clusterings with different numbers of clusters, features and samples.

use enclust_core::{
    Bytes, Component, Ctx, Ensemble, MISSING, ParamError, Parameters, Range, Result, Watch,
    check_k, choice, parameters,
};
use enclust_kmeans::{KMeans, KMeansParams, kmeans_bytes, kmeans_on_one_thread, kmeans_watched};
use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::features::{Features, Scale, Subset, scaling};
use crate::fitted::{FittedKMeans, FittedPool};
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

/// A pool that is made for a comparison has at most this many base clusterings.
const ENOUGH_TO_COMPARE: usize = 100;

impl KMeansPoolParams {
    /// The same parameters for a pool of only this many samples, to be compared with others: at
    /// most 100 clusterings, and not more clusters than so few samples can have.
    ///
    /// ```
    /// use enclust_generate::KMeansPoolParams;
    ///
    /// let params = KMeansPoolParams::default().size(500).max_clusters(Some(80)).for_part(60);
    /// assert_eq!((params.size, params.max_clusters), (100, Some(30)));
    /// ```
    pub fn for_part(&self, samples: usize) -> Self {
        let fitted = (samples as f64 * self.samples) as usize;
        let most = (fitted / 2).max(1);
        let mut params = self.clone().size(self.size.min(ENOUGH_TO_COMPARE));
        params.max_clusters = params.max_clusters.map(|clusters| clusters.min(most));
        params.min_clusters = params.min_clusters.min(fitted.isqrt().max(1));
        params
    }
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
        let columns =
            self.each_run(features, dimension, watch, |plan, run| Ok(plan.run(run, watch)?.0))?;
        ensemble_of(&columns)
    }

    /// The same clusterings with their centres, which label new samples.
    ///
    /// ```
    /// use enclust_core::Watch;
    /// use enclust_generate::{KMeansPool, KMeansPoolParams};
    ///
    /// let features: Vec<f64> = (0..30).map(|i| f64::from(i % 3) * 10.0 + f64::from(i) * 0.01).collect();
    /// let pool = KMeansPool::new(KMeansPoolParams::default().size(8))?;
    /// let fitted = pool.fit(&features, 1, Watch::default())?;
    /// assert_eq!(fitted.ensemble()?, pool.generate(&features, 1)?);
    /// let labels = fitted.assign(&features[..6], 1)?;
    /// assert!(labels.iter().zip(&fitted.clusterings).all(|(new, old)| new[..] == old.labels[..6]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as for [`generate`](Self::generate).
    pub fn fit(&self, features: &[f64], dimension: usize, watch: Watch<'_>) -> Result<FittedPool> {
        let clusterings = self.each_run(features, dimension, watch, |plan, run| {
            let (labels, found, columns) = plan.run(run, watch)?;
            Ok(FittedKMeans { labels, columns: columns.iter().collect(), centres: found.centres })
        })?;
        let scaling = match self.params.scale {
            Scale::None => None,
            Scale::UnitVariance => Some(scaling(features, dimension)?),
        };
        Ok(FittedPool { clusterings, dimension, scaling })
    }

    /// What the clustering with this number draws for data of this size, so that it can be fitted
    /// elsewhere: k-means with `k` and `seed` on these samples and features gives its labels.
    ///
    /// # Errors
    ///
    /// [`Error::Param`](enclust_core::Error::Param) and
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) as for
    /// [`generate`](Self::generate).
    pub fn drawn(&self, run: usize, samples: usize, dimension: usize) -> Result<Drawn> {
        let draw = Plan::new(&self.params, samples, dimension)?.draw(run);
        let (samples, features) = (draw.rows.iter().collect(), draw.columns.iter().collect());
        Ok(Drawn { k: draw.k, seed: draw.seed, samples, features })
    }

    /// The parameters of k-means in each clustering.
    pub fn kmeans_params(&self) -> KMeansParams {
        KMeansParams::default()
            .replicates(1)
            .max_iterations(self.params.iterations)
            .candidates(self.params.candidates)
    }

    /// Does some work for each clustering, in parallel.
    fn each_run<T: Send>(
        &self,
        features: &[f64],
        dimension: usize,
        watch: Watch<'_>,
        work: impl Fn(&Runs<'_>, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let features = Features::new(features, dimension, self.params.scale)?;
        let plan = Plan::new(&self.params, features.samples, dimension)?;
        let runs = Runs { plan, features: &features, kmeans: self.kmeans_params() };
        runs.check_memory()?;
        let counter = Counter::new("making base clusterings", self.params.size, watch);
        let made = (0..self.params.size)
            .into_par_iter()
            .with_max_len(1)
            .map(|run| counter.part(|| work(&runs, run)))
            .collect::<Vec<_>>();
        // Of several errors, the one of the first run is returned, for any number of threads.
        made.into_iter().collect()
    }
}

/// What one clustering of a pool draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Number of clusters.
    pub k: usize,
    /// Seed of k-means.
    pub seed: u64,
    /// The samples on which it is fitted, in ascending order.
    pub samples: Vec<usize>,
    /// The features that it uses, in ascending order.
    pub features: Vec<usize>,
}

/// The ensemble of columns of labels with [`MISSING`] ones.
pub(crate) fn ensemble_of<C: AsRef<[u32]>>(columns: &[C]) -> Result<Ensemble> {
    let samples = columns.first().map_or(0, |column| column.as_ref().len());
    Ensemble::from_keys(samples, columns.len(), |i, run| {
        Some(columns[run].as_ref()[i]).filter(|&label| label != MISSING)
    })
}

impl Component for KMeansPool {
    fn name(&self) -> &str {
        NAME
    }
}

/// The sizes of the draws.
struct Plan<'a> {
    params: &'a KMeansPoolParams,
    samples: usize,
    dimension: usize,
    /// Number of features per run.
    seen: usize,
    /// Number of samples on which a run is fitted.
    fitted: usize,
    most_clusters: usize,
}

/// The draws of a run.
struct Draw {
    k: usize,
    seed: u64,
    columns: Subset,
    rows: Subset,
}

impl<'a> Plan<'a> {
    fn new(params: &'a KMeansPoolParams, samples: usize, dimension: usize) -> Result<Self> {
        let fitted = part_of(samples, params.samples);
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
        let seen = part_of(dimension, params.features);
        Ok(Plan { params, samples, dimension, seen, fitted, most_clusters })
    }

    fn draw(&self, run: usize) -> Draw {
        let mut rng = ChaCha8Rng::seed_from_u64(self.params.seed);
        rng.set_stream(run as u64);
        let k = rng.random_range(self.params.min_clusters..=self.most_clusters);
        let seed = rng.random();
        let columns = draw(self.dimension, self.seen, &mut rng);
        let rows = draw(self.samples, self.fitted, &mut rng);
        Draw { k, seed, columns, rows }
    }
}

/// Data shared by all runs.
struct Runs<'a> {
    plan: Plan<'a>,
    features: &'a Features<'a>,
    kmeans: KMeansParams,
}

impl Runs<'_> {
    fn check_memory(&self) -> Result<()> {
        let threads = rayon::current_num_threads();
        let Plan { params, samples, seen, fitted, most_clusters, .. } = self.plan;
        let (n, size) = (samples as u64, params.size as u64);
        // The labels as returned by the runs and in the ensemble; the features of each run.
        let labels = Bytes(8) * n * size;
        let parts = Bytes(8 * n) * (seen * threads) as u64;
        let runs = kmeans_bytes(fitted, seen, most_clusters, &self.kmeans, threads);
        let size = format!("{size} clusterings of n = {n}");
        let advice = "make fewer clusterings or use fewer threads";
        Ctx::<f64>::default().require(NAME, labels + parts + runs, &size, advice)
    }

    /// The labels of one base clustering, its centres and the features that it uses.
    fn run(&self, run: usize, watch: Watch<'_>) -> Result<(Vec<u32>, KMeans, Subset)> {
        let Draw { k, seed, columns, rows } = self.plan.draw(run);
        let seen = self.plan.seen;
        let alone = self.plan.params.size >= rayon::current_num_threads();
        let cluster = if alone { kmeans_on_one_thread } else { kmeans_watched };
        let points = self.features.part(&rows, &columns);
        let found = cluster(&points, seen, None, k, &self.kmeans, seed, watch.quiet())?;
        let mut labels = vec![MISSING; self.features.samples];
        put(&mut labels, &rows, &found.labels);
        if self.plan.params.assign == Rest::Nearest && !rows.is_all() {
            let rest = rows.rest();
            let points = self.features.part(&rest, &columns);
            put(&mut labels, &rest, &found.assign(&points, seen)?);
        }
        Ok((labels, found, columns))
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
