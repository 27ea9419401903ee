//! Protocols of enclust: how ensembles are drawn and runs are summarised.
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
mod summary;

pub use draws::PaperDraws;
pub use summary::Summary;
