//! The record of a run: everything that is needed to repeat it, and how it went.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use enclust::core::{Part, Partition, PipelineSpec, Report, Value, Values, Violations};
use enclust::metrics::Scores;
use enclust_io::write_atomically;
use serde::Serialize;

use crate::failure::Failure;
use crate::inputs::Input;
use crate::interrupt::while_writing;
use crate::machine::{MachineArgs, Width};
use crate::selection::Selection;

/// What ran where.
#[derive(Clone, Debug, Serialize)]
pub struct Versions {
    enclust: &'static str,
    rustc: &'static str,
    target: &'static str,
}

impl Versions {
    /// Of this program.
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
    pub samples: usize,
    /// Distinct label rows, constrained samples apart: the size everything ran at.
    pub groups: usize,
    pub ensemble: Option<EnsembleRecord>,
    pub method: MethodRecord,
    pub constraints: Option<ConstraintsRecord>,
    pub machine: MachineRecord,
    pub seed: u32,
    /// How the representation was learned, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning: Option<Report>,
    /// How the enhancement went.
    pub report: Report,
    pub timings: Vec<Timing>,
    /// How the number of clusters was found, if it was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<ChoiceRecord>,
    pub results: Vec<CutRecord>,
    pub outputs: BTreeMap<&'static str, PathBuf>,
}

/// The clusterings that were used.
#[derive(Clone, Debug, Serialize)]
pub struct EnsembleRecord {
    #[serde(flatten)]
    pub selection: Selection,
    /// How many labels are missing.
    pub missing_labels: usize,
    /// What the label −1 was taken for.
    pub noise: String,
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

/// How many pairs were constrained.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ConstraintsRecord {
    pub must_link: usize,
    pub cannot_link: usize,
}

/// What the run could use.
#[derive(Clone, Debug, Serialize)]
pub struct MachineRecord {
    pub threads: usize,
    pub precision: Width,
    pub backend: String,
    pub memory_limit_bytes: Option<u64>,
}

/// How the number of clusters was found.
#[derive(Clone, Debug, Serialize)]
pub struct ChoiceRecord {
    pub k: usize,
    /// Whether the structure is clear.
    pub clear: bool,
    pub reason: String,
    /// The smallest and the largest number looked at.
    pub from: usize,
    pub to: usize,
    pub parameters: Values,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    pub stage: &'static str,
    pub seconds: f64,
}

/// One partition and its figures.
#[derive(Clone, Debug, Serialize)]
pub struct CutRecord {
    /// Number of clusters asked for.
    pub k: usize,
    /// Number of clusters found; some methods give another one.
    pub clusters: usize,
    /// Samples of each cluster, in the order of the labels.
    pub sizes: Vec<usize>,
    pub scores: Option<BTreeMap<&'static str, f64>>,
    pub violations: Option<Violations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<usize>>,
}

impl MethodRecord {
    /// Of parts whose parameters are all written out.
    pub fn of(preset: Option<String>, spec: &PipelineSpec) -> Self {
        let parts = spec.parts().into_iter();
        let does_something = parts.clone().filter(|(_, part)| !part.is_none());
        let names: Vec<String> = does_something.map(|(_, part)| part.told()).collect();
        let parts = parts.map(|(stage, part)| (stage.key(), part.clone())).collect();
        MethodRecord { preset, parts, in_a_line: names.join(" + ") }
    }
}

/// Writes a record into a file.
pub fn write_json(path: &Path, record: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(record)?;
    text.push(b'\n');
    Ok(while_writing(|| write_atomically(path, |file| file.write_all(&text)))?)
}

/// The number of threads, 0 standing for all there are.
pub fn thread_count(threads: u16) -> usize {
    if threads == 0 { rayon::current_num_threads() } else { threads.into() }
}

/// A parameter's value as JSON has it.
pub fn json(value: &Value) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

impl MachineRecord {
    /// What these options come to here.
    pub fn of(machine: &MachineArgs) -> Self {
        MachineRecord {
            threads: thread_count(machine.threads),
            precision: machine.precision,
            backend: machine.backend.clone(),
            memory_limit_bytes: machine.memory.map(|amount| amount.0),
        }
    }
}

impl Timing {
    /// Seconds of a stage.
    pub fn new(stage: &'static str, time: Duration) -> Self {
        Timing { stage, seconds: time.as_secs_f64() }
    }
}

impl CutRecord {
    /// The figures of a partition into k clusters, without its labels.
    pub fn of(
        k: usize,
        partition: &Partition,
        scores: Option<&Scores>,
        violations: Option<Violations>,
    ) -> Self {
        let mut sizes = vec![0; partition.clusters()];
        partition.labels().iter().for_each(|&label| sizes[label] += 1);
        CutRecord {
            k,
            clusters: partition.clusters(),
            sizes,
            scores: scores.map(|scores| scores.named().into_iter().collect()),
            violations,
            labels: None,
        }
    }
}
