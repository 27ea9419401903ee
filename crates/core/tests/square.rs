//! Similarities and problems as dense matrices.

use std::sync::Arc;

use enclust_core::{
    Confident, Ctx, Error, Grouping, IterationLimit, Mat, Problem, Similarity, Status,
};

/// Samples 0 and 2 form one group; 1 and 3 are alone.
fn grouped() -> Similarity<f64> {
    let grouping = Arc::new(Grouping::from_map(vec![0, 1, 0, 2]).unwrap());
    Similarity::new(grouping, vec![0.9, 0.2, 0.4], vec![0.7, 0.6, 0.5], vec![1.0, 0.9, 0.8])
        .unwrap()
}

#[test]
fn rounding_is_forgiven_and_nothing_else() {
    let a = grouped();
    let with = |p: usize, q: usize, value: f64| {
        let mut square = a.square();
        square[(p, q)] = value;
        Similarity::from_square(a.grouping(), &square)
    };
    assert_eq!(with(0, 1, 0.9 + 1e-15).unwrap().between(0, 1), 0.9 + 1e-15, "the upper triangle");
    assert_eq!(with(1, 0, 0.9 + 1e-15).unwrap().between(0, 1), 0.9);
    assert_eq!(with(1, 1, 1.0 + 1e-15).unwrap().within(), [0.7, 1.0, 0.5]);
    assert_eq!(with(1, 1, -1e-15).unwrap().within(), [0.7, 0.0, 0.5]);
    let torn = Error::Asymmetric { row: 0, column: 1, upper: 0.9, lower: 0.8 };
    assert_eq!(with(1, 0, 0.8), Err(torn));
    assert!(matches!(with(2, 2, 1.0 + 1e-9), Err(Error::Entry { row: 2, column: 2, .. })));
    assert!(matches!(with(0, 2, -1e-9), Err(Error::Entry { row: 0, column: 2, .. })));
    assert!(matches!(with(0, 2, f64::NAN), Err(Error::Entry { .. })));
    assert!(matches!(with(1, 1, f64::NAN), Err(Error::Entry { .. })));
    for odd in [Mat::<f64>::zeros(2, 3), Mat::zeros(3, 2), Mat::zeros(4, 4)] {
        let refused = Similarity::from_square(a.grouping(), &odd);
        assert!(matches!(refused, Err(Error::Size { expected: 3, .. })));
    }
}

#[test]
fn self_similarities_are_checked() {
    let a = grouped();
    assert!(matches!(a.clone().with_own(vec![1.0; 2]), Err(Error::Size { .. })));
    assert!(matches!(a.clone().with_own(vec![1.0, 2.0, 1.0]), Err(Error::Entry { row: 1, .. })));
    assert_eq!(a.with_own(vec![0.5; 3]).unwrap().own(), [0.5; 3]);
}

/// A product with `links` is the product with H over the samples, if a sample is as similar to
/// itself as to another sample of its group.
#[test]
fn links_sum_over_the_samples() {
    let a = grouped().with_own(vec![0.7, 0.6, 0.5]).unwrap();
    let confident = Confident::from_pairs(&a, [(0, 0, 0.5), (0, 1, 0.25), (1, 2, 1.0)]).unwrap();
    let problem = Problem::new(&a, &confident).unwrap();
    let product = Ctx::default().product(problem.links().view(), a.square().view()).unwrap();
    let (fine, pairs) = problem.by_samples().unwrap();
    let (map, c) = (a.grouping().map(), fine.to_matrix());
    for (i, &p) in map.iter().enumerate() {
        for (j, &q) in map.iter().enumerate() {
            let sum: f64 = pairs.graph.iter_row(i).map(|(s, h)| h * c[s * 4 + j]).sum();
            assert!((product[(p as usize, q as usize)] - sum).abs() < 1e-15, "{i}, {j}");
        }
    }
}

#[test]
fn a_fixed_point_keeps_fixed_entries_and_obeys_the_rule_of_the_problem() {
    let a = grouped();
    let confident = Confident::from_pairs(&a, [(0, 0, 1.0), (0, 1, 1.0)]).unwrap();
    let (problem, ctx) = (Problem::new(&a, &confident).unwrap(), Ctx::default());
    let halve = |c: &Mat<f64>| Ok(c.zip(c, |c, _| 0.5 * c));
    let free = problem.fixed_point(("halve", 1e-3, 100), &ctx, halve).unwrap();
    assert_eq!(free.report.status, Status::Converged);
    assert_eq!(free.similarity.between(0, 1), 0.9);
    assert_eq!(free.similarity.within()[0], 0.7);
    assert!(free.similarity.between(1, 2) < 1e-2 && free.similarity.within()[1] < 1e-2);
    assert_eq!(free.similarity.own(), a.own());

    let two = IterationLimit::default().limit(2);
    let stopped = problem.with_stop(Some(&two)).fixed_point(("halve", 1e-3, 100), &ctx, halve);
    let stopped = stopped.unwrap();
    assert_eq!((stopped.report.iterations, stopped.similarity.between(1, 2)), (2, 0.1));
    // The iteration continues from the given starting point.
    let later = problem.with_stop(Some(&two)).with_start(Some(&stopped.similarity));
    let later = later.fixed_point(("halve", 1e-3, 100), &ctx, halve).unwrap();
    assert_eq!(later.similarity.between(1, 2), 0.025);
    let limited = problem.fixed_point(("halve", 1e-3, 3), &ctx, halve).unwrap();
    assert_eq!(limited.report.status, Status::IterationLimit);
}

#[test]
fn a_step_that_is_no_similarity_is_an_error() {
    let a = grouped();
    let confident = Confident::none(3);
    let problem = Problem::new(&a, &confident).unwrap();
    let refused = |map: fn(&Mat<f64>) -> Mat<f64>| {
        problem.fixed_point(("odd", 1e-3, 9), &Ctx::default(), |c| Ok(map(c))).unwrap_err()
    };
    assert!(matches!(refused(|c| c.zip(c, |c, _| 2.0 * c)), Error::Entry { .. }));
    assert!(matches!(refused(|_| Mat::zeros(2, 2)), Error::Size { expected: 3, found: 2, .. }));
    let failed = problem
        .fixed_point(("odd", 1e-3, 9), &Ctx::default(), |_| Err(Error::failed("odd", "no step")));
    assert_eq!(failed.unwrap_err().to_string(), "odd: no step");
}
