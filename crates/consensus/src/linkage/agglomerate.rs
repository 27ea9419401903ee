//! Agglomeration of crowds of clusters, closest pair first.

use std::collections::VecDeque;
use std::marker::PhantomData;

use enclust_core::{Result, condensed_index, condensed_len};

use super::rules::{Average, Complete, Rule, Single};
use super::{LinkageMethod, reserve};

/// Two clusters becoming one, each named by its smallest sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Join {
    pub left: usize,
    pub right: usize,
    pub similarity: f64,
}

/// Clusters that nothing tells apart: each has the same weight, the same similarity to
/// any other of them, and the same to any outsider.
///
/// What happens to one of them happens to the next as well, so they share one row of
/// the table, however many they are.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// The smallest sample of each, ascending.
    pub names: VecDeque<usize>,
    /// The weight of each.
    pub weight: f64,
    /// The similarity of any two.
    pub within: f64,
    /// Whether that is larger than any similarity to an outsider. Then they become one
    /// cluster before one of them is joined with an outsider, whatever rounding says.
    pub tight: bool,
}

/// Joins the clusters of all crowds into one, in the order in which it happens.
/// `similarities` is the condensed upper triangle of the crowds, which must be ordered
/// by their smallest samples.
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

/// What goes on outside while clusters are joined.
pub(super) trait Watch {
    /// Is there room for a table of so many crowds? Asked before the table grows, which
    /// takes ties between crowds, or single linkage.
    fn room(&mut self, crowds: usize) -> Result<()>;
    /// So many of all pairs are done with; told from time to time.
    fn progress(&mut self, done: u64, all: u64) -> Result<()>;
}

/// The link to a slot that is empty. It survives every rule and loses every
/// comparison, so loops over slots need not ask who is alive.
const DEAD: f64 = f64::NEG_INFINITY;

/// The name of nobody; comes after every other.
const NOBODY: usize = usize::MAX;

/// Crowds sit in slots. While `sorted`, slots are ordered by the smallest sample, and
/// their order is that of the tie rule.
struct Agglomeration<R> {
    /// Condensed upper triangle over the slots: the link of one cluster of the one crowd
    /// to one of the other.
    links: Vec<f64>,
    /// Weight of each cluster in a slot, 0 if the slot is empty.
    weights: Vec<f64>,
    /// Smallest sample in each slot, [`NOBODY`] if it is empty.
    heads: Vec<usize>,
    crowds: Vec<Slot>,
    /// Number of clusters at the start.
    clusters: usize,
    /// Number of slots that are not empty.
    alive: usize,
    sorted: bool,
    /// Largest similarity to a later slot or within the own one, or a bound on it from
    /// above.
    best: Vec<f64>,
    /// The slot with that similarity, by name the first; `None` where `best` is a bound.
    partner: Vec<Option<usize>>,
    joins: Vec<Join>,
    rule: PhantomData<R>,
}

/// What only crowds of several clusters need.
#[derive(Default)]
struct Slot {
    names: VecDeque<usize>,
    /// The link of two of them.
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
            // A step costs what is alive, so pairs tell the time and steps do not.
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

    /// Where the links of slot i to i + 1, i + 2, … begin.
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

    /// The closest pair, by name the first. A bound at the top is made exact first; if
    /// it holds, nobody else can be above it, and if it falls, the search goes on.
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

    /// The first pair by name among the best of some slots.
    fn first_by_name(&self, slots: &[usize]) -> (usize, usize) {
        let pair = |&a: &usize| (a, self.partner[a].unwrap_or(a));
        let key = |&(a, b): &(usize, usize)| {
            let (x, y) = (self.heads[a], self.name_beside(a, b));
            (x.min(y), x.max(y))
        };
        slots.iter().map(pair).min_by_key(key).unwrap_or_default()
    }

    /// The name of the cluster in slot b that would be joined with the first of slot a.
    fn name_beside(&self, a: usize, b: usize) -> usize {
        if a == b { self.crowds[a].names[1] } else { self.heads[b] }
    }

    /// Finds the best partner of slot i among the later ones and its own crowd.
    fn scan(&mut self, i: usize) {
        let row = self.row_start(i);
        let (own, later) = (self.weights[i], &self.weights[i + 1..]);
        let links = &self.links[row..][..later.len()];
        let (mut best, mut partner, mut name) = (DEAD, None, NOBODY);
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

    /// Joins the closest pair: a cluster of slot a with one of slot b, and with it
    /// whatever happens at once.
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

    /// Whether an outsider is as similar to the clusters of a crowd as they are to each
    /// other, which is the most similar there is.
    fn ties_outside(&self, a: usize) -> bool {
        (0..self.slots()).any(|x| x != a && self.between(a, x) == self.best[a])
    }

    /// Whether another pair of crowds is as similar as the best of slot a, or may be.
    fn is_tied(&self, a: usize) -> bool {
        let top = self.best[a];
        let elsewhere = (0..self.slots()).any(|i| i != a && self.best[i] == top);
        let in_row = |&j: &usize| self.between(a, j) == top;
        let within = usize::from(self.count(a) > 1 && self.within(a) == top);
        elsewhere || within + (a + 1..self.slots()).filter(in_row).count() > 1
    }

    /// Whether the union of a cluster of slot a and one of slot b is as similar to
    /// another one of them as the two are to each other, so that it takes that one next.
    /// So it is in single linkage.
    fn attracts(&self, a: usize, b: usize) -> bool {
        let across = self.links[self.place_of(a, b)];
        let weight = self.weights[a] + self.weights[b];
        [a, b].into_iter().any(|i| {
            let link = R::join(self.crowds[i].own, across);
            self.count(i) > 1 && R::similarity(link, weight * self.weights[i]) >= self.best[a]
        })
    }

    /// All clusters of a crowd become one, in the order of their names.
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

    /// The single clusters in slots a < b become one, in slot a.
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

    /// Joins so many clusters of slot a each with one of slot b, the first with the
    /// first, or, if they are one slot, its first two.
    fn pair_off(
        &mut self,
        (a, b): (usize, usize),
        times: usize,
        watch: &mut dyn Watch,
    ) -> Result<()> {
        let links = self.links_of_union(a, b);
        let (own_a, own_b, across) = match a == b {
            true => [self.crowds[a].own; 3].into(),
            false => (self.crowds[a].own, self.crowds[b].own, self.links[self.place_of(a, b)]),
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

    /// The links of the union of a cluster of slot a and one of slot b to the others.
    fn links_of_union(&self, a: usize, b: usize) -> Vec<f64> {
        let link = |i: usize, x: usize| match i == x {
            true => self.crowds[i].own,
            false => self.links[self.place_of(i, x)],
        };
        (0..self.slots()).map(|x| R::join(link(a, x), link(b, x))).collect()
    }

    /// Keeps a slot true after its first clusters have left.
    fn leave(&mut self, i: usize) {
        let Some(&head) = self.crowds[i].names.front() else {
            if self.weights[i] > 0.0 {
                self.clear(i);
            }
            return;
        };
        self.heads[i] = head;
        // Whoever chose it by its name must choose again.
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
        (self.weights[i], self.heads[i]) = (0.0, NOBODY);
        self.crowds[i] = Slot::default();
        self.alive -= 1;
    }

    /// A slot with nobody in it; a larger table if there is none.
    fn empty_slot(&mut self, watch: &mut dyn Watch) -> Result<usize> {
        match self.heads.iter().position(|&head| head == NOBODY) {
            Some(slot) => Ok(slot),
            None => self.grow(watch),
        }
    }

    /// Moves to a larger table and returns the first new slot.
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
        self.heads.resize(new, NOBODY);
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

    /// Keeps row x < a true after its link to a has changed, into which b may have gone.
    fn revise(&mut self, x: usize, a: usize, b: usize) {
        let (best, similarity) = (self.best[x], self.between(x, a));
        match self.partner[x] {
            Some(_) if similarity > best => (self.best[x], self.partner[x]) = (similarity, Some(a)),
            Some(p) if similarity == best && self.heads[a] <= self.name_beside(x, p) => {
                self.partner[x] = Some(a);
            }
            // The best pair became less similar: what it was bounds the rest.
            Some(p) if p == a || p == b => self.partner[x] = None,
            // By rounding only.
            None if similarity > best => self.best[x] = similarity,
            _ => {}
        }
    }

    fn heads_are_sorted(&self) -> bool {
        self.heads.iter().filter(|&&head| head != NOBODY).is_sorted()
    }

    /// Closes the gaps that empty slots leave, so that work and memory traffic
    /// follow the number of crowds.
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

/// Position of the largest value, the first one if several are.
fn first_largest(values: &[f64]) -> usize {
    let mut at = 0;
    for (i, v) in values.iter().enumerate() {
        if *v > values[at] {
            at = i;
        }
    }
    at
}
