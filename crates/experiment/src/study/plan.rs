//! Prepares a study: reads the pools, builds the pipelines and checks everything.

use std::path::PathBuf;
use std::sync::Arc;

use enclust::registry::DEFAULT_BACKEND;
use enclust_core::{Error, Kind, Part, Registry, Stage};
use enclust_io::Pool;
use toml::Spanned;

use super::composed::{Composed, Registries};
use super::file::{Clusters, OneOrMany, Recipe, Study};
use super::metric::Metric;
use super::pair_curve::PairFigure;
use super::protocol::{ColumnsOfRuns, EnsembleRule, PoolRecord, Protocol};
use super::variants::Variant;
use crate::error::StudyError;

/// A study that is ready to run.
#[derive(Debug)]
pub struct Plan {
    /// The settings that determine the results.
    pub protocol: Protocol,
    /// The pools, in the order of the protocol.
    pub pools: Vec<Pool>,
    pub(crate) metrics: Vec<Metric>,
    /// For each pool and each rule.
    pub(crate) draws: Vec<Vec<ColumnsOfRuns>>,
    /// For each variant, one pipeline per pool; pools with equal parts share one.
    pub(crate) pipelines: Vec<Vec<Arc<Composed>>>,
    /// Points of grids over parts whose parts cannot be combined.
    pub refused: Vec<Refused>,
    pub(crate) one_at_a_time: bool,
}

impl Study {
    /// Reads the pools and builds the pipelines, so that errors are found before the first run.
    ///
    /// A pool that is not a path relative to the folder of the study is searched in `folders`, in
    /// order.
    ///
    /// # Errors
    ///
    /// All errors of a study; see [`StudyError`].
    pub fn plan(&self, registries: &Registries, folders: &[PathBuf]) -> Result<Plan, StudyError> {
        let registry = &registries.double;
        let metrics = self.all_metrics()?;
        let found = self.find_pools(folders)?;
        let names: Vec<&str> = found.iter().map(|pool| pool.name.as_str()).collect();
        let mut variants = self.variants(registry, &names)?;
        let several = self.numbers_of_clusters().len() > 1;
        let refused = refuse_misfits(registries, &mut variants, several)?;
        let tuning = self.tuning(registry, &names, &metrics, &mut variants)?;
        check_similarity(registry, &variants, &metrics)?;
        let pipelines = variants
            .iter()
            .map(|variant| compose(registries, variant, several).map_err(|e| variant.refused(e)))
            .collect::<Result<_, _>>()?;
        let mut pools = Vec::new();
        let mut records = Vec::new();
        for found in &found {
            let (pool, record) = self.read_pool(found)?;
            records.push(record);
            pools.push(pool);
        }
        self.check_truth(&records, &metrics)?;
        let protocol = Protocol {
            enclust: env!("CARGO_PKG_VERSION").into(),
            study: self.name.clone(),
            backend: DEFAULT_BACKEND.into(),
            seed: self.seed,
            shuffle: self.shuffle,
            pools: records,
            ensembles: self.rules(),
            runs: self.runs,
            k: self.numbers_of_clusters(),
            metrics: metrics.iter().map(Metric::to_string).collect(),
            variants: variants.iter().map(|v| v.record(registry)).collect::<Result<_, _>>()?,
            tuning,
        };
        let draws = draws(&protocol)?;
        let one_at_a_time = self.one_at_a_time;
        Ok(Plan { protocol, pools, metrics, draws, pipelines, refused, one_at_a_time })
    }

    /// Recipes whose method or parts are not in the registry.
    pub fn unavailable(&self, registry: &Registry<f64>) -> Vec<String> {
        let no_method = |r: &Recipe| r.method.as_ref().is_some_and(|m| registry.preset(m).is_err());
        let known = |(stage, part): (Stage, &str)| {
            part.parse::<Part>().is_ok_and(|part| registry.parameters(stage, &part.name).is_ok())
        };
        let no_part = |r: &Recipe| !r.parts().all(known);
        let missing = |recipe: &&Recipe| no_method(recipe) || no_part(recipe);
        self.recipes().map(Spanned::get_ref).filter(missing).map(Recipe::label).collect()
    }

    fn all_metrics(&self) -> Result<Vec<Metric>, StudyError> {
        let mut metrics =
            self.metrics.iter().map(|m| m.parse()).collect::<Result<Vec<Metric>, _>>()?;
        for &threshold in &self.thresholds {
            metrics.extend(PairFigure::ALL.map(|figure| Metric::Pairs(figure, threshold)));
        }
        if let Some(at) = (1..metrics.len()).find(|&i| metrics[..i].contains(&metrics[i])) {
            return Err(self.invalid("metrics", format!("{} is there twice", metrics[at])));
        }
        Ok(metrics)
    }

    fn rules(&self) -> Vec<EnsembleRule> {
        let seed = self.draws.seed.unwrap_or(1);
        match (&self.draws.size, &self.draws.columns) {
            (Some(sizes), _) => {
                sizes.to_vec().into_iter().map(|size| EnsembleRule::Paper { size, seed }).collect()
            }
            (None, Some(columns)) => vec![EnsembleRule::Columns { columns: columns.clone() }],
            (None, None) => vec![EnsembleRule::All],
        }
    }

    fn numbers_of_clusters(&self) -> Vec<usize> {
        match &self.k {
            Clusters::Classes(_) => Vec::new(),
            Clusters::Numbers(numbers) => OneOrMany::to_vec(numbers),
        }
    }

    pub(super) fn twice(&self, what: &'static str, name: String) -> StudyError {
        StudyError::Twice { file: self.file().into(), what, name }
    }

    fn check_truth(&self, pools: &[PoolRecord], metrics: &[Metric]) -> Result<(), StudyError> {
        let metric = metrics.iter().find(|m| m.needs_truth()).map(Metric::to_string);
        let needed_by = match self.k {
            Clusters::Classes(_) => Some("k = \"true\"".to_string()),
            Clusters::Numbers(_) => metric,
        };
        let without = pools.iter().find(|p| p.classes.is_none());
        match (without, needed_by) {
            (Some(pool), Some(needed_by)) => {
                Err(StudyError::NoTruth { pool: pool.name.clone(), needed_by })
            }
            _ => Ok(()),
        }
    }
}

/// A variant whose parts cannot be combined.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// Its name, including the values of the grid.
    pub variant: String,
    /// The reason why it cannot be run.
    pub reason: Error,
}

/// Removes the points of grids over parts that cannot be combined. It is an error if all points
/// of a recipe are removed.
fn refuse_misfits(
    registries: &Registries,
    variants: &mut Vec<Variant>,
    several: bool,
) -> Result<Vec<Refused>, StudyError> {
    let mut refused = Vec::new();
    let mut kept = Vec::new();
    for variant in std::mem::take(variants) {
        match compose(registries, &variant, several) {
            Err(reason) if variant.swaps_parts => {
                refused.push((variant.name.clone(), reason, variant));
            }
            Err(error) => return Err(variant.refused(error)),
            Ok(_) => kept.push(variant),
        }
    }
    let lost = |variant: &Variant| !kept.iter().any(|other| other.from == variant.from);
    if let Some((_, reason, variant)) = refused.iter().find(|(_, _, variant)| lost(variant)) {
        return Err(variant.refused(reason.clone()));
    }
    *variants = kept;
    Ok(refused.into_iter().map(|(variant, reason, _)| Refused { variant, reason }).collect())
}

/// The pipelines of a variant, one per pool. A pipeline that learns for one k cannot be cut at
/// several.
fn compose(
    registries: &Registries,
    variant: &Variant,
    several: bool,
) -> Result<Vec<Arc<Composed>>, Error> {
    let mut pipelines: Vec<Arc<Composed>> = Vec::new();
    for (at, spec) in variant.specs.iter().enumerate() {
        let same = variant.specs[..at].iter().position(|earlier| earlier == spec);
        pipelines.push(match same {
            Some(earlier) => Arc::clone(&pipelines[earlier]),
            None => Arc::new(registries.compose(spec)?),
        });
        if several && pipelines[at].reads_k() {
            return Err(Error::NeedsClusters { component: spec.ca.name.clone() });
        }
    }
    Ok(pipelines)
}

/// Metrics of a similarity require that all variants make one.
fn check_similarity(
    registry: &Registry<f64>,
    variants: &[Variant],
    metrics: &[Metric],
) -> Result<(), StudyError> {
    let Some(metric) = metrics.iter().find(|m| m.needs_similarity()) else { return Ok(()) };
    for variant in variants {
        for spec in &variant.specs {
            let ca = registry.ca.build(&spec.ca).map_err(|e| variant.refused(e))?;
            if ca.kind() != Kind::Similarity {
                let (variant, metric) = (variant.name.clone(), metric.to_string());
                return Err(StudyError::NoSimilarity { variant, metric });
            }
        }
    }
    Ok(())
}

fn draws(protocol: &Protocol) -> Result<Vec<Vec<ColumnsOfRuns>>, StudyError> {
    let of_pool = |pool: &PoolRecord| {
        let rules = protocol.ensembles.iter();
        rules
            .map(|rule| rule.ensembles(pool.clusterings, protocol.runs))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| StudyError::Draw { pool: pool.name.clone(), error: Box::new(error) })
    };
    protocol.pools.iter().map(of_pool).collect()
}
