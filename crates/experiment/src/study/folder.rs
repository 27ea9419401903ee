//! Running, resuming and merging studies in folders.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use enclust_core::{Event, Watch};
use enclust_io::write_atomically;
use serde::Serialize;

use super::comparison::Pair;
use super::engine;
use super::journal::{self, Finished, Journal};
use super::plan::Plan;
use super::protocol::{ColumnsOfRuns, Protocol};
use super::results::{Results, csv};
use super::shard::Shard;
use crate::error::StudyError;

/// The name of a cancelled study in messages.
const RUNNING: &str = "the study";

/// Options for running a study.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Number of threads; 0 means all available threads. Results do not depend on it.
    pub threads: usize,
    /// The shard to run; `None` means all cells.
    pub shard: Option<Shard>,
    /// The observer, which is notified of every finished cell, and the flag that cancels the
    /// study. Cells that were finished before a study was cancelled are kept.
    pub watch: Watch<'a>,
}

impl Plan {
    /// Runs the study and returns its results without writing files.
    ///
    /// # Errors
    ///
    /// [`StudyError::Cell`] for the first run that fails.
    pub fn run(&self, options: &RunOptions<'_>) -> Result<Results, StudyError> {
        let finished = self.complete(Finished::new(), options, |_| Ok(()))?;
        Ok(Results { protocol: self.protocol.clone(), finished })
    }

    /// Runs the cells that are not in the folder yet, then writes the tables: `runs.csv`,
    /// `timings.csv`, `record.json` and, unless it is a shard, `summary.csv` and `tuned.csv`.
    ///
    /// The process may be killed at any time: finished cells are kept and not run again.
    ///
    /// # Errors
    ///
    /// The same as [`run`](Self::run); also if the folder belongs to a different study, is in
    /// use, or cannot be written.
    pub fn run_in(&self, folder: &Path, options: &RunOptions<'_>) -> Result<Results, StudyError> {
        let (mut journal, before) = Journal::open(folder, &self.protocol, options.shard)?;
        let finished = self.complete(before, options, |result| journal.finished(result))?;
        let results = Results { protocol: self.protocol.clone(), finished };
        write_tables(folder, &results, options)?;
        Ok(results)
    }

    fn complete(
        &self,
        mut finished: Finished,
        options: &RunOptions<'_>,
        mut keep: impl FnMut(&super::CellResult) -> Result<(), StudyError> + Send,
    ) -> Result<Finished, StudyError> {
        let all = self.protocol.cells();
        let cells = options.shard.map_or_else(|| (0..all).collect(), |shard| shard.cells(all));
        let missing: Vec<usize> =
            cells.iter().copied().filter(|cell| !finished.contains_key(cell)).collect();
        let (mut done, total) = ((cells.len() - missing.len()) as u64, cells.len() as u64);
        let watch = options.watch;
        watch.progress(RUNNING, done, total).map_err(StudyError::cancelled)?;
        engine::run(self, &missing, options, |result| {
            keep(&result)?;
            // A `Break` takes effect at the next progress report.
            let _ = watch.notice(&Event::Done(&self.protocol.describe(result.cell)));
            finished.insert(result.cell, result);
            done += 1;
            watch.progress(RUNNING, done, total).map_err(StudyError::cancelled)
        })?;
        Ok(finished)
    }
}

impl Results {
    /// The results of a finished study, from its folder, which is not changed.
    ///
    /// # Errors
    ///
    /// [`StudyError::NoStudy`] if the folder holds none, [`StudyError::Incomplete`] if runs are
    /// missing.
    pub fn read(folder: &Path) -> Result<Self, StudyError> {
        let (protocol, finished) = journal::look(folder)?;
        let results = Results { protocol, finished };
        check_complete(&results)?;
        Ok(results)
    }
}

/// Merges the shards of a study into a new folder. The tables are identical to those of a study
/// that was not split.
///
/// # Errors
///
/// [`StudyError::OtherStudy`] if the shards belong to different studies,
/// [`StudyError::Incomplete`] if runs are missing, [`StudyError::Conflict`] if two shards have
/// different results for one run.
pub fn merge(out: &Path, shards: &[impl AsRef<Path>]) -> Result<Results, StudyError> {
    let mut together: Option<Results> = None;
    for shard in shards {
        let folder = shard.as_ref();
        let (protocol, finished) = journal::look(folder)?;
        match &mut together {
            None => together = Some(Results { protocol, finished }),
            Some(results) => add(results, folder, &protocol, finished)?,
        }
    }
    let results = together.ok_or_else(|| StudyError::NoStudy { folder: out.into() })?;
    check_complete(&results)?;
    let (mut journal, before) = Journal::open(out, &results.protocol, None)?;
    for (cell, result) in &results.finished {
        match before.get(cell) {
            Some(there) if there.agrees_with(result) => {}
            Some(_) => return Err(conflict(out, &results.protocol, *cell)),
            None => journal.finished(result)?,
        }
    }
    write_tables(out, &results, &RunOptions::default())?;
    Ok(results)
}

fn add(
    results: &mut Results,
    folder: &Path,
    protocol: &Protocol,
    finished: Finished,
) -> Result<(), StudyError> {
    let differences = results.protocol.differences(protocol);
    if !differences.is_empty() {
        return Err(StudyError::OtherStudy { folder: folder.into(), differences });
    }
    for (cell, result) in finished {
        let kept = results.finished.entry(cell).or_insert_with(|| result.clone());
        if !kept.agrees_with(&result) {
            return Err(conflict(folder, protocol, cell));
        }
    }
    Ok(())
}

fn conflict(folder: &Path, protocol: &Protocol, cell: usize) -> StudyError {
    StudyError::Conflict { folder: folder.into(), cell: protocol.describe(cell) }
}

fn check_complete(results: &Results) -> Result<(), StudyError> {
    let cells = results.protocol.cells();
    match (0..cells).find(|cell| !results.finished.contains_key(cell)) {
        None => Ok(()),
        Some(first) => Err(StudyError::Incomplete {
            missing: cells - results.finished.len(),
            cells,
            first: results.protocol.describe(first),
        }),
    }
}

/// Everything that is needed to repeat the study.
#[derive(Serialize)]
struct Record<'a> {
    enclust: &'a str,
    target: String,
    threads: usize,
    shard: Option<String>,
    protocol: &'a Protocol,
    /// For each pool and each rule, the columns of each run, counted from 1.
    draws: BTreeMap<&'a str, Vec<ColumnsOfRuns>>,
    /// For each variant, the number of runs by status of the enhancement.
    endings: BTreeMap<&'a str, BTreeMap<&'a str, usize>>,
}

fn write_tables(
    folder: &Path,
    results: &Results,
    options: &RunOptions<'_>,
) -> Result<(), StudyError> {
    let put = |name: &str, bytes: std::io::Result<Vec<u8>>| {
        write_atomically(folder.join(name), |file| file.write_all(&bytes?))
    };
    put("runs.csv", csv(&results.runs()?))?;
    put("timings.csv", csv(&results.timings()))?;
    let record = serde_json::to_vec_pretty(&record(results, options)?);
    put("record.json", record.map_err(Into::into))?;
    // A shard contains only some of the runs; their mean would be misleading.
    if options.shard.is_some() {
        return Ok(());
    }
    put("summary.csv", csv(&results.summary()?))?;
    let pairs: Vec<Pair<'_>> = results.comparisons()?.into_iter().flat_map(|c| c.pairs).collect();
    put("comparisons.csv", csv(&pairs))?;
    if results.protocol.tuning.is_some() {
        put("tuned.csv", csv(&results.tuned()?))?;
    }
    Ok(())
}

fn record<'a>(results: &'a Results, options: &RunOptions<'_>) -> Result<Record<'a>, StudyError> {
    let protocol = &results.protocol;
    let mut draws = BTreeMap::new();
    for pool in &protocol.pools {
        let of_rule = |rule: &super::EnsembleRule| {
            let runs = rule.ensembles(pool.clusterings, protocol.runs)?;
            Ok(runs.into_iter().map(|run| run.into_iter().map(|c| c + 1).collect()).collect())
        };
        let rules = protocol.ensembles.iter().map(of_rule).collect::<Result<_, _>>();
        let failed = |error| StudyError::Draw { pool: pool.name.clone(), error: Box::new(error) };
        draws.insert(pool.name.as_str(), rules.map_err(failed)?);
    }
    let mut endings: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (&number, result) in &results.finished {
        let variant = &protocol.variants[protocol.cell(number).variant].name;
        *endings.entry(variant).or_default().entry(&result.status).or_default() += 1;
    }
    Ok(Record {
        enclust: env!("CARGO_PKG_VERSION"),
        target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        threads: engine::threads(options.threads),
        shard: options.shard.map(|s| s.to_string()),
        protocol,
        draws,
        endings,
    })
}
