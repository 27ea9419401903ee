//! The laws of [`Consensus`].

use std::sync::Arc;

use enclust_core::{
    Consensus, Ensemble, Error, Evidence, Factored, Fitted, Kind, Microclusters, Partition, Result,
    Similarity, condensed_len,
};

use crate::generate::{
    bipartite, cluster_graph, co_association, degenerate, embedding, factored, planted,
};
use crate::law::{Subject, THREADS, with_seed, with_threads};
use crate::rearrange::rearrangements;

/// Properties in which correct consensus functions may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether a group of equal samples has the weight of its samples, so that grouping changes
    /// nothing; false for a function that counts a group once.
    pub counts_samples: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { counts_samples: true }
    }
}

impl Options {
    /// Options for a function that counts a group once, independent of its size.
    pub fn counting_groups() -> Self {
        Options { counts_samples: false }
    }
}

/// Runs [`conformance_with`] with the default options.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(consensus: &dyn Consensus<f64>) {
    conformance_with(consensus, &Options::default());
}

/// Checks all laws for a consensus function, with each kind of evidence that it accepts,
/// including evidence with only one group or one sample.
///
/// - Every k from 1 to the largest gives exactly k clusters of all samples. If the function
///   states that it does not give exactly k, any number of clusters is allowed.
/// - 0 and one more than the largest k give [`Error::ClusterCount`] with the largest k.
/// - A cut does not depend on earlier cuts, on repetition or on the number of threads.
/// - Clear clusters are found for any order and any grouping of the samples.
/// - If no similarities are tied and the seed has no effect, every cut is the same after the
///   samples are permuted or ungrouped ([`Options::counts_samples`]).
/// - There is a tree if and only if the function states it, and cutting the tree gives the same
///   result as the consensus.
/// - Evidence of a kind that it does not accept is an error.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance_with(consensus: &dyn Consensus<f64>, options: &Options) {
    let subject = Subject::new("consensus function", consensus.name());
    for kind in Kind::ALL {
        if consensus.accepts().contains(&kind) {
            for (name, ensemble) in ensembles() {
                let trial = Trial { subject: &subject, consensus, case: format!("{name}, {kind}") };
                trial.run(&evidence(kind, &Microclusters::of(&ensemble)));
                let trial = Trial { case: format!("{name}, {kind}, ungrouped"), ..trial };
                trial.run(&evidence(kind, &Microclusters::singletons(&ensemble)));
            }
            for (name, ensemble, k) in ordered_ensembles() {
                let case = format!("{name}, {kind}");
                let trial = Trial { subject: &subject, consensus, case };
                trial.symmetries(&evidence(kind, &Microclusters::of(&ensemble)), k, options);
            }
        } else {
            refuses(&subject, consensus, kind);
        }
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(40, 8, 4, 0.2, 5)));
    out.push(("noise", planted(25, 6, 3, 1.0, 6)));
    out
}

/// Ensembles whose order is changed: some with a number of clear clusters, some without.
fn ordered_ensembles() -> Vec<(&'static str, Ensemble, Option<usize>)> {
    vec![
        ("clear clusters", planted(60, 12, 4, 0.05, 23), Some(4)),
        ("clear clusters of many equal rows", planted(60, 6, 3, 0.05, 24), Some(3)),
        ("structure", planted(40, 8, 4, 0.2, 5), None),
        ("many equal rows", planted(60, 4, 3, 0.1, 14), None),
        ("noise", planted(25, 6, 3, 1.0, 6), None),
        (FEW_GROUPS, few_groups_of_different_sizes(), None),
    ]
}

/// An ensemble with so few distinct rows that random starts find the best division into two
/// clusters.
const FEW_GROUPS: &str = "few groups of different sizes";

/// Six rows in a line, each differing from the next in one clustering. Without weights the best
/// division would be in the middle, but the two rows at one end represent most of the samples.
fn few_groups_of_different_sizes() -> Ensemble {
    let sizes = [20, 20, 1, 1, 1, 1];
    let row: Vec<usize> = sizes.iter().enumerate().flat_map(|(p, &r)| vec![p; r]).collect();
    let columns: Vec<Vec<bool>> = (1..6).map(|k| row.iter().map(|&p| p < k).collect()).collect();
    Ensemble::from_columns(&columns).expect("columns of equal length")
}

fn evidence(kind: Kind, microclusters: &Microclusters) -> Evidence<f64> {
    match kind {
        Kind::Bipartite => bipartite(microclusters).into(),
        Kind::ClusterGraph => cluster_graph(microclusters).into(),
        Kind::Embedding => embedding(microclusters).into(),
        Kind::Factored => factored(microclusters).into(),
        _ => co_association(microclusters).into(),
    }
}

fn refuses(subject: &Subject, consensus: &dyn Consensus<f64>, kind: Kind) {
    let evidence = evidence(kind, &Microclusters::of(&planted(12, 4, 3, 0.2, 7)));
    let answer = with_threads(1, |ctx| consensus.fit(&evidence, ctx).err());
    let law = "evidence of a kind that is not accepted is an error";
    subject.law(law, answer.is_some(), format!("{kind} was taken"));
}

struct Trial<'a> {
    subject: &'a Subject,
    consensus: &'a dyn Consensus<f64>,
    case: String,
}

impl Trial<'_> {
    fn run(&self, evidence: &Evidence<f64>) {
        let samples = evidence.grouping().samples();
        let fitted = self.fit(evidence, 1);
        let largest = fitted.largest_k();
        let law = "the largest k lies between 1 and the number of samples";
        self.law(law, (1..=samples).contains(&largest), format!("{largest} of {samples}"));
        let cuts = self.cuts(&*fitted, 1..=largest);
        for (k, cut) in (1..).zip(&cuts) {
            let found = (cut.clusters(), cut.len());
            let (law, holds) = if self.consensus.gives_exactly_k() {
                (
                    "every k up to the largest gives exactly k clusters of all samples",
                    found == (k, samples),
                )
            } else {
                ("every k up to the largest gives clusters of all samples", found.1 == samples)
            };
            self.law(law, holds, format!("k = {k} gave (clusters, samples) {found:?}"));
        }
        self.out_of_reach(&*fitted, largest);
        self.independence(evidence, &*fitted, &cuts);
        self.tree(&*fitted, &cuts);
    }

    /// `clear` is the number of clear clusters: sample i is in cluster i mod `clear`.
    fn symmetries(&self, evidence: &Evidence<f64>, clear: Option<usize>, options: &Options) {
        let law = "clear clusters are found in any order of the samples";
        let evidence = untied(evidence);
        let moved = rearrangements(evidence.grouping(), 25);
        let samples = evidence.grouping().samples();
        if let Some(k) = clear.filter(|_| self.consensus.gives_exactly_k()) {
            let truth: Vec<usize> = (0..samples).map(|i| i % k).collect();
            let found = self.cuts(&*self.fit(&evidence, 1), k..=k).remove(0);
            self.law(law, found == Partition::from_labels(&truth), "as they stand");
            for (how, moved) in &moved {
                let found = self.cuts(&*self.fit(&moved.evidence(&evidence), 1), k..=k).remove(0);
                let expected = Partition::from_labels(moved.samples(&truth));
                self.law(law, found == expected, how);
            }
        }
        let fitted = self.fit(&evidence, 1);
        let cuts = self.cuts(&*fitted, 1..=fitted.largest_k());
        let seed_matters = self.seed_matters(&*fitted, &cuts);
        let most = if self.case.starts_with(FEW_GROUPS) {
            2
        } else if seed_matters {
            return;
        } else {
            // With more clusters than groups, equal samples would have to be separated.
            evidence.grouping().len()
        };
        for (how, moved) in &moved {
            if how.contains("ungrouped") && !options.counts_samples {
                continue;
            }
            let fitted = self.fit(&moved.evidence(&evidence), 1);
            for (k, cut) in (1..=fitted.largest_k().min(most)).zip(&cuts) {
                let found = self.cuts(&*fitted, k..=k).remove(0);
                let expected = Partition::from_labels(moved.samples(cut.labels()));
                let law = "the order and the grouping of samples do not matter";
                self.law(law, found == expected, format!("k = {k}, {how}"));
            }
        }
    }

    fn seed_matters(&self, fitted: &dyn Fitted<f64>, cuts: &[Partition]) -> bool {
        let differs = |seed: u64| {
            let again = (1..=cuts.len()).map(|k| with_seed(seed, |ctx| fitted.cut(k, ctx)));
            again.zip(cuts).any(|(again, cut)| again.as_ref() != Ok(cut))
        };
        (70..75).any(differs)
    }

    fn out_of_reach(&self, fitted: &dyn Fitted<f64>, largest: usize) {
        for k in [0, largest + 1] {
            let answer = cut(fitted, k, 1);
            let named = matches!(
                &answer,
                Err(Error::ClusterCount { k: asked, largest: named, .. })
                    if *asked == k && *named == largest
            );
            let law = "a k that is not possible is an error that states the largest k";
            self.law(law, named, format!("k = {k}, largest {largest}: {answer:?}"));
        }
    }

    fn independence(&self, evidence: &Evidence<f64>, fitted: &dyn Fitted<f64>, cuts: &[Partition]) {
        let largest = cuts.len();
        let law = "a cut does not depend on earlier cuts";
        let again = self.cuts(fitted, 1..=largest);
        self.law(law, again == cuts, "the same k asked for twice");
        let mut backwards = self.cuts(&*self.fit(evidence, 1), (1..=largest).rev());
        backwards.reverse();
        self.law(law, backwards == cuts, "from the largest k down");
        let law = "the number of threads changes nothing";
        for threads in THREADS {
            let fitted = self.fit(evidence, threads);
            self.law(law, fitted.largest_k() == largest, format!("largest k, {threads} threads"));
            for (k, expected) in (1..).zip(cuts) {
                let found = cut(&*fitted, k, threads);
                self.law(
                    law,
                    found.as_ref() == Ok(expected),
                    format!("k = {k}, {threads} threads"),
                );
            }
        }
    }

    fn tree(&self, fitted: &dyn Fitted<f64>, cuts: &[Partition]) {
        let law = "there is a tree if and only if makes_tree() is true";
        let (announced, found) = (self.consensus.makes_tree(), fitted.dendrogram());
        self.law(law, announced == found.is_some(), format!("announced: {announced}"));
        let Some(tree) = found else { return };
        for (k, expected) in (1..).zip(cuts) {
            let found = tree.cut(k);
            let law = "the tree cuts like the consensus itself";
            self.law(law, found.as_ref() == Ok(expected), format!("k = {k}"));
        }
    }

    fn fit(&self, evidence: &Evidence<f64>, threads: usize) -> Box<dyn Fitted<f64>> {
        let fitted = with_threads(threads, |ctx| self.consensus.fit(evidence, ctx));
        self.subject.succeeds("accepted evidence can be fitted", fitted, &self.case)
    }

    fn cuts(&self, fitted: &dyn Fitted<f64>, ks: impl Iterator<Item = usize>) -> Vec<Partition> {
        let law = "every k up to the largest can be cut";
        ks.map(|k| self.subject.succeeds(law, cut(fitted, k, 1), format!("{}, k = {k}", self.case)))
            .collect()
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}

fn cut(fitted: &dyn Fitted<f64>, k: usize, threads: usize) -> Result<Partition> {
    with_threads(threads, |ctx| fitted.cut(k, ctx))
}

/// The evidence with different similarities for all pairs of groups. Ties are broken by the order
/// of the samples, which the test changes. Samples of one group remain the most similar.
fn untied(evidence: &Evidence<f64>) -> Evidence<f64> {
    match evidence {
        Evidence::Similarity(tied) => untied_similarity(tied).into(),
        Evidence::Factored(tied) => untied_factored(tied).into(),
        _ => evidence.clone(),
    }
}

fn untied_similarity(tied: &Similarity<f64>) -> Similarity<f64> {
    let n = tied.len();
    let pairs = condensed_len(n) as f64;
    // A golden-ratio sequence: evenly spread and without repeated values.
    let spread = |at: usize| (at as f64 * 0.618_033_988_749_894_9).fract();
    let between = tied.condensed().iter().enumerate();
    let between = between.map(|(at, v)| 0.9 * v + 0.08 * spread(at) + 1e-9 * at as f64 / pairs);
    let within = (0..n).map(|p| 0.99 + 1e-3 * spread(p)).collect();
    let grouping = Arc::clone(tied.grouping());
    let untied = Similarity::new(grouping, between.collect(), within, tied.own().to_vec());
    untied.expect("values in [0, 1]")
}

/// With more clusterings, of small and different weights, that each divide the groups at random:
/// every pair of groups then shares other clusters.
fn untied_factored(tied: &Factored) -> Factored {
    const MORE: usize = 40;
    let n = tied.len();
    let coins: Vec<Ensemble> = (0..MORE as u64).map(|k| planted(n, 1, 2, 1.0, 40 + k)).collect();
    let m = tied.clusters(0).len();
    let label = |p: usize, k: usize| match k.checked_sub(m) {
        None => tied.clusters(p)[k],
        Some(more) => coins[more].column(0)[p],
    };
    let ensemble = Ensemble::from_keys(n, m + MORE, |p, k| Some(label(p, k))).expect("labels");
    let rows = Microclusters::singletons(&ensemble);
    let mut weights = Vec::new();
    for (k, &clusters) in ensemble.clusters().iter().enumerate() {
        let spread = |c: usize| ((2 * k + c) as f64 * 0.618_033_988_749_894_9).fract();
        weights.extend((0..clusters).map(|c| if k < m { 1.0 } else { 0.001 * spread(c) }));
    }
    let untied = Factored::new(&rows, &weights).expect("complete labels");
    let own: Vec<usize> = (0..n).collect();
    untied.regrouped(Arc::clone(tied.grouping()), &own).expect("one row for each group")
}
