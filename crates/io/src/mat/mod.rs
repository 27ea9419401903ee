//! MATLAB files of versions 5 to 7.
//!
//! This is a separate reader because the available ones are not safe for untrusted files:
//! `matfile` 0.5 silently drops the missing part of a truncated file, refuses negative 32-bit
//! integers and panics on some damaged dimensions; `matrw` 0.1 panics on truncated files and
//! refuses files that SciPy wrote. Only a small part of the format is needed: a header,
//! elements made of a tag and data, and numeric arrays made of four elements.
//!
//! Every length is checked against the available bytes before memory is allocated, and
//! compressed variables must end with a valid checksum.
//!
//! Reference: MathWorks, *MAT-File Format*.

mod archive;

use std::path::Path;

use flate2::{Decompress, FlushDecompress, Status};

use crate::budget::Budget;
use crate::error::{Fault, MatError, Place, ReadError};
use crate::file::{self, MAX_INFLATED};
use crate::grid::{Cell, Grid};
use crate::table::Arrays;

pub(crate) use archive::MatArchive;

type Result<T> = std::result::Result<T, MatError>;

/// Length of the header, with the version and the byte order at its end.
const HEADER: usize = 128;
/// The maximum number of values in an array.
const MAX_VALUES: usize = MAX_INFLATED / size_of::<f64>();
/// Doubles represent all whole numbers below 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Types of elements.
mod kind {
    pub const I8: u32 = 1;
    pub const U8: u32 = 2;
    pub const I16: u32 = 3;
    pub const U16: u32 = 4;
    pub const I32: u32 = 5;
    pub const U32: u32 = 6;
    pub const F32: u32 = 7;
    pub const F64: u32 = 9;
    pub const I64: u32 = 12;
    pub const U64: u32 = 13;
    pub const MATRIX: u32 = 14;
    pub const COMPRESSED: u32 = 15;
    pub const UTF8: u32 = 16;
}

/// Reads the variables of a MATLAB file, versions 5 to 7.
///
/// # Errors
/// [`ReadError`] if the file cannot be read or is not a valid MATLAB file of these versions.
pub fn read_mat(path: impl AsRef<Path>) -> std::result::Result<MatFile, ReadError> {
    let path = path.as_ref();
    file::load(path, Budget::default())
        .and_then(|bytes| Ok(MatFile::parse(&bytes)?))
        .map_err(|fault| ReadError::new(path, fault))
}

/// Whether these bytes begin like a MATLAB file, including version 7.3.
pub(crate) fn is_mat(bytes: &[u8]) -> bool {
    byte_order(bytes) != Err(MatError::NotMat)
}

/// The variables of a MATLAB file.
///
/// ```no_run
/// use enclust_io::read_mat;
///
/// let file = read_mat("results.mat")?;
/// println!("{:?}", file.names().collect::<Vec<_>>());
/// if let Some(array) = file.array("members") {
///     println!("{:?}", array.shape());
/// }
/// # Ok::<(), enclust_io::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MatFile {
    variables: Vec<(String, Variable)>,
}

/// A variable of a MATLAB file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Variable {
    /// A full real array of numbers or Booleans.
    Array(Array),
    /// Anything else, with a description of the content.
    Unread(&'static str),
}

/// A numeric array; all numeric types are converted to doubles.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

impl Array {
    /// Length of each dimension, at least two.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The values in column-major order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

impl MatFile {
    /// Reads the bytes of a file, in either byte order.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let order = byte_order(bytes)?;
        let mut reader = Reader { bytes, at: HEADER, order };
        let mut variables = Vec::new();
        while !reader.is_done() {
            let at = reader.at;
            let mut element = reader.element()?;
            match element.kind {
                kind::MATRIX => variables.push(variable(&mut element.data)?),
                kind::COMPRESSED => variables.push(compressed_variable(&element.data, at)?),
                _ => {}
            }
        }
        Ok(MatFile { variables })
    }

    /// Names of all variables, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }

    /// The variable with this name; the last one if there are several, as in MATLAB.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().rfind(|(own, _)| own == name).map(|(_, variable)| variable)
    }

    /// The numeric array with this name.
    pub fn array(&self, name: &str) -> Option<&Array> {
        match self.get(name) {
            Some(Variable::Array(array)) => Some(array),
            _ => None,
        }
    }
}

impl<'m> Arrays<'m> for &'m MatFile {
    fn names(&self) -> Vec<String> {
        MatFile::names(self).map(String::from).collect()
    }

    fn array(&mut self, name: &str) -> std::result::Result<Box<dyn Grid + 'm>, Fault> {
        let unread = |holds: &str| Fault::Unread { name: name.into(), holds: holds.into() };
        match self.get(name) {
            Some(Variable::Array(array)) => match array.shape[..] {
                [rows, columns] => {
                    Ok(Box::new(NamedArray { name: name.into(), array, rows, columns }))
                }
                _ => Err(Fault::Shape {
                    array: Some(name.into()),
                    shape: array.shape.clone(),
                    expected: "two dimensions",
                }),
            },
            Some(Variable::Unread(holds)) => Err(unread(holds)),
            None => Err(unread("nothing")),
        }
    }

    fn is_read(&self, name: &str) -> bool {
        MatFile::array(self, name).is_some()
    }

    fn only_is_pool(&self) -> bool {
        false
    }
}

/// A matrix and its name.
struct NamedArray<'m> {
    name: String,
    array: &'m Array,
    rows: usize,
    columns: usize,
}

impl Grid for NamedArray<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        Cell::Real(self.array.values[column * self.rows + row])
    }

    fn place(&self, row: usize, column: usize) -> Place {
        Place::Cell { array: Some(self.name.clone()), row: row + 1, column: column + 1 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Little,
    Big,
}

/// Checks the header and reads the byte order at its end.
fn byte_order(bytes: &[u8]) -> Result<Order> {
    if bytes.starts_with(b"\x89HDF\r\n\x1a\n") {
        return Err(MatError::Hdf5);
    }
    match bytes.get(HEADER - 4..HEADER) {
        Some([0, 1, b'I', b'M']) => Ok(Order::Little),
        Some([1, 0, b'M', b'I']) => Ok(Order::Big),
        Some([0, 2, b'I', b'M'] | [2, 0, b'M', b'I']) => Err(MatError::Hdf5),
        _ => Err(MatError::NotMat),
    }
}

/// A tag's type and the data that follow it.
struct Element<'a> {
    kind: u32,
    data: Reader<'a>,
}

/// Bytes up to the end of an element, and the current position.
#[derive(Clone)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
}

impl<'a> Reader<'a> {
    fn is_done(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn damaged(&self, what: &'static str) -> MatError {
        MatError::Damaged { at: self.at, what }
    }

    /// The next `needed` bytes as a separate reader; positions still refer to the whole file.
    fn take(&mut self, needed: usize) -> Result<Reader<'a>> {
        let left = self.bytes.len() - self.at;
        if needed > left {
            return Err(MatError::Truncated { at: self.at, needed, left });
        }
        let end = self.at + needed;
        let taken = Reader { bytes: &self.bytes[..end], at: self.at, order: self.order };
        self.at = end;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32> {
        let word = self.take(4)?;
        let bytes = word.rest().try_into().map_err(|_| word.damaged("not a 32-bit word"))?;
        Ok(match self.order {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        })
    }

    /// The next element. Up to four bytes of data may be packed into the tag, with their number
    /// in the bits above the type.
    fn element(&mut self) -> Result<Element<'a>> {
        let tag = self.u32()?;
        let (kind, packed) = (tag & 0xffff, (tag >> 16) as usize);
        if packed == 0 {
            let size = self.u32()? as usize;
            return Ok(Element { kind, data: self.take(size)? });
        }
        let mut data = self.take(4)?;
        if packed > 4 {
            return Err(data.damaged("more than four bytes in a small element"));
        }
        Ok(Element { kind, data: data.take(packed)? })
    }

    /// The next element within a variable, where elements begin at multiples of
    /// eight bytes.
    fn part(&mut self) -> Result<Element<'a>> {
        let start = self.at;
        let element = self.element()?;
        let padding = (self.at - start).next_multiple_of(8) - (self.at - start);
        self.at += padding.min(self.bytes.len() - self.at);
        Ok(element)
    }

    /// The class of an array and whether it is complex.
    fn flags(&mut self) -> Result<(u8, bool)> {
        let mut flags = self.part()?.data;
        let word = flags.u32()?;
        Ok((word as u8, word & 0x0800 != 0))
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        let Element { kind, mut data } = self.part()?;
        if kind != kind::I32 {
            return Err(data.damaged("dimensions are not 32-bit integers"));
        }
        let mut shape = Vec::new();
        while !data.is_done() {
            let length = data.u32()?;
            if length > i32::MAX as u32 {
                return Err(data.damaged("a dimension is negative"));
            }
            shape.push(length as usize);
        }
        if shape.len() < 2 {
            return Err(data.damaged("fewer than two dimensions"));
        }
        Ok(shape)
    }

    fn name(&mut self) -> Result<String> {
        let Element { kind, data } = self.part()?;
        if !matches!(kind, kind::I8 | kind::U8 | kind::UTF8) {
            return Err(data.damaged("the name of a variable is not text"));
        }
        String::from_utf8(data.rest().to_vec())
            .map_err(|_| data.damaged("the name of a variable is not UTF-8"))
    }

    /// The element of `count` numbers.
    fn numbers(&mut self, count: usize) -> Result<Element<'a>> {
        let Element { kind, data } = self.part()?;
        let width = width(kind).ok_or_else(|| data.damaged("the values are not numbers"))?;
        if Some(data.rest().len()) != count.checked_mul(width) {
            return Err(data.damaged("the number of values does not fit the dimensions"));
        }
        Ok(Element { kind, data })
    }

    /// Numbers of any type, because MATLAB stores whole doubles as small integers; `None` if
    /// doubles cannot represent them exactly.
    fn values(&mut self, count: usize) -> Result<Option<Vec<f64>>> {
        let Element { kind, data } = self.numbers(count)?;
        let value = |bytes| number(kind, bytes, self.order);
        let values: Vec<f64> =
            data.rest().chunks_exact(width(kind).unwrap_or(1)).map(value).collect();
        let exact =
            !matches!(kind, kind::I64 | kind::U64) || values.iter().all(|x| x.abs() < EXACT);
        Ok(exact.then_some(values))
    }
}

/// What precedes the values of a variable.
struct Head {
    name: String,
    /// Empty if the variable has no dimensions.
    shape: Vec<usize>,
    /// What it contains, if that is not a full real array.
    holds: Option<&'static str>,
}

impl Head {
    /// Reads flags, dimensions and name.
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let (class, complex) = reader.flags()?;
        if class == OPAQUE {
            let (name, holds) = (reader.name()?, Some("an object"));
            return Ok(Head { name, shape: Vec::new(), holds });
        }
        let shape = reader.shape()?;
        Ok(Head { name: reader.name()?, shape, holds: unread(class, complex) })
    }

    fn count(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length))
    }
}

/// Reads a variable: flags, dimensions, name, values.
fn variable(reader: &mut Reader<'_>) -> Result<(String, Variable)> {
    let start = reader.at;
    let head = Head::read(reader)?;
    if let Some(holds) = head.holds {
        return Ok((head.name, Variable::Unread(holds)));
    }
    let Some(count) = head.count().filter(|&count| count <= MAX_VALUES) else {
        return Err(MatError::TooLarge { at: start, limit: MAX_INFLATED });
    };
    Ok(match reader.values(count)? {
        Some(values) => (head.name, Variable::Array(Array { shape: head.shape, values })),
        None => (head.name, Variable::Unread("integers of 2^53 or more")),
    })
}

/// A class whose variables have no dimensions.
const OPAQUE: u8 = 17;

/// The description of a variable that is not a full real array.
fn unread(class: u8, complex: bool) -> Option<&'static str> {
    match class {
        1 => Some("a cell array"),
        2 => Some("a structure"),
        3 => Some("an object"),
        4 => Some("text"),
        5 => Some("a sparse matrix"),
        6..=15 if complex => Some("complex numbers"),
        6..=15 => None,
        16 => Some("a function"),
        _ => Some("an array of an unknown class"),
    }
}

/// Inflates a variable and reads it.
fn compressed_variable(data: &Reader<'_>, at: usize) -> Result<(String, Variable)> {
    let bytes = inflate(data, MAX_INFLATED)?;
    in_compressed(at, || variable(&mut matrix(&bytes, data.order)?))
}

/// Adds the position of a compressed variable to errors.
fn in_compressed<T>(at: usize, read: impl FnOnce() -> Result<T>) -> Result<T> {
    read().map_err(|error| MatError::Compressed { at, error: Box::new(error) })
}

/// The content of the only element of a compressed variable.
fn matrix(bytes: &[u8], order: Order) -> Result<Reader<'_>> {
    let mut reader = Reader { bytes, at: 0, order };
    let Element { kind, data } = reader.element()?;
    if kind == kind::MATRIX { Ok(data) } else { Err(reader.damaged(NOT_A_VARIABLE)) }
}

const NOT_A_VARIABLE: &str = "a compressed element is not a variable";

/// Inflates a whole zlib stream of at most `most` bytes. The checksum must match and the stream
/// must end with the data.
fn inflate(data: &Reader<'_>, most: usize) -> Result<Vec<u8>> {
    let input = data.rest();
    let mut stream = Decompress::new(true);
    let mut out = Vec::new();
    loop {
        // Grows with the actual output, never with a declared size.
        out.reserve_exact(out.len().max(1 << 12).min(most.saturating_sub(out.len())).max(1));
        let read = stream.total_in() as usize;
        let written = out.len();
        let status = stream
            .decompress_vec(&input[read..], &mut out, FlushDecompress::None)
            .map_err(|_| data.damaged(CORRUPT))?;
        if out.len() > most {
            return Err(MatError::TooLarge { at: data.at, limit: most });
        }
        let total = stream.total_in() as usize;
        match status {
            Status::StreamEnd if total == input.len() => return Ok(out),
            Status::StreamEnd => return Err(data.damaged("bytes follow the compressed data")),
            _ if total == read && out.len() == written => {
                return Err(data.damaged("the compressed data are incomplete"));
            }
            _ => {}
        }
    }
}

const CORRUPT: &str = "the compressed data are corrupt";

/// Width of a number of this type in bytes.
fn width(kind: u32) -> Option<usize> {
    match kind {
        kind::I8 | kind::U8 => Some(1),
        kind::I16 | kind::U16 => Some(2),
        kind::I32 | kind::U32 | kind::F32 => Some(4),
        kind::F64 | kind::I64 | kind::U64 => Some(8),
        _ => None,
    }
}

/// Decodes a number from as many bytes as its type has.
fn number(kind: u32, bytes: &[u8], order: Order) -> f64 {
    match kind {
        kind::I8 => decode(bytes, order, |b| i8::from_le_bytes(b).into()),
        kind::U8 => decode(bytes, order, |b| u8::from_le_bytes(b).into()),
        kind::I16 => decode(bytes, order, |b| i16::from_le_bytes(b).into()),
        kind::U16 => decode(bytes, order, |b| u16::from_le_bytes(b).into()),
        kind::I32 => decode(bytes, order, |b| i32::from_le_bytes(b).into()),
        kind::U32 => decode(bytes, order, |b| u32::from_le_bytes(b).into()),
        kind::F32 => decode(bytes, order, |b| f32::from_le_bytes(b).into()),
        kind::I64 => decode(bytes, order, |b| i64::from_le_bytes(b) as f64),
        kind::U64 => decode(bytes, order, |b| u64::from_le_bytes(b) as f64),
        _ => decode(bytes, order, f64::from_le_bytes),
    }
}

/// Decodes N bytes with a function that reads them in little-endian order.
fn decode<const N: usize>(bytes: &[u8], order: Order, read: fn([u8; N]) -> f64) -> f64 {
    let Some(&(mut bytes)) = bytes.first_chunk::<N>() else { return f64::NAN };
    if order == Order::Big {
        bytes.reverse();
    }
    read(bytes)
}
