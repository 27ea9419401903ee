//! Experiments of enclust: drawing of ensembles, studies defined by a file, and the published
//! tables.
//!
//! - [`PaperDraws`] draws ensembles, [`Summary`] summarises runs.
//! - [`study`] runs every variant of a pipeline on every draw from every pool. A study can be
//!   stopped, resumed, and split over machines.
//! - [`statistics`] tests whether variants differ.
//! - [`reproduce`] contains the tables of the EC-CMS paper as studies and compares the results
//!   with the published values.
//!
//! ```
//! use enclust_experiment::{PaperDraws, Summary};
//!
//! // Three ensembles of 20 clusterings from a pool of 100.
//! for columns in PaperDraws::new(100, 20, 1)?.take(3) {
//!     assert_eq!(columns.len(), 20);
//! }
//! assert_eq!(Summary::of(&[1.0, 3.0])?.to_string(), "2.000 ± 1.414");
//! # Ok::<(), enclust_core::Error>(())
//! ```

mod draws;
mod error;
pub mod reproduce;
pub mod statistics;
pub mod study;
mod summary;

pub use draws::PaperDraws;
pub use error::{Difference, StudyError};
pub use summary::Summary;
