//! k-means of points.

use std::sync::Arc;

use enclust_core::{
    Consensus, Ctx, Embedding, Evidence, Fitted, Footprint, Grouping, Kind, Partition, Range, Real,
    Result, Shape, Stage, Weighting, check_k, part,
};

use crate::embedding::multiplicities;
use enclust_kmeans::{KMeansParams, kmeans_order_free, kmeans_order_free_bytes};

const NAME: &str = "kmeans";

part! {
    /// k-means of an embedding.
    ///
    /// # Problem
    ///
    /// The groups are points. They are partitioned into k clusters such that the sum of the
    /// squared distances to the means of the clusters is small. If samples are counted, the
    /// weight of a group is its number of samples, which is equivalent to k-means of the
    /// samples, because all samples of a group are at the same point. Coordinates are neither
    /// scaled nor centred.
    ///
    /// # Parameters
    ///
    /// `weighting`, `replicates` and `max_iterations`. If groups are counted, every group has
    /// weight 1.
    ///
    /// # Complexity
    ///
    /// At most O(n' k d) time per iteration in d dimensions, see [`kmeans`]; n' d numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the embedding, k and the seed, not on the number of threads.
    /// The order of the samples does not matter either ([`kmeans_order_free`]). There are always
    /// exactly k clusters.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than n';
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence;
    /// [`Error::NotFinite`](enclust_core::Error::NotFinite) for a coordinate that is not
    /// finite.
    ///
    /// # Example
    ///
    /// ```
    /// use std::sync::Arc;
    /// use enclust_consensus::PointsKMeans;
    /// use enclust_core::{Consensus, Ctx, Embedding, Evidence, Grouping, Mat};
    ///
    /// let points = Mat::from_fn(3, 1, |p, _| [0.0, 0.1, 5.0][p]);
    /// let grouping = Arc::new(Grouping::singletons(3));
    /// let ctx = Ctx::<f64>::default();
    /// let evidence = Evidence::from(Embedding::new(grouping, points)?);
    /// let fitted = PointsKMeans::default().fit(&evidence, &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// The same as for [`kmeans`].
    pub struct PointsKMeans("kmeans", "k-means of an embedding") {
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of initialisations of k-means; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Maximum number of iterations per initialisation.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl PointsKMeans {
    fn kmeans(&self) -> KMeansParams {
        let PointsKMeans { replicates, max_iterations, .. } = *self;
        KMeansParams::default().replicates(replicates).max_iterations(max_iterations)
    }
}

impl<S: Real> Consensus<S> for PointsKMeans {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Embedding]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let Embedding { grouping, points, .. } = evidence.embedding_for(NAME)?;
        let places = (0..points.rows()).flat_map(|p| (0..points.cols()).map(move |j| (p, j)));
        let mut rows = Vec::with_capacity(points.rows() * points.cols());
        rows.extend(places.map(|at| points[at].wide()));
        Ok(Box::new(Points {
            rows,
            dimension: points.cols(),
            weights: multiplicities(self.weighting, grouping),
            grouping: Arc::clone(grouping),
            kmeans: self.kmeans(),
        }))
    }

    /// The coordinates, at most as many as the memory of the embedding can hold, and a cut.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let dimension = (shape.input.0 / shape.vector().0.max(1)) as usize;
        let wide = shape.in_double().vector();
        let k = shape.clusters_ahead().min(shape.groups);
        let cut =
            kmeans_order_free_bytes(shape.groups, dimension, k, &self.kmeans(), shape.threads);
        let labels = shape.each_sample(2 * size_of::<usize>());
        Footprint::new(wide * (dimension as u64 + 1), cut + labels)
    }
}

/// Points that are cut by k-means.
struct Points {
    /// The points in row-major order.
    rows: Vec<f64>,
    dimension: usize,
    weights: Vec<f64>,
    grouping: Arc<Grouping>,
    kmeans: KMeansParams,
}

impl<S: Real> Fitted<S> for Points {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        check_k(NAME, k, self.grouping.len())?;
        let (groups, threads) = (self.grouping.len(), ctx.threads());
        ctx.require(
            &Stage::Cut.of(NAME),
            kmeans_order_free_bytes(groups, self.dimension, k, &self.kmeans, threads),
            &format!("k = {k} of n' = {groups}"),
            "request fewer clusters",
        )?;
        let (seed, watch) = (ctx.seed(), ctx.watch());
        let Points { rows, dimension, weights, kmeans: params, .. } = self;
        let cluster = || kmeans_order_free(rows, *dimension, Some(weights), k, params, seed, watch);
        let found = ctx.install(|_| cluster())??;
        Ok(self.grouping.lift(&found.labels))
    }

    fn largest_k(&self) -> usize {
        self.grouping.len()
    }
}
