//! Every component of enclust by name.
//!
//! ```
//! use enclust_core::{Ctx, Ensemble, Method};
//! use enclust_registry::standard;
//!
//! let registry = standard::<f64>();
//! let pipeline = registry.pipeline(&registry.preset("lwea")?.spec)?;
//! let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])?;
//! let outcome = pipeline.run(&e, 2, &mut Ctx::default())?;
//! assert_eq!(outcome.partition.labels(), &[0, 0, 1, 1]);
//! # Ok::<(), enclust_core::Error>(())
//! ```
//!
//! A crate with components of its own adds them to the registry it is given:
//! `my_crate::register(&mut registry)`.

mod presets;

use enclust_core::{Real, Registry};

/// A precision the standard components exist in: `f32` and `f64`.
pub trait Precision: Real {
    /// Adds the backends this build has.
    fn register_backends(registry: &mut Registry<Self>);
}

macro_rules! precision {
    ($($s:ty),*) => {$(
        impl Precision for $s {
            fn register_backends(_registry: &mut Registry<$s>) {
                #[cfg(feature = "faer")]
                enclust_backend_faer::register(_registry);
                #[cfg(feature = "nalgebra")]
                enclust_backend_nalgebra::register(_registry);
                #[cfg(feature = "ndarray")]
                enclust_backend_ndarray::register(_registry);
            }
        }
    )*};
}
precision!(f32, f64);

/// The name of the fastest backend this build has.
pub const DEFAULT_BACKEND: &str = if cfg!(feature = "faer") {
    "faer"
} else if cfg!(feature = "nalgebra") {
    "nalgebra"
} else if cfg!(feature = "ndarray") {
    "ndarray"
} else {
    "reference"
};

/// All components, backends and methods of enclust.
pub fn standard<S: Precision>() -> Registry<S> {
    let mut registry = Registry::new();
    enclust_ca::register(&mut registry);
    enclust_learn::register(&mut registry);
    enclust_enhance::register(&mut registry);
    enclust_consensus::register(&mut registry);
    S::register_backends(&mut registry);
    presets::register(&mut registry);
    registry
}
