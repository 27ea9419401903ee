//! `Admm`, compared with the n × n algorithm and the dense optimum.

mod oracle;

use std::ops::ControlFlow;
use std::sync::Arc;

use enclust_core::{
    Component, Confident, Csr, Ctx, Enhance, Ensemble, Error, Event, Grouping, History,
    KktResidual, Microclusters, PaperRule, Problem, Quantities, Similarity, Status, TimeLimit,
    condensed_len,
};
use enclust_enhance::Admm;
use enclust_enhance::objective::kkt_residual;
use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted, shuffled};
use oracle::{Case, DenseProblem, max_difference, to_dense};
use proptest::prelude::*;

/// Runs both for `rounds` iterations and compares every iteration.
fn equal_iterate_by_iterate(ensemble: &Ensemble, alpha: f64, params: &Admm, rounds: usize) {
    let case = Case::<f64>::merged(ensemble, alpha, true);
    let dense = DenseProblem::of(&Case::build(&Microclusters::singletons(ensemble), alpha, true));
    // The pairs within groups must be the same in both descriptions.
    assert!(max_difference(&dense.a, &DenseProblem::of(&case).a) < 1e-14);
    same_iterates(&case, &dense, params, rounds);
}

fn same_iterates(case: &Case<f64>, dense: &DenseProblem, params: &Admm, rounds: usize) {
    let gamma = (params.gamma1, params.gamma2);
    dense.admm(params.lambda, gamma, params.laplacian, params.fixed, |round, c, steps| {
        let params = params.clone().limit(round).epsilon(1e-300);
        let enhanced = case.enhance(&params);
        let clipped = oracle::combine(c, c, |x, _| x.clamp(0.0, 1.0));
        let difference = max_difference(&to_dense(&enhanced.similarity), &clipped);
        assert!(difference < 1e-11, "round {round}: iterates differ by {difference:e}");
        for (change, (step, scale)) in enhanced.report.last.unwrap().changes.iter().zip(steps) {
            let same = (change.step - step).abs() < 1e-10 && (change.scale - scale).abs() < 1e-10;
            assert!(same, "round {round}: {change:?}, expected step {step} from {scale}");
        }
        round == rounds
    });
}

/// Similar to the pools of the paper: groups of one to three samples, and confident pairs that
/// form long components with hardly any cycles.
fn tree_like(groups: usize, seed: u64) -> Case<f64> {
    let mut stream = shuffled(1 << 12, seed).into_iter().cycle();
    let mut below = |most: usize| stream.next().unwrap() % most;
    let map = (0..groups as u32).flat_map(|g| vec![g; [1, 1, 2, 3][below(4)]]).collect();
    let grouping = Arc::new(Grouping::from_map(map).unwrap());
    let mut share = |from: f64| from + (1.0 - from) * below(64) as f64 / 64.0;
    let between = (0..condensed_len(groups)).map(|_| share(0.0)).collect();
    let within: Vec<f64> = (0..groups).map(|_| share(0.5)).collect();
    let similarity = Similarity::new(grouping, between, within, vec![1.0; groups]).unwrap();
    // Each group is joined to one of the few groups before it, sometimes to two; some groups
    // begin a new component.
    let mut upper = vec![Vec::new(); groups];
    for p in 1..groups {
        let parents: Vec<usize> = (0..1 + below(8) / 7).map(|_| p - 1 - below(p.min(4))).collect();
        for parent in parents {
            if p % 80 != 0 && upper[parent].last().is_none_or(|e: &(u32, f64)| e.0 != p as u32) {
                upper[parent].push((p as u32, 0.8 + below(5) as f64 / 20.0));
            }
        }
    }
    let graph = Csr::symmetric_from_upper(upper);
    let own_value = |p: usize, q: u32| (q, similarity.between(p, q as usize));
    let fixed = (0..groups).map(|p| graph.row(p).0.iter().map(|&q| own_value(p, q)).collect());
    let fixed = Csr::from_rows(groups, fixed.collect());
    let confident = Confident::new(graph, vec![1.0; groups], fixed, vec![true; groups]).unwrap();
    Case { similarity, confident }
}

/// More than one panel of columns, and components with a sparse factor.
#[test]
fn sparse_components_and_several_panels_equal_the_n_by_n_algorithm() {
    for (groups, seed) in [(70, 1), (90, 2), (70, 3)] {
        let case = tree_like(groups, seed);
        let dense = DenseProblem::of(&case);
        let params = Admm::default().gamma2(1.5);
        same_iterates(&case, &dense, &params, 5);
        same_iterates(&case, &dense, &params.fixed(false), 2);
    }
}

/// A component of more groups than a panel has columns, with so many edges that its inverse is
/// dense.
#[test]
fn a_large_dense_component_equals_the_n_by_n_algorithm() {
    let case = Case::<f64>::merged(&planted(80, 8, 3, 0.6, 1), 0.3, true);
    let component = case.confident.graph.components();
    assert!(component.iter().filter(|&&c| c == component[0]).count() > 64);
    assert!(case.confident.graph.entries() > 1000);
    same_iterates(&case, &DenseProblem::of(&case), &Admm::default().gamma2(1.5), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn equals_the_n_by_n_algorithm(
        e in ensembles(10, 6, 3), alpha in 0.0..=1.0, lambda in 0.01..2.0,
        gamma1 in 0.1..3.0, gamma2 in 0.1..3.0, laplacian: bool, fixed: bool,
    ) {
        let params = Admm::default().lambda(lambda).gamma1(gamma1).gamma2(gamma2).laplacian(laplacian).fixed(fixed);
        equal_iterate_by_iterate(&e, alpha, &params, 8);
    }

    #[test]
    fn equals_the_n_by_n_algorithm_with_missing_labels(
        e in ensembles_with_missing(9, 5, 3), alpha in 0.0..=1.0, laplacian: bool, fixed: bool,
    ) {
        let params = Admm::default().laplacian(laplacian).fixed(fixed).gamma2(1.5);
        equal_iterate_by_iterate(&e, alpha, &params, 6);
    }

    #[test]
    fn long_runs_reach_the_dense_optimum(e in ensembles(7, 6, 3), alpha in 0.0..=1.0, lambda in 0.05..2.0) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let optimum = DenseProblem::of(&case).optimum(lambda);
        let stop = KktResidual::default().tolerance(1e-10);
        let params = Admm::default().lambda(lambda).limit(60_000);
        let enhanced = case.enhance_until(stop, &params);
        prop_assert_eq!(enhanced.report.status, Status::Converged);
        let scale = oracle::norm(&optimum).max(1.0);
        prop_assert!(max_difference(&to_dense(&enhanced.similarity), &optimum) < 1e-9 * scale);
    }

    #[test]
    fn a_huge_lambda_returns_the_similarity(e in ensembles(9, 6, 3), alpha in 0.0..=1.0) {
        let case = Case::<f64>::merged(&e, alpha, true);
        let stop = KktResidual::default().tolerance(1e-9);
        let params = Admm::default().lambda(1e9).gamma1(1e3).limit(20_000);
        let enhanced = case.enhance_until(stop, &params);
        let difference = max_difference(&to_dense(&enhanced.similarity), &to_dense(&case.similarity));
        prop_assert!(difference < 1e-6, "{difference}");
    }

    #[test]
    fn single_precision_agrees_to_1e_4(e in ensembles(12, 6, 3), alpha in 0.0..=1.0) {
        let double = Case::<f64>::merged(&e, alpha, true).enhance(&Admm::default());
        let params = Admm::default().limit(double.report.iterations).epsilon(1e-300);
        let single = Case::<f32>::merged(&e, alpha, true).enhance(&params);
        for (a, b) in double.similarity.condensed().iter().zip(single.similarity.condensed()) {
            prop_assert!((a - f64::from(*b)).abs() < 1e-4);
        }
    }
}

#[test]
fn thread_count_changes_no_bit() {
    let e = planted(900, 6, 40, 0.3, 5);
    let case = Case::<f64>::merged(&e, 0.8, true);
    assert!(case.similarity.len() > 300, "several panels");
    let run = |threads| {
        let ctx = Ctx::default().with_threads(threads);
        ctx.install(|ctx| Admm::default().enhance(&case.problem(), ctx)).unwrap().unwrap()
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.similarity, two.similarity);
    assert_eq!(one.report.iterations, two.report.iterations);
}

#[test]
fn stops_where_the_authors_rule_says() {
    let e = planted(40, 8, 4, 0.25, 3);
    let dense = DenseProblem::of(&Case::merged(&e, 0.8, true));
    let mut expected = 0;
    dense.admm(0.4, (1.0, 1.0), true, true, |round, _, steps| {
        expected = round;
        steps.iter().all(|(step, scale)| step / scale < 1e-2)
    });
    let report = Case::<f64>::merged(&e, 0.8, true).enhance(&Admm::default()).report;
    assert_eq!((report.status, report.iterations), (Status::Converged, expected));
    // The rule printed in the paper squares the ratios and therefore stops earlier.
    let case = Case::<f64>::merged(&e, 0.8, true);
    let squared = case.enhance_until(PaperRule::default(), &Admm::default());
    assert!(squared.report.iterations < expected);
}

#[test]
fn limits_are_statuses() {
    let case = Case::<f64>::merged(&planted(40, 8, 4, 0.25, 3), 0.8, true);
    let short = Admm::default().limit(3);
    let report = case.enhance(&short).report;
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 3));
    let hasty = TimeLimit::default().seconds(1e-12);
    let report = case.enhance_until(hasty, &Admm::default()).report;
    assert_eq!((report.status, report.iterations), (Status::TimeLimit, 1));
}

#[test]
fn observers_see_every_iteration_and_may_stop() {
    let case = Case::<f64>::merged(&planted(40, 8, 4, 0.25, 3), 0.8, true);
    let history = History::of(Quantities::OBJECTIVE | Quantities::RESIDUAL | Quantities::CHANGES);
    let ctx = Ctx::default().with_observer(&history);
    let enhanced = Admm::default().enhance(&case.problem(), &ctx).unwrap();
    assert_eq!(history.records().len(), enhanced.report.iterations);
    let records = history.records();
    let last = records.last().unwrap();
    assert_eq!(last.residual, Some(kkt_residual(&case.problem(), 0.4, &enhanced.similarity)));
    assert!(last.objective.unwrap() > 0.0);

    let impatient = |event: &Event<'_>| match event {
        Event::Iteration { record, .. } if record.iteration == 2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let ctx = Ctx::default().with_observer(&impatient);
    let report = Admm::default().enhance(&case.problem(), &ctx).unwrap().report;
    assert_eq!((report.status, report.iterations), (Status::Cancelled, 2));
}

#[test]
fn a_raised_cancel_flag_ends_the_run() {
    let case = Case::<f64>::merged(&planted(40, 8, 4, 0.25, 3), 0.8, true);
    let flag = std::sync::atomic::AtomicBool::new(true);
    let ctx = Ctx::default().with_cancel(&flag);
    let report = Admm::default().enhance(&case.problem(), &ctx).unwrap().report;
    assert_eq!((report.status, report.iterations), (Status::Cancelled, 1));
}

#[test]
fn parameters_out_of_range_are_refused() {
    for (params, name) in [
        (Admm::default().lambda(0.0), "lambda"),
        (Admm::default().gamma1(-1.0), "gamma1"),
        (Admm::default().gamma2(f64::NAN), "gamma2"),
        (Admm::default().epsilon(f64::INFINITY), "epsilon"),
        (Admm::default().limit(0), "limit"),
    ] {
        let message = params.check().unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn without_fixed_entries_the_residual_is_that_of_the_ablated_problem() {
    let case = Case::<f64>::merged(&planted(40, 8, 4, 0.25, 3), 0.8, true);
    let stop = KktResidual::default().tolerance(1e-8);
    let params = Admm::default().fixed(false).limit(5000);
    let report = case.enhance_until(stop, &params).report;
    assert_eq!(report.status, Status::Converged);
}

#[test]
fn confident_pairs_that_do_not_fit_are_refused() {
    let case = Case::<f64>::merged(&planted(40, 8, 4, 0.25, 3), 0.8, true);
    let n = case.similarity.len();
    let one_sided =
        Csr::from_rows(n, (0..n).map(|p| if p == 0 { vec![(1, 0.5)] } else { vec![] }).collect());
    let negative = Csr::symmetric_from_upper(
        (0..n).map(|p| if p == 0 { vec![(1, -0.5)] } else { vec![] }).collect(),
    );
    let graph = "graph of confident pairs";
    let size = |found: usize| Error::Size { what: graph, expected: n, found };
    let asymmetric = Error::Asymmetric { row: 0, column: 1, upper: 0.5, lower: 0.0 };
    let entry = Error::Entry { what: graph, row: 0, column: 1, value: -0.5 };
    let with_graph = |graph: Csr<f64>| {
        let mut confident = Confident::none(n);
        confident.graph = graph;
        confident
    };
    let odd = [
        (Confident::none(n - 1), size(n - 1)),
        (Confident::none(n + 1), size(n + 1)),
        (with_graph(one_sided), asymmetric),
        (with_graph(negative), entry),
    ];
    for (confident, expected) in &odd {
        let error = Problem::new(&case.similarity, confident).unwrap_err();
        assert_eq!(&error, expected);
    }
}
