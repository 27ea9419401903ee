//! The confidence rule can be combined, by name, with all enhancers of enclust.

use enclust::core::{Ctx, Method, Part, Partition, Stage};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_example_custom_confidence::register;
use enclust_testkit::generate::planted;

#[test]
fn finds_the_planted_clusters_with_every_enhancer() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    for enhancer in registry.enhance.names().into_iter().filter(|name| *name != "none") {
        let mut spec = registry.preset("ec-cms").unwrap().spec.clone();
        registry.swap(&mut spec, Stage::Enhance, Part::named(enhancer)).unwrap();
        registry.swap(&mut spec, Stage::Confidence, "mutual(count=5)".parse().unwrap()).unwrap();
        let pipeline = registry.pipeline(&spec).unwrap();
        let outcome = pipeline.run(&planted(60, 12, 3, 0.25, 7), 3, &Ctx::default()).unwrap();
        let ari = Scores::of(&truth, &outcome.partition).unwrap().ari;
        assert!(ari > 0.9, "{enhancer}: {ari}");
    }
}
