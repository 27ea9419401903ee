//! From merges of groups to merges of samples.

use enclust_core::Grouping;

use super::agglomerate::Join;

/// The joins of samples one by one: those inside the groups and those between
/// them, each time the one of the two next in line that precedes the other.
///
/// `within` is the similarity inside each group and must be larger than any to
/// another group. Then this is the sequence of the same procedure started from
/// the samples (T6 in `docs/theory.md`). The lines are merged and never sorted,
/// because single linkage does not make its joins in sorted order.
pub(super) fn interleave(grouping: &Grouping, within: &[f64], between: &[Join]) -> Vec<Join> {
    let inner = Inner::of(grouping, within);
    let mut out = Vec::with_capacity(inner.joins.len() + between.len());
    let mut done = 0;
    for &join in between {
        let outer = by_samples(grouping, join);
        // Rounded means may rise to the similarity within: a group that is
        // about to be joined has to be whole all the same.
        let needed = inner.whole_after[join.left].max(inner.whole_after[join.right]);
        while done < inner.joins.len() && (done < needed || inner.joins[done].precedes(&outer)) {
            out.push(inner.joins[done]);
            done += 1;
        }
        out.push(outer);
    }
    out.extend(&inner.joins[done..]);
    out
}

/// The joins inside the groups, all at one similarity, then those between them.
pub(super) fn one_after_the_other(grouping: &Grouping, within: f64, between: &[Join]) -> Vec<Join> {
    let mut out = Inner::of(grouping, &vec![within; grouping.len()]).joins;
    out.extend(between.iter().map(|&join| by_samples(grouping, join)));
    out
}

/// A join of groups, named by their smallest samples.
fn by_samples(grouping: &Grouping, join: Join) -> Join {
    let first = grouping.first_members();
    Join { left: first[join.left], right: first[join.right], ..join }
}

/// The joins inside the groups.
struct Inner {
    /// In the order in which they happen.
    joins: Vec<Join>,
    /// How many of them it takes until a group is whole, for each group.
    whole_after: Vec<usize>,
}

impl Inner {
    /// In a group every pair is tied, so its smallest sample takes the others
    /// one by one; groups of equal similarity follow their smallest samples.
    fn of(grouping: &Grouping, within: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..grouping.len()).collect();
        order.sort_by(|&p, &q| within[q].total_cmp(&within[p]));
        let members = grouping.members();
        let mut joins = Vec::with_capacity(grouping.samples() - grouping.len());
        let mut whole_after = vec![0; grouping.len()];
        for p in order {
            let Some((&left, others)) = members[p].split_first() else { continue };
            joins.extend(others.iter().map(|&right| Join { left, right, similarity: within[p] }));
            if !others.is_empty() {
                whole_after[p] = joins.len();
            }
        }
        Inner { joins, whole_after }
    }
}
