//! Notifications to an observer of a pipeline, and clustering of a similarity without base
//! clusterings.

use std::ops::ControlFlow;
use std::sync::Mutex;

use enclust_ca::{Eac, Lwca};
use enclust_consensus::{Linkage, Spectral};
use enclust_core::{
    Consensus, Ctx, Ensemble, Error, Event, Fit, Method, NoEnhancement, Observer, Pipeline,
    Precomputed, Question, Stage,
};
use enclust_enhance::{Exact, Threshold};
use enclust_testkit::generate::planted;

fn ensemble() -> Ensemble {
    planted(400, 10, 4, 0.3, 3)
}

#[derive(Default)]
struct Heard {
    stages: Vec<Stage>,
    progress: Vec<(u64, u64)>,
    iterations: usize,
}

#[derive(Default)]
struct Ear(Mutex<Heard>);

impl Ear {
    fn heard(self) -> Heard {
        self.0.into_inner().unwrap()
    }
}

impl Observer for Ear {
    fn notice(&self, event: &Event<'_>) -> ControlFlow<()> {
        let mut heard = self.0.lock().unwrap();
        match event {
            Event::Stage(stage) => heard.stages.push(*stage),
            Event::Progress { done, total } => heard.progress.push((*done, *total)),
            Event::Iteration { .. } => heard.iterations += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn an_observer_hears_of_every_stage_and_of_the_progress_of_linkage() {
    let ear = Ear::default();
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Exact::default(), Linkage::average())
            .unwrap();
    let fit =
        method.fit(&ensemble(), &Question::default(), &Ctx::default().with_observer(&ear)).unwrap();
    let ear = ear.heard();
    let stages = [Stage::Microclusters, Stage::Ca, Stage::Confidence, Stage::Enhance];
    assert_eq!(ear.stages[..4], stages);
    assert_eq!(ear.stages[4..], [Stage::Consensus]);
    assert_eq!(ear.iterations, fit.report.iterations);
    assert!(!ear.progress.is_empty());
    assert!(ear.progress.iter().all(|(done, total)| done <= total));
    assert!(ear.progress.is_sorted());

    let ear = Ear::default();
    let plain = method.with_enhance(NoEnhancement).unwrap();
    plain.fit(&ensemble(), &Question::default(), &Ctx::default().with_observer(&ear)).unwrap();
    let ear = ear.heard();
    assert_eq!(ear.stages, [Stage::Microclusters, Stage::Ca, Stage::Consensus]);
    assert_eq!(ear.iterations, 0);
}

#[test]
fn a_similarity_alone_is_clustered_as_in_a_pipeline() {
    let ensemble = ensemble();
    let ctx = Ctx::default();
    let built = Pipeline::plain(Eac, Linkage::average())
        .unwrap()
        .fit(&ensemble, &Question::default(), &ctx)
        .unwrap();
    let similarity = built.evidence.as_similarity().unwrap();
    let finishers: [Box<dyn Consensus<f64>>; 2] =
        [Box::new(Linkage::complete()), Box::new(Spectral::default())];
    for finisher in finishers {
        let alone = Fit::of_similarity(similarity.clone(), &*finisher, &ctx).unwrap();
        let beside = Pipeline::plain(Precomputed::new(similarity.clone()), &finisher).unwrap();
        let beside = beside.fit(&ensemble, &Question::default(), &ctx).unwrap();
        for k in 1..6 {
            assert_eq!(alone.cut(k, &ctx), beside.cut(k, &ctx), "{}", finisher.name());
        }
        assert_eq!(alone.dendrogram().is_some(), finisher.makes_tree());
        let little = Ctx::default().with_memory(1000);
        let refused = Fit::of_similarity(similarity.clone(), &*finisher, &little).err();
        assert!(matches!(refused, Some(Error::Memory { .. })), "{refused:?}");
    }
}

#[test]
fn rows_of_the_matrix_over_the_samples_are_those_of_the_matrix() {
    let ctx = Ctx::default();
    let fit = Pipeline::plain(Eac, Linkage::average())
        .unwrap()
        .fit(&ensemble(), &Question::default(), &ctx)
        .unwrap();
    let similarity = fit.evidence.as_similarity().unwrap();
    assert!(similarity.len() < 400, "samples share groups");
    let rows: Vec<f64> = (0..400).flat_map(|i| similarity.sample_row(i)).collect();
    assert_eq!(rows, similarity.to_matrix());
    let (i, j) = (7, 311);
    assert_eq!(rows[i * 400 + j], rows[j * 400 + i]);
}
