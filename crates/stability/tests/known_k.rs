//! Data with a known number of clusters, and data without clusters.

use enclust_ca::{Eac, Lwca};
use enclust_consensus::{Linkage, Spectral};
use enclust_core::{Ctx, Ensemble, Error, Method, Pipeline};
use enclust_generate::kmeans_pool;
use enclust_stability::{Choice, Rule, Stability, StabilityParams, Verdict, choose, stability};
use enclust_testkit::features::{blobs, normal_cloud, uniform_cube};
use enclust_testkit::generate::planted;

fn eac() -> impl Method<f64> {
    Pipeline::plain(Eac, Linkage::average()).unwrap()
}

fn study(method: &dyn Method<f64>, ensemble: &Ensemble) -> Stability {
    let params = StabilityParams::default();
    stability(method, ensemble, 2..=10, &params, &Ctx::default()).unwrap()
}

fn chosen(method: &dyn Method<f64>, ensemble: &Ensemble, rule: Rule) -> Choice {
    choose(&study(method, ensemble), rule).unwrap()
}

fn pool(points: &[f64], dimension: usize, seed: u64) -> Ensemble {
    kmeans_pool(points, dimension, 40, seed).unwrap()
}

#[test]
fn separated_blobs_are_counted_by_every_rule() {
    for (k, dimension) in [(3, 2), (4, 2), (6, 2), (4, 5)] {
        for seed in [1, 2] {
            let found = study(&eac(), &pool(&blobs(k, 240, dimension, 8.0, seed), dimension, seed));
            for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea, Rule::Gap] {
                let choice = choose(&found, rule).unwrap();
                let case = format!("k = {k}, d = {dimension}, seed {seed}, {rule:?}: {choice:?}");
                assert_eq!((choice.k, choice.verdict), (k, Verdict::Clear), "{case}");
            }
        }
    }
}

#[test]
fn two_blobs_are_two() {
    let ensemble = pool(&blobs(2, 200, 2, 6.0, 3), 2, 3);
    for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::Gap] {
        let choice = chosen(&eac(), &ensemble, rule);
        assert_eq!((choice.k, choice.verdict), (2, Verdict::Clear), "{rule:?}: {choice:?}");
    }
}

#[test]
fn touching_blobs_are_counted_with_other_methods_too() {
    let ensemble = pool(&blobs(4, 240, 2, 5.0, 7), 2, 7);
    let lwea = Pipeline::plain(Lwca::default(), Linkage::average()).unwrap();
    let spectral = Pipeline::plain(Eac, Spectral::default()).unwrap();
    let methods: [&dyn Method<f64>; 3] = [&eac(), &lwea, &spectral];
    for method in methods {
        let choice = chosen(method, &ensemble, Rule::Auto);
        assert_eq!((choice.k, choice.verdict), (4, Verdict::Clear), "{choice:?}");
    }
}

#[test]
fn clouds_without_clusters_have_no_clear_structure() {
    for seed in [1, 2, 3] {
        for dimension in [1, 2, 10] {
            for points in [uniform_cube(200, dimension, seed), normal_cloud(200, dimension, seed)] {
                let found = study(&eac(), &pool(&points, dimension, seed));
                for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea, Rule::Gap] {
                    let choice = choose(&found, rule).unwrap();
                    let case = format!("d = {dimension}, seed {seed}, {rule:?}: {choice:?}");
                    assert_eq!(choice.verdict, Verdict::Unclear, "{case}");
                    assert!(choice.reason.contains("no clear structure"), "{case}");
                }
            }
        }
    }
}

#[test]
fn unrelated_labels_agree_by_chance_alone() {
    let found = study(&eac(), &planted(120, 40, 6, 1.0, 5));
    for level in &found.levels {
        assert!(level.agreement < 0.2, "k = {}: {}", level.k, level.agreement);
    }
    assert_eq!(choose(&found, Rule::Auto).unwrap().verdict, Verdict::Unclear);
}

#[test]
fn a_large_ensemble_does_not_make_noise_look_stable() {
    let ensemble = kmeans_pool(&uniform_cube(150, 2, 4), 2, 300, 4).unwrap();
    let choice = chosen(&eac(), &ensemble, Rule::Auto);
    assert_eq!(choice.verdict, Verdict::Unclear, "{choice:?}");
}

#[test]
fn identical_clusterings_have_the_clusters_they_show() {
    let ensemble = Ensemble::from_keys(30, 9, |i, _| Some(i % 5)).unwrap();
    for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::Gap] {
        let choice = chosen(&eac(), &ensemble, rule);
        assert_eq!((choice.k, choice.verdict), (5, Verdict::Clear), "{rule:?}: {choice:?}");
    }
}

#[test]
fn one_cluster_everywhere_is_one_cluster() {
    let ensemble = Ensemble::from_keys(30, 9, |_, _| Some(0)).unwrap();
    let choice = chosen(&eac(), &ensemble, Rule::Auto);
    assert_eq!((choice.k, choice.verdict), (1, Verdict::Unclear), "{choice:?}");
}

#[test]
fn without_a_dendrogram_only_the_gap_is_out_of_reach() {
    let spectral = Pipeline::plain(Eac, Spectral::default()).unwrap();
    let found = study(&spectral, &pool(&blobs(3, 120, 2, 8.0, 2), 2, 2));
    assert!(found.levels.iter().all(|level| level.gap.is_none()));
    for rule in [Rule::Auto, Rule::Agreement, Rule::Pac, Rule::DeltaArea] {
        assert_eq!(choose(&found, rule).unwrap().k, 3, "{rule:?}");
    }
    assert_eq!(
        choose(&found, Rule::Gap),
        Err(Error::unsupported("eac+spectral", "the rule \"gap\": it has no dendrogram"))
    );
}
