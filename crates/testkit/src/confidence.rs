//! The laws of [`Confidence`].

use enclust_core::{Confidence, Confident, Csr, Ensemble, Microclusters, Shape};

use crate::generate::{co_association, degenerate, planted, planted_with_missing};
use crate::law::{Subject, THREADS, sparse_bytes, with_threads};

/// Runs every law on a choice of confident pairs, down to one group.
///
/// - the graph and the fixed entries are symmetric, without diagonal, and as
///   large as the similarity; so are the values within groups;
/// - weights of the graph are finite and not negative, fixed values lie in
///   [0, 1];
/// - repetition and the number of threads change nothing;
/// - the footprint stated for the shape covers the pairs;
/// - missing labels work or are [`Error::Unsupported`](enclust_core::Error::Unsupported).
///
/// ```
/// enclust_testkit::confidence::conformance(&enclust_core::NoEnhancement);
/// ```
///
/// # Panics
/// At the first broken law, naming it.
pub fn conformance(confidence: &dyn Confidence<f64>) {
    let subject = Subject::new("choice of confident pairs", confidence.name());
    for (name, ensemble) in ensembles() {
        for microclusters in [Microclusters::of(&ensemble), Microclusters::singletons(&ensemble)] {
            let case = format!("{name}, {} groups", microclusters.len());
            Trial { subject: &subject, confidence, case }.run(&microclusters);
        }
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(50, 10, 4, 0.15, 10)));
    out.push(("noise", planted(30, 6, 3, 1.0, 11)));
    out.push(("missing labels", planted_with_missing(30, 6, 3, 0.2, 0.2, 12)));
    out
}

struct Trial<'a> {
    subject: &'a Subject,
    confidence: &'a dyn Confidence<f64>,
    case: String,
}

impl Trial<'_> {
    fn run(&self, microclusters: &Microclusters) {
        let Some(confident) = self.select(microclusters, 1) else { return };
        let n = microclusters.len();
        let sizes = confident.within.len() == n && confident.fixed_within.len() == n;
        self.law("there is one value and one flag within each group", sizes, n);
        self.symmetric("graph", &confident.graph, n);
        self.symmetric("set of fixed entries", &confident.fixed, n);
        let weights = stored(&confident.graph).into_iter().chain(confident.within.iter().copied());
        let bad = weights.into_iter().find(|w| !(w.is_finite() && *w >= 0.0));
        self.law("weights are finite and not negative", bad.is_none(), format!("{bad:?}"));
        let bad = stored(&confident.fixed).into_iter().find(|v| !(0.0..=1.0).contains(v));
        self.law("fixed values lie in [0, 1]", bad.is_none(), format!("{bad:?}"));
        for threads in THREADS {
            let same = self.select(microclusters, threads).as_ref() == Some(&confident);
            self.law("the number of threads changes nothing", same, format!("{threads} threads"));
        }
        let stated = self.confidence.footprint(&Shape::of::<f64>(microclusters));
        let made = sparse_bytes(&confident.graph) + sparse_bytes(&confident.fixed);
        self.subject.covers(stated, made, &self.case);
    }

    fn symmetric(&self, what: &str, pairs: &Csr<f64>, n: usize) {
        let square = pairs.rows() == n && pairs.cols() == n;
        self.law("pairs are between the groups of the similarity", square, what);
        for p in 0..n {
            for (q, value) in pairs.iter_row(p) {
                let fine = p != q && pairs.get(q, p) == Some(value);
                let law = "pairs are symmetric and without diagonal";
                self.law(law, fine, format!("({p}, {q}) of the {what}"));
            }
        }
    }

    /// The pairs, or nothing if the labels that are missing are not supported.
    fn select(&self, microclusters: &Microclusters, threads: usize) -> Option<Confident<f64>> {
        let similarity = co_association(microclusters);
        let answer =
            with_threads(threads, |ctx| self.confidence.select(microclusters, &similarity, ctx));
        self.subject.supported(microclusters.has_missing(), answer, &self.case)
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}

fn stored(pairs: &Csr<f64>) -> Vec<f64> {
    (0..pairs.rows()).flat_map(|p| pairs.row(p).1.to_vec()).collect()
}
