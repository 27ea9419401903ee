//! Laws of stability studies: definitions, independence, errors.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Mutex;

use enclust_ca::Eac;
use enclust_consensus::Linkage;
use enclust_core::{Ctx, Ensemble, Error, Event, Method, ParamError, Pipeline};
use enclust_generate::kmeans_pool;
use enclust_learn::Spce;
use enclust_stability::{JudgeParams, Rule, Stability, StabilityParams, choose, judge, stability};
use enclust_testkit::features::blobs;
use enclust_testkit::generate::{ensembles_with_missing, planted, planted_with_missing, shuffled};
use proptest::prelude::*;

fn eac() -> impl Method<f64> {
    Pipeline::plain(Eac, Linkage::average()).unwrap()
}

fn few() -> StabilityParams {
    StabilityParams::default().draws(10)
}

fn study(ensemble: &Ensemble, threads: usize) -> Stability {
    let ctx = Ctx::default().with_seed(3).with_threads(threads);
    stability(&eac(), ensemble, 2..=8, &few(), &ctx).unwrap()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for ensemble in [planted(50, 12, 4, 0.3, 1), planted_with_missing(50, 12, 4, 0.3, 0.2, 2)] {
        let found = study(&ensemble, 1);
        assert_eq!(study(&ensemble, 2), found);
        assert_eq!(study(&ensemble, 3), found);
    }
}

/// A method that learns for one k is run for each k, so the results do not depend on the other
/// k. Subsets that distinguish fewer groups are cut into these groups.
#[test]
fn what_is_learned_for_one_k_is_learned_for_each() {
    let method = Pipeline::plain(Spce::default(), Linkage::average()).unwrap();
    let learned = |e: &Ensemble, ks: RangeInclusive<usize>| {
        let params = StabilityParams::default().draws(4);
        stability(&method, e, ks, &params, &Ctx::<f64>::default()).unwrap().levels
    };
    let e = planted(40, 9, 3, 0.2, 1);
    let levels = learned(&e, 2..=4);
    for (level, k) in levels.iter().zip(2..) {
        let alone = &learned(&e, k..=k)[0];
        assert_eq!((level.k, &level.cdf, level.gap), (k, &alone.cdf, alone.gap));
    }
    assert_ne!(levels[0].cdf, levels[1].cdf);
    let two_rows = Ensemble::from_columns(&[[0, 0, 0, 1, 1]; 6]).unwrap();
    assert!(learned(&two_rows, 2..=4).iter().all(|level| level.agreement == 1.0));
}

/// Ties of the method may depend on the order of the samples, so results can only be compared
/// if the partitions are clear.
#[test]
fn the_order_of_the_samples_does_not_matter() {
    let ensemble = kmeans_pool(&blobs(4, 120, 2, 9.0, 2), 2, 30, 2).unwrap();
    let (found, moved) =
        (study(&ensemble, 1), study(&ensemble.rearranged(&shuffled(120, 5)).unwrap(), 1));
    assert_eq!(moved.levels[2], found.levels[2], "at the true k");
    for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea, Rule::Gap] {
        assert_eq!(choose(&moved, rule).unwrap().k, choose(&found, rule).unwrap().k, "{rule:?}");
    }
}

#[test]
fn draws_are_reported_one_by_one() {
    let ensemble = planted(40, 12, 3, 0.3, 1);
    let seen = Mutex::new(Vec::new());
    let see = |event: &Event<'_>| {
        match event {
            Event::Progress { done, total: 10 } => seen.lock().unwrap().push(*done),
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    };
    let ctx = Ctx::default();
    let found = stability(&eac(), &ensemble, 2..=4, &few(), &ctx.with_observer(&see));
    assert!(seen.into_inner().unwrap().into_iter().eq(1..=10));
    assert_eq!(found.unwrap(), stability(&eac(), &ensemble, 2..=4, &few(), &ctx).unwrap());
}

#[test]
fn a_draw_takes_a_third_and_at_most_ten() {
    for (clusterings, take) in [(2, 1), (3, 1), (7, 3), (20, 7), (30, 10), (100, 10)] {
        assert_eq!(study(&planted(20, clusterings, 3, 0.2, 1), 1).take, take);
    }
    let params = few().take(Some(11));
    let ensemble = planted(20, 12, 3, 0.2, 1);
    let found = stability(&eac(), &ensemble, 2..=3, &params, &Ctx::default()).unwrap();
    assert_eq!(found.take, 11);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_figure_keeps_to_its_range(ensemble in ensembles_with_missing(12, 6, 4)) {
        prop_assume!(ensemble.samples() >= 2 && ensemble.clusterings() >= 2);
        let n = ensemble.samples();
        let ctx = Ctx::default();
        let found = stability(&eac(), &ensemble, 2..=n, &few(), &ctx).unwrap();
        prop_assert!(found.levels.iter().map(|level| level.k).eq(2..=n));
        for level in &found.levels {
            let pairs: u128 = level.cdf.pairs().iter().sum();
            prop_assert_eq!(pairs, (n * (n - 1) / 2) as u128);
            prop_assert!((0.0..=1.0).contains(&level.pac) && level.agreement <= 1.0);
            prop_assert!(level.gap.is_some_and(|gap| gap >= -1e-12));
            prop_assert!(level.cluster_consensus.is_none_or(|c| (0.0..=1.0).contains(&c)));
            prop_assert_eq!(level.cluster_consensus.is_none(), level.k == n && found.groups == n);
            prop_assert!(level.delta_area.is_finite());
            let (least, most) = (level.cdf.at(0.0), level.cdf.at(1.0));
            prop_assert!(least <= most && most == 1.0);
        }
        for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea, Rule::Gap] {
            let choice = choose(&found, rule).unwrap();
            prop_assert!(choice.k >= 1 && choice.k < n.max(2));
        }
    }
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let ensemble = planted(10, 4, 2, 0.2, 1);
    let ask = |ensemble: &Ensemble, ks, params: &StabilityParams| {
        stability(&eac(), ensemble, ks, params, &Ctx::default()).unwrap_err()
    };
    #[expect(clippy::reversed_empty_ranges, reason = "the test passes an empty range on purpose")]
    let empty = ask(&ensemble, 5..=2, &few());
    assert_eq!(empty, Error::Empty { what: "range of numbers of clusters" });
    let error = ask(&ensemble, 2..=11, &few());
    assert!(matches!(error, Error::ClusterCount { k: 11, largest: 10, .. }), "{error}");
    let lonely = ask(&ensemble.select(&[0]).unwrap(), 2..=3, &few());
    assert!(matches!(lonely, Error::Size { expected: 2, found: 1, .. }), "{lonely}");
    let parameter = |error| match error {
        Error::Param(ParamError::OutOfRange { parameter, value, .. }) => (parameter, value),
        other => panic!("{other}"),
    };
    let of = |change: fn(&mut StabilityParams)| {
        let mut params = few();
        change(&mut params);
        parameter(ask(&ensemble, 2..=3, &params))
    };
    assert_eq!(parameter(ask(&ensemble, 1..=3, &few())), ("k", "1".to_string()));
    assert_eq!(of(|p| p.take = Some(4)), ("take", "4".to_string()));
    assert_eq!(of(|p| p.take = Some(0)), ("take", "0".to_string()));
    assert_eq!(of(|p| p.draws = 1), ("draws", "1".to_string()));
    assert_eq!(of(|p| p.lower = 0.9), ("lower", "0.9".to_string()));
    assert_eq!(of(|p| p.upper = f64::NAN), ("upper", "NaN".to_string()));
}

#[test]
fn a_part_that_tells_few_groups_apart_is_cut_into_these() {
    // Every base clustering has two clusters, so a draw of one clustering has two groups.
    let ensemble = Ensemble::from_keys(16, 4, |i, k| Some(i >> k & 1)).unwrap();
    let params = few().take(Some(1));
    let found = stability(&eac(), &ensemble, 2..=9, &params, &Ctx::default()).unwrap();
    assert_eq!(found.groups, 16);
    assert!(found.levels.iter().all(|level| level.cdf == found.levels[0].cdf));
}

#[test]
fn memory_is_asked_for_first() {
    let ensemble = planted(1000, 6, 2, 0.2, 1);
    let ctx = Ctx::default().with_memory(100_000);
    let error = stability(&eac(), &ensemble, 2..=9, &few(), &ctx).unwrap_err();
    assert!(matches!(&error, Error::Memory { stage, .. } if stage == "stability"), "{error}");
}

/// The comparison with references: threads change nothing, and neither does the scale of the
/// features, because base clusterings and covariance follow it.
#[test]
fn the_judgement_depends_on_neither_threads_nor_units() {
    let features = blobs(3, 150, 2, 6.0, 5);
    let make = |features: &[f64], seed| kmeans_pool(features, 2, 50, seed);
    let params = JudgeParams::default().references(2).pools(2).samples(120);
    let found = |features: &[f64], threads| {
        let ctx = Ctx::default().with_threads(threads);
        judge(&eac(), features, 2, &make, 2..=5, &params, &ctx).unwrap()
    };
    let one = found(&features, 1);
    assert_eq!((one.k(), one.samples), (3, 120));
    assert_eq!(found(&features, 3), one);
    // A power of two scales every number without rounding.
    let large: Vec<f64> = features.iter().map(|x| 1024.0 * x).collect();
    assert_eq!(found(&large, 1).k(), 3);
}
