//! The upper part of a dendrogram.

use enclust_core::{Dendrogram, Merge};
use serde::Serialize;

/// The most leaves of a tree on a page.
const MOST_LEAVES: usize = 200;

/// The last merges of a tree. Subtrees below them are leaves.
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
    /// The tree above its 200 largest subtrees.
    ///
    /// ```
    /// use enclust_core::Dendrogram;
    /// use enclust_report::Tree;
    ///
    /// let tree = Dendrogram::from_members(3, &[(1, 2, 0.25), (0, 1, 0.5)])?;
    /// let drawn = Tree::of(&tree);
    /// assert_eq!(drawn.leaves, [1, 1, 1]);
    /// assert_eq!((drawn.merges[1].left, drawn.merges[1].right), (0, 3));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn of(tree: &Dendrogram) -> Self {
        let (n, merges) = (tree.samples(), tree.merges());
        let kept = merges.len().min(MOST_LEAVES - 1);
        // The nodes from this number on are kept as merges.
        let first = n + merges.len() - kept;
        let size = |node: usize| match node.checked_sub(n) {
            Some(merge) => merges[merge].size,
            None => tree.counts().map_or(1, |counts| counts.of_rows()[node]),
        };
        let mut leaves = Vec::with_capacity(kept + 1);
        let mut number = std::collections::HashMap::new();
        let mut open = vec![root(tree)];
        while let Some(node) = open.pop() {
            if node < first {
                number.insert(node, leaves.len());
                leaves.push(size(node));
            } else {
                let Merge { left, right, .. } = merges[node - n];
                open.extend([right, left]);
            }
        }
        let numbered = |node: usize| match node.checked_sub(first) {
            Some(kept) => leaves.len() + kept,
            None => number[&node],
        };
        let joined = |merge: &Merge| Joined {
            left: numbered(merge.left),
            right: numbered(merge.right),
            height: merge.height,
        };
        let merges = merges[merges.len() - kept..].iter().map(joined).collect();
        Tree { merges, truncated: leaves.len() < n, leaves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaves_of_a_truncated_tree_contain_all_samples() {
        let merges: Vec<(usize, usize, f64)> = (1..500).map(|i| (0, i, i as f64)).collect();
        let tree = Dendrogram::from_members(500, &merges).unwrap();
        let drawn = Tree::of(&tree);
        assert!(drawn.truncated);
        assert_eq!((drawn.leaves.len(), drawn.merges.len()), (MOST_LEAVES, MOST_LEAVES - 1));
        assert_eq!(drawn.leaves.iter().sum::<usize>(), 500);
        assert_eq!(drawn.merges.last().unwrap().height, 499.0);
        let order = leaf_order(&tree);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..500).collect::<Vec<_>>());
        // The largest leaf is the subtree of the first merges, wherever it is.
        assert_eq!(drawn.leaves.iter().max(), Some(&301));
    }

    #[test]
    fn a_tree_of_one_sample_has_one_leaf() {
        let tree = Dendrogram::from_members(1, &[]).unwrap();
        assert_eq!(leaf_order(&tree), [0]);
        assert_eq!(Tree::of(&tree).leaves, [1]);
    }
}
