//! Checks whether the sizes that a Parquet file declares are possible.

use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::thrift::{Thrift, kind};
use crate::budget::Budget;
use crate::error::Fault;
use crate::file::DEFLATE;

/// Runs of equal values take almost no space in a file. This amount of memory is allowed for
/// every file.
const ALWAYS: usize = 64 << 20;
/// Memory per value that is not text.
const VALUE: usize = 16;

fn impossible(what: &str) -> Fault {
    Fault::Parquet { what: what.into() }
}

/// Accepts only a root with columns directly below it: nesting is not needed, and the reader
/// does not check the number of children of a node.
pub(super) fn schema(bytes: &[u8]) -> Result<(), Fault> {
    let metadata = footer(bytes).ok_or_else(|| impossible("it has no footer"))?;
    let mut children = Vec::new();
    let read = Thrift::new(metadata, 0).fields(|thrift, field, kind| match (field, kind) {
        (2, kind::LIST) => {
            let (_, elements) = thrift.list()?;
            for _ in 0..elements {
                children.push(children_of(thrift)?);
            }
            Some(true)
        }
        _ => Some(false),
    });
    match (read, &children[..]) {
        (None, _) => Err(impossible("the metadata are damaged")),
        (_, [root, columns @ ..])
            if *root == columns.len() as i64 && columns.iter().all(|&count| count == 0) =>
        {
            Ok(())
        }
        _ => Err(impossible("the schema is not a flat table")),
    }
}

/// The metadata, whose length is stored at the end of the file.
fn footer(bytes: &[u8]) -> Option<&[u8]> {
    let (rest, _) = bytes.strip_suffix(b"PAR1")?.split_last_chunk::<4>()?;
    let length = u32::from_le_bytes(bytes[rest.len()..rest.len() + 4].try_into().ok()?);
    rest.get(rest.len().checked_sub(length as usize)?..)
}

/// How many children an element of the schema has.
fn children_of(thrift: &mut Thrift<'_>) -> Option<i64> {
    let mut count = 0;
    thrift.fields(|thrift, field, kind| match (field, kind) {
        (5, kind::I32) => {
            count = thrift.number()?;
            Some(true)
        }
        _ => Some(false),
    })?;
    Some(count)
}

/// Checks every page and the number of rows; returns the maximum amount of text.
pub(super) fn pages(
    bytes: &[u8],
    metadata: &ParquetMetaData,
    budget: Budget,
) -> Result<usize, Fault> {
    let limit = bytes.len().saturating_mul(DEFLATE).saturating_add(ALWAYS);
    let mut values = 0_usize;
    for group in metadata.row_groups() {
        let rows = usize::try_from(group.num_rows()).map_err(|_| impossible("negative rows"))?;
        values = values.saturating_add(rows.saturating_mul(group.num_columns()));
        for column in group.columns() {
            check_column(bytes, column, rows)?;
        }
    }
    let (held, taken) = (bytes.len(), values.saturating_mul(VALUE));
    let left = limit.checked_sub(taken);
    let left =
        left.ok_or_else(|| impossible("it declares more rows than a file of this size can have"))?;
    // The reader copies the file.
    budget.require(held as u64, (held as u64).saturating_add(taken as u64))?;
    let room = budget.left((held as u64).saturating_mul(2).saturating_add(taken as u64));
    Ok(room.map_or(left, |room| left.min(usize::try_from(room.0).unwrap_or(usize::MAX))))
}

fn check_column(bytes: &[u8], column: &ColumnChunkMetaData, rows: usize) -> Result<(), Fault> {
    use Compression::{GZIP, LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED};
    if !matches!(column.compression(), UNCOMPRESSED | SNAPPY | GZIP(_) | LZ4 | LZ4_RAW) {
        return Err(impossible("its compression is not snappy, gzip or lz4"));
    }
    let outside = || impossible("a column lies outside the file");
    let offset = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let start = usize::try_from(offset).map_err(|_| outside())?;
    let length = usize::try_from(column.compressed_size()).map_err(|_| outside())?;
    let end = start.checked_add(length).filter(|&end| end <= bytes.len()).ok_or_else(outside)?;
    let mut at = start;
    while at < end {
        let page = Page::read(&bytes[..end], at).ok_or_else(|| impossible("a page is damaged"))?;
        if !page.is_possible(rows) {
            return Err(impossible("a page declares more than it can hold"));
        }
        at = page.end;
    }
    Ok(())
}

/// The sizes that a page declares.
#[derive(Default)]
struct Page {
    unpacked: usize,
    packed: usize,
    /// Number of values in a data page.
    values: usize,
    /// Number of values in a dictionary page.
    entries: usize,
    /// Where the page ends.
    end: usize,
}

impl Page {
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        let mut page = Page::default();
        let mut thrift = Thrift::new(bytes, at);
        thrift.fields(|thrift, field, kind| {
            match (field, kind) {
                (2, kind::I32) => page.unpacked = thrift.number()?.try_into().ok()?,
                (3, kind::I32) => page.packed = thrift.number()?.try_into().ok()?,
                (5 | 8, kind::STRUCT) => page.values = first_number(thrift)?,
                (7, kind::STRUCT) => page.entries = first_number(thrift)?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        page.end = thrift.at.checked_add(page.packed)?;
        (page.end <= bytes.len()).then_some(page)
    }

    /// No supported codec compresses better than deflate, and every entry of a dictionary takes
    /// at least one byte.
    fn is_possible(&self, rows: usize) -> bool {
        self.unpacked <= self.packed.saturating_mul(DEFLATE)
            && self.values <= rows
            && self.entries <= self.unpacked
    }
}

/// The number of values, which is field 1 of all headers.
fn first_number(thrift: &mut Thrift<'_>) -> Option<usize> {
    let mut count = 0;
    thrift.fields(|thrift, field, kind| match (field, kind) {
        (1, kind::I32) => {
            count = thrift.number()?.try_into().ok()?;
            Some(true)
        }
        _ => Some(false),
    })?;
    Some(count)
}
