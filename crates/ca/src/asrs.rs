//! Approximate SimRank-based similarity.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, Component, Condensed, Ctx, Footprint, Mat, Microclusters, Question, Range, Real,
    Represented, Result, Shape, Similarity, part,
};

use crate::links::{squared_links, squared_links_bytes};
use crate::mean_similarity::clusters_of_groups;
use crate::memory::filling;

part! {
    /// Approximate SimRank-based similarity: samples are as similar as their clusters, over all
    /// pairs of clusterings.
    ///
    /// # Problem
    ///
    /// Let J[a, c] be the Jaccard coefficient of two base clusters of different clusterings, and
    /// deg(a) the number of clusters that overlap a. Two different clusters have C[a, b] =
    /// Σ_c J[a, c] J[b, c] / (deg(a) deg(b)), divided by the largest such value. Then Aᵢⱼ is the
    /// mean, over all pairs (k, l) of clusterings, of the similarity of the cluster of i in k and the
    /// cluster of j in l: 1 if they are the same cluster, d · C otherwise; Aᵢᵢ = 1.
    ///
    /// The computation runs on groups: J counts samples, and all samples of a group are in the same
    /// clusters. The value within a group follows from the same formula and is below 1.
    ///
    /// # Parameters
    ///
    /// `decay` (d), the same as for [`Cts`](crate::Cts).
    ///
    /// # Complexity
    ///
    /// O(n' m²) time for J, O(N e) for C with N base clusters and e pairs of them that share a
    /// sample, O(n' m N + n'² m) for A; n'²/2 + N² numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the ensemble, not on the number of threads. The authors' program
    /// takes every pair of clusters with C = 1 for one cluster, and so also the most similar pair of
    /// different clusters; here clusters are the same only if they are.
    ///
    /// # Errors
    ///
    /// Missing labels and weights other than 1 are [unsupported](enclust_core::Error::Unsupported):
    /// copies of a clustering would be neighbours of each other.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Asrs;
    /// use enclust_core::{Ca, Ctx, Ensemble, Microclusters, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1]])?;
    /// let asrs = Asrs::default();
    /// let evidence = asrs.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// // No cluster has a neighbour in common with another one: half of the pairs are the same.
    /// let s = evidence.as_similarity().unwrap();
    /// assert_eq!((s.within()[0], s.between(0, 1)), (0.5, 0.0));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// The same as for [`Cts`](crate::Cts).
    pub struct Asrs("asrs", "co-association through links of all pairs of clusters (ASRS)") {
        /// d: value of the most similar pair of different clusters.
        pub decay: f64 = 0.8, in Range::Within(0.0, 1.0), tried [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
    }
}

impl<S: Real> Ca<S> for Asrs {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        microclusters.require_complete(self.name())?;
        microclusters.require_unweighted(self.name())?;
        let links = squared_links(microclusters, self.decay, ctx.watch())?;
        let offsets = microclusters.cluster_offsets();
        let homes = clusters_of_groups(microclusters, &offsets);
        let rows = Rows { homes: &homes, clusterings: microclusters.clusterings(), links: &links };
        let between = Condensed::filled(microclusters.len(), |p, row| {
            let near = rows.near(p);
            row.iter_mut().zip(p + 1..).for_each(|(out, q)| *out = S::of(rows.mean(&near, q)));
        });
        let within = |p: usize| S::of(rows.mean(&rows.near(p), p));
        let within = (0..microclusters.len()).map(within).collect();
        let (grouping, own) = (microclusters.grouping(), vec![S::one(); microclusters.len()]);
        Ok(Similarity::new(Arc::clone(grouping), between.into_values(), within, own)?.into())
    }

    /// First the similarities of clusters; then these, the clusters of each group, and one list of
    /// cluster similarities per thread.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let wide = shape.in_double().with_groups(shape.clusters);
        let homes = shape.each_group(size_of::<u32>()) * shape.clusterings as u64;
        let reading = wide.square() + homes + wide.vector() * shape.threads as u64;
        let making = squared_links_bytes(shape) - similarity;
        Footprint::new(similarity, (reading + filling(shape) + Bytes(64)).max(making))
    }
}

/// The clusters of the groups and their similarities.
struct Rows<'a> {
    homes: &'a [u32],
    clusterings: usize,
    links: &'a Mat<f64>,
}

impl Rows<'_> {
    fn clusters(&self, p: usize) -> &[u32] {
        &self.homes[p * self.clusterings..][..self.clusterings]
    }

    /// The sum of the similarities of the clusters of p to every cluster.
    fn near(&self, p: usize) -> Vec<f64> {
        let mut near = vec![0.0; self.links.rows()];
        for &home in self.clusters(p) {
            near.iter_mut().zip(self.links.col(home as usize)).for_each(|(sum, s)| *sum += s);
        }
        near
    }

    /// The mean similarity of the clusters of q to those whose sums are given.
    fn mean(&self, near: &[f64], q: usize) -> f64 {
        let sum: f64 = self.clusters(q).iter().map(|&home| near[home as usize]).sum();
        (sum / (self.clusterings * self.clusterings) as f64).min(1.0)
    }
}
