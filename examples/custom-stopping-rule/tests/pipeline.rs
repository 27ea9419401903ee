//! The rule ends the iterations of the standard enhancers, by name.

use enclust::core::{Ctx, Method, Part, Report, Status};
use enclust::registry::standard;
use enclust_example_custom_stopping_rule::register;
use enclust_testkit::generate::planted;

/// The paper's method with another stopping rule.
fn report(stop: Part) -> Report {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let mut spec = registry.preset("ec-cms-admm").unwrap().spec.clone();
    spec.stop = Some(stop);
    let pipeline = registry.pipeline(&spec).unwrap();
    let outcome = pipeline.run(&planted(80, 10, 4, 0.3, 3), 4, &Ctx::default()).unwrap();
    assert_eq!(outcome.partition.clusters(), 4);
    outcome.report
}

#[test]
fn patience_of_one_is_the_authors_rule() {
    let (one, authors) =
        (report(Part::named("patience").set("window", 1)), report(Part::named("authors")));
    assert_eq!((one.status, one.iterations), (authors.status, authors.iterations));
}

#[test]
fn patience_takes_longer() {
    let patient = report(Part::named("patience").set("window", 5));
    assert_eq!(patient.status, Status::Converged);
    assert!(patient.iterations >= report(Part::named("authors")).iterations + 4);
}
