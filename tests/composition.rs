//! All ways to compose parts give the same result.

use std::sync::Arc;

use enclust::core::{
    Ca, Confidence, Consensus, Enhance, Error, Evidence, Fit, Microclusters, Precomputed, Question,
};
use enclust::prelude::*;
use enclust_testkit::generate::{planted, planted_with_missing};

fn ensemble() -> Ensemble {
    planted(40, 8, 3, 0.2, 1)
}

fn fit(method: &impl Method<f64>, e: &Ensemble) -> Fit<f64> {
    method.fit(e, &Question::clusters(3), &Ctx::default()).unwrap()
}

/// All results of a fit: evidence, iterations, merges.
fn answer(method: &impl Method<f64>, e: &Ensemble) -> (Evidence<f64>, usize, Vec<[f64; 4]>) {
    let fit = fit(method, e);
    let merges = fit.dendrogram().unwrap().to_scipy();
    (fit.evidence, fit.report.iterations, merges)
}

fn similarity(fit: &Fit<f64>) -> &Similarity<f64> {
    fit.evidence.as_similarity().unwrap()
}

#[track_caller]
fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let apart = a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-10, "{apart:e} apart");
}

#[test]
fn static_boxed_and_mixed_pipelines_agree() {
    let e = ensemble();
    let (lwca, threshold, admm, average) =
        (Lwca::default(), Threshold::default(), Admm::default(), Linkage::average());
    let references = Pipeline::new(&lwca, &threshold, &admm, &average).unwrap();
    let dynamic = Pipeline::new(
        &lwca as &dyn Ca<f64>,
        &threshold as &dyn Confidence<f64>,
        &admm as &dyn Enhance<f64>,
        &average as &dyn Consensus<f64>,
    )
    .unwrap();
    let boxed = Pipeline::new(
        Box::new(lwca.clone()) as Box<dyn Ca<f64>>,
        Box::new(threshold.clone()) as Box<dyn Confidence<f64>>,
        Box::new(admm.clone()) as Box<dyn Enhance<f64>>,
        Box::new(average.clone()) as Box<dyn Consensus<f64>>,
    )
    .unwrap();
    let mixed = Pipeline::new(
        Arc::new(lwca.clone()) as Arc<dyn Ca<f64>>,
        &threshold,
        Box::new(Arc::new(admm.clone()) as Arc<dyn Enhance<f64>>),
        average.clone(),
    )
    .unwrap();
    let registry = standard::<f64>();
    let named = registry.pipeline(&registry.preset("ec-cms-admm").unwrap().spec).unwrap();
    let owned = Pipeline::new(lwca.clone(), threshold.clone(), admm.clone(), average.clone());
    let expected = answer(&owned.unwrap(), &e);
    assert_eq!(answer(&references, &e), expected);
    assert_eq!(answer(&dynamic, &e), expected);
    assert_eq!(answer(&boxed, &e), expected);
    assert_eq!(answer(&mixed, &e), expected);
    assert_eq!(answer(&named, &e), expected);
    let method: Box<dyn Method<f64>> = Box::new(boxed);
    assert_eq!(answer(&method, &e), expected);
}

#[test]
fn swapping_a_part_equals_starting_with_it() {
    let e = ensemble();
    let plain = || Pipeline::plain(Eac, Linkage::single()).unwrap();
    let swapped = plain()
        .with_ca(Lwca::default())
        .and_then(|p| p.with_consensus(Linkage::complete()))
        .and_then(|p| p.with_confidence(Threshold::default()))
        .and_then(|p| p.with_enhance(Admm::default()))
        .unwrap();
    let direct =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::complete());
    assert_eq!(answer(&swapped, &e), answer(&direct.unwrap(), &e));
    assert_eq!(swapped.name(), "lwca+threshold+admm+complete");
    let restored = swapped.with_enhance(NoEnhancement).unwrap();
    assert_eq!(
        answer(&restored, &e),
        answer(&Pipeline::plain(Lwca::default(), Linkage::complete()).unwrap(), &e)
    );
}

#[test]
fn several_k_from_one_fit_equal_separate_runs() {
    let (e, registry) = (ensemble(), standard::<f64>());
    for preset in registry.presets() {
        if registry.ca.build(&preset.spec.ca).unwrap().reads_k() {
            continue;
        }
        let method = registry.pipeline(&preset.spec).unwrap();
        let once = fit(&method, &e);
        let exactly = registry.consensus.build(&preset.spec.consensus).unwrap().gives_exactly_k();
        for k in [5, 2, 7, 3, 1] {
            let ctx = &Ctx::default();
            let separate = method.run(&e, k, ctx).unwrap().partition;
            assert_eq!(once.cut(k, ctx).unwrap(), separate, "{}, k = {k}", preset.name);
            assert!(separate.clusters() == k || !exactly && separate.clusters() < k);
        }
    }
}

#[test]
fn a_precomputed_similarity_is_enhanced_like_its_own_construction() {
    for e in [ensemble(), planted_with_missing(30, 6, 3, 0.2, 0.2, 2)] {
        let own = Pipeline::new(
            Lwca::default(),
            Threshold::default(),
            Admm::default(),
            Linkage::average(),
        );
        let own = fit(&own.unwrap(), &e);
        let lwca = fit(&Pipeline::plain(Lwca::default(), Linkage::average()).unwrap(), &e);
        let matrix = similarity(&lwca).to_matrix();
        let given = Similarity::from_matrix(e.samples(), &matrix).unwrap();
        let given = Pipeline::new(
            Precomputed::new(given),
            Threshold::default(),
            Admm::default(),
            Linkage::average(),
        );
        let given = fit(&given.unwrap(), &e);
        assert_eq!(given.report.iterations, own.report.iterations);
        close(&similarity(&given).to_matrix(), &similarity(&own).to_matrix());
    }
}

/// A similarity may distinguish samples that no clustering distinguishes.
#[test]
fn a_precomputed_similarity_may_be_finer_than_the_labels() {
    let e = Ensemble::from_columns(&[[0, 0, 0, 1], [0, 0, 0, 1]]).unwrap();
    let s = Similarity::from_matrix(
        4,
        &[1.0, 0.9, 0.1, 0.0, 0.9, 1.0, 0.2, 0.0, 0.1, 0.2, 1.0, 0.3, 0.0, 0.0, 0.3, 1.0],
    )
    .unwrap();
    let plain = Pipeline::plain(Precomputed::new(s.clone()), Linkage::average()).unwrap();
    let outcome = plain.run(&e, 2, &Ctx::default()).unwrap();
    assert_eq!(outcome.partition.labels(), [0, 0, 1, 1]);
    let enhanced = Pipeline::new(
        Precomputed::new(s),
        Threshold::default(),
        Admm::default(),
        Linkage::average(),
    );
    let fit = fit(&enhanced.unwrap(), &e);
    assert_eq!(similarity(&fit).len(), 4);
    assert!(similarity(&fit).between(0, 1) > similarity(&fit).between(0, 2));
}

#[test]
fn a_dendrogram_is_a_linkage_matrix_of_scipy() {
    let e = Ensemble::from_columns(&[
        [0, 0, 1, 1, 1],
        [0, 0, 0, 1, 1],
        [0, 0, 1, 2, 2],
        [0, 1, 2, 3, 3],
    ])
    .unwrap();
    let fit = fit(&Pipeline::plain(Eac, Linkage::average()).unwrap(), &e);
    let z = fit.dendrogram().unwrap().to_scipy();
    assert_eq!(
        z,
        [
            [3.0, 4.0, 0.0, 2.0],
            [0.0, 1.0, 0.25, 2.0],
            [2.0, 6.0, 0.75, 3.0],
            [5.0, 7.0, 11.0 / 12.0, 5.0]
        ]
    );
}

#[test]
fn every_linkage_matrix_is_well_formed() {
    let (e, registry) = (ensemble(), standard::<f64>());
    for preset in registry.presets() {
        let fit = fit(&registry.pipeline(&preset.spec).unwrap(), &e);
        let Some(tree) = fit.dendrogram() else { continue };
        let z = tree.to_scipy();
        let mut used: Vec<usize> =
            z.iter().flat_map(|row| [row[0] as usize, row[1] as usize]).collect();
        used.sort_unstable();
        assert_eq!(used, (0..2 * e.samples() - 2).collect::<Vec<_>>(), "{}", preset.name);
        assert!(z.iter().all(|row| row[0] < row[1] && (0.0..=1.0).contains(&row[2])));
        assert!(z.windows(2).all(|rows| rows[0][2] < rows[1][2]), "{}", preset.name);
        assert_eq!(z[z.len() - 1][3], e.samples() as f64);
    }
}

/// Two blocks of four samples with some missing labels, and a sample without any label.
fn gaps() -> Ensemble {
    let label = |i: usize, k: usize| {
        let missing = i == 8 || (i + 3 * k).is_multiple_of(7);
        (!missing).then_some(i / 4)
    };
    Ensemble::from_keys(9, 5, label).unwrap()
}

#[test]
fn missing_labels_go_through_the_whole_pipeline() {
    let e = gaps();
    let plain = |r: Box<dyn Ca<f64>>| fit(&Pipeline::plain(r, Linkage::average()).unwrap(), &e);
    let enhanced = |r: Box<dyn Ca<f64>>| {
        fit(
            &Pipeline::new(r, Threshold::default(), Admm::default(), Linkage::average()).unwrap(),
            &e,
        )
    };
    let lwca = || Box::new(Lwca::default());
    for fit in [plain(Box::new(Eac)), plain(lwca()), enhanced(Box::new(Eac)), enhanced(lwca())] {
        let labels = fit.cut(3, &Ctx::default()).unwrap();
        assert_eq!(labels.labels(), [0, 0, 0, 0, 1, 1, 1, 1, 2]);
        let matrix = similarity(&fit).to_matrix();
        assert_eq!(matrix[8 * 9..8 * 9 + 8], [0.0; 8], "similar to no sample");
        let last = fit.dendrogram().unwrap().to_scipy()[7];
        assert_eq!((last[0], last[2], last[3]), (8.0, 1.0, 9.0), "joins last, at height 1");
    }
}

#[test]
fn samples_that_nobody_labels_are_microclusters_of_their_own() {
    let e =
        Ensemble::from_rows(&[[None, None], [Some(0), Some(0)], [None, None], [Some(0), Some(0)]]);
    let m = Microclusters::of(&e.unwrap());
    assert_eq!(m.grouping().map(), [0, 1, 2, 1]);
}

#[test]
fn a_weight_equals_repeated_columns() {
    let (e, registry) = (planted(40, 6, 3, 0.1, 6), standard::<f64>());
    let weighted = e.clone().with_weights(vec![1.0, 3.0, 1.0, 2.0, 1.0, 1.0]).unwrap();
    let repeated = e.select(&[0, 1, 1, 1, 2, 3, 3, 4, 5]).unwrap();
    for preset in registry.presets() {
        let method = registry.pipeline(&preset.spec).unwrap();
        let one = match method.fit(&weighted, &Question::clusters(3), &Ctx::default()) {
            Err(Error::Unsupported { .. }) => continue,
            one => one.unwrap(),
        };
        let other = fit(&method, &repeated);
        assert_eq!(one.report.iterations, other.report.iterations, "{}", preset.name);
        if let (Some(a), Some(b)) = (one.evidence.as_similarity(), other.evidence.as_similarity()) {
            close(&a.to_matrix(), &b.to_matrix());
        }
        let ctx = &Ctx::default();
        assert_eq!(one.cut(3, ctx), other.cut(3, ctx), "{}", preset.name);
    }
}

#[test]
fn fractional_weights_of_one_ratio_are_one_answer() {
    let e = planted(30, 3, 3, 0.2, 7);
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average());
    let method = method.unwrap();
    let with = |w: [f64; 3]| fit(&method, &e.clone().with_weights(w.to_vec()).unwrap());
    let (whole, halved) = (with([1.0, 2.0, 1.0]), with([0.5, 1.0, 0.5]));
    close(&similarity(&whole).to_matrix(), &similarity(&halved).to_matrix());
}

#[test]
fn a_run_reports_its_stages_and_iterations() {
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average());
    let outcome = method.unwrap().run(&ensemble(), 3, &Ctx::default()).unwrap();
    let stages: Vec<&str> = outcome.timings.iter().map(|t| t.0.key()).collect();
    assert_eq!(stages, ["microclusters", "ca", "plain", "confidence", "enhance", "consensus"]);
    assert_eq!(outcome.report.component, "admm");
    assert!(outcome.report.iterations > 0);
}
