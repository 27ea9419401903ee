//! Broken methods.

use std::sync::atomic::{AtomicUsize, Ordering};

use enclust_core::{
    Component, Ctx, Ensemble, Fit, Fitted, Method, Microclusters, Partition, Question, Result,
    check_k,
};
use enclust_testkit::generate::co_association;
use enclust_testkit::method;

use crate::{assert_names, complaint};

/// The first k − 1 samples alone and the rest together, with an error that depends on the variant.
#[derive(Debug)]
enum Splits {
    Soundly,
    WithoutTheLast,
    AnotherEachTime(AtomicUsize),
    ByThreads,
    IntoAnything,
    ReadingK,
}

impl Component for Splits {
    fn name(&self) -> &str {
        "splits"
    }
}

impl Method<f64> for Splits {
    fn fit(&self, ensemble: &Ensemble, _: &Question, ctx: &Ctx<'_, f64>) -> Result<Fit<f64>> {
        let similarity = co_association(&Microclusters::of(ensemble));
        let all = ensemble.samples();
        let (samples, turn) = match self {
            Splits::WithoutTheLast => (all - 1, 0),
            Splits::AnotherEachTime(turn) => (all, turn.fetch_add(1, Ordering::Relaxed)),
            Splits::ByThreads => (all, ctx.threads()),
            _ => (all, 0),
        };
        let checked = !matches!(self, Splits::IntoAnything);
        Ok(Fit::new(similarity.into(), Box::new(Split { samples, turn, checked })))
    }

    fn reads_k(&self) -> bool {
        matches!(self, Splits::ReadingK)
    }
}

struct Split {
    samples: usize,
    turn: usize,
    checked: bool,
}

impl Fitted<f64> for Split {
    fn cut(&self, k: usize, _: &Ctx<'_, f64>) -> Result<Partition> {
        if self.checked {
            check_k("splits", k, self.samples)?;
        }
        let label = |i: usize| (i + self.turn).min(k.max(1) - 1);
        Ok(Partition::from_labels((0..self.samples).map(label)))
    }

    fn largest_k(&self) -> usize {
        self.samples
    }
}

#[test]
fn broken_methods_are_caught() {
    method::conformance(&Splits::Soundly);
    for (broken, law) in [
        (Splits::WithoutTheLast, "a partition contains all samples"),
        (Splits::AnotherEachTime(AtomicUsize::new(0)), "a run is a fit and a cut"),
        (Splits::ByThreads, "the number of threads changes nothing"),
        (Splits::IntoAnything, "an impossible number of clusters is an error"),
        (Splits::ReadingK, "a method needs k if and only if it reads k"),
    ] {
        assert_names(&complaint(|| method::conformance(&broken)), law);
    }
}
