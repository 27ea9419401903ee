//! Similar and dissimilar pairs of SDGCA.

use enclust_ca::Eca;
use enclust_core::{
    Bytes, Ca, Confidence, Confident, Csr, Ctx, Error, Footprint, Microclusters, Question, Range,
    Real, Result, Shape, Similarity, part,
};
use rayon::prelude::*;

/// The dissimilarity from which pairs are dissimilar.
const TAU: f64 = 0.8;

part! {
    /// Selects a graph, similar pairs and dissimilar pairs.
    ///
    /// # Problem
    ///
    /// The graph H contains the co-occurrences Ãᵢⱼ ≥ η off the diagonal. The similar pairs Ω are those
    /// with Ãᵢⱼ ≥ θ; they are fixed at the value of the similarity. The dissimilar pairs are those
    /// with 1 − Zᵢⱼ ≥ 0.8, where Z is the co-association through similar clusters
    /// ([`Eca`](enclust_ca::Eca)) with walks of 20 steps; 1 − Z is their degree of dissimilarity. A
    /// dissimilar pair is not in Ω.
    ///
    /// If η is above 1, nothing is selected, so that the similarity is not enhanced.
    ///
    /// # Parameters
    ///
    /// `eta` (η) and `theta` (θ). The authors tune both for each data set; no default was published.
    ///
    /// # Complexity
    ///
    /// That of [`Eca`](enclust_ca::Eca), and memory for the selected pairs, of which there may be as
    /// many as pairs of groups.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble. Shares are correctly rounded quotients of counts.
    ///
    /// # Errors
    ///
    /// Missing labels and weights other than 1 are [unsupported](enclust_core::Error::Unsupported), as
    /// by [`Eca`](enclust_ca::Eca).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Nwca;
    /// use enclust_core::{Ca, Confidence, Ctx, Ensemble, Microclusters, Question};
    /// use enclust_enhance::Guided;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 2, 1], [0, 0, 1, 1]])?;
    /// let m = Microclusters::of(&e);
    /// let ctx = &Ctx::<f64>::default();
    /// let a = Nwca::default().build(&m, &Question::default(), ctx)?;
    /// let pairs = Guided::default().eta(0.6).theta(0.6).select(&m, a.as_similarity().unwrap(), ctx)?;
    /// assert_eq!(pairs.graph.get(1, 2), Some(2.0 / 3.0));
    /// // No walk leads from the clusters of sample 0 to those of sample 3.
    /// assert_eq!(pairs.dissimilar.unwrap().get(0, 2), Some(1.0));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// X. Zhang, Y. Jia, M. Song, R. Wang, *Similarity and dissimilarity guided co-association matrix
    /// construction for ensemble clustering*, TKDE 2025 (arXiv 2411.00904).
    pub struct Guided("guided", "a graph, similar pairs and dissimilar pairs (SDGCA)") {
        /// η: the share of the clusterings that must join a pair of the graph; above 1, nothing is
        /// selected.
        pub eta: f64 = 0.7, in Range::Positive, tried [0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.01];
        /// θ: the share of the clusterings that must join a similar pair.
        pub theta: f64 = 0.7, in Range::Positive, tried [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1];
    }
}

/// The pairs (p, q) with q > p that a row of the triangle selects.
type Upper<S> = Vec<Vec<(u32, S)>>;

impl<S: Real> Confidence<S> for Guided {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        let n = microclusters.len();
        Error::check_size("groups of the similarity", n, similarity.len())?;
        let related = Eca::default().build(microclusters, &Question::default(), ctx)?;
        let related = related.similarity_for("guided")?;
        if self.eta > 1.0 {
            return Ok(Confident::none(n));
        }
        let dissimilarity = |p: usize, q: usize| S::one() - related.between(p, q);
        let is_dissimilar = |p: usize, q: usize| dissimilarity(p, q) >= S::of(TAU);
        // Shares always in double precision: in single precision 14/20 < 0.7.
        let select = |share: f64, value: &(dyn Fn(usize, usize, f64) -> Option<S> + Sync)| {
            let upper: Upper<S> = (0..n)
                .into_par_iter()
                .map_init(
                    || vec![0.0; n],
                    |shares, p| {
                        microclusters.co_occurrence(p, &mut shares[p + 1..]);
                        let joined = (p + 1..n).filter(|&q| shares[q] > 0.0 && shares[q] >= share);
                        joined.filter_map(|q| Some((q as u32, value(p, q, shares[q])?))).collect()
                    },
                )
                .collect();
            Csr::symmetric_from_upper(upper)
        };
        let graph = select(self.eta, &|_, _, share| Some(S::of(share)));
        let fixed =
            select(self.theta, &|p, q, _| (!is_dissimilar(p, q)).then(|| similarity.between(p, q)));
        ctx.checkpoint("selecting pairs")?;
        let far = |p: usize| {
            let pairs = (p + 1..n).filter(|&q| is_dissimilar(p, q));
            pairs.map(|q| (q as u32, dissimilarity(p, q))).collect()
        };
        let dissimilar = Csr::symmetric_from_upper((0..n).map(far).collect());
        let fixed_within = vec![self.theta <= 1.0; n];
        Confident::new(graph, vec![S::one(); n], fixed, fixed_within)?
            .with_alpha(self.eta)
            .with_dissimilar(dissimilar)
    }

    /// The pairs, of which the dissimilar ones may be all; in addition, the relations of clusters or
    /// pairs in growing lists and mirrored, with the relations of samples.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let all = shape.all_pairs();
        let pairs = shape
            .pairs_joined_by(self.eta.min(1.0))
            .saturating_add(shape.pairs_joined_by(self.theta.min(1.0)));
        let far = shape.sparse(all.saturating_mul(2));
        let result = Confident::<S>::bytes(shape, pairs) + far;
        let related = Ca::<S>::footprint(&Eca::default(), shape);
        let lists = Bytes(all.max(pairs)) * 32 + shape.each_group(96);
        let buffers = shape.in_double().vector() * (shape.threads as u64 + 2);
        Footprint::new(result, (related.result + lists + buffers).max(related.total() - result))
    }
}
