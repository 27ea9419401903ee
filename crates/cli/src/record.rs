//! The record of a run: everything that is needed to repeat it, and its results.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use enclust::core::{
    Constraints, Ensemble, KernelUsage, PairsReport, Part, Partition, PipelineSpec,
    ReductionReport, Report, SecondOpinion, Stage, Usage, Value, Values, Violations,
};
use enclust::metrics::Scores;
use enclust_io::{Noise, write_atomically};
use serde::Serialize;

use crate::failure::Failure;
use crate::inputs::Input;
use crate::machine::{MachineArgs, Width};
use crate::selection::Selection;
use crate::warnings::WarningRecord;

/// Versions of the program and its environment.
#[derive(Clone, Debug, Serialize)]
pub struct Versions {
    enclust: &'static str,
    rustc: &'static str,
    target: &'static str,
}

impl Versions {
    /// The versions of this program.
    pub const THIS: Versions = Versions {
        enclust: env!("CARGO_PKG_VERSION"),
        rustc: env!("ENCLUST_RUSTC"),
        target: env!("ENCLUST_TARGET"),
    };
}

/// A run of `enclust cluster`.
#[derive(Clone, Debug, Serialize)]
pub struct RunRecord {
    pub versions: Versions,
    pub command: Vec<String>,
    pub inputs: Vec<Input>,
    /// The layouts of text files, for the summary.
    #[serde(skip)]
    pub layouts: Vec<String>,
    pub samples: usize,
    /// Number of distinct label rows, with constrained samples counted separately, or of the rows
    /// to which they were reduced: the size of all computations.
    pub groups: usize,
    pub ensemble: Option<EnsembleRecord>,
    pub method: MethodRecord,
    pub constraints: Option<ConstraintsRecord>,
    /// How many samples have a true class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthRecord>,
    pub machine: MachineRecord,
    pub seed: u32,
    /// Report of the reduction of the label rows, if they were reduced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionReport>,
    /// Report of the learned representation, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning: Option<Report>,
    /// Report of the confident pairs, if there are any to enhance with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairsReport>,
    /// Report of the enhancement.
    pub report: Report,
    pub timings: Vec<Timing>,
    /// How the number of clusters was chosen, if it was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceRecord>,
    pub results: Vec<CutRecord>,
    /// How far the model that was saved repeats the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
    pub warnings: Vec<WarningRecord>,
    /// The files by their content.
    pub outputs: BTreeMap<&'static str, String>,
    /// Outputs that replaced an existing file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
}

/// The clusterings that were used.
#[derive(Clone, Debug, Serialize)]
pub struct EnsembleRecord {
    #[serde(flatten)]
    pub selection: Selection,
    /// Number of missing labels.
    pub missing_labels: usize,
    /// The meaning of the label −1.
    pub noise: String,
    /// Number of rows, if they occur several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
}

impl EnsembleRecord {
    /// The record of a selection of clusterings.
    pub fn of(ensemble: &Ensemble, selection: Selection, noise: Noise) -> Self {
        EnsembleRecord {
            selection,
            missing_labels: ensemble.missing(),
            noise: noise.to_string(),
            rows: ensemble.counts().map(|counts| counts.of_rows().len()),
        }
    }
}

/// The parts with all their parameters.
#[derive(Clone, Debug, Serialize)]
pub struct MethodRecord {
    pub preset: Option<String>,
    pub parts: BTreeMap<&'static str, Part>,
    /// The stages in the order of the data, for the summary.
    #[serde(skip)]
    pub in_a_line: String,
}

/// Numbers of constrained pairs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ConstraintsRecord {
    pub must_link: usize,
    pub cannot_link: usize,
    pub enforced: bool,
}

/// The constraints that a result violates.
#[derive(Clone, Debug, Serialize)]
pub struct BrokenRecord {
    pub must_link: Vec<[String; 2]>,
    pub cannot_link: Vec<[String; 2]>,
}

/// The id of a sample, or its number counted from 1.
pub fn name_of_sample(sample: usize, ids: Option<&[String]>) -> String {
    ids.map_or((sample + 1).to_string(), |ids| ids[sample].clone())
}

impl BrokenRecord {
    /// The pairs that a partition violates.
    pub fn of(constraints: &Constraints, partition: &Partition, ids: Option<&[String]>) -> Self {
        let name = |i: usize| name_of_sample(i, ids);
        let named = |pairs: Vec<(usize, usize)>| {
            pairs.into_iter().map(|(i, j)| [name(i), name(j)]).collect()
        };
        let [must_link, cannot_link] = constraints.broken(partition).map(named);
        BrokenRecord { must_link, cannot_link }
    }
}

/// Numbers of samples with and without a true class.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TruthRecord {
    /// The samples on which the scores are computed.
    pub samples: usize,
    pub missing: usize,
}

/// The resources of the run.
#[derive(Clone, Debug, Serialize)]
pub struct MachineRecord {
    pub threads: usize,
    pub precision: Width,
    pub backend: String,
    /// The kernels that the run called, and the library each comes from.
    pub kernels: Vec<KernelUsage>,
    /// Whether a backend was named that none of these kernels comes from.
    #[serde(skip)]
    backend_is_idle: bool,
    pub memory_limit_bytes: Option<u64>,
}

/// How the number of clusters was chosen.
#[derive(Clone, Debug, Serialize)]
pub struct ChoiceRecord {
    pub k: usize,
    /// What it was chosen by: `references` or `stability`.
    pub by: &'static str,
    /// Whether the structure is clear.
    pub clear: bool,
    pub reason: String,
    /// The smallest and the largest number considered.
    pub from: usize,
    pub to: usize,
    pub parameters: Values,
}

/// How many training rows a model gives the label of the run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ModelRecord {
    pub samples: usize,
    /// Samples that the model gives their label.
    pub kept: usize,
    /// Their share of all samples.
    pub share: f64,
    /// The adjusted Rand index of both partitions.
    pub ari: f64,
}

/// The duration of a stage.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    pub stage: &'static str,
    pub seconds: f64,
}

/// One partition and its scores.
#[derive(Clone, Debug, Serialize)]
pub struct CutRecord {
    /// Requested number of clusters.
    pub k: usize,
    /// Number of clusters found; some methods return a different number than requested.
    pub clusters: usize,
    /// Number of samples in each cluster, in the order of the labels.
    pub sizes: Vec<usize>,
    pub scores: Option<BTreeMap<&'static str, f64>>,
    pub violations: Option<Violations>,
    /// The share of the samples that the refinement after a reduction moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<f64>,
    /// The violated constraints by the ids of the samples, or by their numbers counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenRecord>,
    /// Agreement with the result without enhancement, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_opinion: Option<SecondOpinion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<usize>>,
}

impl MethodRecord {
    /// The record of parts with the values of all parameters.
    pub fn of(preset: Option<String>, spec: &PipelineSpec) -> Self {
        let parts = spec.parts().into_iter();
        let shown = |stage: Stage, part: &Part| stage != Stage::Reduce && !part.is_none();
        let does_something = parts.clone().filter(|&(stage, part)| shown(stage, part));
        let names: Vec<String> = does_something.map(|(_, part)| part.told()).collect();
        let parts = parts.map(|(stage, part)| (stage.key(), part.clone())).collect();
        MethodRecord { preset, parts, in_a_line: names.join(" + ") }
    }
}

/// Paths as text. Bytes that are not Unicode are shown as U+FFFD.
pub fn shown(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// Writes a record into a file.
pub fn write_json(path: &Path, record: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(record)?;
    text.push(b'\n');
    Ok(write_atomically(path, |file| file.write_all(&text))?)
}

/// The number of threads; 0 means all available threads.
pub fn thread_count(threads: u16) -> usize {
    if threads == 0 { rayon::current_num_threads() } else { threads.into() }
}

/// The value of a parameter as JSON.
pub fn json(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

impl MachineRecord {
    /// What to say if a backend was named that had nothing to do.
    pub fn idle_backend(&self) -> Option<String> {
        self.backend_is_idle
            .then(|| format!("the backend {} had no part in this run", self.backend))
    }

    /// The record of these options on this machine.
    pub fn of(machine: &MachineArgs, usage: &Usage) -> Self {
        MachineRecord {
            kernels: usage.kernels.clone(),
            backend_is_idle: machine.backend.is_some() && usage.backend_is_idle,
            threads: thread_count(machine.threads),
            precision: machine.precision,
            backend: machine.backend_name().to_string(),
            memory_limit_bytes: machine.memory.map(|amount| amount.0),
        }
    }
}

impl Timing {
    /// The duration of a stage in seconds.
    pub fn new(stage: &'static str, time: Duration) -> Self {
        Timing { stage, seconds: time.as_secs_f64() }
    }
}

impl CutRecord {
    /// The record of a partition into k clusters, without its labels.
    pub fn of(
        k: usize,
        partition: &Partition,
        scores: Option<&Scores>,
        violations: Option<Violations>,
    ) -> Self {
        CutRecord {
            k,
            clusters: partition.clusters(),
            sizes: partition.sizes(),
            scores: scores.map(|scores| scores.named().into_iter().collect()),
            violations,
            moved: None,
            broken: None,
            second_opinion: None,
            labels: None,
        }
    }
}
