//! The enhancer can be combined, by name, with standard parts and stopping rules.

use enclust::core::{Ctx, Ensemble, Method, Outcome, Part, Partition, PipelineSpec, Stage, Status};
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
    let plain = PipelineSpec::plain(Part::named("lwca"), Part::named("average"));
    let mut spec = plain.enhanced(Part::named("threshold"), enhance);
    spec.stop = stop;
    registry.pipeline(&spec).unwrap().run(&ensemble(), 3, &Ctx::default()).unwrap()
}

#[test]
fn finds_the_planted_clusters() {
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    let outcome = run(Part::named("pagerank"), None);
    assert_eq!(outcome.report.status, Status::Converged);
    assert!(Scores::of(&truth, &outcome.partition).unwrap().ari > 0.9);
}

#[test]
fn honours_a_standard_stopping_rule() {
    let limit = Some(Part::named("iterations").set("limit", 4));
    let report = run(Part::named("pagerank"), limit).report;
    assert_eq!((report.status, report.iterations), (Status::IterationLimit, 4));
    let loose = Some(Part::named("authors").set("epsilon", 0.5));
    assert_eq!(run(Part::named("pagerank"), loose).report.status, Status::Converged);
}

/// It computes no residual, so a rule that reads the residual could never be met.
#[test]
fn refuses_a_rule_that_reads_what_it_does_not_provide() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let mut spec = registry.preset("ec-cms").unwrap().spec.clone();
    registry.swap(&mut spec, Stage::Enhance, Part::named("pagerank")).unwrap();
    let error = registry.pipeline(&spec.stopped(Part::named("kkt"))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the stopping rule kkt reads the residual, which pagerank does not provide; rules that \
         work with it: authors, paper, labels, iterations, time"
    );
}

#[test]
fn stops_when_the_labels_stay() {
    let labels = Part::named("labels").set("patience", 2);
    let report = run(Part::named("pagerank"), Some(labels)).report;
    assert_eq!(report.status, Status::Converged);
    assert!(report.iterations >= 3);
}
