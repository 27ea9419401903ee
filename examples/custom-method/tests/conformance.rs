//! The method passes the conformance suite with any inner method, and further tests.

use enclust::core::{Ctx, Ensemble, Method, Partition};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_example_custom_method::Selected;
use enclust_testkit::generate::planted;

#[test]
fn keeps_the_laws_around_every_preset() {
    let registry = standard::<f64>();
    for preset in registry.presets() {
        let inner = registry.pipeline(&preset.spec).unwrap();
        enclust_testkit::method::conformance(&Selected::new(inner, 0.7));
    }
}

/// Six clusterings of 60 samples in 3 groups, and six clusterings of noise.
fn half_noise() -> Ensemble {
    let (good, noise) = (planted(60, 6, 3, 0.2, 1), planted(60, 6, 3, 1.0, 2));
    let columns = (0..6).flat_map(|k| [noise.column(k), good.column(k)]);
    Ensemble::from_columns(&columns.collect::<Vec<_>>()).unwrap()
}

#[test]
fn noise_is_left_out_and_the_answer_is_better_for_it() {
    let (registry, ensemble, ctx) = (standard::<f64>(), half_noise(), Ctx::default());
    let inner = registry.pipeline(&registry.preset("lwea").unwrap().spec).unwrap();
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    let ari = |method: &dyn Method<f64>| {
        let outcome = method.run(&ensemble, 3, &ctx).unwrap();
        Scores::of(&truth, &outcome.partition).unwrap().ari
    };
    let all = ari(&inner);
    let selected = Selected::new(inner, 0.5);
    assert_eq!(selected.kept(&ensemble), [1, 3, 5, 7, 9, 11]);
    assert!(ari(&selected) >= all, "{} with noise, {} without", all, ari(&selected));
    assert!(ari(&selected) > 0.9);
}

#[test]
fn a_share_of_one_is_the_inner_method() {
    let registry = standard::<f64>();
    let inner = registry.pipeline(&registry.preset("lwea").unwrap().spec).unwrap();
    let (ensemble, ctx) = (half_noise(), Ctx::default());
    let expected = inner.run(&ensemble, 3, &ctx).unwrap().partition;
    let all = Selected::new(inner, 1.0);
    assert_eq!(all.run(&ensemble, 3, &ctx).unwrap().partition, expected);
    assert_eq!(all.kept(&planted(5, 1, 2, 0.1, 1)), [0]);
}
