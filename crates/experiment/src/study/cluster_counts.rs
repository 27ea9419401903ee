//! Cases in which a variant found a different number of clusters than requested.

use std::ops::RangeInclusive;

use super::protocol::Cell;
use super::results::Results;

/// A variant that did not always find the requested number of clusters on a pool. Scores for
/// different numbers of clusters are not directly comparable.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherCount<'a> {
    /// The variant.
    pub variant: &'a str,
    /// The pool.
    pub pool: &'a str,
    /// Number of clusterings of the ensembles.
    pub size: usize,
    /// Requested number of clusters.
    pub k: usize,
    /// The smallest and the largest number that was found instead.
    pub found: RangeInclusive<usize>,
    /// Number of runs that found a different number.
    pub runs: usize,
}

impl Results {
    /// All cases in which a variant found a different number of clusters than requested,
    /// ordered by variant and pool.
    pub fn other_counts(&self) -> Vec<OtherCount<'_>> {
        let protocol = &self.protocol;
        let mut all = Vec::new();
        for variant in 0..protocol.variants.len() {
            for pool in 0..protocol.pools.len() {
                for ensemble in 0..protocol.ensembles.len() {
                    let cell = Cell { pool, ensemble, run: 0, variant };
                    let ks = protocol.clusters(pool).into_iter().enumerate();
                    all.extend(ks.filter_map(|(at, k)| self.other_count(cell, at, k)));
                }
            }
        }
        all
    }

    fn other_count(&self, first: Cell, at: usize, k: usize) -> Option<OtherCount<'_>> {
        let cells = (0..self.protocol.runs).map(|run| self.protocol.number(Cell { run, ..first }));
        let found = cells.filter_map(|cell| self.finished.get(&cell)?.clusters.get(at).copied());
        let others: Vec<usize> = found.filter(|&clusters| clusters != k).collect();
        let found = *others.iter().min()?..=*others.iter().max()?;
        let (pool, size, variant) = self.names(first);
        Some(OtherCount { variant, pool, size, k, found, runs: others.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::protocol::tests::example;
    use super::*;

    #[test]
    fn a_count_is_told_where_it_is_another() {
        let protocol = example();
        let finished = (0..protocol.cells())
            .map(|cell| {
                let at = protocol.cell(cell);
                // On pool b, y finds 2, 3 and 4 clusters in the three runs.
                let more = if (at.pool, at.variant) == (1, 1) { at.run } else { 0 };
                let ks = protocol.clusters(at.pool);
                let clusters = ks.iter().map(|k| k + more).collect();
                let (values, status, seconds) = (vec![0.5; 3], "direct".into(), Vec::new());
                (cell, CellResult { cell, values, clusters, status, seconds })
            })
            .collect();
        let results = Results { protocol, finished };
        let others = results.other_counts();
        assert_eq!(others.len(), results.protocol.ensembles.len());
        for other in others {
            let k = other.k;
            assert_eq!((other.variant, other.pool, other.runs), ("y", "b", 2));
            assert_eq!(other.found, k + 1..=k + 2);
        }
    }
}
