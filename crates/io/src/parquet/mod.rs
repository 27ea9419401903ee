//! Parquet tables, read with the `parquet` crate.
//!
//! That crate expects trusted files: it panics on negative offsets, and allocates the memory
//! that a schema, a page or a dictionary declares before it checks the actual size. Therefore
//! [`check`] first examines the few parts of the metadata that declare sizes and accepts only
//! flat tables with possible sizes. The remaining panics of the crate, in about one of 10,000
//! damaged files, are caught; the message of the panic goes to the panic hook of the program.

mod check;
mod thrift;

use std::borrow::Cow;

use bytes::Bytes;
use parquet::basic::{ConvertedType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use crate::budget::Budget;
use crate::error::{Fault, Place, shown};
use crate::grid::{Cell, Grid};
use crate::marks::MissingMarks;
use crate::recognise::ids;
use crate::table::{Table, TableOptions, Use};

/// Number of values that are decoded at once.
const BATCH: usize = 1024;
/// The column in which pandas stores an index.
const PANDAS_INDEX: &str = "__index_level_0__";

/// Reads a table. Columns always have names, so the only relevant option is whether the first
/// column contains ids.
pub(crate) fn table(
    bytes: &[u8],
    options: &TableOptions,
    used: Use,
) -> Result<Table<'static>, Fault> {
    let mut columns = caught(|| columns(bytes, Budget::new(options.memory)))?;
    if let Some(index) = columns.iter().position(|column| column.name == PANDAS_INDEX) {
        columns[..=index].rotate_right(1);
        columns[0].name.clear();
    }
    let mut grid = Columns { columns, skipped: 0, marks: options.missing.clone() };
    let names: Vec<_> = grid.columns.iter().map(|column| column.name.as_str()).collect();
    let ids = ids(&grid, &names, options.id_column, used)?;
    let names = grid.columns.iter().skip(ids.is_some().into()).map(|c| c.name.clone()).collect();
    grid.skipped = ids.is_some().into();
    Ok(Table {
        grid: Box::new(grid),
        ids,
        names: Some(names),
        truth: None,
        counts: None,
        origin: None,
        layout: None,
    })
}

/// Turns a panic into an error. No state outlives `read`, so no half-finished state can remain.
fn caught<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Fault::Parquet { what: "the values are damaged".into() }))
}

/// Columns of equal length.
struct Columns {
    columns: Vec<Column>,
    /// Columns before the first value.
    skipped: usize,
    marks: MissingMarks,
}

struct Column {
    name: String,
    values: Values,
}

/// Values of one type, `None` for missing values.
enum Values {
    Whole(Vec<Option<i64>>),
    /// The bits of unsigned numbers.
    Unsigned(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Text(Vec<Option<Box<str>>>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Whole(values) | Values::Unsigned(values) => values.len(),
            Values::Real(values) => values.len(),
            Values::Text(values) => values.len(),
        }
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        let cell = match self {
            Values::Whole(values) => values[row].map(|value| Cell::Whole(value.into())),
            Values::Unsigned(values) => values[row].map(|bits| Cell::Whole((bits as u64).into())),
            Values::Real(values) => values[row].map(Cell::Real),
            Values::Text(values) => {
                values[row].as_ref().map(|text| Cell::Text(Cow::Borrowed(text.trim())))
            }
        };
        cell.unwrap_or(Cell::Missing)
    }
}

impl Grid for Columns {
    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    fn columns(&self) -> usize {
        self.columns.len() - self.skipped
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        match self.columns[column + self.skipped].values.cell(row) {
            Cell::Text(text) if self.marks.contains(&text) => Cell::Missing,
            cell => cell,
        }
    }

    fn place(&self, row: usize, column: usize) -> Place {
        let name = &self.columns[column + self.skipped].name;
        Place::Cell { array: Some(shown(name)), row: row + 1, column: column + self.skipped + 1 }
    }
}

fn unsound(error: &ParquetError) -> Fault {
    Fault::Parquet { what: shown(&error.to_string()) }
}

fn columns(bytes: &[u8], budget: Budget) -> Result<Vec<Column>, Fault> {
    check::schema(bytes)?;
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes));
    let reader = reader.map_err(|error| unsound(&error))?;
    let metadata = reader.metadata();
    let mut room = check::pages(bytes, metadata, budget)?;
    let described = metadata.file_metadata().schema_descr();
    let mut columns =
        described.columns().iter().map(|d| empty(d)).collect::<Result<Vec<_>, _>>()?;
    for group in 0..metadata.num_row_groups() {
        let rows = metadata.row_group(group).num_rows() as usize;
        let group = reader.get_row_group(group).map_err(|error| unsound(&error))?;
        for (at, column) in columns.iter_mut().enumerate() {
            let before = column.values.len();
            let values = group.get_column_reader(at).map_err(|error| unsound(&error))?;
            append(values, described.column(at).max_def_level(), &mut column.values, &mut room)?;
            if column.values.len() - before != rows {
                let what =
                    format!("{:?} does not have as many values as rows", shown(&column.name));
                return Err(Fault::Parquet { what });
            }
        }
    }
    Ok(columns)
}

/// A column for values of the type described.
fn empty(column: &ColumnDescriptor) -> Result<Column, Fault> {
    let name = column.name().to_string();
    let meant = column.converted_type();
    let unsigned = matches!(
        meant,
        ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
    );
    let plain = unsigned
        || matches!(
            meant,
            ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64
                | ConvertedType::UTF8
                | ConvertedType::ENUM
        )
        || (meant == ConvertedType::NONE && column.logical_type_ref().is_none());
    let values = match column.physical_type() {
        _ if !plain || column.max_rep_level() > 0 => None,
        Type::BOOLEAN => Some(Values::Whole(Vec::new())),
        Type::INT32 | Type::INT64 if unsigned => Some(Values::Unsigned(Vec::new())),
        Type::INT32 | Type::INT64 => Some(Values::Whole(Vec::new())),
        Type::FLOAT | Type::DOUBLE => Some(Values::Real(Vec::new())),
        Type::BYTE_ARRAY => Some(Values::Text(Vec::new())),
        _ => None,
    };
    match values {
        Some(values) => Ok(Column { name, values }),
        None => {
            let holds = "values other than numbers, Booleans or text".into();
            Err(Fault::Unread { name: shown(&name), holds })
        }
    }
}

/// Appends all values of a part of a column; `room` is the number of bytes of text that may
/// still follow.
fn append(reader: ColumnReader, most: i16, to: &mut Values, room: &mut usize) -> Result<(), Fault> {
    use ColumnReader as From;
    match (reader, to) {
        (From::BoolColumnReader(from), Values::Whole(to)) => each(from, most, to, |v| Ok(v.into())),
        (From::Int32ColumnReader(from), Values::Whole(to)) => {
            each(from, most, to, |v| Ok(v.into()))
        }
        (From::Int32ColumnReader(from), Values::Unsigned(to)) => {
            each(from, most, to, |bits| Ok((bits as u32).into()))
        }
        (From::Int64ColumnReader(from), Values::Whole(to) | Values::Unsigned(to)) => {
            each(from, most, to, Ok)
        }
        (From::FloatColumnReader(from), Values::Real(to)) => each(from, most, to, |v| Ok(v.into())),
        (From::DoubleColumnReader(from), Values::Real(to)) => each(from, most, to, Ok),
        (From::ByteArrayColumnReader(from), Values::Text(to)) => {
            each(from, most, to, |value| text(value.data(), room))
        }
        _ => Err(Fault::Parquet { what: "a column changes its type".into() }),
    }
}

/// Appends one value after the other. A value is present if its level equals the maximum,
/// `most`.
fn each<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    most: i16,
    to: &mut Vec<Option<V>>,
    mut convert: impl FnMut(T::T) -> Result<V, Fault>,
) -> Result<(), Fault> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        values.clear();
        let (rows, ..) = reader
            .read_records(BATCH, Some(&mut levels), None, &mut values)
            .map_err(|error| unsound(&error))?;
        if rows == 0 {
            return Ok(());
        }
        let mut values = values.drain(..);
        for row in 0..rows {
            let is_there = most == 0 || levels.get(row) == Some(&most);
            let value = if is_there { values.next() } else { None };
            to.push(value.map(&mut convert).transpose()?);
        }
    }
}

fn text(bytes: &[u8], room: &mut usize) -> Result<Box<str>, Fault> {
    let too_long = || Fault::Parquet { what: "the text is too long for its file".into() };
    *room = room.checked_sub(bytes.len()).ok_or_else(too_long)?;
    let text = std::str::from_utf8(bytes);
    Ok(text.map_err(|_| Fault::Parquet { what: "text is not UTF-8".into() })?.into())
}
