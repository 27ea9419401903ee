//! Reports: one self-contained HTML page for a run, a study or a stability analysis.
//!
//! A page needs no network and opens from disk. It contains its style, its scripts and its data, and
//! a content security policy that forbids requests. Its size does not grow with n²: matrices are
//! aggregated into at most a few hundred rows ([`HeatMaps`]), trees are truncated ([`Tree`]), and
//! figures per sample become histograms ([`Certainty`]).
//!
//! The data of a page are plain structs that serde writes: [`RunPage`], [`StudyPage`] and
//! [`StabilityPage`]. [`page`] puts one of them into the template of its kind. The scripts in the page
//! read the JSON and draw it; the record and the tables in it are the structs of which the command
//! writes its files, so their numbers are the same.
//!
//! ```
//! use enclust_report::{Kind, page};
//!
//! let html = page(Kind::Run, "A run", &serde_json::json!({ "record": { "samples": 3 } }))?;
//! assert!(html.starts_with("<!doctype html>") && html.contains(r#"{"record":{"samples":3}}"#));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod certainty;
mod convergence;
mod matrix;
mod packed;
mod page;
mod pairs;
mod part;
mod run;
mod stability;
mod study;
mod tree;
mod words;

pub use certainty::{Certainty, Histogram, Uncertain};
pub use convergence::{Curve, Point, Recorder};
pub use matrix::{HeatMap, HeatMaps, Layout, Segment};
pub use packed::Packed;
pub use page::{Kind, page};
pub use pairs::{PairCurve, pair_curves};
pub use part::Part;
pub use run::{Agreement, CutPage, Drawn, PlainResult, RunPage, Sources};
pub use stability::{LevelRecord, StabilityPage};
pub use study::{Ablation, AllRuns, ComparisonPage, Cost, StudyPage, Sweep, VariantPage};
pub use tree::{Joined, Tree};
pub use words::{about_certificate, as_command, in_words};
