//! Representations that are learned: from label rows to evidence by optimisation.
//!
//! | component | name | makes | reference |
//! |---|---|---|---|

use enclust_core::{Real, Registry};

/// Adds every representation of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let _ = registry;
}
