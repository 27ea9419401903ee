//! A resolved study: exactly the information that determines its results.

use std::collections::BTreeMap;

use enclust_core::{Error, Part, PipelineSpec, Real, Registry};
use serde::{Deserialize, Serialize};

use super::metric::Metric;
use super::tuning::Tuning;
use crate::PaperDraws;
use crate::error::{Difference, StudyError};

/// A resolved study. Two runs with equal protocols give identical results.
///
/// A cell consists of a pool, an ensemble and a variant. In the numbering of cells, the variant
/// varies fastest, then the run, the size of the ensemble and the pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// Version of enclust.
    pub enclust: String,
    /// Name of the study.
    pub study: String,
    /// The linear-algebra backend.
    pub backend: String,
    /// Seed of the first run's methods.
    pub seed: u64,
    /// Whether each run permutes the samples.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shuffle: bool,
    /// The pools, in order.
    pub pools: Vec<PoolRecord>,
    /// How ensembles are taken, one rule per size.
    pub ensembles: Vec<EnsembleRule>,
    /// Number of ensembles per rule and pool.
    pub runs: usize,
    /// Numbers of clusters; empty for the number of classes of the truth.
    pub k: Vec<usize>,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// The variants, in order.
    pub variants: Vec<VariantRecord>,
    /// How grids are tuned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning: Option<Tuning>,
}

/// A pool in the protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolRecord {
    /// The name of its file without folder and extension.
    pub name: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// SHA-256 of the file of true classes, if it is another file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth_sha256: Option<String>,
    /// How the file was read: the keys `noise`, `missing` and `columns`, if they are given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Number of samples.
    pub samples: usize,
    /// Number of base clusterings.
    pub clusterings: usize,
    /// Number of classes of the truth, if it has one.
    pub classes: Option<usize>,
}

/// The columns of the pool that each run uses.
pub type ColumnsOfRuns = Vec<Vec<usize>>;

/// How an ensemble is taken from a pool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum EnsembleRule {
    /// The draws of the EC-CMS paper.
    Paper {
        /// Number of clusterings per draw.
        size: usize,
        /// Seed of the draws.
        seed: u32,
    },
    /// Columns by number.
    Columns {
        /// The columns, counted from 1.
        columns: Vec<usize>,
    },
    /// The whole pool.
    All,
}

impl EnsembleRule {
    /// Number of clusterings of an ensemble.
    pub fn size(&self, pool: &PoolRecord) -> usize {
        match self {
            EnsembleRule::Paper { size, .. } => *size,
            EnsembleRule::Columns { columns } => columns.len(),
            EnsembleRule::All => pool.clusterings,
        }
    }

    /// The columns of each run, counted from zero.
    ///
    /// # Errors
    /// Returns an error if the rule does not fit a pool of this size.
    pub fn ensembles(&self, clusterings: usize, runs: usize) -> Result<ColumnsOfRuns, Error> {
        match self {
            EnsembleRule::Paper { size, seed } => {
                Ok(PaperDraws::new(clusterings, *size, *seed)?.take(runs).collect())
            }
            EnsembleRule::Columns { columns } => {
                if let Some(&column) = columns.iter().find(|&&c| c > clusterings) {
                    let index = column - 1;
                    return Err(Error::Index { what: "clustering", index, len: clusterings });
                }
                Ok(vec![columns.iter().map(|c| c - 1).collect(); runs])
            }
            EnsembleRule::All => Ok(vec![(0..clusterings).collect(); runs]),
        }
    }
}

/// A variant in the protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantRecord {
    /// Its name, including the values of the grid.
    pub name: String,
    /// The name of its recipe, without the values of the grid.
    pub recipe: String,
    /// The pipeline, for each pool.
    pub pipelines: Vec<PipelineRecord>,
    /// The variant that it should improve on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

/// The parts of a pipeline by stage, with every parameter, defaults included.
pub type PipelineRecord = BTreeMap<String, Part>;

/// All parts of a pipeline with all parameters.
pub(crate) fn record<S: Real>(
    registry: &Registry<S>,
    spec: &PipelineSpec,
) -> Result<PipelineRecord, Error> {
    let resolved = registry.resolved(spec)?;
    let parts = resolved.parts().into_iter();
    Ok(parts.map(|(stage, part)| (stage.to_string(), part.clone())).collect())
}

/// The position of a cell in its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The index of the pool.
    pub pool: usize,
    /// The index of the rule for ensembles.
    pub ensemble: usize,
    /// The run, counted from zero.
    pub run: usize,
    /// The index of the variant.
    pub variant: usize,
}

/// A value measured for a cell: a metric, with the number of clusters if it is a metric of a
/// partition.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The metric.
    pub metric: Metric,
    /// The number of clusters.
    pub k: Option<usize>,
}

impl Protocol {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.pools.len() * self.ensembles.len() * self.runs * self.variants.len()
    }

    /// The cell with this number.
    pub fn cell(&self, number: usize) -> Cell {
        let (rest, variant) = (number / self.variants.len(), number % self.variants.len());
        let (rest, run) = (rest / self.runs, rest % self.runs);
        let (pool, ensemble) = (rest / self.ensembles.len(), rest % self.ensembles.len());
        Cell { pool, ensemble, run, variant }
    }

    /// The number of a cell.
    pub fn number(&self, cell: Cell) -> usize {
        let Cell { pool, ensemble, run, variant } = cell;
        ((pool * self.ensembles.len() + ensemble) * self.runs + run) * self.variants.len() + variant
    }

    /// A description of pool, run and variant.
    pub fn describe(&self, number: usize) -> String {
        let cell = self.cell(number);
        let pool = &self.pools[cell.pool];
        let size = self.ensembles[cell.ensemble].size(pool);
        let variant = &self.variants[cell.variant].name;
        format!("{}, {size} clusterings, run {}, {variant}", pool.name, cell.run + 1)
    }

    /// The numbers of clusters for a pool.
    pub fn clusters(&self, pool: usize) -> Vec<usize> {
        if self.k.is_empty() {
            self.pools[pool].classes.into_iter().collect()
        } else {
            self.k.clone()
        }
    }

    /// The figures of each cell of a pool, in the order in which they are stored.
    ///
    /// # Errors
    /// [`StudyError::Unknown`] for a metric this version does not have.
    pub fn figures(&self, pool: usize) -> Result<Vec<Figure>, StudyError> {
        let mut figures = Vec::new();
        let metrics = self.metrics()?;
        for k in self.clusters(pool) {
            let of_partition = metrics.iter().filter(|m| m.of_partition());
            figures.extend(of_partition.map(|&metric| Figure { metric, k: Some(k) }));
        }
        let of_fit = metrics.iter().filter(|m| !m.of_partition());
        figures.extend(of_fit.map(|&metric| Figure { metric, k: None }));
        Ok(figures)
    }

    /// The metrics.
    ///
    /// # Errors
    /// The same as [`figures`](Self::figures).
    pub fn metrics(&self) -> Result<Vec<Metric>, StudyError> {
        self.metrics.iter().map(|name| name.parse()).collect()
    }

    /// The differences between two protocols; `self` is the stored one.
    pub fn differences(&self, here: &Protocol) -> Vec<Difference> {
        let value = |p: &Protocol| serde_json::to_value(p).unwrap_or_default();
        let mut found = Vec::new();
        compare("", &value(self), &value(here), &mut found);
        found
    }
}

/// Compares two JSON values recursively.
fn compare(
    at: &str,
    there: &serde_json::Value,
    here: &serde_json::Value,
    found: &mut Vec<Difference>,
) {
    use serde_json::Value::{Array, Null, Object};
    let inner = |key: &str| if at.is_empty() { key.to_string() } else { format!("{at}.{key}") };
    match (there, here) {
        (Object(a), Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let side = |map: &serde_json::Map<_, _>| map.get(key).cloned().unwrap_or(Null);
                compare(&inner(key), &side(a), &side(b), found);
            }
        }
        (Array(a), Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                let side = |list: &[_]| list.get(index).cloned().unwrap_or(Null);
                compare(&inner(&index.to_string()), &side(a), &side(b), found);
            }
        }
        _ if there != here => found.push(Difference {
            at: at.to_string(),
            there: in_short(there),
            here: in_short(here),
        }),
        _ => {}
    }
}

/// A value as shown in a message: entries are shown by name, missing ones as "nothing".
fn in_short(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "nothing".into(),
        serde_json::Value::Object(map) => {
            map.get("name").or(map.get("rule")).map_or("something".into(), in_short)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn example() -> Protocol {
        let pool = |name: &str| PoolRecord {
            name: name.into(),
            sha256: "00".into(),
            truth_sha256: None,
            settings: BTreeMap::new(),
            samples: 10,
            clusterings: 5,
            classes: Some(2),
        };
        let variant = |name: &str| VariantRecord {
            name: name.into(),
            recipe: name.into(),
            pipelines: vec![PipelineRecord::new(); 2],
            against: None,
        };
        Protocol {
            enclust: "0".into(),
            study: "example".into(),
            backend: "reference".into(),
            seed: 0,
            shuffle: false,
            pools: vec![pool("a"), pool("b")],
            ensembles: vec![EnsembleRule::Paper { size: 3, seed: 1 }, EnsembleRule::All],
            runs: 3,
            k: vec![],
            metrics: vec!["ari".into(), "iterations".into(), "nmi".into()],
            variants: vec![variant("x"), variant("y")],
            tuning: None,
        }
    }

    #[test]
    fn cells_are_numbered_both_ways() {
        let protocol = example();
        assert_eq!(protocol.cells(), 24);
        for number in 0..24 {
            assert_eq!(protocol.number(protocol.cell(number)), number);
        }
        assert_eq!(protocol.cell(1), Cell { pool: 0, ensemble: 0, run: 0, variant: 1 });
        assert_eq!(protocol.describe(23), "b, 5 clusterings, run 3, y");
    }

    #[test]
    fn figures_of_the_fit_come_once() {
        let mut protocol = example();
        protocol.k = vec![2, 3];
        let figures = protocol.figures(0).unwrap();
        let shown: Vec<String> = figures.iter().map(|f| format!("{}{:?}", f.metric, f.k)).collect();
        assert_eq!(
            shown,
            ["ariSome(2)", "nmiSome(2)", "ariSome(3)", "nmiSome(3)", "iterationsNone"]
        );
    }

    #[test]
    fn differences_say_what_and_where() {
        let there = example();
        let mut here = there.clone();
        here.pools[1].sha256 = "11".into();
        here.variants.pop();
        let shown: Vec<String> =
            there.differences(&here).iter().map(Difference::to_string).collect();
        assert_eq!(
            shown,
            [
                "pools.1.sha256 is \"00\" there and \"11\" here",
                "variants.1 is \"y\" there and nothing here"
            ]
        );
        assert!(there.differences(&there.clone()).is_empty());
    }

    #[test]
    fn columns_outside_the_pool_are_refused() {
        let rule = EnsembleRule::Columns { columns: vec![1, 6] };
        assert_eq!(rule.ensembles(6, 1).unwrap(), [[0, 5]]);
        assert!(rule.ensembles(5, 1).is_err());
        assert_eq!(EnsembleRule::All.ensembles(3, 2).unwrap(), [[0, 1, 2], [0, 1, 2]]);
    }
}
