//! Item and cluster consensus against their definitions over all pairs of samples.

use enclust_ca::{Eac, Lwca};
use enclust_core::{
    Ca, Ctx, Ensemble, Error, Evidence, Microclusters, Partition, Question, Similarity,
};
use enclust_stability::{ItemConsensus, Membership, membership};
use enclust_testkit::generate::{ensembles_with_missing, planted, shuffled};
use proptest::prelude::*;

fn similarity(represent: &dyn Ca<f64>, ensemble: &Ensemble) -> Similarity<f64> {
    match represent
        .build(&Microclusters::of(ensemble), &Question::default(), &Ctx::default())
        .unwrap()
        .evidence
    {
        Evidence::Similarity(similarity) => similarity,
        other => panic!("{:?} is not a similarity", other.kind()),
    }
}

/// The definition, evaluated on the n × n matrix.
fn plain(matrix: &[f64], labels: &[usize], clusters: usize) -> Membership {
    let n = labels.len();
    let mean = |values: Vec<f64>| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let towards = |i: usize, cluster: usize| {
        let others = (0..n).filter(|&j| j != i && labels[j] == cluster);
        mean(others.map(|j| matrix[i * n + j]).collect())
    };
    let items = (0..n).map(|i| {
        let best = |best: Option<(usize, f64)>, (c, mean): (usize, f64)| match best {
            Some((_, most)) if most >= mean - 1e-12 => best,
            _ => Some((c, mean)),
        };
        let others = (0..clusters).filter(|&c| c != labels[i]);
        let other = others.filter_map(|c| Some((c, towards(i, c)?))).fold(None, best);
        ItemConsensus { own: towards(i, labels[i]), other }
    });
    let inside = |c: usize| {
        let members: Vec<usize> = (0..n).filter(|&i| labels[i] == c).collect();
        let pairs = members.iter().flat_map(|&i| members.iter().map(move |&j| (i, j)));
        mean(pairs.filter(|(i, j)| i < j).map(|(i, j)| matrix[i * n + j]).collect())
    };
    let soft = (0..n).map(|i| {
        let means: Vec<f64> = (0..clusters).map(|c| towards(i, c).unwrap_or(1.0)).collect();
        let sum: f64 = means.iter().sum();
        let share = |mean: f64| if sum > 0.0 { mean / sum } else { 1.0 / clusters as f64 };
        means.into_iter().map(share).collect()
    });
    let clusters = (0..clusters).map(inside).collect();
    Membership { items: items.collect(), clusters, soft: soft.collect() }
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-12,
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn agree(found: &Membership, expected: &Membership) {
    assert_eq!(found.clusters.len(), expected.clusters.len());
    assert_eq!(found.items.len(), expected.items.len());
    for (&a, &b) in found.clusters.iter().zip(&expected.clusters) {
        assert!(close(a, b), "cluster: {a:?} and {b:?}");
    }
    for (a, b) in found.items.iter().zip(&expected.items) {
        assert!(close(a.own, b.own), "own: {a:?} and {b:?}");
        // After rounding, either of two equal means may be selected.
        let value = |item: &ItemConsensus| item.other.map(|(_, mean)| mean);
        assert!(close(value(a), value(b)), "other: {a:?} and {b:?}");
        assert!(close(a.margin(), b.margin()), "margin: {a:?} and {b:?}");
    }
    for (a, b) in found.soft.iter().zip(&expected.soft) {
        assert!(a.iter().zip(b).all(|(&a, &b)| close(Some(a), Some(b))), "{a:?} and {b:?}");
        assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{a:?}");
    }
}

proptest! {
    #[test]
    fn counts_give_the_means_over_all_pairs(
        ensemble in ensembles_with_missing(20, 6, 4),
        labels in proptest::collection::vec(0..5_usize, 20),
    ) {
        let n = ensemble.samples();
        let partition = Partition::from_labels(labels[..n].iter());
        let representations: [&dyn Ca<f64>; 2] = [&Eac, &Lwca::default()];
        for represent in representations {
            let similarity = similarity(represent, &ensemble);
            let found = membership(&similarity, &partition).unwrap();
            let matrix = similarity.to_matrix();
            agree(&found, &plain(&matrix, partition.labels(), partition.clusters()));
        }
    }
}

#[test]
fn samples_keep_their_figures_when_they_change_places() {
    let ensemble = planted(60, 9, 4, 0.3, 2);
    let order = shuffled(60, 4);
    let labels: Vec<usize> = (0..60).map(|i| i % 4).collect();
    let moved: Vec<usize> = order.iter().map(|&i| labels[i]).collect();
    let of = |ensemble: &Ensemble, labels: &[usize]| {
        membership(&similarity(&Eac, ensemble), &Partition::from_labels(labels)).unwrap()
    };
    let (here, there) = (of(&ensemble, &labels), of(&ensemble.rearranged(&order).unwrap(), &moved));
    for (place, &i) in order.iter().enumerate() {
        assert!(close(there.items[place].own, here.items[i].own));
        assert!(close(there.items[place].margin(), here.items[i].margin()));
    }
}

#[test]
fn threads_change_no_bit() {
    let ensemble = planted(200, 15, 5, 0.4, 3);
    let similarity = similarity(&Lwca::default(), &ensemble);
    let partition = Partition::from_labels((0..200).map(|i| i % 5));
    let with = |threads| {
        let ctx = Ctx::<f64>::default().with_threads(threads);
        ctx.install(|_| membership(&similarity, &partition)).unwrap().unwrap()
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(3));
}

#[test]
fn a_misplaced_sample_has_a_negative_margin() {
    // Six samples in two groups that every clustering finds; the partition puts the third
    // sample into the wrong group.
    let ensemble = Ensemble::from_keys(6, 5, |i, _| Some(i / 3)).unwrap();
    let partition = Partition::from_labels([0, 0, 1, 1, 1, 1]);
    let found = membership(&similarity(&Eac, &ensemble), &partition).unwrap();
    assert_eq!(found.items[2], ItemConsensus { own: Some(0.0), other: Some((0, 1.0)) });
    assert_eq!(found.items[2].margin(), Some(-1.0));
    assert_eq!(found.clusters, [Some(1.0), Some(0.5)]);
    assert_eq!(found.misplaced(), [2]);
    // The first two are also similar to the misplaced sample in the other cluster; all others are
    // similar to samples of one cluster only.
    let entropies = found.entropies();
    assert!(entropies[..2].iter().all(|&h| h > 0.5), "{entropies:?}");
    assert_eq!(entropies[2..].iter().map(f64::to_string).collect::<Vec<_>>(), ["0"; 4]);
}

#[test]
fn entropy_is_one_if_the_clusterings_do_not_know() {
    // The last sample is with either group in half of the clusterings.
    let ensemble = Ensemble::from_columns(&[[0, 0, 1, 1, 0], [0, 0, 1, 1, 1]]).unwrap();
    let partition = Partition::from_labels([0, 0, 1, 1, 1]);
    let found = membership(&similarity(&Eac, &ensemble), &partition).unwrap();
    assert!((found.entropies()[4] - 1.0).abs() < 1e-12, "{:?}", found.entropies());
    assert_eq!(found.soft[4], [0.5, 0.5]);
    assert!(found.entropies()[..4].iter().all(|&h| h < 1.0));
}

#[test]
fn a_single_cluster_has_no_other_and_a_single_sample_no_own() {
    let ensemble = planted(5, 3, 2, 0.2, 1);
    let similarity = similarity(&Eac, &ensemble);
    let one = membership(&similarity, &Partition::from_labels([0; 5])).unwrap();
    assert!(one.items.iter().all(|i| i.other.is_none() && i.own.is_some() && i.margin().is_none()));
    let alone = membership(&similarity, &Partition::from_labels(0..5)).unwrap();
    assert_eq!(alone.clusters, [None; 5]);
    assert!(alone.items.iter().all(|i| i.own.is_none() && i.other.is_some()));
}

#[test]
fn another_number_of_samples_is_refused() {
    let similarity = similarity(&Eac, &planted(5, 3, 2, 0.2, 1));
    let error = membership(&similarity, &Partition::from_labels([0, 1])).unwrap_err();
    let what = "samples of the partition";
    assert_eq!(error, Error::Size { what, expected: 5, found: 2 });
}
