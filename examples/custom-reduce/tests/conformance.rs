//! The reduction passes the conformance suite of its stage, and works in a pipeline by name.

use enclust::core::{Ctx, Method, Part, Partition, Stage};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_example_custom_reduce::{Frequent, register};
use enclust_testkit::generate::planted;

#[test]
fn keeps_the_laws() {
    for rows in [1, 5, 1000] {
        enclust_testkit::reduce::conformance(&Frequent::default().rows(rows));
    }
}

#[test]
fn finds_the_planted_clusters_on_few_rows() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let truth = Partition::from_labels((0..200).map(|i| i % 3));
    let mut spec = registry.preset("lwea").unwrap().spec.clone();
    let part = Part::named("frequent").set("rows", 20);
    registry.swap(&mut spec, Stage::Reduce, part).unwrap();
    let pipeline = registry.pipeline(&spec).unwrap();
    let outcome = pipeline.run(&planted(200, 6, 3, 0.15, 7), 3, &Ctx::default()).unwrap();
    let reduction = outcome.reduction.expect("there are more rows");
    assert_eq!((reduction.component.as_str(), reduction.to), ("frequent", 20));
    assert!(Scores::of(&truth, &outcome.partition).unwrap().ari > 0.9);
}
