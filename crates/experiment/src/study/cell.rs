//! A single run: a pipeline applied to an ensemble, and its measurements.

use std::time::Instant;

use enclust::registry::Precision;
use enclust_core::{
    Ctx, Ensemble, Error, Method, Microclusters, Need, Partition, Question, Result, Shape, Stage,
    Watch,
};
use serde::{Deserialize, Serialize};

use super::composed::{Composed, Runner};
use super::metric;
use super::plan::Plan;
use crate::PaperDraws;

/// The result of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// Its number in the [protocol](super::Protocol).
    pub cell: usize,
    /// Its [figures](super::Protocol::figures).
    pub values: Vec<f64>,
    /// The number of clusters found for each of the requested
    /// [numbers](super::Protocol::clusters).
    pub clusters: Vec<usize>,
    /// The status of the enhancement.
    pub status: String,
    /// Seconds of each stage, in order.
    pub seconds: Vec<(String, f64)>,
}

impl CellResult {
    /// Whether the results are the same, ignoring the times.
    pub fn agrees_with(&self, other: &Self) -> bool {
        (self.cell, &self.values, &self.clusters, &self.status)
            == (other.cell, &other.values, &other.clusters, &other.status)
    }

    /// The sum of the seconds of all stages.
    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, s)| s).sum()
    }
}

/// Runs a cell in the thread pool of the caller, with at most `memory` bytes.
pub(crate) fn run(
    plan: &Plan,
    number: usize,
    memory: Option<u64>,
    watch: Watch<'_>,
) -> Result<CellResult> {
    let cell = plan.protocol.cell(number);
    match &*plan.pipelines[cell.variant][cell.pool] {
        Composed::Single(runner) => run_on(plan, number, runner, (memory, watch)),
        Composed::Double(runner) => run_on(plan, number, runner, (memory, watch)),
    }
}

fn run_on<S: Precision>(
    plan: &Plan,
    number: usize,
    Runner { pipeline, backend }: &Runner<S>,
    (memory, watch): (Option<u64>, Watch<'_>),
) -> Result<CellResult> {
    let cell = plan.protocol.cell(number);
    let pool = &plan.pools[cell.pool];
    let drawn = pool.ensemble.select(&plan.draws[cell.pool][cell.ensemble][cell.run])?;
    let seed = plan.protocol.seed.wrapping_add(cell.run as u64);
    let (ensemble, truth) = if plan.protocol.shuffle {
        shuffled(&drawn, pool.truth.as_ref(), seed)?
    } else {
        (drawn, pool.truth.clone())
    };
    let truth = truth.as_ref();
    let mut ctx = Ctx::new(&**backend).with_seed(seed).with_watch(watch);
    if let Some(bytes) = memory {
        ctx = ctx.with_memory(bytes);
    }
    let ks = plan.protocol.clusters(cell.pool);
    let question = Question::maybe(if let [k] = ks[..] { Some(k) } else { None });
    let fit = pipeline.fit(&ensemble, &question, &ctx)?;
    // A cancelled iteration has a status; here, half an answer is none.
    ctx.checkpoint("a run")?;
    let began = Instant::now();
    let mut partitions = Vec::new();
    for k in ks {
        partitions.push(fit.cut(k, &ctx)?);
    }
    let cut = (Stage::Cut, began.elapsed());
    let clusters = partitions.iter().map(Partition::clusters).collect();
    let mut values = Vec::new();
    for partition in &partitions {
        values.extend(metric::of_partition(&plan.metrics, &ensemble, truth, partition)?);
    }
    values.extend(metric::of_fit(&plan.metrics, truth, &fit.evidence, &fit.report)?);
    if values.iter().any(|v| !v.is_finite()) {
        return Err(Error::NotFinite { what: "a metric", iteration: fit.report.iterations });
    }
    let laps = fit.timings.iter().copied().chain([cut]);
    let seconds = laps.map(|(stage, time)| (stage.to_string(), time.as_secs_f64())).collect();
    let status = fit.report.status.to_string();
    Ok(CellResult { cell: number, values, clusters, status, seconds })
}

/// Permutes samples and truth; the permutation is the same for all variants of a run.
fn shuffled(
    ensemble: &Ensemble,
    truth: Option<&Partition>,
    seed: u64,
) -> Result<(Ensemble, Option<Partition>)> {
    let n = ensemble.samples();
    // The permutation that the paper uses for draws, applied to the samples.
    let order = PaperDraws::new(n, n, seed as u32)?.next().unwrap_or_default();
    Ok((ensemble.rearranged(&order)?, truth.map(|t| t.rearranged(&order))))
}

/// The memory that a cell needs according to its footprint.
pub(crate) fn bytes_needed(plan: &Plan, number: usize) -> Result<u64> {
    let cell = plan.protocol.cell(number);
    let columns = &plan.draws[cell.pool][cell.ensemble][cell.run];
    let microclusters = Microclusters::of(&plan.pools[cell.pool].ensemble.select(columns)?);
    let most = plan.protocol.clusters(cell.pool).into_iter().max();
    let shape = Shape::of::<f64>(&microclusters).with_k(most);
    let needs = plan.pipelines[cell.variant][cell.pool].footprint(shape);
    Ok(needs.iter().map(Need::peak).max().unwrap_or_default().0)
}
