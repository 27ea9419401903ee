//! Input files and their identification in a record.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::ValueEnum;
use enclust::core::Bytes;
use enclust_io::{
    CountsColumn, Layout, MissingMarks, Noise, PoolOptions, Separator, Source, TableOptions,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::amounts::Amount;
use crate::failure::Failure;

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// The layout of text files, if it cannot be detected.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct TableArgs {
    /// Whether the first line of text files names the columns [default: detected]
    #[arg(long, value_enum, value_name = "YES/NO")]
    pub header: Option<Answer>,

    /// Whether the first column of text files names the samples [default: detected]
    #[arg(long, value_enum, value_name = "YES/NO")]
    pub id_column: Option<Answer>,

    /// What separates the cells of text files: comma, semicolon, tab, space or a character
    /// [default: detected]
    #[arg(long, value_name = "SEPARATOR", allow_hyphen_values = true)]
    pub separator: Option<Separator>,

    /// Texts that stand for missing values, separated by commas; an empty cell is always missing
    /// [default: those of pandas, na and ?]
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    pub missing: Option<Vec<String>>,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Answer {
    /// Yes
    Yes,
    /// No
    No,
}

impl TableArgs {
    /// The options for the readers.
    pub fn options(&self, memory: Option<Amount>) -> TableOptions {
        let said = |answer: Option<Answer>| answer.map(|answer| answer == Answer::Yes);
        TableOptions {
            header: said(self.header),
            id_column: said(self.id_column),
            separator: self.separator,
            missing: self.missing.as_ref().map_or_else(MissingMarks::default, MissingMarks::new),
            memory: memory.map(|Amount(bytes)| Bytes(bytes)),
        }
    }
}

/// How a pool is read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct PoolArgs {
    /// Meaning of the label -1: a cluster of its own for each sample (singleton), no label
    /// (missing), or an error (error)
    #[arg(long, value_name = "MEANING", default_value_t = Noise::Error)]
    pub noise: Noise,

    /// Column that states how often each row occurs, by name or by number: every row is that many
    /// samples; in a file of arrays, the name of an array [default: the array counts of an .npz]
    #[arg(long, value_name = "COLUMN")]
    pub counts: Option<CountsColumn>,

    #[command(flatten)]
    pub table: TableArgs,
}

impl PoolArgs {
    /// The options for the reader of pools.
    pub fn options(&self, memory: Option<Amount>) -> PoolOptions {
        let table = self.table.options(memory);
        PoolOptions {
            noise: self.noise,
            table,
            counts: self.counts.clone(),
            ..PoolOptions::default()
        }
    }
}

/// An input that was loaded into memory.
pub struct Opened<'a> {
    role: &'static str,
    path: &'a Path,
    /// Its content.
    pub source: Source,
}

impl<'a> Opened<'a> {
    /// Loads a file, or standard input if the path is `-`.
    pub fn load(
        role: &'static str,
        path: &'a Path,
        memory: Option<Amount>,
    ) -> Result<Self, Failure> {
        let memory = memory.map(|Amount(bytes)| Bytes(bytes));
        let source = if path == Path::new(STANDARD_INPUT) {
            Source::standard_input(memory)?
        } else {
            Source::read(path, memory)?
        };
        Ok(Opened { role, path, source })
    }

    /// Its identification in a record.
    pub fn input(&self, layout: Option<Layout>) -> Result<Input, Failure> {
        let mut hash = Sha256::new();
        let length = self.source.blocks(|block| hash.update(block))?;
        let layout = layout.map(LayoutRecord::from);
        Ok(Input { layout, ..Input::new(self.role, self.path, length, &hash.finalize()) })
    }

    /// Its name and layout, for messages.
    pub fn told(&self, layout: Layout) -> String {
        format!("{}: {layout}", self.path.display())
    }
}

/// A file as identified in records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// Its purpose in the run.
    pub role: &'static str,
    /// The path as it was given; bytes that are not Unicode are shown as U+FFFD.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 checksum.
    pub sha256: String,
    /// The layout of a text file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutRecord>,
}

/// What was stated or detected about a text file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LayoutRecord {
    /// The name of the separator, or the character.
    pub separator: String,
    /// Whether the first line names the columns.
    pub header: bool,
    /// Whether the first column names the samples.
    pub id_column: bool,
}

impl From<Layout> for LayoutRecord {
    fn from(layout: Layout) -> Self {
        let Layout { separator, header, id_column, .. } = layout;
        LayoutRecord { separator: separator.to_string(), header, id_column }
    }
}

impl Input {
    /// Reads a file in blocks and computes its checksum.
    pub fn of(role: &'static str, path: &Path) -> Result<Self, Failure> {
        let failed = |error| Failure::File { path: path.into(), error };
        let mut file = File::open(path).map_err(failed)?;
        let mut hash = Sha256::new();
        let (mut bytes, mut block) = (0, vec![0; 1 << 16]);
        loop {
            let read = file.read(&mut block).map_err(failed)?;
            if read == 0 {
                break;
            }
            bytes += read as u64;
            hash.update(&block[..read]);
        }
        Ok(Input::new(role, path, bytes, &hash.finalize()))
    }

    fn new(role: &'static str, path: &Path, bytes: u64, hash: &[u8]) -> Self {
        let sha256 = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        Input { role, path: path.display().to_string(), bytes, sha256, layout: None }
    }
}
