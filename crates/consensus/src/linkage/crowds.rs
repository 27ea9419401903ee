//! The initial crowds of an agglomeration.

use std::collections::VecDeque;

use enclust_core::{Grouping, Real, Similarity};

use super::agglomerate::{Crowd, Join, Weight};
use super::units::Units;

/// Every sample is a cluster; the samples of a group form a crowd.
///
/// With counts, every row is a cluster of as many samples. Rows of a group that occur equally often
/// form a crowd; otherwise they cannot share a row of the table, and are joined before any of them
/// joins another group.
pub(super) fn samples_in_crowds<S: Real>(similarity: &Similarity<S>) -> Vec<Crowd> {
    let units = Units::of(similarity);
    let outside = strongest_outside(similarity);
    let grouping = similarity.grouping();
    let crowd = |(p, members): (usize, Vec<usize>)| {
        let weight = weight(grouping, p, &members);
        let within = units.count(similarity.within()[p]);
        // Equality is not tight, because the tie rule may join a sample outside first.
        let tight = matches!(weight, Weight::Together(_))
            || outside[p].is_none_or(|s| within > units.count(s));
        Crowd { names: VecDeque::from(members), weight, within, tight }
    };
    grouping.members().into_iter().enumerate().map(crowd).collect()
}

/// The weight of the rows of a group.
fn weight(grouping: &Grouping, group: usize, rows: &[usize]) -> Weight {
    let Some(counts) = grouping.counts() else { return Weight::Each(1.0) };
    let first = counts.of_rows()[rows[0]];
    match rows.iter().all(|&row| counts.of_rows()[row] == first) {
        true => Weight::Each(first as f64),
        false => Weight::Together(grouping.sizes()[group] as f64),
    }
}

/// The largest similarity of each group to another group, if there is one.
fn strongest_outside<S: Real>(similarity: &Similarity<S>) -> Vec<Option<S>> {
    let mut strongest = vec![None; similarity.len()];
    for p in 0..similarity.len() {
        for (q, &s) in (p + 1..).zip(similarity.row(p)) {
            for end in [p, q] {
                if strongest[end].is_none_or(|best| s > best) {
                    strongest[end] = Some(s);
                }
            }
        }
    }
    strongest
}

/// Every group is one cluster of weight 1.
pub(super) fn groups_as_samples(grouping: &Grouping) -> Vec<Crowd> {
    let crowd = |&name: &usize| Crowd {
        names: VecDeque::from([name]),
        weight: Weight::Each(1.0),
        within: 0.0,
        tight: true,
    };
    grouping.first_members().iter().map(crowd).collect()
}

/// The merges that unite the samples of each group, all at this similarity.
pub(super) fn groups_at_once(grouping: &Grouping, similarity: f64) -> Vec<Join> {
    let inside = |members: Vec<usize>| {
        let left = members[0];
        members.into_iter().skip(1).map(move |right| Join { left, right, similarity })
    };
    grouping.members().into_iter().flat_map(inside).collect()
}
