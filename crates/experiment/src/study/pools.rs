//! The pools of a study: how they are written in the file, found and read.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use enclust_io::{CountsColumn, MissingMarks, Noise, Pool, PoolOptions, Source, TableOptions};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::file::Study;
use super::protocol::PoolRecord;
use crate::error::StudyError;

/// Extensions that may be omitted from the name of a pool.
const EXTENSIONS: [&str; 6] = ["mat", "csv", "tsv", "npy", "npz", "parquet"];

/// A pool in the file of a study: the name of a file, or a table with these keys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Written")]
pub struct PoolEntry {
    /// The file of base clusterings: a path or a name, with or without extension.
    pub file: String,
    /// A file of true classes, found like the pool.
    pub truth: Option<String>,
    /// What the label −1 means: `singleton`, `missing` or `error`.
    pub noise: Option<String>,
    /// The texts that stand for missing labels, instead of the usual ones.
    pub missing: Option<Vec<String>>,
    /// The clusterings that belong to the pool, counted from 1 or by name; all if not given.
    pub columns: Option<Vec<Column>>,
    /// The column that states how often each row occurs.
    pub counts: Option<Column>,
}

/// A clustering of a pool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "the number of a clustering, counted from 1, or its name")]
pub enum Column {
    /// Its number, counted from 1.
    Number(usize),
    /// Its name.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Number(number) => write!(f, "{number}"),
            Column::Name(name) => write!(f, "\"{name}\""),
        }
    }
}

/// The two ways to write a pool.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "the name of a file, or a table with file, truth, noise, missing, columns, counts"
)]
enum Written {
    Name(String),
    Table(TableOfPool),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableOfPool {
    file: String,
    truth: Option<String>,
    noise: Option<String>,
    missing: Option<Vec<String>>,
    columns: Option<Vec<Column>>,
    counts: Option<Column>,
}

impl From<Written> for PoolEntry {
    fn from(written: Written) -> Self {
        match written {
            Written::Name(file) => PoolEntry::from(file),
            Written::Table(TableOfPool { file, truth, noise, missing, columns, counts }) => {
                PoolEntry { file, truth, noise, missing, columns, counts }
            }
        }
    }
}

impl From<String> for PoolEntry {
    fn from(file: String) -> Self {
        PoolEntry { file, ..PoolEntry::default() }
    }
}

impl PoolEntry {
    /// Its name in tables: the name of the file without folder and extension.
    pub fn name(&self) -> String {
        Path::new(&self.file).file_stem().map(|s| s.to_string_lossy().into()).unwrap_or_default()
    }

    fn options(&self) -> Result<PoolOptions, String> {
        let noise = self.noise.as_ref().map(|word| word.parse::<Noise>()).transpose();
        let noise = noise.map_err(|error| error.to_string())?.unwrap_or_default();
        let missing = self.missing.as_ref().map_or_else(MissingMarks::default, MissingMarks::new);
        let table = TableOptions { missing, ..TableOptions::default() };
        let counts = self.counts.as_ref().map(|column| match column {
            Column::Number(number) => CountsColumn::Number(*number),
            Column::Name(name) => CountsColumn::Name(name.clone()),
        });
        Ok(PoolOptions { noise, table, counts, ..PoolOptions::default() })
    }

    /// What the record tells about how the pool was read.
    fn settings(&self) -> BTreeMap<String, String> {
        let columns = self.columns.as_ref().map(|columns| {
            let columns: Vec<String> = columns.iter().map(Column::to_string).collect();
            ("columns", columns.join(", "))
        });
        let missing = self.missing.as_ref().map(|marks| ("missing", marks.join(", ")));
        let noise = self.noise.clone().map(|noise| ("noise", noise));
        let counts = self.counts.as_ref().map(|counts| ("counts", counts.to_string()));
        let given = [columns, counts, missing, noise].into_iter().flatten();
        given.map(|(key, value)| (key.to_string(), value)).collect()
    }
}

/// A pool whose files are known.
pub(super) struct FoundPool<'a> {
    pub name: String,
    entry: &'a PoolEntry,
    path: PathBuf,
    truth: Option<PathBuf>,
}

impl Study {
    /// The files of each pool.
    pub(super) fn find_pools(&self, folders: &[PathBuf]) -> Result<Vec<FoundPool<'_>>, StudyError> {
        let looked: Vec<PathBuf> =
            self.folder().into_iter().map(Path::to_path_buf).chain(folders.to_vec()).collect();
        let find = |name: &String| {
            let path = looked.iter().find_map(|folder| file_of(&folder.join(name)));
            path.ok_or_else(|| StudyError::PoolNotFound {
                name: name.clone(),
                looked: looked.clone(),
            })
        };
        let mut found: Vec<FoundPool<'_>> = Vec::new();
        for entry in &self.pools {
            let path = find(&entry.file)?;
            let truth = entry.truth.as_ref().map(find).transpose()?;
            let name: String =
                path.file_stem().map(|s| s.to_string_lossy().into()).unwrap_or_default();
            if found.iter().any(|other| other.name == name) {
                return Err(self.twice("pool", name));
            }
            found.push(FoundPool { name, entry, path, truth });
        }
        Ok(found)
    }

    /// Reads a pool and its truth.
    pub(super) fn read_pool(
        &self,
        found: &FoundPool<'_>,
    ) -> Result<(Pool, PoolRecord), StudyError> {
        let FoundPool { name, entry, path, truth } = found;
        let invalid = |what: String| self.invalid("pools", format!("{name}: {what}"));
        let options = entry.options().map_err(invalid)?;
        let source = Source::read(path, None)?;
        let mut pool = source.pool(&options)?.0;
        let mut truth_sha256 = None;
        if let Some(path) = truth {
            let file = Source::read(path, None)?;
            let labels = file.labels(&options.table)?.0;
            truth_sha256 = Some(hash(&file)?);
            let fault = |fault| enclust_io::ReadError::new(path, fault);
            pool = pool.with_truth(labels).map_err(fault)?;
        }
        if let Some(columns) = &entry.columns {
            pool = selected(pool, columns).map_err(invalid)?;
        }
        let record = PoolRecord {
            name: name.clone(),
            sha256: hash(&source)?,
            truth_sha256,
            settings: entry.settings(),
            samples: pool.ensemble.total(),
            clusterings: pool.ensemble.clusterings(),
            classes: pool.truth.as_ref().map(|t| t.clusters()),
        };
        Ok((pool, record))
    }
}

/// The pool with these clusterings only.
fn selected(pool: Pool, columns: &[Column]) -> Result<Pool, String> {
    let count = pool.ensemble.clusterings();
    let names = pool.columns.clone().unwrap_or_default();
    let index = |column: &Column| match column {
        Column::Number(number) if (1..=count).contains(number) => Ok(number - 1),
        Column::Number(number) => {
            Err(format!("there is no clustering {number}, only 1 to {count}"))
        }
        Column::Name(name) => match names.iter().filter(|other| *other == name).count() {
            1 => Ok(names.iter().position(|other| other == name).unwrap_or(0)),
            0 => Err(format!("there is no clustering \"{name}\"")),
            several => Err(format!("{several} clusterings are called \"{name}\"")),
        },
    };
    let kept = columns.iter().map(index).collect::<Result<Vec<usize>, String>>()?;
    let ensemble = pool.ensemble.select(&kept).map_err(|error| error.to_string())?;
    let columns = pool.columns.map(|names| kept.iter().map(|&k| names[k].clone()).collect());
    Ok(Pool { ensemble, columns, ..pool })
}

/// The file with this name; if the name has no extension, each of the known extensions is tried.
fn file_of(path: &Path) -> Option<PathBuf> {
    let with = |extension: &&str| {
        let mut name = path.as_os_str().to_os_string();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    std::iter::once(path.to_path_buf()).chain(EXTENSIONS.iter().map(with)).find(|p| p.is_file())
}

fn hash(source: &Source) -> Result<String, StudyError> {
    let mut hash = Sha256::new();
    source.blocks(|block| hash.update(block))?;
    Ok(hex(&hash.finalize()))
}

/// Two hexadecimal digits per byte.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
