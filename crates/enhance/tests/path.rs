//! Results along a path, compared with results from scratch.

mod oracle;

use enclust_core::{Confident, Ctx, Enhanced, Problem, Similarity, Status};
use enclust_enhance::{Exact, ExactPath};
use enclust_testkit::generate::{ensembles, planted};
use oracle::Case;
use proptest::prelude::*;

const TOLERANCE: f64 = 1e-6;

fn params(lambda: f64) -> Exact {
    Exact::default().lambda(lambda).tolerance(TOLERANCE)
}

/// 12 values of λ from 0.02 to 1, evenly spaced in their logarithm.
fn lambdas() -> Vec<f64> {
    (0..12).map(|i| 0.02 * 50_f64.powf(f64::from(i) / 11.0)).collect()
}

fn worst(a: &Similarity<f64>, b: &Similarity<f64>) -> f64 {
    let pairs = a.condensed().iter().zip(b.condensed());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// The number of iterations from scratch; checks that both results are equal within both
/// certificates.
fn check(case: &Case<f64>, lambda: f64, warm: &Enhanced<f64>) -> usize {
    let cold = case.enhance(&params(lambda));
    assert_eq!(warm.report.status, Status::Converged);
    let certificate = warm.report.certificate.as_ref().unwrap();
    let other = cold.report.certificate.unwrap();
    assert!(certificate.relative_distance < 1.01 * TOLERANCE, "{certificate:?}");
    let bound = certificate.largest_distance + other.largest_distance;
    assert!(worst(&warm.similarity, &cold.similarity) <= bound);
    cold.report.iterations
}

/// The number of iterations along the path and from scratch; compares the results.
fn compare(case: &Case<f64>) -> (usize, usize) {
    let mut path = ExactPath::new(params(0.4));
    let (mut along, mut scratch) = (0, 0);
    for lambda in lambdas() {
        let warm = path.enhance(&case.problem(), lambda, &Ctx::default()).unwrap();
        scratch += check(case, lambda, &warm);
        along += warm.report.iterations;
    }
    (along, scratch)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn the_answers_are_those_from_scratch(e in ensembles(12, 6, 3), alpha in 0.0..=1.0) {
        compare(&Case::<f64>::merged(&e, alpha, true));
    }
}

#[test]
fn a_path_takes_far_fewer_iterations() {
    let case = Case::<f64>::merged(&planted(700, 6, 30, 0.3, 5), 0.6, true);
    let (along, scratch) = compare(&case);
    assert!(2 * along < scratch, "{along} along the path, {scratch} from scratch");
}

#[test]
fn a_sweep_takes_fewer_still_and_certifies_every_answer() {
    let case = Case::<f64>::merged(&planted(700, 6, 30, 0.3, 5), 0.6, true);
    let (along, scratch) = compare(&case);
    let mut swept = vec![None; lambdas().len()];
    let each = |at: usize, enhanced: Enhanced<f64>| {
        assert!(swept[at].replace(enhanced).is_none(), "place {at} came twice");
        Ok(())
    };
    let mut path = ExactPath::new(params(0.4));
    path.sweep(&case.problem(), &lambdas(), &Ctx::default(), each).unwrap();
    let mut iterations = 0;
    for (enhanced, lambda) in swept.into_iter().zip(lambdas()) {
        let warm = enhanced.expect("every place came");
        check(&case, lambda, &warm);
        iterations += warm.report.iterations;
    }
    assert!(iterations < along && 5 * iterations < 2 * scratch, "{iterations} {along} {scratch}");
}

#[test]
fn other_confident_pairs_and_other_groups_are_no_obstacle() {
    let ensemble = planted(500, 8, 20, 0.3, 3);
    let mut path = ExactPath::new(params(0.4));
    for alpha in [0.9, 0.7, 0.5, 0.8] {
        let case = Case::<f64>::merged(&ensemble, alpha, true);
        let warm = path.enhance(&case.problem(), 0.4, &Ctx::default()).unwrap();
        let cold = case.enhance(&params(0.4));
        assert!(worst(&warm.similarity, &cold.similarity) < 1e-4, "α {alpha}");
    }
    let other = Case::<f64>::merged(&planted(90, 5, 4, 0.3, 9), 0.6, true);
    let answer = path.enhance(&other.problem(), 0.2, &Ctx::default()).unwrap();
    assert_eq!(answer.report.status, Status::Converged);
}

#[test]
fn nothing_confident_and_a_repeated_point_are_no_obstacle() {
    let case = Case::<f64>::merged(&planted(90, 5, 4, 0.3, 9), 0.6, true);
    let none = Confident::none(case.similarity.len());
    let problem = Problem::new(&case.similarity, &none).unwrap();
    let mut path = ExactPath::new(params(0.4));
    for lambda in [0.4, 0.4, 0.2, 0.1] {
        let answer = path.enhance(&problem, lambda, &Ctx::default()).unwrap();
        assert_eq!(answer.similarity.condensed(), case.similarity.condensed());
    }
    assert!(path.enhance(&problem, -1.0, &Ctx::default()).is_err());
}
