//! Compares learned graphs on groups with direct implementations over samples, which use n × n
//! matrices, one matrix per clustering, and full eigendecompositions.

use enclust_core::{
    Backend, Ca, Ctx, Ensemble, Mat, Method, Microclusters, Outcome, Pipeline, Question, Reference,
    Similarity, Status,
};
use enclust_learn::{Spce, Trce};
use enclust_testkit::generate::planted;
use proptest::prelude::*;

type Matrix = Vec<Vec<f64>>;

fn matrix(n: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// Smallest eigenvectors and their use by both learners. If a result depends on rounding
/// errors, it is not compared.
struct Smooth {
    rows: Matrix,
    weight: f64,
    doubtful: bool,
}

impl Smooth {
    fn of(s: &Matrix, c: usize, e: &Ensemble) -> (Matrix, Vec<f64>, bool) {
        let n = s.len();
        let degree = |i: usize| s[i].iter().sum::<f64>();
        let laplacian =
            Mat::from_fn(n, n, |i, j| if i == j { degree(i) - s[i][i] } else { -s[i][j] });
        let eigen = Reference.eigh(laplacian.view()).unwrap();
        let rows: Matrix =
            (0..n).map(|i| (0..c).map(|j| eigen.vectors[(i, j)]).collect()).collect();
        // Vectors that separate equal samples, or one vector of a tied pair.
        let equal =
            |i: usize, j: usize| (0..e.clusterings()).all(|k| e.column(k)[i] == e.column(k)[j]);
        let torn =
            (0..n).any(|i| (0..i).any(|j| equal(i, j) && distance(&rows[i], &rows[j]) > 1e-12));
        let tied = eigen.values[c] - eigen.values[c - 1] < 1e-6 && eigen.values[c] > 1e-12;
        (rows, eigen.values[..c + 1].to_vec(), torn || tied)
    }

    fn new(s: &Matrix, c: usize, e: &Ensemble) -> Self {
        let (rows, _, doubtful) = Self::of(s, c, e);
        Smooth { rows, weight: 1.0, doubtful }
    }

    fn distances(&self) -> Matrix {
        matrix(self.rows.len(), |i, j| distance(&self.rows[i], &self.rows[j]))
    }

    /// Whether to stop.
    fn control(&mut self, s: &Matrix, c: usize, e: &Ensemble, step: usize) -> bool {
        let (rows, values, doubtful) = Self::of(s, c, e);
        let few: f64 = values[..c].iter().sum();
        let many: f64 = values.iter().sum();
        if few > 1e-9 {
            self.doubtful |= doubtful || few < 1e-7;
            (self.weight, self.rows) = (2.0 * self.weight, rows);
            false
        } else if many < 1e-11 {
            self.weight /= 2.0;
            false
        } else {
            self.doubtful |= doubtful || many < 1e-9;
            self.rows = rows;
            step > 1
        }
    }
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn joined(e: &Ensemble) -> Vec<Matrix> {
    let same = |k: usize, i: usize, j: usize| f64::from(u8::from(e.column(k)[i] == e.column(k)[j]));
    (0..e.clusterings()).map(|k| matrix(e.samples(), |i, j| same(k, i, j))).collect()
}

/// The learned matrix, unless it depends on rounding errors.
fn slow_spce(e: &Ensemble, c: usize, tau: f64) -> Option<Matrix> {
    let (n, m) = (e.samples(), e.clusterings() as f64);
    let base = joined(e);
    let share = matrix(n, |i, j| base.iter().map(|b| b[i][j]).sum::<f64>() / m);
    let mut s = share.clone();
    let mut smooth = Smooth::new(&s, c, e);
    let mut p = vec![1.0 / m; base.len()];
    let mut on_the_edge = false;
    for q in [0.9, 0.8, 0.7, 0.6, 0.5] {
        let rho = 2.0 * q * (1.0 - q) * m * m;
        let over = |i: usize, j: usize, f: &dyn Fn(f64) -> f64| {
            base.iter().zip(&p).map(|(b, p)| f(b[i][j]) / p).sum::<f64>()
        };
        let w = matrix(n, |i, j| {
            let d = over(i, j, &|b| (s[i][j] - b).powi(2));
            if d > 1e-13 { (rho / (2.0 * d)).min(1.0) } else { 1.0 }
        });
        for step in 1..=if q == 0.5 { 20 } else { 5 } {
            let total: f64 = p.iter().map(|p| 1.0 / p).sum();
            let apart = smooth.distances();
            let weight = smooth.weight;
            let t = matrix(n, |i, j| {
                let sum: f64 = base.iter().zip(&p).map(|(b, p)| b[i][j] / p).sum();
                let t = (sum - weight * apart[i][j] / (2.0 * w[i][j].powi(2))) / total;
                let limit = tau * m / (w[i][j] * total.sqrt());
                match share[i][j] {
                    1.0 => 1.0,
                    0.0 => 0.0,
                    _ if (t - limit).abs() < 1e-9 => f64::NAN,
                    _ if t < limit => 0.0,
                    _ => t.min(1.0),
                }
            });
            on_the_edge |= t.iter().flatten().any(|t| t.is_nan());
            if on_the_edge {
                return None;
            }
            s = matrix(n, |i, j| 0.5 * (t[i][j] + t[j][i]));
            let phi: Vec<f64> = base
                .iter()
                .map(|b| {
                    let square = |i: usize, j: usize| (w[i][j] * (s[i][j] - b[i][j])).powi(2);
                    (0..n * n).map(|at| square(at / n, at % n)).sum::<f64>().sqrt()
                })
                .collect();
            let all: f64 = phi.iter().sum();
            if phi.iter().any(|phi| *phi < 1e-6) {
                return None;
            }
            p = phi.iter().map(|phi| phi / all).collect();
            if smooth.control(&s, c, e, step) {
                break;
            }
        }
    }
    (!smooth.doubtful).then_some(s)
}

fn slow_trce(e: &Ensemble, c: usize, params: &Trce) -> Option<Matrix> {
    let (n, m) = (e.samples(), e.clusterings());
    let graphs: Vec<Matrix> = joined(e)
        .into_iter()
        .map(|b| matrix(n, |i, j| b[i][j] / b[i].iter().sum::<f64>()))
        .collect();
    let mut s = matrix(n, |i, j| graphs.iter().map(|g| g[i][j]).sum::<f64>() / m as f64);
    let mut smooth = Smooth::new(&s, c, e);
    let mut b = vec![1.0 / m as f64; m];
    let divergence = |i: usize, k: usize, row: &[f64]| -> f64 {
        let term =
            |(&a, &b): (&f64, &f64)| if a > 0.0 { a * (a / b.max(f64::EPSILON)).ln() } else { 0.0 };
        graphs[k][i].iter().zip(row).map(term).sum()
    };
    let mut d: Matrix = (0..n).map(|i| (0..m).map(|k| divergence(i, k, &s[i])).collect()).collect();
    let mut age = 0.0;
    for step in 1..=params.iterations {
        let u: Vec<f64> = (0..n)
            .map(|i| {
                if params.last_clustering_weighs {
                    m as f64 * d[i][m - 1] / b[m - 1]
                } else {
                    (0..m).map(|k| d[i][k] / b[k]).sum()
                }
            })
            .collect();
        let mut sorted = u.clone();
        sorted.sort_by(f64::total_cmp);
        age = match step {
            // If a tenth of the samples has no divergence, the first non-zero divergence is
            // used.
            1 => sorted[(n / 10).max(1) - 1..]
                .iter()
                .find(|u| **u > 1e-9)
                .map_or(f64::INFINITY, |u| 2.0 * u),
            _ => 1.1 * age,
        };
        let w: Vec<f64> = u.iter().map(|u| (age / (2.0 * u).max(f64::EPSILON)).min(1.0)).collect();
        let apart = smooth.distances();
        let (mut learned, mut divergences) = (Vec::new(), Vec::new());
        for i in 0..n {
            let price =
                |j: usize| w[i].powi(2) * (0..m).map(|k| graphs[k][i][j] / b[k]).sum::<f64>();
            let prices: Vec<f64> = (0..n).map(price).collect();
            let gap = |j: usize| if i == j { 0.0 } else { smooth.weight * apart[i][j] };
            let row = |t: f64| -> Vec<f64> { (0..n).map(|j| prices[j] / (gap(j) + t)).collect() };
            let (mut low, mut high) = (0.0, prices.iter().sum::<f64>());
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                let above = row(middle).iter().sum::<f64>() > 1.0;
                if above { low = middle } else { high = middle }
            }
            let row = row(high);
            divergences.push((0..m).map(|k| divergence(i, k, &row)).collect::<Vec<f64>>());
            let moved: Vec<f64> = (0..n).map(|j| row[j] - gap(j) / (2.0 * params.lambda)).collect();
            let (mut low, mut high) = (-1e9, 2.0);
            for _ in 0..200 {
                let middle = 0.5 * (low + high);
                let sum: f64 = moved.iter().map(|v| (v - middle).max(0.0)).sum();
                if sum > 1.0 { low = middle } else { high = middle }
            }
            if moved.iter().any(|v| (v - high).abs() < 1e-10) {
                return None;
            }
            learned.push(moved.iter().map(|v| (v - high).max(0.0)).collect::<Vec<f64>>());
        }
        (d, s) = (divergences, matrix(n, |i, j| 0.5 * (learned[i][j] + learned[j][i])));
        let losses: Vec<f64> = (0..m)
            .map(|k| (0..n).map(|i| w[i].powi(2) * d[i][k]).sum::<f64>().max(0.0).sqrt())
            .collect();
        if losses.iter().any(|l| *l < 1e-6) {
            return None;
        }
        let all: f64 = losses.iter().sum();
        b = losses.iter().map(|l| l / all).collect();
        if smooth.control(&s, c, e, step) {
            break;
        }
    }
    (!smooth.doubtful).then_some(s)
}

fn learned(part: &dyn Ca<f64>, e: &Ensemble, c: usize, grouped: bool) -> Similarity<f64> {
    let groups = if grouped { Microclusters::of(e) } else { Microclusters::singletons(e) };
    part.build(&groups, &Question::clusters(c), &Ctx::default())
        .unwrap()
        .as_similarity()
        .unwrap()
        .clone()
}

/// Ensembles with equal rows, so that groups have several samples. About half of the runs on
/// them do not depend on rounding errors. Some start with a cluster on which all clusterings
/// agree.
fn examples() -> impl Strategy<Value = (Ensemble, usize)> {
    let agreed = prop_oneof![Just(0), 2..9_u32];
    (12..26_usize, 3..6_usize, 2..4_usize, 0.05..0.5_f64, agreed, any::<u64>()).prop_map(
        |(n, m, c, noise, agreed, seed)| {
            (with_agreed_cluster(agreed, &planted(n, m, c + 1, noise, seed)), c)
        },
    )
}

fn with_agreed_cluster(size: u32, e: &Ensemble) -> Ensemble {
    let longer = |column: &[u32]| -> Vec<u32> {
        std::iter::repeat_n(0, size as usize).chain(column.iter().map(|l| l + 1)).collect()
    };
    let columns: Vec<Vec<u32>> = (0..e.clusterings()).map(|k| longer(e.column(k))).collect();
    Ensemble::from_columns(&columns).unwrap()
}

/// The result of the slow version, unless it differs for the samples in reverse order: in an
/// unstable symmetric state, rounding errors decide how it continues.
fn settled(
    e: &Ensemble,
    c: usize,
    slow: impl Fn(&Ensemble, usize) -> Option<Matrix>,
) -> Option<Matrix> {
    let last = e.samples() - 1;
    let backwards: Vec<usize> = (0..=last).rev().collect();
    let (found, turned) = (slow(e, c)?, slow(&e.rearranged(&backwards).unwrap(), c)?);
    let apart = |i: usize, j: usize| (found[i][j] - turned[last - i][last - j]).abs();
    let differs = (0..=last).any(|i| (0..=last).any(|j| apart(i, j) > 1e-9));
    (!differs).then_some(found)
}

fn check(count: u32, slow: impl Fn(&Ensemble, usize) -> Option<Matrix>, part: &dyn Ca<f64>) {
    let compared = std::cell::Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: count,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&examples(), |(e, c)| {
            let Some(wanted) = settled(&e, c, &slow) else { return Ok(()) };
            compared.set(compared.get() + 1);
            for grouped in [true, false] {
                equal(&learned(part, &e, c, grouped), &wanted);
            }
            Ok(())
        })
        .unwrap();
    assert!(compared.get() > count / 10, "only {} runs were compared", compared.get());
}

fn equal(found: &Similarity<f64>, wanted: &Matrix) {
    for (found, wanted) in found.to_matrix().iter().zip(wanted.iter().flatten()) {
        assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        assert_eq!(*found == 0.0, *wanted == 0.0);
    }
}

/// For more than 400 groups, the smallest eigenvectors are computed without the others.
#[test]
fn many_groups_are_those_of_the_samples() {
    let e = planted(430, 12, 4, 0.4, 1);
    assert!(Microclusters::of(&e).len() > 400);
    let wanted = slow_spce(&e, 4, 0.2).expect("does not depend on rounding errors");
    equal(&learned(&Spce::default().tau(0.2), &e, 4, true), &wanted);
    let wanted = slow_trce(&e, 4, &Trce::default()).expect("does not depend on rounding errors");
    equal(&learned(&Trce::default(), &e, 4, true), &wanted);
}

#[test]
fn spce_is_that_of_the_samples() {
    for tau in [0.0, 0.2, 0.5] {
        let part = Spce::default().tau(tau);
        check(60, |e, c| slow_spce(e, c, tau), &part);
    }
}

#[test]
fn trce_is_that_of_the_samples() {
    for (lambda, last_clustering_weighs) in [(1e-3, false), (0.1, true), (10.0, false)] {
        let params = Trce::default().lambda(lambda).last_clustering_weighs(last_clustering_weighs);
        let part = params.clone();
        check(60, |e, c| slow_trce(e, c, &params), &part);
    }
}

/// Its divergence, which is zero up to rounding errors, must not be used as that of the easiest
/// samples: all others would hardly count.
#[test]
fn trce_learns_beside_a_cluster_that_all_agree_on() {
    for size in 2..12 {
        let e = with_agreed_cluster(size, &planted(40, 5, 2, 0.1, 3));
        assert_eq!(components(Trce::default(), &e, 3).partition.clusters(), 3, "size {size}");
    }
}

fn components(part: impl Ca<f64> + 'static, e: &Ensemble, k: usize) -> Outcome {
    let pipeline = Pipeline::plain(part, enclust_consensus::Components).unwrap();
    pipeline.run(e, k, &Ctx::default()).unwrap()
}

#[test]
fn the_report_tells_of_the_iteration() {
    let e = planted(40, 8, 3, 0.1, 5);
    let outcome = components(Spce::default(), &e, 3);
    let learning = outcome.learning.unwrap();
    assert_eq!((learning.component.as_str(), learning.status), ("spce", Status::Converged));
    assert!(learning.iterations >= 10, "at least two iterations in each of five stages");
    assert_eq!(outcome.partition.clusters(), 3);
}
