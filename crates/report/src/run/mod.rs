//! The page of a run.

use serde::Serialize;

mod drawn;

pub use drawn::{Drawn, Sources};

use crate::certainty::Certainty;
use crate::matrix::Segment;
use crate::part::Part;
use crate::stability::LevelRecord;

/// The data of the page of a run. `R` is the record of the run, which holds all of its numbers that are
/// not drawn: sizes, scores, times, versions, inputs and parameters.
#[derive(Clone, Debug, Serialize)]
pub struct RunPage<R> {
    /// The heading.
    pub title: String,
    /// A line below the heading.
    pub subtitle: String,
    /// The record, as `--record` writes it.
    pub record: R,
    /// The command that repeats the run.
    pub repeat: String,
    /// What the iterations did and what is known about the result, in sentences.
    pub sentences: Vec<String>,
    /// The figures that follow from the fit.
    #[serde(flatten)]
    pub drawn: Drawn,
    /// What belongs to each number of clusters, in the order of the results of the record.
    pub cuts: Vec<CutPage>,
    /// How stable each number of clusters is.
    pub stability: Part<Vec<LevelRecord>>,
}

/// What belongs to one number of clusters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CutPage {
    /// The requested number of clusters.
    pub k: usize,
    /// The clusters on the axis of the heat maps.
    pub segments: Option<Vec<Segment>>,
    /// The result without enhancement.
    pub plain: Part<PlainResult>,
    /// How sure the assignment of each sample is.
    pub certainty: Part<Certainty>,
    /// The base clusterings.
    pub clusterings: Part<Vec<Agreement>>,
}

/// The result of the same method without enhancement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlainResult {
    /// Number of samples in each cluster.
    pub sizes: Vec<usize>,
    /// Its scores, if the true classes are known.
    pub scores: Option<std::collections::BTreeMap<&'static str, f64>>,
}

/// A base clustering compared with the result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// Its number in the pool, counted from 1.
    pub clustering: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Number of its clusters.
    pub clusters: usize,
    /// ARI with the result.
    pub ari: f64,
    /// 1 for the base clustering that agrees best; equal ones have the same rank.
    pub rank: usize,
    /// ARI of the result with the result without this clustering, if it was asked for.
    pub ari_without: Option<f64>,
}
