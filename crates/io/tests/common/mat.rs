//! Assembles MATLAB files byte by byte.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Little,
    Big,
}
pub use Order::{Big, Little};

/// The bytes of a number, given in little-endian order.
pub fn ordered(order: Order, little: &[u8]) -> Vec<u8> {
    let mut bytes = little.to_vec();
    if order == Big {
        bytes.reverse();
    }
    bytes
}

pub fn word(order: Order, value: u32) -> Vec<u8> {
    ordered(order, &value.to_le_bytes())
}

/// A tag and its data, padded to eight bytes; up to four bytes are packed into
/// the tag, as MATLAB does.
pub fn element(order: Order, kind: u32, data: &[u8]) -> Vec<u8> {
    let size = data.len() as u32;
    let mut bytes = if (1..=4).contains(&size) {
        word(order, size << 16 | kind)
    } else {
        [word(order, kind), word(order, size)].concat()
    };
    bytes.extend_from_slice(data);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// How numbers are stored: the type of the elements, and a function that writes one.
pub struct Stored {
    pub kind: u32,
    pub write: fn(f64) -> Vec<u8>,
}

pub const STORED: [Stored; 10] = [
    Stored { kind: 1, write: |x| (x as i8).to_le_bytes().to_vec() },
    Stored { kind: 2, write: |x| (x as u8).to_le_bytes().to_vec() },
    Stored { kind: 3, write: |x| (x as i16).to_le_bytes().to_vec() },
    Stored { kind: 4, write: |x| (x as u16).to_le_bytes().to_vec() },
    Stored { kind: 5, write: |x| (x as i32).to_le_bytes().to_vec() },
    Stored { kind: 6, write: |x| (x as u32).to_le_bytes().to_vec() },
    Stored { kind: 7, write: |x| (x as f32).to_le_bytes().to_vec() },
    Stored { kind: 9, write: |x| x.to_le_bytes().to_vec() },
    Stored { kind: 12, write: |x| (x as i64).to_le_bytes().to_vec() },
    Stored { kind: 13, write: |x| (x as u64).to_le_bytes().to_vec() },
];
pub const DOUBLE: &Stored = &STORED[7];

/// A variable whose values are given as bytes.
pub fn raw_variable(order: Order, flags: u32, shape: &[u32], name: &str, values: &[u8]) -> Vec<u8> {
    let dimensions: Vec<u8> = shape.iter().flat_map(|&length| word(order, length)).collect();
    let parts = [
        element(order, 6, &[word(order, flags), word(order, 0)].concat()),
        element(order, 5, &dimensions),
        element(order, 1, name.as_bytes()),
        values.to_vec(),
    ]
    .concat();
    [word(order, 14), word(order, parts.len() as u32), parts].concat()
}

/// An array of class double.
pub fn array(order: Order, stored: &Stored, shape: &[u32], name: &str, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|&x| ordered(order, &(stored.write)(x))).collect();
    raw_variable(order, 6, shape, name, &element(order, stored.kind, &data))
}

pub fn doubles(shape: &[u32], name: &str, values: &[f64]) -> Vec<u8> {
    array(Little, DOUBLE, shape, name, values)
}

pub fn compressed(order: Order, variable: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(variable).unwrap();
    let data = encoder.finish().unwrap();
    [word(order, 15), word(order, data.len() as u32), data].concat()
}

pub fn file(order: Order, variables: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"MATLAB 5.0 MAT-file, made by a test".to_vec();
    bytes.resize(124, b' ');
    bytes.extend(ordered(order, &[0, 1]));
    bytes.extend(if order == Little { b"IM" } else { b"MI" });
    bytes.extend(variables.concat());
    bytes
}

/// A pool of three samples and two clusterings, in one byte order, with or
/// without compression.
pub fn small_pool(order: Order, packed: bool) -> Vec<u8> {
    let variables = [
        array(order, &STORED[1], &[3, 2], "members", &[1.0, 1.0, 9.0, 4.0, 5.0, 5.0]),
        array(order, DOUBLE, &[3, 1], "gt", &[2.0, 2.0, 7.0]),
    ];
    if packed {
        file(order, &variables.map(|v| compressed(order, &v)))
    } else {
        file(order, &variables)
    }
}
