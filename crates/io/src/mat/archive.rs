//! The variables of a file, of which only the requested ones are read.
//!
//! The values of a variable stay as they are stored and are decoded on access. Compressed
//! variables that are not requested are inflated only as far as their names.

use std::borrow::Cow;

use flate2::{Decompress, FlushDecompress};

use super::{
    CORRUPT, Element, HEADER, Head, MatError, NOT_A_VARIABLE, Order, Reader, byte_order,
    in_compressed, inflate, kind, matrix, number, width,
};
use crate::budget::{Budget, VALUE};
use crate::error::{Fault, Place};
use crate::file::{DEFLATE, MAX_INFLATED};
use crate::grid::{Cell, Grid};
use crate::table::{Arrays, TableOptions};

/// The bytes from which the name of a compressed variable is read.
const BEGINNING: usize = 1 << 16;

/// The variables of a file in memory.
pub(crate) struct MatArchive<'a> {
    variables: Vec<Entry<'a>>,
    budget: Budget,
    /// Bytes of the file and of the variables that were read.
    held: u64,
}

struct Entry<'a> {
    head: Head,
    data: Reader<'a>,
    /// The position and the inflated length of a compressed variable.
    compressed: Option<(usize, usize)>,
}

impl<'a> MatArchive<'a> {
    /// Reads the names of the variables.
    pub fn open(bytes: &'a [u8], options: &TableOptions) -> Result<Self, Fault> {
        let mut reader = Reader { bytes, at: HEADER, order: byte_order(bytes)? };
        let mut variables = Vec::new();
        while !reader.is_done() {
            let at = reader.at;
            let Element { kind, data } = reader.element()?;
            match kind {
                kind::MATRIX => variables.push(Entry::plain(data)?),
                kind::COMPRESSED => variables.push(Entry::compressed(data, at)?),
                _ => {}
            }
        }
        let budget = Budget::new(options.memory);
        Ok(MatArchive { variables, budget, held: bytes.len() as u64 })
    }

    /// The variable with this name; the last one if there are several, as in MATLAB.
    fn get(&self, name: &str) -> Option<&Entry<'a>> {
        self.variables.iter().rfind(|entry| entry.head.name == name)
    }
}

impl<'a> Arrays<'a> for MatArchive<'a> {
    fn names(&self) -> Vec<String> {
        self.variables.iter().map(|entry| entry.head.name.clone()).collect()
    }

    fn array(&mut self, name: &str) -> Result<Box<dyn Grid + 'a>, Fault> {
        let unread = |holds: &str| Fault::Unread { name: name.into(), holds: holds.into() };
        let entry = self.get(name).ok_or_else(|| unread("nothing"))?;
        if let Some(holds) = entry.head.holds {
            return Err(unread(holds));
        }
        let [rows, columns] = entry.head.shape[..] else {
            let (array, shape) = (Some(name.into()), entry.head.shape.clone());
            return Err(Fault::Shape { array, shape, expected: "two dimensions" });
        };
        let inflated = entry.compressed.map_or(0, |(_, length)| length as u64);
        let count = entry.head.count().unwrap_or(usize::MAX) as u64;
        self.budget.require(self.held, inflated.saturating_add(count.saturating_mul(VALUE)))?;
        let stored = entry.stored()?;
        self.held += inflated;
        Ok(Box::new(StoredArray { name: name.into(), rows, columns, stored }))
    }

    fn is_read(&self, name: &str) -> bool {
        self.get(name).is_some_and(|entry| entry.head.holds.is_none())
    }

    fn only_is_pool(&self) -> bool {
        false
    }
}

impl<'a> Entry<'a> {
    fn plain(data: Reader<'a>) -> Result<Self, MatError> {
        let head = Head::read(&mut data.clone())?;
        Ok(Entry { head, data, compressed: None })
    }

    fn compressed(data: Reader<'a>, at: usize) -> Result<Self, MatError> {
        let bytes = beginning(&data)?;
        let (head, length) = in_compressed(at, || {
            let mut reader = Reader { bytes: &bytes, at: 0, order: data.order };
            if reader.u32()? != kind::MATRIX {
                return Err(reader.damaged(NOT_A_VARIABLE));
            }
            let length = (reader.u32()? as usize).saturating_add(reader.at);
            Ok((Head::read(&mut reader)?, length))
        })?;
        if length > data.rest().len().saturating_mul(DEFLATE).min(MAX_INFLATED) {
            return Err(MatError::TooLarge { at, limit: MAX_INFLATED });
        }
        Ok(Entry { head, data, compressed: Some((at, length)) })
    }

    /// The values as they are stored.
    fn stored(&self) -> Result<Stored<'a>, MatError> {
        let Some((at, length)) = self.compressed else {
            let Element { kind, data } = values(self.data.clone())?;
            return Ok(Stored { kind, order: data.order, bytes: Cow::Borrowed(data.rest()) });
        };
        let mut all = inflate(&self.data, length)?;
        let (kind, range) = in_compressed(at, || {
            let Element { kind, data } = values(matrix(&all, self.data.order)?)?;
            Ok((kind, data.at..data.bytes.len()))
        })?;
        all.truncate(range.end);
        all.drain(..range.start);
        Ok(Stored { kind, order: self.data.order, bytes: Cow::Owned(all) })
    }
}

/// The element of the values.
fn values(mut reader: Reader<'_>) -> Result<Element<'_>, MatError> {
    let head = Head::read(&mut reader)?;
    let Some(count) = head.count() else {
        return Err(MatError::TooLarge { at: reader.at, limit: MAX_INFLATED });
    };
    reader.numbers(count)
}

/// The first bytes of a compressed variable.
fn beginning(data: &Reader<'_>) -> Result<Vec<u8>, MatError> {
    let mut stream = Decompress::new(true);
    let mut out = Vec::with_capacity(BEGINNING.min(data.rest().len().saturating_mul(DEFLATE)));
    stream
        .decompress_vec(data.rest(), &mut out, FlushDecompress::None)
        .map_err(|_| data.damaged(CORRUPT))?;
    Ok(out)
}

/// Numbers of one type.
struct Stored<'a> {
    kind: u32,
    order: Order,
    bytes: Cow<'a, [u8]>,
}

/// A matrix and its name.
struct StoredArray<'a> {
    name: String,
    rows: usize,
    columns: usize,
    stored: Stored<'a>,
}

impl Grid for StoredArray<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.stored.cell(column * self.rows + row)
    }

    fn place(&self, row: usize, column: usize) -> Place {
        Place::Cell { array: Some(self.name.clone()), row: row + 1, column: column + 1 }
    }
}

impl Stored<'_> {
    fn cell(&self, at: usize) -> Cell<'_> {
        let width = width(self.kind).unwrap_or(1);
        let bytes = &self.bytes[at * width..][..width];
        if matches!(self.kind, kind::I64 | kind::U64) {
            return Cell::Whole(self.whole(bytes));
        }
        Cell::Real(number(self.kind, bytes, self.order))
    }

    /// A whole number of eight bytes, which a double may not represent.
    fn whole(&self, bytes: &[u8]) -> i128 {
        let add = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        let bits = match self.order {
            Order::Big => bytes.iter().fold(0, add),
            Order::Little => bytes.iter().rev().fold(0, add),
        };
        if self.kind == kind::I64 { (bits as i64).into() } else { bits.into() }
    }
}
