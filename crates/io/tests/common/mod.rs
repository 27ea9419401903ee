//! Helpers shared by several tests.
#![allow(dead_code)]

pub mod accepted;
pub mod mat;
#[cfg(feature = "parquet")]
pub mod parquet;

use std::io::{Cursor, Write};

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

/// A NumPy file of version 1 with these entries in its header.
pub fn npy(descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    npy_with(
        &format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n"),
        values,
    )
}

/// A NumPy file of version 1 with this header.
pub fn npy_with(header: &str, values: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), values].concat()
}

/// The bytes of numbers in little-endian order.
pub fn bytes_of<const N: usize, T: Copy>(values: &[T], bytes: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| bytes(value)).collect()
}

/// An archive of files.
pub fn zipped(deflated: bool, files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let method = if deflated { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let options = SimpleFileOptions::DEFAULT.compression_method(method);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
