//! Spectral clustering of a similarity.

use std::sync::Arc;

use enclust_core::{
    Bytes, Consensus, Ctx, Error, Evidence, Fitted, Footprint, Kind, Mat, Range, Real, Result,
    Shape, Similarity, Stage, Weighting, part,
};
use enclust_linalg::{
    PackedSymmetric, SymmetricOperator, leading_eigenpairs, leading_eigenpairs_within,
};

use crate::embedding::{Embedded, Embedding, cut_ahead_bytes, embed, inverse_root, multiplicities};
use enclust_kmeans::KMeansParams;

const NAME: &str = "spectral";
/// Up to this size all eigenvectors are computed.
const SMALL: usize = 320;

part! {
    /// Spectral clustering after Ng, Jordan and Weiss.
    ///
    /// # Problem
    ///
    /// For similarities W with row sums D, compute the k eigenvectors of D^-1/2 W D^-1/2 with
    /// the largest eigenvalues, scale their rows to unit length, and cluster the rows by
    /// k-means.
    ///
    /// The computation runs on groups. If samples are counted, a group p of rₚ samples with
    /// degree dₚ = ownₚ + (rₚ − 1) withinₚ + Σ rᵩ wₚᵩ over q ≠ p contributes the entries
    /// √(rₚrᵩ) wₚᵩ / √(dₚdᵩ) and, on the diagonal, (ownₚ + (rₚ − 1) withinₚ) / dₚ. The
    /// eigenvalues of this matrix are those of the sample-level matrix whose eigenvectors are
    /// constant on groups; the entry of a sample is the entry of its group divided by √rₚ. The
    /// other sample-level eigenvalues, (ownₚ − withinₚ)/dₚ, belong to eigenvectors that sum to
    /// zero inside one group and do not separate groups.
    ///
    /// # Parameters
    ///
    /// `weighting`, `replicates` and `max_iterations`. If groups are counted, every group has
    /// weight 1.
    ///
    /// # Complexity
    ///
    /// O(n'² k) time for each of a few tens of products, then k-means in k dimensions; n'²/2
    /// numbers of memory. If the spectrum has no gap, the iteration does not converge and all
    /// eigenvectors are computed: O(n'³) time and 5n'² numbers, which are requested when this
    /// case is detected.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the similarity, k, the seed and the backend, not on the
    /// number of threads. The order of the samples does not matter to k-means
    /// ([`kmeans_order_free`](enclust_kmeans::kmeans_order_free)). A sample without any similarity
    /// is at the origin of the embedding.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) if k is 0 or larger than n';
    /// [`Error::KindMismatch`](enclust_core::Error::KindMismatch) for other evidence;
    /// [`Error::NoConvergence`](enclust_core::Error::NoConvergence) if the eigenvectors are not
    /// found.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_consensus::Spectral;
    /// use enclust_core::{Consensus, Ctx, Similarity};
    ///
    /// let s = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.2, 0.1, 0.2, 1.0])?;
    /// let ctx = Ctx::default();
    /// let fitted = Spectral::default().fit(&s.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// A. Ng, M. Jordan, Y. Weiss, *On spectral clustering: analysis and an algorithm*, NIPS
    /// 2001.
    pub struct Spectral("spectral", "spectral clustering of a similarity") {
        /// What counts as one object.
        pub weighting: Weighting = Weighting::Samples, in Range::Any;
        /// Number of initialisations of k-means; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Maximum number of iterations per initialisation.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl Spectral {
    /// The input of k-means in row-major order: one row of k numbers per group, of unit length
    /// (or zero).
    pub fn embedding<S: Real>(
        &self,
        similarity: &Similarity<S>,
        k: usize,
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<f64>> {
        embed(&NormalisedSimilarity::new(similarity, self.weighting)?, k, ctx)
    }
}

impl<S: Real> Consensus<S> for Spectral {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let similarity = evidence.similarity_for(NAME)?;
        let Spectral { weighting, replicates, max_iterations } = *self;
        Ok(Box::new(Embedded {
            embedding: NormalisedSimilarity::new(similarity, weighting)?,
            grouping: Arc::clone(similarity.grouping()),
            helpers: 0,
            weighting,
            kmeans: KMeansParams::default().replicates(replicates).max_iterations(max_iterations),
        }))
    }

    /// The normalised similarity; in addition, degrees and scalings to build it, or a cut.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let Spectral { replicates, max_iterations, .. } = *self;
        let kmeans = KMeansParams::default().replicates(replicates).max_iterations(max_iterations);
        let wide = shape.in_double().vector();
        let making = wide * 2 + shape.vector();
        let result = shape.condensed() + shape.vector() + wide;
        let mut cutting = cut_ahead_bytes(shape.groups, shape, &kmeans);
        if shape.groups <= SMALL {
            cutting = cutting + all_eigenpairs_bytes(shape.groups, shape.scalar);
        }
        Footprint::new(result, making.max(cutting))
    }
}

/// The k leading eigenvectors. A similarity close to the identity has a spectrum without gaps,
/// for which no iteration converges; in that case all eigenvectors are computed. The same is
/// done for a small matrix, because it is not slower.
fn leading_vectors<S: Real>(
    matrix: &PackedSymmetric<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Mat<S>> {
    let n = matrix.dim();
    if n > SMALL {
        // About a tenth of the cost of computing all of them.
        let products = (n / 20).clamp(40, 500);
        match leading_eigenpairs_within(products, matrix, k, ctx) {
            Err(Error::NoConvergence { .. }) => {}
            found => return Ok(found?.vectors),
        }
        // The spectrum has no gap that an iteration could resolve.
        ctx.require(
            &Stage::Cut.of(NAME),
            all_eigenpairs_bytes(n, size_of::<S>()),
            &format!("n' = {n}"),
            "use another consensus function",
        )?;
    }
    let all = leading_eigenpairs(matrix, n, ctx)?.vectors;
    Ok(Mat::from_fn(n, k, |p, j| all[(p, n - k + j)]))
}

/// The matrix unpacked twice, its eigenvectors, a working copy and a sorted copy.
fn all_eigenpairs_bytes(n: usize, scalar: usize) -> Bytes {
    Bytes(n as u64) * (5 * scalar) as u64 * n as u64
}

/// D^-1/2 W D^-1/2 on groups.
pub(crate) struct NormalisedSimilarity<S> {
    matrix: PackedSymmetric<S>,
    sizes: Vec<f64>,
}

impl<S: Real> NormalisedSimilarity<S> {
    pub(crate) fn new(similarity: &Similarity<S>, weighting: Weighting) -> Result<Self> {
        let sizes = multiplicities(weighting, similarity.grouping());
        let inside: Vec<f64> = (0..sizes.len())
            .map(|p| similarity.own()[p].wide() + (sizes[p] - 1.0) * similarity.within()[p].wide())
            .collect();
        // For each group, the sum of the similarities of one of its samples to all samples.
        let degrees = similarity.pairs().row_sums(&sizes, inside.clone());
        // The scaling multiplies the diagonal by the sizes as well, which are already included
        // there.
        let diagonal = inside.iter().zip(&sizes).map(|(w, r)| S::of(w / r)).collect();
        let factors: Vec<S> =
            degrees.iter().zip(&sizes).map(|(d, r)| S::of(inverse_root(d / r))).collect();
        let matrix =
            PackedSymmetric::new(similarity.condensed().to_vec(), diagonal)?.scaled(&factors)?;
        Ok(NormalisedSimilarity { matrix, sizes })
    }
}

impl<S: Real> Embedding<S> for NormalisedSimilarity<S> {
    fn component(&self) -> &'static str {
        NAME
    }

    fn largest_k(&self) -> usize {
        self.sizes.len()
    }

    fn dim(&self) -> usize {
        self.sizes.len()
    }

    fn vectors(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Mat<S>> {
        let mut vectors = leading_vectors(&self.matrix, k, ctx)?;
        for j in 0..k {
            vectors.col_mut(j).iter_mut().zip(&self.sizes).for_each(|(v, r)| *v /= S::of(r.sqrt()));
        }
        Ok(vectors)
    }
}
