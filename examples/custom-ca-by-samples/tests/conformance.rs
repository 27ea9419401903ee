//! The matrix passes the conformance suite of its stage and the guarantees of `by_samples`.

use enclust_core::prelude::*;
use enclust_example_custom_ca_by_samples::{register, second_order};
use enclust_testkit::ca;
use enclust_testkit::generate::{planted, planted_with_missing};

#[test]
fn keeps_the_laws() {
    let part = by_samples("second-order", second_order);
    ca::conformance(&part);
    ca::precisions_agree(&part, &part);
}

fn built(part: &dyn Ca<f64>, ensemble: &Ensemble) -> Result<Similarity<f64>> {
    let rows = Microclusters::of(ensemble);
    let built = part.build(&rows, &Question::default(), &Ctx::default())?;
    Ok(built.evidence.similarity_for("the test")?.clone())
}

#[test]
fn equal_rows_are_merged_and_the_matrix_is_that_of_the_function() {
    let ensemble = planted(60, 4, 3, 0.1, 14);
    let similarity = built(&by_samples("second-order", second_order), &ensemble).unwrap();
    assert_eq!(similarity.grouping(), Microclusters::of(&ensemble).grouping());
    assert!(similarity.len() < 30, "{} groups", similarity.len());
    let matrix = second_order(&ensemble);
    for (at, found) in similarity.to_matrix().into_iter().enumerate() {
        assert!((found - matrix[(at / 60, at % 60)]).abs() < 1e-14, "{at}");
    }
}

#[test]
fn values_that_differ_inside_a_group_stay_at_sample_size() {
    let ensemble = Ensemble::from_columns(&[[0, 0, 0, 1]]).unwrap();
    let nearby = |e: &Ensemble| {
        Mat::from_fn(e.samples(), e.samples(), |i, j| 1.0 / (1.0 + i.abs_diff(j) as f64))
    };
    let similarity = built(&by_samples("nearby", nearby), &ensemble).unwrap();
    assert_eq!(similarity.len(), 4);
    assert_eq!(similarity.between(0, 2), 1.0 / 3.0);
    // The same for a diagonal that differs inside a group.
    let diagonal = |e: &Ensemble| {
        Mat::from_fn(e.samples(), e.samples(), |i, j| if i == j { 0.1 * i as f64 } else { 0.5 })
    };
    assert_eq!(built(&by_samples("diagonal", diagonal), &ensemble).unwrap().len(), 4);
}

#[test]
fn what_has_no_definition_is_refused() {
    let part = by_samples("second-order", second_order);
    let weighted = planted(20, 4, 3, 0.1, 1).with_weights(vec![1.0, 2.0, 1.0, 1.0]).unwrap();
    let error = built(&part, &weighted).unwrap_err().to_string();
    assert_eq!(error, "second-order does not support weights of clusterings");
    let missing = planted_with_missing(20, 4, 3, 0.1, 0.2, 1);
    assert!(matches!(built(&part, &missing), Err(Error::Unsupported { .. })));
}

#[test]
fn a_matrix_that_is_no_similarity_is_refused() {
    let ensemble = planted(5, 3, 2, 0.1, 1);
    let refused = |matrix: Mat<f64>| {
        built(&by_samples("odd", move |_| matrix.clone()), &ensemble).unwrap_err()
    };
    assert!(matches!(refused(Mat::zeros(5, 4)), Error::Size { expected: 5, found: 4, .. }));
    assert!(matches!(refused(Mat::zeros(4, 5)), Error::Size { expected: 5, found: 4, .. }));
    let with = |i: usize, j: usize, value: f64| {
        let mut matrix = Mat::identity(5);
        matrix[(i, j)] = value;
        refused(matrix)
    };
    assert!(matches!(with(1, 3, 1.5), Error::Entry { row: 1, column: 3, .. }));
    assert!(matches!(with(2, 2, f64::NAN), Error::Entry { row: 2, column: 2, .. }));
    let torn = Error::Asymmetric { row: 1, column: 3, upper: 0.0, lower: 0.5 };
    assert_eq!(with(3, 1, 0.5), torn);
}

#[test]
fn it_is_built_by_name_in_both_precisions() {
    fn run<S: Real>(ensemble: &Ensemble) -> usize {
        let mut registry = Registry::<S>::new();
        register(&mut registry);
        let part = registry.ca.build(&Part::named("second-order")).unwrap();
        let rows = Microclusters::of(ensemble);
        part.build(&rows, &Question::default(), &Ctx::default()).unwrap().grouping().len()
    }
    let ensemble = planted(60, 4, 3, 0.1, 14);
    assert_eq!(run::<f32>(&ensemble), run::<f64>(&ensemble));
    let mut registry = Registry::<f64>::new();
    register(&mut registry);
    assert!(registry.ca.build(&Part::named("second-order").set("theta", 1)).is_err());
}
