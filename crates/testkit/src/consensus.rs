//! The laws of [`Consensus`].

use enclust_core::{
    Consensus, Ensemble, Error, Evidence, Fitted, Kind, Microclusters, Partition, Result,
};

use crate::generate::{bipartite, cluster_graph, co_association, degenerate, embedding, planted};
use crate::law::{Subject, THREADS, with_threads};

/// Runs every law on a consensus function, with each kind of evidence it
/// accepts, down to one group and one sample.
///
/// - every k from 1 to the largest gives exactly k clusters of all samples, or those it
///   finds, if it says that it does not give exactly k;
/// - 0 and one more than the largest are [`Error::ClusterCount`], naming the
///   largest;
/// - a cut does not depend on earlier cuts, on repetition or on the number of
///   threads;
/// - there is a tree exactly where one was announced, and it cuts like the consensus
///   itself;
/// - evidence of a kind it does not accept is an error.
///
/// # Panics
/// At the first broken law, naming it.
pub fn conformance(consensus: &dyn Consensus<f64>) {
    let subject = Subject::new("consensus function", consensus.name());
    for kind in Kind::ALL {
        if consensus.accepts().contains(&kind) {
            for (name, ensemble) in ensembles() {
                let trial = Trial { subject: &subject, consensus, case: format!("{name}, {kind}") };
                trial.run(&evidence(kind, &Microclusters::of(&ensemble)));
                let trial = Trial { case: format!("{name}, {kind}, ungrouped"), ..trial };
                trial.run(&evidence(kind, &Microclusters::singletons(&ensemble)));
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

fn evidence(kind: Kind, microclusters: &Microclusters) -> Evidence<f64> {
    match kind {
        Kind::Bipartite => bipartite(microclusters).into(),
        Kind::ClusterGraph => cluster_graph(microclusters).into(),
        Kind::Embedding => embedding(microclusters).into(),
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
            let (law, holds) = match self.consensus.gives_exactly_k() {
                true => (
                    "every k up to the largest gives exactly k clusters of all samples",
                    found == (k, samples),
                ),
                false => {
                    ("every k up to the largest gives clusters of all samples", found.1 == samples)
                }
            };
            self.law(law, holds, format!("k = {k} gave (clusters, samples) {found:?}"));
        }
        self.out_of_reach(&*fitted, largest);
        self.independence(evidence, &*fitted, &cuts);
        self.tree(&*fitted, &cuts);
    }

    fn out_of_reach(&self, fitted: &dyn Fitted<f64>, largest: usize) {
        for k in [0, largest + 1] {
            let answer = cut(fitted, k, 1);
            let named = matches!(
                &answer,
                Err(Error::ClusterCount { k: asked, largest: named, .. })
                    if *asked == k && *named == largest
            );
            let law = "a k out of reach is an error that names the largest";
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
        let law = "there is a tree exactly where one was announced";
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
