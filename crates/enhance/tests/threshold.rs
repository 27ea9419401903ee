//! The choice of confident pairs.

mod oracle;

use std::sync::Arc;

use enclust_core::{
    Component, Confidence, Confident, Ctx, Ensemble, Grouping, MISSING, Microclusters, Similarity,
    Warning,
};
use enclust_enhance::Threshold;
use enclust_testkit::generate::ensembles_with_missing;
use oracle::Case;
use proptest::prelude::*;

/// Two samples joined by `together` of `m` clusterings.
fn pair(together: usize, m: usize) -> Ensemble {
    let columns: Vec<[usize; 2]> = (0..m).map(|k| [0, usize::from(k >= together)]).collect();
    Ensemble::from_columns(&columns).unwrap()
}

#[test]
fn decides_by_the_rounded_quotient_not_by_the_product() {
    // In floating point 0.28 · 25 > 7, although 7/25 is 0.28.
    let believed = |together, m, alpha| {
        Case::<f64>::merged(&pair(together, m), alpha, false).confident.graph.entries() == 2
    };
    assert!(believed(7, 25, 0.28));
    for m in 1..=100_usize {
        for together in 0..m {
            // Thresholds with two decimals on both sides of the share.
            let nearest = 100 * together / m;
            for cent in nearest.saturating_sub(1)..=nearest + 1 {
                let exact = together > 0 && 100 * together >= cent * m;
                assert_eq!(
                    believed(together, m, cent as f64 / 100.0),
                    exact,
                    "{together}/{m} at {cent} %"
                );
            }
        }
    }
}

#[test]
fn single_precision_decides_alike() {
    // In f32, 14/20 is less than 0.7.
    let case = Case::<f32>::merged(&pair(14, 20), 0.7, false);
    assert_eq!(case.confident.graph.entries(), 2);
}

#[test]
fn keeps_the_laws() {
    for alpha in [0.0, 0.5, 1.0] {
        enclust_testkit::confidence::conformance(&Threshold::default().alpha(alpha));
    }
}

#[test]
fn samples_without_labels_are_not_joined_by_their_group() {
    let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1, 1]).unwrap());
    let m = Microclusters::from_columns(Arc::clone(&grouping), &[[MISSING, 0]]).unwrap();
    let a = Similarity::new(grouping, vec![0.5], vec![0.5; 2], vec![1.0; 2]).unwrap();
    let confident = Threshold::default().select(&m, &a, &Ctx::default()).unwrap();
    assert_eq!(confident.within, [0.0, 1.0]);
    assert_eq!(confident.fixed_within, [false, true]);
}

#[test]
fn alpha_out_of_range_is_refused() {
    for alpha in [-0.1, 1.1, f64::NAN] {
        assert!(Component::check(&Threshold::default().alpha(alpha)).is_err());
    }
}

/// The confident pairs over groups, with a guard against large components.
fn guarded(e: &Ensemble, alpha: f64, giant: f64) -> Confident<f64> {
    let rows = Microclusters::of(e);
    let similarity: Similarity<f64> = rows.co_association(|_, _| 1.0).unwrap();
    let threshold = Threshold::default().alpha(alpha).giant(giant);
    threshold.select(&rows, &similarity, &Ctx::default()).unwrap()
}

/// The share of the samples in the largest component of the pairs of samples that at least the
/// share alpha of the clusterings joins. Samples with equal rows are connected.
fn largest_component(e: &Ensemble, alpha: f64) -> f64 {
    let n = e.samples();
    let rows = Microclusters::singletons(e);
    let joined = |i: usize, j: usize| {
        let mut shares = vec![0.0; n - i - 1];
        rows.co_occurrence(i, &mut shares);
        let labelled = (0..e.clusterings()).any(|k| rows.label(i, k) != MISSING);
        let equal = (0..e.clusterings()).all(|k| rows.label(i, k) == rows.label(j, k));
        labelled && equal || shares[j - i - 1] > 0.0 && shares[j - i - 1] >= alpha
    };
    let mut component: Vec<usize> = (0..n).collect();
    for i in 0..n {
        for j in i + 1..n {
            if joined(i, j) {
                let (from, to) = (component[j], component[i]);
                component.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
            }
        }
    }
    let size = |c: usize| component.iter().filter(|&&other| other == c).count();
    (0..n).map(size).max().unwrap() as f64 / n as f64
}

/// Two groups of samples that 14 of 20 clusterings join. Sample 39 is with each of them in 17
/// clusterings, so all samples are connected at 0.8, and the two groups fall apart at 0.9. Every
/// clustering splits one other sample off.
fn bridged() -> Ensemble {
    let label = |k: usize, i: usize| match i {
        _ if i == 2 * k => 2,
        _ if k < 14 => 0,
        39 => usize::from(k >= 17),
        _ => i / 20,
    };
    let columns: Vec<Vec<usize>> =
        (0..20).map(|k| (0..40).map(|i| label(k, i)).collect()).collect();
    Ensemble::from_columns(&columns).unwrap()
}

#[test]
fn a_graph_that_percolates_is_broken_by_a_higher_threshold() {
    let e = bridged();
    assert_eq!(largest_component(&e, 0.8), 1.0);
    assert_eq!(largest_component(&e, 0.9), 0.5);
    let published = guarded(&e, 0.8, 1.0);
    assert_eq!(published.alpha, Some(0.8));
    assert_eq!(published.report(Microclusters::of(&e).grouping()).largest_component, 1.0);
    let raised = guarded(&e, 0.8, 0.7);
    assert_eq!(raised.alpha, Some(0.9));
    let report = raised.report(Microclusters::of(&e).grouping());
    assert_eq!(report.largest_component, largest_component(&e, 0.9));
    assert!(report.pairs > 0);
}

#[test]
fn nothing_is_selected_if_a_component_is_too_large_at_every_threshold() {
    let e = Ensemble::from_columns(&[[0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]).unwrap();
    let refused = guarded(&e, 0.8, 0.7);
    assert_eq!(refused.refusal, Some(Warning::Percolates { giant: 0.7 }));
    assert_eq!((refused.graph.entries(), refused.fixed.entries()), (0, 0));
    assert_eq!(refused.alpha, None);
}

proptest! {
    #[test]
    fn the_guard_uses_the_smallest_threshold_that_holds(
        e in ensembles_with_missing(12, 6, 3),
        count in 0_usize..=6,
        giant in 0.2..1.0,
    ) {
        let m = e.clusterings();
        let count = count.min(m);
        let alphas = (count..=m).map(|c| c as f64 / m as f64);
        let expected = alphas.into_iter().find(|&alpha| largest_component(&e, alpha) <= giant);
        let found = guarded(&e, count as f64 / m as f64, giant);
        prop_assert_eq!(found.alpha, expected);
        match expected {
            Some(alpha) => prop_assert_eq!(found, guarded(&e, alpha, 1.0)),
            None => prop_assert_eq!(found.graph.entries(), 0),
        }
    }

    #[test]
    fn equals_the_definition_over_samples(e in ensembles_with_missing(10, 5, 3), alpha in 0.0..=1.0) {
        let (merged, n) = (Case::<f64>::merged(&e, alpha, true), e.samples());
        let dense = oracle::DenseProblem::of(&merged);
        let rows = Microclusters::singletons(&e);
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let both: Vec<usize> = (0..e.clusterings())
                    .filter(|&k| rows.label(i, k) != MISSING && rows.label(j, k) != MISSING)
                    .collect();
                let together = both.iter().filter(|&&k| rows.label(i, k) == rows.label(j, k)).count();
                let share = if both.is_empty() { 0.0 } else { together as f64 / both.len() as f64 };
                let believed = share > 0.0 && share >= alpha;
                prop_assert_eq!(dense.fixed[i][j], believed);
                prop_assert_eq!(dense.h[i][j], if believed { share } else { 0.0 });
            }
        }
    }
}
