//! Self-paced clustering ensemble.

use std::array;
use std::sync::Arc;

use enclust_core::{
    Ca, Component, Condensed, Ctx, Footprint, Microclusters, Quantities, Question, Range, Real,
    Record, Report, Represented, Result, Shape, Similarity, Status, Until, part,
};
use rayon::prelude::*;

use crate::iteration::{COMPONENTS, FOUND, NOT_FOUND};
use crate::laplacian::GroupGraph;
use crate::rank_controller::RankController;
use crate::{clusters_to_learn, shares, sizes};

/// Shares of agreement at which a pair counts fully, one per stage.
const PACE: [f64; 5] = [0.9, 0.8, 0.7, 0.6, 0.5];
/// Maximum number of iterations per stage.
const STEPS: usize = 5;
/// Number of sums over the same values that are computed together.
const SUMS: usize = 8;
/// Maximum number of iterations of the last stage.
const LAST_STEPS: usize = 20;

part! {
    /// A sparse similarity learned from easy pairs to hard ones, driven towards k components.
    ///
    /// # Problem
    ///
    /// Let M⁽ᵏ⁾ᵢⱼ = 1 if clustering k joins i and j. Minimise over a symmetric S in [0, 1],
    /// weights W in [0, 1], shares p that sum to 1, and F with FᵀF = 1,
    ///
    /// Σₖ ‖W ∘ (S − M⁽ᵏ⁾)‖² / pₖ − ρ‖W‖₁ + τ²m² ‖S‖₀ + 2μ tr(FᵀL(S)F),
    ///
    /// where S is 1 if all clusterings join a pair and 0 if none does. ρ starts at a value for
    /// which only pairs count on which nine tenths of the clusterings agree, and ends at a
    /// value for which all pairs count. μ is doubled while the Laplacian L(S) has fewer than k
    /// zero eigenvalues and halved when it has more. The objective was derived from the
    /// authors' program.
    ///
    /// The learned S is intended for the consensus function `components`; it may have more or
    /// fewer than k components. A linkage of S gives exactly k clusters.
    ///
    /// The computation runs on groups. Every step maps matrices that are constant on pairs of
    /// groups to such matrices: equal samples have equal rows in all M⁽ᵏ⁾, the smooth
    /// eigenvectors do not separate them, and sums over pairs are weighted by the sizes. Inside
    /// a group, S is always 1.
    ///
    /// # Parameters
    ///
    /// `tau` (τ). The number of clusters is that of the [question](Question).
    ///
    /// # Complexity
    ///
    /// At most 40 iterations, each with O(n'² (m + k)) time and the k + 1 smallest eigenpairs
    /// of an n' × n' matrix; 5n'² numbers.
    ///
    /// # Determinism and ties
    ///
    /// The result depends on the ensemble, k, the backend and, for more than 400 groups, on the
    /// seed of the eigensolver, but not on the number of threads. Entries are decided by
    /// thresholds, so rounding errors may change the course of the iteration.
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
    /// use enclust_learn::Spce;
    ///
    /// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]])?;
    /// let ctx = Ctx::<f64>::default();
    /// let evidence = Spce::default().build(&Microclusters::of(&e), &Question::clusters(2), &ctx)?;
    /// let s = evidence.as_similarity().unwrap();
    /// // Two of three clusterings put sample 2 together with the first two.
    /// assert!(s.between(0, 1) > 0.0);
    /// assert_eq!(s.between(1, 2), 0.0);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan, X. Li, "Self-paced clustering ensemble",
    /// IEEE Transactions on Neural Networks and Learning Systems 2021.
    pub struct Spce("spce", "graph learned from easy pairs to hard ones") {
        /// τ: pairs with a lower similarity are removed; larger values give more components
        /// (the authors give no default).
        pub tau: f64 = 0.1, in Range::Within(0.0, 1.0), tried [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
    }
}

impl<S: Real> Ca<S> for Spce {
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
        let learner = Learner::new(microclusters, clusters, self.tau, ctx.in_double())?;
        let (similarity, report) = learner.learn(self.name(), until, ctx)?;
        Ok(Represented::from(similarity).with_report(report))
    }

    /// S and W in double precision in addition to the result, one row of sums per group, and
    /// the eigenpairs.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let wide = shape.in_double();
        let sums = shape.each_group(size_of::<f64>() * (shape.clusterings + 8));
        let working = wide.condensed() * 3 + sums + GroupGraph::spectrum_bytes(shape);
        Footprint::new(shape.similarity(), working)
    }
}

struct Learner<'a> {
    microclusters: &'a Microclusters,
    ctx: Ctx<'a, f64>,
    clusters: usize,
    /// τm.
    cut: f64,
    sizes: Vec<f64>,
    ones: Vec<f64>,
    /// S between groups.
    similarity: Condensed<Vec<f64>>,
    /// W between groups.
    weights: Condensed<Vec<f64>>,
    /// pₖ.
    shares: Vec<f64>,
    rank: RankController,
}

impl<'a> Learner<'a> {
    fn new(
        microclusters: &'a Microclusters,
        clusters: usize,
        tau: f64,
        ctx: Ctx<'a, f64>,
    ) -> Result<Self> {
        let n = microclusters.len();
        let (sizes, ones) = (sizes(microclusters), vec![1.0; n]);
        let similarity = Condensed::filled(n, |p, row| microclusters.co_occurrence(p, row));
        let graph = GroupGraph { between: &similarity, within: &ones, sizes: &sizes };
        let rank = RankController::new(graph.spectrum(clusters, &ctx)?.points);
        let total = microclusters.total_weight();
        Ok(Learner {
            microclusters,
            ctx,
            clusters,
            cut: tau * total,
            sizes,
            ones,
            similarity,
            weights: Condensed::zeros(n),
            shares: vec![1.0 / total; microclusters.clusterings()],
            rank,
        })
    }

    /// Learns S between groups, one stage after the other.
    fn learn<S: Real>(
        mut self,
        component: &str,
        until: Until<'_, S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<(Similarity<S>, Report)> {
        let limit = (PACE.len() - 1) * STEPS + LAST_STEPS;
        let (mut pace, mut step) = (0, 0);
        self.weigh(PACE[0]);
        let report = until.iteration(component, self.sizes.len(), &COMPONENTS, limit).run(
            ctx,
            &mut self,
            |learner, _, _| {
                step += 1;
                let settled = learner.settles(step)?;
                let last = pace + 1 == PACE.len();
                let over = settled || step == if last { LAST_STEPS } else { STEPS };
                if over && !last {
                    (pace, step) = (pace + 1, 0);
                    learner.weigh(PACE[pace]);
                }
                let residual = if settled && last { FOUND } else { NOT_FOUND };
                let end = (over && last).then_some(Status::IterationLimit);
                Ok(Record::default().with_residual(residual).with_end(end))
            },
            |learner| learner.learned(),
        )?;
        Ok((self.learned()?, report))
    }

    /// The current S; inside a group it is 1.
    fn learned<S: Real>(&self) -> Result<Similarity<S>> {
        let between = self.similarity.map(|&s| S::of(s)).into_values();
        let ones = vec![S::one(); self.sizes.len()];
        let grouping = Arc::clone(self.microclusters.grouping());
        Similarity::new(grouping, between, ones.clone(), ones)
    }

    /// Does one iteration and returns whether the graph then has k components.
    fn settles(&mut self, step: usize) -> Result<bool> {
        self.improve();
        let (between, within, sizes) = (&self.similarity, &self.ones, &self.sizes);
        let graph = GroupGraph { between, within, sizes };
        let spectrum = graph.spectrum(self.clusters, &self.ctx)?;
        self.shares = self.losses();
        Ok(self.rank.update(spectrum, self.clusters, step))
    }

    /// 1/pₖ times the weight of the clustering, and their sum.
    fn inverse_shares(&self) -> (Vec<f64>, f64) {
        let inverse: Vec<f64> =
            self.shares.iter().enumerate().map(|(k, p)| self.microclusters.weight(k) / p).collect();
        let total = inverse.iter().sum();
        (inverse, total)
    }

    /// W: pairs on which the clusterings agree at least this much count fully; the weight of
    /// the others decreases with the distance of S from the clusterings.
    fn weigh(&mut self, pace: f64) {
        let m = self.microclusters.total_weight();
        let rho = 2.0 * pace * (1.0 - pace) * m * m;
        let (inverse, total) = self.inverse_shares();
        let (similarity, n) = (&self.similarity, self.sizes.len());
        self.weights = Condensed::filled(n, |p, row| {
            self.microclusters.add_agreement(p, |k| inverse[k], row);
            for (w, &s) in row.iter_mut().zip(similarity.row(p)) {
                // Σₖ (S − M⁽ᵏ⁾)² / pₖ, where M is 0 or 1.
                let distance = total * s * s - 2.0 * s * *w + *w;
                *w = if distance > 0.0 { (rho / (2.0 * distance)).min(1.0) } else { 1.0 };
            }
        });
    }

    /// Updates S with all other variables fixed: the weighted mean of the clusterings minus the
    /// distance of the smooth points, set to 0 if it is small.
    fn improve(&mut self) {
        let (inverse, total) = self.inverse_shares();
        let RankController { weight, points } = &self.rank;
        let (weights, n, cut) = (&self.weights, self.sizes.len(), self.cut / total.sqrt());
        self.similarity = Condensed::filled(n, |p, row| {
            self.microclusters.add_agreement(p, |k| inverse[k], row);
            for (offset, (s, &w)) in row.iter_mut().zip(weights.row(p)).enumerate() {
                // Pairs that no clustering joins keep the value 0.
                if *s > 0.0 {
                    let apart = points.squared_distance(p, p + 1 + offset);
                    let t = (*s - weight * apart / (2.0 * w * w)) / total;
                    *s = if t < cut / w { 0.0 } else { t.min(1.0) };
                }
            }
        });
    }

    /// pₖ: the share of clustering k in the weighted distances of S to the clusterings.
    fn losses(&self) -> Vec<f64> {
        let (m, n) = (self.microclusters.clusterings(), self.sizes.len());
        // One row per group: the common part of all clusterings, then the part of each
        // clustering.
        let rows: Vec<Vec<f64>> = (0..n).into_par_iter().map(|p| self.row_losses(p)).collect();
        let mut sums = vec![0.0; m + 1];
        for row in &rows {
            sums.iter_mut().zip(row).for_each(|(sum, part)| *sum += part);
        }
        let losses: Vec<f64> =
            sums[1..].iter().map(|joined| (sums[0] + joined).max(0.0).sqrt()).collect();
        shares(&losses, self.microclusters)
    }

    /// The contribution of group p with all later groups to ‖W ∘ S‖² and, for each clustering,
    /// to ‖W ∘ (S − M⁽ᵏ⁾)‖² − ‖W ∘ S‖².
    fn row_losses(&self, p: usize) -> Vec<f64> {
        let (m, n) = (self.microclusters.clusterings(), self.sizes.len());
        let rows = self.similarity.row(p).iter().zip(self.weights.row(p));
        let (mut common, mut joined) = (0.0, Vec::with_capacity(n - p - 1));
        for ((&s, &w), r) in rows.zip(&self.sizes[p + 1..]) {
            let square = self.sizes[p] * r * w * w;
            common += square * s * s;
            joined.push(square * (1.0 - 2.0 * s));
        }
        let mut out = vec![common];
        // Several sums at a time: each of them waits for its last addition.
        let mut k = 0;
        while k + SUMS <= m {
            out.extend(self.joined_by::<SUMS>(p, k, &joined));
            k += SUMS;
        }
        out.extend((k..m).flat_map(|k| self.joined_by::<1>(p, k, &joined)));
        out
    }

    /// For each of some consecutive clusterings, the sum of the values of the groups that it joins
    /// with group p; there is one value for each later group.
    fn joined_by<const N: usize>(&self, p: usize, first: usize, values: &[f64]) -> [f64; N] {
        let columns: [&[u32]; N] = array::from_fn(|k| self.microclusters.column(first + k));
        let own = columns.map(|labels| labels[p]);
        let others = columns.map(|labels| &labels[p + 1..][..values.len()]);
        let mut sums = [0.0; N];
        for (q, &v) in values.iter().enumerate() {
            for k in 0..N {
                sums[k] += if others[k][q] == own[k] { v } else { 0.0 };
            }
        }
        sums
    }
}
