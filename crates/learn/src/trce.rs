//! Tri-level robust clustering ensemble.

use std::sync::Arc;

use enclust_core::{
    Ca, Component, Condensed, Ctx, Footprint, Microclusters, Quantities, Question, Range, Real,
    Record, Report, Represented, Result, Shape, Similarity, Until, part,
};
use rayon::prelude::*;

use crate::iteration::{COMPONENTS, FOUND, NOT_FOUND};
use crate::laplacian::GroupGraph;
use crate::rank_controller::RankController;
use crate::simplex::project_to_simplex;
use crate::{clusters_to_learn, shares, sizes};

/// One in this many samples counts fully in the first iteration.
const EASIEST: usize = 10;
/// Factor by which γ grows in each iteration.
const GROWTH: f64 = 1.1;
/// Divergences up to this value are rounding errors: logarithms of the same share were added in
/// a different order.
const NO_DIVERGENCE: f64 = 1e-9;
/// Maximum number of steps of the root search; five to ten are usual.
const ROOT_STEPS: usize = 100;

part! {
    /// A consensus graph learned with reduced weights for unreliable clusterings, samples and
    /// pairs, driven towards k components.
    ///
    /// # Problem
    ///
    /// Let A⁽ᵏ⁾ᵢⱼ = 1/|c| for i, j in the same cluster c of clustering k. Minimise over graphs
    /// S with rows on the simplex, noise E such that the rows of B = S + E are also on the
    /// simplex, sample weights w in [0, 1], clustering weights a with Σ 1/aₖ = 1, and F with
    /// FᵀF = 1,
    ///
    /// Σₖ aₖ Σᵢ wᵢ² KL(A⁽ᵏ⁾ᵢ ‖ Bᵢ) + λ‖E‖² − γ‖w‖₁ + 2μ tr(FᵀL(S)F).
    ///
    /// γ starts at the value for which a tenth of the samples count fully and grows by a tenth
    /// in each iteration. μ is doubled while the Laplacian L(S) has fewer than k zero
    /// eigenvalues and halved when it has more.
    ///
    /// The learned S is intended for the consensus function `components`; it may have more or
    /// fewer than k components. A linkage of S gives exactly k clusters. With a large λ, there
    /// is a single component.
    ///
    /// The computation runs on groups: every step treats equal samples in the same way, and row
    /// sums, divergences and the simplex are weighted by the sizes. B is computed row by row
    /// and never stored.
    ///
    /// Where the paper and the authors' program differ, the implementation follows the program:
    /// γ does not start at 1; the projection decreases S between points that are far apart in
    /// F, while the published formula has the wrong sign; and S is made symmetric at the end of
    /// each iteration, after which its rows are no longer on the simplex. The program needs at
    /// least ten samples, because it uses a tenth of them; here at least one sample is used.
    ///
    /// # Parameters
    ///
    /// `lambda` (λ), `iterations` and `last_clustering_weighs`. The number of clusters is that
    /// of the [question](Question). In the authors' program, an index error computes the sample
    /// weights from the last clustering only; `last_clustering_weighs` does the same, for
    /// comparison with published values. If a tenth of the samples has no divergence, that
    /// program fails; here γ starts at the first non-zero divergence.
    ///
    /// # Complexity
    ///
    /// At most 10 iterations, each with O(n'² (m + k)) time and the k + 1 smallest eigenpairs
    /// of an n' × n' matrix; 6n'² numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends on the ensemble, k, the backend and, for more than 400 groups, on the
    /// seed of the eigensolver, but not on the number of threads. Components are decided by the
    /// zeros of a projection, so rounding errors may change the course of the iteration.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported);
    /// [`Error::NeedsClusters`](enclust_core::Error::NeedsClusters) without a number of
    /// clusters; [`Error::ClusterCount`](enclust_core::Error::ClusterCount) for more than n'
    /// clusters.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_core::{Ctx, Ensemble, Microclusters, Ca, Question};
    /// use enclust_learn::Trce;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]])?;
    /// let ctx = Ctx::<f64>::default();
    /// let evidence = Trce::default().build(&Microclusters::of(&e), &Question::clusters(2), &ctx)?;
    /// let s = evidence.as_similarity().unwrap();
    /// // Two of three clusterings put sample 2 together with the first two.
    /// assert!(s.between(0, 1) > s.between(1, 2));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// P. Zhou, L. Du, Y.-D. Shen, X. Li, "Tri-level robust clustering ensemble with multiple
    /// graph learning", AAAI 2021.
    pub struct Trce("trce", "graph learned on the levels of clusterings, samples and pairs") {
        /// λ: penalty for the part of a graph that is considered noise (the authors recommend
        /// 0.01 to 10 and give no default).
        pub lambda: f64 = 0.01, in Range::Positive, tried [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5];
        /// Maximum number of iterations.
        pub iterations: usize = 10, in Range::AtLeast(1.0);
        /// Whether to weigh samples by the last clustering only, as the authors' program does
        /// because of an index error.
        pub last_clustering_weighs: bool = false, in Range::Any;
    }
}

impl<S: Real> Ca<S> for Trce {
    fn reads_k(&self) -> bool {
        true
    }

    fn build(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        self.build_until(microclusters, question, Until::default(), ctx)
    }

    fn provides(&self) -> Option<Quantities> {
        Some(Quantities::RESIDUAL | Quantities::ITERATE)
    }

    fn build_until(
        &self,
        microclusters: &Microclusters,
        question: &Question,
        until: Until<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Represented<S>> {
        let clusters = clusters_to_learn(self.name(), microclusters, question)?;
        let learner = Learner::new(microclusters, clusters, self, ctx.in_double())?;
        let (similarity, report) = learner.learn(self.name(), until, ctx)?;
        Ok(Represented::from(similarity).with_report(report))
    }

    /// S in double precision as rows and condensed, the divergences, some rows per thread, and
    /// the eigenpairs.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let wide = shape.in_double();
        let tables = shape.each_group(size_of::<f64>() * (2 * shape.clusterings + 8));
        let rows = wide.vector() * 4 * shape.threads as u64;
        let learning = wide.square() + wide.condensed() + tables + rows;
        Footprint::new(shape.similarity(), learning + GroupGraph::spectrum_bytes(shape))
    }
}

/// A graph that is constant on pairs of groups.
#[derive(Default)]
struct Graph {
    between: Condensed<Vec<f64>>,
    within: Vec<f64>,
}

struct Learner<'a> {
    microclusters: &'a Microclusters,
    ctx: Ctx<'a, f64>,
    clusters: usize,
    params: &'a Trce,
    sizes: Vec<f64>,
    /// Number of samples of each base cluster, and the index of the first cluster of each
    /// clustering.
    cluster_sizes: Vec<f64>,
    offsets: Vec<usize>,
    /// KL(A⁽ᵏ⁾ᵢ ‖ Bᵢ), one row per group.
    divergences: Vec<f64>,
    /// bₖ = 1/aₖ.
    shares: Vec<f64>,
    /// γ; `None` before the first iteration.
    age: Option<f64>,
    /// S.
    graph: Graph,
    rank: RankController,
}

impl<'a> Learner<'a> {
    fn new(
        microclusters: &'a Microclusters,
        clusters: usize,
        params: &'a Trce,
        ctx: Ctx<'a, f64>,
    ) -> Result<Self> {
        let sizes = sizes(microclusters);
        let offsets = microclusters.cluster_offsets();
        let cluster_sizes: Vec<f64> =
            microclusters.cluster_sizes().iter().map(|&s| s as f64).collect();
        let total = microclusters.total_weight();
        let mean = |p: usize, k: usize| {
            let size = cluster_sizes[offsets[k] + microclusters.label(p, k) as usize];
            microclusters.weight(k) / (size * total)
        };
        let between = Condensed::filled(microclusters.len(), |p, row| {
            microclusters.add_agreement(p, |k| mean(p, k), row);
        });
        let within: Vec<f64> = (0..microclusters.len())
            .map(|p| (0..microclusters.clusterings()).map(|k| mean(p, k)).sum())
            .collect();
        let graph = GroupGraph { between: &between, within: &within, sizes: &sizes };
        let rank = RankController::new(graph.spectrum(clusters, &ctx)?.points);
        let mut learner = Learner {
            microclusters,
            ctx,
            clusters,
            params,
            sizes,
            cluster_sizes,
            offsets,
            divergences: Vec::new(),
            shares: vec![1.0 / total; microclusters.clusterings()],
            age: None,
            graph: Graph::default(),
            rank,
        };
        learner.divergences = learner.divergences_from_the_mean();
        Ok(learner)
    }

    /// Learns S.
    fn learn<S: Real>(
        mut self,
        component: &str,
        until: Until<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<(Similarity<S>, Report)> {
        let (size, limit) = (self.groups(), self.params.iterations);
        let report = until.iteration(component, size, &COMPONENTS, limit).run(
            ctx,
            &mut self,
            |learner, iteration, _| {
                let weights = learner.sample_weights();
                learner.graph = learner.improve(&weights);
                let Graph { between, within } = &learner.graph;
                let graph = GroupGraph { between, within, sizes: &learner.sizes };
                let spectrum = graph.spectrum(learner.clusters, &learner.ctx)?;
                learner.shares = learner.losses(&weights);
                let settled = learner.rank.update(spectrum, learner.clusters, iteration);
                let residual = if settled { FOUND } else { NOT_FOUND };
                Ok(Record::default().with_residual(residual))
            },
            |learner| learner.learned(),
        )?;
        Ok((self.learned()?, report))
    }

    /// The current S.
    fn learned<S: Real>(&self) -> Result<Similarity<S>> {
        let narrow = |values: &[f64]| values.iter().map(|&s| S::of(s)).collect::<Vec<S>>();
        let (between, within) = (narrow(self.graph.between.values()), narrow(&self.graph.within));
        let grouping = Arc::clone(self.microclusters.grouping());
        Similarity::new(grouping, between, within.clone(), within)
    }

    fn groups(&self) -> usize {
        self.sizes.len()
    }

    fn clusterings(&self) -> usize {
        self.shares.len()
    }

    /// Number of samples in the cluster of group p in clustering k.
    fn cluster_size(&self, p: usize, k: usize) -> f64 {
        self.cluster_sizes[self.offsets[k] + self.microclusters.label(p, k) as usize]
    }

    /// The initial divergences, of the clusterings from their mean.
    fn divergences_from_the_mean(&self) -> Vec<f64> {
        let total = self.microclusters.total_weight();
        let mut out = vec![0.0; self.groups() * self.clusterings()];
        out.par_chunks_mut(self.clusterings()).enumerate().for_each(|(p, divergences)| {
            let mean = |k| self.microclusters.weight(k) / (self.cluster_size(p, k) * total);
            let mut row = vec![0.0; self.groups()];
            self.microclusters.add_agreement_with_all(p, mean, &mut row);
            self.diverge(p, &mut row, divergences);
        });
        out
    }

    /// KL(A⁽ᵏ⁾ₚ ‖ Bₚ) for each clustering: −ln |c| minus the mean of ln B over the samples of
    /// the cluster c of p. Replaces the row of B by its logarithms.
    fn diverge(&self, p: usize, row: &mut [f64], divergences: &mut [f64]) {
        row.iter_mut().for_each(|b| *b = b.max(f64::EPSILON).ln());
        for (k, divergence) in divergences.iter_mut().enumerate() {
            let labels = self.microclusters.column(k);
            let others = labels.iter().zip(&*row).zip(&self.sizes);
            let joined =
                |((&l, log), r): ((&u32, &f64), &f64)| if l == labels[p] { r * log } else { 0.0 };
            let size = self.cluster_size(p, k);
            *divergence = -size.ln() - others.map(joined).sum::<f64>() / size;
        }
    }

    /// Computes w, where samples on which the clusterings diverge count less, and increases γ.
    fn sample_weights(&mut self) -> Vec<f64> {
        let divergence = |row: &[f64]| {
            if self.params.last_clustering_weighs {
                let last = row.len() - 1;
                self.microclusters.total_weight() * row[last] / self.shares[last]
            } else {
                let each = row.iter().zip(&self.shares).enumerate();
                each.map(|(k, (d, b))| self.microclusters.weight(k) * d / b).sum()
            }
        };
        let divergences: Vec<f64> =
            self.divergences.chunks_exact(self.clusterings()).map(divergence).collect();
        let age = match self.age {
            Some(age) => GROWTH * age,
            None => 2.0 * self.easiest(&divergences),
        };
        self.age = Some(age);
        divergences.iter().map(|u| (age / (2.0 * u).max(f64::EPSILON)).min(1.0)).collect()
    }

    /// The divergence below which a tenth of the samples lie; if it is zero, the smallest
    /// non-zero divergence, or infinity if there is none.
    fn easiest(&self, divergences: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..self.groups()).collect();
        order.sort_by(|&p, &q| divergences[p].total_cmp(&divergences[q]));
        let samples: f64 = self.sizes.iter().sum();
        let rank = (samples / EASIEST as f64).floor().max(1.0);
        let mut before = 0.0;
        let enough = order.iter().position(|&p| {
            before += self.sizes[p];
            before >= rank
        });
        let behind = &order[enough.unwrap_or(0)..];
        let diverging = behind.iter().map(|&p| divergences[p]).find(|&u| u > NO_DIVERGENCE);
        diverging.unwrap_or(f64::INFINITY)
    }

    /// Updates S with all other variables fixed, and the divergences from the new B.
    fn improve(&mut self, weights: &[f64]) -> Graph {
        let (n, m) = (self.groups(), self.clusterings());
        let mut graph = vec![0.0; n * n];
        let mut divergences = std::mem::take(&mut self.divergences);
        let learner = &*self;
        graph
            .par_chunks_mut(n)
            .zip(divergences.par_chunks_mut(m))
            .enumerate()
            .for_each(|(p, (row, own))| learner.improve_row(p, weights[p], row, own));
        self.divergences = divergences;
        let between = Condensed::filled(n, |p, row| {
            let mirrored = row.iter_mut().zip(p + 1..);
            mirrored.for_each(|(s, q)| *s = 0.5 * (graph[p * n + q] + graph[q * n + p]));
        });
        Graph { between, within: (0..n).map(|p| graph[p * n + p]).collect() }
    }

    /// Computes row p of S before it is made symmetric, and the divergences from row p of B.
    fn improve_row(&self, p: usize, weight: f64, row: &mut [f64], divergences: &mut [f64]) {
        let price = |k| {
            weight * weight * self.microclusters.weight(k)
                / (self.cluster_size(p, k) * self.shares[k])
        };
        self.microclusters.add_agreement_with_all(p, price, row);
        let RankController { weight: rank, points } = &self.rank;
        let apart: Vec<f64> =
            (0..row.len()).map(|q| rank * points.squared_distance(p, q)).collect();
        let threshold = unit_sum(row, &apart, &self.sizes, p);
        for (b, g) in row.iter_mut().zip(&apart) {
            if *b > 0.0 {
                *b /= g + threshold;
            }
        }
        self.diverge(p, &mut row.to_vec(), divergences);
        let push = 0.5 / self.params.lambda;
        row.iter_mut().zip(&apart).for_each(|(s, g)| *s -= push * g);
        project_to_simplex(row, &self.sizes);
    }

    /// bₖ: the share of clustering k in the weighted divergences.
    fn losses(&self, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.clusterings()];
        let rows = self.divergences.chunks_exact(self.clusterings());
        for ((row, w), r) in rows.zip(weights).zip(&self.sizes) {
            sums.iter_mut().zip(row).for_each(|(sum, d)| *sum += r * w * w * d);
        }
        let losses: Vec<f64> = sums.iter().map(|sum| sum.max(0.0).sqrt()).collect();
        shares(&losses, self.microclusters)
    }
}

/// The t > 0 at which Σ rⱼcⱼ/(gⱼ + t) = 1, for c ≥ 0 with cₚ > 0 and g ≥ 0 with gₚ = 0.
///
/// The terms with g = 0 give a starting value that is not too large. Starting from it, Newton's
/// method on 1/Σ, which is concave, never exceeds the root.
fn unit_sum(c: &[f64], g: &[f64], multiplicities: &[f64], p: usize) -> f64 {
    let mut t = multiplicities[p] * c[p];
    for _ in 0..ROOT_STEPS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for ((c, g), r) in c.iter().zip(g).zip(multiplicities) {
            let inverse = 1.0 / (g + t);
            sum += r * c * inverse;
            slope += r * c * inverse * inverse;
        }
        let next = t + sum * (sum - 1.0) / slope;
        if next.partial_cmp(&t) != Some(std::cmp::Ordering::Greater) {
            break;
        }
        t = next;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_become_one(
            terms in proptest::collection::vec((0.0..3.0_f64, 0.0..2.0_f64, 1..6_u8), 1..20),
            own in 1e-6..5.0_f64,
        ) {
            let mut terms = terms;
            (terms[0].0, terms[0].1) = (own, 0.0);
            let c: Vec<f64> = terms.iter().map(|t| t.0).collect();
            let g: Vec<f64> = terms.iter().map(|t| t.1).collect();
            let r: Vec<f64> = terms.iter().map(|t| f64::from(t.2)).collect();
            let t = unit_sum(&c, &g, &r, 0);
            let sum: f64 = (0..c.len()).map(|j| r[j] * c[j] / (g[j] + t)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12, "{}", sum);
        }
    }
}
