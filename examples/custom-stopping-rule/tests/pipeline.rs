//! The rule ends the iterations of the standard enhancers, selected by name.

use enclust::core::{Ctx, Error, Method, Part, Question, Status};
use enclust::registry::standard;
use enclust_example_custom_stopping_rule::register;
use enclust_testkit::generate::planted;

#[test]
fn it_ends_every_enhancer_that_shows_its_iterate() {
    let mut registry = standard::<f64>();
    register(&mut registry);
    let ensemble = planted(80, 10, 4, 0.3, 3);
    for preset in ["ec-cms", "ec-cms-admm"] {
        let spec = registry.preset(preset).unwrap().spec.clone();
        let pipeline = registry.pipeline(&spec.stopped(Part::named("recurrence"))).unwrap();
        let outcome = pipeline.run(&ensemble, 4, &Ctx::default()).unwrap();
        assert_eq!(outcome.report.status, Status::Converged, "{preset}");
        assert!(outcome.report.iterations >= 2, "{preset}");
        // Labels need a number of clusters.
        let refused = pipeline.fit(&ensemble, &Question::default(), &Ctx::default());
        assert!(matches!(refused.err(), Some(Error::NeedsClusters { .. })), "{preset}");
    }
}
