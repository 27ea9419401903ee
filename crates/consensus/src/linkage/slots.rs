//! The table of crowds: slots that are filled, emptied and reused.

use std::marker::PhantomData;

use enclust_core::{Condensed, Result, condensed_len};

use super::agglomerate::{Agglomeration, Crowd, DEAD, NO_NAME, Slot, Watch, Weight};
use super::reserve;
use super::rules::Rule;

impl<R: Rule> Agglomeration<R> {
    pub(super) fn new(similarities: Condensed<Vec<f64>>, crowds: Vec<Crowd>) -> Self {
        let n = crowds.len();
        let clusters: usize = crowds.iter().map(|c| c.names.len()).sum();
        let weight = |c: &Crowd| match c.weight {
            Weight::Each(weight) | Weight::Together(weight) => weight,
        };
        let weights: Vec<f64> = crowds.iter().map(weight).collect();
        let slot = |c: Crowd| Slot {
            own: R::repeat(c.within, weight(&c) * weight(&c)),
            tight: c.tight,
            weighed: matches!(c.weight, Weight::Together(_)),
            names: c.names,
        };
        let mut new = Agglomeration {
            links: weighted::<R>(similarities, &weights),
            weights,
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
            new.scan(i);
        }
        new
    }

    pub(super) fn slots(&self) -> usize {
        self.weights.len()
    }

    /// Number of clusters in a slot.
    pub(super) fn count(&self, i: usize) -> usize {
        self.crowds[i].names.len()
    }

    /// The similarity of a cluster of slot a to one of slot b.
    pub(super) fn between(&self, a: usize, b: usize) -> f64 {
        R::similarity(self.links[(a, b)], self.weights[a] * self.weights[b])
    }

    /// The similarity of two clusters of one crowd.
    pub(super) fn within(&self, i: usize) -> f64 {
        R::similarity(self.crowds[i].own, self.weights[i] * self.weights[i])
    }

    /// An empty slot; the table grows if there is none.
    pub(super) fn empty_slot(&mut self, watch: &mut dyn Watch) -> Result<usize> {
        match self.heads.iter().position(|&head| head == NO_NAME) {
            Some(slot) => Ok(slot),
            None => self.grow(watch),
        }
    }

    /// Enlarges the table and returns the first new slot.
    pub(super) fn grow(&mut self, watch: &mut dyn Watch) -> Result<usize> {
        let (old, new) = (self.slots(), self.slots() + self.slots() / 8 + 1);
        watch.room(new)?;
        let mut links = reserve("linkage", condensed_len(new))?;
        for i in 0..new {
            let row = if i < old { self.links.row(i) } else { &[] };
            links.extend_from_slice(row);
            links.resize(links.len() + (new - i - 1 - row.len()), DEAD);
        }
        self.links = Condensed::new(new, links)?;
        self.weights.resize(new, 0.0);
        self.heads.resize(new, NO_NAME);
        self.crowds.resize_with(new, Slot::default);
        self.best.resize(new, DEAD);
        self.partner.resize(new, None);
        Ok(old)
    }

    /// Puts a crowd into an empty slot.
    pub(super) fn settle(&mut self, i: usize, crowd: Slot, weight: f64, links: &[f64]) {
        self.weights[i] = weight;
        self.heads[i] = crowd.names[0];
        self.crowds[i] = crowd;
        self.alive += 1;
        for (x, &link) in links.iter().enumerate().filter(|&(x, _)| x != i) {
            if self.weights[x] > 0.0 {
                self.links[(i, x)] = link;
            }
        }
        for x in 0..i {
            self.revise(x, i);
        }
        self.scan(i);
    }

    /// Updates a slot after its first clusters were removed.
    pub(super) fn leave(&mut self, i: usize) {
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
    pub(super) fn clear(&mut self, i: usize) {
        for x in (0..self.slots()).filter(|&x| x != i) {
            self.links[(i, x)] = DEAD;
        }
        self.partner.iter_mut().filter(|p| **p == Some(i)).for_each(|p| *p = None);
        (self.best[i], self.partner[i]) = (DEAD, None);
        (self.weights[i], self.heads[i]) = (0.0, NO_NAME);
        self.crowds[i] = Slot::default();
        self.alive -= 1;
    }

    pub(super) fn heads_are_sorted(&self) -> bool {
        self.heads.iter().filter(|&&head| head != NO_NAME).is_sorted()
    }

    /// Removes empty slots, so that work and memory traffic are proportional to the number of
    /// crowds.
    pub(super) fn compact(&mut self) {
        let n = self.slots();
        let kept: Vec<usize> = (0..n).filter(|&i| self.weights[i] > 0.0).collect();
        self.links.keep(&kept);
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

/// The links between clusters of these weights, from the similarities of their samples.
fn weighted<R: Rule>(
    mut similarities: Condensed<Vec<f64>>,
    weights: &[f64],
) -> Condensed<Vec<f64>> {
    if weights.iter().any(|&weight| weight != 1.0) {
        for p in 0..weights.len() {
            for q in p + 1..weights.len() {
                let pairs = weights[p] * weights[q];
                similarities[(p, q)] = R::repeat(similarities[(p, q)], pairs);
            }
        }
    }
    similarities
}
