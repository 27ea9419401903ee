//! A part of the cells of a study.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::error::StudyError;

/// One of several parts of a study: `3/16` is the third of sixteen.
///
/// Cells are distributed in a fixed shuffled order, so that large pools and slow variants are
/// spread over all shards. The sizes of shards differ by at most one cell.
///
/// ```
/// use enclust_experiment::study::Shard;
///
/// let shard: Shard = "1/2".parse()?;
/// assert_eq!(shard.cells(7).len() + "2/2".parse::<Shard>()?.cells(7).len(), 7);
/// assert!("3/2".parse::<Shard>().is_err());
/// # Ok::<(), enclust_experiment::StudyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

impl Shard {
    /// Its cells of a study with `all` cells, in ascending order.
    pub fn cells(&self, all: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_cached_key(|cell| Sha256::digest((*cell as u64).to_le_bytes()).to_vec());
        let mut mine: Vec<usize> =
            order.into_iter().skip(self.number - 1).step_by(self.count).collect();
        mine.sort_unstable();
        mine
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self, StudyError> {
        let parse = || {
            let (number, count) = text.split_once('/')?;
            let (number, count) = (number.trim().parse().ok()?, count.trim().parse().ok()?);
            (1..=count).contains(&number).then_some(Shard { number, count })
        };
        parse().ok_or_else(|| StudyError::Shard { text: text.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition_into_equal_shares() {
        for (all, count) in [(0, 3), (1, 2), (100, 7), (64, 16)] {
            let shards: Vec<Vec<usize>> =
                (1..=count).map(|number| Shard { number, count }.cells(all)).collect();
            let (least, most) = (
                shards.iter().map(Vec::len).min().unwrap(),
                shards.iter().map(Vec::len).max().unwrap(),
            );
            assert!(most - least <= 1);
            let mut together = shards.concat();
            together.sort_unstable();
            assert!(together.into_iter().eq(0..all));
        }
    }

    #[test]
    fn a_shard_gets_every_variant() {
        let cells = Shard { number: 3, count: 16 }.cells(16 * 20);
        let variants: std::collections::BTreeSet<usize> = cells.iter().map(|c| c % 16).collect();
        assert!(variants.len() > 8, "{variants:?}");
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "3", "0/2", "3/2", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!("3/16".parse::<Shard>().unwrap().to_string(), "3/16");
    }
}
