//! The matrix can be combined, by name, with all parts of enclust.

use enclust::core::{
    Ctx, Ensemble, Kind, Method, Microclusters, Part, PipelineSpec, Question, Stage,
};
use enclust::registry::{Precision, standard};
use enclust_example_custom_ca::register;
use enclust_testkit::generate::planted;

const CLUSTERS: usize = 3;

fn ensemble() -> Ensemble {
    planted(60, 12, CLUSTERS, 0.25, 7)
}

/// Combines it with all enhancers, all finishers that read a similarity, and all backends.
fn composes_with_everything<S: Precision>() {
    let mut registry = standard::<S>();
    register(&mut registry);
    let finishers = registry.consensus.names().into_iter().filter(|name| {
        let finisher = registry.consensus.build(&Part::named(*name)).unwrap();
        finisher.accepts().contains(&Kind::Similarity)
    });
    for finisher in finishers {
        for enhancer in registry.enhance.names() {
            let rarity = Part::named("rarity").set("power", 0.5);
            let mut spec = PipelineSpec::plain(rarity, Part::named(finisher));
            registry.swap(&mut spec, Stage::Enhance, Part::named(enhancer)).unwrap();
            let pipeline = registry.pipeline(&spec).unwrap();
            let exactly = registry.consensus.build(&spec.consensus).unwrap().gives_exactly_k();
            let partitions = registry.backend.names().into_iter().map(|backend| {
                let part = registry.backend.build(&Part::named(backend)).unwrap();
                let outcome = pipeline.run(&ensemble(), CLUSTERS, &Ctx::new(&*part)).unwrap();
                (backend, outcome.partition)
            });
            let partitions: Vec<_> = partitions.collect();
            for (backend, partition) in &partitions {
                let case = format!("{enhancer} with {finisher} on {backend} in {}", S::NAME);
                assert!(!exactly || partition.clusters() == CLUSTERS, "{case}");
                assert_eq!(partition, &partitions[0].1, "{case}, against {}", partitions[0].0);
            }
        }
    }
}

#[test]
fn double_precision() {
    composes_with_everything::<f64>();
}

#[test]
fn single_precision() {
    composes_with_everything::<f32>();
}

#[test]
fn a_high_power_is_plain_co_association() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let microclusters = Microclusters::of(&ensemble());
    let build = |part: Part| {
        let ca = registry.ca.build(&part).unwrap();
        let built = ca.build(&microclusters, &Question::default(), &Ctx::default()).unwrap();
        built.evidence.as_similarity().unwrap().to_matrix()
    };
    // No cluster contains nearly all samples, so (|x|/n)^γ is negligible.
    let rarity = build(Part::named("rarity").set("power", 400.0));
    for (found, expected) in rarity.iter().zip(build(Part::named("eac"))) {
        assert!((found - expected).abs() < 1e-12);
    }
    assert_ne!(build(Part::named("rarity")), rarity);
}
