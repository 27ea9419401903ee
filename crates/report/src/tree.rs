//! The upper part of a dendrogram.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use enclust_core::{Dendrogram, Merge};
use serde::Serialize;

/// The most leaves of a tree on a page.
const MOST_LEAVES: usize = 200;

/// The upper part of a tree: the merges that the cuts undo, and those of the largest subtrees. The
/// subtrees below are leaves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tree {
    /// Number of samples in each leaf, from left to right.
    pub leaves: Vec<usize>,
    /// The merges, in order. Node i < leaves is leaf i, and node leaves + t the result of merge t.
    pub merges: Vec<Joined>,
    /// Whether leaves stand for subtrees.
    pub truncated: bool,
}

/// A merge of two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Joined {
    /// The node on the left.
    pub left: usize,
    /// The node on the right.
    pub right: usize,
    /// Dissimilarity at which they merge.
    pub height: f64,
    /// The smallest number of clusters into which a cut undoes this merge.
    pub undone_at: usize,
}

/// The samples of a tree (with counts, its rows) from left to right: each node has its children in
/// the order of their numbers.
pub fn leaf_order(tree: &Dendrogram) -> Vec<usize> {
    let n = tree.samples();
    let mut order = Vec::with_capacity(n);
    let mut open = vec![root(tree)];
    while let Some(node) = open.pop() {
        match node.checked_sub(n) {
            None => order.push(node),
            Some(merge) => {
                let Merge { left, right, .. } = tree.merges()[merge];
                open.extend([right, left]);
            }
        }
    }
    order
}

/// The node of all samples: the last merge, or the only sample.
fn root(tree: &Dendrogram) -> usize {
    tree.merges().len().checked_sub(1).map_or(0, |last| tree.samples() + last)
}

impl Tree {
    /// The upper part of a tree with at most 200 leaves, for cuts into at most k clusters.
    ///
    /// ```
    /// use enclust_core::Dendrogram;
    /// use enclust_report::Tree;
    ///
    /// let tree = Dendrogram::from_members(3, &[(1, 2, 0.25), (0, 1, 0.5)])?;
    /// let drawn = Tree::of(&tree, 2);
    /// assert_eq!(drawn.leaves, [1, 1, 1]);
    /// assert_eq!((drawn.merges[1].left, drawn.merges[1].right), (0, 3));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn of(tree: &Dendrogram, k: usize) -> Self {
        let n = tree.samples();
        let kept = kept(tree, k);
        let mut leaves = Vec::with_capacity(kept.len() + 1);
        let mut number: HashMap<usize, usize> = HashMap::new();
        let mut open = vec![root(tree)];
        while let Some(node) = open.pop() {
            match node.checked_sub(n).filter(|merge| kept.contains(merge)) {
                None => {
                    number.insert(node, leaves.len());
                    leaves.push(size(tree, node));
                }
                Some(merge) => {
                    let Merge { left, right, .. } = tree.merges()[merge];
                    open.extend([right, left]);
                }
            }
        }
        let mut merges = Vec::with_capacity(kept.len());
        for merge in kept {
            let Merge { left, right, height, .. } = tree.merges()[merge];
            number.insert(n + merge, leaves.len() + merges.len());
            let (left, right) = (number[&left], number[&right]);
            merges.push(Joined { left, right, height, undone_at: n - merge });
        }
        Tree { merges, truncated: leaves.len() < n, leaves }
    }
}

/// The merges that are drawn: those that cuts into k clusters undo come first, then those of the
/// largest subtrees.
fn kept(tree: &Dendrogram, k: usize) -> BTreeSet<usize> {
    let n = tree.samples();
    let rank = |node: usize| {
        let merge = node.checked_sub(n)?;
        Some((n - merge <= k, size(tree, node), merge))
    };
    let mut kept = BTreeSet::new();
    let mut open: BinaryHeap<_> = rank(root(tree)).into_iter().collect();
    while let Some((_, _, merge)) = open.pop().filter(|_| kept.len() + 1 < MOST_LEAVES) {
        kept.insert(merge);
        let Merge { left, right, .. } = tree.merges()[merge];
        open.extend([left, right].into_iter().filter_map(rank));
    }
    kept
}

/// The number of samples of a node.
fn size(tree: &Dendrogram, node: usize) -> usize {
    match node.checked_sub(tree.samples()) {
        Some(merge) => tree.merges()[merge].size,
        None => tree.counts().map_or(1, |counts| counts.of_rows()[node]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaves_of_a_truncated_tree_contain_all_samples() {
        let merges: Vec<(usize, usize, f64)> = (1..500).map(|i| (0, i, i as f64)).collect();
        let tree = Dendrogram::from_members(500, &merges).unwrap();
        let drawn = Tree::of(&tree, 3);
        assert!(drawn.truncated);
        assert_eq!((drawn.leaves.len(), drawn.merges.len()), (MOST_LEAVES, MOST_LEAVES - 1));
        assert_eq!(drawn.leaves.iter().sum::<usize>(), 500);
        let last = drawn.merges.last().unwrap();
        assert_eq!((last.height, last.undone_at), (499.0, 2));
        let order = leaf_order(&tree);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..500).collect::<Vec<_>>());
        // The largest leaf is the subtree of the first merges, wherever it is.
        assert_eq!(drawn.leaves.iter().max(), Some(&301));
    }

    #[test]
    fn merges_of_cuts_are_kept_before_those_of_large_subtrees() {
        // 300 pairs are joined one after the other; the two samples of the last merges are small.
        let mut merges: Vec<(usize, usize, f64)> =
            (1..599).map(|i| (0, i, i as f64 / 1000.0)).collect();
        merges.extend([(599, 600, 0.7), (0, 599, 0.9)]);
        let tree = Dendrogram::from_members(601, &merges).unwrap();
        let kept_for = |k| Tree::of(&tree, k).merges.iter().any(|m| m.height == 0.7);
        assert!(kept_for(3) && !kept_for(2));
    }

    #[test]
    fn a_tree_of_one_sample_has_one_leaf() {
        let tree = Dendrogram::from_members(1, &[]).unwrap();
        assert_eq!(leaf_order(&tree), [0]);
        assert_eq!(Tree::of(&tree, 1).leaves, [1]);
    }
}
