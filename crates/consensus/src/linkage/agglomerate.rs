//! Agglomeration of weighted objects, closest pair first.

use std::marker::PhantomData;

use enclust_core::condensed_index;

use super::LinkageMethod;

/// Two clusters becoming one, each named by its smallest member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Join {
    pub left: usize,
    pub right: usize,
    pub similarity: f64,
}

impl Join {
    /// Whether this join comes first when both are possible: the more similar
    /// pair, among equals the lexicographically smaller one.
    pub fn precedes(&self, other: &Join) -> bool {
        let (own, its) = ((self.left, self.right), (other.left, other.right));
        self.similarity > other.similarity || (self.similarity == other.similarity && own < its)
    }
}

/// Joins `weights.len()` objects into one, in the order in which it happens.
/// `similarities` is their condensed upper triangle.
pub(super) fn agglomerate(
    method: LinkageMethod,
    similarities: Vec<f64>,
    weights: Vec<f64>,
) -> Vec<Join> {
    match method {
        LinkageMethod::Average => Agglomeration::<Average>::new(similarities, weights).run(),
        LinkageMethod::Complete => Agglomeration::<Complete>::new(similarities, weights).run(),
        LinkageMethod::Single => Agglomeration::<Single>::new(similarities, weights).run(),
    }
}

/// How clusters inherit similarity. A *link* is what is stored for a pair of
/// clusters: something that needs no division to be updated, so that equal
/// similarities stay equal whatever the history.
trait Rule {
    /// The link of two objects that stand for so many sample pairs.
    fn link(similarity: f64, pairs: f64) -> f64;
    /// The link of an outsider to the union of two clusters it has links to.
    fn join(a: f64, b: f64) -> f64;
    /// The similarity behind a link over so many sample pairs.
    fn similarity(link: f64, pairs: f64) -> f64;
}

/// Links are sums over sample pairs.
struct Average;

impl Rule for Average {
    fn link(similarity: f64, pairs: f64) -> f64 {
        similarity * pairs
    }
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
    fn similarity(link: f64, pairs: f64) -> f64 {
        link / pairs
    }
}

/// Links are the similarity of the least similar pair.
struct Complete;

impl Rule for Complete {
    fn link(similarity: f64, _: f64) -> f64 {
        similarity
    }
    fn join(a: f64, b: f64) -> f64 {
        if a < b { a } else { b }
    }
    fn similarity(link: f64, _: f64) -> f64 {
        link
    }
}

/// Links are the similarity of the most similar pair.
struct Single;

impl Rule for Single {
    fn link(similarity: f64, _: f64) -> f64 {
        similarity
    }
    fn join(a: f64, b: f64) -> f64 {
        if a > b { a } else { b }
    }
    fn similarity(link: f64, _: f64) -> f64 {
        link
    }
}

/// The link to a slot whose cluster has been absorbed. It survives every rule
/// and loses every comparison, so loops over slots need not ask who is alive.
const DEAD: f64 = f64::NEG_INFINITY;

/// Clusters sit in slots, ordered by smallest member: a union stays in the
/// smaller slot, so the order of slots is the order of the tie rule.
struct Agglomeration<R> {
    /// Condensed upper triangle over the slots.
    links: Vec<f64>,
    /// Weight of the cluster in each slot, 0 if it is dead.
    weights: Vec<f64>,
    /// Smallest member of the cluster in each slot.
    names: Vec<usize>,
    /// Number of slots that are not dead.
    alive: usize,
    /// Largest similarity to a later slot, or a bound on it from above.
    best: Vec<f64>,
    /// First later slot with that similarity; `None` where `best` is a bound.
    partner: Vec<Option<usize>>,
    rule: PhantomData<R>,
}

impl<R: Rule> Agglomeration<R> {
    fn new(similarities: Vec<f64>, weights: Vec<f64>) -> Self {
        let n = weights.len();
        let mut new = Agglomeration {
            links: similarities,
            weights,
            names: (0..n).collect(),
            alive: n,
            best: vec![DEAD; n],
            partner: vec![None; n],
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

    fn run(mut self) -> Vec<Join> {
        let mut joins = Vec::with_capacity(self.alive.saturating_sub(1));
        while self.alive > 1 {
            let (a, b) = self.closest();
            joins.push(Join {
                left: self.names[a],
                right: self.names[b],
                similarity: self.best[a],
            });
            self.unite(a, b);
            if 4 * self.alive < 3 * self.slots() {
                self.compact();
            }
        }
        joins
    }

    fn slots(&self) -> usize {
        self.weights.len()
    }

    /// Where the links of slot i to i + 1, i + 2, … begin.
    fn row_start(&self, i: usize) -> usize {
        i * (2 * self.slots() - i - 1) / 2
    }

    /// The closest pair. A bound at the top is made exact first; if it holds,
    /// nobody else can be above it, and if it falls, the search goes on.
    fn closest(&mut self) -> (usize, usize) {
        loop {
            let a = first_largest(&self.best);
            if let Some(b) = self.partner[a] {
                return (a, b);
            }
            self.scan(a);
        }
    }

    /// Finds the best partner of slot i among the later ones.
    fn scan(&mut self, i: usize) {
        let row = self.row_start(i);
        let (own, later) = (self.weights[i], &self.weights[i + 1..]);
        let links = &self.links[row..][..later.len()];
        let (mut best, mut partner) = (DEAD, None);
        for (j, (&link, &weight)) in links.iter().zip(later).enumerate() {
            let similarity = R::similarity(link, own * weight);
            if similarity > best {
                (best, partner) = (similarity, Some(i + 1 + j));
            }
        }
        (self.best[i], self.partner[i]) = (best, partner);
    }

    /// Moves the cluster in slot b into the one in slot a < b.
    fn unite(&mut self, a: usize, b: usize) {
        let n = self.slots();
        self.weights[a] += std::mem::take(&mut self.weights[b]);
        for x in 0..a {
            let link = self.absorb(condensed_index(n, x, a), condensed_index(n, x, b));
            self.revise(x, a, b, R::similarity(link, self.weights[x] * self.weights[a]));
        }
        self.links[condensed_index(n, a, b)] = DEAD;
        for x in a + 1..b {
            self.absorb(condensed_index(n, a, x), condensed_index(n, x, b));
            // The pair (x, b) has become (a, x), which belongs to row a.
            if self.partner[x] == Some(b) {
                self.partner[x] = None;
            }
        }
        let (row_a, row_b) = (self.row_start(a) + (b - a), self.row_start(b));
        for x in 0..n - b - 1 {
            self.absorb(row_a + x, row_b + x);
        }
        (self.best[b], self.partner[b]) = (DEAD, None);
        self.alive -= 1;
        self.scan(a);
    }

    /// Joins the link at `from` to the one at `into`, leaving a dead one behind.
    fn absorb(&mut self, into: usize, from: usize) -> f64 {
        let link = R::join(self.links[into], self.links[from]);
        self.links[into] = link;
        self.links[from] = DEAD;
        link
    }

    /// Keeps row x < a true after b went into a, which x now resembles so much.
    fn revise(&mut self, x: usize, a: usize, b: usize, similarity: f64) {
        let best = self.best[x];
        match self.partner[x] {
            Some(p) if similarity > best || (similarity == best && a <= p) => {
                (self.best[x], self.partner[x]) = (similarity, Some(a));
            }
            // The best pair became less similar: what it was bounds the rest.
            Some(p) if p == a || p == b => self.partner[x] = None,
            // By rounding only.
            None if similarity > best => self.best[x] = similarity,
            _ => {}
        }
    }

    /// Closes the gaps that dead slots leave, so that work and memory traffic
    /// follow the number of clusters.
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
        self.weights = kept.iter().map(|&i| self.weights[i]).collect();
        self.names = kept.iter().map(|&i| self.names[i]).collect();
        self.best = kept.iter().map(|&i| self.best[i]).collect();
        self.partner = kept.iter().map(|&i| self.partner[i].map(|p| moved[p])).collect();
    }
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
