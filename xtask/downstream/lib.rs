//! A crate as a user of the published packages writes it: a representation of its own beside the
//! parts of enclust. `cargo xtask checks` builds it outside the workspace.

use enclust_core::prelude::*;

part! {
    /// Co-association of which only a share counts.
    pub struct Damped("damped", "co-association of which only a share counts") {
        /// The share.
        pub share: f64 = 0.5, in Range::Share;
    }
}

impl<S: Real> Ca<S> for Damped {
    fn build(&self, rows: &Microclusters, _: &Question, _: &Ctx<'_, S>) -> Result<Represented<S>> {
        Ok(rows.co_association(|_, _| self.share)?.into())
    }
}

#[cfg(test)]
mod tests {
    use enclust::registry::standard;
    use enclust_testkit::{ca, generate::planted};

    use super::*;

    #[test]
    fn keeps_the_laws() {
        ca::conformance(&Damped::default());
        ca::precisions_agree(&Damped::default(), &Damped::default());
    }

    /// A common factor changes no tree.
    #[test]
    fn finds_the_clusters_of_plain_co_association() {
        let mut registry = standard::<f64>();
        registry.ca.add::<Damped>();
        let ensemble = planted(60, 12, 3, 0.25, 7);
        let clusters = |name: &str| {
            let spec = PipelineSpec::plain(Part::named(name), Part::named("average"));
            let pipeline = registry.pipeline(&spec).unwrap();
            pipeline.run(&ensemble, 3, &Ctx::default()).unwrap().partition
        };
        assert_eq!(clusters("damped"), clusters("eac"));
        assert_eq!(clusters("damped").clusters(), 3);
    }
}
