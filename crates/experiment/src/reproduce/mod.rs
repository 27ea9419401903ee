//! Reproduction of the tables and figures of the EC-CMS paper.
//!
//! Two additional tables are not from the paper: `cross-product`, and `survey` with the figures of a
//! survey of 2026 on its own draws. Each table is a
//! [study](crate::study) in `studies/`. The published values are in `studies/published/`, and
//! known reasons for deviating cells are in `studies/notes.toml`. All of these files are
//! embedded in the program.
//!
//! ```
//! use enclust_experiment::reproduce::{PaperTable, Request};
//! use enclust::registry::standard;
//!
//! let request = Request {
//!     datasets: Some(vec!["Ecoli".into()]),
//!     methods: Some(vec!["lwea".into()]),
//!     runs: Some(2),
//! };
//! let selection = PaperTable::named("ari")?.select(&request, &standard())?;
//! assert_eq!(selection.study.pools[0].file, "Ecoli");
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
mod survey;
mod tables;

pub use notes::Note;
pub use row::{PUBLISHED_RUNS, Row, write_rows};
pub use select::{Request, Selection};
pub use survey::{SurveyKind, SurveyRow, survey_rows, write_survey};
pub use tables::PaperTable;
