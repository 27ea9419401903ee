//! The laws of [`Ca`].

use enclust_core::{
    Bipartite, Bytes, Ca, ClusterGraph, Ctx, Embedding, Ensemble, Evidence, Grouping,
    Microclusters, Question, Real, Shape, Until,
};

use crate::first_look::FirstLook;
use crate::generate::{degenerate, planted, planted_with_missing, renumbered, shuffled};
use crate::law::{
    Subject, THREADS, dense_bytes, distance, similarity_bytes, sparse_bytes, with_threads,
    worst_pair,
};

/// Maximum difference from rounding if sums are computed in another order.
const ROUNDING: f64 = 1e-10;

/// Properties in which correct representations may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether a group of equal samples has the weight of its samples, so that grouping changes
    /// nothing; false for representations that count a group once.
    pub counts_samples: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { counts_samples: true }
    }
}

/// Runs [`conformance_with`] with the default options.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(ca: &dyn Ca<f64>) {
    conformance_with(ca, &Options::default());
}

/// Checks all laws for a representation.
///
/// Evidence is compared by pairs of samples: a similarity by its n × n matrix, a bipartite graph
/// by the weight of the paths of length two between the samples through a base cluster, a graph
/// of base clusters by the weights between the clusters of the two samples, an embedding by inner
/// products. A representation that learns for one number of clusters does so for k = 3.
///
/// - The evidence has the stated kind and is defined for all samples; a similarity is in [0, 1].
/// - Values change only by rounding if clusters are renumbered, if clusterings are reordered, or
///   if a clustering gets weight 2 instead of being included twice. Permuting the samples
///   permutes the values.
/// - Ensembles of one sample, of one clustering, and of samples that are all equal or all
///   different are supported.
/// - Weights and missing labels are supported or give
///   [`Error::Unsupported`](enclust_core::Error::Unsupported).
/// - Grouping equal samples changes nothing ([`Options::counts_samples`]).
/// - Results are bitwise equal in repeated calls and for any number of threads.
/// - The footprint stated for the shape covers the evidence.
/// - If it gives weights of base clusters, its similarity is the mean of these weights.
/// - If it iterates, each iteration has the quantities that it provides, and a stopping rule from
///   outside ends it.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance_with(ca: &dyn Ca<f64>, options: &Options) {
    let subject = Subject::new("representation", ca.name());
    for (name, ensemble) in ensembles() {
        let clusters = clusters_of(&Microclusters::of(&ensemble));
        let trial = Trial { subject: &subject, ca, case: name, clusters };
        if trial.pairs(&ensemble).is_some() {
            trial.well_formed(&ensemble);
            trial.symmetries(&ensemble);
            trial.weights(&ensemble);
            trial.repeats(&ensemble);
            trial.footprint(&ensemble);
            trial.stopping(&ensemble);
            trial.cluster_weights(&ensemble);
            if options.counts_samples {
                trial.grouping(&ensemble);
            }
        }
    }
}

/// Checks that the same representation in single and in double precision
/// differs by at most 10⁻⁴.
///
/// # Panics
///
/// If the difference is larger.
pub fn precisions_agree(single: &dyn Ca<f32>, double: &dyn Ca<f64>) {
    let subject = Subject::new("representation", double.name());
    for (name, ensemble) in ensembles() {
        let microclusters = Microclusters::of(&ensemble);
        let missing = microclusters.has_missing();
        let question = Question::clusters(clusters_of(&microclusters));
        let narrow = single.build(&microclusters, &question, &Ctx::default());
        let wide = double.build(&microclusters, &question, &Ctx::default());
        let narrow = subject.supported(missing, narrow, name).map(|r| pairwise(&r.evidence));
        let wide = subject.supported(missing, wide, name).map(|r| pairwise(&r.evidence));
        let law = "single and double precision agree to 1e-4";
        match (narrow, wide) {
            (Some(narrow), Some(wide)) => {
                let apart = distance(&narrow, &wide);
                subject.law(law, apart <= 1e-4, format!("{name}: {apart} apart"));
            }
            (narrow, wide) => subject.law(law, narrow.is_none() && wide.is_none(), name),
        }
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(40, 8, 4, 0.2, 13)));
    out.push(("many equal rows", planted(60, 4, 3, 0.1, 14)));
    out.push(("noise", planted(25, 6, 5, 1.0, 15)));
    out.push(("missing labels", planted_with_missing(30, 6, 3, 0.2, 0.2, 16)));
    out
}

/// The k for representations that learn for one k.
fn clusters_of(microclusters: &Microclusters) -> usize {
    microclusters.len().min(3)
}

struct Trial<'a> {
    subject: &'a Subject,
    ca: &'a dyn Ca<f64>,
    case: &'static str,
    clusters: usize,
}

impl Trial<'_> {
    fn cluster_weights(&self, ensemble: &Ensemble) {
        let Some(weights) = self.ca.as_cluster_weights() else { return };
        let microclusters = Microclusters::of(ensemble);
        let (weights, offsets) =
            (weights.cluster_weights(&microclusters), microclusters.cluster_offsets());
        let law = "there is one weight per base cluster";
        self.law(law, Some(&weights.len()) == offsets.last(), weights.len());
        let weight = |clustering: usize, label: u32| weights[offsets[clustering] + label as usize];
        let law = "the similarity is the mean of the weights of base clusters";
        let mean = self.subject.succeeds(law, microclusters.co_association(weight), self.case);
        let built = self.build(&microclusters, 1).expect("built before");
        let apart = built.as_similarity().map(|s| distance(s.condensed(), mean.condensed()));
        self.law(law, apart.is_some_and(|apart| apart <= ROUNDING), format!("{apart:?} apart"));
    }

    fn well_formed(&self, ensemble: &Ensemble) {
        let evidence = self.build(&Microclusters::of(ensemble), 1).expect("built before");
        let kind = self.ca.kind();
        self.law("the evidence has the stated kind", evidence.kind() == kind, kind);
        let values = pairwise(&evidence);
        let n = ensemble.samples();
        self.law("the evidence is defined for all samples", values.len() == n * n, values.len());
        let similarity = evidence.as_similarity().is_some();
        let fine = |v: &f64| if similarity { (0.0..=1.0).contains(v) } else { v.is_finite() };
        let bad = values.iter().find(|v| !fine(v));
        self.law("a similarity lies in [0, 1]", bad.is_none(), format!("{bad:?}"));
        if let Evidence::Bipartite(graph) = &evidence {
            let weights = (0..graph.weights.rows()).flat_map(|p| graph.weights.row(p).1);
            let bad = weights.copied().find(|w| !(w.is_finite() && *w >= 0.0));
            self.law("weights are finite and not negative", bad.is_none(), format!("{bad:?}"));
        }
    }

    /// A learner ends when a stopping rule from outside is met.
    fn stopping(&self, ensemble: &Ensemble) {
        let Some(provided) = self.ca.provides() else { return };
        let (look, question) = (FirstLook::at(provided), Question::clusters(self.clusters));
        let until = Until::rule(&look);
        let microclusters = Microclusters::of(ensemble);
        let built = self.ca.build_until(&microclusters, &question, until, &Ctx::default());
        let built = self.subject.succeeds("a stopping rule is accepted", built, self.case);
        look.judge(self.subject, built.report.as_ref(), self.case);
    }

    fn symmetries(&self, ensemble: &Ensemble) {
        let values = self.pairs(ensemble).expect("built before");
        let renamed = self.build(&renumbered(&Microclusters::of(ensemble), 17), 1);
        let law = "the numbers of clusters do not matter";
        self.close(law, renamed.map(|e| pairwise(&e)), &values);

        let order = shuffled(ensemble.clusterings(), 18);
        let reordered = ensemble.select(&order).expect("an order of the clusterings");
        let law = "the order of clusterings matters to rounding only";
        self.close(law, self.pairs(&reordered), &values);

        let n = ensemble.samples();
        let order = shuffled(n, 19);
        let expected: Vec<f64> = order
            .iter()
            .flat_map(|&i| order.iter().map(move |&j| i * n + j))
            .map(|at| values[at])
            .collect();
        let law = "permuting samples permutes the values";
        self.close(
            law,
            self.pairs(&ensemble.rearranged(&order).expect("a permutation")),
            &expected,
        );
    }

    fn weights(&self, ensemble: &Ensemble) {
        let m = ensemble.clusterings();
        let mut weights = vec![1.0; m];
        weights[m / 2] = 2.0;
        let weighted = ensemble.clone().with_weights(weights).expect("positive weights");
        let answer = self.answer(&Microclusters::of(&weighted), 1);
        let Some(evidence) = self.subject.supported(true, answer, self.case) else { return };
        let repeated: Vec<usize> = (0..m).chain([m / 2]).collect();
        let repeated = ensemble.select(&repeated).expect("clusterings that exist");
        let expected = self.pairs(&repeated).expect("built before");
        let law = "a clustering of weight 2 counts like two copies of it";
        self.close(law, Some(pairwise(&evidence)), &expected);
    }

    fn repeats(&self, ensemble: &Ensemble) {
        let microclusters = Microclusters::of(ensemble);
        let first = self.build(&microclusters, 1);
        for threads in THREADS {
            let same = self.build(&microclusters, threads) == first;
            self.law("the number of threads changes nothing", same, format!("{threads} threads"));
        }
    }

    fn footprint(&self, ensemble: &Ensemble) {
        let microclusters = Microclusters::of(ensemble);
        let evidence = self.build(&microclusters, 1).expect("built before");
        let made = match &evidence {
            Evidence::Similarity(s) => similarity_bytes(s),
            Evidence::Bipartite(graph) => sparse_bytes(&graph.weights),
            Evidence::ClusterGraph(g) => sparse_bytes(&g.members) + dense_bytes(&g.weights),
            Evidence::Embedding(e) => dense_bytes(&e.points),
            _ => Bytes(0),
        };
        let stated = self.ca.footprint(&Shape::of::<f64>(&microclusters));
        self.subject.covers(stated, made, self.case);
    }

    fn grouping(&self, ensemble: &Ensemble) {
        let alone = self.build(&Microclusters::singletons(ensemble), 1).map(|e| pairwise(&e));
        let expected = self.pairs(ensemble).expect("built before");
        self.close("grouping equal samples changes nothing", alone, &expected);
    }

    fn close(&self, law: &str, found: Option<Vec<f64>>, expected: &[f64]) {
        let Some(found) = found else { return self.law(law, false, "refused") };
        let (apart, pair) = worst_pair(expected.len().isqrt(), &found, expected);
        self.law(law, apart <= ROUNDING, pair);
    }

    /// The evidence for each pair of samples; `None` if labels are missing and this is not
    /// supported.
    fn pairs(&self, ensemble: &Ensemble) -> Option<Vec<f64>> {
        self.build(&Microclusters::of(ensemble), 1).map(|e| pairwise(&e))
    }

    fn build(&self, microclusters: &Microclusters, threads: usize) -> Option<Evidence<f64>> {
        let answer = self.answer(microclusters, threads);
        self.subject.supported(microclusters.has_missing(), answer, self.case)
    }

    fn answer(
        &self,
        microclusters: &Microclusters,
        threads: usize,
    ) -> enclust_core::Result<Evidence<f64>> {
        let question = Question::clusters(self.clusters);
        let built = with_threads(threads, |ctx| self.ca.build(microclusters, &question, ctx));
        Ok(built?.evidence)
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}

/// One number per pair of samples, for any kind of evidence.
fn pairwise<S: Real>(evidence: &Evidence<S>) -> Vec<f64> {
    match evidence {
        Evidence::Similarity(s) => s.to_matrix().into_iter().map(S::wide).collect(),
        Evidence::Bipartite(graph) => two_step_weights(graph),
        Evidence::ClusterGraph(graph) => weights_between_clusters(graph),
        Evidence::Embedding(e) => inner_products(e),
        _ => Vec::new(),
    }
}

/// One number per pair of samples, from one number per pair of groups.
fn for_samples(grouping: &Grouping, between: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let map = grouping.map();
    let pairs = map.iter().flat_map(|&p| map.iter().map(move |&q| (p as usize, q as usize)));
    pairs.map(|(p, q)| between(p, q)).collect()
}

/// The sum of the weights between the clusters of one sample and those of the other.
fn weights_between_clusters<S: Real>(graph: &ClusterGraph<S>) -> Vec<f64> {
    for_samples(&graph.grouping, |p, q| {
        let of = |p: usize| graph.members.iter_row(p).map(|(cluster, _)| cluster);
        of(p).flat_map(|a| of(q).map(move |b| (a, b))).map(|at| graph.weights[at].wide()).sum()
    })
}

/// Inner products of the points, which do not depend on a rotation of the axes.
fn inner_products<S: Real>(embedding: &Embedding<S>) -> Vec<f64> {
    let points = &embedding.points;
    for_samples(&embedding.grouping, |p, q| {
        (0..points.cols()).map(|j| points[(p, j)].wide() * points[(q, j)].wide()).sum()
    })
}

/// The weight of the paths from one sample through a base cluster to another: the sum over
/// clusters of w(i) w(j) divided by the total weight of the cluster. It does not depend on the
/// order of clusters, and two copies of a cluster have the same weight as one cluster of twice
/// the weight.
fn two_step_weights<S: Real>(graph: &Bipartite<S>) -> Vec<f64> {
    let mut rows = vec![vec![0.0; graph.weights.cols()]; graph.weights.rows()];
    let mut totals = vec![0.0; graph.weights.cols()];
    for (p, row) in rows.iter_mut().enumerate() {
        for (cluster, weight) in graph.weights.iter_row(p) {
            row[cluster] = weight.wide();
            totals[cluster] += weight.wide() * graph.grouping.sizes()[p] as f64;
        }
    }
    let ways = |p: usize, q: usize| -> f64 {
        let (from, to) = (&rows[p], &rows[q]);
        let meeting = (0..totals.len()).filter(|&c| from[c] != 0.0 && to[c] != 0.0);
        meeting.map(|c| from[c] * to[c] / totals[c]).sum()
    };
    for_samples(&graph.grouping, ways)
}
