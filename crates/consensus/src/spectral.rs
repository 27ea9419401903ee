//! Spectral clustering of a similarity.

use std::sync::Arc;

use enclust_core::{
    Bytes, Consensus, Ctx, Error, Evidence, Fitted, Footprint, Kind, Mat, Range, Real, Result,
    Shape, Similarity, Stage, Weighting, condensed_row_sums, part,
};
use enclust_linalg::{
    PackedSymmetric, SymmetricOperator, leading_eigenpairs, leading_eigenpairs_within,
};

use crate::embedding::{Embedded, Embedding, cut_ahead_bytes, embed, inverse_root, multiplicities};
use crate::kmeans::KMeansParams;

const NAME: &str = "spectral";
/// Up to this size all eigenvectors are computed at once.
const SMALL: usize = 320;

part! {
    /// Spectral clustering after Ng, Jordan and Weiss.
    ///
    /// # Problem
    ///
    /// From similarities W with row sums D, take the k eigenvectors of D^-1/2 W D^-1/2 with the
    /// largest eigenvalues, scale each row of them to unit length, and divide the rows by
    /// k-means.
    ///
    /// It runs at group size. Counting samples, a group p of rₚ samples with degree dₚ = ownₚ +
    /// (rₚ − 1) withinₚ + Σ rᵩ wₚᵩ over q ≠ p contributes the entries √(rₚrᵩ) wₚᵩ / √(dₚdᵩ)
    /// and, on the diagonal, (ownₚ + (rₚ − 1) withinₚ) / dₚ. This matrix has the eigenvalues of
    /// the one over the samples whose vectors are constant on groups; the sample's entry is the
    /// group's over √rₚ. The others, (ownₚ − withinₚ)/dₚ, belong to vectors that sum to zero
    /// inside one group and tell no two groups apart.
    ///
    /// # Parameters
    ///
    /// [`Spectral`]. Counting groups, every group weighs as one sample.
    ///
    /// # Complexity
    ///
    /// O(n'² k) time for each of a few tens of products, then k-means in k dimensions; n'²/2
    /// numbers of memory. Where the spectrum has no gap the products lead nowhere, and all
    /// eigenvectors are computed: O(n'³) time, 5n'² numbers, asked for when that is known.
    ///
    /// # Determinism and ties
    ///
    /// A function of the similarity, k, the seed and the backend; threads change nothing. Ties
    /// in k-means go to the lowest index. A sample without any similarity stays at the origin
    /// of the embedding.
    ///
    /// # Errors
    ///
    /// [`Error::ClusterCount`](enclust_core::Error::ClusterCount) for k = 0 or more than n';
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
        /// Starts of k-means; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Rounds of k-means after which a start ends.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl Spectral {
    /// What k-means sees: one row of k numbers a group, row after row, of unit
    /// length (or zero).
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
            weighting,
            kmeans: KMeansParams::default().replicates(replicates).max_iterations(max_iterations),
        }))
    }

    /// The normalised similarity; degrees and scalings to make it, or a cut.
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

/// The k leading eigenvectors. A similarity near the identity has a spectrum without
/// gaps, which no iteration resolves: then all eigenvectors are computed, as they are of a
/// small matrix, where that takes no longer.
fn leading_vectors<S: Real>(
    matrix: &PackedSymmetric<S>,
    k: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Mat<S>> {
    let n = matrix.dim();
    if n > SMALL {
        // A tenth of what it takes to compute them all, or thereabouts.
        let products = (n / 20).clamp(40, 500);
        match leading_eigenpairs_within(products, matrix, k, ctx.seed(), ctx.backend()) {
            Err(Error::NoConvergence { .. }) => {}
            found => return Ok(found?.vectors),
        }
        // There is no gap in the spectrum that an iteration could find.
        ctx.require(
            &Stage::Cut.of(NAME),
            all_eigenpairs_bytes(n, size_of::<S>()),
            &format!("n' = {n}"),
            "use another consensus function",
        )?;
    }
    let all = leading_eigenpairs(matrix, n, ctx.seed(), ctx.backend())?.vectors;
    Ok(Mat::from_fn(n, k, |p, j| all[(p, n - k + j)]))
}

/// The matrix unpacked twice, its eigenvectors, a copy to work on and one in order.
fn all_eigenpairs_bytes(n: usize, scalar: usize) -> Bytes {
    Bytes(n as u64) * (5 * scalar) as u64 * n as u64
}

/// D^-1/2 W D^-1/2 at group size.
struct NormalisedSimilarity<S> {
    matrix: PackedSymmetric<S>,
    sizes: Vec<f64>,
}

impl<S: Real> NormalisedSimilarity<S> {
    fn new(similarity: &Similarity<S>, weighting: Weighting) -> Result<Self> {
        let sizes = multiplicities(weighting, similarity.grouping());
        let inside: Vec<f64> = (0..sizes.len())
            .map(|p| similarity.own()[p].wide() + (sizes[p] - 1.0) * similarity.within()[p].wide())
            .collect();
        // Of a sample of each group to all samples.
        let degrees = condensed_row_sums(similarity.condensed(), &sizes, inside.clone());
        // The scaling puts the sizes on the diagonal as well; there they are
        // already counted.
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
