//! Confident pairs by a threshold on co-occurrence.

use enclust_core::{
    Bytes, Confidence, Confident, Csr, Ctx, Error, Footprint, Microclusters, Range, Real, Result,
    Shape, Similarity, Warning, part,
};
use rayon::prelude::*;

use crate::percolation::{Shares, Thresholds};

part! {
    /// Selects the pairs that at least the share α of the clusterings joins.
    ///
    /// # Problem
    ///
    /// H contains the co-occurrences Ãᵢⱼ ≥ α off the diagonal, and Ω, the set of entries that
    /// keep their value, is where H > 0. The share is the correctly rounded quotient of counts
    /// over the clusterings that label both samples. Comparing a count with the floating-point
    /// product α·m would decide some pairs wrongly.
    ///
    /// If one connected component of H holds nearly all samples, enhancement makes them one
    /// cluster. `giant` prevents this: α is raised in steps of 1/m, for m clusterings, until no
    /// component holds more than this share of the samples. If a component holds more at every α
    /// up to 1, no pairs are selected, and the run [warns](Warning::Percolates). The α that was
    /// used is in [`Confident::alpha`].
    ///
    /// # Parameters
    ///
    /// `alpha` (α) and `giant`, which is 1 in the paper: α is never raised.
    ///
    /// # Complexity
    ///
    /// O(n'² m) time, and memory for the selected pairs.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Confidence, Ctx, Ensemble, Microclusters, Ca, Question};
    /// use enclust_ca::Eac;
    /// use enclust_enhance::Threshold;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]])?;
    /// let m = Microclusters::of(&e);
    /// let ctx = &Ctx::<f64>::default();
    /// let evidence = Eac.build(&m, &Question::default(), ctx)?;
    /// let threshold = Threshold::default().alpha(0.6);
    /// let confident = threshold.select(&m, evidence.as_similarity().unwrap(), ctx)?;
    /// assert_eq!(confident.graph.get(0, 1), Some(2.0 / 3.0));
    /// assert_eq!(confident.graph.get(0, 2), None);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association matrix
    /// self-enhancement", TNNLS 2023, equation for H.
    pub struct Threshold(
        "threshold",
        "pairs that at least the share alpha of the clusterings join"
    ) {
        /// α: the share of the clusterings that must join a pair; 0 selects every pair that any
        /// clustering joins.
        pub alpha: f64 = 0.8, in Range::Within(0.0, 1.0), tried [0.7, 0.75, 0.8];
        /// Largest share of the samples that a connected component of the pairs may hold; α is
        /// raised until it holds. 1 switches this off, as published.
        pub giant: f64 = 1.0, in Range::Share;
    }
}

impl Threshold {
    fn believes(&self, share: f64) -> bool {
        share > 0.0 && share >= self.alpha
    }

    /// The threshold that is used; `None` if a component is too large at every threshold.
    fn raised(&self, pairs: &Shares, microclusters: &Microclusters) -> Option<f64> {
        if self.giant >= 1.0 {
            return Some(self.alpha);
        }
        let thresholds = Thresholds::from(self.alpha, microclusters.clusterings());
        thresholds.without_giant(pairs, microclusters.grouping().sizes(), self.giant)
    }
}

impl<S: Real> Confidence<S> for Threshold {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        _: &Ctx<'_, S>,
    ) -> Result<Confident<S>> {
        let n = microclusters.len();
        Error::check_size("groups of the similarity", n, similarity.len())?;
        // Always in double precision: in single precision 14/20 < 0.7.
        let pairs: Vec<Vec<(u32, f64)>> = (0..n)
            .into_par_iter()
            .map_init(
                || vec![0.0; n],
                |shares, p| {
                    microclusters.co_occurrence(p, &mut shares[p + 1..]);
                    let partners = (p + 1..n).filter(|&q| self.believes(shares[q]));
                    partners.map(|q| (q as u32, shares[q])).collect()
                },
            )
            .collect();
        let Some(alpha) = self.raised(&pairs, microclusters) else {
            let refusal = Warning::Percolates { giant: self.giant };
            return Ok(Confident::none(n).with_refusal(refusal));
        };
        let with = |value: &dyn Fn(usize, u32, f64) -> S| {
            let rows = pairs.iter().enumerate();
            let kept = |row: &'_ Vec<(u32, f64)>, p: usize| {
                let kept = row.iter().filter(|(_, share)| *share >= alpha);
                kept.map(|&(q, s)| (q, value(p, q, s))).collect()
            };
            Csr::symmetric_from_upper(rows.map(|(p, row)| kept(row, p)).collect())
        };
        let labelled = |p: usize| microclusters.labelled_weight(p) > 0.0;
        let within = (0..n).map(|p| if labelled(p) { S::one() } else { S::zero() }).collect();
        let fixed = with(&|p, q, _| similarity.between(p, q as usize));
        let fixed_within = (0..n).map(labelled).collect();
        let graph = with(&|_, _, share| S::of(share));
        Ok(Confident::new(graph, within, fixed, fixed_within)?.with_alpha(alpha))
    }

    /// The pairs in growing lists, then with their values and mirrored. The number of pairs is an
    /// upper bound for the share α; usually there are far fewer.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let pairs = shape.pairs_joined_by(self.alpha);
        // A growing list has up to twice the capacity, and at least four entries.
        let found = Bytes(pairs) * 32 + shape.each_group(64);
        let (once, both) = (Bytes(pairs) * 2 * shape.scalar as u64, 2);
        let valued = once + once * both;
        // Three lists and a length for each group.
        let headers = shape.each_group(size_of::<([Vec<(u32, S)>; 3], usize)>());
        // Rows of shares, and the sets of groups that find components.
        let buffers = shape.in_double().vector() * (2 * shape.threads as u64 + 2);
        Footprint::new(Confident::<S>::bytes(shape, pairs), found + valued + headers + buffers)
    }
}
