//! Writing of results.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use enclust_core::{MISSING, Partition};
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::atomic::write_atomically;
use crate::counts::COUNTS;
use crate::error::WriteError;
use crate::file::Format;
use crate::npy::MAGIC;
use crate::origin::{GENERATOR, Origin, SAMPLE_FEATURES};
use crate::pool::Pool;
use crate::table::{COLUMNS, IDS};

/// Writes one label per sample, clusters counted from 0, in the format given by the extension.
///
/// - `.csv`, `.txt`, `.tsv`: a column `label`, after a column `id` if there are `ids`.
/// - `.npy`: a vector of 64-bit integers, without ids.
/// - `.npz`: the same as `labels`, and `ids`.
///
/// # Errors
/// [`WriteError`] if writing fails, for other extensions, and if the number of ids differs from
/// the number of labels.
pub fn write_labels(
    path: impl AsRef<Path>,
    partition: &Partition,
    ids: Option<&[String]>,
) -> Result<(), WriteError> {
    write_cluster_numbers(path, partition.labels(), ids)
}

/// Like [`write_labels`], for numbers of clusters that need not be in the order of their first
/// occurrence, such as the labels of new rows.
///
/// # Errors
/// The same as [`write_labels`].
pub fn write_cluster_numbers(
    path: impl AsRef<Path>,
    numbers: &[usize],
    ids: Option<&[String]>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    let labels = || Block::integers(&[numbers.len()], numbers.iter().map(|&l| l as i64));
    let names = ["label".to_string()];
    let cell = |row: usize, _: usize| numbers[row].to_string();
    let write = |file: &mut BufWriter<File>| {
        check_names("ids", ids, numbers.len())?;
        match Format::by_extension(path) {
            Some(Format::Csv) => write_text(file, b',', ids, &names, numbers.len(), cell),
            Some(Format::Tsv) => write_text(file, b'\t', ids, &names, numbers.len(), cell),
            Some(Format::Npy) => labels().write(file),
            Some(Format::Npz) => {
                let named = ids.map(|ids| (IDS, Block::texts(ids)));
                write_npz(file, [("labels", labels())].into_iter().chain(named))
            }
            _ => Err(unknown_extension()),
        }
    };
    write_atomically(path, write)
}

/// Writes a pool in the format given by the extension. Clusters are counted from 0 in the order
/// in which they first occur; weights are not written.
///
/// - `.csv`, `.txt`, `.tsv`: a header (clusterings without names are called c1, c2, …),
///   a column `id` if samples have names, and `NA` for missing labels. The truth is not
///   written; use [`write_labels`] to write it to a separate file.
/// - `.npy`: an n × m matrix of 32-bit integers, or, if labels are missing, of doubles with NaN
///   for those. Names and truth are not written.
/// - `.npz`: the same as `members`, and `gt`, `ids`, `columns`, `counts`, `sample_features` and
///   `generator` if they are known.
///
/// [`read_pool`](crate::read_pool) reads all of these files.
///
/// # Errors
/// [`WriteError`] if writing fails, for other extensions, if the number of names differs from the
/// number of samples or clusterings, and for rows with counts in a format other than `.npz`.
pub fn write_pool(path: impl AsRef<Path>, pool: &Pool) -> Result<(), WriteError> {
    let path = path.as_ref();
    write_atomically(path, |file| {
        let (samples, clusterings) = (pool.ensemble.samples(), pool.ensemble.clusterings());
        check_names("ids", pool.ids.as_deref(), samples)?;
        check_names("columns", pool.columns.as_deref(), clusterings)?;
        let format = Format::by_extension(path);
        if pool.ensemble.counts().is_some() && format != Some(Format::Npz) {
            let message = "rows with counts can be written as .npz only";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        match format {
            Some(Format::Csv) => write_pool_text(file, b',', pool),
            Some(Format::Tsv) => write_pool_text(file, b'\t', pool),
            Some(Format::Npy) => members(pool).write(file),
            Some(Format::Npz) => write_pool_npz(file, pool),
            _ => Err(unknown_extension()),
        }
    })
}

fn write_pool_text(file: &mut BufWriter<File>, separator: u8, pool: &Pool) -> io::Result<()> {
    let numbered = || (1..=pool.ensemble.clusterings()).map(|k| format!("c{k}")).collect();
    let names = pool.columns.clone().unwrap_or_else(numbered);
    let columns: Vec<_> = (0..names.len()).map(|k| pool.ensemble.column(k)).collect();
    let cell = |row: usize, column: usize| match columns[column][row] {
        MISSING => "NA".to_string(),
        label => label.to_string(),
    };
    write_text(file, separator, pool.ids.as_deref(), &names, pool.ensemble.samples(), cell)
}

fn write_pool_npz(file: &mut BufWriter<File>, pool: &Pool) -> io::Result<()> {
    let truth = pool.truth.as_ref().map(|truth| {
        ("gt", Block::integers(&[truth.len()], truth.labels().iter().map(|&l| l as i64)))
    });
    let ids = pool.ids.as_ref().map(|ids| (IDS, Block::texts(ids)));
    let columns = pool.columns.as_ref().map(|names| (COLUMNS, Block::texts(names)));
    let origin = pool.origin.iter().flat_map(|Origin { features, dimension, generator }| {
        let shape = [features.len() / dimension, *dimension];
        let generator = Block::texts(std::slice::from_ref(generator));
        [(SAMPLE_FEATURES, Block::doubles(&shape, features)), (GENERATOR, generator)]
    });
    let counts = pool.ensemble.counts().map(|counts| {
        let counts = counts.of_rows();
        (COUNTS, Block::integers(&[counts.len()], counts.iter().map(|&c| c as i64)))
    });
    let arrays = [("members", members(pool))].into_iter().chain(truth).chain(ids).chain(columns);
    write_npz(file, arrays.chain(counts).chain(origin))
}

/// Writes a matrix of floats as `.npy`, one row after the other: `fill(i, row)` overwrites the
/// previous row with row i. Only one row is held in memory.
///
/// # Errors
/// [`WriteError`] with the error of the system.
pub fn write_matrix_npy<S: NpyFloat>(
    path: impl AsRef<Path>,
    rows: usize,
    columns: usize,
    mut fill: impl FnMut(usize, &mut [S]),
) -> Result<(), WriteError> {
    write_atomically(path, |file| {
        file.write_all(&npy_header(S::DESCR, false, &[rows, columns]))?;
        let mut row = vec![S::default(); columns];
        for i in 0..rows {
            fill(i, &mut row);
            row.iter().try_for_each(|&value| value.write(file))?;
        }
        Ok(())
    })
}

/// A float that can be written into an `.npy` file: `f32` or `f64`.
pub trait NpyFloat: Copy + Default + sealed::Sealed {
    /// NumPy's name for the type.
    const DESCR: &'static str;

    /// Writes the value in little-endian order.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    fn write(self, to: &mut impl Write) -> io::Result<()>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl NpyFloat for f32 {
    const DESCR: &'static str = "<f4";

    fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.to_le_bytes())
    }
}

impl NpyFloat for f64 {
    const DESCR: &'static str = "<f8";

    fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.to_le_bytes())
    }
}

/// Everything before the values, padded so that the values begin at a multiple of 64 bytes.
fn npy_header(descr: &str, fortran: bool, shape: &[usize]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let lengths: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let shape = if shape.len() == 1 { lengths.trim_end() } else { lengths.trim_end_matches(", ") };
    let mut text =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({shape}), }}");
    let before = MAGIC.len() + 4;
    let length = (before + text.len() + 1).next_multiple_of(64) - before;
    text.push_str(&" ".repeat(length - text.len() - 1));
    text.push('\n');
    // A type and two lengths take far less than the 64 KiB that version 1 allows.
    [MAGIC, &[1, 0], &(length as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// A small array with header and values.
pub(crate) struct Block(Vec<u8>);

impl Block {
    pub fn integers(shape: &[usize], values: impl Iterator<Item = i64>) -> Self {
        let mut bytes = npy_header("<i8", false, shape);
        values.for_each(|value| bytes.extend(value.to_le_bytes()));
        Block(bytes)
    }

    pub fn doubles(shape: &[usize], values: &[f64]) -> Self {
        let mut bytes = npy_header("<f8", false, shape);
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        Block(bytes)
    }

    /// A vector of texts, all padded to the length of the longest.
    pub fn texts(texts: &[String]) -> Self {
        let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
        let mut bytes = npy_header(&format!("<U{longest}"), false, &[texts.len()]);
        for text in texts {
            let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
            padded.for_each(|character| bytes.extend(character.to_le_bytes()));
        }
        Block(bytes)
    }

    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        file.write_all(&self.0)
    }
}

/// The labels of a pool, one clustering after the other, as in memory.
fn members(pool: &Pool) -> Block {
    let (samples, clusterings) = (pool.ensemble.samples(), pool.ensemble.clusterings());
    let labels = (0..clusterings).flat_map(|k| pool.ensemble.column(k));
    let missing = pool.ensemble.has_missing();
    let descr = if missing { "<f8" } else { "<i4" };
    let mut bytes = npy_header(descr, true, &[samples, clusterings]);
    for &label in labels {
        match label {
            MISSING => bytes.extend(f64::NAN.to_le_bytes()),
            label if missing => bytes.extend(f64::from(label).to_le_bytes()),
            label => bytes.extend(label.to_le_bytes()),
        }
    }
    Block(bytes)
}

/// Writes an archive without timestamps, so that equal arrays give equal files.
pub(crate) fn write_npz<'a>(
    file: &mut BufWriter<File>,
    arrays: impl Iterator<Item = (&'a str, Block)>,
) -> io::Result<()> {
    let mut zip = ZipWriter::new(file);
    for (name, block) in arrays {
        let large = block.0.len() > u32::MAX as usize;
        let options = SimpleFileOptions::DEFAULT.large_file(large);
        zip.start_file(format!("{name}.npy"), options)?;
        block.write(&mut zip)?;
    }
    zip.finish()?;
    Ok(())
}

/// Writes a table with a header.
fn write_text(
    file: &mut BufWriter<File>,
    separator: u8,
    ids: Option<&[String]>,
    names: &[String],
    rows: usize,
    cell: impl Fn(usize, usize) -> String,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(file);
    let head = ids.map(|_| "id".to_string());
    writer.write_record(head.iter().chain(names))?;
    for row in 0..rows {
        let id = ids.map(|ids| ids[row].clone());
        writer.write_record(id.into_iter().chain((0..names.len()).map(|k| cell(row, k))))?;
    }
    writer.flush()
}

fn check_names(what: &str, names: Option<&[String]>, expected: usize) -> io::Result<()> {
    match names.map(<[String]>::len) {
        Some(found) if found != expected => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{found} {what}, but {expected} are needed"),
        )),
        _ => Ok(()),
    }
}

fn unknown_extension() -> io::Error {
    let message = "this format cannot be written; use .csv, .tsv, .txt, .npy or .npz";
    io::Error::new(io::ErrorKind::Unsupported, message)
}
