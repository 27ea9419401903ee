//! Agglomeration of crowds of clusters; the closest pair is joined first.

use std::collections::VecDeque;
use std::marker::PhantomData;

use enclust_core::{Condensed, Result};

use super::LinkageMethod;
use super::rules::{Average, Complete, Rule, Single};

/// A merge of two clusters, each identified by its smallest sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Join {
    pub left: usize,
    pub right: usize,
    pub similarity: f64,
}

/// Clusters that cannot be distinguished: all have the same weight, the same similarity to each other,
/// and the same similarity to any cluster outside the crowd.
///
/// Whatever happens to one of them also happens to the next, so all of them share one row of
/// the table.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// The smallest sample of each cluster, in ascending order.
    pub names: VecDeque<usize>,
    /// How many samples each cluster is.
    pub weight: Weight,
    /// The similarity between any two clusters of the crowd.
    pub within: f64,
    /// Whether this is larger than any similarity to a cluster outside. If so, they are merged
    /// into one cluster before any of them is joined with another one, independently of
    /// rounding.
    pub tight: bool,
}

/// The weight of the clusters of a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weight {
    /// Every cluster has this weight.
    Each(f64),
    /// All clusters together have this weight. The crowd must be tight, so that it is one cluster
    /// before any other step.
    Together(f64),
}

/// Merges the clusters of all crowds into one and returns the merges in order. `similarities`
/// are those between the crowds, which must be ordered by their smallest samples.
pub(super) fn agglomerate(
    method: LinkageMethod,
    similarities: Condensed<Vec<f64>>,
    crowds: Vec<Crowd>,
    watch: &mut dyn Watch,
) -> Result<Vec<Join>> {
    match method {
        LinkageMethod::Average => Agglomeration::<Average>::new(similarities, crowds).run(watch),
        LinkageMethod::Complete => Agglomeration::<Complete>::new(similarities, crowds).run(watch),
        LinkageMethod::Single => Agglomeration::<Single>::new(similarities, crowds).run(watch),
    }
}

/// Callbacks during the agglomeration.
pub(super) trait Watch {
    /// Returns an error if there is not enough memory for a table of this many crowds. It is
    /// called before the table grows, which happens only with ties between crowds or with
    /// single linkage.
    fn room(&mut self, crowds: usize) -> Result<()>;
    /// Reports that `done` of `all` pairs are finished; called from time to time.
    fn progress(&mut self, done: u64, all: u64) -> Result<()>;
}

/// The link to an empty slot. Every rule preserves it and it loses every comparison, so loops
/// over slots do not have to skip empty slots.
pub(super) const DEAD: f64 = f64::NEG_INFINITY;

/// The name of an empty slot; it is larger than every other name.
pub(super) const NO_NAME: usize = usize::MAX;

/// The state of the agglomeration. `slots` changes the table and `closest` searches it.
///
/// Crowds are stored in slots. While `sorted` is true, slots are ordered by the smallest
/// sample, which is the order of the tie rule.
pub(super) struct Agglomeration<R> {
    /// The link between one cluster of each of two slots.
    pub(super) links: Condensed<Vec<f64>>,
    /// Weight of each cluster in a slot, 0 if the slot is empty.
    pub(super) weights: Vec<f64>,
    /// Smallest sample in each slot, [`NO_NAME`] if it is empty.
    pub(super) heads: Vec<usize>,
    pub(super) crowds: Vec<Slot>,
    /// Number of clusters at the start.
    pub(super) clusters: usize,
    /// Number of slots that are not empty.
    pub(super) alive: usize,
    pub(super) sorted: bool,
    /// Largest similarity to a later slot or within the same slot, or an upper bound on it.
    pub(super) best: Vec<f64>,
    /// The slot with that similarity, the first one by name; `None` if `best` is a bound.
    pub(super) partner: Vec<Option<usize>>,
    pub(super) joins: Vec<Join>,
    pub(super) rule: PhantomData<R>,
}

/// The clusters of a slot.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) names: VecDeque<usize>,
    /// The link between two clusters of the crowd.
    pub(super) own: f64,
    pub(super) tight: bool,
    /// Whether the weight of the slot is already that of all clusters together.
    pub(super) weighed: bool,
}

impl<R: Rule> Agglomeration<R> {
    fn run(mut self, watch: &mut dyn Watch) -> Result<Vec<Join>> {
        const BETWEEN_REPORTS: usize = 256;
        let all = pairs(self.alive);
        for steps in 1_usize.. {
            if self.joins.len() + 1 >= self.clusters {
                break;
            }
            self.advance(watch)?;
            // The cost of a step is proportional to the number of live slots, so progress is
            // measured in pairs, not in steps.
            if steps.is_multiple_of(BETWEEN_REPORTS) {
                watch.progress(all.saturating_sub(pairs(self.alive)), all)?;
            }
        }
        Ok(self.joins)
    }

    /// Performs one step, and removes empty slots if they are more than a quarter.
    fn advance(&mut self, watch: &mut dyn Watch) -> Result<()> {
        let pair = self.closest();
        self.step(pair, watch)?;
        if 4 * self.alive < 3 * self.slots() {
            self.compact();
        }
        Ok(())
    }

    /// Joins the closest pair, a cluster of slot a and one of slot b, and performs all merges
    /// that necessarily follow.
    fn step(&mut self, (a, b): (usize, usize), watch: &mut dyn Watch) -> Result<()> {
        if let Some(torn) = [a, b].into_iter().find(|&i| self.count(i) > 1 && self.crowds[i].tight)
        {
            self.collapse(torn);
        } else if a == b && !self.ties_outside(a) {
            self.collapse(a);
        } else if a != b && self.count(a) == 1 && self.count(b) == 1 {
            self.unite(a, b);
        } else {
            let alone = a != b && !self.is_tied(a) && !self.attracts(a, b);
            let at_once = if alone { self.count(a).min(self.count(b)) } else { 1 };
            self.pair_off((a, b), at_once, watch)?;
            self.sorted = self.heads_are_sorted();
        }
        Ok(())
    }

    /// Whether a cluster outside is as similar to the clusters of a crowd as they are to each
    /// other, when this is the largest similarity.
    fn ties_outside(&self, a: usize) -> bool {
        (0..self.slots()).any(|x| x != a && self.between(a, x) == self.best[a])
    }

    /// Whether another pair of crowds is, or may be, as similar as the best pair of slot a. If the
    /// slot has only one cluster, the answer may be a false yes, which does not matter.
    fn is_tied(&self, a: usize) -> bool {
        let top = self.best[a];
        let elsewhere = (0..self.slots()).any(|i| i != a && self.best[i] == top);
        let in_row = |&j: &usize| self.between(a, j) == top;
        let within = usize::from(self.within(a) == top);
        elsewhere || within + (a + 1..self.slots()).filter(in_row).count() > 1
    }

    /// Whether the union of a cluster of slot a and one of slot b is as similar to another
    /// cluster of these slots as the two are to each other, so that it would be joined with
    /// that cluster next. This is always the case in single linkage. If one of the slots has only
    /// one cluster, the answer does not matter.
    fn attracts(&self, a: usize, b: usize) -> bool {
        let across = self.links[(a, b)];
        let weight = self.weights[a] + self.weights[b];
        [a, b].into_iter().any(|i| {
            let link = R::join(self.crowds[i].own, across);
            R::similarity(link, weight * self.weights[i]) >= self.best[a]
        })
    }

    /// Merges all clusters of a crowd into one, in the order of their names.
    fn collapse(&mut self, a: usize) {
        let similarity = self.within(a);
        let Some(left) = self.crowds[a].names.pop_front() else { return };
        let others = std::mem::replace(&mut self.crowds[a].names, VecDeque::from([left]));
        let weighed = std::mem::replace(&mut self.crowds[a].weighed, false);
        let times = if weighed { 1.0 } else { others.len() as f64 + 1.0 };
        self.joins.extend(others.into_iter().map(|right| Join { left, right, similarity }));
        self.weights[a] *= times;
        for x in (0..self.slots()).filter(|&x| x != a) {
            self.links[(a, x)] = R::repeat(self.links[(a, x)], times);
        }
        for x in 0..a {
            self.revise(x, a);
        }
        self.scan(a);
    }

    /// Merges the single clusters in slots a < b into slot a.
    fn unite(&mut self, a: usize, b: usize) {
        let (x, y) = (self.heads[a], self.heads[b]);
        let (left, right) = (x.min(y), x.max(y));
        self.joins.push(Join { left, right, similarity: self.best[a] });
        self.weights[a] += self.weights[b];
        self.crowds[a].names[0] = left;
        self.heads[a] = left;
        for x in (0..self.slots()).filter(|&x| x != a && x != b) {
            self.links[(a, x)] = R::join(self.links[(a, x)], self.links[(b, x)]);
        }
        for x in 0..a {
            self.revise(x, a);
        }
        self.clear(b);
        self.scan(a);
    }

    /// Joins `times` clusters of slot a with one cluster of slot b each, the first with the
    /// first and so on; if a and b are the same slot, joins its first two clusters.
    fn pair_off(
        &mut self,
        (a, b): (usize, usize),
        times: usize,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let links = self.links_of_union(a, b);
        let (own_a, own_b, across) = if a == b {
            [self.crowds[a].own; 3].into()
        } else {
            (self.crowds[a].own, self.crowds[b].own, self.links[(a, b)])
        };
        let own = R::join(R::join(own_a, own_b), R::join(across, across));
        let weight = self.weights[a] + self.weights[b];
        let similarity = self.best[a];
        let mut names = VecDeque::with_capacity(times);
        for _ in 0..times {
            let taken = (self.crowds[a].names.pop_front(), self.crowds[b].names.pop_front());
            let (Some(x), Some(y)) = taken else { break };
            let (left, right) = (x.min(y), x.max(y));
            self.joins.push(Join { left, right, similarity });
            names.push_back(left);
        }
        self.leave(a);
        self.leave(b);
        let slot = self.empty_slot(watch)?;
        self.settle(slot, Slot { names, own, tight: false, weighed: false }, weight, &links);
        Ok(())
    }

    /// The links between the union of a cluster of slot a and one of slot b and all other
    /// slots.
    fn links_of_union(&self, a: usize, b: usize) -> Vec<f64> {
        let link = |i: usize, x: usize| {
            if i == x { self.crowds[i].own } else { self.links[(i, x)] }
        };
        (0..self.slots()).map(|x| R::join(link(a, x), link(b, x))).collect()
    }
}

fn pairs(crowds: usize) -> u64 {
    crowds as u64 * crowds.saturating_sub(1) as u64 / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Anything;

    impl Watch for Anything {
        fn room(&mut self, _: usize) -> Result<()> {
            Ok(())
        }
        fn progress(&mut self, _: u64, _: u64) -> Result<()> {
            Ok(())
        }
    }

    /// Crowds of this size, with these similarities within and between them.
    fn table<R: Rule>(size: usize, within: &[f64], between: Vec<f64>) -> Agglomeration<R> {
        let crowd = |(p, &within): (usize, &f64)| Crowd {
            names: (p * size..(p + 1) * size).collect(),
            weight: Weight::Each(1.0),
            within,
            tight: false,
        };
        let crowds = within.iter().enumerate().map(crowd).collect();
        Agglomeration::new(Condensed::new(within.len(), between).unwrap(), crowds)
    }

    /// The number of merges in the first step.
    fn merges<R: Rule>(mut table: Agglomeration<R>) -> usize {
        table.advance(&mut Anything).unwrap();
        let heads = table.heads.iter().filter(|&&head| head != NO_NAME);
        assert_eq!(table.sorted, heads.is_sorted());
        table.joins.len()
    }

    #[test]
    fn a_crowd_that_is_closer_than_all_others_collapses_at_once() {
        let (within, between) = ([0.2, 0.9, 0.1], vec![0.3, 0.4, 0.5]);
        assert_eq!(merges(table::<Average>(5, &within, between.clone())), 4);
        assert_eq!(merges(table::<Complete>(5, &within, between.clone())), 4);
        assert_eq!(merges(table::<Single>(5, &within, between)), 4);
    }

    #[test]
    fn the_closest_crowds_pair_off_at_once_unless_a_tie_or_a_union_interferes() {
        let (within, between) = ([0.1, 0.2, 0.1, 0.1], vec![0.9, 0.3, 0.2, 0.25, 0.15, 0.5]);
        let tied = vec![0.9, 0.3, 0.2, 0.25, 0.15, 0.9];
        assert_eq!(merges(table::<Average>(5, &within, between.clone())), 5);
        assert_eq!(merges(table::<Complete>(5, &within, between.clone())), 5);
        assert_eq!(merges(table::<Single>(5, &within, between)), 1);
        assert_eq!(merges(table::<Average>(5, &within, tied.clone())), 1);
        assert_eq!(merges(table::<Complete>(5, &within, tied)), 1);
    }

    #[test]
    fn a_union_attracts_clusters_that_are_as_similar_to_each_other() {
        let across = 24.0;
        for (x, y) in (1..5).flat_map(|x| (1..5).map(move |y| (f64::from(x), f64::from(y)))) {
            for inside in (0..48).map(f64::from) {
                let mut table = table::<Average>(2, &[inside, 0.0], vec![across]);
                table.weights = vec![x, y];
                table.crowds[0].own *= x * x;
                table.links[(0, 1)] *= x * y;
                table.best[0] = across;
                let attracts = table.attracts(0, 1);
                assert_eq!(attracts, inside >= across, "weights {x} and {y}, {inside} inside");
            }
        }
    }

    #[test]
    fn empty_slots_are_removed_when_they_are_more_than_a_quarter() {
        let n = 100;
        let between = (0..n * (n - 1) / 2).map(|at| (at * 7919 % 4950) as f64).collect();
        let mut table = table::<Complete>(1, &vec![0.0; n], between);
        for alive in (1..n).rev() {
            let slots = table.slots();
            table.advance(&mut Anything).unwrap();
            assert_eq!(table.alive, alive);
            let few = 4 * (slots - alive) <= slots;
            assert_eq!(table.slots(), if few { slots } else { alive });
        }
    }
}
