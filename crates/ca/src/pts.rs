//! Probability trajectory similarity.

use std::sync::Arc;

use enclust_core::{
    Bytes, Ca, Condensed, Csr, Ctx, Footprint, Mat, Microclusters, Question, Range, Real,
    Represented, Result, Shape, Similarity, part,
};

use crate::elite::{elite_graph, elite_graph_bytes};
use crate::memory::filling;
use crate::trajectory::{trajectory_bytes, trajectory_similarity};

/// Upper limit of the automatic numbers of neighbours and steps in the authors' program.
const CAP: usize = 20;

part! {
    /// Similarity of random-walk trajectories between microclusters.
    ///
    /// # Problem
    ///
    /// The co-occurrence graph of microclusters is restricted to elite neighbours. A random
    /// walk goes from i to j with probability proportional to r_j wᵢⱼ, where r_j is the size of
    /// j. The similarity of two microclusters is the cosine between the sequences of
    /// distributions of the walks that start at them, over T steps. Microclusters in different
    /// components have similarity 0; an isolated microcluster is similar only to itself. Pairs
    /// within a microcluster have similarity 1.
    ///
    /// The definition itself counts microclusters, not samples. It is not equivalent to an n ×
    /// n construction, and linkage after it usually counts each microcluster once
    /// ([`Weighting::Groups`](enclust_core::Weighting)).
    ///
    /// # Parameters
    ///
    /// `neighbours` (K) and `steps` (T). The authors varied one at a time while the other was
    /// 10, with K up to all neighbours; the cross product of both lists of tried values is
    /// larger than that.
    ///
    /// # Complexity
    ///
    /// O(n'² m + T n' e) time for e links, or O(n'² m + n'³ log T) if that is less; 3n'² numbers
    /// and the links.
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
    /// trajectories", TKDE 2016. The paper uses ⌊√n'/2⌋ for K and T; the authors' program,
    /// which is followed here, limits these automatic values to 20. The program also gives
    /// isolated microclusters a similarity of 10⁻²⁰ to the others; here it is 0.
    pub struct Pts("pts", "similarity of random-walk trajectories") {
        /// K: number of strongest links that each microcluster keeps; auto is ⌊√n'/2⌋, at most
        /// 20 and at least 1.
        pub neighbours: Option<usize> = None, in Range::AtLeast(1.0), tried [1, 2, 4, 8, 16, 32, 64];
        /// T: steps of the random walk; auto is the same as for the neighbours.
        pub steps: Option<usize> = None, in Range::AtLeast(1.0), tried [1, 2, 4, 8, 16, 32, 64, 128];
    }
}

impl Pts {
    /// The similarities of all pairs of microclusters.
    pub(crate) fn all_pairs<S: Real>(
        &self,
        microclusters: &Microclusters,
        ctx: &Ctx<'_, S>,
    ) -> Result<Mat<f64>> {
        let auto = (((microclusters.len() as f64).sqrt() / 2.0) as usize).clamp(1, CAP);
        let graph = elite_graph(microclusters, self.neighbours.unwrap_or(auto), ctx)?;
        let weights = size_aware(&graph, microclusters.grouping().sizes());
        drop(graph);
        let steps = self.steps.unwrap_or(auto);
        trajectory_similarity(weights, steps, ctx.backend().in_double(), ctx.watch())
    }

    /// The memory of [`all_pairs`](Self::all_pairs), including its result: first the graph of
    /// elite neighbours, then the walk on it, then the trajectories.
    pub(crate) fn all_pairs_bytes(shape: &Shape) -> Bytes {
        let wide = shape.in_double();
        let links = most_links(shape);
        let walk = wide.sparse(links) * 2 + wide.vector() * 2;
        elite_graph_bytes(shape).max(walk).max(trajectory_bytes(&wide, links))
    }
}

/// Maximum number of links of a graph of elite neighbours, including ties: one link in each
/// direction for every pair that any clustering joins.
pub(crate) fn most_links(shape: &Shape) -> u64 {
    shape.pairs_joined_by(0.0).saturating_mul(2)
}

/// Link weights times the sizes of both ends. A walk by these weights goes to the neighbours of a
/// microcluster with probabilities proportional to link weight times target size.
fn size_aware(graph: &Csr<f64>, sizes: &[usize]) -> Csr<f64> {
    let rows = (0..graph.rows()).map(|i| {
        let pairs = move |j: usize| sizes[i] as f64 * sizes[j] as f64;
        graph.iter_row(i).map(move |(j, w)| (j as u32, w * pairs(j)))
    });
    Csr::from_row_iter(graph.cols(), graph.entries(), rows)
}

impl<S: Real> Ca<S> for Pts {
    fn build(
        &self,
        microclusters: &Microclusters,
        _: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let n = microclusters.len();
        let all = self.all_pairs(microclusters, ctx)?;
        let between = Condensed::filled(n, |p, row| {
            row.iter_mut().zip(&all.col(p)[p + 1..]).for_each(|(out, &v)| *out = S::of(v));
        });
        let ones = vec![S::one(); n];
        let grouping = Arc::clone(microclusters.grouping());
        Ok(Similarity::new(grouping, between.into_values(), ones.clone(), ones)?.into())
    }

    /// All pairs in double precision, then additionally those above the diagonal.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let similarity = shape.similarity();
        let copying = shape.in_double().square() + filling(shape);
        Footprint::new(similarity, copying.max(Self::all_pairs_bytes(shape) - similarity))
    }
}
