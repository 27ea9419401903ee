//! Tri-level robust clustering ensemble.

use std::sync::Arc;

use enclust_core::{
    Backend, Ca, Component, Ctx, Error, Footprint, Iteration, Microclusters, Question, Range, Real,
    Record, Report, Represented, Result, Shape, Similarity, fill_condensed, part,
};
use rayon::prelude::*;

use crate::iteration::{COMPONENTS, FOUND, NOT_FOUND};
use crate::laplacian::GroupGraph;
use crate::rank_controller::RankController;
use crate::simplex::project_to_simplex;
use crate::{clusters_to_learn, shares, sizes};

/// Share of the samples that count fully in the first iteration.
const EASIEST: usize = 10;
/// Factor by which more samples may count in each iteration.
const GROWTH: f64 = 1.1;
/// Divergences up to this are rounding errors: logarithms of the same share were added up
/// another way.
const NO_DIVERGENCE: f64 = 1e-9;
/// Steps of the root search at most; five to ten are usual.
const ROOT_STEPS: usize = 100;

part! {
    /// A consensus graph learned while unreliable clusterings, samples and pairs are weighed
    /// down, with as many components as clusters are wanted.
    ///
    /// # Problem
    ///
    /// With A⁽ᵏ⁾ᵢⱼ = 1/|c| for i, j in one cluster c of clustering k, minimise over graphs S
    /// with rows on the simplex, noise E with the rows of B = S + E there, too, sample weights
    /// w in [0, 1], clustering weights a with Σ 1/aₖ = 1, and F with FᵀF = 1,
    ///
    /// Σₖ aₖ Σᵢ wᵢ² KL(A⁽ᵏ⁾ᵢ ‖ Bᵢ) + λ‖E‖² − γ‖w‖₁ + 2μ tr(FᵀL(S)F).
    ///
    /// γ begins where a tenth of the samples count fully and grows by a tenth in each
    /// iteration. μ is doubled while the Laplacian L(S) has fewer than k zero eigenvalues and
    /// halved when it has more.
    ///
    /// The learned S is meant for the consensus function `components`, of which there may be
    /// more or fewer than k; a linkage of it gives k exactly. With a large λ all is one
    /// component.
    ///
    /// It runs at group size: every step treats equal samples alike, row sums, divergences and
    /// the simplex carry the sizes. B is needed row by row only and never stored.
    ///
    /// Where the paper and the authors' program differ, it is the program that is followed: γ
    /// does not begin at 1; the projection moves S away from where F is rough, which the
    /// printed formula has the wrong way round; and S is made symmetric at the end of each
    /// iteration, whereby its rows leave the simplex. The program needs ten samples at least,
    /// for a tenth of them; here that is at least one.
    ///
    /// # Parameters
    ///
    /// [`Trce`]; the number of clusters is that of the context. In the authors' program a slip
    /// of an index makes the sample weights those of the last clustering alone;
    /// `last_clustering_weighs` does the same, for comparison with published figures. If a
    /// tenth of the samples is without any divergence, where that program fails, γ begins with
    /// the first sample that has some.
    ///
    /// # Complexity
    ///
    /// At most 10 iterations, each O(n'² (m + k)) and the k + 1 smallest eigenpairs of an n' ×
    /// n' matrix; 6n'² numbers.
    ///
    /// # Determinism and ties
    ///
    /// A function of the ensemble, k, the backend and, beyond 400 groups, the seed that
    /// eigenvectors are looked for from; threads change nothing. Zeros of a projection decide
    /// about components, so rounding may send an iteration another way.
    ///
    /// # Errors
    ///
    /// Missing labels are [unsupported](enclust_core::Error::Unsupported);
    /// [`Error::NeedsClusters`](enclust_core::Error::NeedsClusters) without a number of
    /// clusters, [`Error::ClusterCount`](enclust_core::Error::ClusterCount) for more than n'.
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
    /// // Two clusterings of three keep sample 2 with the first two.
    /// assert!(s.between(0, 1) > s.between(1, 2));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// P. Zhou, L. Du, Y.-D. Shen, X. Li, "Tri-level robust clustering ensemble with multiple
    /// graph learning", AAAI 2021.
    pub struct Trce("trce", "graph learned on the levels of clusterings, samples and pairs") {
        /// λ: price of the part of a graph taken for noise (the authors recommend 0.01 to 10 and have no default).
        pub lambda: f64 = 0.01, in Range::Positive, tried [1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5];
        /// Iterations at most.
        pub iterations: usize = 10, in Range::AtLeast(1.0);
        /// Weigh samples by the last clustering alone, as the authors' program does by a slip of an index.
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
        let clusters = clusters_to_learn(self.name(), microclusters, question)?;
        let backend = ctx.backend().in_double();
        let learner = Learner::new(microclusters, clusters, self, ctx.seed(), backend)?;
        let (learned, report) = learner.learn(self.name(), ctx)?;
        let narrow = |values: Vec<f64>| values.into_iter().map(S::of).collect::<Vec<S>>();
        let (between, within) = (narrow(learned.between), narrow(learned.within));
        let grouping = Arc::clone(microclusters.grouping());
        let similarity = Similarity::new(grouping, between, within.clone(), within)?;
        Ok(Represented::from(similarity).with_report(report))
    }

    /// S in double precision row by row and condensed, divergences, some rows a thread,
    /// and the eigenpairs.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let wide = shape.in_double();
        let tables = shape.each_group(size_of::<f64>() * (2 * shape.clusterings + 8));
        let rows = wide.vector() * 4 * shape.threads as u64;
        let learning = wide.square() + wide.condensed() + tables + rows;
        Footprint::new(shape.similarity(), learning + GroupGraph::spectrum_bytes(shape))
    }
}

/// A graph that is constant on pairs of groups.
struct Graph {
    between: Vec<f64>,
    within: Vec<f64>,
}

struct Learner<'a> {
    microclusters: &'a Microclusters,
    backend: &'a dyn Backend<f64>,
    seed: u64,
    clusters: usize,
    params: &'a Trce,
    sizes: Vec<f64>,
    /// Number of samples of each base cluster, and where those of a clustering begin.
    cluster_sizes: Vec<f64>,
    offsets: Vec<usize>,
    /// KL(A⁽ᵏ⁾ᵢ ‖ Bᵢ), a row a group.
    divergences: Vec<f64>,
    /// bₖ = 1/aₖ.
    shares: Vec<f64>,
    /// γ, once it has begun.
    age: Option<f64>,
    rank: RankController,
}

impl<'a> Learner<'a> {
    fn new(
        microclusters: &'a Microclusters,
        clusters: usize,
        params: &'a Trce,
        seed: u64,
        backend: &'a dyn Backend<f64>,
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
        let between = fill_condensed(microclusters.len(), |p, row| {
            microclusters.add_agreement(p, |k| mean(p, k), row);
        });
        let within: Vec<f64> = (0..microclusters.len())
            .map(|p| (0..microclusters.clusterings()).map(|k| mean(p, k)).sum())
            .collect();
        let graph = GroupGraph { between: &between, within: &within, sizes: &sizes };
        let rank = RankController::new(graph.spectrum(clusters, seed, backend)?.points);
        let mut learner = Learner {
            microclusters,
            backend,
            seed,
            clusters,
            params,
            sizes,
            cluster_sizes,
            offsets,
            divergences: Vec::new(),
            shares: vec![1.0 / total; microclusters.clusterings()],
            age: None,
            rank,
        };
        learner.divergences = learner.divergences_from_the_mean();
        Ok(learner)
    }

    /// S, learned.
    fn learn<S: Real>(mut self, component: &str, ctx: &Ctx<'_, S>) -> Result<(Graph, Report)> {
        let (size, limit) = (self.groups(), self.params.iterations);
        let mut learned = None;
        let report = Iteration::new(component, size, &COMPONENTS, limit).run(
            ctx,
            &mut self,
            |learner, iteration, _| {
                let weights = learner.sample_weights();
                let Graph { between, within } = &*learned.insert(learner.improve(&weights));
                let graph = GroupGraph { between, within, sizes: &learner.sizes };
                let spectrum = graph.spectrum(learner.clusters, learner.seed, learner.backend)?;
                learner.shares = learner.losses(&weights);
                let settled = learner.rank.update(spectrum, learner.clusters, iteration);
                let residual = if settled { FOUND } else { NOT_FOUND };
                Ok(Record::default().with_residual(residual))
            },
            |_| Err(Error::unsupported(component, "a similarity before it has converged")),
        )?;
        let learned = learned.ok_or_else(|| Error::failed(component, "no iteration was made"))?;
        Ok((learned, report))
    }

    fn groups(&self) -> usize {
        self.sizes.len()
    }

    fn clusterings(&self) -> usize {
        self.shares.len()
    }

    /// Number of samples of the cluster of group p in clustering k.
    fn cluster_size(&self, p: usize, k: usize) -> f64 {
        self.cluster_sizes[self.offsets[k] + self.microclusters.label(p, k) as usize]
    }

    /// The divergences of the clusterings from their mean, with which all begins.
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

    /// KL(A⁽ᵏ⁾ₚ ‖ Bₚ) for each clustering: −ln |c| less the mean of ln B over the samples of
    /// p's cluster c. The row of B becomes that of its logarithms.
    fn diverge(&self, p: usize, row: &mut [f64], divergences: &mut [f64]) {
        row.iter_mut().for_each(|b| *b = b.max(f64::EPSILON).ln());
        for (k, divergence) in divergences.iter_mut().enumerate() {
            let labels = self.microclusters.column(k);
            let others = labels.iter().zip(&*row).zip(&self.sizes);
            let joined = |((&l, log), r): ((&u32, &f64), &f64)| match l == labels[p] {
                true => r * log,
                false => 0.0,
            };
            let size = self.cluster_size(p, k);
            *divergence = -size.ln() - others.map(joined).sum::<f64>() / size;
        }
    }

    /// w: samples on which the clusterings diverge count less; γ grows.
    fn sample_weights(&mut self) -> Vec<f64> {
        let divergence = |row: &[f64]| match self.params.last_clustering_weighs {
            true => {
                let last = row.len() - 1;
                self.microclusters.total_weight() * row[last] / self.shares[last]
            }
            false => {
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

    /// The divergence below which a tenth of the samples lies; if it is none, the smallest one
    /// behind it, infinite without any.
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

    /// S, the rest held, and the divergences from the new B.
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
        let between = fill_condensed(n, |p, row| {
            let mirrored = row.iter_mut().zip(p + 1..);
            mirrored.for_each(|(s, q)| *s = 0.5 * (graph[p * n + q] + graph[q * n + p]));
        });
        Graph { between, within: (0..n).map(|p| graph[p * n + p]).collect() }
    }

    /// Row p of S before it is made symmetric, and the divergences from row p of B.
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
/// The terms with g = 0 alone give a t that is not too large. From there Newton's
/// method on 1/Σ, which is concave, never goes too far.
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
