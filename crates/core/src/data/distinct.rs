//! The distinct label rows of an ensemble, found column by column.
//!
//! Each row gets a hash of 64 bits in one pass over the columns, rows with equal hashes form a group,
//! and a second pass checks that all labels of a group are equal. If two different rows have the same
//! hash, which happens to one in millions of ensembles, the rows are told apart by their labels. No
//! copy of the labels is made.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;

use crate::data::ensemble::{Ensemble, MISSING};
use crate::memory::Bytes;

/// Rows that are hashed together, so that their hashes stay in the cache.
const BLOCK: usize = 4096;

/// The group of each row, numbered by first occurrence. A row without any label is its own group.
pub(super) fn distinct_rows(ensemble: &Ensemble) -> Vec<u32> {
    distinct_by(ensemble, mixed)
}

/// The memory that is needed beside the groups, for this many rows and groups.
pub(super) fn extra_bytes(rows: usize, groups: usize) -> Bytes {
    // A slot of the table and its control byte. Up to 2.3 slots per group are allocated, and while
    // the table grows, half as many again.
    const SLOT: usize = size_of::<(u64, u32)>() + 1;
    let hashes = Bytes(rows as u64) * (size_of::<u64>() + size_of::<bool>()) as u64;
    let representatives = Bytes(groups as u64) * size_of::<(u32, usize)>() as u64;
    hashes + Bytes(groups as u64) * (7 * SLOT as u64 / 2) + representatives
}

fn distinct_by(ensemble: &Ensemble, mix: impl Fn(u64, u32) -> u64 + Sync) -> Vec<u32> {
    let labelled = labelled(ensemble);
    let has_label = |row: usize| labelled.as_ref().is_none_or(|labelled| labelled[row]);
    let mut hashes = vec![0_u64; ensemble.samples()];
    hashes.par_chunks_mut(BLOCK).enumerate().for_each(|(block, hashes)| {
        for k in 0..ensemble.clusterings() {
            let labels = &ensemble.column(k)[block * BLOCK..];
            hashes.iter_mut().zip(labels).for_each(|(hash, &label)| *hash = mix(*hash, label));
        }
    });
    let map = numbered(&hashes, has_label);
    drop(hashes);
    if agrees(ensemble, &map) { map } else { by_columns(ensemble, has_label) }
}

/// Whether each row has a label; `None` if no label is missing.
fn labelled(ensemble: &Ensemble) -> Option<Vec<bool>> {
    if !ensemble.has_missing() {
        return None;
    }
    let mut labelled = vec![false; ensemble.samples()];
    for k in 0..ensemble.clusterings() {
        let labels = labelled.iter_mut().zip(ensemble.column(k));
        labels.for_each(|(labelled, &label)| *labelled |= label != MISSING);
    }
    Some(labelled)
}

/// A hash of a row that ends in this label. Different labels after equal hashes give different
/// hashes, because every step can be undone.
fn mixed(hash: u64, label: u32) -> u64 {
    let sum = hash.wrapping_add(u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let half = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    half ^ (half >> 32)
}

/// Numbers values by their first occurrence; a row without a label gets a number of its own.
fn numbered(values: &[u64], has_label: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut seen: HashMap<u64, u32, BuildHasherDefault<Hashed>> = HashMap::default();
    let mut groups = 0;
    let number = |(row, &value): (usize, &u64)| {
        let fresh = groups;
        let group = if has_label(row) { *seen.entry(value).or_insert(fresh) } else { fresh };
        groups += u32::from(group == fresh);
        group
    };
    values.iter().enumerate().map(number).collect()
}

/// Whether all rows of a group have equal labels.
fn agrees(ensemble: &Ensemble, map: &[u32]) -> bool {
    let mut firsts = Vec::new();
    for (row, &group) in map.iter().enumerate() {
        if group as usize == firsts.len() {
            firsts.push(row);
        }
    }
    (0..ensemble.clusterings()).all(|k| {
        let column = ensemble.column(k);
        let own: Vec<u32> = firsts.iter().map(|&row| column[row]).collect();
        column.par_iter().zip(map).all(|(&label, &group)| own[group as usize] == label)
    })
}

/// The definition: the groups of the first columns are divided by the labels of the next one.
fn by_columns(ensemble: &Ensemble, has_label: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut groups = vec![0_u64; ensemble.samples()];
    for k in 0..ensemble.clusterings() {
        let mut numbers: HashMap<(u64, u32), u64> = HashMap::new();
        for (group, &label) in groups.iter_mut().zip(ensemble.column(k)) {
            let fresh = numbers.len() as u64;
            *group = *numbers.entry((*group, label)).or_insert(fresh);
        }
    }
    groups.iter_mut().for_each(|group| *group = mixed(*group, 0));
    numbered(&groups, has_label)
}

/// Passes on values that are hashes already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mixed(self.0, byte.into()));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: the first row with the same labels.
    fn by_comparison(e: &Ensemble) -> Vec<u32> {
        let row = |i: usize| (0..e.clusterings()).map(|k| e.column(k)[i]).collect::<Vec<_>>();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let group = |i: usize| {
            let row = row(i);
            let known = if row.iter().all(|&label| label == MISSING) {
                None
            } else {
                groups.iter().position(|other| *other == row)
            };
            known.unwrap_or_else(|| {
                groups.push(row);
                groups.len() - 1
            }) as u32
        };
        (0..e.samples()).map(group).collect()
    }

    proptest! {
        #[test]
        fn hashes_and_columns_give_the_groups_of_the_definition(
            labels in proptest::collection::vec(proptest::option::weighted(0.7, 0..3_u8), 1..200),
            columns in 1..5_usize,
        ) {
            let rows = labels.len().div_ceil(columns);
            let label = |i: usize, k: usize| labels.get(i * columns + k).copied().flatten();
            let e = Ensemble::from_keys(rows, columns, label).unwrap();
            let expected = by_comparison(&e);
            prop_assert_eq!(&distinct_rows(&e), &expected);
            // Hashes that collide: all of them, and those of rows with the same last label.
            prop_assert_eq!(&distinct_by(&e, |_, _| 0), &expected);
            prop_assert_eq!(&distinct_by(&e, |_, label| label.into()), &expected);
        }
    }

    #[test]
    fn a_collision_is_noticed() {
        let e = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]]).unwrap();
        assert!(agrees(&e, &[0, 1, 2]) && !agrees(&e, &[0, 0, 1]));
        let rows: Vec<[u32; 2]> = (0..20_000).map(|i| [i % 150, i / 150]).collect();
        let e = Ensemble::from_rows(&rows).unwrap();
        assert_eq!(distinct_rows(&e), (0..20_000).collect::<Vec<u32>>());
    }
}
