//! The choice of confident pairs.

mod oracle;

use std::sync::Arc;

use enclust_core::{
    Component, Confidence, Ctx, Ensemble, Grouping, MISSING, Microclusters, Similarity,
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

proptest! {
    #[test]
    fn equals_the_definition_over_samples(e in ensembles_with_missing(10, 5, 3), alpha in 0.0..=1.0) {
        let (merged, n) = (Case::<f64>::merged(&e, alpha, true), e.samples());
        let dense = oracle::DenseProblem::of(&merged);
        let rows = Microclusters::singletons(&e);
        for i in 0..n {
            for j in (0..n).filter(|&j| j != i) {
                let both: Vec<usize> = (0..e.clusterings())
                    .filter(|&k| rows.label(i, k) != enclust_core::MISSING && rows.label(j, k) != enclust_core::MISSING)
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
