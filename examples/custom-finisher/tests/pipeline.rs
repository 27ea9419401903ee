//! The consensus function can be combined, by name, with standard parts.

use enclust::core::{Ctx, Kind, Method, Part, Partition};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_example_custom_finisher::register;
use enclust_testkit::generate::planted;

/// Representations that are similarities and are not learned.
const BY_FORMULA: [&str; 4] = ["eac", "lwca", "pts", "eca"];

#[test]
fn finds_the_planted_clusters_after_every_representation() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let ensemble = planted(60, 12, 3, 0.25, 7);
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    for represent in registry.ca.names() {
        let part = registry.ca.build(&Part::named(represent)).unwrap();
        let mut spec = registry.preset("ec-cms-admm").unwrap().spec.clone();
        spec.ca = Part::named(represent);
        spec.consensus = Part::named("k-medoids");
        let pipeline = registry.pipeline(&spec);
        if part.kind() != Kind::Similarity {
            assert!(pipeline.is_err(), "{represent} makes no similarity");
            continue;
        }
        let outcome = pipeline.unwrap().run(&ensemble, 3, &Ctx::default()).unwrap();
        assert_eq!(outcome.partition.clusters(), 3);
        // Learned similarities may need parameters that fit the data.
        let ari = Scores::of(&truth, &outcome.partition).unwrap().ari;
        assert!(ari > 0.9 || !BY_FORMULA.contains(&represent), "{represent}: {ari}");
    }
}
