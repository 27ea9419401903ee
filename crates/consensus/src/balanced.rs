//! Spectral clustering into clusters of similar sizes.

use std::sync::Arc;

use enclust_core::{
    Bytes, Consensus, Ctx, Error, Evidence, Fitted, Footprint, Grouping, Kind, Partition, Range,
    Real, Result, Shape, Stage, Watch, check_k, part,
};
use enclust_kmeans::{KMeansParams, kmeans_order_free};

use crate::embedding::{Embedding, embed};
use crate::spectral::{NormalisedSimilarity, Spectral};

const NAME: &str = "balanced";

part! {
    /// Spectral clustering with a limit on the size of clusters.
    ///
    /// # Problem
    ///
    /// The samples are embedded and clustered as by [`Spectral`](crate::Spectral). Each sample is then
    /// assigned to one of the k centres such that no cluster has more than ⌈(1 + imbalance) n / k⌉
    /// samples and the sum of the squared distances to the centres is as small as possible. The
    /// assignment is the exact optimum, found by moving samples along the cheapest paths from clusters
    /// that are too large to clusters with room.
    ///
    /// CSPA partitions the graph of co-association by METIS into parts of nearly equal size. This is
    /// its substitute with another partitioner, so labels differ from those of programs that use
    /// METIS. Where the true clusters have different sizes, a balanced partition cannot find them.
    ///
    /// The computation runs on groups; the samples of a group may be divided between clusters.
    ///
    /// # Parameters
    ///
    /// `imbalance`, `replicates` and `max_iterations`.
    ///
    /// # Complexity
    ///
    /// That of [`Spectral`](crate::Spectral), and O(n' k) for each of at most n moves; k n' numbers in
    /// addition.
    ///
    /// # Determinism and ties
    ///
    /// The result depends only on the similarity, k, the seed and the backend, not on the number of
    /// threads. Among equally cheap moves, the one between clusters with the lowest numbers is made,
    /// and of the groups the first. Which samples of a divided group go to which cluster cannot follow
    /// from the ensemble, because they are indistinguishable; they are dealt in their order.
    ///
    /// # Errors
    ///
    /// The same as for [`Spectral`](crate::Spectral), and
    /// [`Error::Unsupported`](enclust_core::Error::Unsupported) for rows with counts, which cannot be
    /// divided.
    ///
    /// # Example
    ///
    /// ```
    /// use enclust_consensus::Balanced;
    /// use enclust_core::{Consensus, Ctx, Similarity};
    ///
    /// // Three samples are alike; the limit separates one of them.
    /// let s = Similarity::from_matrix(4, &[
    ///     1.0, 0.9, 0.8, 0.1, 0.9, 1.0, 0.8, 0.1, 0.8, 0.8, 1.0, 0.2, 0.1, 0.1, 0.2, 1.0,
    /// ])?;
    /// let ctx = Ctx::default();
    /// let fitted = Balanced::default().imbalance(0.0).fit(&s.into(), &ctx)?;
    /// assert_eq!(fitted.cut(2, &ctx)?.labels(), &[0, 0, 1, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Reference
    ///
    /// A. Strehl, J. Ghosh, *Cluster ensembles: a knowledge reuse framework for combining multiple
    /// partitions*, JMLR 3 (2002), CSPA.
    pub struct Balanced("balanced", "spectral clustering into clusters of similar sizes") {
        /// By how much a cluster may be larger than n / k, as a share of n / k.
        pub imbalance: f64 = 0.05, in Range::AtLeast(0.0);
        /// Number of initialisations of k-means; the best result is kept.
        pub replicates: usize = 20, in Range::AtLeast(1.0);
        /// Maximum number of iterations per initialisation.
        pub max_iterations: usize = 100, in Range::AtLeast(1.0);
    }
}

impl Balanced {
    fn spectral(&self) -> Spectral {
        let Balanced { replicates, max_iterations, .. } = *self;
        Spectral::default().replicates(replicates).max_iterations(max_iterations)
    }
}

impl<S: Real> Consensus<S> for Balanced {
    fn accepts(&self) -> &[Kind] {
        &[Kind::Similarity]
    }

    fn fit(&self, evidence: &Evidence<S>, _: &Ctx<'_, S>) -> Result<Box<dyn Fitted<S>>> {
        let similarity = evidence.similarity_for(NAME)?;
        let grouping = Arc::clone(similarity.grouping());
        if grouping.counts().is_some() {
            return Err(Error::unsupported(NAME, "rows with counts; repeat the rows"));
        }
        let spectral = self.spectral();
        let embedding = NormalisedSimilarity::new(similarity, spectral.weighting)?;
        Ok(Box::new(Limited { embedding, grouping, imbalance: self.imbalance, spectral }))
    }

    /// That of spectral clustering, and the assignment.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let spectral = Consensus::<S>::footprint(&self.spectral(), shape);
        let assignment = assignment_bytes(shape.groups, shape.clusters_ahead().min(shape.groups));
        Footprint::new(spectral.result, spectral.working + assignment)
    }
}

/// Distances to the centres and numbers of samples.
fn assignment_bytes(groups: usize, k: usize) -> Bytes {
    Bytes(groups as u64) * 16 * k as u64 + Bytes(k as u64) * 16 * k as u64
}

/// A normalised similarity that is cut into clusters of limited size.
struct Limited<S> {
    embedding: NormalisedSimilarity<S>,
    grouping: Arc<Grouping>,
    imbalance: f64,
    spectral: Spectral,
}

impl<S: Real> Fitted<S> for Limited<S> {
    fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        let groups = self.grouping.len();
        check_k(NAME, k, groups)?;
        ctx.require(
            &Stage::Cut.of(NAME),
            assignment_bytes(groups, k),
            &format!("k = {k} of n' = {groups}"),
            "request fewer clusters",
        )?;
        let rows = embed(&self.embedding, k, ctx)?;
        let sizes: Vec<f64> = self.grouping.sizes().iter().map(|&r| r as f64).collect();
        let Spectral { replicates, max_iterations, .. } = self.spectral;
        let kmeans = KMeansParams::default().replicates(replicates).max_iterations(max_iterations);
        let (seed, watch) = (ctx.seed(), ctx.watch());
        let cluster = || kmeans_order_free(&rows, k, Some(&sizes), k, &kmeans, seed, watch);
        let found = ctx.install(|_| cluster())??;
        let costs = squared_distances(&rows, &found.centres, k);
        let limit = limit_of(self.grouping.samples(), k, self.imbalance);
        let shares = assign(self.grouping.sizes(), costs, k, limit, watch)?;
        Ok(Partition::from_labels(deal(&self.grouping, &shares, k)))
    }

    fn largest_k(&self) -> usize {
        Embedding::largest_k(&self.embedding)
    }
}

/// The largest number of samples of a cluster.
fn limit_of(samples: usize, k: usize, imbalance: f64) -> usize {
    let limit = ((1.0 + imbalance) * samples as f64 / k as f64).ceil();
    (limit as usize).max(samples.div_ceil(k))
}

/// For each group, the squared distances to all centres.
fn squared_distances(rows: &[f64], centres: &[f64], k: usize) -> Vec<f64> {
    let distance = |row: &[f64], centre: &[f64]| -> f64 {
        row.iter().zip(centre).map(|(x, c)| (x - c) * (x - c)).sum()
    };
    let all = |row| centres.chunks_exact(k).map(move |centre| distance(row, centre));
    rows.chunks_exact(k).flat_map(all).collect()
}

/// For each group, how many of its samples are in each cluster, such that no cluster has more than
/// `limit` samples and the total cost is least. Every cluster has at least one sample.
fn assign(
    sizes: &[usize],
    costs: Vec<f64>,
    k: usize,
    limit: usize,
    watch: Watch<'_>,
) -> Result<Vec<usize>> {
    let mut flow = Flow::nearest(sizes, costs, k);
    while let Some(path) = flow.cheapest_path(limit) {
        watch.checkpoint("balancing the clusters")?;
        flow.follow(&path, limit);
    }
    // At the end: the paths are cheapest only while no exchange of samples makes the assignment cheaper.
    flow.fill_empty();
    Ok(flow.shares)
}

/// An assignment of samples to clusters that no exchange along a cycle makes cheaper.
struct Flow {
    k: usize,
    /// For each group, its distances to the clusters.
    costs: Vec<f64>,
    /// For each group, the number of its samples in each cluster.
    shares: Vec<usize>,
    loads: Vec<usize>,
    /// For each pair of clusters, the cheapest group to move from the first to the second, and the
    /// change of the cost for one sample.
    moves: Vec<Option<(usize, f64)>>,
}

impl Flow {
    /// Every sample in its nearest cluster, the one with the lowest number among equals.
    fn nearest(sizes: &[usize], costs: Vec<f64>, k: usize) -> Self {
        let (mut shares, mut loads) = (vec![0; costs.len()], vec![0; k]);
        for (p, (&size, costs)) in sizes.iter().zip(costs.chunks_exact(k)).enumerate() {
            let nearest = (0..k).reduce(|best, j| if costs[j] < costs[best] { j } else { best });
            let nearest = nearest.unwrap_or(0);
            shares[p * k + nearest] = size;
            loads[nearest] += size;
        }
        let mut flow = Flow { k, costs, shares, loads, moves: vec![None; k * k] };
        (0..k).for_each(|from| flow.update(from));
        flow
    }

    /// Moves one sample into each cluster that has none, because its centre coincides with another
    /// one: the sample that costs least, of the clusters that have more than one.
    fn fill_empty(&mut self) {
        for empty in 0..self.k {
            if self.loads[empty] > 0 {
                continue;
            }
            let from = (0..self.k).filter(|&from| self.loads[from] > 1);
            let moves = from.filter_map(|from| Some((from, self.moves[from * self.k + empty]?)));
            let cheaper = |best: (usize, (usize, f64)), next: (usize, (usize, f64))| {
                if next.1.1 < best.1.1 { next } else { best }
            };
            if let Some((from, (group, _))) = moves.reduce(cheaper) {
                self.shift(group, from, empty, 1);
                (self.loads[from], self.loads[empty]) = (self.loads[from] - 1, 1);
            }
        }
    }

    /// Finds the cheapest moves out of a cluster.
    fn update(&mut self, from: usize) {
        let k = self.k;
        let moves = &mut self.moves[from * k..(from + 1) * k];
        moves.fill(None);
        let groups = self.shares.chunks_exact(k).zip(self.costs.chunks_exact(k)).enumerate();
        for (p, (_, costs)) in groups.filter(|(_, (shares, _))| shares[from] > 0) {
            for (to, best) in moves.iter_mut().enumerate().filter(|(to, _)| *to != from) {
                let change = costs[to] - costs[from];
                if best.is_none_or(|(_, least)| change < least) {
                    *best = Some((p, change));
                }
            }
        }
    }

    fn shift(&mut self, group: usize, from: usize, to: usize, samples: usize) {
        self.shares[group * self.k + from] -= samples;
        self.shares[group * self.k + to] += samples;
        self.update(from);
        self.update(to);
    }

    /// The cheapest path from a cluster that is too large to one with room, as a list of clusters;
    /// `None` if no cluster is too large.
    fn cheapest_path(&self, limit: usize) -> Option<Vec<usize>> {
        let k = self.k;
        let start = |j: usize| if self.loads[j] > limit { 0.0 } else { f64::INFINITY };
        let mut total: Vec<f64> = (0..k).map(start).collect();
        let mut previous: Vec<Option<usize>> = vec![None; k];
        // Bellman and Ford: paths of up to k clusters.
        for _ in 1..k {
            let mut settled = true;
            for (from, to) in (0..k).flat_map(|from| (0..k).map(move |to| (from, to))) {
                let Some((_, change)) = self.moves[from * k + to] else { continue };
                let length = total[from] + change;
                // Rounding must not close a cycle.
                if length + 1e-12 < total[to] {
                    (total[to], previous[to]) = (length, Some(from));
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        let room = (0..k).filter(|&j| self.loads[j] < limit && total[j].is_finite());
        let end = room.reduce(|best, j| if total[j] < total[best] { j } else { best })?;
        let mut path = vec![end];
        while let Some(from) = previous[path[path.len() - 1]].filter(|_| path.len() <= k) {
            path.push(from);
        }
        path.reverse();
        (path.len() <= k && self.loads[path[0]] > limit).then_some(path)
    }

    /// Moves as many samples along the path as its ends and its groups allow.
    fn follow(&mut self, path: &[usize], limit: usize) {
        let (first, last) = (path[0], path[path.len() - 1]);
        let mut samples = (self.loads[first] - limit).min(limit - self.loads[last]);
        let steps: Vec<(usize, usize, usize)> = path
            .windows(2)
            .filter_map(|w| Some((self.moves[w[0] * self.k + w[1]]?.0, w[0], w[1])))
            .collect();
        for &(group, from, _) in &steps {
            samples = samples.min(self.shares[group * self.k + from]);
        }
        for (group, from, to) in steps {
            self.shift(group, from, to, samples);
        }
        self.loads[first] -= samples;
        self.loads[last] += samples;
    }
}

/// The labels of the samples; the samples of a group that is divided are dealt in their order.
fn deal(grouping: &Grouping, shares: &[usize], k: usize) -> Vec<usize> {
    let mut left = shares.to_vec();
    let label = |p: &u32| {
        let own = &mut left[*p as usize * k..][..k];
        let label = own.iter().position(|&samples| samples > 0).unwrap_or(0);
        own[label] = own[label].saturating_sub(1);
        label
    };
    grouping.map().iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The least cost of all assignments, by trying all of them.
    fn by_trying(costs: &[f64], n: usize, k: usize, limit: usize) -> f64 {
        fn go(costs: &[f64], left: &mut Vec<usize>, at: usize, n: usize) -> f64 {
            let k = left.len();
            if at == n {
                return 0.0;
            }
            let mut best = f64::INFINITY;
            for j in 0..k {
                if left[j] > 0 {
                    left[j] -= 1;
                    best = best.min(costs[at * k + j] + go(costs, left, at + 1, n));
                    left[j] += 1;
                }
            }
            best
        }
        go(costs, &mut vec![limit; k], 0, n)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn no_assignment_within_the_limit_costs_less(
            costs in proptest::collection::vec(0.0..1.0_f64, 3 * 8),
            (n, extra) in (3..8_usize, 0..3_usize),
        ) {
            let (k, costs) = (3, costs[..3 * n].to_vec());
            let limit = n.div_ceil(k) + extra;
            let shares = assign(&vec![1; n], costs.clone(), k, limit, Watch::default()).unwrap();
            let found: f64 = shares.iter().zip(&costs).map(|(&s, c)| s as f64 * c).sum();
            let empty = |j: usize| shares.chunks(k).all(|own| own[j] == 0);
            let loads = |j: usize| shares.chunks(k).map(|own| own[j]).sum::<usize>();
            prop_assert!((0..k).all(|j| loads(j) <= limit && !empty(j)));
            let nearest_fills_all = {
                let flow = Flow::nearest(&vec![1; n], costs.clone(), k);
                flow.loads.iter().all(|&load| load > 0)
            };
            if nearest_fills_all {
                prop_assert!((found - by_trying(&costs, n, k, limit)).abs() < 1e-9);
            }
        }

        #[test]
        fn groups_cost_what_their_samples_cost(
            costs in proptest::collection::vec(0.0..1.0_f64, 3 * 5),
            sizes in proptest::collection::vec(1..5_usize, 5),
        ) {
            let k = 3;
            let limit = sizes.iter().sum::<usize>().div_ceil(k) + 1;
            let cost = |shares: &[usize], costs: &[f64]| -> f64 {
                shares.iter().zip(costs).map(|(&s, c)| s as f64 * c).sum()
            };
            let groups = assign(&sizes, costs.clone(), k, limit, Watch::default()).unwrap();
            let repeat = |(p, &r): (usize, &usize)| costs[p * k..(p + 1) * k].repeat(r);
            let alone: Vec<f64> = sizes.iter().enumerate().flat_map(repeat).collect();
            let ones = vec![1; alone.len() / k];
            let samples = assign(&ones, alone.clone(), k, limit, Watch::default()).unwrap();
            prop_assert!((cost(&groups, &costs) - cost(&samples, &alone)).abs() < 1e-9);
            let dealt: Vec<usize> = groups.chunks(k).map(|own| own.iter().sum()).collect();
            prop_assert_eq!(dealt, sizes);
        }
    }
}
