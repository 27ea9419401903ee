//! The problem itself: convexity, optimality conditions, and equality over groups and samples.

mod oracle;

use std::sync::Arc;

use enclust_core::{Confident, Microclusters, Problem, Similarity, condensed_len};
use enclust_enhance::objective::{Field, gradient, kkt_residual, norm, objective};
use enclust_testkit::generate::{ensembles, ensembles_with_missing};
use oracle::{Case, Dense, DenseProblem, max_difference, to_dense};
use proptest::prelude::*;

/// The step of finite differences along single entries. The objective is quadratic, so the step
/// need not be small, but the points must stay within [0, 1].
const STEP: f64 = 0.125;

/// Values for points, at least one step away from 0 and 1.
fn values() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(STEP..1.0 - STEP, 61)
}

/// A matrix that is constant on the groups of `like`, filled by cycling through `values`.
fn point(like: &Similarity<f64>, values: &[f64]) -> Similarity<f64> {
    let n = like.len();
    let take = |start: usize, len: usize| -> Vec<f64> {
        (start..start + len).map(|at| values[at % values.len()]).collect()
    };
    let (between, rest) = (take(0, condensed_len(n)), condensed_len(n));
    let grouping = Arc::clone(like.grouping());
    Similarity::new(grouping, between, take(rest, n), take(rest + n, n)).unwrap()
}

/// (1 − t)x + ty.
fn mixed(x: &Similarity<f64>, y: &Similarity<f64>, t: f64) -> Similarity<f64> {
    let mix = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (1.0 - t) * x + t * y).collect();
    let (within, own) = (mix(x.within(), y.within()), mix(x.own(), y.own()));
    let grouping = Arc::clone(x.grouping());
    Similarity::new(grouping, mix(x.condensed(), y.condensed()), within, own).unwrap()
}

/// ‖x − y‖² over the samples, computed from the n × n matrices.
fn squared_distance(x: &Similarity<f64>, y: &Similarity<f64>) -> f64 {
    x.to_matrix().iter().zip(y.to_matrix()).map(|(x, y)| (x - y).powi(2)).sum()
}

/// An entry of a matrix that is constant on groups.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Between(usize, usize),
    Within(usize),
    Own(usize),
}

fn entries(n: usize) -> Vec<Entry> {
    let pairs = (0..n).flat_map(|p| (p + 1..n).map(move |q| Entry::Between(p, q)));
    pairs.chain((0..n).flat_map(|p| [Entry::Within(p), Entry::Own(p)])).collect()
}

/// The number of entries of the n × n matrix that it represents.
fn entry_weight(entry: Entry, sizes: &[usize]) -> f64 {
    (match entry {
        Entry::Between(p, q) => 2 * sizes[p] * sizes[q],
        Entry::Within(p) => sizes[p] * (sizes[p] - 1),
        Entry::Own(p) => sizes[p],
    }) as f64
}

fn entry_of(field: &Field, entry: Entry) -> f64 {
    match entry {
        Entry::Between(p, q) => field.between[(p, q)],
        Entry::Within(p) => field.within[p],
        Entry::Own(p) => field.own[p],
    }
}

/// The point with one entry changed.
fn with_entry(at: &Similarity<f64>, base: &Field, entry: Entry, by: f64) -> Similarity<f64> {
    let Field { mut between, mut within, mut own } = base.clone();
    match entry {
        Entry::Between(p, q) => between[(p, q)] += by,
        Entry::Within(p) => within[p] += by,
        Entry::Own(p) => own[p] += by,
    }
    Similarity::new(Arc::clone(at.grouping()), between.into_values(), within, own).unwrap()
}

/// A dense symmetric matrix as a similarity with every sample in its own group.
fn similarity(c: &Dense) -> Similarity<f64> {
    let flat: Vec<f64> = c.iter().flatten().map(|v| v.clamp(0.0, 1.0)).collect();
    Similarity::from_matrix(c.len(), &flat).unwrap()
}

/// A feasible point: the optimum with its free entries changed by `amounts`, within the bounds.
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

    /// f((1 − t)x + ty) ≤ (1 − t)f(x) + tf(y) − λ/2 · t(1 − t)‖x − y‖², over groups. For a
    /// quadratic with the Hessian 2Φ⊗I + λ this is equivalent to convexity, so the gap is also
    /// compared with its exact value from Φ and λ.
    #[test]
    fn the_objective_is_strongly_convex_with_modulus_lambda(
        e in ensembles_with_missing(8, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0, t in 0.0..=1.0,
        first in values(), second in values(),
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let (x, y) = (point(&case.similarity, &first), point(&case.similarity, &second));
        let value = |c: &Similarity<f64>| objective(&case.problem(), lambda, c);
        let chord = |t: f64| (1.0 - t) * value(&x) + t * value(&y);
        let slack = 1e-10 * (1.0 + chord(t).abs());
        let bend = |t: f64| 0.5 * lambda * t * (1.0 - t) * squared_distance(&x, &y);
        prop_assert!(value(&mixed(&x, &y, t)) <= chord(t) - bend(t) + slack, "at t = {t}");
        prop_assert!(value(&mixed(&x, &y, 0.5)) <= chord(0.5) - bend(0.5) + slack, "midpoint");
        // Without confident pairs the curvature comes from λ alone, and the gap is exact.
        let none = Confident::none(case.similarity.len());
        let free = Problem::new(&case.similarity, &none).unwrap();
        let value = |c: &Similarity<f64>| objective(&free, lambda, c);
        let gap = (1.0 - t) * value(&x) + t * value(&y) - value(&mixed(&x, &y, t));
        prop_assert!((gap - bend(t)).abs() <= slack, "{gap} and {}", bend(t));
    }

    /// For a quadratic, the central difference equals the derivative.
    #[test]
    fn the_gradient_is_the_slope_in_every_direction(
        e in ensembles_with_missing(8, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
        at in values(), towards in values(),
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let sizes = case.similarity.grouping().sizes();
        let (x, y) = (point(&case.similarity, &at), point(&case.similarity, &towards));
        let middle = mixed(&x, &y, 0.5);
        let value = |c: &Similarity<f64>| objective(&case.problem(), lambda, c);
        let slope = value(&y) - value(&x);
        let direction = |f: fn(&Field) -> &Vec<f64>| -> Vec<f64> {
            f(&Field::of(&y)).iter().zip(f(&Field::of(&x))).map(|(y, x)| y - x).collect()
        };
        let step = Field {
            between: Field::of(&y).between.zip(&Field::of(&x).between, |y, x| y - x),
            within: direction(|f| &f.within),
            own: direction(|f| &f.own),
        };
        let claimed = gradient(&case.problem(), lambda, &middle).dot(&step, sizes);
        let scale = 1.0 + value(&x).abs() + value(&y).abs();
        prop_assert!((slope - claimed).abs() <= 1e-10 * scale, "{slope} and {claimed}");
        // Along each single entry, so that errors cannot cancel.
        let (n, gradient) = (sizes.len(), gradient(&case.problem(), lambda, &middle));
        let base = Field::of(&middle);
        for entry in entries(n) {
            let moved = |by: f64| value(&with_entry(&middle, &base, entry, by));
            let weight = entry_weight(entry, sizes);
            let slope = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let claimed = weight * entry_of(&gradient, entry);
            prop_assert!((slope - claimed).abs() <= 1e-8 * scale, "{entry:?}: {slope}, {claimed}");
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
        // Symmetric, within the range of the data, fixed entries unchanged, gradient zero.
        let lowest = dense.a.iter().flatten().fold(1.0, |m, &v| f64::min(m, v));
        let highest = dense.a.iter().flatten().fold(0.0, |m, &v| f64::max(m, v));
        let slope = gradient(&whole.problem(), lambda, &similarity(&c));
        for i in 0..dense.n() {
            prop_assert!(slope.own[i].abs() < 1e-9);
            for j in i + 1..dense.n() {
                prop_assert!((c[i][j] - c[j][i]).abs() < 1e-10);
                prop_assert!(c[i][j] >= lowest - 1e-10 && c[i][j] <= highest + 1e-10);
                if dense.fixed[i][j] {
                    prop_assert!((c[i][j] - dense.a[i][j]).abs() < 1e-12);
                } else {
                    prop_assert!(slope.between[(i, j)].abs() < 1e-9);
                }
            }
        }
        prop_assert!(kkt_residual(&whole.problem(), lambda, &similarity(&c)) < 1e-9);
        // No feasible perturbation improves the objective.
        let amounts: Vec<f64> = amounts.iter().map(|a| a * 10_f64.powf(size)).collect();
        let other = feasible(&dense, &c, &amounts);
        let value = |c: &Dense| objective(&whole.problem(), lambda, &similarity(c));
        let (best, value) = (value(&c), value(&other));
        prop_assert!(value >= best - 1e-11 * (1.0 + best), "{value} < {best}");
    }

    #[test]
    fn objective_and_residual_are_the_same_at_group_size(
        e in ensembles_with_missing(9, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
    ) {
        let merged = Case::<f64>::merged(&e, alpha, true);
        let whole = Case::<f64>::build(&Microclusters::singletons(&e), alpha, true);
        let dense = DenseProblem::of(&whole);
        // Any matrix that is constant on groups can be used; here that of EAC.
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
    fn the_residual_is_that_of_the_definition(
        e in ensembles_with_missing(9, 5, 3), alpha in 0.0..=1.0, lambda in 0.01..20.0, at in values(),
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let c = point(&case.similarity, &at);
        let direct = DenseProblem::of(&case).residual(lambda, &to_dense(&c));
        let value = kkt_residual(&case.problem(), lambda, &c);
        prop_assert!((value - direct).abs() < 1e-10 * (1.0 + direct), "{value} and {direct}");
        let (length, direct) = (norm(&c), oracle::norm(&to_dense(&c)));
        prop_assert!((length - direct).abs() < 1e-12 * direct, "{length} and {direct}");
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

#[test]
fn the_residual_of_nothing_is_zero() {
    let zero = similarity(&vec![vec![0.0; 3]; 3]);
    let none = Confident::none(3);
    let problem = Problem::new(&zero, &none).unwrap();
    assert_eq!(kkt_residual(&problem, 0.4, &zero), 0.0);
}
