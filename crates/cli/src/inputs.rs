//! Input files and their identification in a record.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::ValueEnum;
use enclust_io::{Noise, Pool, PoolOptions, TableOptions, read_pool_with};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// The layout of text files, if it cannot be detected.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct TableArgs {
    /// Whether the first line of text files names the columns [default: detected]
    #[arg(long, value_enum, value_name = "YES/NO")]
    pub header: Option<Answer>,

    /// Whether the first column of text files names the samples [default: detected]
    #[arg(long, value_enum, value_name = "YES/NO")]
    pub id_column: Option<Answer>,
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
    pub fn options(&self) -> TableOptions {
        let said = |answer: Option<Answer>| answer.map(|answer| answer == Answer::Yes);
        TableOptions { header: said(self.header), id_column: said(self.id_column) }
    }
}

/// How a pool is read.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct PoolArgs {
    /// Meaning of the label -1: a cluster of its own for each sample (singleton), no label
    /// (missing), or an error (error)
    #[arg(long, value_name = "MEANING", default_value_t = Noise::Error)]
    pub noise: Noise,

    #[command(flatten)]
    pub table: TableArgs,
}

impl PoolArgs {
    /// Reads a pool.
    pub fn read(&self, path: &Path) -> Result<Pool, Failure> {
        let TableOptions { header, id_column } = self.table.options();
        Ok(read_pool_with(path, &PoolOptions { noise: self.noise, header, id_column })?)
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
}

impl Input {
    /// Reads a file and computes its checksum.
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
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Input { role, path: path.display().to_string(), bytes, sha256 })
    }
}
