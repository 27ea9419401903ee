//! Pipelines with constraints, compared with elimination on the full system, and monotonicity of
//! the results.

mod oracle;

use enclust_ca::{LocallyWeightedBipartite, Lwca, Pts};
use enclust_consensus::{Linkage, Tcut};
use enclust_core::KktResidual;
use enclust_core::{
    Ca, Constraints, Ctx, Enhance, Ensemble, Error, Fit, Method, Microclusters, NoEnhancement,
    Pipeline, Precomputed, Question, Real, Similarity, Status, Violations,
};
use enclust_enhance::{Admm, Exact, Threshold, TwoSided};
use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted};
use oracle::{Case, Dense, DenseProblem, max_difference, to_dense};
use proptest::collection::vec;
use proptest::prelude::*;

fn exact(lambda: f64) -> Exact {
    Exact::default().lambda(lambda).tolerance(1e-12)
}

fn long_admm(lambda: f64) -> Admm {
    Admm::default().lambda(lambda).limit(60_000)
}

fn to_the_end() -> KktResidual {
    KktResidual::default().tolerance(1e-10)
}

fn threshold(alpha: f64) -> Threshold {
    Threshold::default().alpha(alpha)
}

/// Pairs that agree with a true partition, so that they never contradict each other.
#[derive(Clone, Debug)]
struct Known {
    must: Vec<(usize, usize)>,
    cannot: Vec<(usize, usize)>,
}

impl Known {
    fn new(samples: usize, truth: &[u8], pairs: &[(usize, usize)]) -> Self {
        let inside = pairs.iter().map(|(i, j)| (i % samples, j % samples));
        let (must, cannot) =
            inside.filter(|(i, j)| i != j).partition(|&(i, j)| truth[i] == truth[j]);
        Known { must, cannot }
    }

    fn constraints(&self, samples: usize) -> Constraints {
        Constraints::new(samples, &self.must, &self.cannot).unwrap()
    }

    /// The cannot-links in both directions.
    fn apart(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.cannot.iter().flat_map(|&(i, j)| [(i, j), (j, i)])
    }
}

fn truth_and_pairs() -> impl Strategy<Value = (Vec<u8>, Vec<(usize, usize)>)> {
    (vec(0..3_u8, 10), vec((0..10_usize, 0..10_usize), 0..7))
}

fn method<E: Enhance<f64>>(alpha: f64, enhancer: E) -> Pipeline<f64, Lwca, Threshold, E, Linkage> {
    Pipeline::new(Lwca::default(), threshold(alpha), enhancer, Linkage::average()).unwrap()
}

/// The fitted similarity of LWCA, threshold and the enhancer.
fn fit(e: &Ensemble, alpha: f64, enhancer: impl Enhance<f64>, c: Constraints) -> Fit<f64> {
    method(alpha, enhancer)
        .with_constraints(c)
        .fit(e, &Question::default(), &Ctx::default())
        .unwrap()
}

fn matrix(fit: &Fit<f64>) -> Dense {
    to_dense(fit.evidence.as_similarity().unwrap())
}

/// The n × n problem with the cannot-links fixed, made without any code for constraints.
fn dense(e: &Ensemble, alpha: f64, known: &Known) -> DenseProblem {
    let case = Case::build(&Microclusters::singletons(e), alpha, true);
    let mut problem = DenseProblem::of(&case);
    for (i, j) in known.apart() {
        problem.fixed[i][j] = true;
        problem.values[i][j] = 0.0;
    }
    problem
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn exact_gives_the_dense_direct_solution(
        e in ensembles(8, 6, 3), alpha in 0.0..=1.0, lambda in 0.05..2.0, (truth, pairs) in truth_and_pairs(),
    ) {
        let known = Known::new(e.samples(), &truth, &pairs);
        let fit = fit(&e, alpha, exact(lambda), known.constraints(e.samples()));
        let answer = matrix(&fit);
        for (i, j) in known.apart() {
            prop_assert_eq!(answer[i][j], 0.0);
        }
        let difference = max_difference(&answer, &dense(&e, alpha, &known).optimum(lambda));
        prop_assert!(difference < 1e-9, "{difference}");
        prop_assert!(fit.report.certificate.unwrap().relative_distance < 1e-10);
    }

    #[test]
    fn exact_gives_the_dense_direct_solution_with_missing_labels(
        e in ensembles_with_missing(8, 5, 3), alpha in 0.0..=1.0, (truth, pairs) in truth_and_pairs(),
    ) {
        let known = Known::new(e.samples(), &truth, &pairs);
        let answer = matrix(&fit(&e, alpha, exact(0.4), known.constraints(e.samples())));
        let difference = max_difference(&answer, &dense(&e, alpha, &known).optimum(0.4));
        prop_assert!(difference < 1e-9, "{difference}");
    }

    #[test]
    fn admm_reaches_the_same_answer(
        e in ensembles(7, 6, 3), alpha in 0.3..=1.0, lambda in 0.1..2.0, (truth, pairs) in truth_and_pairs(),
    ) {
        let known = Known::new(e.samples(), &truth, &pairs);
        let constraints = known.constraints(e.samples());
        let optimum = dense(&e, alpha, &known).optimum(lambda);
        let method = method(alpha, long_admm(lambda)).with_stop(to_the_end()).unwrap();
        let method = method.with_constraints(constraints.clone());
        let fit = method.fit(&e, &Question::default(), &Ctx::default()).unwrap();
        prop_assert_eq!(fit.report.status, Status::Converged);
        prop_assert!(max_difference(&matrix(&fit), &optimum) < 1e-7);
        // The iteration converges to these values before the pipeline sets the entries.
        let case = Case::<f64>::build(&Microclusters::singletons(&e), alpha, true);
        let mut confident = case.confident.clone();
        constraints.fix(case.similarity.grouping(), &mut confident).unwrap();
        let bare = Case { confident, ..case }.enhance_until(to_the_end(), &long_admm(lambda)).similarity;
        prop_assert!(max_difference(&to_dense(&bare), &optimum) < 1e-7);
    }

    #[test]
    fn cannot_links_lower_the_optimum(
        e in ensembles(9, 6, 3), alpha in 0.3..=1.0, lambda in 0.05..2.0,
        (truth, pairs) in truth_and_pairs(), more in vec((0..10_usize, 0..10_usize), 1..5),
    ) {
        let known = Known { must: Vec::new(), ..Known::new(e.samples(), &truth, &pairs) };
        let more = Known::new(e.samples(), &truth, &more);
        let apart = Known { cannot: [&known.cannot[..], &more.cannot].concat(), ..known.clone() };
        let answer = |k: &Known| matrix(&fit(&e, alpha, exact(lambda), k.constraints(e.samples())));
        let (low, high) = (answer(&apart), answer(&known));
        for i in 0..e.samples() {
            for j in 0..e.samples() {
                prop_assert!(low[i][j] <= high[i][j] + 1e-10);
            }
        }
    }

    #[test]
    fn splitting_endpoints_is_enough(
        e in ensembles(10, 4, 2), alpha in 0.3..=1.0, (truth, pairs) in truth_and_pairs(),
    ) {
        let known = Known::new(e.samples(), &truth, &pairs);
        let constraints = known.constraints(e.samples());
        let whole = Case::<f64>::merged(&e, alpha, true).similarity.to_matrix();
        let whole = Precomputed::new(Similarity::from_matrix(e.samples(), &whole).unwrap());
        // The same for some iterations of ADMM: every iterate is equal.
        let rounds = Admm::default().limit(7).epsilon(1e-300);
        let enhancers: [Box<dyn Enhance<f64>>; 2] =
            [Box::new(exact(0.4)), Box::new(rounds)];
        for enhancer in enhancers {
            let split = fit(&e, alpha, &enhancer, constraints.clone());
            let singletons = Pipeline::new(&whole, threshold(alpha), &enhancer, Linkage::average())
                .unwrap().with_constraints(constraints.clone()).fit(&e, &Question::default(), &Ctx::default()).unwrap();
            let difference = max_difference(&matrix(&split), &matrix(&singletons));
            prop_assert!(difference < 1e-9, "{}: {difference}", enhancer.name());
        }
    }
}

/// Two groups of three equal rows, and two samples between them.
fn small() -> Ensemble {
    let columns = [
        [0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 2, 2, 2],
        [0, 0, 0, 0, 0, 1, 1, 1],
        [0, 0, 0, 1, 2, 3, 3, 3],
    ];
    Ensemble::from_columns(&columns).unwrap()
}

#[test]
fn admm_stopped_early_honours_them_exactly() {
    let e = planted(60, 8, 4, 0.2, 3);
    let known = Constraints::new(60, &[(0, 1), (2, 7)], &[(0, 4), (1, 5)]).unwrap();
    let answer = matrix(&fit(&e, 0.8, Admm::default(), known));
    assert_eq!([answer[0][4], answer[5][1]], [0.0, 0.0]);
}

#[test]
fn cannot_links_move_other_pairs_as_well() {
    let answer = |known| matrix(&fit(&small(), 0.6, exact(0.4), known));
    let free = answer(Constraints::new(8, &[], &[]).unwrap());
    let bound = answer(Constraints::new(8, &[], &[(0, 3)]).unwrap());
    // Sample 1 has the row of sample 0.
    assert!(bound[1][3] < free[1][3] - 0.01, "{} and {}", bound[1][3], free[1][3]);
    assert!(bound[1][3] > 0.0);
}

/// A must-link between two components of the confident pairs would join all their samples.
#[test]
fn must_links_do_not_enter_the_enhancement() {
    let answer = |known| matrix(&fit(&small(), 0.6, exact(0.4), known));
    let free = answer(Constraints::new(8, &[], &[]).unwrap());
    assert_eq!(answer(Constraints::new(8, &[(0, 5), (1, 4)], &[]).unwrap()), free);
}

#[test]
fn the_representation_is_that_of_the_ensemble_alone() {
    let e = small();
    let ctx = &Ctx::<f64>::default();
    let pts = Pts::default();
    let given = |m: &Microclusters, ctx: &Ctx<'_, f64>| {
        to_dense(pts.build(m, &Question::default(), ctx).unwrap().as_similarity().unwrap())
    };
    let known = Constraints::new(8, &[], &[(0, 5), (1, 2)]).unwrap();
    let microclusters = Microclusters::of(&e);
    let mut expected = given(&microclusters, ctx);
    let split = microclusters.refined(&known.split(microclusters.grouping()).unwrap()).unwrap();
    // On the split groups the trajectories differ; otherwise this test would show nothing.
    assert!(max_difference(&expected, &given(&split, ctx)) > 0.01);
    // Without H nothing is propagated, so only the constrained entries may change.
    let method = Pipeline::new(&pts, NoEnhancement, exact(0.4), Linkage::average()).unwrap();
    let answer =
        matrix(&method.with_constraints(known).fit(&e, &Question::default(), ctx).unwrap());
    for (i, j) in [(0, 5), (1, 2)] {
        (expected[i][j], expected[j][i]) = (0.0, 0.0);
    }
    assert!(max_difference(&answer, &expected) < 1e-12);
}

#[test]
fn they_override_what_is_fixed() {
    // The pair (0, 1) is in H; 0 and 5 are never in one cluster.
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let method =
        Pipeline::new(Lwca::default(), TwoSided::default(), exact(0.4), Linkage::average())
            .unwrap();
    let known = Constraints::new(8, &[(0, 5)], &[(0, 1)]).unwrap();
    let answer =
        matrix(&method.with_constraints(known).fit(&e, &Question::default(), ctx).unwrap());
    assert_eq!((answer[0][5], answer[0][1], answer[1][5]), (0.0, 0.0, 0.0));
}

#[test]
fn an_empty_set_changes_nothing() {
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let method = || {
        Pipeline::new(Lwca::default(), threshold(0.6), Admm::default(), Linkage::average()).unwrap()
    };
    let none = || Constraints::new(3, &[], &[]).unwrap();
    let (plain, empty) = (method(), method().with_constraints(none()));
    assert_eq!(
        plain.fit(&e, &Question::default(), ctx).unwrap().evidence,
        empty.fit(&e, &Question::default(), ctx).unwrap().evidence
    );
    assert_eq!(empty.run(&e, 2, ctx).unwrap().violations, None);
    let identity = empty.with_enhance(NoEnhancement).unwrap().with_constraints(none());
    assert_eq!(identity.run(&e, 2, ctx).unwrap().violations, None);
}

#[test]
fn constraints_of_other_samples_are_refused() {
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let method =
        Pipeline::new(Lwca::default(), threshold(0.6), exact(0.4), Linkage::average()).unwrap();
    let known = Constraints::new(9, &[(0, 5)], &[]).unwrap();
    let error = method.with_constraints(known).run(&e, 2, ctx).unwrap_err();
    let what = "samples of the constraints";
    assert_eq!(error, Error::Size { what, expected: 8, found: 9 });
}

#[test]
fn methods_without_enhancement_honour_them() {
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let plain = || Pipeline::plain(Lwca::default(), Linkage::average()).unwrap();
    let known = Constraints::new(8, &[(0, 7), (1, 4)], &[(0, 1), (0, 2)]).unwrap();
    assert!(known.violations(&plain().run(&e, 3, ctx).unwrap().partition).must_link > 0);
    let fit = plain().with_constraints(known.clone()).fit(&e, &Question::default(), ctx).unwrap();
    let answer = matrix(&fit);
    assert_eq!((answer[0][1], answer[2][0]), (0.0, 0.0));
    let found = plain().with_constraints(known.clone()).run(&e, 3, ctx).unwrap();
    assert_eq!(found.violations.unwrap().must_link, 0);
}

#[test]
fn cannot_links_without_effect_are_refused_unless_they_are_enforced() {
    let (e, ctx) = (planted(40, 10, 3, 0.2, 1), &Ctx::<f64>::default());
    let method = || Pipeline::plain(LocallyWeightedBipartite::default(), Tcut::default()).unwrap();
    let labels = method().run(&e, 3, ctx).unwrap().partition;
    let same: Vec<usize> = (0..40).filter(|&i| labels.labels()[i] == labels.labels()[0]).collect();
    let known = Constraints::new(40, &[], &[(same[0], same[1]), (same[1], same[2])]).unwrap();
    let error = method().with_constraints(known.clone()).run(&e, 3, ctx).unwrap_err();
    assert_eq!(
        error.to_string(),
        "lwb does not support cannot-links, which have no effect on a bipartite graph; enforce them"
    );
    let outcome = method().with_constraints(known.clone().enforced()).run(&e, 3, ctx).unwrap();
    assert_eq!(outcome.violations, Some(Violations::default()));
    assert_eq!(outcome.partition.clusters(), 3);
    // Must-links have an effect on every kind of evidence.
    let linked = Constraints::new(40, &[(0, 1), (1, 2), (2, 3)], &[]).unwrap();
    let outcome = method().with_constraints(linked).run(&e, 3, ctx).unwrap();
    assert_eq!(outcome.violations, Some(Violations::default()));
}

#[test]
fn enforced_constraints_are_satisfied_by_every_cut() {
    let (e, ctx) = (planted(60, 8, 4, 0.3, 3), &Ctx::<f64>::default());
    let must: Vec<_> = (0..10).map(|i| (i, i + 20)).collect();
    let cannot: Vec<_> = (0..10).map(|i| (i, i + 31)).chain([(40, 44), (44, 48)]).collect();
    let known = Constraints::new(60, &must, &cannot).unwrap().enforced();
    let fit = fit(&e, 0.7, exact(0.4), known);
    for k in 3..8 {
        let cut = fit.cut(k, ctx).unwrap();
        assert_eq!((fit.violations(&cut), cut.clusters()), (Some(Violations::default()), k));
    }
    assert!(matches!(fit.cut(1, ctx), Err(Error::TooFewClusters { k: 1, .. })));
}

#[test]
fn swapping_parts_keeps_them() {
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let known = Constraints::new(8, &[(0, 5)], &[(3, 4)]).unwrap();
    let expected = fit(&e, 0.6, exact(0.4), known.clone()).evidence;
    let first = Pipeline::plain(Pts::default(), Linkage::single()).unwrap().with_constraints(known);
    let swapped = first
        .with_ca(Lwca::default())
        .unwrap()
        .with_confidence(threshold(0.6))
        .unwrap()
        .with_enhance(exact(0.4))
        .unwrap()
        .with_consensus(Linkage::average())
        .unwrap();
    assert_eq!(swapped.fit(&e, &Question::default(), ctx).unwrap().evidence, expected);
}

#[test]
fn broken_constraints_are_counted() {
    let (e, ctx) = (small(), &Ctx::<f64>::default());
    let known = Constraints::new(8, &[(0, 5), (1, 2)], &[(3, 4), (6, 7), (0, 3)]).unwrap();
    let method =
        Pipeline::new(Lwca::default(), threshold(0.6), exact(0.4), Linkage::average()).unwrap();
    let method = method.with_constraints(known.clone());
    let violations = |k| method.run(&e, k, ctx).unwrap().violations.unwrap();
    assert_eq!(violations(1), Violations::new(0, 3));
    assert_eq!(violations(8), Violations::new(2, 0));
    let fit = method.fit(&e, &Question::default(), ctx).unwrap();
    let cut = fit.cut(3, ctx).unwrap();
    assert_eq!(fit.violations(&cut), Some(known.violations(&cut)));
}

#[test]
fn single_precision_agrees() {
    fn answer<S: Real>(e: &Ensemble) -> Similarity<S> {
        let parts = (Lwca::default(), threshold(0.6), Exact::default(), Linkage::average());
        let method =
            Pipeline::<S, _, _, _, _>::in_precision(parts.0, parts.1, parts.2, parts.3).unwrap();
        let known = Constraints::new(8, &[(0, 5)], &[(0, 1)]).unwrap();
        let fit =
            method.with_constraints(known).fit(e, &Question::default(), &Ctx::default()).unwrap();
        fit.evidence.as_similarity().unwrap().clone()
    }
    let (single, double) = (answer::<f32>(&small()), answer::<f64>(&small()));
    for (a, b) in single.to_matrix().into_iter().zip(double.to_matrix()) {
        assert!((f64::from(a) - b).abs() < 1e-3);
    }
}
