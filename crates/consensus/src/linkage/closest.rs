//! The search for the closest pair of clusters.

use super::agglomerate::{Agglomeration, DEAD, NO_NAME};
use super::rules::Rule;

impl<R: Rule> Agglomeration<R> {
    /// The closest pair, the first one by name. If the largest value is a bound, it is made
    /// exact first. If the value does not change, no other value is above it; if it decreases,
    /// the search continues.
    pub(super) fn closest(&mut self) -> (usize, usize) {
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
    pub(super) fn first_by_name(&self, slots: &[usize]) -> (usize, usize) {
        let pair = |&a: &usize| (a, self.partner[a].unwrap_or(a));
        let key = |&(a, b): &(usize, usize)| {
            let (x, y) = (self.heads[a], self.name_beside(a, b));
            (x.min(y), x.max(y))
        };
        slots.iter().map(pair).min_by_key(key).unwrap_or_default()
    }

    /// The name of the cluster in slot b that would be joined with the first cluster of slot a.
    pub(super) fn name_beside(&self, a: usize, b: usize) -> usize {
        if a == b { self.crowds[a].names[1] } else { self.heads[b] }
    }

    /// Finds the best partner of slot i among the later slots and in its own crowd.
    pub(super) fn scan(&mut self, i: usize) {
        let (own, later) = (self.weights[i], &self.weights[i + 1..]);
        let links = self.links.row(i);
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

    /// Updates row x < a after its link to a has changed.
    pub(super) fn revise(&mut self, x: usize, a: usize) {
        let (best, similarity) = (self.best[x], self.between(x, a));
        match self.partner[x] {
            Some(_) if similarity > best => (self.best[x], self.partner[x]) = (similarity, Some(a)),
            Some(p) if similarity == best && self.heads[a] <= self.name_beside(x, p) => {
                self.partner[x] = Some(a);
            }
            // The best pair became less similar; its previous value is a bound for the others.
            Some(p) if p == a => self.partner[x] = None,
            Some(_) => {}
            // A similarity above the bound can only be caused by rounding.
            None => self.best[x] = best.max(similarity),
        }
    }
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
