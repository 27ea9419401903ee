//! Agglomeration of crowds of clusters; the closest pair is joined first.

use std::collections::VecDeque;
use std::marker::PhantomData;

use enclust_core::{Result, condensed_index, condensed_len};

use super::rules::{Average, Complete, Rule, Single};
use super::{LinkageMethod, reserve};

/// A merge of two clusters, each identified by its smallest sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Join {
    pub left: usize,
    pub right: usize,
    pub similarity: f64,
}

/// Clusters that cannot be distinguished: all have the same weight, the same similarity to each
/// other, and the same similarity to any cluster outside the crowd.
///
/// Whatever happens to one of them also happens to the next, so all of them share one row of
/// the table.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// The smallest sample of each cluster, in ascending order.
    pub names: VecDeque<usize>,
    /// The weight of each cluster.
    pub weight: f64,
    /// The similarity between any two clusters of the crowd.
    pub within: f64,
    /// Whether this is larger than any similarity to a cluster outside. If so, they are merged
    /// into one cluster before any of them is joined with another one, independently of
    /// rounding.
    pub tight: bool,
}

/// Merges the clusters of all crowds into one and returns the merges in order. `similarities`
/// is the condensed upper triangle over the crowds, which must be ordered by their smallest
/// samples.
pub(super) fn agglomerate(
    method: LinkageMethod,
    similarities: Vec<f64>,
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
const DEAD: f64 = f64::NEG_INFINITY;

/// The name of an empty slot; it is larger than every other name.
const NO_NAME: usize = usize::MAX;

/// Crowds are stored in slots. While `sorted` is true, slots are ordered by the smallest
/// sample, which is the order of the tie rule.
struct Agglomeration<R> {
    /// Condensed upper triangle over the slots: the link between one cluster of each crowd.
    links: Vec<f64>,
    /// Weight of each cluster in a slot, 0 if the slot is empty.
    weights: Vec<f64>,
    /// Smallest sample in each slot, [`NO_NAME`] if it is empty.
    heads: Vec<usize>,
    crowds: Vec<Slot>,
    /// Number of clusters at the start.
    clusters: usize,
    /// Number of slots that are not empty.
    alive: usize,
    sorted: bool,
    /// Largest similarity to a later slot or within the same slot, or an upper bound on it.
    best: Vec<f64>,
    /// The slot with that similarity, the first one by name; `None` if `best` is a bound.
    partner: Vec<Option<usize>>,
    joins: Vec<Join>,
    rule: PhantomData<R>,
}

/// Data that is needed only for crowds of several clusters.
#[derive(Default)]
struct Slot {
    names: VecDeque<usize>,
    /// The link between two clusters of the crowd.
    own: f64,
    tight: bool,
}

impl<R: Rule> Agglomeration<R> {
    fn new(similarities: Vec<f64>, crowds: Vec<Crowd>) -> Self {
        let n = crowds.len();
        let clusters: usize = crowds.iter().map(|c| c.names.len()).sum();
        let slot = |c: Crowd| {
            let own = R::link(c.within, c.weight * c.weight);
            Slot { own, tight: c.tight, names: c.names }
        };
        let mut new = Agglomeration {
            links: similarities,
            weights: crowds.iter().map(|c| c.weight).collect(),
            heads: crowds.iter().map(|c| c.names[0]).collect(),
            crowds: crowds.into_iter().map(slot).collect(),
            clusters,
            alive: n,
            sorted: true,
            best: vec![DEAD; n],
            partner: vec![None; n],
            joins: Vec::with_capacity(clusters.saturating_sub(1)),
            rule: PhantomData,
        };
        for i in 0..n {
            let row = new.row_start(i);
            for (link, weight) in new.links[row..].iter_mut().zip(&new.weights[i + 1..]) {
                *link = R::link(*link, new.weights[i] * weight);
            }
            new.scan(i);
        }
        new
    }

    fn run(mut self, watch: &mut dyn Watch) -> Result<Vec<Join>> {
        const BETWEEN_REPORTS: usize = 256;
        let all = pairs(self.alive);
        for steps in 1_usize.. {
            if self.joins.len() + 1 >= self.clusters {
                break;
            }
            let (a, b) = self.closest();
            self.step((a, b), watch)?;
            if 4 * self.alive < 3 * self.slots() {
                self.compact();
            }
            // The cost of a step is proportional to the number of live slots, so progress is
            // measured in pairs, not in steps.
            if steps.is_multiple_of(BETWEEN_REPORTS) {
                watch.progress(all.saturating_sub(pairs(self.alive)), all)?;
            }
        }
        Ok(self.joins)
    }

    fn slots(&self) -> usize {
        self.weights.len()
    }

    /// Number of clusters in a slot.
    fn count(&self, i: usize) -> usize {
        self.crowds[i].names.len()
    }

    /// The index of the first link of slot i to i + 1, i + 2, ….
    fn row_start(&self, i: usize) -> usize {
        i * (2 * self.slots() - i - 1) / 2
    }

    fn place_of(&self, a: usize, b: usize) -> usize {
        condensed_index(self.slots(), a.min(b), a.max(b))
    }

    /// The similarity of a cluster of slot a to one of slot b.
    fn between(&self, a: usize, b: usize) -> f64 {
        R::similarity(self.links[self.place_of(a, b)], self.weights[a] * self.weights[b])
    }

    /// The similarity of two clusters of one crowd.
    fn within(&self, i: usize) -> f64 {
        R::similarity(self.crowds[i].own, self.weights[i] * self.weights[i])
    }

    /// The closest pair, the first one by name. If the largest value is a bound, it is made
    /// exact first. If the value does not change, no other value is above it; if it decreases,
    /// the search continues.
    fn closest(&mut self) -> (usize, usize) {
        loop {
            let first = first_largest(&self.best);
            let Some(b) = self.partner[first] else {
                self.scan(first);
                continue;
            };
            if self.sorted {
                return (first, b);
            }
            let top = self.best[first];
            let tied: Vec<usize> = (first..self.slots()).filter(|&i| self.best[i] == top).collect();
            match tied.iter().find(|&&i| self.partner[i].is_none()) {
                Some(&bound) => self.scan(bound),
                None => return self.first_by_name(&tied),
            }
        }
    }

    /// The first pair by name among the best pairs of these slots.
    fn first_by_name(&self, slots: &[usize]) -> (usize, usize) {
        let pair = |&a: &usize| (a, self.partner[a].unwrap_or(a));
        let key = |&(a, b): &(usize, usize)| {
            let (x, y) = (self.heads[a], self.name_beside(a, b));
            (x.min(y), x.max(y))
        };
        slots.iter().map(pair).min_by_key(key).unwrap_or_default()
    }

    /// The name of the cluster in slot b that would be joined with the first cluster of slot a.
    fn name_beside(&self, a: usize, b: usize) -> usize {
        if a == b { self.crowds[a].names[1] } else { self.heads[b] }
    }

    /// Finds the best partner of slot i among the later slots and in its own crowd.
    fn scan(&mut self, i: usize) {
        let row = self.row_start(i);
        let (own, later) = (self.weights[i], &self.weights[i + 1..]);
        let links = &self.links[row..][..later.len()];
        let (mut best, mut partner, mut name) = (DEAD, None, NO_NAME);
        for (j, (&link, &weight)) in links.iter().zip(later).enumerate() {
            let similarity = R::similarity(link, own * weight);
            if similarity > best || (similarity == best && self.heads[i + 1 + j] < name) {
                (best, partner, name) = (similarity, Some(i + 1 + j), self.heads[i + 1 + j]);
            }
        }
        if self.count(i) > 1 {
            let within = self.within(i);
            if within > best || (within == best && self.crowds[i].names[1] < name) {
                (best, partner) = (within, Some(i));
            }
        }
        (self.best[i], self.partner[i]) = (best, partner);
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

    /// Whether another pair of crowds is, or may be, as similar as the best pair of slot a.
    fn is_tied(&self, a: usize) -> bool {
        let top = self.best[a];
        let elsewhere = (0..self.slots()).any(|i| i != a && self.best[i] == top);
        let in_row = |&j: &usize| self.between(a, j) == top;
        let within = usize::from(self.count(a) > 1 && self.within(a) == top);
        elsewhere || within + (a + 1..self.slots()).filter(in_row).count() > 1
    }

    /// Whether the union of a cluster of slot a and one of slot b is as similar to another
    /// cluster of these slots as the two are to each other, so that it would be joined with
    /// that cluster next. This is always the case in single linkage.
    fn attracts(&self, a: usize, b: usize) -> bool {
        let across = self.links[self.place_of(a, b)];
        let weight = self.weights[a] + self.weights[b];
        [a, b].into_iter().any(|i| {
            let link = R::join(self.crowds[i].own, across);
            self.count(i) > 1 && R::similarity(link, weight * self.weights[i]) >= self.best[a]
        })
    }

    /// Merges all clusters of a crowd into one, in the order of their names.
    fn collapse(&mut self, a: usize) {
        let similarity = self.within(a);
        let Some(left) = self.crowds[a].names.pop_front() else { return };
        let others = std::mem::replace(&mut self.crowds[a].names, VecDeque::from([left]));
        let times = others.len() as f64 + 1.0;
        self.joins.extend(others.into_iter().map(|right| Join { left, right, similarity }));
        self.weights[a] *= times;
        for x in (0..self.slots()).filter(|&x| x != a) {
            let place = self.place_of(a, x);
            self.links[place] = R::repeat(self.links[place], times);
        }
        for x in 0..a {
            self.revise(x, a, a);
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
            let (into, from) = (self.place_of(a, x), self.place_of(b, x));
            self.links[into] = R::join(self.links[into], self.links[from]);
        }
        for x in 0..a {
            self.revise(x, a, b);
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
            (self.crowds[a].own, self.crowds[b].own, self.links[self.place_of(a, b)])
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
        self.settle(slot, Slot { names, own, tight: false }, weight, &links);
        Ok(())
    }

    /// The links between the union of a cluster of slot a and one of slot b and all other
    /// slots.
    fn links_of_union(&self, a: usize, b: usize) -> Vec<f64> {
        let link = |i: usize, x: usize| {
            if i == x { self.crowds[i].own } else { self.links[self.place_of(i, x)] }
        };
        (0..self.slots()).map(|x| R::join(link(a, x), link(b, x))).collect()
    }

    /// Updates a slot after its first clusters were removed.
    fn leave(&mut self, i: usize) {
        let Some(&head) = self.crowds[i].names.front() else {
            if self.weights[i] > 0.0 {
                self.clear(i);
            }
            return;
        };
        self.heads[i] = head;
        // Slots that selected it as partner by its name must search again.
        self.partner.iter_mut().filter(|p| **p == Some(i)).for_each(|p| *p = None);
    }

    /// Empties a slot.
    fn clear(&mut self, i: usize) {
        for x in (0..self.slots()).filter(|&x| x != i) {
            let place = self.place_of(i, x);
            self.links[place] = DEAD;
        }
        self.partner.iter_mut().filter(|p| **p == Some(i)).for_each(|p| *p = None);
        (self.best[i], self.partner[i]) = (DEAD, None);
        (self.weights[i], self.heads[i]) = (0.0, NO_NAME);
        self.crowds[i] = Slot::default();
        self.alive -= 1;
    }

    /// An empty slot; the table grows if there is none.
    fn empty_slot(&mut self, watch: &mut dyn Watch) -> Result<usize> {
        match self.heads.iter().position(|&head| head == NO_NAME) {
            Some(slot) => Ok(slot),
            None => self.grow(watch),
        }
    }

    /// Enlarges the table and returns the first new slot.
    fn grow(&mut self, watch: &mut dyn Watch) -> Result<usize> {
        let (old, new) = (self.slots(), self.slots() + self.slots() / 8 + 1);
        watch.room(new)?;
        let mut links = reserve("linkage", condensed_len(new))?;
        for i in 0..new {
            let row = if i < old { &self.links[self.row_start(i)..][..old - i - 1] } else { &[] };
            links.extend_from_slice(row);
            links.resize(links.len() + (new - i - 1 - row.len()), DEAD);
        }
        self.links = links;
        self.weights.resize(new, 0.0);
        self.heads.resize(new, NO_NAME);
        self.crowds.resize_with(new, Slot::default);
        self.best.resize(new, DEAD);
        self.partner.resize(new, None);
        Ok(old)
    }

    /// Puts a crowd into an empty slot.
    fn settle(&mut self, i: usize, crowd: Slot, weight: f64, links: &[f64]) {
        self.weights[i] = weight;
        self.heads[i] = crowd.names[0];
        self.crowds[i] = crowd;
        self.alive += 1;
        for (x, &link) in links.iter().enumerate().filter(|&(x, _)| x != i) {
            if self.weights[x] > 0.0 {
                let place = self.place_of(i, x);
                self.links[place] = link;
            }
        }
        for x in 0..i {
            self.revise(x, i, i);
        }
        self.scan(i);
    }

    /// Updates row x < a after its link to a has changed because b may have been merged into a.
    fn revise(&mut self, x: usize, a: usize, b: usize) {
        let (best, similarity) = (self.best[x], self.between(x, a));
        match self.partner[x] {
            Some(_) if similarity > best => (self.best[x], self.partner[x]) = (similarity, Some(a)),
            Some(p) if similarity == best && self.heads[a] <= self.name_beside(x, p) => {
                self.partner[x] = Some(a);
            }
            // The best pair became less similar; its previous value is a bound for the others.
            Some(p) if p == a || p == b => self.partner[x] = None,
            // This can happen only because of rounding.
            None if similarity > best => self.best[x] = similarity,
            _ => {}
        }
    }

    fn heads_are_sorted(&self) -> bool {
        self.heads.iter().filter(|&&head| head != NO_NAME).is_sorted()
    }

    /// Removes empty slots, so that work and memory traffic are proportional to the number of
    /// crowds.
    fn compact(&mut self) {
        let n = self.slots();
        let kept: Vec<usize> = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
        let mut to = 0;
        for (k, &i) in kept.iter().enumerate() {
            for &j in &kept[k + 1..] {
                self.links[to] = self.links[condensed_index(n, i, j)];
                to += 1;
            }
        }
        self.links.truncate(to);
        let mut moved = vec![0; n];
        for (k, &i) in kept.iter().enumerate() {
            moved[i] = k;
        }
        self.crowds = kept.iter().map(|&i| std::mem::take(&mut self.crowds[i])).collect();
        self.weights = kept.iter().map(|&i| self.weights[i]).collect();
        self.heads = kept.iter().map(|&i| self.heads[i]).collect();
        self.best = kept.iter().map(|&i| self.best[i]).collect();
        self.partner = kept.iter().map(|&i| self.partner[i].map(|p| moved[p])).collect();
    }
}

fn pairs(crowds: usize) -> u64 {
    crowds as u64 * crowds.saturating_sub(1) as u64 / 2
}

/// Index of the largest value; the first one if there are several.
fn first_largest(values: &[f64]) -> usize {
    let mut at = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[at] {
            at = i;
        }
    }
    at
}
