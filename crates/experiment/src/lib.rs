//! Protocols of enclust: how ensembles are drawn, whole studies from one file, and the
//! published tables.
//!
//! - [`PaperDraws`] draws ensembles, [`Summary`] sums runs up.
//! - [`study`] runs every variant of a pipeline on every draw from every pool, so that
//!   it can be stopped, resumed, and split over machines.
//! - [`reproduce`] holds the tables of the EC-CMS paper as studies and puts the figures
//!   beside the published ones.
//!
//! ```
//! use enclust_experiment::{PaperDraws, Summary};
//!
//! // Three ensembles of 20 out of a pool of 100 clusterings.
//! for columns in PaperDraws::new(100, 20, 1)?.take(3) {
//!     assert_eq!(columns.len(), 20);
//! }
//! assert_eq!(Summary::of(&[1.0, 3.0])?.to_string(), "2.000 ± 1.414");
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod draws;
mod error;
pub mod reproduce;
pub mod study;
mod summary;

pub use draws::PaperDraws;
pub use error::{Difference, StudyError};
pub use summary::Summary;
