//! Probability trajectory similarity.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, Csr, Ctx, Footprint, Microclusters, Question, Range, Real, Represented, Result,
    Shape, Similarity, fill_condensed, part,
};

use crate::elite::{elite_graph, elite_graph_bytes};
use crate::memory::filling;
use crate::trajectory::trajectory_similarity;

/// Where the authors' program caps the number of neighbours and of steps.
const CAP: usize = 20;

part! {
    /// Similarity of random-walk trajectories between microclusters.
    ///
    /// # Problem
    ///
    /// The co-occurrence graph of microclusters is cut down to elite neighbours; a walker goes
    /// from i to j with probability proportional to r_j wᵢⱼ, r_j being the size of j; two
    /// microclusters are as similar as the cosine of the distributions their walkers pass
    /// through in T steps. Microclusters in different components have similarity 0; an isolated
    /// one is similar to itself alone. Pairs within a microcluster have similarity 1.
    ///
    /// # Parameters
    ///
    /// K and T, see [`Pts`]. Their authors varied one at a time, the other being 10, and K up
    /// to all neighbours; the cross product of both lists is larger than that.
    ///
    /// # Complexity
    ///
    /// O(n'² m + T n' e) time for e links kept, 3n'² numbers.
    ///
    /// # Microclusters
    ///
    /// The definition itself counts microclusters, not samples: it is not the n × n
    /// construction in disguise, and linkage after it usually counts a microcluster once
    /// ([`Weighting::Groups`](enclust_core::Weighting)).
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_ca::Pts;
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 2]])?;
    /// let pts = Pts::default().neighbours(Some(2)).steps(Some(3));
    /// let evidence = pts.build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default())?;
    /// let s = evidence.as_similarity().unwrap();
    /// assert!(s.between(0, 1) > s.between(0, 3));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// D. Huang, J.-H. Lai, C.-D. Wang, "Robust ensemble clustering using probability
    /// trajectories", TKDE 2016. The paper has ⌊√n'/2⌋ for K and T; the authors' program, which
    /// is followed here, caps these automatic values at 20. It also gives isolated
    /// microclusters a similarity of 10⁻²⁰ to the others; here that is 0.
    pub struct Pts("pts", "similarity of random-walk trajectories") {
        /// K: how many of its strongest links each microcluster keeps; auto is ⌊√n'/2⌋, at most 20 and at least 1.
        pub neighbours: Option<usize> = None, in Range::AtLeast(1.0), tried [1, 2, 4, 8, 16, 32, 64];
        /// T: steps of the random walk; auto as for the neighbours.
        pub steps: Option<usize> = None, in Range::AtLeast(1.0), tried [1, 2, 4, 8, 16, 32, 64, 128];
    }
}

impl Pts {
    /// The similarities of all pairs of microclusters, row after row.
    pub(crate) fn all_pairs(&self, microclusters: &Microclusters) -> Vec<f64> {
        let auto = (((microclusters.len() as f64).sqrt() / 2.0) as usize).clamp(1, CAP);
        let graph = elite_graph(microclusters, self.neighbours.unwrap_or(auto));
        let transition = size_aware_walk(&graph, microclusters.grouping().sizes());
        drop(graph);
        trajectory_similarity(&transition, self.steps.unwrap_or(auto))
    }

    /// What [`all_pairs`](Self::all_pairs) takes, its answer included: first the graph
    /// of elite neighbours, then the walk on it, then three matrices and the walk.
    pub(crate) fn all_pairs_bytes(shape: &Shape) -> Bytes {
        let wide = shape.in_double();
        let links = most_links(shape);
        let graph = wide.sparse(links);
        let lists = Bytes(links) * 16 + shape.each_group(size_of::<Vec<(u32, f64)>>());
        let walk = graph * 2 + lists;
        let trajectories = wide.square() * 3 + graph + wide.vector();
        elite_graph_bytes(shape).max(walk).max(trajectories)
    }
}

/// How many links a graph of elite neighbours may have, ties being kept: a link each
/// way for every pair that any clustering joins.
pub(crate) fn most_links(shape: &Shape) -> u64 {
    shape.pairs_joined_by(0.0).saturating_mul(2)
}

/// Transition probabilities proportional to link weight times target size.
fn size_aware_walk(graph: &Csr<f64>, sizes: &[usize]) -> Csr<f64> {
    let rows = (0..graph.rows()).map(|i| {
        let weighted = || graph.iter_row(i).map(|(j, w)| (j as u32, w * sizes[j] as f64));
        let total: f64 = weighted().map(|(_, w)| w).sum();
        weighted().map(|(j, w)| (j, w / total)).collect()
    });
    Csr::from_rows(graph.cols(), rows.collect())
}

impl<S: Real> Ca<S> for Pts {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        _: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let n = microclusters.len();
        let all = self.all_pairs(microclusters);
        let between = fill_condensed(n, |p, row| {
            let start = p * n + p + 1;
            for (out, &v) in row.iter_mut().zip(&all[start.min(all.len())..]) {
                *out = S::of(v);
            }
        });
        let ones = vec![S::one(); n];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between, ones.clone(), ones)?.into())
    }

    /// All pairs in double precision, then those above the diagonal beside them.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let copying = shape.in_double().square() + filling(shape);
        Footprint::new(similarity, copying.max(Self::all_pairs_bytes(shape) - similarity))
    }
}
