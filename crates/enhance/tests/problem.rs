//! The problem itself: convexity, optimality conditions, equality of group and
//! sample size.

mod oracle;

use enclust_core::{Microclusters, Similarity};
use enclust_enhance::objective::{gradient, kkt_residual, objective};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use oracle::{Case, Dense, DenseProblem, combine, max_difference, to_dense};
use proptest::prelude::*;

/// A dense symmetric matrix as a similarity with every sample on its own.
fn similarity(c: &Dense) -> Similarity<f64> {
    let flat: Vec<f64> = c.iter().flatten().map(|v| v.clamp(0.0, 1.0)).collect();
    Similarity::from_matrix(c.len(), &flat).unwrap()
}

/// A feasible point: the optimum with its free entries moved by `amounts`, bounds kept.
fn feasible(dense: &DenseProblem, from: &Dense, amounts: &[f64]) -> Dense {
    let n = dense.n();
    let mut c = from.clone();
    for i in 0..n {
        for j in i..n {
            if !dense.fixed[i][j] {
                let moved = (c[i][j] + amounts[(i * n + j) % amounts.len()]).clamp(0.0, 1.0);
                c[i][j] = moved;
                c[j][i] = moved;
            }
        }
    }
    c
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn objective_is_convex_and_so_is_the_feasible_set(
        e in ensembles(7, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0, t in 0.0..=1.0,
        first in proptest::collection::vec(-1.0..1.0, 49), second in proptest::collection::vec(-1.0..1.0, 49),
    ) {
        let dense = DenseProblem::of(&Case::merged(&e, alpha, true));
        let (x, y) = (feasible(&dense, &dense.a, &first), feasible(&dense, &dense.a, &second));
        let mix = combine(&x, &y, |x, y| (1.0 - t) * x + t * y);
        let chord: f64 = (1.0 - t) * dense.objective(lambda, &x) + t * dense.objective(lambda, &y);
        prop_assert!(dense.objective(lambda, &mix) <= chord + 1e-10 * (1.0 + chord.abs()));
        for i in 0..dense.n() {
            for j in 0..dense.n() {
                prop_assert!((-1e-15..=1.0 + 1e-15).contains(&mix[i][j]));
                prop_assert!((mix[i][j] - mix[j][i]).abs() < 1e-15);
                prop_assert!(!dense.fixed[i][j] || (mix[i][j] - dense.a[i][j]).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn the_linear_system_gives_the_optimum(
        e in ensembles(7, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
        amounts in proptest::collection::vec(-1.0..1.0, 49), size in -8.0..0.0,
    ) {
        let whole = Case::<f64>::build(&Microclusters::singletons(&e), alpha, true);
        let dense = DenseProblem::of(&whole);
        let c = dense.optimum(lambda);
        // Symmetric, within the range of the data, fixed entries kept, gradient zero.
        let lowest = dense.a.iter().flatten().fold(1.0, |m, &v| f64::min(m, v));
        let highest = dense.a.iter().flatten().fold(0.0, |m, &v| f64::max(m, v));
        let slope = gradient(&whole.problem(), lambda, &similarity(&c));
        let mut at = 0;
        for i in 0..dense.n() {
            prop_assert!(slope.own[i].abs() < 1e-9);
            for j in i + 1..dense.n() {
                prop_assert!((c[i][j] - c[j][i]).abs() < 1e-10);
                prop_assert!(c[i][j] >= lowest - 1e-10 && c[i][j] <= highest + 1e-10);
                if dense.fixed[i][j] {
                    prop_assert!((c[i][j] - dense.a[i][j]).abs() < 1e-12);
                } else {
                    prop_assert!(slope.between[at].abs() < 1e-9);
                }
                at += 1;
            }
        }
        prop_assert!(kkt_residual(&whole.problem(), lambda, &similarity(&c)) < 1e-9);
        // No feasible perturbation improves it.
        let amounts: Vec<f64> = amounts.iter().map(|a| a * 10_f64.powf(size)).collect();
        let other = feasible(&dense, &c, &amounts);
        let (best, value) = (dense.objective(lambda, &c), dense.objective(lambda, &other));
        prop_assert!(value >= best - 1e-11 * (1.0 + best), "{value} < {best}");
    }

    #[test]
    fn objective_and_residual_are_the_same_at_group_size(
        e in ensembles_with_missing(9, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
    ) {
        let merged = Case::<f64>::merged(&e, alpha, true);
        let whole = Case::<f64>::build(&Microclusters::singletons(&e), alpha, true);
        let dense = DenseProblem::of(&whole);
        // Any matrix that is constant on groups will do: here EAC's.
        let c = Case::<f64>::merged(&e, alpha, false).similarity;
        let spread = similarity(&to_dense(&c));
        let direct = dense.objective(lambda, &to_dense(&c));
        let value = objective(&merged.problem(), lambda, &c);
        prop_assert!((value - direct).abs() < 1e-10 * (1.0 + direct.abs()), "{value} and {direct}");
        let (small, large) = (
            kkt_residual(&merged.problem(), lambda, &c),
            kkt_residual(&whole.problem(), lambda, &spread),
        );
        prop_assert!((small - large).abs() < 1e-9 * (1.0 + large), "{small} and {large}");
    }

    #[test]
    fn the_optimum_is_constant_on_microclusters(
        e in ensembles(8, 4, 2), alpha in 0.0..=1.0, lambda in 0.01..2.0,
    ) {
        let merged = DenseProblem::of(&Case::merged(&e, alpha, true));
        let whole = DenseProblem::of(&Case::build(&Microclusters::singletons(&e), alpha, true));
        let c = whole.optimum(lambda);
        prop_assert!(max_difference(&merged.optimum(lambda), &c) < 1e-10);
        let groups = Microclusters::of(&e);
        let map = groups.grouping().map();
        let n = map.len();
        for (i, j, k, l) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j, (i + 1) % n, (j + 1) % n))) {
            let same_groups = map[i] == map[k] && map[j] == map[l];
            if same_groups && i != j && k != l {
                prop_assert!((c[i][j] - c[k][l]).abs() < 1e-10);
            }
        }
    }
}
