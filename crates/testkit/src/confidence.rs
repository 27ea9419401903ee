//! The laws of [`Confidence`].

use enclust_core::{Confidence, Confident, Csr, Ensemble, Microclusters, Shape};

use crate::generate::{co_association, degenerate, planted, planted_with_missing, shuffled};
use crate::law::{Subject, THREADS, sparse_bytes, with_threads, worst_pair};
use crate::rearrange::Rearrangement;

/// Maximum difference from rounding if sums are computed in another order.
const ROUNDING: f64 = 1e-10;

/// Properties in which correct confidence rules may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Whether a group of equal samples has the weight of its samples, so that grouping changes
    /// nothing; false for a rule that counts a group once.
    pub counts_samples: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { counts_samples: true }
    }
}

impl Options {
    /// Options for a rule that counts a group once, independent of its size.
    pub fn counting_groups() -> Self {
        Options { counts_samples: false }
    }
}

/// Runs [`conformance_with`] with the default options.
///
/// ```
/// enclust_testkit::confidence::conformance(&enclust_core::NoEnhancement);
/// ```
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(confidence: &dyn Confidence<f64>) {
    conformance_with(confidence, &Options::default());
}

/// Checks all laws for a confidence rule, including ensembles with only one group.
///
/// - The graph and the fixed entries are symmetric, have no diagonal, and have the size of the
///   similarity, as do the values within groups.
/// - The values of the graph and the fixed values are in [0, 1].
/// - Permuting the samples permutes the pairs.
/// - Grouping equal samples changes nothing ([`Options::counts_samples`]).
/// - Results are equal in repeated calls and for any number of threads.
/// - The footprint stated for the shape covers the pairs.
/// - Missing labels are supported or give [`Error::Unsupported`](enclust_core::Error::Unsupported).
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance_with(confidence: &dyn Confidence<f64>, options: &Options) {
    let subject = Subject::new("choice of confident pairs", confidence.name());
    for (name, ensemble) in ensembles() {
        for microclusters in [Microclusters::of(&ensemble), Microclusters::singletons(&ensemble)] {
            let case = format!("{name}, {} groups", microclusters.len());
            Trial { subject: &subject, confidence, case }.run(&microclusters);
        }
        let trial = Trial { subject: &subject, confidence, case: name.to_string() };
        trial.symmetries(&ensemble, options);
    }
}

fn ensembles() -> Vec<(&'static str, Ensemble)> {
    let mut out = degenerate();
    out.push(("structure", planted(50, 10, 4, 0.15, 10)));
    out.push(("many equal rows", planted(60, 4, 3, 0.1, 14)));
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
        let bad = weights.into_iter().find(|w| !(0.0..=1.0).contains(w));
        self.law("values of the graph lie in [0, 1]", bad.is_none(), format!("{bad:?}"));
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

    fn symmetries(&self, ensemble: &Ensemble, options: &Options) {
        let grouped = Microclusters::of(ensemble);
        let Some(confident) = self.select(&grouped, 1) else { return };
        let n = ensemble.samples();
        let order = shuffled(n, 21);
        let moved = Rearrangement::grouped(grouped.grouping(), &order);
        let law = "permuting samples permutes the pairs";
        let expected = Pairs::of(&grouped, &confident).rearranged(&moved);
        self.same_pairs(
            law,
            &Microclusters::of(&ensemble.rearranged(&order).expect("a permutation")),
            &expected,
        );
        if options.counts_samples {
            let law = "grouping equal samples changes nothing";
            let expected = Pairs::of(&grouped, &confident);
            self.same_pairs(law, &Microclusters::singletons(ensemble), &expected);
        }
    }

    fn same_pairs(&self, law: &str, microclusters: &Microclusters, expected: &Pairs) {
        let Some(confident) = self.select(microclusters, 1) else {
            return self.law(law, false, "refused");
        };
        let found = Pairs::of(microclusters, &confident);
        let n = microclusters.grouping().samples();
        for (what, found, expected) in [
            ("graph", &found.graph, &expected.graph),
            ("fixed entries", &found.fixed, &expected.fixed),
        ] {
            let (apart, pair) = worst_pair(n, found, expected);
            self.law(law, apart <= ROUNDING, format!("{what}, {pair}"));
        }
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

    /// The pairs; `None` if labels are missing and this is not supported.
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

/// The data of each pair of samples: the value in the graph and the value to which it is fixed,
/// or −1 if it is free.
struct Pairs {
    graph: Vec<f64>,
    fixed: Vec<f64>,
}

impl Pairs {
    const FREE: f64 = -1.0;

    fn of(microclusters: &Microclusters, confident: &Confident<f64>) -> Self {
        let map = microclusters.grouping().map();
        // The similarity that the suite uses is 1 within groups.
        let fixed_within = |p: usize| if confident.fixed_within[p] { 1.0 } else { Self::FREE };
        let of_pair = |i: usize, j: usize| match (map[i] as usize, map[j] as usize) {
            _ if i == j => (0.0, Self::FREE),
            (p, q) if p == q => (confident.within[p], fixed_within(p)),
            (p, q) => {
                let fixed = confident.fixed.get(p, q).unwrap_or(Self::FREE);
                (confident.graph.get(p, q).unwrap_or(0.0), fixed)
            }
        };
        let all = (0..map.len()).flat_map(|i| (0..map.len()).map(move |j| (i, j)));
        let (graph, fixed) = all.map(|(i, j)| of_pair(i, j)).unzip();
        Pairs { graph, fixed }
    }

    fn rearranged(&self, moved: &Rearrangement) -> Self {
        Pairs { graph: moved.matrix(&self.graph), fixed: moved.matrix(&self.fixed) }
    }
}
