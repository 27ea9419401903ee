//! Generation of base clusterings from features.
//!
//! ```
//! use enclust_generate::{KMeansPool, KMeansPoolParams};
//!
//! // 30 samples with one feature, in three blobs.
//! let features: Vec<f64> = (0..30).map(|i| f64::from(i % 3) * 10.0 + f64::from(i) * 0.01).collect();
//! let pool = KMeansPool::new(KMeansPoolParams::default().size(8).seed(1))?;
//! let ensemble = pool.generate(&features, 1)?;
//! assert_eq!((ensemble.samples(), ensemble.clusterings()), (30, 8));
//! assert!(ensemble.clusters().iter().all(|k| (2..=5).contains(k)));
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod features;
mod fitted;
mod kmeans_pool;
mod progress;

pub use features::{Scale, Scaling, scaled};
pub use fitted::{FittedKMeans, FittedPool};
pub use kmeans_pool::{Drawn, KMeansPool, KMeansPoolParams, Rest, kmeans_pool};
