//! Compares WEAC and its weights with their definition over samples.

use enclust_ca::{Eac, Weac, crowd_agreement};
use enclust_core::{Ca, Ctx, Ensemble, MISSING, Microclusters, Question};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use proptest::prelude::*;

fn matrix(ca: &dyn Ca<f64>, e: &Ensemble) -> Vec<f64> {
    let made = ca.build(&Microclusters::of(e), &Question::default(), &Ctx::default()).unwrap();
    made.as_similarity().unwrap().to_matrix()
}

/// Entropy of values, from how often each occurs.
fn entropy<T: PartialEq>(values: &[T]) -> f64 {
    let share = |v: &T| values.iter().filter(|w| *w == v).count() as f64 / values.len() as f64;
    -values.iter().map(|v| share(v).ln() / values.len() as f64).sum::<f64>()
}

/// Normalised mutual information of two columns over the samples that both label.
fn nmi(a: &[u32], b: &[u32]) -> f64 {
    let both: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
    let both: Vec<_> = both.into_iter().filter(|&(x, y)| x != MISSING && y != MISSING).collect();
    if both.is_empty() {
        return 0.0;
    }
    let (left, right): (Vec<u32>, Vec<u32>) = both.iter().copied().unzip();
    let (left, right, joint) = (entropy(&left), entropy(&right), entropy(&both));
    match left.max(right) {
        larger if larger > 1e-12 => (left + right - joint) / larger,
        _ => 1.0,
    }
}

/// The definition, with copies of a clustering instead of weights.
fn slow_weights(e: &Ensemble, beta: f64) -> Vec<f64> {
    let m = e.clusterings();
    let others = |k: usize| (0..m).filter(move |l| *l != k);
    let cai: Vec<f64> = (0..m)
        .map(|k| {
            let sum: f64 = others(k).map(|l| nmi(e.column(k), e.column(l))).sum();
            if m > 1 { sum / (m - 1) as f64 } else { 0.0 }
        })
        .collect();
    let largest = cai.iter().copied().fold(0.0, f64::max);
    let index = |c: &f64| if largest > 1e-12 { (c / largest).max(0.0) } else { 1.0 };
    cai.iter().map(|c| index(c).powf(beta)).collect()
}

fn slow_weac(e: &Ensemble, beta: f64) -> Vec<f64> {
    let (n, weights) = (e.samples(), slow_weights(e, beta));
    let value = |i: usize, j: usize| {
        let label = |k: usize| (e.column(k)[i], e.column(k)[j]);
        let (mut together, mut total) = (0.0, 0.0);
        for (k, w) in weights.iter().enumerate() {
            let (a, b) = label(k);
            if a != MISSING && b != MISSING {
                total += w;
                together += if a == b { *w } else { 0.0 };
            }
        }
        if i == j {
            1.0
        } else if total > 0.0 {
            together / total
        } else {
            0.0
        }
    };
    (0..n * n).map(|at| value(at / n, at % n)).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (at, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= 1e-9, "entry {at}: {x} and {y}");
    }
}

/// Whether no agreement is zero only up to rounding, which a power below 1 would enlarge.
fn is_clear(e: &Ensemble) -> bool {
    slow_weights(e, 1.0).iter().all(|w| *w == 0.0 || *w > 1e-6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn weac_follows_its_definition(e in ensembles_with_missing(12, 6, 3), beta in 0.5..4.0) {
        prop_assume!(is_clear(&e));
        close(&crowd_agreement(&Microclusters::of(&e), beta), &slow_weights(&e, beta));
        close(&matrix(&Weac::default().beta(beta), &e), &slow_weac(&e, beta));
    }

    #[test]
    fn an_exponent_of_zero_weighs_all_alike(e in ensembles(12, 6, 3)) {
        close(&matrix(&Weac::default().beta(0.0), &e), &matrix(&Eac, &e));
    }
}

/// The weights can be given to any representation that honours weights of an ensemble.
#[test]
fn weights_of_the_ensemble_give_the_same_similarity() {
    let e = Ensemble::from_columns(&[[0, 0, 1, 1, 2], [0, 0, 1, 1, 1], [0, 1, 1, 0, 0]]).unwrap();
    let weights = crowd_agreement(&Microclusters::of(&e), 2.0);
    close(&matrix(&Weac::default(), &e), &matrix(&Eac, &e.with_weights(weights).unwrap()));
}

#[test]
fn constant_clusterings_agree_only_with_each_other() {
    let of = |columns: &[[u32; 4]]| {
        crowd_agreement(&Microclusters::of(&Ensemble::from_columns(columns).unwrap()), 1.0)
    };
    assert_eq!(of(&[[0, 0, 0, 0], [1, 1, 1, 1]]), [1.0, 1.0]);
    assert_eq!(of(&[[0, 0, 0, 0], [0, 0, 1, 1]]), [1.0, 1.0]); // no two clusterings agree
    assert_eq!(of(&[[0, 0, 1, 1]]), [1.0]);
}
