//! The order in which groups are drawn, and the bins that they are drawn in.

use enclust_core::{Dendrogram, Grouping, Partition};
use serde::Serialize;

use crate::tree::leaf_order;

/// Bins, apart from those that end early because a cluster ends.
const BINS: usize = 360;
/// If more clusters end, the bins do not respect them.
const MOST_ENDS: usize = 60;

/// The order of the groups, and the bins: runs of groups with about equally many samples. A bin does
/// not go across the end of a cluster, unless there are too many clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The bin of each group.
    pub(super) bin_of: Vec<u32>,
    /// Number of samples in each bin.
    sizes: Vec<u64>,
    /// The clusters along the axis, for each cut.
    segments: Vec<Option<Vec<Segment>>>,
}

/// A cluster on the axis of a heat map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// Its label.
    pub label: usize,
    /// Number of samples up to its end.
    pub end: u64,
}

impl Layout {
    /// Orders the groups by the clusters of the first cut and, within them, as in the tree, or by their
    /// first sample if there is none.
    ///
    /// ```
    /// use enclust_core::{Grouping, Partition};
    /// use enclust_report::Layout;
    ///
    /// let cut = Partition::from_labels([0, 1, 0]);
    /// let layout = Layout::new(&Grouping::singletons(3), None, &[&cut]);
    /// let ends: Vec<u64> = layout.segments(0).unwrap().iter().map(|s| s.end).collect();
    /// assert_eq!(ends, [2, 3]);
    /// ```
    pub fn new(grouping: &Grouping, tree: Option<&Dendrogram>, cuts: &[&Partition]) -> Self {
        let order = order(grouping, tree, cuts.first().copied());
        let label = |cut: &Partition, p: u32| cut.labels()[grouping.first_members()[p as usize]];
        let size = |p: u32| grouping.sizes()[p as usize] as u64;
        let segments: Vec<Option<Vec<Segment>>> = cuts
            .iter()
            .map(|cut| segments(&order, |p| label(cut, p), size, cut.clusters()))
            .collect();
        let mut ends: Vec<u64> =
            segments.iter().flatten().flatten().map(|segment| segment.end).collect();
        ends.sort_unstable();
        ends.dedup();
        if ends.len() > MOST_ENDS {
            ends.clear();
        }
        let sizes_in_order: Vec<u64> = order.iter().map(|&p| size(p)).collect();
        let (place, sizes) = bins(&sizes_in_order, &ends);
        let mut bin_of = vec![0; order.len()];
        order.iter().zip(place).for_each(|(&p, bin)| bin_of[p as usize] = bin);
        Layout { bin_of, sizes, segments }
    }

    /// Number of samples in each bin.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The clusters of a cut from left to right; `None` if the order separates a cluster.
    pub fn segments(&self, cut: usize) -> Option<&[Segment]> {
        self.segments.get(cut)?.as_deref()
    }

    /// Whether a bin holds more than one group.
    pub fn aggregates(&self) -> bool {
        self.sizes.len() < self.bin_of.len()
    }

    /// The position of a pair of bins in the upper triangle with its diagonal, row by row.
    pub(super) fn cell(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        low * (2 * self.sizes.len() - low + 1) / 2 + high - low
    }

    /// Number of cells.
    pub(super) fn cells(&self) -> usize {
        self.sizes.len() * (self.sizes.len() + 1) / 2
    }
}

fn order(grouping: &Grouping, tree: Option<&Dendrogram>, cut: Option<&Partition>) -> Vec<u32> {
    let groups = grouping.len();
    // The position of the first sample of each group.
    let mut position = vec![u32::MAX; groups];
    match tree.filter(|tree| tree.samples() == grouping.samples()) {
        Some(tree) => {
            for (at, sample) in leaf_order(tree).into_iter().enumerate() {
                let first = &mut position[grouping.map()[sample] as usize];
                *first = (*first).min(at as u32);
            }
        }
        None => position = (0..groups as u32).collect(),
    }
    let label = |p: usize| cut.map_or(0, |cut| cut.labels()[grouping.first_members()[p]]);
    let mut first_of = vec![u32::MAX; cut.map_or(1, Partition::clusters)];
    for p in 0..groups {
        first_of[label(p)] = first_of[label(p)].min(position[p]);
    }
    let mut order: Vec<u32> = (0..groups as u32).collect();
    order.sort_by_key(|&p| (first_of[label(p as usize)], position[p as usize]));
    order
}

/// The bin of each group, in order, and the number of samples of each bin. The bins are as small as
/// they can be without becoming too many; a large group may be larger than all others.
fn bins(sizes: &[u64], ends: &[u64]) -> (Vec<u32>, Vec<u64>) {
    let most = BINS + ends.len();
    let (mut low, mut high) = (1, sizes.iter().sum::<u64>().div_ceil(BINS as u64).max(1));
    while low < high {
        let middle = (low + high) / 2;
        match filled(sizes, ends, middle).1.len() <= most {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    filled(sizes, ends, high)
}

/// Bins that end when they hold at least `target` samples.
fn filled(sizes: &[u64], ends: &[u64], target: u64) -> (Vec<u32>, Vec<u64>) {
    let (mut place, mut bins) = (Vec::with_capacity(sizes.len()), Vec::new());
    let (mut filled, mut position) = (0, 0);
    for &size in sizes {
        place.push(bins.len() as u32);
        filled += size;
        position += size;
        if filled >= target || ends.binary_search(&position).is_ok() {
            bins.push(filled);
            filled = 0;
        }
    }
    bins.extend((filled > 0).then_some(filled));
    (place, bins)
}

/// Runs of equal labels; `None` if a label has several.
fn segments(
    order: &[u32],
    label: impl Fn(u32) -> usize,
    size: impl Fn(u32) -> u64,
    clusters: usize,
) -> Option<Vec<Segment>> {
    let mut found: Vec<Segment> = Vec::new();
    let mut end = 0;
    for &p in order {
        end += size(p);
        let runs = found.len();
        match found.last_mut() {
            Some(last) if last.label == label(p) => last.end = end,
            _ if runs == clusters => return None,
            _ => found.push(Segment { label: label(p), end }),
        }
    }
    let mut labels: Vec<usize> = found.iter().map(|segment| segment.label).collect();
    labels.sort_unstable();
    labels.windows(2).all(|pair| pair[0] != pair[1]).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_have_about_equally_many_samples_and_respect_clusters() {
        let grouping = Grouping::singletons(5000);
        let cut = Partition::from_labels((0..5000).map(|i| i * i % 7 < 3));
        let layout = Layout::new(&grouping, None, &[&cut]);
        assert!(layout.aggregates());
        assert!(layout.sizes().len() <= BINS + 2, "{}", layout.sizes().len());
        assert_eq!(layout.sizes().iter().sum::<u64>(), 5000);
        let mut ends = Vec::new();
        layout.sizes().iter().fold(0, |sum, size| {
            ends.push(sum + size);
            sum + size
        });
        let segments = layout.segments(0).unwrap();
        assert_eq!(segments.len(), 2);
        assert!(segments.iter().all(|segment| ends.contains(&segment.end)));
        assert!(layout.sizes().iter().all(|&size| size <= 5000_u64.div_ceil(BINS as u64)));
    }

    #[test]
    fn a_large_group_leaves_the_bins_to_the_small_ones() {
        let map: Vec<u32> = (0..10_000).map(|i: u32| i.saturating_sub(9_400)).collect();
        let grouping = Grouping::from_map(map).unwrap();
        let layout = Layout::new(&grouping, None, &[]);
        assert!(layout.sizes().len() > BINS / 2 && layout.sizes().len() <= BINS);
        assert_eq!(layout.sizes()[0], 9_401);
    }

    #[test]
    fn groups_follow_the_tree_within_the_clusters() {
        let grouping = Grouping::singletons(4);
        let tree = Dendrogram::from_members(4, &[(0, 3, 0.1), (1, 2, 0.2), (0, 1, 0.9)]).unwrap();
        let cut = tree.cut(2).unwrap();
        let order = order(&grouping, Some(&tree), Some(&cut));
        assert_eq!(order, [0, 3, 1, 2]);
        // A cut that does not belong to the tree separates its clusters.
        let other = Partition::from_labels([0, 0, 1, 1]);
        let layout = Layout::new(&grouping, Some(&tree), &[&cut, &other]);
        assert!(layout.segments(0).is_some() && layout.segments(1).is_none());
    }

    #[test]
    fn many_clusters_do_not_make_many_bins() {
        let grouping = Grouping::singletons(5000);
        let cut = Partition::from_labels(0..5000);
        let layout = Layout::new(&grouping, None, &[&cut]);
        assert!(layout.sizes().len() <= BINS + 1);
    }
}
