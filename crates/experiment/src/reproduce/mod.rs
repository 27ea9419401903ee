//! The tables and figures of the EC-CMS paper, run again.
//!
//! One more, `cross-product`, is ours. Each is a [study](crate::study) in `studies/`, with the published figures as data in
//! `studies/published/` and known reasons for cells that are off in
//! `studies/notes.toml`; all are part of the program.
//!
//! ```
//! use enclust_experiment::reproduce::{PaperTable, Request};
//! use enclust_registry::standard;
//!
//! let request = Request {
//!     datasets: Some(vec!["Ecoli".into()]),
//!     methods: Some(vec!["lwea".into()]),
//!     runs: Some(2),
//! };
//! let selection = PaperTable::named("ari")?.select(&request, &standard())?;
//! assert_eq!(selection.study.pools, ["Ecoli"]);
//! // selection.study.plan(…)?.run(…)?, then PaperTable::compare.
//! # Ok::<(), enclust_experiment::StudyError>(())
//! ```
//!
//! Reference: Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association
//! matrix self-enhancement", TNNLS 2023.

mod members;
mod notes;
mod published;
mod row;
mod select;
mod tables;

pub use notes::Note;
pub use row::{PUBLISHED_RUNS, Row, write_rows};
pub use select::{Request, Selection};
pub use tables::PaperTable;
