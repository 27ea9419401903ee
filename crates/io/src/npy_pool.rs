//! Pools in `.npy` files, read without a copy of the file.
//!
//! The file is read in blocks, and every value is replaced by the number of its cluster at once, so
//! that only the labels are in memory. Files that contain text, and files with an error, are read as
//! a whole like every other format, which also finds the position of the error.

use std::collections::HashMap;
use std::io::Read;

use enclust_core::{Ensemble, MISSING};

use crate::budget::Budget;
use crate::counts::CountsColumn;
use crate::keys::{Key, Noise, numbered};
use crate::npy::{Dtype, Header, Kind, LONGEST_HEADER};
use crate::pool::{ClusterNames, Pool, PoolOptions};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;
/// Small numbers are looked up in a table.
const SMALL: usize = 1 << 16;

/// Reads the pool in a file that begins with the given bytes; `None` if the file must be read as a
/// whole.
pub(crate) fn stream(
    file: &mut impl Read,
    length: u64,
    options: &PoolOptions,
) -> std::io::Result<Option<Pool>> {
    let mut beginning = Vec::new();
    file.by_ref().take(LONGEST_HEADER as u64).read_to_end(&mut beginning)?;
    let Ok(header) = Header::parse(&beginning) else { return Ok(None) };
    let (rows, columns) = match header.shape[..] {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => return Ok(None),
    };
    let is_text = matches!(header.dtype.kind, Kind::Unicode | Kind::Bytes);
    let values = length.saturating_sub(header.start as u64);
    let sound = header.check_size(values).is_ok() && rows > 0 && columns > 0;
    let counted = match &options.counts {
        None => None,
        Some(CountsColumn::Number(number)) if (1..=columns).contains(number) => Some(number - 1),
        Some(_) => return Ok(None),
    };
    let clusterings = columns - usize::from(counted.is_some());
    let needed = (rows as u64).saturating_mul(4 * clusterings as u64 + 8);
    let fits = Budget::new(options.table.memory).require(0, needed).is_ok();
    if is_text || !sound || !fits || clusterings == 0 || rows >= MISSING as usize {
        return Ok(None);
    }
    let mut labels = Vec::new();
    if labels.try_reserve_exact(rows * clusterings).is_err() {
        return Ok(None);
    }
    labels.resize(rows * clusterings, MISSING);
    let mut made = Making {
        rows,
        counted,
        noise: options.noise,
        labels,
        numbers: (0..clusterings).map(|_| Numbers::default()).collect(),
        counts: vec![0; counted.map_or(0, |_| rows)],
        alone: Vec::new(),
    };
    let mut rest = beginning.split_off(header.start);
    let (width, total) = (header.dtype.width, rows * columns);
    let (mut done, mut row, mut column) = (0, 0, 0);
    while done < total {
        let held = rest.len();
        let more = ((total - done) * width - held).min(BLOCK);
        rest.resize(held + more, 0);
        file.read_exact(&mut rest[held..])?;
        let whole = rest.len() / width;
        for value in rest[..whole * width].chunks_exact(width) {
            if !made.add(row, column, &header.dtype, value) {
                return Ok(None);
            }
            if header.fortran {
                row += 1;
                (row, column) = if row == rows { (0, column + 1) } else { (row, column) };
            } else {
                column += 1;
                (row, column) = if column == columns { (row + 1, 0) } else { (row, column) };
            }
        }
        done += whole;
        rest.drain(..whole * width);
    }
    Ok(made.pool(options.cluster_names))
}

/// The labels so far.
struct Making {
    rows: usize,
    /// The column of counts.
    counted: Option<usize>,
    noise: Noise,
    /// Column-major numbers of clusters.
    labels: Vec<u32>,
    numbers: Vec<Numbers>,
    counts: Vec<u64>,
    /// The rows with a sample that is a cluster of its own.
    alone: Vec<usize>,
}

impl Making {
    /// Adds a value; false if it is not a label or a count.
    #[inline]
    fn add(&mut self, row: usize, column: usize, dtype: &Dtype, bytes: &[u8]) -> bool {
        if self.counted == Some(column) {
            let count = crate::counts::whole(dtype.decode(bytes));
            self.counts[row] = count.unwrap_or(0);
            return count.is_some();
        }
        let clustering = column - usize::from(self.counted.is_some_and(|counted| counted < column));
        let numbers = &mut self.numbers[clustering];
        let to = &mut self.labels[clustering * self.rows + row];
        if let Some(small) = dtype.small(bytes) {
            *to = numbers.of_small(small);
            return true;
        }
        match (numbered(&dtype.decode(bytes)), self.noise) {
            (None, _) | (Some(Some(Key::Number(-1))), Noise::Error) => false,
            (Some(None), _) | (Some(Some(Key::Number(-1))), Noise::Missing) => true,
            (Some(Some(Key::Number(-1))), Noise::Singleton) => {
                *to = numbers.of_key(Key::Alone(row));
                self.alone.push(row);
                true
            }
            (Some(Some(key)), _) => {
                *to = numbers.of_key(key);
                true
            }
        }
    }

    fn pool(self, with_names: bool) -> Option<Pool> {
        // A sample cannot be alone in a row that stands for several.
        if self.counted.is_some() && self.alone.iter().any(|&row| self.counts[row] > 1) {
            return None;
        }
        let ensemble = Ensemble::from_numbers(self.rows, self.labels).ok()?;
        let ensemble = match self.counted {
            Some(_) => ensemble.with_counts(&self.counts).ok()?,
            None => ensemble,
        };
        let names = |numbers: Numbers| ClusterNames { names: numbers.names, numeric: true };
        let cluster_names = with_names.then(|| self.numbers.into_iter().map(names).collect());
        Some(Pool { cluster_names, ..Pool::new(ensemble) })
    }
}

/// The numbers of the clusters of a clustering, by first occurrence.
#[derive(Default)]
struct Numbers {
    /// One more than the number of the cluster with this label, 0 if there is none.
    small: Vec<u32>,
    others: HashMap<Key<'static>, u32>,
    names: Vec<Option<String>>,
}

impl Numbers {
    #[inline]
    fn of_small(&mut self, label: u16) -> u32 {
        match self.small.get(usize::from(label)) {
            Some(&number) if number > 0 => number - 1,
            _ => self.new_small(label),
        }
    }

    fn new_small(&mut self, label: u16) -> u32 {
        if self.small.len() <= usize::from(label) {
            self.small.resize((usize::from(label) + 1).next_power_of_two().min(SMALL), 0);
        }
        self.names.push(Some(label.to_string()));
        self.small[usize::from(label)] = self.names.len() as u32;
        self.names.len() as u32 - 1
    }

    /// The number of any other label.
    fn of_key(&mut self, key: Key<'static>) -> u32 {
        if let Key::Number(label) = key
            && let Ok(small) = u16::try_from(label)
        {
            return self.of_small(small);
        }
        let fresh = self.names.len() as u32;
        let names = &mut self.names;
        *self.others.entry(key).or_insert_with_key(|key| {
            names.push(key.name());
            fresh
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::file::Format;

    fn npy(descr: &str, fortran: bool, shape: (usize, usize), values: Vec<u8>) -> Vec<u8> {
        let order = if fortran { "True" } else { "False" };
        let (rows, columns) = shape;
        let text = format!(
            "{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({rows}, {columns}), }}\n"
        );
        let length = (text.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), &values].concat()
    }

    proptest! {
        #[test]
        fn streamed_pools_are_those_of_the_whole_file(
            values in proptest::collection::vec(prop_oneof![
                5 => 0..4_i64, 1 => -1..0_i64, 1 => 65_530..65_540_i64, 1 => any::<i64>()
            ], 1..60),
            columns in 1..5_usize,
            fortran in any::<bool>(),
            kind in 0..4_usize,
            noise in prop_oneof![Just(Noise::Error), Just(Noise::Missing), Just(Noise::Singleton)],
            counts in proptest::option::of(1..5_usize),
        ) {
            let rows = values.len() / columns;
            let values = &values[..rows * columns];
            let bytes: Vec<u8> = match kind {
                0 => values.iter().flat_map(|&v| (v as i32).to_le_bytes()).collect(),
                1 => values.iter().flat_map(|&v| (v as i16).to_be_bytes()).collect(),
                2 => values.iter().flat_map(|&v| v.to_le_bytes()).collect(),
                _ => values.iter().flat_map(|&v| {
                    let value = if v == 3 { f64::NAN } else { v as i32 as f64 };
                    value.to_le_bytes()
                }).collect(),
            };
            let file = npy(["<i4", ">i2", "<i8", "<f8"][kind], fortran, (rows, columns), bytes);
            let counts = counts.map(CountsColumn::Number);
            let options = PoolOptions { noise, counts, cluster_names: true, ..PoolOptions::default() };
            let streamed = stream(&mut &file[..], file.len() as u64, &options).unwrap();
            let whole = Pool::from_bytes(&file, Format::Npy, &options);
            prop_assert_eq!(streamed, whole.ok());
        }
    }

    #[test]
    fn files_of_several_blocks_are_streamed() {
        let values: Vec<u8> = (0..900_000_u32).flat_map(|i| (i % 7001).to_le_bytes()).collect();
        let file = npy("<u4", false, (300_000, 3), values);
        let options = PoolOptions::default();
        let streamed = stream(&mut &file[..], file.len() as u64, &options).unwrap();
        assert_eq!(streamed.unwrap(), Pool::from_bytes(&file, Format::Npy, &options).unwrap());
    }
}
