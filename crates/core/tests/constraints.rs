//! Constraints: invalid input, splitting of groups, fixed entries and counts of violations.

use std::sync::Arc;

use enclust_core::{
    Confident, Constraints, Csr, Error, Grouping, Partition, Similarity, Violations, condensed_len,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn refused(must_link: &[(usize, usize)], cannot_link: &[(usize, usize)]) -> Error {
    Constraints::new(6, must_link, cannot_link).unwrap_err()
}

#[test]
fn a_sample_that_does_not_exist_is_named() {
    for error in [refused(&[(0, 1), (2, 6)], &[]), refused(&[], &[(6, 0)])] {
        assert_eq!(error, Error::Index { what: "sample", index: 6, len: 6 });
        assert_eq!(error.to_string(), "sample 6 does not exist; there are 6, counted from 0");
    }
}

#[test]
fn a_sample_paired_with_itself_is_named() {
    for error in [refused(&[(3, 3)], &[]), refused(&[(0, 1)], &[(3, 3)])] {
        assert_eq!(error, Error::SelfPair { what: "sample", index: 3 });
        assert_eq!(error.to_string(), "sample 3 is paired with itself");
    }
}

#[test]
fn a_direct_contradiction_is_a_chain_of_two() {
    let error = refused(&[(0, 1), (4, 2)], &[(0, 3), (2, 4)]);
    assert_eq!(error, Error::Contradiction { pair: (2, 4), chain: vec![2, 4] });
    assert_eq!(
        error.to_string(),
        "samples 2 and 4 are a cannot-link pair, but must-links join them: 2 - 4"
    );
}

#[test]
fn a_contradiction_through_others_shows_the_shortest_chain() {
    // A detour 0 - 1 - 2 - 3 in addition to 0 - 5 - 3.
    let must = [(0, 1), (1, 2), (2, 3), (3, 5), (5, 0)];
    let error = refused(&must, &[(1, 4), (3, 0)]);
    assert_eq!(error, Error::Contradiction { pair: (3, 0), chain: vec![3, 5, 0] });
}

#[test]
fn repeated_and_reversed_pairs_are_one() {
    let c = Constraints::new(4, &[(1, 0), (0, 1), (0, 1)], &[(3, 2), (2, 3)]).unwrap();
    assert_eq!((c.must_link(), c.cannot_link()), (&[(0, 1)][..], &[(2, 3)][..]));
    let apart = Partition::from_labels([0, 1, 2, 2]);
    assert_eq!(c.violations(&apart), Violations::new(1, 1));
    assert_eq!(c.violations(&Partition::from_labels([0, 0, 0, 1])), Violations::default());
}

#[test]
fn no_constraints_are_fine() {
    let none = Constraints::new(0, &[], &[]).unwrap();
    assert!(none.is_empty());
    assert_eq!(none.violations(&Partition::from_labels([0, 0])), Violations::default());
}

#[test]
fn samples_of_cannot_links_leave_their_group_and_groups_are_numbered_by_first_sample() {
    let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1, 0, 1, 0]).unwrap());
    let split =
        Constraints::new(6, &[(1, 3)], &[(0, 2), (5, 2)]).unwrap().split(&grouping).unwrap();
    assert_eq!(split.map(), &[0, 1, 2, 1, 3, 4]);
}

#[test]
fn groups_of_one_need_no_split() {
    let alone = Arc::new(Grouping::singletons(4));
    let split = Constraints::new(4, &[], &[(0, 2)]).unwrap().split(&alone).unwrap();
    assert!(Arc::ptr_eq(&alone, &split));
}

#[test]
fn fixing_overrides_and_leaves_the_rest_and_the_graph() {
    let pairs = Csr::symmetric_from_upper(vec![vec![(1, 0.9), (2, 0.8)], vec![], vec![]]);
    let mut given = Confident::none(3);
    (given.graph, given.fixed) = (pairs.clone(), pairs);
    let mut confident = given.clone();
    // A must-link fixes nothing.
    let constraints = Constraints::new(3, &[(2, 0)], &[(1, 0), (2, 1)]).unwrap();
    constraints.fix(&Grouping::singletons(3), &mut confident).unwrap();
    let expected = vec![vec![(1, 0.0), (2, 0.8)], vec![(2, 0.0)], vec![]];
    given.fixed = Csr::symmetric_from_upper(expected);
    assert_eq!(confident, given);
}

#[test]
fn fixing_needs_groups_that_are_split() {
    let grouping = Grouping::from_map(vec![0, 0, 1]).unwrap();
    let constraints = Constraints::new(3, &[], &[(1, 2)]).unwrap();
    let error = constraints.fix(&grouping, &mut Confident::<f64>::none(2)).unwrap_err();
    assert!(error.to_string().contains("a cannot-link of sample 1"), "{error}");
}

#[test]
fn another_number_of_samples_is_refused() {
    let constraints = Constraints::new(4, &[(0, 1)], &[]).unwrap();
    let size = Error::Size { what: "samples of the constraints", expected: 3, found: 4 };
    let grouping = Arc::new(Grouping::singletons(3));
    assert_eq!(constraints.split(&grouping).unwrap_err(), size);
    let fixed = constraints.fix(&grouping, &mut Confident::<f64>::none(3));
    assert_eq!(fixed.unwrap_err(), size);
}

#[test]
fn fixed_entries_between_groups_that_are_not_there_are_refused() {
    let mut confident = Confident::none(2);
    let outside = confident.fix([(0, 2, 1.0)]).unwrap_err();
    assert_eq!(outside, Error::Index { what: "group", index: 2, len: 2 });
    let own = confident.fix([(1, 1, 1.0)]).unwrap_err();
    assert_eq!(own, Error::SelfPair { what: "group", index: 1 });
}

#[test]
fn a_similarity_refines_to_finer_groups_only() {
    let s = similarity(&Grouping::from_map(vec![0, 0, 1, 1]).unwrap(), &[0.5; 8]);
    let across = Arc::new(Grouping::from_map(vec![0, 1, 1, 2]).unwrap());
    let error = s.refined(&across).unwrap_err();
    assert!(error.to_string().contains("joins sample 2 with another group"), "{error}");
    let error = s.refined(&Arc::new(Grouping::singletons(5))).unwrap_err();
    assert!(matches!(error, Error::Size { expected: 4, found: 5, .. }), "{error}");
}

#[test]
fn refining_keeps_the_denominator() {
    let s = similarity(&Grouping::from_map(vec![0, 0, 1]).unwrap(), &[0.5, 1.0, 1.0]);
    let s = s.with_denominator(2.0).unwrap();
    let fine = s.refined(&Arc::new(Grouping::singletons(3))).unwrap();
    assert_eq!(fine.denominator(), Some(2.0));
}

/// A similarity with these values in order.
fn similarity(grouping: &Grouping, values: &[f64]) -> Similarity<f64> {
    let n = grouping.len();
    let mut all = values.iter().copied().cycle();
    let mut take = |count: usize| (&mut all).take(count).collect::<Vec<_>>();
    let (between, within, own) = (take(condensed_len(n)), take(n), take(n));
    Similarity::new(Arc::new(grouping.clone()), between, within, own).unwrap()
}

/// Groups of samples with these keys, numbered by first occurrence.
fn grouping(keys: &[u8]) -> Grouping {
    let labels = Partition::from_labels(keys.iter());
    Grouping::from_map(labels.labels().iter().map(|&g| g as u32).collect()).unwrap()
}

proptest! {
    #[test]
    fn splitting_is_the_coarsest_refinement_with_endpoints_alone(
        keys in vec(0..4_u8, 2..12), pairs in vec((0..12_usize, 0..12_usize), 0..6),
    ) {
        let n = keys.len();
        let pairs: Vec<_> =
            pairs.into_iter().map(|(i, j)| (i % n, j % n)).filter(|(i, j)| i != j).collect();
        let (old, constraints) = (Arc::new(grouping(&keys)), Constraints::new(n, &[], &pairs).unwrap());
        let split = constraints.split(&old).unwrap();
        let constrained = |i: usize| pairs.iter().any(|&(a, b)| a == i || b == i);
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let together = keys[i] == keys[j] && !constrained(i) && !constrained(j);
            prop_assert_eq!(split.map()[i] == split.map()[j], together);
        }
        prop_assert!(split.len() <= old.len() + (0..n).filter(|&i| constrained(i)).count());
    }

    #[test]
    fn refining_leaves_the_matrix_over_samples(
        keys in vec((0..3_u8, 0..3_u8), 1..12), values in vec(0.0..=1.0, 100),
    ) {
        let coarse: Vec<u8> = keys.iter().map(|k| k.0).collect();
        let fine: Vec<u8> = keys.iter().map(|k| 3 * k.0 + k.1).collect();
        let given = similarity(&grouping(&coarse), &values);
        let finer = Arc::new(grouping(&fine));
        let refined = given.refined(&finer).unwrap();
        prop_assert_eq!(refined.to_matrix(), given.to_matrix());
        prop_assert!(Arc::ptr_eq(refined.grouping(), &finer));
    }

    #[test]
    fn a_contradiction_is_found_exactly_when_there_is_one(
        links in vec((0..7_usize, 0..7_usize), 0..7), pair in (0..7_usize, 0..7_usize),
    ) {
        let links: Vec<_> = links.into_iter().filter(|(i, j)| i != j).collect();
        prop_assume!(pair.0 != pair.1);
        // Reachability by repeated relaxation.
        let mut reached = [false; 7];
        reached[pair.0] = true;
        for _ in 0..7 {
            for &(i, j) in &links {
                let either = reached[i] || reached[j];
                (reached[i], reached[j]) = (either, either);
            }
        }
        match Constraints::new(7, &links, &[pair]) {
            Ok(_) => prop_assert!(!reached[pair.1]),
            Err(Error::Contradiction { pair: named, chain }) => {
                prop_assert!(reached[pair.1]);
                prop_assert_eq!(named, pair);
                prop_assert_eq!((chain[0], chain[chain.len() - 1]), pair);
                let linked = |w: &[usize]| links.contains(&(w[0], w[1])) || links.contains(&(w[1], w[0]));
                prop_assert!(chain.windows(2).all(linked), "{:?} by {:?}", chain, links);
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
