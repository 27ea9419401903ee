//! What an observer hears of a pipeline, and clustering without clusterings.

use std::ops::ControlFlow;

use enclust_ca::{Eac, Lwca};
use enclust_consensus::{Linkage, Spectral};
use enclust_core::{
    Consensus, Ctx, Ensemble, Error, Fit, Method, NoEnhancement, Observer, Pipeline, Precomputed,
    Record,
};
use enclust_enhance::{Exact, Threshold};
use enclust_testkit::generate::planted;

fn ensemble() -> Ensemble {
    planted(400, 10, 4, 0.3, 3)
}

#[derive(Default)]
struct Ear {
    stages: Vec<&'static str>,
    progress: Vec<(u64, u64)>,
    iterations: usize,
}

impl Observer for Ear {
    fn on_stage(&mut self, stage: &'static str) {
        self.stages.push(stage);
    }

    fn on_progress(&mut self, done: u64, total: u64) {
        self.progress.push((done, total));
    }

    fn on_iteration(&mut self, _: &Record) -> ControlFlow<()> {
        self.iterations += 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn an_observer_hears_of_every_stage_and_of_the_progress_of_linkage() {
    let mut ear = Ear::default();
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Exact::default(), Linkage::average())
            .unwrap();
    let fit = method.fit(&ensemble(), &mut Ctx::default().with_observer(&mut ear)).unwrap();
    assert_eq!(ear.stages, ["represent", "confidence", "enhance", "consensus"]);
    assert_eq!(ear.iterations, fit.report.iterations);
    assert!(!ear.progress.is_empty());
    assert!(ear.progress.iter().all(|(done, total)| done <= total));
    assert!(ear.progress.is_sorted());

    let mut ear = Ear::default();
    let plain = method.with_enhancer(NoEnhancement).unwrap();
    plain.fit(&ensemble(), &mut Ctx::default().with_observer(&mut ear)).unwrap();
    assert_eq!((ear.stages, ear.iterations), (vec!["represent", "consensus"], 0));
}

#[test]
fn a_similarity_alone_is_clustered_as_in_a_pipeline() {
    let ensemble = ensemble();
    let mut ctx = Ctx::default();
    let built = Pipeline::plain(Eac, Linkage::average()).unwrap().fit(&ensemble, &mut ctx).unwrap();
    let similarity = built.evidence.as_similarity().unwrap();
    let finishers: [Box<dyn Consensus<f64>>; 2] =
        [Box::new(Linkage::complete()), Box::new(Spectral::default())];
    for finisher in finishers {
        let alone = Fit::of_similarity(similarity.clone(), &*finisher, &mut ctx).unwrap();
        let beside = Pipeline::plain(Precomputed::new(similarity.clone()), &finisher).unwrap();
        let beside = beside.fit(&ensemble, &mut ctx).unwrap();
        for k in 1..6 {
            assert_eq!(alone.cut(k, &mut ctx), beside.cut(k, &mut ctx), "{}", finisher.name());
        }
        assert_eq!(alone.dendrogram().is_some(), finisher.makes_tree());
        let mut little = Ctx::default().with_memory(1000);
        let refused = Fit::of_similarity(similarity.clone(), &*finisher, &mut little).err();
        assert!(matches!(refused, Some(Error::Memory { .. })), "{refused:?}");
    }
}

#[test]
fn rows_of_the_matrix_over_the_samples_are_those_of_the_matrix() {
    let mut ctx = Ctx::default();
    let fit = Pipeline::plain(Eac, Linkage::average()).unwrap().fit(&ensemble(), &mut ctx).unwrap();
    let similarity = fit.evidence.as_similarity().unwrap();
    assert!(similarity.len() < 400, "samples share groups");
    let rows: Vec<f64> = (0..400).flat_map(|i| similarity.sample_row(i)).collect();
    assert_eq!(rows, similarity.to_matrix());
    let (i, j) = (7, 311);
    assert_eq!(rows[i * 400 + j], rows[j * 400 + i]);
}
