//! The enhancer stands between standard parts, by name, and obeys their rules.

use enclust::core::{Ctx, Ensemble, Method, Outcome, Part, Partition, PipelineSpec, Status};
use enclust::metrics::Scores;
use enclust::registry::standard;
use enclust_example_custom_enhancer::register;
use enclust_testkit::generate::planted;

fn ensemble() -> Ensemble {
    planted(60, 12, 3, 0.25, 7)
}

fn run(enhance: Part, stop: Option<Part>) -> Outcome {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let spec = PipelineSpec {
        represent: Part::named("lwca"),
        confidence: Part::named("threshold"),
        enhance,
        stop,
        consensus: Part::named("average"),
    };
    registry.pipeline(&spec).unwrap().run(&ensemble(), 3, &mut Ctx::default()).unwrap()
}

#[test]
fn finds_the_planted_clusters() {
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    let outcome = run(Part::named("diffusion"), None);
    assert_eq!(outcome.report.status, Status::Converged);
    assert!(Scores::of(&truth, &outcome.partition).unwrap().ari > 0.9);
}

#[test]
fn honours_a_standard_stopping_rule() {
    let limit = Some(Part::named("iterations").set("limit", 4));
    let report = run(Part::named("diffusion"), limit).report;
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 4));
    let loose = Some(Part::named("authors").set("epsilon", 0.5));
    assert_eq!(run(Part::named("diffusion"), loose).report.status, Status::Converged);
}

#[test]
fn its_own_limit_stays_when_the_rule_sees_nothing() {
    let report = run(Part::named("diffusion").set("limit", 6), Some(Part::named("kkt"))).report;
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 6));
}
