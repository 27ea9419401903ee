//! All backends give the same results.

use enclust::core::{
    Backend, Component, Ctx, Ensemble, Fit, Kernel, Metered, Method, Part, PipelineSpec, Question,
    Real, Registry,
};
use enclust::registry::{Precision, standard};
use enclust_testkit::generate::{planted, planted_with_missing};

fn backends<S: Precision>() -> Vec<Box<dyn Backend<S>>> {
    let table = standard::<S>().backend;
    table.names().into_iter().map(|name| table.build(&Part::named(name)).unwrap()).collect()
}

fn fit<S: Real>(
    registry: &Registry<S>,
    spec: &PipelineSpec,
    e: &Ensemble,
    ctx: &Ctx<'_, S>,
) -> Fit<S> {
    registry.pipeline(spec).unwrap().fit(e, &Question::default(), ctx).unwrap()
}

fn enhanced(represent: &str) -> PipelineSpec {
    PipelineSpec::plain(Part::named(represent), Part::named("average"))
        .enhanced(Part::named("threshold"), Part::named("admm"))
}

/// Enhances with every backend and compares with the reference.
fn enhancement_agrees<S: Precision>(tolerance: f64) {
    let registry = standard::<S>();
    let mut products = 0;
    for e in [
        // Two large cliques of confident pairs, whose blocks are inverted by dense kernels.
        planted(150, 20, 2, 0.1, 6),
        planted(80, 12, 4, 0.15, 1),
        planted(30, 6, 3, 1.0, 2),
        planted_with_missing(40, 8, 3, 0.1, 0.1, 3),
    ] {
        for spec in [enhanced("lwca"), enhanced("eac")] {
            let expected = fit(&registry, &spec, &e, &Ctx::default());
            let values = expected.evidence.as_similarity().unwrap().condensed();
            for backend in backends::<S>() {
                let metered = Metered::new(&*backend);
                let found = fit(&registry, &spec, &e, &Ctx::new(&metered));
                products += metered.usage().calls(Kernel::Product);
                assert_eq!(
                    found.report.iterations,
                    expected.report.iterations,
                    "{}",
                    backend.name()
                );
                let found = found.evidence.as_similarity().unwrap().condensed();
                let apart = values
                    .iter()
                    .zip(found)
                    .map(|(a, b)| (a.wide() - b.wide()).abs())
                    .fold(0.0, f64::max);
                assert!(apart <= tolerance, "{}: {apart:e} apart", backend.name());
            }
        }
    }
    assert!(products > 100, "the dense kernels have been called {products} times");
}

#[test]
fn enhancement_agrees_in_double_precision() {
    enhancement_agrees::<f64>(1e-9);
}

#[test]
fn enhancement_agrees_in_single_precision() {
    enhancement_agrees::<f32>(1e-4);
}

/// Compares the labels of clear clusters with the truth for every backend.
fn labels_are_the_truth<S: Precision>() {
    let registry = standard::<S>();
    let e = planted(60, 12, 4, 0.08, 4);
    for (represent, consensus) in [
        ("lwca", "average"),
        ("lwca", "complete"),
        ("lwca", "spectral"),
        ("eac", "spectral"),
        ("lwb", "tcut"),
        ("ptb", "tcut"),
    ] {
        let spec = PipelineSpec::plain(Part::named(represent), Part::named(consensus));
        for backend in backends::<S>() {
            let outcome =
                registry.pipeline(&spec).unwrap().run(&e, 4, &Ctx::new(&*backend)).unwrap();
            let truth: Vec<usize> = (0..60).map(|i| i % 4).collect();
            assert_eq!(
                outcome.partition.labels(),
                truth,
                "{represent}, {consensus}, {}",
                backend.name()
            );
        }
    }
}

#[test]
fn labels_of_clear_clusters_agree_in_double_precision() {
    labels_are_the_truth::<f64>();
}

#[test]
fn labels_of_clear_clusters_agree_in_single_precision() {
    labels_are_the_truth::<f32>();
}

#[test]
fn labels_of_noise_agree_between_backends() {
    let registry = standard::<f64>();
    let e = planted(60, 10, 5, 0.5, 5);
    for spec in [enhanced("lwca"), enhanced("pts")] {
        let expected = fit(&registry, &spec, &e, &Ctx::default());
        for backend in backends::<f64>() {
            let ctx = &Ctx::new(&*backend);
            let found = fit(&registry, &spec, &e, ctx);
            assert_eq!(found.cut(5, ctx), expected.cut(5, ctx), "{}", backend.name());
        }
    }
}

#[test]
fn every_backend_of_the_default_features_is_there() {
    let names: Vec<String> = backends::<f64>().iter().map(|b| b.name().to_string()).collect();
    assert_eq!(names, ["reference", "mixed", "faer", "nalgebra", "ndarray"]);
}
