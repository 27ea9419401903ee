//! Compares the normalised cut with its definition, and tests meta-clusters of ensembles.

use std::sync::Arc;

use enclust_ca::PropagatedClusters;
use enclust_consensus::{Metaclusters, Ncut};
use enclust_core::{
    Backend, Ca, ClusterGraph, Consensus, Csr, Ctx, Ensemble, Error, Evidence, Grouping, Mat,
    Microclusters, Partition, Question, Real, Reference,
};
use enclust_testkit::generate::{co_association, ensembles, planted};
use proptest::prelude::*;

fn evidence<S: Real>(m: &Microclusters) -> Evidence<S> {
    PropagatedClusters::default().build(m, &Question::default(), &Ctx::default()).unwrap().evidence
}

fn cut<S: Real>(evidence: &Evidence<S>, k: usize, ctx: &Ctx<'_, S>) -> Partition {
    Metaclusters.fit(evidence, ctx).unwrap().cut(k, ctx).unwrap()
}

/// A symmetric matrix of numbers in [0, 1), with ones on the diagonal.
fn graphs() -> impl Strategy<Value = Mat<f64>> {
    (2..15_usize).prop_flat_map(|n| {
        proptest::collection::vec(0.0..1.0_f64, n * n).prop_map(move |values| {
            let entry = |i: usize, j: usize| values[i.min(j) * n + i.max(j)];
            Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { entry(i, j) })
        })
    })
}

type Rows = Vec<Vec<f64>>;

fn times(a: &Rows, b: &Rows) -> Rows {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, y)| x * y[j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

fn transposed(a: &Rows) -> Rows {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn unit(row: &[f64]) -> Vec<f64> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| x / length).collect()
}

/// The k leading eigenvectors, scaled as in the published program, one row per node; `None` if
/// they are not determined reliably.
fn slow_points(w: &Mat<f64>, k: usize) -> Option<Rows> {
    let n = w.rows();
    let degree: Vec<f64> = (0..n).map(|i| w.col(i).iter().sum::<f64>() + 1.0).collect();
    let p = Mat::from_fn(n, n, |i, j| {
        let offset = if i == j { 0.5 } else { 0.0 };
        (w[(i, j)] + offset) / (degree[i] * degree[j]).sqrt()
    });
    let eigen = Reference.eigh(p.view()).unwrap();
    let leading: Vec<usize> = (0..n).rev().take(k).collect();
    let after = |j: usize| if j == 0 { f64::NEG_INFINITY } else { eigen.values[j - 1] };
    if leading.iter().any(|&j| eigen.values[j] - after(j) < 1e-5) {
        return None;
    }
    let column = |j: usize| {
        let scaled: Vec<f64> = (0..n).map(|i| eigen.vectors[(i, j)] / degree[i].sqrt()).collect();
        let sign = if scaled[0] > 0.0 { -1.0 } else { 1.0 };
        unit(&scaled).iter().map(|x| sign * x * (n as f64).sqrt()).collect::<Vec<f64>>()
    };
    let columns: Rows = leading.into_iter().map(column).collect();
    Some(transposed(&columns).iter().map(|row| unit(row)).collect())
}

fn argmax(values: impl Iterator<Item = f64>) -> usize {
    let start = (0, f64::NEG_INFINITY);
    values.enumerate().fold(start, |best, (at, v)| if v > best.1 { (at, v) } else { best }).0
}

/// The orthogonal factor of a matrix M of full rank, (MMᵀ)^-1/2 M, and the trace of the other
/// factor; `None` if M is nearly singular.
fn slow_polar(m: &Rows) -> Option<(Rows, f64)> {
    let k = m.len();
    let gram = times(m, &transposed(m));
    let eigen = Reference.eigh(Mat::from_fn(k, k, |i, j| gram[i][j]).view()).unwrap();
    if eigen.values[0] < 1e-4 {
        return None;
    }
    let inverse_root = |i: usize, j: usize| {
        let part =
            |l: usize| eigen.vectors[(i, l)] * eigen.vectors[(j, l)] / eigen.values[l].sqrt();
        (0..k).map(part).sum()
    };
    let inverse: Rows = (0..k).map(|i| (0..k).map(|j| inverse_root(i, j)).collect()).collect();
    Some((times(&inverse, m), eigen.values.iter().map(|v| v.sqrt()).sum()))
}

/// The search for a rotation, started with row `first`; `None` if the result is not determined
/// reliably.
fn slow_groups(points: &Rows, k: usize, first: usize) -> Option<Vec<usize>> {
    let n = points.len();
    let mut columns = vec![points[first].clone()];
    let mut overlap = vec![0.0; n];
    for j in 1..k {
        let product = times(points, &transposed(&vec![columns[j - 1].clone()]));
        (0..n).for_each(|i| overlap[i] += product[i][0].abs());
        columns.push(points[argmax(overlap.iter().map(|v| -v))].clone());
    }
    let (mut rotation, mut last) = (transposed(&columns), 0.0);
    for counter in 1.. {
        let turned = times(points, &rotation);
        let groups: Vec<usize> = turned.iter().map(|row| argmax(row.iter().copied())).collect();
        let one_hot: Rows =
            groups.iter().map(|&g| (0..k).map(|h| f64::from(u8::from(g == h))).collect()).collect();
        let (orthogonal, sum) = slow_polar(&times(&transposed(&one_hot), points))?;
        let value: f64 = 2.0 * (n as f64 - sum);
        if (value - last).abs() < f64::EPSILON || counter > 20 {
            return Some(groups);
        }
        (rotation, last) = (transposed(&orthogonal), value);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The random first row is not part of the interface, so the result must equal that for one
    /// of the rows.
    #[test]
    fn ncut_follows_its_definition(w in graphs(), k in 1..5_usize, seed: u64) {
        let k = k.min(w.rows());
        let points = slow_points(&w, k);
        prop_assume!(points.is_some());
        let points = points.unwrap();
        let all: Vec<_> = (0..w.rows()).map(|first| slow_groups(&points, k, first)).collect();
        prop_assume!(all.iter().all(Option::is_some));
        let ctx = Ctx::default().with_seed(seed);
        let found = Ncut::new(&w).unwrap().groups(k, &ctx).unwrap();
        prop_assert!(all.contains(&Some(found)));
    }

    /// Samples of a group stay together, and grouping them does not change the result.
    #[test]
    fn groups_vote_as_their_samples_do(e in ensembles(24, 5, 4), seed: u64) {
        let (m, samples) = (Microclusters::of(&e), Microclusters::singletons(&e));
        let ctx = Ctx::<f64>::default().with_seed(seed);
        let fitted = Metaclusters.fit(&evidence(&m), &ctx).unwrap();
        prop_assert_eq!(fitted.largest_k(), e.samples().min(e.clusters().iter().sum()));
        for k in 1..=fitted.largest_k() {
            let found = fitted.cut(k, &ctx).unwrap();
            prop_assert!((1..=k).contains(&found.clusters()));
            prop_assert_eq!(&found, &cut(&evidence(&samples), k, &ctx));
        }
    }
}

#[test]
fn planted_clusters_are_found_in_either_precision() {
    let m = Microclusters::of(&planted(400, 12, 5, 0.2, 3));
    let truth = Partition::from_labels((0..400).map(|i| i % 5));
    let double: Partition = cut::<f64>(&evidence(&m), 5, &Ctx::default());
    let single: Partition = cut::<f32>(&evidence(&m), 5, &Ctx::default());
    for found in [double, single] {
        let pairs = (0..400).flat_map(|i| (0..i).map(move |j| (i, j)));
        let (x, y) = (found.labels(), truth.labels());
        let wrong = pairs.filter(|&(i, j)| (x[i] == x[j]) != (y[i] == y[j])).count();
        assert!(wrong < 200, "{wrong}");
    }
}

#[test]
fn threads_and_other_cuts_change_nothing() {
    let evidence = evidence::<f64>(&Microclusters::of(&planted(500, 20, 8, 0.3, 1)));
    let run = |threads: usize, before: &[usize]| {
        let ctx = Ctx::default().with_threads(threads).with_seed(9);
        let fitted = Metaclusters.fit(&evidence, &ctx).unwrap();
        before.iter().for_each(|&k| {
            fitted.cut(k, &ctx).unwrap();
        });
        fitted.cut(7, &ctx).unwrap()
    };
    assert_eq!(run(1, &[]), run(2, &[]));
    assert_eq!(run(1, &[]), run(2, &[3, 12]));
}

/// Its clusters have no weights, so the eigenvectors are the indicator vectors of the clusters.
#[test]
fn a_single_clustering_is_its_own_answer() {
    let e = Ensemble::from_columns(&[[0, 0, 1, 2, 2, 1]]).unwrap();
    let found = cut::<f64>(&evidence(&Microclusters::of(&e)), 3, &Ctx::default());
    assert_eq!(found.labels(), &[0, 0, 1, 2, 2, 1]);
}

#[test]
fn fewer_clusters_than_asked_for_may_come_out() {
    assert!(!Consensus::<f64>::gives_exactly_k(&Metaclusters));
    let e = planted(30, 6, 2, 0.0, 1);
    let found = cut::<f64>(&evidence(&Microclusters::of(&e)), 12, &Ctx::default());
    assert_eq!(found.clusters(), 2);
}

#[test]
fn typed_errors() {
    let m = Microclusters::of(&planted(60, 5, 3, 0.2, 1));
    let ctx = Ctx::<f64>::default();
    let similarity = co_association::<f64>(&m).into();
    let wrong_kind = Metaclusters.fit(&similarity, &ctx);
    assert!(matches!(wrong_kind.err(), Some(Error::KindMismatch { .. })));
    let fitted = Metaclusters.fit(&evidence(&m), &ctx).unwrap();
    for k in [0, fitted.largest_k() + 1] {
        assert!(matches!(fitted.cut(k, &ctx), Err(Error::ClusterCount { .. })));
    }

    let graph = |rows: usize, weights: Mat<f64>| {
        let members = Csr::from_rows(2, vec![vec![(0, 1.0)]; rows]);
        let (grouping, two) = (Arc::new(Grouping::singletons(2)), Mat::identity(2));
        let mut graph = ClusterGraph::new(grouping, Csr::empty(2, 2), two).unwrap();
        (graph.members, graph.weights) = (members, weights);
        graph.into()
    };
    for ragged in
        [graph(1, Mat::identity(2)), graph(2, Mat::identity(3)), graph(2, Mat::zeros(2, 3))]
    {
        let answer = Metaclusters.fit(&ragged, &ctx);
        assert!(matches!(answer.err(), Some(Error::Size { .. })));
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        let answer = Metaclusters.fit(&graph(2, Mat::from_fn(2, 2, |_, _| bad)), &ctx);
        assert!(matches!(answer.err(), Some(Error::Unsupported { .. })));
    }
}
