//! Confident pairs from pairs and from matrices.

use std::sync::Arc;

use enclust_core::{Confident, Csr, Error, Grouping, Problem, Similarity};

/// Samples 0 and 2 form one group; 1 and 3 are alone.
fn grouped() -> Similarity<f64> {
    let grouping = Arc::new(Grouping::from_map(vec![0, 1, 0, 2]).unwrap());
    Similarity::new(grouping, vec![0.9, 0.2, 0.4], vec![0.7, 1.0, 1.0], vec![1.0; 3]).unwrap()
}

#[test]
fn pairs_in_either_triangle_or_in_both_are_the_same() {
    let a = grouped();
    let upper = Confident::from_pairs(&a, [(0, 1, 0.8), (1, 2, 0.5), (0, 0, 0.6)]).unwrap();
    let lower = Confident::from_pairs(&a, [(2, 1, 0.5), (0, 0, 0.6), (1, 0, 0.8)]).unwrap();
    let both = [(0, 1, 0.8), (1, 0, 0.8), (2, 1, 0.5), (1, 2, 0.5), (0, 0, 0.6), (0, 0, 0.6)];
    assert_eq!(upper, lower);
    assert_eq!(upper, Confident::from_pairs(&a, both).unwrap());
    assert_eq!(
        upper.graph,
        Csr::symmetric_from_upper(vec![vec![(1, 0.8)], vec![(2, 0.5)], vec![]])
    );
    assert_eq!(
        upper.fixed,
        Csr::symmetric_from_upper(vec![vec![(1, 0.9)], vec![(2, 0.4)], vec![]])
    );
    assert_eq!((upper.within, upper.fixed_within), (vec![0.6, 0.0, 0.0], vec![true, false, false]));
}

#[test]
fn a_weight_of_zero_is_no_edge_and_fixes_nothing() {
    let a = grouped();
    let confident = Confident::from_pairs(&a, [(0, 1, 0.0), (0, 0, 0.0)]).unwrap();
    assert_eq!(confident, Confident::none(3));
}

#[test]
fn pairs_that_cannot_be_are_refused() {
    let refused = |pairs: &[(usize, usize, f64)]| {
        Confident::from_pairs(&grouped(), pairs.iter().copied()).unwrap_err()
    };
    assert_eq!(refused(&[(0, 3, 0.5)]), Error::Index { what: "group", index: 3, len: 3 });
    assert_eq!(refused(&[(7, 0, 0.5)]), Error::Index { what: "group", index: 7, len: 3 });
    assert_eq!(refused(&[(1, 1, 0.5)]), Error::SelfPair { what: "group", index: 1 });
    let what = "weight of a confident pair";
    assert_eq!(refused(&[(1, 2, 1.5)]), Error::Entry { what, row: 1, column: 2, value: 1.5 });
    assert!(matches!(refused(&[(0, 1, f64::NAN)]), Error::Entry { .. }));
    assert!(matches!(refused(&[(0, 0, -0.5)]), Error::Entry { .. }));
    let torn = Error::Asymmetric { row: 0, column: 1, upper: 0.5, lower: 0.0 };
    assert_eq!(refused(&[(0, 1, 0.5), (1, 0, 0.0)]), torn);
    let torn = Error::Asymmetric { row: 0, column: 0, upper: 0.5, lower: 0.25 };
    assert_eq!(refused(&[(0, 0, 0.5), (0, 0, 0.25)]), torn);
}

/// The graph of the groups {0, 2}, {1}, {3} over the four samples.
const OVER_SAMPLES: [f64; 16] =
    [9.0, 0.8, 0.6, 0.0, 0.8, 0.0, 0.8, 0.5, 0.6, 0.8, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0];

#[test]
fn a_matrix_over_the_samples_is_read_at_the_size_of_groups() {
    let a = grouped();
    let pairs = Confident::from_pairs(&a, [(0, 1, 0.8), (1, 2, 0.5), (0, 0, 0.6)]).unwrap();
    assert_eq!(Confident::from_matrix(&a, &OVER_SAMPLES).unwrap(), pairs);
    // The same graph over the samples, and refined to the samples.
    let samples = a.by_samples();
    let fine = Confident::from_matrix(&samples, &OVER_SAMPLES).unwrap();
    assert_eq!((fine.graph.get(0, 2), fine.fixed.get(0, 2)), (Some(0.6), Some(0.7)));
    let refined = pairs.refined(&a, samples.grouping()).unwrap();
    assert_eq!((&refined.graph, &refined.fixed), (&fine.graph, &fine.fixed));
    assert!(Problem::new(&samples, &refined).is_ok());
}

#[test]
fn a_matrix_that_tells_samples_of_a_group_apart_needs_the_samples() {
    let mut matrix = OVER_SAMPLES;
    (matrix[2 * 4 + 3], matrix[3 * 4 + 2]) = (0.3, 0.3);
    let error = Confident::from_matrix(&grouped(), &matrix).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a similarity of groups does not support confident pairs that differ inside its groups, as \
         at samples 2 and 3; use the similarity by samples"
    );
    assert!(Confident::from_matrix(&grouped().by_samples(), &matrix).is_ok());
}

#[test]
fn matrices_that_are_no_graph_are_refused() {
    let with = |i: usize, j: usize, value: f64| {
        let mut matrix = OVER_SAMPLES;
        matrix[i * 4 + j] = value;
        Confident::from_matrix(&grouped(), &matrix)
    };
    let torn = Error::Asymmetric { row: 1, column: 3, upper: 0.5, lower: 0.4 };
    assert_eq!(with(3, 1, 0.4), Err(torn));
    let what = "matrix of confident pairs";
    assert_eq!(with(3, 1, 2.0), Err(Error::Entry { what, row: 3, column: 1, value: 2.0 }));
    assert!(matches!(with(0, 1, f64::NAN), Err(Error::Entry { .. })));
    assert!(with(3, 1, 0.5 + f64::EPSILON).is_ok(), "mirrored up to rounding");
    assert!(with(2, 2, f64::NAN).is_ok(), "the diagonal is not read");
    let short = Confident::from_matrix(&grouped(), &OVER_SAMPLES[..15]);
    assert!(matches!(short, Err(Error::Size { expected: 16, found: 15, .. })));
}

#[test]
fn a_grouping_across_groups_does_not_refine() {
    let across = Arc::new(Grouping::from_map(vec![0, 0, 1, 2]).unwrap());
    let error = Confident::none(3).refined(&grouped(), &across).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }));
}

#[test]
fn sparse_matrices_are_checked() {
    assert_eq!(
        Csr::symmetric(2, [(0, 2, 1.0)]),
        Err(Error::Index { what: "row", index: 2, len: 2 })
    );
    assert_eq!(Csr::symmetric(2, [(1, 1, 1.0)]), Err(Error::SelfPair { what: "row", index: 1 }));
    let any_order = Csr::symmetric(4, [(3, 0, 0.3), (2, 0, 0.2), (0, 2, 0.2), (1, 0, 0.1)]);
    let expected = vec![vec![(1, 0.1), (2, 0.2), (3, 0.3)], vec![], vec![], vec![]];
    assert_eq!(any_order, Ok(Csr::symmetric_from_upper(expected)));
}
