//! Rows with counts give what the repeated rows give, for every method and every figure.

use std::cell::Cell;

use enclust::core::{
    Assignment, BoxedPipeline, Constraints, Ctx, Dendrogram, Ensemble, Error, Evidence, Fit,
    Method, Microclusters, Part, Partition, Question, Refinement, ensemble_warnings,
};
use enclust::metrics::{NmiMean, Scores, diversity, mean_agreement, mean_agreement_ari};
use enclust::registry::standard;
use enclust::stability::{StabilityParams, membership, ranking, stability};
use enclust_testkit::generate::{ensembles, ensembles_with_missing, planted, shuffled};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// Rows of labels, and how often each of them occurs.
#[derive(Clone, Debug)]
struct Counted {
    rows: Ensemble,
    counts: Vec<u64>,
}

impl Counted {
    fn ensemble(&self) -> Ensemble {
        self.rows.clone().with_counts(&self.counts).unwrap()
    }

    /// The row of each sample.
    fn origin(&self) -> Vec<usize> {
        let repeated = |(row, &count): (usize, &u64)| vec![row; count as usize];
        self.counts.iter().enumerate().flat_map(repeated).collect()
    }

    fn repeated(&self) -> Ensemble {
        self.rows.rearranged(&self.origin()).unwrap()
    }

    /// The first sample of each row.
    fn firsts(&self) -> Vec<usize> {
        let ends = self.counts.iter().scan(0, |end, &count| {
            *end += count as usize;
            Some(*end - count as usize)
        });
        ends.collect()
    }
}

/// No row is without labels: the samples of such a row have nothing in common.
fn counted(e: impl Strategy<Value = Ensemble>) -> impl Strategy<Value = Counted> {
    let labelled = |e: &Ensemble| {
        (0..e.samples()).all(|i| (0..e.clusterings()).any(|k| e.column(k)[i] != u32::MAX))
    };
    let e = e.prop_filter("rows without labels", labelled);
    (e, proptest::collection::vec(1..5_u64, 12)).prop_map(|(rows, mut counts)| {
        counts.truncate(rows.samples());
        Counted { rows, counts }
    })
}

fn any_counted() -> impl Strategy<Value = Counted> {
    prop_oneof![counted(ensembles(12, 7, 3)), counted(ensembles_with_missing(10, 7, 3))]
}

/// The cases are the same in every run, because rounding decides ties between means in different ways
/// for rows with counts and for repeated rows, and the law leaves out only the ties that it finds.
fn check<T: std::fmt::Debug>(cases: u32, strategy: impl Strategy<Value = T>, law: impl Fn(&T)) {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, |value| {
        law(&value);
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

/// Every preset, the linkages of groups and of a similarity that is low within groups.
fn methods() -> Vec<(String, BoxedPipeline<f64>)> {
    let registry = standard::<f64>();
    // Samples of one row may get different labels from `balanced`, which refuses counts.
    let presets = registry.presets().iter().filter(|p| p.spec.consensus.name != "balanced");
    let mut specs: Vec<_> = presets.map(|p| (p.name.to_string(), p.spec.clone())).collect();
    let base = registry.preset("lwea").unwrap().spec.clone();
    for consensus in ["average", "complete", "single"] {
        let mut spec = base.clone();
        spec.consensus = Part::named(consensus);
        specs.push((format!("lwca {consensus}"), spec.clone()));
        spec.consensus = spec.consensus.set("weighting", "groups");
        specs.push((format!("lwca {consensus} of groups"), spec));
    }
    for (_, spec) in &mut specs {
        if spec.ca.name.starts_with("rsec") {
            spec.ca = spec.ca.clone().set("max_iterations", 8);
        }
    }
    specs.into_iter().map(|(name, spec)| (name, registry.pipeline(&spec).unwrap())).collect()
}

fn fit(method: &BoxedPipeline<f64>, e: &Ensemble, k: usize) -> Option<Fit<f64>> {
    match method.fit(e, &Question::clusters(k), &Ctx::default()) {
        Err(Error::Unsupported { .. }) if e.has_missing() => None,
        fit => Some(fit.unwrap()),
    }
}

/// The values of the evidence, without its groups.
fn values(evidence: &Evidence<f64>) -> Vec<Vec<f64>> {
    match evidence {
        Evidence::Similarity(s) => {
            vec![s.condensed().to_vec(), s.within().to_vec(), s.own().to_vec()]
        }
        Evidence::Embedding(e) => vec![e.points.data().to_vec()],
        Evidence::Bipartite(b) => {
            (0..b.weights.rows()).map(|p| b.weights.row(p).1.to_vec()).collect()
        }
        Evidence::ClusterGraph(g) => vec![g.weights.data().to_vec()],
        other => vec![other.grouping().sizes().iter().map(|&r| r as f64).collect()],
    }
}

/// Whether a tree of the repeated rows joins the samples of each group before any of them joins
/// another group.
fn completes_groups(tree: &Dendrogram, groups: &[u32]) -> bool {
    let n = tree.samples();
    let whole = |group: u32| groups.iter().filter(|&&g| g == group).count();
    // The group of each cluster, and whether it is complete; none for a union of groups.
    let mut clusters: Vec<(Option<u32>, usize)> = groups.iter().map(|&g| (Some(g), 1)).collect();
    tree.merges().iter().all(|merge| {
        let (left, right) = (clusters[merge.left], clusters[merge.right]);
        assert!(merge.left < n + tree.merges().len());
        let same = left.0.is_some() && left.0 == right.0;
        clusters.push((left.0.filter(|_| same), left.1 + right.1));
        same || [left, right].iter().all(|(group, size)| group.is_none_or(|g| whole(g) == *size))
    })
}

/// Whether rounding may decide between equal means: similarities or heights are tied, and sums are
/// not whole numbers.
fn is_tied(fit: &Fit<f64>) -> bool {
    let (Some(tree), Evidence::Similarity(similarity)) = (fit.dendrogram(), &fit.evidence) else {
        return false;
    };
    let near = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.windows(2).any(|pair| pair[1] - pair[0] < 1e-9)
    };
    similarity.denominator().is_none()
        && (near(similarity.condensed().to_vec())
            || near(tree.merges().iter().map(|merge| merge.height).collect()))
}

#[test]
fn every_method_gives_the_labels_of_the_repeated_rows() {
    let methods = methods();
    let (compared, all) = (Cell::new(0), Cell::new(0));
    check(60, any_counted(), |case| {
        let (few, many) = (case.ensemble(), case.repeated());
        assert_eq!(few.total(), many.samples());
        let groups = Microclusters::of(&many);
        for (name, method) in &methods {
            let k = groups.len().min(3);
            let (Some(short), Some(long)) = (fit(method, &few, k), fit(method, &many, k)) else {
                continue;
            };
            assert_eq!(values(&short.evidence), values(&long.evidence), "{name}");
            assert_eq!(short.pairs, long.pairs, "{name}");
            let splits = |tree| !completes_groups(tree, groups.grouping().map());
            all.set(all.get() + 1);
            if long.dendrogram().is_some_and(splits) || is_tied(&short) {
                continue;
            }
            compared.set(compared.get() + 1);
            let ctx = Ctx::default();
            let most = groups.len().min(short.fitted.largest_k());
            let ks = short.clusters.map_or(1..=most, |k| k..=k);
            for k in ks {
                let (found, expected) = (short.cut(k, &ctx).unwrap(), long.cut(k, &ctx).unwrap());
                // A cut into many clusters may come before the last row is complete.
                let of_rows = expected.rearranged(&case.firsts());
                if of_rows.rearranged(&case.origin()) != expected {
                    continue;
                }
                assert_eq!(found, of_rows, "{name}, k = {k}");
                assert_eq!(found.sizes(), expected.sizes(), "{name}, k = {k}");
                let warnings = |fit: &Fit<f64>, cut| fit.label_warnings(k, cut, None);
                assert_eq!(warnings(&short, &found), warnings(&long, &expected), "{name}");
            }
        }
    });
    println!("{} of {} fits were compared", compared.get(), all.get());
    assert!(4 * compared.get() > all.get());
}

#[test]
fn a_tree_joins_rows_and_counts_samples() {
    let rows = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 1, 2, 2]]).unwrap();
    let e = rows.with_counts(&[5, 1, 2, 3]).unwrap();
    let registry = standard::<f64>();
    let method = registry.pipeline(&registry.preset("eac").unwrap().spec).unwrap();
    let fit = fit(&method, &e, 2).unwrap();
    let tree = fit.dendrogram().unwrap();
    assert_eq!(tree.merges().iter().map(|merge| merge.size).collect::<Vec<_>>(), [5, 6, 11]);
    assert_eq!(tree.cut(2).unwrap().sizes(), [6, 5]);
    let error = fit.cut(5, &Ctx::default()).unwrap_err();
    assert!(matches!(error, Error::ClusterCount { k: 5, largest: 4, .. }), "{error}");
}

#[test]
fn figures_without_a_method_count_samples() {
    check(200, (any_counted(), any::<u64>()), |(case, seed)| {
        let (few, many) = (case.ensemble(), case.repeated());
        let labels: Vec<usize> = shuffled(few.samples(), *seed).iter().map(|i| i % 3).collect();
        let found = Partition::from_labels(&labels).counted(few.counts().cloned()).unwrap();
        let long = found.rearranged(&case.origin());
        let truth = Partition::from_labels((0..few.samples()).map(|i| i % 2));
        let of_many = Partition::from_labels(truth.rearranged(&case.origin()).labels());
        let plain = Partition::from_labels(long.labels());
        assert_eq!(Scores::of(&truth, &found).unwrap(), Scores::of(&of_many, &plain).unwrap());
        let mean = NmiMean::Arithmetic;
        assert_eq!(mean_agreement(&few, &found, mean), mean_agreement(&many, &plain, mean));
        assert_eq!(mean_agreement_ari(&few, &found), mean_agreement_ari(&many, &plain));
        assert_eq!(diversity(&few), diversity(&many));
        assert_eq!(ensemble_warnings(&few), ensemble_warnings(&many));
        assert_eq!(found.largest_share(), plain.largest_share());
        let (short, full) = (Microclusters::of(&few), Microclusters::of(&many));
        assert_eq!(short.grouping().sizes(), full.grouping().sizes());
        assert_eq!(short.to_ensemble(), few);
        let weights: Vec<f64> =
            (0..few.clusters().iter().sum()).map(|b| 0.1 + (b % 7) as f64 / 8.0).collect();
        assert_eq!(
            Assignment::new(&short, &weights, &found).unwrap(),
            Assignment::new(&full, &weights, &plain).unwrap()
        );
        let refined = |rows, partition: &Partition| {
            Refinement::new(rows, weights.clone(), &[]).unwrap().refined(partition).unwrap()
        };
        // A row of labels has one label before the refinement, that of its first sample.
        let (one, moved) = refined(short, &found);
        let (other, also) = refined(full, &plain);
        assert_eq!((one, moved), (other.rearranged(&case.firsts()), also));
    });
}

#[test]
fn figures_of_a_method_count_samples() {
    let registry = standard::<f64>();
    let method = registry.pipeline(&registry.preset("eac").unwrap().spec).unwrap();
    let ctx = Ctx::default();
    for seed in 0..6 {
        let rows = planted(24, 9, 3, 0.25, seed);
        // A linkage that cuts into more clusters than there are groups splits them by a tie rule.
        let counts = (0..24).map(|i| 1 + (i * 7 + seed) % 4).collect();
        let case = Counted { rows, counts };
        let (few, many) = (case.ensemble(), case.repeated());
        let (short, long) = (fit(&method, &few, 3).unwrap(), fit(&method, &many, 3).unwrap());
        let groups = Microclusters::of(&many);
        assert!(completes_groups(long.dendrogram().unwrap(), groups.grouping().map()));
        let (found, expected) = (short.cut(3, &ctx).unwrap(), long.cut(3, &ctx).unwrap());
        let (a, b) = (
            membership(short.evidence.as_similarity().unwrap(), &found).unwrap(),
            membership(long.evidence.as_similarity().unwrap(), &expected).unwrap(),
        );
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-12,
            (a, b) => a == b,
        };
        assert!(a.clusters.iter().zip(&b.clusters).all(|(a, b)| close(*a, *b)));
        for (row, &sample) in case.firsts().iter().enumerate() {
            assert_eq!(a.items[row], b.items[sample]);
            assert_eq!(a.soft[row], b.soft[sample]);
        }
        assert_eq!(
            ranking(&method, &few, &found, &ctx).unwrap(),
            ranking(&method, &many, &expected, &ctx).unwrap()
        );
        let draws = StabilityParams::default().draws(6);
        let one = stability(&method, &few, 2..=4, &draws, &ctx).unwrap();
        let other = stability(&method, &many, 2..=4, &draws, &ctx).unwrap();
        assert_eq!((one.samples, one.groups), (other.samples, other.groups));
        for (one, other) in one.levels.iter().zip(&other.levels) {
            assert_eq!(one.cdf, other.cdf);
            assert!(close(one.cluster_consensus, other.cluster_consensus));
            assert!(close(one.gap, other.gap));
        }
    }
}

/// A constraint on a row holds for all its samples: for each of them in the repeated rows.
#[test]
fn constraints_of_rows_hold_for_their_samples() {
    let registry = standard::<f64>();
    let ctx = Ctx::default();
    for name in ["eac", "ec-cms"] {
        let spec = &registry.preset(name).unwrap().spec;
        for seed in 0..5 {
            let rows = planted(20, 9, 3, 0.3, seed);
            let counts: Vec<u64> = (0..20).map(|i| 1 + (i + seed) % 3).collect();
            let case = Counted { rows, counts };
            let samples = |row: usize| (0..case.counts[row] as usize).map(move |at| (row, at));
            let firsts = case.firsts();
            let of_row = |row: usize| samples(row).map(|(row, at)| firsts[row] + at);
            let pairs = |a: usize, b: usize| -> Vec<(usize, usize)> {
                of_row(a).flat_map(|i| of_row(b).map(move |j| (i, j))).collect()
            };
            let short = Constraints::new(20, &[(1, 2)], &[(0, 7)]).unwrap();
            let long = Constraints::new(case.origin().len(), &pairs(1, 2), &pairs(0, 7)).unwrap();
            let labels = |e: &Ensemble, constraints: Constraints| {
                let method = registry.pipeline(spec).unwrap().with_constraints(constraints);
                let fit = method.fit(e, &Question::clusters(3), &ctx).unwrap();
                let cut = fit.cut(3, &ctx).unwrap();
                (fit.violations(&cut).unwrap().must_link, cut)
            };
            let (none, found) = labels(&case.ensemble(), short);
            let (also_none, expected) = labels(&case.repeated(), long);
            assert_eq!((none, also_none), (0, 0));
            assert_eq!(found, expected.rearranged(&firsts), "{name}, seed {seed}");
        }
    }
}

#[test]
fn billions_of_samples_take_the_memory_of_their_rows() {
    let rows = planted(60, 8, 4, 0.2, 3);
    let counts: Vec<u64> = (0..60).map(|i| 10_000_000_000 + i * 1_000_003).collect();
    let e = rows.clone().with_counts(&counts).unwrap();
    assert!(e.total() > 600_000_000_000);
    for (name, method) in methods() {
        let outcome = method.run(&e, 4, &Ctx::default()).unwrap();
        assert_eq!(outcome.partition.sizes().iter().sum::<usize>(), e.total(), "{name}");
        let truth = Partition::from_labels((0..60).map(|i| i % 4));
        let scores = Scores::of(&truth, &outcome.partition).unwrap();
        assert!(scores.named().iter().all(|(_, score)| score.is_finite()), "{name}");
    }
    let registry = standard::<f64>();
    let method = registry.pipeline(&registry.preset("eac").unwrap().spec).unwrap();
    let draws = StabilityParams::default().draws(4);
    let found = stability(&method, &e, 2..=4, &draws, &Ctx::default()).unwrap();
    assert!(found.levels.iter().all(|level| level.agreement.is_finite()));
}

#[test]
fn counts_that_do_not_fit_are_refused() {
    let rows = || Ensemble::from_columns(&[[0, 1, 1]]).unwrap();
    assert_eq!(rows().with_counts(&[1, 1, 1]).unwrap(), rows());
    assert!(matches!(rows().with_counts(&[1, 0, 1]), Err(Error::Count { row: 1 })));
    assert!(matches!(rows().with_counts(&[1, 2]), Err(Error::Size { .. })));
    for huge in [u64::MAX, 1 << 53] {
        assert!(matches!(rows().with_counts(&[huge, 1, 1]), Err(Error::Unsupported { .. })));
    }
    // Parts that read one row per sample.
    let e = rows().with_counts(&[2, 1, 1]).unwrap();
    assert!(Microclusters::of(&e).require_uncounted("a part").is_err());
}
