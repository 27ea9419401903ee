//! The gap in the dendrogram, and the rule based on it.
//!
//! # Problem
//!
//! The gap at k is the height of the merge to k − 1 clusters minus the height of the merge to k
//! clusters (0 if k is the number of samples): the range of heights in which the tree of the
//! whole ensemble has exactly k clusters.
//!
//! The rule selects the k with the largest gap, and the largest k among equal gaps.
//! # Limitations
//!
//! The rule uses one tree and no draws, so it cannot detect a gap that another ensemble would
//! not have. If similarities between clusters are close to 0, as with LWCA, the gaps at small k
//! are small. Consensus functions without a tree have no gap.

use enclust_core::{Dendrogram, Error, Result};

use crate::choose::{Pick, largest_near_best};
use crate::stability::{Level, Stability};

/// The gap of a tree at k, for 2 ≤ k ≤ the number of samples.
pub(crate) fn gap(tree: &Dendrogram, k: usize) -> f64 {
    let merges = tree.merges();
    let next = tree.samples() - k;
    let before = next.checked_sub(1).map_or(0.0, |last| merges[last].height);
    merges[next].height - before
}

pub(crate) fn pick<'a>(stability: &Stability, levels: &[&'a Level]) -> Result<Pick<'a>> {
    longest_lasting(levels).ok_or_else(|| {
        Error::unsupported(&stability.method, "the rule \"gap\": it has no dendrogram")
    })
}

/// The level with the largest gap; `None` without gaps.
pub(crate) fn longest_lasting<'a>(levels: &[&'a Level]) -> Option<Pick<'a>> {
    let known: Vec<&Level> = levels.iter().copied().filter(|level| level.gap.is_some()).collect();
    if known.is_empty() {
        return None;
    }
    let height = |level: &Level| level.gap.unwrap_or(f64::NEG_INFINITY);
    let level = largest_near_best(&known, height, 0.0);
    Some(Pick { level, reason: format!("the largest gap in the dendrogram, {:.3}", height(level)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_lies_between_the_merge_that_made_k_and_the_next() {
        let tree =
            Dendrogram::from_members(4, &[(0, 1, 0.125), (2, 3, 0.25), (0, 2, 0.75)]).unwrap();
        assert_eq!([2, 3, 4].map(|k| gap(&tree, k)), [0.5, 0.125, 0.125]);
    }
}
