//! The laws of [`Method`].

use enclust_core::{Ctx, Ensemble, Error, Method, Partition, Question};

use crate::generate::planted;
use crate::law::{Subject, THREADS, with_threads};

/// The number of clusters in the tests.
const CLUSTERS: usize = 3;

/// Checks all laws for a method.
///
/// - A partition contains all samples.
/// - A run is a fit and a cut, and cutting twice gives the same result.
/// - Results are equal in repeated calls and for any number of threads.
/// - 0 clusters, and more clusters than possible, give [`Error::ClusterCount`].
/// - A method that reads k returns [`Error::NeedsClusters`] for a question without k; a method
///   that does not read k accepts such a question.
///
/// # Panics
///
/// If a law is broken. The message names the law.
pub fn conformance(method: &dyn Method<f64>) {
    let subject = Subject::new("method", method.name());
    for (case, ensemble) in [
        ("structure", planted(40, 8, CLUSTERS, 0.2, 13)),
        ("many equal rows", planted(60, 4, CLUSTERS, 0.1, 14)),
    ] {
        let trial = Trial { subject: &subject, method, case };
        trial.answers(&ensemble);
        trial.repeats(&ensemble);
        trial.refuses(&ensemble);
    }
}

struct Trial<'a> {
    subject: &'a Subject,
    method: &'a dyn Method<f64>,
    case: &'static str,
}

impl Trial<'_> {
    fn answers(&self, ensemble: &Ensemble) {
        let partition = self.run(ensemble, 1);
        let law = "a partition contains all samples";
        self.law(law, partition.len() == ensemble.samples(), partition.len());
        let ctx = Ctx::default().with_seed(1).with_threads(1);
        let fit = self.method.fit(ensemble, &Question::clusters(CLUSTERS), &ctx);
        let fit = self.subject.succeeds("a sound ensemble is fitted", fit, self.case);
        for turn in ["first", "second"] {
            let cut = fit.cut(CLUSTERS, &ctx);
            let cut = self.subject.succeeds("a fit can be cut", cut, self.case);
            self.law("a run is a fit and a cut", cut == partition, format!("{turn} cut"));
        }
    }

    fn repeats(&self, ensemble: &Ensemble) {
        let first = self.run(ensemble, 1);
        for threads in THREADS {
            let same = self.run(ensemble, threads) == first;
            self.law("the number of threads changes nothing", same, format!("{threads} threads"));
        }
    }

    fn refuses(&self, ensemble: &Ensemble) {
        let ctx = Ctx::default().with_seed(1);
        for k in [0, ensemble.samples() + 1] {
            let answer = self.method.run(ensemble, k, &ctx);
            let refused = matches!(answer, Err(Error::ClusterCount { .. }));
            self.law("an impossible number of clusters is an error", refused, format!("k = {k}"));
        }
        let open = self.method.fit(ensemble, &Question::default(), &ctx);
        let (reads, law) = (self.method.reads_k(), "a method needs k if and only if it reads k");
        let kept = match open {
            Ok(_) => !reads,
            Err(Error::NeedsClusters { .. }) => reads,
            Err(_) => false,
        };
        self.law(law, kept, format!("reads_k() is {reads}"));
    }

    fn run(&self, ensemble: &Ensemble, threads: usize) -> Partition {
        let outcome = with_threads(threads, |ctx| self.method.run(ensemble, CLUSTERS, ctx));
        self.subject.succeeds("a sound ensemble is clustered", outcome, self.case).partition
    }

    fn law(&self, law: &str, holds: bool, detail: impl std::fmt::Display) {
        self.subject.law(law, holds, format!("{}: {detail}", self.case));
    }
}
