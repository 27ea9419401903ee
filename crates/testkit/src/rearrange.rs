//! The same problem with the samples in another order, grouped or ungrouped.

use std::sync::Arc;

use enclust_core::{
    Bipartite, ClusterGraph, Condensed, Confident, Csr, Embedding, Evidence, Grouping, Mat,
    Similarity,
};

/// The reason why evidence can be rebuilt: it has one row per group.
const FITS: &str = "one row for each group";

/// Sample i of the new order is sample `order[i]` of the old one.
pub(crate) struct Rearrangement {
    order: Vec<usize>,
    grouping: Arc<Grouping>,
    /// The old group of each new one.
    source: Vec<usize>,
}

impl Rearrangement {
    /// The groups of the old samples, in the new order.
    pub(crate) fn grouped(old: &Grouping, order: &[usize]) -> Self {
        let mut numbers = vec![None; old.len()];
        let mut groups = 0;
        let map = order.iter().map(|&i| {
            let fresh = groups;
            let group = *numbers[old.map()[i] as usize].get_or_insert(fresh);
            groups += u32::from(group == fresh);
            group
        });
        Self::over(old, order, Grouping::from_map(map.collect()).expect("by first occurrence"))
    }

    /// Every sample in its own group.
    pub(crate) fn ungrouped(old: &Grouping, order: &[usize]) -> Self {
        Self::over(old, order, Grouping::singletons(order.len()))
    }

    fn over(old: &Grouping, order: &[usize], grouping: Grouping) -> Self {
        let first = grouping.first_members().iter();
        let source = first.map(|&i| old.map()[order[i]] as usize).collect();
        Rearrangement { order: order.to_vec(), grouping: Arc::new(grouping), source }
    }

    /// The rearranged evidence.
    pub(crate) fn evidence(&self, old: &Evidence<f64>) -> Evidence<f64> {
        let grouping = Arc::clone(&self.grouping);
        match old {
            Evidence::Similarity(s) => self.similarity(s).into(),
            Evidence::Bipartite(b) => {
                Bipartite::new(grouping, self.rows(&b.weights)).expect(FITS).into()
            }
            Evidence::ClusterGraph(g) => {
                let (members, weights) = (self.rows(&g.members), g.weights.clone());
                ClusterGraph::new(grouping, members, weights).expect(FITS).into()
            }
            Evidence::Embedding(e) => {
                let at = |p: usize, j: usize| e.points[(self.source[p], j)];
                let points = Mat::from_fn(self.source.len(), e.points.cols(), at);
                Embedding::new(grouping, points).expect(FITS).into()
            }
            Evidence::Factored(f) => f.regrouped(grouping, &self.source).expect(FITS).into(),
            other => panic!("no rule to rearrange {}", other.kind()),
        }
    }

    /// The rearranged similarity.
    pub(crate) fn similarity(&self, old: &Similarity<f64>) -> Similarity<f64> {
        let value = |p: usize, q: usize| match (self.source[p], self.source[q]) {
            (p, q) if p == q => old.within()[p],
            (p, q) => old.between(p, q),
        };
        let between = Condensed::filled(self.source.len(), |p, row: &mut [f64]| {
            row.iter_mut().enumerate().for_each(|(at, v)| *v = value(p, p + 1 + at));
        });
        let inherited = |values: &[f64]| self.source.iter().map(|&p| values[p]).collect();
        let (within, own) = (inherited(old.within()), inherited(old.own()));
        let new = Similarity::new(Arc::clone(&self.grouping), between.into_values(), within, own);
        let new = new.expect("values of a similarity");
        match old.denominator() {
            Some(denominator) => new.with_denominator(denominator).expect("the same values"),
            None => new,
        }
    }

    /// The rearranged confident pairs of a similarity. Samples of one old group that are in
    /// different new groups get the value within the old group.
    pub(crate) fn confident(
        &self,
        old: &Confident<f64>,
        similarity: &Similarity<f64>,
    ) -> Confident<f64> {
        let within = |p: usize| Some(old.within[p]).filter(|&h| h > 0.0);
        let fixed_within = |p: usize| old.fixed_within[p].then(|| similarity.within()[p]);
        let mut new = Confident::none(self.source.len());
        new.graph = self.pairs(|p, q| if p == q { within(p) } else { old.graph.get(p, q) });
        new.within = self.source.iter().map(|&p| old.within[p]).collect();
        new.fixed = self.pairs(|p, q| if p == q { fixed_within(p) } else { old.fixed.get(p, q) });
        new.fixed_within = self.source.iter().map(|&p| old.fixed_within[p]).collect();
        new
    }

    fn pairs(&self, value: impl Fn(usize, usize) -> Option<f64>) -> Csr<f64> {
        let n = self.source.len();
        let above = |p: usize| {
            let entry = |q: usize| Some((q as u32, value(self.source[p], self.source[q])?));
            (p + 1..n).filter_map(entry).collect()
        };
        Csr::symmetric_from_upper((0..n).map(above).collect())
    }

    fn rows(&self, old: &Csr<f64>) -> Csr<f64> {
        let row = |&p: &usize| old.iter_row(p).map(|(j, v)| (j as u32, v)).collect();
        Csr::from_rows(old.cols(), self.source.iter().map(row).collect())
    }

    /// A rearranged n × n matrix of the old samples.
    pub(crate) fn matrix<T: Clone>(&self, old: &[T]) -> Vec<T> {
        let n = self.order.len();
        let places = self.order.iter().flat_map(|&i| self.order.iter().map(move |&j| i * n + j));
        places.map(|at| old[at].clone()).collect()
    }

    /// Rearranged values of the old samples.
    pub(crate) fn samples<T: Clone>(&self, old: &[T]) -> Vec<T> {
        self.order.iter().map(|&i| old[i].clone()).collect()
    }
}

/// All equivalent forms: in the given order or shuffled, grouped or ungrouped.
pub(crate) fn rearrangements(old: &Grouping, seed: u64) -> Vec<(&'static str, Rearrangement)> {
    let n = old.samples();
    let (same, shuffled) = ((0..n).collect::<Vec<_>>(), crate::generate::shuffled(n, seed));
    vec![
        ("samples permuted", Rearrangement::grouped(old, &shuffled)),
        ("samples ungrouped", Rearrangement::ungrouped(old, &same)),
        ("samples permuted and ungrouped", Rearrangement::ungrouped(old, &shuffled)),
    ]
}
