//! The page of a stability analysis.

use enclust_stability::Level;
use serde::Serialize;

/// The data of the page of a stability analysis. `R` is its record, which holds all of its numbers.
#[derive(Clone, Debug, Serialize)]
pub struct StabilityPage<R> {
    /// The heading.
    pub title: String,
    /// A line below the heading.
    pub subtitle: String,
    /// The record, as `--json` writes it.
    pub record: R,
    /// The command that repeats the analysis.
    pub repeat: String,
}

/// The stability of one number of clusters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelRecord {
    /// The number of clusters.
    pub k: usize,
    /// Proportion of ambiguous clustering.
    pub pac: f64,
    /// Agreement of the draws beyond chance.
    pub agreement: f64,
    /// Area under the distribution.
    pub area: f64,
    /// Growth of this area from the previous number of clusters.
    pub delta_area: f64,
    /// Mean consensus value of the pairs inside a cluster.
    pub cluster_consensus: Option<f64>,
    /// The rise in the dendrogram that this number of clusters cuts through.
    pub gap: Option<f64>,
    /// Consensus values and the share of the pairs with at most this value.
    pub cdf: Vec<(f64, f64)>,
}

impl From<&Level> for LevelRecord {
    fn from(level: &Level) -> Self {
        LevelRecord {
            k: level.k,
            pac: level.pac,
            agreement: level.agreement,
            area: level.cdf.area(),
            delta_area: level.delta_area,
            cluster_consensus: level.cluster_consensus,
            gap: level.gap,
            cdf: level.cdf.steps().collect(),
        }
    }
}
