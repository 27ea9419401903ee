//! `Exact`, compared with elimination on the full system, and its certificate.

mod oracle;

use enclust_core::KktResidual;
use enclust_core::{
    Certificate, Component, Condensed, Confident, Csr, Ctx, Enhance, Ensemble, Error, Grouping,
    Microclusters, Problem, Real, Similarity, Status,
};
use enclust_enhance::objective::{kkt_residual, objective};
use enclust_enhance::{Admm, Exact, Storage};
use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted};
use oracle::{Case, Dense, DenseProblem, combine, max_difference, norm, to_dense};
use proptest::prelude::*;

fn exact(lambda: f64, tolerance: f64) -> Exact {
    Exact::default().lambda(lambda).tolerance(tolerance)
}

/// Checks the certificate against the distance to the optimum, off the diagonal and on it, and
/// against the residual from which it is computed.
fn holds(
    certificate: &Certificate,
    answer: &Dense,
    optimum: &Dense,
    dense: &DenseProblem,
    lambda: f64,
) {
    let error = combine(answer, optimum, |x, y| x - y);
    let slack = 1e-12;
    assert!(norm(&error) <= certificate.distance + slack, "{} > {certificate:?}", norm(&error));
    assert!(max_difference(answer, optimum) <= certificate.largest_distance + slack);
    let (here, best) = (dense.objective(lambda, answer), dense.objective(lambda, optimum));
    assert!((here - certificate.objective).abs() <= 1e-9 * (1.0 + here));
    assert!(here - best <= certificate.objective_gap + slack, "{here} - {best}, {certificate:?}");
    let equal = |x: f64, y: f64| assert!((x - y).abs() <= 1e-10, "{x} and {y}, {certificate:?}");
    let scale = norm(&dense.a);
    equal(certificate.relative_residual, dense.residual(lambda, answer));
    equal(certificate.distance, certificate.relative_residual * scale);
    equal(certificate.relative_distance, certificate.relative_residual);
    equal(certificate.largest_distance, dense.largest_slope(lambda, answer) / lambda);
    equal(certificate.objective_gap, 0.5 * lambda * certificate.distance.powi(2));
    assert_eq!(certificate.fixed_error, 0.0);
}

/// More fixed entries: every `step`-th free pair of groups of one sample is fixed to 0 or 1.
fn constrained(case: &Case<f64>, step: usize) -> Confident<f64> {
    let n = case.similarity.len();
    let sizes = case.similarity.grouping().sizes();
    let upper = (0..n).map(|p| {
        let fixed = |q: &usize| {
            let given = case.confident.fixed.get(p, *q);
            let single = sizes[p] == 1 && sizes[*q] == 1;
            given.or((single && (p * 7 + q).is_multiple_of(step)).then_some(((p + q) % 2) as f64))
        };
        (p + 1..n).filter_map(|q| fixed(&q).map(|v| (q as u32, v))).collect()
    });
    with_fixed(&case.confident, Csr::symmetric_from_upper(upper.collect()))
}

/// The same pairs with other entries fixed.
fn with_fixed(pairs: &Confident<f64>, fixed: Csr<f64>) -> Confident<f64> {
    let mut confident = pairs.clone();
    confident.fixed = fixed;
    confident
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn equals_the_dense_direct_solution(
        e in ensembles_with_missing(8, 6, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let dense = DenseProblem::of(&case);
        let optimum = dense.optimum(lambda);
        let enhanced = case.enhance(&exact(lambda, 1e-12));
        let answer = to_dense(&enhanced.similarity);
        prop_assert!(max_difference(&answer, &optimum) < 1e-9);
        prop_assert_eq!(enhanced.report.status, Status::Converged);
        prop_assert!(kkt_residual(&case.problem(), lambda, &enhanced.similarity) < 1e-10);
        holds(&enhanced.report.certificate.unwrap(), &answer, &optimum, &dense, lambda);
    }

    #[test]
    fn the_certificate_holds_for_early_stopped_answers(
        e in ensembles(9, 6, 3), alpha in 0.3..=1.0, lambda in 0.01..2.0, limit in 1..6_usize,
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let dense = DenseProblem::of(&case);
        let params = Exact::default().lambda(lambda).limit(limit).tolerance(1e-300);
        let enhanced = case.enhance(&params);
        let answer = to_dense(&enhanced.similarity);
        holds(&enhanced.report.certificate.unwrap(), &answer, &dense.optimum(lambda), &dense, lambda);
    }

    #[test]
    fn groups_and_samples_have_the_same_optimum(e in ensembles(10, 5, 3), alpha in 0.0..=1.0) {
        let merged = Case::<f64>::merged(&e, alpha, true).enhance(&exact(0.4, 1e-12));
        let whole = Case::<f64>::build(&Microclusters::singletons(&e), alpha, true);
        let whole = whole.enhance(&exact(0.4, 1e-12));
        let difference = max_difference(&to_dense(&merged.similarity), &to_dense(&whole.similarity));
        prop_assert!(difference < 1e-9, "{difference}");
        let (a, b) = (merged.report.certificate.unwrap(), whole.report.certificate.unwrap());
        prop_assert!((a.objective - b.objective).abs() < 1e-9 * (1.0 + b.objective));
    }

    #[test]
    fn extra_fixed_entries_keep_the_guarantee(
        e in ensembles(9, 6, 4), alpha in 0.3..=1.0, lambda in 0.05..2.0, step in 2..9_usize,
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let confident = constrained(&case, step);
        let case = Case { confident, ..case };
        let dense = DenseProblem::of(&case);
        let optimum = dense.optimum(lambda);
        let enhanced = case.enhance(&exact(lambda, 1e-12));
        let answer = to_dense(&enhanced.similarity);
        prop_assert!(max_difference(&answer, &optimum) < 1e-9);
        for i in 0..dense.n() {
            for j in (0..dense.n()).filter(|&j| dense.fixed[i][j]) {
                prop_assert_eq!(answer[i][j], dense.values[i][j]);
            }
        }
    }

    #[test]
    fn free_pairs_inside_groups_are_certified(
        e in ensembles(9, 3, 2), alpha in 0.3..=1.0, lambda in 0.05..2.0,
    ) {
        let mut case = Case::<f64>::merged(&e, alpha, true);
        case.confident.within.fill(0.0);
        case.confident.fixed_within.fill(false);
        let dense = DenseProblem::of(&case);
        let enhanced = case.enhance(&exact(lambda, 1e-12));
        let answer = to_dense(&enhanced.similarity);
        holds(&enhanced.report.certificate.unwrap(), &answer, &dense.optimum(lambda), &dense, lambda);
    }

    #[test]
    fn larger_data_give_a_larger_answer(
        e in ensembles(9, 6, 3), alpha in 0.3..=1.0, lambda in 0.05..2.0, share in 0.0..1.0,
    ) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let low = scaled(&case.similarity, share);
        let fixed = Csr::symmetric_from_upper((0..low.len()).map(|p| {
            let upper = case.confident.fixed.iter_row(p).filter(|&(q, _)| q > p);
            upper.map(|(q, v)| (q as u32, v * share)).collect()
        }).collect());
        let lower = Case { similarity: low, confident: with_fixed(&case.confident, fixed) };
        let (high, low) = (case.enhance(&exact(lambda, 1e-12)), lower.enhance(&exact(lambda, 1e-12)));
        for (h, l) in high.similarity.condensed().iter().zip(low.similarity.condensed()) {
            prop_assert!(l <= &(h + 1e-10));
        }
    }

    #[test]
    fn equals_long_admm(e in ensembles(12, 8, 3), alpha in 0.3..=1.0) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let stop = KktResidual::default().tolerance(1e-9);
        let admm = Admm::default().limit(60_000);
        let long = case.enhance_until(stop, &admm);
        prop_assert_eq!(long.report.status, Status::Converged);
        let difference = max_difference(
            &to_dense(&long.similarity), &to_dense(&case.enhance(&exact(0.4, 1e-11)).similarity),
        );
        prop_assert!(difference < 1e-7, "{difference}");
    }
}

/// The problem restricted to some groups, in their order.
fn restricted(case: &Case<f64>, groups: &[usize]) -> (Similarity<f64>, Confident<f64>) {
    let (all, confident) = (&case.similarity, &case.confident);
    let sizes: Vec<usize> = groups.iter().map(|&p| all.grouping().sizes()[p]).collect();
    let map = sizes.iter().enumerate().flat_map(|(at, &r)| vec![at as u32; r]).collect();
    let pick = |values: &[f64]| groups.iter().map(|&p| values[p]).collect::<Vec<_>>();
    let between = Condensed::filled(groups.len(), |i, row| {
        for (j, out) in (i + 1..groups.len()).zip(row) {
            *out = all.between(groups[i], groups[j]);
        }
    });
    let part = |matrix: &Csr<f64>| {
        let row = |&p: &usize| {
            let kept = |(at, &q): (usize, &usize)| matrix.get(p, q).map(|v| (at as u32, v));
            groups.iter().enumerate().filter_map(kept).collect()
        };
        Csr::from_rows(groups.len(), groups.iter().map(row).collect())
    };
    let grouping = std::sync::Arc::new(Grouping::from_map(map).unwrap());
    let similarity =
        Similarity::new(grouping, between.into_values(), pick(all.within()), pick(all.own()))
            .unwrap();
    let (graph, fixed) = (part(&confident.graph), part(&confident.fixed));
    let fixed_within = groups.iter().map(|&p| confident.fixed_within[p]).collect();
    let within = pick(&confident.within);
    (similarity, Confident::new(graph, within, fixed, fixed_within).unwrap())
}

/// T4: the block between two components of H does not depend on the others.
#[test]
fn blocks_of_components_have_the_same_answer_alone() {
    let case = Case::<f64>::merged(&planted(400, 10, 8, 0.1, 4), 0.6, true);
    let component = case.confident.graph.components();
    let count = component.iter().max().unwrap() + 1;
    assert!((3..200).contains(&count), "{count} components");
    let whole = case.enhance(&exact(0.4, 1e-10)).similarity;
    for a in 0..count.min(12) {
        for b in a..count.min(12) {
            let groups: Vec<usize> =
                (0..component.len()).filter(|&p| [a, b].contains(&component[p])).collect();
            let (similarity, confident) = restricted(&case, &groups);
            let problem = Problem::new(&similarity, &confident).unwrap();
            let alone = exact(0.4, 1e-10).enhance(&problem, &Ctx::default()).unwrap();
            for i in 0..groups.len() {
                for j in i + 1..groups.len() {
                    let (x, y) =
                        (alone.similarity.between(i, j), whole.between(groups[i], groups[j]));
                    assert!((x - y).abs() < 1e-8, "components {a} and {b}: {x} and {y}");
                }
            }
        }
    }
}

/// Without confident pairs the answer is A and its residual is 0, but a certificate computed in
/// floating point proves no more than its precision.
#[test]
fn an_answer_without_residual_is_certified_up_to_rounding() {
    let similarity = Similarity::from_matrix(12, &[0.5; 144]).unwrap();
    let case = Case { similarity, confident: Confident::none(12) };
    let certificate = case.enhance(&exact(0.01, 1e-12)).report.certificate.unwrap();
    assert_eq!(certificate.relative_residual, 0.0);
    let roundings = 4.0 * f64::EPSILON..16.0 * f64::EPSILON;
    assert!(roundings.contains(&certificate.largest_distance), "{certificate:?}");
    assert!(roundings.contains(&certificate.relative_distance), "{certificate:?}");
}

fn scaled(s: &Similarity<f64>, share: f64) -> Similarity<f64> {
    let times = |values: &[f64]| values.iter().map(|v| v * share).collect();
    let parts = (times(s.condensed()), times(s.within()), times(s.own()));
    Similarity::new(s.grouping().clone(), parts.0, parts.1, parts.2).unwrap()
}

fn large<S: Real>() -> Case<S> {
    let case = Case::merged(&planted(900, 6, 40, 0.3, 5), 0.6, true);
    assert!(case.similarity.len() > 300, "several tiles");
    case
}

#[test]
fn many_tiles_agree_with_the_definition_and_threads_change_no_bit() {
    let case = large::<f64>();
    let run = |threads| {
        let ctx = Ctx::default().with_threads(threads);
        ctx.install(|ctx| exact(0.4, 1e-10).enhance(&case.problem(), ctx)).unwrap().unwrap()
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.similarity, two.similarity);
    assert!(kkt_residual(&case.problem(), 0.4, &one.similarity) < 1e-9);
    let certificate = one.report.certificate.unwrap();
    let value = objective(&case.problem(), 0.4, &one.similarity);
    assert!((certificate.objective - value).abs() < 1e-12 * value, "{certificate:?}, {value}");
    assert!(certificate.relative_distance < 1e-9);
}

#[test]
fn single_precision_stays_within_its_certificate() {
    let (single, double) = (large::<f32>(), large::<f64>());
    let (single, double) = (single.enhance(&exact(0.4, 1e-4)), double.enhance(&exact(0.4, 1e-12)));
    let bound = single.report.certificate.unwrap();
    let pairs = single.similarity.condensed().iter().zip(double.similarity.condensed());
    let worst = pairs.map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
    assert!(worst <= bound.largest_distance, "{worst} and {bound:?}");
    assert!(worst < 1e-3);
}

/// With large groups and a small λ, rounding in single precision matters: the iteration must
/// detect that its updated residual is inaccurate.
#[test]
fn single_precision_reaches_a_tolerance_far_below_its_own() {
    for seed in 0..6 {
        let case = Case::<f64>::merged(&planted(600, 8, 6, 0.04, seed), 0.6, true);
        for lambda in [0.4, 0.05] {
            let params = Exact::default().lambda(lambda).tolerance(1e-10).limit(400);
            let [single, double] = [Storage::Single, Storage::Double]
                .map(|storage| case.enhance(&params.clone().storage(storage)));
            for report in [&single.report, &double.report] {
                assert_eq!(report.status, Status::Converged, "seed {seed}, λ {lambda}");
                assert!(report.certificate.unwrap().relative_distance < 1.1e-10);
            }
            let (one, two) = (single.report.iterations, double.report.iterations);
            assert!(one < 4 * two, "{one} iterations in single, {two} in double precision");
        }
    }
}

#[test]
fn a_warm_start_gives_the_same_guarantee_in_fewer_iterations() {
    let case = large::<f64>();
    let neighbour = case.enhance(&exact(0.38, 1e-6)).similarity;
    let warm = case.problem().with_start(Some(&neighbour));
    let warm = exact(0.4, 1e-6).enhance(&warm, &Ctx::default()).unwrap();
    let cold = case.enhance(&exact(0.4, 1e-6));
    assert!(warm.report.iterations < cold.report.iterations);
    assert!(warm.report.certificate.unwrap().relative_distance < 1.1e-6);
}

#[test]
fn degenerate_ensembles_have_an_answer() {
    let all_equal = Ensemble::from_columns(&vec![vec![0, 0, 1, 1, 2]; 4]).unwrap();
    let all_different =
        Ensemble::from_columns(&[vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3, 4]]).unwrap();
    let one = Ensemble::from_columns(&[vec![0, 0, 1, 1, 1]]).unwrap();
    let alone = Ensemble::from_columns(&[[7]]).unwrap();
    let noise = planted(40, 5, 4, 1.0, 2);
    for e in [all_equal, all_different, one, alone, noise] {
        for alpha in [0.0, 0.5, 1.0] {
            for lambda in [1e-6, 0.4, 1e9] {
                let case = Case::<f64>::merged(&e, alpha, true);
                let enhanced = case.enhance(&exact(lambda, 1e-8));
                // At λ = 1e-6 the tolerance is below the residual that the rounding of C allows.
                let status = enhanced.report.status;
                let honest = lambda < 1e-3 && status == Status::PrecisionLimit;
                assert!(status == Status::Converged || honest, "α {alpha}, λ {lambda}: {status}");
                let certificate = enhanced.report.certificate.unwrap();
                assert!(
                    certificate.relative_distance < 1e-5,
                    "α {alpha}, λ {lambda}: {certificate:?}"
                );
            }
        }
    }
}

#[test]
fn an_edge_that_is_not_fixed_is_unsupported() {
    let case = large::<f64>();
    let n = case.similarity.len();
    let confident = with_fixed(&case.confident, Csr::empty(n, n));
    let problem = Problem::new(&case.similarity, &confident).unwrap();
    let error = Exact::default().enhance(&problem, &Ctx::default()).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}

#[test]
fn parameters_out_of_range_are_refused() {
    for params in [
        Exact::default().lambda(0.0),
        Exact::default().tolerance(f64::NAN),
        Exact::default().limit(0),
    ] {
        assert!(params.check().is_err());
    }
}

/// Two samples of one group are joined but not fixed. Their value then depends on the diagonal,
/// which is not part of the system.
#[test]
fn an_edge_inside_a_group_must_be_fixed() {
    let grouping = std::sync::Arc::new(Grouping::from_map(vec![0, 0, 1]).unwrap());
    let a = Similarity::new(grouping, vec![0.5], vec![0.5, 1.0], vec![1.0, 1.0]).unwrap();
    let mut confident = Confident::none(2);
    confident.within = vec![0.5, 0.0];
    let problem = Problem::new(&a, &confident).unwrap();
    let error = Exact::default().enhance(&problem, &Ctx::default()).unwrap_err();
    let said = "exact does not support an edge of H inside group 0 that is not fixed";
    assert_eq!(error.to_string(), said);
    confident.fixed_within = vec![true, false];
    let problem = Problem::new(&a, &confident).unwrap();
    assert!(Exact::default().enhance(&problem, &Ctx::default()).is_ok());
}
