//! Representations that are learned: from label rows to evidence by optimisation.
//!
//! | component | name | makes | reference |
//! |---|---|---|---|
//! | [`Drec`] | `drec` | similarity | Zhou, Zheng & Pan, Neurocomputing 2019 |
//! | [`RsecH`] | `rsec-h` | embedding | Tao et al., CIKM 2016 and TKDD 2019 |
//! | [`RsecZ`] | `rsec-z` | similarity | as `RsecH` |

mod drec;
mod incidence;
mod low_rank_affinity;
mod rsec;

pub use drec::{Drec, DrecParams};
pub use rsec::{RsecH, RsecParams, RsecZ};

use enclust_core::{Real, Registry};

/// Adds every representation of this crate to a registry.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let table = &mut registry.represent;
    table.register::<DrecParams>("drec", "affinity of dense representations (DREC)", |p| {
        Ok(Box::new(Drec::new(p)?))
    });
    table.register::<RsecParams>(
        "rsec-h",
        "spectral embedding learned with a low-rank representation (RSEC-H)",
        |p| Ok(Box::new(RsecH::new(p)?)),
    );
    table.register::<RsecParams>(
        "rsec-z",
        "affinity of a low-rank representation learned with an embedding (RSEC-Z)",
        |p| Ok(Box::new(RsecZ::new(p)?)),
    );
}
