//! The enhancer passes the conformance suite of its stage, and further tests.

use enclust::core::{
    Confidence, Ctx, Enhance, History, Microclusters, Problem, Quantities, Status,
};
use enclust::enhance::Threshold;
use enclust_example_custom_enhancer::PageRank;
use enclust_testkit::generate::{co_association, planted};

#[test]
fn keeps_the_laws() {
    for damping in [0.0, 0.5, 0.95] {
        enclust_testkit::enhance::conformance(&PageRank::default().damping(damping));
    }
}

/// A few groups of equal samples and their walks, with and without grouping.
#[test]
fn grouping_equal_samples_changes_nothing() {
    let ensemble = planted(40, 5, 3, 0.15, 2);
    let diffused = |microclusters: Microclusters| {
        let ctx = &Ctx::<f64>::default();
        let similarity = co_association(&microclusters);
        let mut confident = Threshold::default().select(&microclusters, &similarity, ctx).unwrap();
        // All values change, including those within groups.
        confident.fixed = enclust::core::Csr::empty(similarity.len(), similarity.len());
        confident.fixed_within.fill(false);
        let problem = Problem::new(&similarity, &confident).unwrap();
        let enhanced = PageRank::default().enhance(&problem, ctx).unwrap();
        (enhanced.similarity.to_matrix(), enhanced.report.iterations)
    };
    let (grouped, steps) = diffused(Microclusters::of(&ensemble));
    let (alone, steps_alone) = diffused(Microclusters::singletons(&ensemble));
    assert!(grouped.iter().zip(&alone).all(|(x, y)| (x - y).abs() < 1e-12));
    assert_eq!(steps, steps_alone);
}

#[test]
fn the_observer_sees_every_iteration_of_a_contraction() {
    let microclusters = Microclusters::of(&planted(40, 8, 3, 0.25, 4));
    let similarity = co_association::<f64>(&microclusters);
    let history = History::of(Quantities::CHANGES);
    let ctx = &Ctx::default().with_observer(&history);
    let confident = Threshold::default().select(&microclusters, &similarity, ctx).unwrap();
    let problem = Problem::new(&similarity, &confident).unwrap();
    let report = PageRank::default().enhance(&problem, ctx).unwrap().report;
    assert_eq!(report.status, Status::Converged);
    assert_eq!(history.records().len(), report.iterations);
    let ratios: Vec<f64> = history.records().iter().map(|r| r.changes[0].ratio()).collect();
    assert!(ratios.is_sorted_by(|a, b| b < a), "{ratios:?}");
    assert!(ratios.last().is_some_and(|r| *r < 1e-4));
}
