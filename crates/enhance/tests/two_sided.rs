//! Confident pairs by two thresholds.

mod oracle;

use enclust_ca::Lwca;
use enclust_core::{
    Ca, Component, Confidence, Confident, Ctx, Ensemble, Error, MISSING, Microclusters, ParamError,
    Part, Question, Real, Registry, Similarity,
};
use enclust_enhance::{Exact, TwoSided};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use oracle::{Case, DenseProblem, to_dense};
use proptest::prelude::*;

fn two_sided(alpha: f64, beta: f64) -> TwoSided {
    TwoSided::default().alpha(alpha).beta(beta)
}

/// LWCA with both thresholds.
fn case<S: Real>(microclusters: &Microclusters, alpha: f64, beta: f64) -> Case<S> {
    let ctx = &Ctx::default();
    let evidence = Lwca::default().build(microclusters, &Question::default(), ctx).unwrap();
    let similarity: Similarity<S> = evidence.as_similarity().unwrap().clone();
    let confident: Confident<S> =
        two_sided(alpha, beta).select(microclusters, &similarity, ctx).unwrap();
    Case { similarity, confident }
}

/// How many clusterings label both samples, and how many of these join them.
fn counts(rows: &Microclusters, i: usize, j: usize) -> (usize, usize) {
    let (mut both, mut together) = (0, 0);
    for k in 0..rows.clusterings() {
        let (a, b) = (rows.label(i, k), rows.label(j, k));
        both += usize::from(a != MISSING && b != MISSING);
        together += usize::from(a != MISSING && a == b);
    }
    (both, together)
}

#[test]
fn keeps_the_laws() {
    for (alpha, beta) in [(0.8, 0.0), (0.5, 0.3), (1.0, 0.99), (0.01, 0.0)] {
        enclust_testkit::confidence::conformance(&two_sided(alpha, beta));
    }
}

#[test]
fn alpha_must_exceed_beta() {
    for (alpha, beta) in [(0.5, 0.5), (0.4, 0.6), (0.0, 0.0)] {
        let error = TwoSided::default().alpha(alpha).beta(beta).check().unwrap_err();
        assert!(matches!(error, Error::Param(ParamError::OutOfRange { parameter: "beta", .. })));
        let says = format!(
            "two-sided: beta = {beta} is out of range: it must be less than alpha = {alpha}"
        );
        assert_eq!(error.to_string(), says);
    }
    for (alpha, beta) in [(1.1, 0.0), (f64::NAN, 0.0), (0.5, -0.1), (0.5, f64::NAN)] {
        assert!(TwoSided::default().alpha(alpha).beta(beta).check().is_err());
    }
}

#[test]
fn the_registry_builds_and_refuses_it() {
    let mut registry = Registry::<f64>::new();
    enclust_enhance::register(&mut registry);
    let built = registry.confidence.build(&Part::named("two-sided").set("beta", 0.1)).unwrap();
    assert_eq!(built.name(), "two-sided");
    let refused = registry.confidence.build(&Part::named("two-sided").set("beta", 0.8));
    assert!(refused.unwrap_err().to_string().contains("must be less than alpha = 0.8"));
}

#[test]
fn decides_by_the_rounded_quotient_in_single_precision_too() {
    // In floating point 0.29 · 100 < 29, although 29/100 is 0.29.
    let columns: Vec<[usize; 2]> = (0..100).map(|k| [0, usize::from(k >= 29)]).collect();
    let m = Microclusters::of(&Ensemble::from_columns(&columns).unwrap());
    assert_eq!(case::<f64>(&m, 0.8, 0.29).confident.fixed.get(0, 1), Some(0.0));
    assert_eq!(case::<f32>(&m, 0.8, 0.29).confident.fixed.get(0, 1), Some(0.0));
    assert_eq!(case::<f64>(&m, 0.8, 0.289).confident.fixed.get(0, 1), None);
}

#[test]
fn a_pair_without_a_common_clustering_stays_free() {
    let labels = [[Some(0), None], [None, Some(0)], [Some(1), Some(1)]];
    let e = Ensemble::from_keys(3, 2, |i, k| labels[i][k]).unwrap();
    let confident = case::<f64>(&Microclusters::of(&e), 0.8, 0.0).confident;
    assert_eq!(confident.fixed.get(0, 1), None);
    assert_eq!(confident.fixed.get(0, 2), Some(0.0));
    assert_eq!(confident.fixed.get(1, 2), Some(0.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn equals_the_definition_over_samples(
        e in ensembles_with_missing(10, 5, 3), low in 0.0..1.0_f64, high in 0.001..=1.0_f64,
    ) {
        let (alpha, beta) = (low.max(high), low.min(high));
        prop_assume!(alpha > beta);
        let dense = DenseProblem::of(&case(&Microclusters::of(&e), alpha, beta));
        let rows = Microclusters::singletons(&e);
        for i in 0..e.samples() {
            for j in (0..e.samples()).filter(|&j| j != i) {
                let (both, together) = counts(&rows, i, j);
                let share = together as f64 / both as f64; // NaN for 0/0
                let (believed, apart) = (share > 0.0 && share >= alpha, share <= beta);
                prop_assert_eq!(dense.fixed[i][j], believed || apart);
                prop_assert_eq!(dense.h[i][j], if believed { share } else { 0.0 });
                prop_assert_eq!(dense.values[i][j], if apart { 0.0 } else { dense.a[i][j] });
            }
        }
    }

    #[test]
    fn beta_zero_fixes_the_pairs_that_are_never_together(e in ensembles_with_missing(10, 5, 3)) {
        let (m, alpha) = (Microclusters::of(&e), 0.8);
        let (both, high) = (case::<f64>(&m, alpha, 0.0), Case::<f64>::build(&m, alpha, true));
        prop_assert_eq!(&both.confident.graph, &high.confident.graph);
        for (p, q) in (0..m.len()).flat_map(|p| (0..p).map(move |q| (p, q))) {
            let (common, together) = counts(&m, p, q);
            let added = both.confident.fixed.get(p, q) != high.confident.fixed.get(p, q);
            prop_assert_eq!(added, common > 0 && together == 0);
        }
    }

    #[test]
    fn the_low_side_only_lowers_the_optimum(
        e in ensembles(9, 6, 3), alpha in 0.4..=1.0, beta in 0.0..0.4, lambda in 0.05..2.0,
    ) {
        let m = Microclusters::of(&e);
        let (both, high) = (case::<f64>(&m, alpha, beta), Case::<f64>::build(&m, alpha, true));
        let params = Exact::default().lambda(lambda).tolerance(1e-12);
        let exact = params;
        let answer = to_dense(&both.enhance(&exact).similarity);
        let before = to_dense(&high.enhance(&exact).similarity);
        for (low, high) in answer.iter().flatten().zip(before.iter().flatten()) {
            prop_assert!(*low <= high + 1e-10, "{low} > {high}");
        }
        let optimum = DenseProblem::of(&both).optimum(lambda);
        prop_assert!(oracle::max_difference(&answer, &optimum) < 1e-9);
    }
}
