//! NumPy arrays, `.npy`, of versions 1 to 3.
//!
//! This is a separate reader because the available one is not safe for untrusted files: `npyz`
//! 0.9 panics on a shape whose product overflows, allocates the declared length of the header
//! (up to 4 GB), and ignores bytes after the values. Only a small part of the format is needed:
//! a dictionary with three keys, and numbers of a fixed width.
//!
//! Values are kept as the bytes of the file and decoded on access, so an array takes no more
//! memory than its file.
//!
//! Reference: NumPy, *NEP 1: A simple file format for NumPy arrays*.

use std::borrow::Cow;

use crate::error::{Fault, NpyError, Place};
use crate::grid::{Cell, Grid};
use crate::marks::MissingMarks;

type Result<T> = std::result::Result<T, NpyError>;

/// The first bytes of every file.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
/// The longest accepted header, including the bytes before it. NumPy itself refuses more than
/// 10,000 bytes.
pub(crate) const LONGEST_HEADER: usize = 1 << 16;

/// The kind of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// UTF-32, padded with zeros.
    Unicode,
    /// Bytes, padded with zeros; interpreted as UTF-8.
    Bytes,
}

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dtype {
    pub kind: Kind,
    /// Bytes per value.
    pub width: usize,
    big_endian: bool,
}

/// Everything before the values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Header {
    pub dtype: Dtype,
    /// Whether the first index varies fastest.
    pub fortran: bool,
    pub shape: Vec<usize>,
    /// The position of the first value.
    pub start: usize,
}

impl Header {
    /// Reads the header at the beginning of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(NpyError::NotNpy)?;
        let (length, before) = match *rest {
            [1, 0, a, b, ..] => (usize::from(u16::from_le_bytes([a, b])), 10),
            [2 | 3, 0, a, b, c, d, ..] => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
            [1..=3, 0, ..] => return Err(NpyError::Header { what: "it ends too early" }),
            [major, minor, ..] => return Err(NpyError::Version { major, minor }),
            _ => return Err(NpyError::Header { what: "it ends too early" }),
        };
        if length > LONGEST_HEADER - before {
            return Err(NpyError::Header { what: "it is longer than 64 KiB" });
        }
        let start = before + length;
        let text =
            bytes.get(before..start).ok_or(NpyError::Header { what: "it ends too early" })?;
        let text =
            std::str::from_utf8(text).map_err(|_| NpyError::Header { what: "it is not text" })?;
        Dictionary { rest: text }.header(start)
    }

    /// Checks that the shape needs exactly `found` bytes of values.
    pub fn check_size(&self, found: u64) -> Result<()> {
        let needed = self
            .shape
            .iter()
            .try_fold(self.dtype.width as u64, |bytes, &n| bytes.checked_mul(n as u64));
        if needed == Some(found) {
            return Ok(());
        }
        let needed = needed.unwrap_or(u64::MAX);
        Err(NpyError::Size { shape: self.shape.clone(), needed, found })
    }
}

/// The part of the Python dictionary of a header that has not been read yet.
struct Dictionary<'a> {
    rest: &'a str,
}

impl<'a> Dictionary<'a> {
    fn header(mut self, start: usize) -> Result<Header> {
        let (mut dtype, mut fortran, mut shape) = (None, None, None);
        self.expect('{', "it is not a dictionary")?;
        while !self.accept('}') {
            let key = self.string()?;
            self.expect(':', "a key has no value")?;
            match key {
                "descr" => dtype = Some(self.dtype()?),
                "fortran_order" => fortran = Some(self.boolean()?),
                "shape" => shape = Some(self.shape()?),
                _ => return Err(NpyError::Header { what: "it has an unknown key" }),
            }
            if !self.accept(',') {
                self.expect('}', "the dictionary is not closed")?;
                break;
            }
        }
        match (dtype, fortran, shape, self.rest.trim()) {
            (Some(dtype), Some(fortran), Some(shape), "") => {
                Ok(Header { dtype, fortran, shape, start })
            }
            (Some(_), Some(_), Some(_), _) => {
                Err(NpyError::Header { what: "something follows the dictionary" })
            }
            _ => Err(NpyError::Header { what: "descr, fortran_order or shape is missing" }),
        }
    }

    /// Skips the character if it comes next.
    fn accept(&mut self, character: char) -> bool {
        let rest = self.rest.trim_start();
        match rest.strip_prefix(character) {
            Some(after) => {
                self.rest = after;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, character: char, what: &'static str) -> Result<()> {
        if self.accept(character) { Ok(()) } else { Err(NpyError::Header { what }) }
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = if self.accept('\'') { '\'' } else { '"' };
        if quote == '"' {
            self.expect('"', "text is not quoted")?;
        }
        let what = "a string is not closed";
        let (text, after) = self.rest.split_once(quote).ok_or(NpyError::Header { what })?;
        self.rest = after;
        Ok(text)
    }

    /// The letters and digits that come next.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        self.rest = after;
        word
    }

    fn boolean(&mut self) -> Result<bool> {
        match self.word() {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => Err(NpyError::Header { what: "fortran_order is neither True nor False" }),
        }
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        let what = "the shape is not a tuple of lengths";
        let mut shape = Vec::new();
        self.expect('(', what)?;
        while !self.accept(')') {
            // Python 2 wrote long numbers with an L.
            let digits = self.word().trim_end_matches('L');
            shape.push(digits.parse().map_err(|_| NpyError::Header { what })?);
            if !self.accept(',') {
                self.expect(')', what)?;
                break;
            }
        }
        Ok(shape)
    }

    fn dtype(&mut self) -> Result<Dtype> {
        if self.rest.trim_start().starts_with('[') {
            return Err(unread("records", "save one plain array"));
        }
        dtype(self.string()?)
    }
}

fn unread(dtype: &str, advice: &'static str) -> NpyError {
    NpyError::Dtype { dtype: crate::error::shown(dtype), advice }
}

/// Reads a type such as `<i4`: byte order, letter, number of bytes or characters.
fn dtype(text: &str) -> Result<Dtype> {
    const ADVICE: &str = "convert them with astype to integers, floats or str";
    let (order, rest) = match text.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &text[1..]),
        _ => ('|', text),
    };
    let letter = rest.chars().next().unwrap_or(' ');
    let count: usize = rest[letter.len_utf8().min(rest.len())..].parse().unwrap_or(0);
    let (kind, width) = match (letter, count) {
        ('b', 1) => (Kind::Bool, 1),
        ('i', 1 | 2 | 4 | 8) => (Kind::Signed, count),
        ('u', 1 | 2 | 4 | 8) => (Kind::Unsigned, count),
        ('f', 2 | 4 | 8) => (Kind::Float, count),
        ('U', 1..=LONGEST_TEXT) => (Kind::Unicode, 4 * count),
        ('S' | 'a', 1..=LONGEST_TEXT) => (Kind::Bytes, count),
        ('O', _) => return Err(unread("object (pickled)", ADVICE)),
        _ => return Err(unread(text, ADVICE)),
    };
    let big_endian = order == '>' || (order == '=' && cfg!(target_endian = "big"));
    Ok(Dtype { kind, width, big_endian })
}

/// The maximum number of characters in a text value.
const LONGEST_TEXT: usize = 1 << 20;

impl Dtype {
    /// Decodes a value; `bytes` has the width of one value.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Cell<'a> {
        match self.kind {
            Kind::Bool => Cell::Whole((bytes != [0]).into()),
            Kind::Unsigned => Cell::Whole(self.bits(bytes).into()),
            Kind::Signed => {
                // Shifting left and right again extends the sign into the upper bits.
                let unused = 64 - 8 * self.width;
                Cell::Whole((((self.bits(bytes) << unused) as i64) >> unused).into())
            }
            Kind::Float => Cell::Real(self.float(bytes)),
            Kind::Unicode => text_cell(
                bytes.chunks_exact(4).map(|c| self.character(c).unwrap_or('\u{fffd}')).collect(),
            ),
            Kind::Bytes => text_cell(String::from_utf8_lossy(bytes)),
        }
    }

    /// A whole number of up to 16 bits, stored in four little-endian bytes, as most labels are. The
    /// value may also be such a number if this is `None`.
    #[inline]
    pub fn small(&self, bytes: &[u8]) -> Option<u16> {
        let is_integer = matches!(self.kind, Kind::Signed | Kind::Unsigned);
        match *bytes {
            [a, b, 0, 0] if is_integer && !self.big_endian => Some(u16::from_le_bytes([a, b])),
            _ => None,
        }
    }

    /// A float of any width.
    pub fn float(&self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        match self.width {
            2 => half(bits as u16),
            4 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }

    /// Combines up to eight bytes into one number.
    fn bits(&self, bytes: &[u8]) -> u64 {
        let add = |bits: u64, &byte: &u8| bits << 8 | u64::from(byte);
        if self.big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    fn character(&self, bytes: &[u8]) -> Option<char> {
        char::from_u32(self.bits(bytes) as u32)
    }

    /// Whether these bytes are valid Unicode, if the values are text.
    fn is_sound(&self, bytes: &[u8]) -> bool {
        match self.kind {
            Kind::Unicode => bytes.chunks_exact(4).all(|c| self.character(c).is_some()),
            Kind::Bytes => std::str::from_utf8(bytes).is_ok(),
            _ => true,
        }
    }
}

/// Text without surrounding zeros and spaces.
fn text_cell(text: Cow<'_, str>) -> Cell<'_> {
    fn inner(text: &str) -> &str {
        text.trim_end_matches('\0').trim()
    }
    match text {
        Cow::Borrowed(text) => Cell::Text(inner(text).into()),
        Cow::Owned(text) => Cell::Text(Cow::Owned(inner(&text).into())),
    }
}

/// Decodes a half-precision number: 1 sign bit, 5 exponent bits, 10 fraction bits.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2_f64.powi(i32::from(exponent) - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// A NumPy array of one or two dimensions; a vector is a single column.
#[derive(Clone, Debug)]
pub(crate) struct NpyArray<'a> {
    header: Header,
    bytes: Cow<'a, [u8]>,
    name: Option<String>,
    marks: MissingMarks,
    rows: usize,
    columns: usize,
}

impl<'a> NpyArray<'a> {
    /// Reads a whole file, whose name within an archive is `name`.
    pub fn parse(
        bytes: Cow<'a, [u8]>,
        name: Option<String>,
        marks: &MissingMarks,
    ) -> std::result::Result<Self, Fault> {
        match Self::sound(bytes, name.clone(), marks.clone()) {
            Ok(array) => array,
            Err(error) => Err(match name {
                Some(name) => Fault::InArray { name, error },
                None => error.into(),
            }),
        }
    }

    /// The outer error is about the bytes, the inner one about the shape.
    fn sound(
        bytes: Cow<'a, [u8]>,
        name: Option<String>,
        marks: MissingMarks,
    ) -> Result<std::result::Result<Self, Fault>> {
        let header = Header::parse(&bytes)?;
        header.check_size((bytes.len() - header.start) as u64)?;
        let (rows, columns) = match header.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => {
                let expected = "one or two dimensions";
                return Ok(Err(Fault::Shape { array: name, shape: header.shape, expected }));
            }
        };
        let array = NpyArray { header, bytes, name, marks, rows, columns };
        array.check_text()?;
        Ok(Ok(array))
    }

    fn check_text(&self) -> Result<()> {
        let Dtype { kind, width, .. } = self.header.dtype;
        if !matches!(kind, Kind::Unicode | Kind::Bytes) {
            return Ok(());
        }
        let mut values = self.bytes[self.header.start..].chunks_exact(width);
        match values.position(|value| !self.header.dtype.is_sound(value)) {
            None => Ok(()),
            Some(at) if self.header.fortran => {
                Err(NpyError::NotText { row: at % self.rows + 1, column: at / self.rows + 1 })
            }
            Some(at) => {
                Err(NpyError::NotText { row: at / self.columns + 1, column: at % self.columns + 1 })
            }
        }
    }
}

impl Grid for NpyArray<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn columns(&self) -> usize {
        self.columns
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let at = if self.header.fortran {
            column * self.rows + row
        } else {
            row * self.columns + column
        };
        let Dtype { width, .. } = self.header.dtype;
        match self.header.dtype.decode(&self.bytes[self.header.start + at * width..][..width]) {
            Cell::Text(text) if self.marks.contains(&text) => Cell::Missing,
            cell => cell,
        }
    }

    fn place(&self, row: usize, column: usize) -> Place {
        Place::Cell { array: self.name.clone(), row: row + 1, column: column + 1 }
    }
}
