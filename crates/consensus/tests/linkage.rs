//! Compares linkage with a simple, slow algorithm and with kodama.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use enclust_consensus::{Linkage, LinkageMethod, LinkageParams};
use enclust_core::{
    Bipartite, Component, Consensus, Csr, Ctx, Dendrogram, Ensemble, Error, Event, Evidence,
    Factored, Fitted, Grouping, Kind, Microclusters, ParamError, Parameters, Partition, Similarity,
    Values, Weighting, condensed_len,
};
use enclust_testkit::generate::ensembles;
use proptest::collection::vec;
use proptest::prelude::*;

const METHODS: [LinkageMethod; 3] =
    [LinkageMethod::Average, LinkageMethod::Complete, LinkageMethod::Single];

fn linkage(method: LinkageMethod) -> Linkage {
    Linkage::new(method, LinkageParams::default())
}

fn fit(linkage: &Linkage, similarity: &Similarity<f64>) -> Box<dyn Fitted<f64>> {
    linkage.fit(&similarity.clone().into(), &Ctx::default()).unwrap()
}

fn tree(linkage: &Linkage, similarity: &Similarity<f64>) -> Dendrogram {
    fit(linkage, similarity).dendrogram().unwrap().clone()
}

// ---------------------------------------------------------------------------
// The simple, slow algorithm: in every step it computes the similarities of all pairs of
// clusters over all their pairs of samples, in whole numbers.

/// A similarity as a fraction of whole numbers.
#[derive(Clone, Copy)]
struct Fraction {
    over: u64,
    under: u64,
}

impl Fraction {
    fn exceeds(self, other: Fraction) -> bool {
        u128::from(self.over) * u128::from(other.under)
            > u128::from(other.over) * u128::from(self.under)
    }
}

fn cluster_similarity(
    method: LinkageMethod,
    units: &[Vec<u64>],
    a: &[usize],
    b: &[usize],
) -> Fraction {
    let pairs = || a.iter().flat_map(|&i| b.iter().map(move |&j| units[i][j]));
    match method {
        LinkageMethod::Average => {
            Fraction { over: pairs().sum(), under: (a.len() * b.len()) as u64 }
        }
        LinkageMethod::Complete => Fraction { over: pairs().min().unwrap(), under: 1 },
        LinkageMethod::Single => Fraction { over: pairs().max().unwrap(), under: 1 },
    }
}

fn primitive(method: LinkageMethod, units: &[Vec<u64>], unit: f64) -> Dendrogram {
    // Ordered by smallest member, so the first closest pair is the one that the tie rule
    // selects.
    let mut clusters: Vec<Vec<usize>> = (0..units.len()).map(|i| vec![i]).collect();
    let mut merges = Vec::new();
    while clusters.len() > 1 {
        let mut closest: Option<(usize, usize, Fraction)> = None;
        for a in 0..clusters.len() {
            for b in a + 1..clusters.len() {
                let s = cluster_similarity(method, units, &clusters[a], &clusters[b]);
                if closest.is_none_or(|(_, _, best)| s.exceeds(best)) {
                    closest = Some((a, b, s));
                }
            }
        }
        let (a, b, s) = closest.unwrap();
        let similarity = s.over as f64 / s.under as f64 / unit;
        merges.push((clusters[a][0], clusters[b][0], 1.0 - similarity));
        let absorbed = clusters.remove(b);
        clusters[a].extend(absorbed);
    }
    Dendrogram::from_members(units.len(), &merges).unwrap()
}

fn units_of(similarity: &Similarity<f64>, unit: f64) -> Vec<Vec<u64>> {
    let matrix = similarity.to_matrix();
    let n = similarity.grouping().samples();
    matrix.chunks(n).map(|row| row.iter().map(|s| (s * unit).round() as u64).collect()).collect()
}

fn assert_primitive(similarity: &Similarity<f64>, unit: f64) {
    let units = units_of(similarity, unit);
    for method in METHODS {
        assert_eq!(
            tree(&linkage(method), similarity),
            primitive(method, &units, unit),
            "{method:?}"
        );
    }
}

// ---------------------------------------------------------------------------
// Similarities.

/// The share of the clusterings that join two samples.
fn eac(ensemble: &Ensemble) -> Similarity<f64> {
    let micro = Microclusters::of(ensemble);
    let m = micro.clusterings() as f64;
    let mut between = Vec::new();
    for p in 0..micro.len() {
        let mut row = vec![0.0; micro.len() - p - 1];
        micro.add_agreement(p, |_| 1.0, &mut row);
        between.extend(row.iter().map(|c| c / m));
    }
    let ones = vec![1.0; micro.len()];
    Similarity::new(Arc::clone(micro.grouping()), between, ones.clone(), ones)
        .unwrap()
        .with_denominator(m)
        .unwrap()
}

fn grouping(samples: usize, groups: u8) -> impl Strategy<Value = Grouping> {
    vec(0..groups, 1..=samples).prop_map(|labels| {
        let labels = Partition::from_labels(labels);
        Grouping::from_map(labels.labels().iter().map(|&g| g as u32).collect()).unwrap()
    })
}

/// Arbitrary multiples of 1 / unit, within and between groups. In most of these similarities,
/// samples of some groups are closer to samples outside.
fn loose(samples: usize, groups: u8, unit: u32) -> impl Strategy<Value = Similarity<f64>> {
    grouping(samples, groups).prop_flat_map(move |grouping| {
        let n = grouping.len();
        let values =
            move |len| vec((0..=unit).prop_map(move |v| f64::from(v) / f64::from(unit)), len);
        (Just(Arc::new(grouping)), values(condensed_len(n)), values(n)).prop_map(
            move |(grouping, between, within)| {
                Similarity::new(grouping, between, within.clone(), within).unwrap()
            },
        )
    })
}

/// Random values between single samples.
fn distinct(samples: usize) -> impl Strategy<Value = Similarity<f64>> {
    (1..=samples).prop_flat_map(|n| {
        vec(0.0..1.0, condensed_len(n)).prop_map(move |between| singletons(n, between))
    })
}

fn singletons(n: usize, between: Vec<f64>) -> Similarity<f64> {
    let ones = vec![1.0; n];
    Similarity::new(Arc::new(Grouping::singletons(n)), between, ones.clone(), ones).unwrap()
}

/// Whether every merge was clearly closer than the next one.
fn untied(tree: &Dendrogram) -> bool {
    tree.merges().is_sorted_by(|a, b| a.height + 1e-9 < b.height)
}

// ---------------------------------------------------------------------------
// Properties.

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn equals_the_primitive_algorithm_on_ensembles(e in ensembles(24, 6, 4)) {
        assert_primitive(&eac(&e), e.clusterings() as f64);
    }

    #[test]
    fn equals_it_when_nearly_everything_is_tied(e in ensembles(24, 2, 3)) {
        assert_primitive(&eac(&e), e.clusterings() as f64);
    }

    #[test]
    fn equals_it_when_outsiders_are_closer(s in loose(20, 6, 3)) {
        assert_primitive(&s.with_denominator(3.0).unwrap(), 3.0);
    }

    #[test]
    fn equals_it_with_sevenths_that_are_not_exact(s in loose(16, 12, 7)) {
        assert_primitive(&s.with_denominator(7.0).unwrap(), 7.0);
    }

    #[test]
    fn equals_it_when_large_crowds_pair_off(s in loose(40, 4, 1 << 20)) {
        assert_primitive(&s, f64::from(1 << 20));
    }

    #[test]
    fn equals_it_without_a_denominator(s in loose(20, 8, 1024)) {
        // Sums of multiples of 1/1024 are exact, so the order is exact as well.
        assert_primitive(&s, 1024.0);
    }

    #[test]
    fn keeps_ties_exact_in_single_precision(e in ensembles(20, 7, 3)) {
        let wide = eac(&e);
        let narrow = |values: &[f64]| values.iter().map(|&v| v as f32).collect::<Vec<_>>();
        let s = Similarity::new(
            Arc::clone(wide.grouping()),
            narrow(wide.condensed()),
            narrow(wide.within()),
            narrow(wide.own()),
        ).unwrap().with_denominator(e.clusterings() as f64).unwrap();
        for method in METHODS {
            let fitted = linkage(method).fit(&s.clone().into(), &Ctx::<f32>::default()).unwrap();
            prop_assert_eq!(fitted.dendrogram().unwrap(), &tree(&linkage(method), &wide));
        }
    }

    #[test]
    fn a_cut_has_exactly_k_clusters(s in loose(20, 6, 3)) {
        for method in METHODS {
            for weighting in [Weighting::Samples, Weighting::Groups] {
                let fitted = fit(&linkage(method).weighting(weighting), &s);
                for k in 1..=fitted.largest_k() {
                    prop_assert_eq!(fitted.cut(k, &Ctx::default()).unwrap().clusters(), k);
                }
            }
        }
    }

    #[test]
    fn groups_counted_once_are_single_samples_lifted(s in loose(20, 8, 4)) {
        let s = s.with_denominator(4.0).unwrap();
        let (n, n1) = (s.grouping().samples(), s.len());
        let small = singletons(n1, s.condensed().to_vec()).with_denominator(4.0).unwrap();
        for method in METHODS {
            let grouped = fit(&linkage(method).weighting(Weighting::Groups), &s);
            let single = tree(&linkage(method), &small);
            prop_assert_eq!(grouped.largest_k(), n1);
            for k in 1..=n1 {
                let lifted = s.grouping().lift(single.cut(k).unwrap().labels());
                prop_assert_eq!(grouped.cut(k, &Ctx::default()).unwrap(), lifted);
            }
            let merges = grouped.dendrogram().unwrap().merges();
            prop_assert!(merges[..n - n1].iter().all(|m| m.height == 0.0));
            for (ours, small) in merges[n - n1..].iter().zip(single.merges()) {
                prop_assert_eq!(ours.height, small.height);
            }
        }
    }

    #[test]
    fn equals_kodama_where_nothing_is_tied(s in distinct(40)) {
        let n = s.len();
        for method in METHODS {
            let ours = tree(&linkage(method), &s);
            prop_assume!(untied(&ours));
            let theirs = kodama_tree(method, &s);
            for (a, b) in ours.merges().iter().zip(&theirs) {
                prop_assert!((a.height - b.dissimilarity).abs() < 1e-12);
                prop_assert_eq!(a.size, b.size);
            }
            for k in 1..=n {
                prop_assert_eq!(ours.cut(k).unwrap(), kodama_cut(n, &theirs, k));
            }
        }
    }

    #[test]
    fn the_order_of_samples_does_not_matter_where_nothing_is_tied(
        (s, order) in distinct(20).prop_flat_map(|s| {
            let order = Just((0..s.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(s), order)
        })
    ) {
        let n = s.len();
        let mut between = Vec::new();
        for i in 0..n {
            between.extend((i + 1..n).map(|j| s.between(order[i], order[j])));
        }
        let shuffled = singletons(n, between);
        for method in METHODS {
            let (plain, mixed) = (tree(&linkage(method), &s), tree(&linkage(method), &shuffled));
            prop_assume!(untied(&plain));
            for k in 1..=n {
                let labels = plain.cut(k).unwrap();
                let moved = Partition::from_labels(order.iter().map(|&i| labels.labels()[i]));
                prop_assert_eq!(mixed.cut(k).unwrap(), moved);
            }
        }
    }
}

fn kodama_tree(method: LinkageMethod, s: &Similarity<f64>) -> Vec<kodama::Step<f64>> {
    let method = match method {
        LinkageMethod::Average => kodama::Method::Average,
        LinkageMethod::Complete => kodama::Method::Complete,
        LinkageMethod::Single => kodama::Method::Single,
    };
    let mut distances: Vec<f64> = s.condensed().iter().map(|v| 1.0 - v).collect();
    kodama::linkage(&mut distances, s.len(), method).steps().to_vec()
}

fn kodama_cut(n: usize, steps: &[kodama::Step<f64>], k: usize) -> Partition {
    let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
    let mut labels: Vec<usize> = (0..n).collect();
    for (t, step) in steps[..n - k].iter().enumerate() {
        let mut union = clusters[step.cluster1].clone();
        union.extend(&clusters[step.cluster2]);
        for &i in &union {
            labels[i] = n + t;
        }
        clusters.push(union);
    }
    Partition::from_labels(labels)
}

// ---------------------------------------------------------------------------
// Cases.

#[test]
fn a_cut_needs_the_merges_within_groups() {
    // Samples 0 and 1 form a group with a low similarity; 2 and 3 are similar.
    let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1, 2]).unwrap());
    let s = Similarity::new(grouping, vec![0.1, 0.1, 0.9], vec![0.3, 1.0, 1.0], vec![1.0; 3]);
    let fitted = fit(&Linkage::average(), &s.unwrap());
    let cut = fitted.cut(3, &Ctx::default()).unwrap();
    assert_eq!(cut.labels(), &[0, 1, 2, 2]);
}

#[test]
fn rounded_means_never_tear_a_group() {
    // The similarity within exceeds the others by one unit in the last place, so a mean of the
    // others may be rounded to a larger value.
    let outside = 0.1_f64;
    let within = f64::from_bits(outside.to_bits() + 1);
    for r in 2..40_u32 {
        let map: Vec<u32> = (0..3 * r).map(|i| i % 3).collect();
        let grouping = Arc::new(Grouping::from_map(map).unwrap());
        let s = Similarity::new(grouping, vec![outside; 3], vec![within; 3], vec![1.0; 3]).unwrap();
        let cut = fit(&Linkage::average(), &s).cut(2, &Ctx::default()).unwrap();
        let labels = cut.labels();
        assert!((0..labels.len()).all(|i| labels[i] == labels[i % 3]));
    }
}

#[test]
fn many_samples_in_few_groups() {
    let n = 200_000;
    let grouping = Arc::new(Grouping::from_map((0..n).map(|i| i % 4).collect()).unwrap());
    let between = vec![0.5, 0.0, 0.0, 0.0, 0.0, 0.5];
    let s = Similarity::new(grouping, between, vec![1.0; 4], vec![1.0; 4]).unwrap();
    let fitted = fit(&Linkage::average(), &s.with_denominator(2.0).unwrap());
    assert_eq!(fitted.largest_k(), n as usize);
    let cut = fitted.cut(2, &Ctx::default()).unwrap();
    assert!(cut.labels().iter().enumerate().all(|(i, &l)| l == i % 4 / 2));
}

#[test]
fn progress_is_measured_in_pairs_that_are_left() {
    let n = 600;
    let pairs = |clusters: usize| condensed_len(clusters) as u64;
    // A prime number of steps through all values: no two are equal.
    let between = (0..condensed_len(n)).map(|at| (at * 7919 % condensed_len(n)) as f64 / 2e5);
    let heard = Mutex::new(Vec::new());
    let listen = |event: &Event<'_>| {
        if let Event::Progress { done, total } = event {
            heard.lock().unwrap().push((*done, *total));
        }
        ControlFlow::Continue(())
    };
    let ctx = Ctx::default().with_observer(&listen);
    Linkage::complete().fit(&singletons(n, between.collect()).into(), &ctx).unwrap();
    // Every 256 merges.
    let expected = [344, 88].map(|left| (pairs(n) - pairs(left), pairs(n)));
    assert_eq!(*heard.lock().unwrap(), expected);
}

/// Ties tear the 200 groups apart, so there are soon more kinds of clusters than groups.
#[test]
fn memory_is_requested_before_the_table_grows_by_an_eighth() {
    let grouping = Arc::new(Grouping::from_map((0..800).map(|i| i / 4).collect()).unwrap());
    let between = vec![0.5; condensed_len(200)];
    let s = Similarity::new(grouping, between, vec![0.5; 200], vec![1.0; 200]).unwrap();
    let refused = Linkage::average().fit(&s.into(), &Ctx::<f64>::default().with_memory(1000));
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("for 226 kinds of clusters"), "{message}");
}

#[test]
fn one_sample_and_one_group() {
    for method in METHODS {
        let alone = fit(&linkage(method), &singletons(1, vec![]));
        assert_eq!(alone.largest_k(), 1);
        assert_eq!(alone.cut(1, &Ctx::default()).unwrap().labels(), &[0]);

        let grouping = Arc::new(Grouping::from_map(vec![0; 3]).unwrap());
        let s = Similarity::new(grouping, vec![], vec![0.25], vec![1.0]).unwrap();
        let together = fit(&linkage(method), &s);
        assert_eq!(together.cut(2, &Ctx::default()).unwrap().labels(), &[0, 0, 1]);
        assert_eq!(together.dendrogram().unwrap().merges()[1].height, 0.75);

        let once = fit(&linkage(method).weighting(Weighting::Groups), &s);
        assert_eq!(once.largest_k(), 1);
        assert_eq!(once.dendrogram().unwrap().merges()[1].height, 0.0);
    }
}

#[test]
fn numbers_of_clusters_out_of_reach_are_errors() {
    let grouping = Arc::new(Grouping::from_map(vec![0, 0, 1]).unwrap());
    let s = Similarity::new(grouping, vec![0.5], vec![1.0; 2], vec![1.0; 2]).unwrap();
    let refused = |l: &Linkage, k| fit(l, &s).cut(k, &Ctx::default()).unwrap_err();
    let error = |k, largest, name: &str| Error::ClusterCount { k, largest, component: name.into() };
    assert_eq!(refused(&Linkage::single(), 0), error(0, 3, "single"));
    assert_eq!(refused(&Linkage::complete(), 4), error(4, 3, "complete"));
    let groups = Linkage::average().weighting(Weighting::Groups);
    assert_eq!(refused(&groups, 3), error(3, 2, "average"));
}

#[test]
fn other_kinds_of_evidence_are_errors() {
    let graph = Bipartite::new(Arc::new(Grouping::singletons(2)), Csr::<f64>::empty(2, 1)).unwrap();
    let refused = Linkage::average().fit(&Evidence::from(graph), &Ctx::default());
    let Err(Error::KindMismatch { consumer, accepts, made, .. }) = refused else {
        panic!("a bipartite graph was accepted as a similarity");
    };
    assert_eq!((consumer.as_str(), made), ("average", Kind::Bipartite));
    assert_eq!(accepts, Consensus::<f64>::accepts(&Linkage::average()));
}

#[test]
fn senseless_denominators_are_refused() {
    let s = singletons(3, vec![0.5, 0.25, 0.75]);
    for d in [0.0, -2.0, f64::NAN, f64::INFINITY, 3.0] {
        assert!(matches!(s.clone().with_denominator(d), Err(Error::Denominator { .. })), "{d}");
    }
}

#[test]
fn a_denominator_beyond_the_precision_is_not_counted_in() {
    let s = singletons(3, vec![0.5, 0.25, 0.75]);
    let counted = s.clone().with_denominator(2_f64.powi(52)).unwrap();
    assert_eq!(tree(&Linkage::average(), &counted), tree(&Linkage::average(), &s));
}

#[test]
fn parameters_by_name() {
    let params = LinkageParams::from_values(&Values::from([("weighting".into(), "groups".into())]));
    assert_eq!(params.unwrap().weighting, Weighting::Groups);
    let unknown = LinkageParams::from_values(&Values::from([("weight".into(), "groups".into())]));
    assert!(matches!(unknown, Err(ParamError::Unknown { .. })));
    let wrong = LinkageParams::from_values(&Values::from([("weighting".into(), "mass".into())]));
    assert!(matches!(wrong, Err(ParamError::WrongType { .. })));
    let names = METHODS.map(|m| linkage(m).name().to_string());
    assert_eq!(names, ["average", "complete", "single"]);
}

// ---------------------------------------------------------------------------
// The form without a table of all pairs.

fn assert_same_merges(ensemble: &Ensemble, weights: &[f64], by_sums: bool) {
    let rows = Microclusters::of(ensemble);
    let offsets = rows.cluster_offsets();
    let matrix: Similarity<f64> =
        rows.co_association(|k, label| weights[offsets[k] + label as usize]).unwrap();
    let matrix =
        if by_sums { matrix.with_denominator(rows.total_weight()).unwrap() } else { matrix };
    let factored = Factored::new(&rows, weights).unwrap();
    let average = linkage(LinkageMethod::Average);
    let fitted = average.fit(&Evidence::Factored(factored), &Ctx::<f64>::default()).unwrap();
    let (found, expected) = (fitted.dendrogram().unwrap(), tree(&average, &matrix));
    assert_eq!(found.merges().len(), expected.merges().len());
    for (at, (a, b)) in found.merges().iter().zip(expected.merges()).enumerate() {
        assert!((a.height - b.height).abs() < 1e-12, "merge {at}: {a:?} and {b:?}");
        assert_eq!((a.left, a.right), (b.left, b.right), "merge {at} at {}", a.height);
    }
}

proptest! {
    /// With unit weights the sums are whole numbers, and ties are the rule.
    #[test]
    fn factored_linkage_breaks_ties_like_the_table(e in ensembles(60, 8, 4)) {
        let clusters: usize = e.clusters().iter().sum();
        assert_same_merges(&e, &vec![1.0; clusters], true);
    }

    /// Weights of clusterings are whole numbers.
    #[test]
    fn factored_linkage_honours_weights(e in ensembles(40, 5, 4), w in vec(1..5_u8, 5)) {
        let m = e.clusterings();
        let e = e.with_weights(w[..m].iter().map(|&w| f64::from(w)).collect()).unwrap();
        let clusters: usize = e.clusters().iter().sum();
        assert_same_merges(&e, &vec![1.0; clusters], true);
    }

    /// Powers of two: sums are exact, and there are ties as well as different values.
    #[test]
    fn factored_linkage_equals_the_table_for_other_weights(
        e in ensembles(60, 8, 4), halvings in vec(0..6_i32, 32)
    ) {
        let clusters: usize = e.clusters().iter().sum();
        let weights: Vec<f64> = halvings[..clusters].iter().map(|&h| 0.5_f64.powi(h)).collect();
        let e = e.select(&(0..e.clusterings().next_power_of_two()).map(|k| k % e.clusterings()).collect::<Vec<_>>()).unwrap();
        let repeated: Vec<f64> = {
            let m = e.clusterings();
            let mut out = Vec::new();
            let mut at = 0;
            for k in 0..m {
                let own = e.clusters()[k];
                out.extend((0..own).map(|c| weights[(at + c) % clusters]));
                at += own;
            }
            out
        };
        assert_same_merges(&e, &repeated, false);
    }
}

#[test]
fn only_average_linkage_over_samples_reads_a_factored_similarity() {
    let rows = Microclusters::of(&Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]]).unwrap());
    let factored: Evidence<f64> = Factored::new(&rows, &[1.0; 4]).unwrap().into();
    let groups = Linkage::average().weighting(Weighting::Groups);
    for part in [Linkage::complete(), Linkage::single(), groups] {
        let refused = part.fit(&factored, &Ctx::default()).err();
        assert!(matches!(refused, Some(Error::KindMismatch { made: Kind::Factored, .. })));
    }
}
