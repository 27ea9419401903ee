//! The components available to the command.

use enclust::core::Registry;
use enclust::registry::{Precision, standard};
use enclust_experiment::study::Registries;

/// Components in addition to those of enclust.
pub trait Parts: Sync {
    /// Adds them to the registry of one precision.
    fn register<S: Precision>(&self, registry: &mut Registry<S>);

    /// All components by name: those of enclust and these.
    fn registry<S: Precision>(&self) -> Registry<S> {
        let mut registry = standard();
        self.register(&mut registry);
        registry
    }

    /// The components of both precisions, for studies.
    fn registries(&self) -> Registries {
        Registries { single: self.registry(), double: self.registry() }
    }
}

/// Only the components of enclust.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Parts for Standard {
    fn register<S: Precision>(&self, _: &mut Registry<S>) {}
}
