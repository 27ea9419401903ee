//! Average linkage of a factored similarity, without the table of all pairs.
//!
//! The sum of the similarities between two clusters is the weighted inner product of their
//! histograms over the base clusters. An index lists the clusters in which each base cluster
//! occurs, so the nearest cluster is found without a comparison with clusters that share nothing.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use enclust_core::{Factored, Result};
use rayon::prelude::*;

use super::agglomerate::{Join, Watch};

/// The merges of the samples, in order, with similarities in units of 1 / total weight.
pub(super) fn agglomerate_factored(
    similarity: &Factored,
    watch: &mut dyn Watch,
) -> Result<Vec<Join>> {
    Merging::new(similarity).run(watch)
}

/// A cluster of samples.
struct Cluster {
    /// The smallest sample.
    name: usize,
    weight: f64,
    /// How many samples are in each base cluster, by number.
    histogram: Vec<(u32, f64)>,
    /// The samples that are yet to be joined with the first one, which have the same label row.
    others: Vec<usize>,
}

/// The number of the entry of a cluster that is gone.
const GONE: u64 = u64::MAX;

/// The nearest cluster of a cluster, or an upper bound on the similarity to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    similarity: f64,
    /// The names of both; `None` if the similarity is a bound.
    names: Option<(usize, usize)>,
    cluster: usize,
    partner: Partner,
    serial: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Partner {
    /// Another cluster.
    Cluster(usize),
    /// The samples of the same label row.
    Own,
    /// It must be found.
    Unknown,
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The entry to look at first is the largest: the highest similarity, then bounds, which may hide
/// an equally similar pair, then the first pair by name.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |e: &Entry| (e.names, e.cluster, e.serial);
        self.similarity.total_cmp(&other.similarity).then_with(|| key(other).cmp(&key(self)))
    }
}

/// The clusters in which each base cluster occurs.
struct Index {
    lists: Vec<Vec<(u32, f64)>>,
    /// Whether a list contains clusters that are gone.
    stale: Vec<bool>,
}

struct Merging<'a> {
    weights: &'a [f64],
    /// `None` for clusters that were merged into another one.
    clusters: Vec<Option<Cluster>>,
    index: Index,
    /// The nearest cluster of each cluster and the similarity to it.
    found: Vec<Option<(usize, f64)>>,
    /// The entry that holds for each cluster; older ones are ignored.
    current: Vec<u64>,
    serial: u64,
    /// The clusters whose nearest cluster this may be.
    admirers: Vec<Vec<u32>>,
    queue: BinaryHeap<Entry>,
    live: BTreeMap<usize, usize>,
    /// One sum per cluster, all 0 between two searches.
    sums: Vec<f64>,
    joins: Vec<Join>,
}

impl<'a> Merging<'a> {
    fn new(similarity: &'a Factored) -> Self {
        let (n, members) = (similarity.len(), similarity.grouping().members());
        let mut index = Index::new(similarity.weights().len());
        let mut clusters = Vec::with_capacity(2 * n);
        for (p, mut others) in members.into_iter().enumerate() {
            let weight = similarity.grouping().sizes()[p] as f64;
            let name = others.remove(0);
            let histogram: Vec<(u32, f64)> =
                similarity.clusters(p).iter().map(|&c| (c, weight)).collect();
            index.add(p, &histogram);
            clusters.push(Some(Cluster { name, weight, histogram, others }));
        }
        let live = clusters.iter().flatten().enumerate().map(|(p, c)| (c.name, p)).collect();
        let mut new = Merging {
            weights: similarity.weights(),
            clusters,
            index,
            found: vec![None; n],
            current: vec![0; n],
            serial: 0,
            admirers: vec![Vec::new(); n],
            queue: BinaryHeap::with_capacity(2 * n),
            live,
            sums: vec![0.0; 2 * n],
            joins: Vec::with_capacity(similarity.grouping().samples().saturating_sub(1)),
        };
        new.find_all();
        new
    }

    fn run(mut self, watch: &mut dyn Watch) -> Result<Vec<Join>> {
        const BETWEEN_REPORTS: usize = 256;
        let all = self.clusters.len() as u64;
        while let Some(entry) = self.queue.pop() {
            match entry.partner {
                Partner::Own => self.collapse(entry.cluster),
                _ if self.current[entry.cluster] != entry.serial => continue,
                Partner::Unknown => self.find(entry.cluster),
                Partner::Cluster(other) => self.unite(entry.cluster, other, entry.similarity),
            }
            if self.joins.len().is_multiple_of(BETWEEN_REPORTS) {
                watch.progress(all - self.live.len() as u64, all)?;
            }
        }
        Ok(self.joins)
    }

    fn cluster(&self, a: usize) -> &Cluster {
        self.clusters[a].as_ref().expect("only live clusters are asked for")
    }

    /// Finds the nearest cluster of each cluster, on all threads.
    fn find_all(&mut self) {
        let n = self.clusters.len();
        let nearest: Vec<Option<(usize, f64)>> = (0..n)
            .into_par_iter()
            .map_init(|| vec![0.0; n], |sums, a| self.nearest(a, sums))
            .collect();
        for (a, found) in nearest.into_iter().enumerate() {
            self.enter(a, found);
            let Cluster { name, others, histogram, .. } = self.cluster(a);
            if let Some(&second) = others.first() {
                let shared = histogram.iter().map(|&(c, _)| self.weights[c as usize]);
                let (names, partner) = (Some((*name, second)), Partner::Own);
                let similarity = shared.sum();
                self.queue.push(Entry { similarity, names, cluster: a, partner, serial: 0 });
            }
        }
    }

    /// Finds the nearest cluster of a cluster.
    fn find(&mut self, a: usize) {
        for &(c, _) in &self.clusters[a].as_ref().expect("a live cluster").histogram {
            self.index.tidy(c as usize, &self.clusters);
        }
        let mut sums = std::mem::take(&mut self.sums);
        let found = self.nearest(a, &mut sums);
        self.sums = sums;
        self.enter(a, found);
    }

    /// The cluster with the highest mean similarity, the first one by name, and this mean. `sums`
    /// is 0 for every cluster, before and after.
    fn nearest(&self, a: usize, sums: &mut [f64]) -> Option<(usize, f64)> {
        let Cluster { name, weight, histogram, .. } = self.cluster(a);
        let mut touched = Vec::new();
        for &(c, count) in histogram {
            let value = self.weights[c as usize];
            for &(b, other) in &self.index.lists[c as usize] {
                let sum = &mut sums[b as usize];
                if *sum == 0.0 {
                    touched.push(b as usize);
                }
                // The product of two whole numbers is exact, so the sum is symmetric.
                *sum += count * other * value;
            }
        }
        let mut best: Option<(usize, usize, f64)> = None;
        for &b in &touched {
            let sum = std::mem::replace(&mut sums[b], 0.0);
            let Some(other) = self.clusters[b].as_ref().filter(|_| b != a) else { continue };
            let mean = sum / (weight * other.weight);
            let better = |(_, name, most): (usize, usize, f64)| {
                mean > most || (mean == most && other.name < name)
            };
            if sum > 0.0 && best.is_none_or(better) {
                best = Some((b, other.name, mean));
            }
        }
        let unlike = || self.live.iter().find(|(other, _)| *other != name).map(|(_, &b)| (b, 0.0));
        best.map(|(b, _, mean)| (b, mean)).or_else(unlike)
    }

    /// Queues the nearest cluster of a cluster.
    fn enter(&mut self, a: usize, found: Option<(usize, f64)>) {
        self.found[a] = found;
        let Some((b, similarity)) = found else { return };
        let (x, y) = (self.cluster(a).name, self.cluster(b).name);
        self.admirers[b].push(a as u32);
        self.queue_as(a, similarity, Some((x.min(y), x.max(y))), Partner::Cluster(b));
    }

    fn queue_as(
        &mut self,
        cluster: usize,
        similarity: f64,
        names: Option<(usize, usize)>,
        partner: Partner,
    ) {
        self.serial += 1;
        self.current[cluster] = self.serial;
        let serial = self.serial;
        self.queue.push(Entry { similarity, names, cluster, partner, serial });
    }

    /// Joins the samples of one label row.
    fn collapse(&mut self, a: usize) {
        let Some(cluster) = self.clusters[a].as_mut() else { return };
        let (left, others) = (cluster.name, std::mem::take(&mut cluster.others));
        let row = cluster.histogram.iter();
        let similarity = row.map(|&(c, _)| self.weights[c as usize]).sum();
        self.joins.extend(others.into_iter().map(|right| Join { left, right, similarity }));
    }

    /// Joins two clusters at this similarity.
    fn unite(&mut self, a: usize, b: usize, similarity: f64) {
        // A label row is always more similar to itself than to others, up to rounding.
        self.collapse(a);
        self.collapse(b);
        let (Some(one), Some(other)) = (self.clusters[a].take(), self.clusters[b].take()) else {
            return;
        };
        let (left, right) = (one.name.min(other.name), one.name.max(other.name));
        self.joins.push(Join { left, right, similarity });
        let new = self.clusters.len();
        let histogram = added(&one.histogram, &other.histogram);
        self.index.add(new, &histogram);
        self.index.leave(&histogram);
        let weight = one.weight + other.weight;
        self.clusters.push(Some(Cluster { name: left, weight, histogram, others: Vec::new() }));
        self.found.push(None);
        self.current.push(0);
        self.admirers.push(Vec::new());
        self.live.remove(&right);
        self.live.insert(left, new);
        for gone in [a, b] {
            self.current[gone] = GONE;
            self.release(gone);
        }
        if self.live.len() > 1 {
            self.find(new);
        }
    }

    /// The clusters whose nearest cluster is gone must search again. They are at most as similar to
    /// the union as to the nearer of its parts, so their similarity is a bound.
    fn release(&mut self, gone: usize) {
        for a in std::mem::take(&mut self.admirers[gone]) {
            let a = a as usize;
            match self.found[a] {
                Some((b, similarity)) if b == gone && self.clusters[a].is_some() => {
                    self.queue_as(a, similarity, None, Partner::Unknown);
                }
                _ => {}
            }
        }
    }
}

impl Index {
    fn new(base_clusters: usize) -> Self {
        Index { lists: vec![Vec::new(); base_clusters], stale: vec![false; base_clusters] }
    }

    fn add(&mut self, cluster: usize, histogram: &[(u32, f64)]) {
        for &(c, count) in histogram {
            self.lists[c as usize].push((cluster as u32, count));
        }
    }

    /// Notes that clusters of these lists are gone.
    fn leave(&mut self, histogram: &[(u32, f64)]) {
        histogram.iter().for_each(|&(c, _)| self.stale[c as usize] = true);
    }

    /// Removes clusters that are gone from a list.
    fn tidy(&mut self, c: usize, clusters: &[Option<Cluster>]) {
        if std::mem::take(&mut self.stale[c]) {
            self.lists[c].retain(|&(b, _)| clusters[b as usize].is_some());
        }
    }
}

/// The sum of two histograms.
fn added(one: &[(u32, f64)], other: &[(u32, f64)]) -> Vec<(u32, f64)> {
    let mut sum = Vec::with_capacity(one.len() + other.len());
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        let ((c, x), (d, y)) = (one[i], other[j]);
        sum.push(if c == d {
            (c, x + y)
        } else if c < d {
            (c, x)
        } else {
            (d, y)
        });
        i += usize::from(c <= d);
        j += usize::from(d <= c);
    }
    sum.extend_from_slice(&one[i..]);
    sum.extend_from_slice(&other[j..]);
    sum.shrink_to_fit();
    sum
}
