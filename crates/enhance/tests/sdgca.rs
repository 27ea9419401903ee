//! Compares SDGCA on groups with the published iteration on n × n matrices.

use enclust_ca::{Eca, Nwca};
use enclust_core::{
    Ca, Confidence, Confident, Ctx, Enhance, Ensemble, Microclusters, Problem, Question,
    Similarity, Status,
};
use enclust_enhance::{Guided, Sdgca};
use enclust_testkit::generate::{ensembles, planted};
use proptest::prelude::*;

type Dense = Vec<Vec<f64>>;

fn dense(n: usize, value: impl Fn(usize, usize) -> f64) -> Dense {
    (0..n).map(|i| (0..n).map(|j| value(i, j)).collect()).collect()
}

fn built(ca: &dyn Ca<f64>, m: &Microclusters) -> Similarity<f64> {
    let made = ca.build(m, &Question::default(), &Ctx::default()).unwrap();
    made.as_similarity().unwrap().clone()
}

fn square(similarity: &Similarity<f64>) -> Dense {
    let (n, values) = (similarity.grouping().samples(), similarity.to_matrix());
    dense(n, |i, j| values[i * n + j])
}

fn co_association(e: &Ensemble) -> Dense {
    dense(e.samples(), |i, j| {
        let shared = (0..e.clusterings()).filter(|&k| e.column(k)[i] == e.column(k)[j]).count();
        shared as f64 / e.clusterings() as f64
    })
}

/// X M⁻¹ by Gauss-Jordan elimination, for a symmetric positive definite M.
fn right_solve(x: &Dense, m: &Dense) -> Dense {
    let n = m.len();
    let (mut left, mut inverse) = (m.clone(), dense(n, |i, j| if i == j { 1.0 } else { 0.0 }));
    for c in 0..n {
        let pivot = left[c][c];
        for j in 0..n {
            left[c][j] /= pivot;
            inverse[c][j] /= pivot;
        }
        for i in (0..n).filter(|&i| i != c) {
            let factor = left[i][c];
            for j in 0..n {
                left[i][j] -= factor * left[c][j];
                inverse[i][j] -= factor * inverse[c][j];
            }
        }
    }
    dense(n, |i, j| (0..n).map(|k| x[i][k] * inverse[k][j]).sum())
}

fn norm(n: usize, value: impl Fn(usize, usize) -> f64) -> f64 {
    dense(n, value).concat().iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The published iteration on samples; the result and the number of iterations.
fn slow(e: &Ensemble, nwca: &Dense, far: &Dense, eta: f64, theta: f64) -> (Dense, usize) {
    let (n, ca) = (e.samples(), co_association(e));
    let h = dense(n, |i, j| if ca[i][j] >= eta { ca[i][j] } else { 0.0 });
    let degree: Vec<f64> = h.iter().map(|row| row.iter().sum()).collect();
    let l = dense(n, |i, j| if i == j { degree[i] - h[i][j] } else { -h[i][j] });
    let cl = dense(n, |i, j| if far[i][j] >= 0.8 { far[i][j] } else { 0.0 });
    let kept = dense(n, |i, j| if ca[i][j] >= theta { nwca[i][j] } else { 0.0 });
    let all = kept.concat();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = all.iter().map(|v| v - least).fold(0.0, f64::max);
    let ml = dense(n, |i, j| {
        let value = (kept[i][j] - least) / most;
        if value > 0.0 && cl[i][j] == 0.0 { 0.8 + value / 5.0 } else { 0.0 }
    });
    let zero = dense(n, |_, _| 0.0);
    let [mut s, mut d, mut f1, mut f2, mut y1, mut y2] =
        [const { Vec::new() }; 6].map(|_: Dense| zero.clone());
    let (mut mu, mut iterations) = (1.0_f64, 0);
    let clip = |x: &Dense, y: &Dense, marks: &Dense, mu: f64| {
        let clipped = dense(n, |i, j| match marks[i][j] {
            value if value > 0.0 => value,
            _ => (x[i][j] + y[i][j] / (2.0 * mu)).clamp(0.0, 1.0),
        });
        dense(n, |i, j| 0.5 * (clipped[i][j] + clipped[j][i]))
    };
    for _ in 0..300 {
        iterations += 1;
        let m = dense(n, |i, j| 2.0 * l[i][j] + if i == j { 2.0 * mu } else { 0.0 });
        let (old_s, old_d) = (s.clone(), d.clone());
        s = right_solve(&dense(n, |i, j| 2.0 * mu * f1[i][j] - d[j][i] - y1[i][j]), &m);
        f1 = clip(&s, &y1, &ml, mu);
        d = right_solve(&dense(n, |i, j| 2.0 * mu * f2[i][j] - s[j][i] - y2[i][j]), &m);
        f2 = clip(&d, &y2, &cl, mu);
        y1 = dense(n, |i, j| y1[i][j] + mu * (s[i][j] - f1[i][j]));
        y2 = dense(n, |i, j| y2[i][j] + mu * (d[i][j] - f2[i][j]));
        mu = (1.1 * mu).min(1e6);
        let norms = [
            norm(n, |i, j| s[i][j] - old_s[i][j]),
            norm(n, |i, j| d[i][j] - old_d[i][j]),
            norm(n, |i, j| s[i][j] - f1[i][j]),
            norm(n, |i, j| d[i][j] - f2[i][j]),
        ];
        if norms.iter().all(|norm| *norm < 1e-3) {
            break;
        }
    }
    let part =
        |x: &Dense, i: usize, j: usize| 0.5 * (x[i][j].clamp(0.0, 1.0) + x[j][i].clamp(0.0, 1.0));
    let w = dense(n, |i, j| {
        let (g, a) = (part(&s, i, j) - part(&d, i, j), nwca[i][j]);
        if i == j {
            1.0
        } else if g >= 0.0 {
            1.0 - (1.0 - g) * (1.0 - a)
        } else {
            (1.0 + g) * a
        }
    });
    (dense(n, |i, j| w[i][j].max(w[j][i]).clamp(0.0, 1.0)), iterations)
}

fn enhanced(
    e: &Ensemble,
    m: &Microclusters,
    eta: f64,
    theta: f64,
) -> (Dense, usize, Confident<f64>) {
    let (ctx, _) = (Ctx::default(), e);
    let a = built(&Nwca::default(), m);
    let pairs = Guided::default().eta(eta).theta(theta).select(m, &a, &ctx).unwrap();
    let found = Sdgca::default().enhance(&Problem::new(&a, &pairs).unwrap(), &ctx).unwrap();
    (square(&found.similarity), found.report.iterations, pairs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn iterates_on_groups_are_those_on_samples(
        e in ensembles(9, 6, 3), eta in 0.3..1.0_f64, theta in 0.3..1.0_f64,
    ) {
        // If all pairs are similar, the published seeds are shifted, which is not done here.
        prop_assume!(co_association(&e).concat().iter().any(|share| *share < theta));
        let m = Microclusters::of(&e);
        let nwca = square(&built(&Nwca::default(), &m));
        let related = square(&built(&Eca::default(), &m));
        let far = dense(e.samples(), |i, j| 1.0 - related[i][j]);
        // A dissimilarity that is 0.8 up to rounding may be on either side.
        prop_assume!(far.concat().iter().all(|d| (d - 0.8).abs() > 1e-9));
        let (found, iterations, pairs) = enhanced(&e, &m, eta, theta);
        prop_assume!(pairs.graph.entries() + pairs.fixed.entries() > 0);
        let (expected, slow_iterations) = slow(&e, &nwca, &far, eta, theta);
        prop_assert_eq!(iterations, slow_iterations);
        for (x, y) in found.concat().iter().zip(expected.concat()) {
            prop_assert!((x - y).abs() < 1e-7, "{} {}", x, y);
        }
        let (alone, ..) = enhanced(&e, &Microclusters::singletons(&e), eta, theta);
        for (x, y) in found.concat().iter().zip(alone.concat()) {
            prop_assert!((x - y).abs() < 1e-7, "{} {}", x, y);
        }
    }
}

#[test]
fn a_graph_threshold_above_one_switches_it_off() {
    let m = Microclusters::of(&planted(40, 8, 4, 0.2, 3));
    let (ctx, a) = (Ctx::default(), built(&Nwca::default(), &m));
    let pairs = Guided::default().eta(1.01).select(&m, &a, &ctx).unwrap();
    let found = Sdgca::default().enhance(&Problem::new(&a, &pairs).unwrap(), &ctx).unwrap();
    for (x, y) in found.similarity.to_matrix().iter().zip(a.to_matrix()) {
        assert!((x - y).abs() < 1e-9, "{x} {y}");
    }
}

#[test]
fn similar_pairs_come_closer_and_dissimilar_ones_part() {
    let m = Microclusters::of(&planted(60, 10, 4, 0.3, 5));
    let (ctx, a) = (Ctx::default(), built(&Nwca::default(), &m));
    let pairs = Guided::default().select(&m, &a, &ctx).unwrap();
    let found = Sdgca::default().enhance(&Problem::new(&a, &pairs).unwrap(), &ctx).unwrap();
    assert_eq!(found.report.status, Status::Converged);
    for p in 0..m.len() {
        for (q, _) in pairs.fixed.iter_row(p) {
            assert!(found.similarity.between(p, q) >= a.between(p, q));
        }
        for (q, _) in pairs.dissimilar.as_ref().unwrap().iter_row(p) {
            assert!(found.similarity.between(p, q) <= a.between(p, q) + 1e-9);
        }
    }
}
