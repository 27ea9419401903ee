//! Compares dense representations with their defining equations.

use enclust_core::{
    Backend, Ca, Component, Ctx, Ensemble, Error, Mat, Microclusters, Question, Reference,
    Similarity,
};
use enclust_learn::Drec;
use enclust_testkit::ca;
use enclust_testkit::generate::{ensembles, planted};
use proptest::prelude::*;

fn build(lambda: f64, reweightings: usize, m: &Microclusters) -> Similarity<f64> {
    let drec = Drec::default().lambda(lambda).reweightings(reweightings);
    drec.build(m, &Question::default(), &Ctx::default()).unwrap().as_similarity().unwrap().clone()
}

/// One row per base cluster, one column per group.
fn incidence(m: &Microclusters) -> Vec<Vec<f64>> {
    let clusters = (0..m.clusterings()).flat_map(|k| (0..m.clusters()[k]).map(move |c| (k, c)));
    let row = |(k, c): (usize, usize)| {
        (0..m.len()).map(|p| f64::from(u8::from(m.label(p, k) as usize == c))).collect()
    };
    clusters.map(row).collect()
}

/// The eigenpairs of MMᵀ: left singular vectors and singular values of M.
fn left_singular(m: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let mut gram = Mat::zeros(m.rows(), m.rows());
    Reference.gemm(1.0, m.view(), m.view().transposed(), 0.0, gram.view_mut());
    let eigen = Reference.eigh(gram.view()).unwrap();
    let values = eigen.values.iter().map(|v| v.max(0.0).sqrt()).collect();
    (eigen.vectors, values)
}

/// Each column of Z from its own system (G + λeⱼI) zⱼ = gⱼ, G = XᵀX.
fn slow_representation(m: &Microclusters, lambda: f64, reweightings: usize) -> Mat<f64> {
    let (n, x) = (m.len(), incidence(m));
    let gram = |p: usize, q: usize| x.iter().map(|row| row[p] * row[q]).sum::<f64>();
    let mut e = vec![1.0; n];
    let mut z = Mat::zeros(n, n);
    for _ in 0..reweightings {
        for j in 0..n {
            let shifted =
                Mat::from_fn(n, n, |p, q| gram(p, q) + if p == q { lambda * e[j] } else { 0.0 });
            let factor = Reference.factor_spd(shifted.view()).unwrap();
            let mut column = Mat::from_fn(n, 1, |p, _| gram(p, j));
            factor.solve(column.view_mut());
            z.col_mut(j).copy_from_slice(column.data());
        }
        for j in 0..n {
            let error = |row: &Vec<f64>| {
                let fitted: f64 = row.iter().zip(z.col(j)).map(|(x, z)| x * z).sum();
                (fitted - row[j]).powi(2)
            };
            e[j] = 2.0 * x.iter().map(error).sum::<f64>().sqrt();
        }
    }
    z
}

fn slow_affinity(z: &Mat<f64>) -> Vec<Vec<f64>> {
    let (vectors, values) = left_singular(z);
    let largest = values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..values.len()).filter(|&i| values[i] > 1e-4 * largest).collect();
    let row = |p: usize| -> Vec<f64> {
        let row: Vec<f64> = kept.iter().map(|&i| vectors[(p, i)] * values[i].sqrt()).collect();
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.into_iter().map(|x| x / length).collect()
    };
    let rows: Vec<Vec<f64>> = (0..z.rows()).map(row).collect();
    let cosine = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    rows.iter().map(|a| rows.iter().map(|b| cosine(a, b).powi(4)).collect()).collect()
}

proptest! {
    #[test]
    fn equals_the_systems_column_by_column(
        e in ensembles(14, 6, 4),
        lambda in prop_oneof![Just(1.0), Just(10.0), Just(100.0)],
        reweightings in 1..4_usize,
    ) {
        let m = Microclusters::of(&e);
        let expected = slow_affinity(&slow_representation(&m, lambda, reweightings));
        let found = build(lambda, reweightings, &m);
        for p in 0..m.len() {
            for q in p + 1..m.len() {
                let apart = (found.between(p, q) - expected[p][q]).abs();
                prop_assert!(apart < 1e-6, "{} {}: {:e}", p, q, apart);
            }
        }
    }
}

/// More groups than base clusters, and fewer: the two ways of decomposing X.
#[test]
fn both_ways_of_decomposing_give_one_answer() {
    for e in [planted(80, 5, 3, 0.5, 1), planted(20, 8, 6, 0.8, 2)] {
        let m = Microclusters::of(&e);
        let expected = slow_affinity(&slow_representation(&m, 5.0, 5));
        let found = build(5.0, 5, &m);
        for p in 0..m.len() {
            for q in p + 1..m.len() {
                assert!((found.between(p, q) - expected[p][q]).abs() < 1e-8, "{p} {q}");
            }
        }
    }
}

#[test]
fn sizes_of_groups_are_not_counted() {
    let e = Ensemble::from_columns(&[[0, 0, 1, 2], [0, 1, 1, 2], [0, 0, 1, 1]]).unwrap();
    let larger =
        Ensemble::from_columns(&[[0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 1]]);
    let (one, other) = (Microclusters::of(&e), Microclusters::of(&larger.unwrap()));
    assert_eq!(build(1.0, 5, &one).condensed(), build(1.0, 5, &other).condensed());
}

#[test]
fn missing_labels_are_unsupported() {
    let e = Ensemble::from_rows(&[[Some(0), None], [Some(1), Some(0)]]).unwrap();
    let answer =
        Drec::default().build(&Microclusters::of(&e), &Question::default(), &Ctx::<f64>::default());
    assert!(matches!(answer, Err(Error::Unsupported { .. })));
}

#[test]
fn parameters_out_of_range_are_errors() {
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Drec::default().lambda(lambda).check().is_err());
    }
    assert!(Drec::default().reweightings(0).check().is_err());
    assert_eq!(Drec::default().name(), "drec");
}

#[test]
fn keeps_the_laws() {
    let groups = ca::Options { counts_samples: false };
    ca::conformance_with(&Drec::default(), &groups);
    ca::precisions_agree(&Drec::default(), &Drec::default());
}
