//! All methods of enclust run on the backend, selected by name.

use enclust::core::{Ctx, Method, Part, PipelineSpec};
use enclust::registry::standard;
use enclust_example_custom_backend::register;
use enclust_testkit::generate::planted;

#[test]
fn agrees_with_the_reference_in_every_method() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let ensemble = planted(60, 10, 3, 0.2, 5);
    let kahan = registry.backend.build(&Part::named("kahan")).unwrap();
    let spectral = PipelineSpec::plain(Part::named("eac"), Part::named("spectral"));
    let methods = registry.presets().iter().map(|p| p.spec.clone()).chain([spectral]);
    for spec in methods {
        let method = registry.pipeline(&spec).unwrap();
        let ours = method.run(&ensemble, 3, &Ctx::new(&*kahan)).unwrap();
        let theirs = method.run(&ensemble, 3, &Ctx::default()).unwrap();
        assert_eq!(ours.partition, theirs.partition, "{spec:?}");
    }
}
