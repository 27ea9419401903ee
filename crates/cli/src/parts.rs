//! The components the command knows.

use enclust::core::Registry;
use enclust::registry::{Precision, standard};

/// Components beside those of enclust.
pub trait Parts: Sync {
    /// Adds them to the registry of one precision.
    fn register<S: Precision>(&self, registry: &mut Registry<S>);

    /// Everything by name: the components of enclust and these.
    fn registry<S: Precision>(&self) -> Registry<S> {
        let mut registry = standard();
        self.register(&mut registry);
        registry
    }
}

/// No components but those of enclust.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standard;

impl Parts for Standard {
    fn register<S: Precision>(&self, _: &mut Registry<S>) {}
}
