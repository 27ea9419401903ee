//! All components of enclust by name.
//!
//! ```
//! use enclust::core::{Ctx, Ensemble, Method};
//! use enclust::registry::standard;
//!
//! let registry = standard::<f64>();
//! let pipeline = registry.pipeline(&registry.preset("lwea")?.spec)?;
//! let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])?;
//! let outcome = pipeline.run(&e, 2, &Ctx::default())?;
//! assert_eq!(outcome.partition.labels(), &[0, 0, 1, 1]);
//! # Ok::<(), enclust::core::Error>(())
//! ```
//!
//! A crate with additional components adds them to a registry: `my_crate::register(&mut
//! registry)`.

mod presets;

use enclust_core::{Real, Registry};

/// A precision for which the standard parts are available: `f32` and `f64`.
pub trait Precision: Real {
    /// All parts, backends and methods of enclust in this precision. They are compiled once in
    /// this crate, and not again in every program that uses them.
    fn standard() -> Registry<Self>;
}

macro_rules! precision {
    ($($s:ty),*) => {$(
        impl Precision for $s {
            fn standard() -> Registry<$s> {
                let mut registry = Registry::new();
                enclust_reduce::register(&mut registry);
                enclust_ca::register(&mut registry);
                enclust_learn::register(&mut registry);
                enclust_enhance::register(&mut registry);
                enclust_consensus::register(&mut registry);
                #[cfg(feature = "faer")]
                enclust_backend_faer::register(&mut registry);
                #[cfg(feature = "nalgebra")]
                enclust_backend_nalgebra::register(&mut registry);
                #[cfg(feature = "ndarray")]
                enclust_backend_ndarray::register(&mut registry);
                presets::register(&mut registry);
                registry
            }
        }
    )*};
}
precision!(f32, f64);

/// The name of the fastest backend of this build: with faer, its dense kernels combined with
/// enclust's sparse ones.
pub const DEFAULT_BACKEND: &str = if cfg!(feature = "faer") {
    "mixed"
} else if cfg!(feature = "nalgebra") {
    "nalgebra"
} else if cfg!(feature = "ndarray") {
    "ndarray"
} else {
    "reference"
};

/// The method that is used if none is named.
pub const DEFAULT_METHOD: &str = "lwea";

/// All parts, backends and methods of enclust.
pub fn standard<S: Precision>() -> Registry<S> {
    S::standard()
}
