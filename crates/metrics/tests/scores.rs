//! Compares scores with values of scikit-learn and with their slow definitions, and tests their
//! conventions.

use enclust_core::{Ensemble, Error, Partition};
use enclust_metrics::{
    Contingency, NmiMean, PairScores, Scores, accuracy, diversity, mean_agreement,
    mean_agreement_ari, nmi, pair_scores, purity,
};
use proptest::prelude::*;

const MEANS: [NmiMean; 4] = [NmiMean::Arithmetic, NmiMean::Geometric, NmiMean::Min, NmiMean::Max];

fn overlaps(truth: &[usize], found: &[usize]) -> Contingency {
    Contingency::of(&Partition::from_labels(truth), &Partition::from_labels(found)).unwrap()
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-13, "{a} is not {b}");
}

/// Computed with scikit-learn 1.9.1 (adjusted_rand_score,
/// normalized_mutual_info_score, pair_confusion_matrix) and SciPy 1.17.1
/// (linear_sum_assignment).
#[test]
fn values_of_scikit_learn() {
    let t = overlaps(&[0, 0, 1, 2, 3, 3, 3, 1, 0, 2, 2, 4], &[1, 1, 1, 0, 0, 0, 2, 2, 1, 0, 0, 2]);
    assert_close(t.ari(), 0.3546284224250326);
    let expected = [0.6122071007173516, 0.6221850273486251, 0.7451148814515746, 0.5195362727189985];
    for (mean, value) in MEANS.into_iter().zip(expected) {
        assert_close(nmi(&t, mean), value);
    }
    assert_close(pair_scores(&t).precision, 14.0 / 38.0);
    assert_close(pair_scores(&t).recall, 14.0 / 20.0);
    assert_close(accuracy(&t), 7.0 / 12.0);
    assert_close(purity(&t), 7.0 / 12.0);

    let t = overlaps(&[0, 0, 0, 1, 1, 1, 2, 2, 2, 2], &[0, 0, 1, 1, 1, 2, 2, 2, 2, 0]);
    assert_close(t.ari(), 0.20454545454545456);
    assert_close(nmi(&t, NmiMean::Arithmetic), 0.44270128334605);
    assert_close(accuracy(&t), 0.7);
}

#[test]
fn degenerate_partitions() {
    let (one, singles, halves) = ([0, 0, 0, 0], [0, 1, 2, 3], [0, 0, 1, 1]);
    for mean in MEANS {
        assert_eq!(nmi(&overlaps(&one, &one), mean), 1.0);
        assert_eq!(nmi(&overlaps(&singles, &singles), mean), 1.0);
        assert_eq!(nmi(&overlaps(&one, &halves), mean), 0.0);
        assert_eq!(nmi(&overlaps(&halves, &one), mean), 0.0);
    }
    assert_eq!(overlaps(&one, &one).ari(), 1.0);
    assert_eq!(overlaps(&singles, &singles).ari(), 1.0);
    assert_eq!(overlaps(&[0], &[0]).ari(), 1.0);
    assert_eq!(overlaps(&one, &singles).ari(), 0.0);

    let all = |x| PairScores { precision: x, recall: x, f1: x };
    assert_eq!(pair_scores(&overlaps(&singles, &singles)), all(1.0));
    assert_eq!(pair_scores(&overlaps(&one, &singles)), all(0.0));
    assert_eq!(pair_scores(&overlaps(&singles, &one)), all(0.0));
}

#[test]
fn sizes_are_checked() {
    let p = |labels: &[u8]| Partition::from_labels(labels.to_vec());
    assert_eq!(
        Scores::of(&p(&[1, 2]), &p(&[1])),
        Err(Error::Size { what: "samples of the two partitions", expected: 2, found: 1 })
    );
    assert_eq!(Scores::of(&p(&[]), &p(&[])), Err(Error::Empty { what: "partition" }));
    let e = Ensemble::from_columns(&[[0, 1, 1]]).unwrap();
    assert!(matches!(mean_agreement_ari(&e, &p(&[0, 1])), Err(Error::Size { .. })));
}

#[test]
fn many_small_clusters_need_little_memory() {
    let singles: Vec<usize> = (0..3000).collect();
    let pairs: Vec<usize> = (0..3000).map(|i| i / 2).collect();
    assert_eq!(accuracy(&overlaps(&singles, &pairs)), 0.5);
    assert_eq!(accuracy(&overlaps(&pairs, &singles)), 0.5);
}

#[test]
fn missing_labels_are_left_out() {
    let e = Ensemble::from_columns(&[
        [Some(0), Some(0), Some(1), None],
        [None, None, None, None],
        [None, Some(0), Some(1), Some(1)],
    ])
    .unwrap();
    let p = Partition::from_labels([0, 0, 1, 0]);
    // The first clustering agrees on all samples that it labels; the second has no labels and
    // is ignored.
    let third = overlaps(&[0, 1, 1], &[0, 1, 0]);
    let expected = (1.0 + nmi(&third, NmiMean::Max)) / 2.0;
    assert_close(mean_agreement(&e, &p, NmiMean::Max).unwrap(), expected);
    assert_close(mean_agreement_ari(&e, &p).unwrap(), (1.0 + third.ari()) / 2.0);
    assert_eq!(diversity(&e), 0.0);

    let silent = Ensemble::from_columns(&[[None::<u8>, None]]).unwrap();
    let unlabelled = mean_agreement_ari(&silent, &Partition::from_labels([0, 1]));
    assert_eq!(unlabelled, Err(Error::Empty { what: "set of labelled samples" }));
    assert_eq!(diversity(&silent), 0.0);
}

#[test]
fn a_weight_of_two_agrees_like_two_copies() {
    let e = Ensemble::from_columns(&[[0, 0, 1, 1, 2], [0, 1, 1, 2, 2]]).unwrap();
    let p = Partition::from_labels([0, 0, 0, 1, 1]);
    let weighted = e.clone().with_weights(vec![2.0, 1.0]).unwrap();
    let repeated = e.select(&[0, 0, 1]).unwrap();
    let of = |e| mean_agreement(e, &p, NmiMean::Geometric).unwrap();
    assert_close(of(&weighted), of(&repeated));
}

/// Numbers of pairs together in (both, truth, found) and of all pairs, by enumeration.
fn count_pairs(truth: &[usize], found: &[usize]) -> [f64; 4] {
    let mut counts = [0.0; 4];
    for i in 0..truth.len() {
        for j in 0..i {
            let (t, f) = (truth[i] == truth[j], found[i] == found[j]);
            for (count, holds) in counts.iter_mut().zip([t && f, t, f, true]) {
                *count += f64::from(u8::from(holds));
            }
        }
    }
    counts
}

/// Share of samples with this property.
fn frequency(n: usize, holds: impl Fn(usize) -> bool) -> f64 {
    (0..n).filter(|&i| holds(i)).count() as f64 / n as f64
}

/// Entropy of `label` over the samples, as a mean over samples.
fn entropy<L: PartialEq>(n: usize, label: impl Fn(usize) -> L) -> f64 {
    (0..n).map(|i| -frequency(n, |j| label(i) == label(j)).ln()).sum::<f64>() / n as f64
}

/// Maximum number of matched samples over all ways to assign each class from `class` on a
/// different cluster or none.
fn best_matching(truth: &[usize], found: &[usize], class: usize, used: &mut Vec<usize>) -> usize {
    let Some(&last) = truth.iter().max() else { return 0 };
    if class > last {
        return 0;
    }
    let mut best = best_matching(truth, found, class + 1, used);
    for cluster in 0..=found.iter().copied().max().unwrap_or(0) {
        if used.contains(&cluster) {
            continue;
        }
        used.push(cluster);
        let own = truth.iter().zip(found).filter(|&(&t, &f)| (t, f) == (class, cluster)).count();
        best = best.max(own + best_matching(truth, found, class + 1, used));
        used.pop();
    }
    best
}

fn two_labellings() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (1_usize..25, 1_usize..7, 1_usize..7)
        .prop_flat_map(|(n, k, l)| (prop::collection::vec(0..k, n), prop::collection::vec(0..l, n)))
}

fn ensemble() -> impl Strategy<Value = Ensemble> {
    (1_usize..12, 1_usize..6).prop_flat_map(|(n, m)| {
        prop::collection::vec(prop::collection::vec(prop::option::of(0_u8..4), n), m)
            .prop_map(|columns| Ensemble::from_columns(&columns).unwrap())
    })
}

proptest! {
    #[test]
    fn pair_scores_count_pairs((truth, found) in two_labellings()) {
        let [both, t, f, all] = count_pairs(&truth, &found);
        let scores = overlaps(&truth, &found);
        let chance = t * f / all;
        if (t + f) / 2.0 != chance && all > 0.0 {
            assert_close(scores.ari(), (both - chance) / ((t + f) / 2.0 - chance));
        } else {
            prop_assert_eq!(scores.ari(), 1.0);
        }
        if f > 0.0 { assert_close(pair_scores(&scores).precision, both / f) }
        if t > 0.0 { assert_close(pair_scores(&scores).recall, both / t) }
        if t + f > 0.0 { assert_close(pair_scores(&scores).f1, 2.0 * both / (t + f)) }
    }

    #[test]
    fn nmi_is_information_over_mean_entropy((truth, found) in two_labellings()) {
        let n = truth.len();
        let (a, b) = (entropy(n, |i| truth[i]), entropy(n, |i| found[i]));
        let information = a + b - entropy(n, |i| (truth[i], found[i]));
        let scores = overlaps(&truth, &found);
        let means = [(a + b) / 2.0, (a * b).sqrt(), a.min(b), a.max(b)];
        for (mean, value) in MEANS.into_iter().zip(means) {
            if a > 0.0 && b > 0.0 {
                assert_close(nmi(&scores, mean), information / value);
            }
            prop_assert!((0.0..=1.0).contains(&nmi(&scores, mean)));
        }
    }

    #[test]
    fn accuracy_is_the_best_matching((truth, found) in two_labellings()) {
        let best = best_matching(&truth, &found, 0, &mut Vec::new());
        prop_assert_eq!(accuracy(&overlaps(&truth, &found)), best as f64 / truth.len() as f64);
    }

    #[test]
    fn purity_counts_majorities((truth, found) in two_labellings()) {
        let majority = |f: usize| (0..7)
            .map(|t| truth.iter().zip(&found).filter(|&(&a, &b)| (a, b) == (t, f)).count())
            .max()
            .unwrap_or(0);
        let expected = (0..7).map(majority).sum::<usize>() as f64 / truth.len() as f64;
        prop_assert_eq!(purity(&overlaps(&truth, &found)), expected);
    }

    #[test]
    fn sides_may_be_exchanged((truth, found) in two_labellings()) {
        let (a, b) = (overlaps(&truth, &found), overlaps(&found, &truth));
        let mut exchanged = (a.transposed().cells().to_vec(), b.cells().to_vec());
        exchanged.0.sort_by_key(|c| (c.row, c.column));
        exchanged.1.sort_by_key(|c| (c.row, c.column));
        prop_assert_eq!(exchanged.0, exchanged.1);
        prop_assert_eq!(a.ari(), b.ari());
        prop_assert_eq!(accuracy(&a), accuracy(&b));
        prop_assert_eq!(pair_scores(&a).f1, pair_scores(&b).f1);
        prop_assert_eq!(pair_scores(&a).precision, pair_scores(&b).recall);
        for mean in MEANS {
            assert_close(nmi(&a, mean), nmi(&b, mean));
        }
    }

    #[test]
    fn names_do_not_matter((truth, found) in two_labellings(), shift in 1_usize..1000) {
        let renamed: Vec<usize> = found.iter().map(|f| (f * 7919 + shift) % 100_003).collect();
        prop_assert_eq!(overlaps(&truth, &found), overlaps(&truth, &renamed));
    }

    #[test]
    fn a_partition_scores_one_against_itself((truth, _) in two_labellings()) {
        let p = Partition::from_labels(truth);
        let scores = Scores::of(&p, &p).unwrap();
        prop_assert!(scores.named().iter().all(|&(_, value)| value == 1.0), "{scores:?}");
    }

    #[test]
    fn diversity_is_a_mean_over_pairs(ensemble in ensemble()) {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for a in 0..ensemble.clusterings() {
            for b in 0..a {
                let both: Vec<(usize, usize)> = ensemble.column(a).iter().zip(ensemble.column(b))
                    .filter(|(x, y)| ![**x, **y].contains(&enclust_core::MISSING))
                    .map(|(&x, &y)| (x as usize, y as usize))
                    .collect();
                if !both.is_empty() {
                    let (x, y): (Vec<usize>, Vec<usize>) = both.into_iter().unzip();
                    sum += 1.0 - nmi(&overlaps(&x, &y), NmiMean::Arithmetic);
                    pairs += 1.0;
                }
            }
        }
        assert_close(diversity(&ensemble), if pairs > 0.0 { sum / pairs } else { 0.0 });
    }
}
