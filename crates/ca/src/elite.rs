//! Elite neighbours: each microcluster keeps its strongest links.

use enclust_core::{Bytes, Csr, Ctx, Microclusters, Real, Result, Shape};
use rayon::prelude::*;

use crate::pts::most_links;

/// Number of rows of the graph that are in lists before they are packed.
const ROWS: usize = 256;

/// The co-occurrence graph of microclusters, restricted to the links that are among the
/// `neighbours` strongest of at least one end (all ties at the threshold are kept). A pair
/// without link has co-occurrence 0.
///
/// The co-occurrences of a microcluster are computed whenever they are needed: for the threshold,
/// to count the links, and to keep them. This takes O(n'² m) time and no memory besides the links
/// and a few rows.
pub fn elite_graph<S: Real>(
    microclusters: &Microclusters,
    neighbours: usize,
    ctx: &Ctx<'_, S>,
) -> Result<Csr<f64>> {
    let n = microclusters.len();
    let space = || vec![0.0; n];
    let co_occurrences = |row: &mut [f64], p: usize| -> Result<()> {
        ctx.checkpoint("finding elite neighbours")?;
        microclusters.co_occurrence_with_all(p, row);
        row[p] = 0.0;
        Ok(())
    };
    let threshold = |row: &mut Vec<f64>, p: usize| {
        co_occurrences(row, p)?;
        Ok(kth_largest(row, neighbours))
    };
    let thresholds: Vec<f64> =
        (0..n).into_par_iter().map_init(space, threshold).collect::<Result<_>>()?;
    let elite = Elite { thresholds: &thresholds };
    // Ties may keep most of a row, so the links are counted first to avoid growing the lists.
    let count = |row: &mut Vec<f64>, p: usize| {
        co_occurrences(row, p)?;
        Ok(elite.links(row, p).count())
    };
    let counts: Vec<usize> =
        (0..n).into_par_iter().map_init(space, count).collect::<Result<_>>()?;
    let keep = |row: &mut Vec<f64>, p: usize| {
        co_occurrences(row, p)?;
        let mut kept = Vec::with_capacity(counts[p]);
        kept.extend(elite.links(row, p));
        Ok(kept)
    };
    let mut outcome = Ok(());
    let blocks = (0..n).step_by(ROWS).map_while(|first| {
        let rows = (first..n.min(first + ROWS)).into_par_iter();
        let made: Result<Vec<Vec<(u32, f64)>>> = rows.map_init(space, keep).collect();
        made.map_err(|error| outcome = Err(error)).ok()
    });
    let graph = Csr::from_row_iter(n, counts.iter().sum(), blocks.flatten());
    outcome.map(|()| graph)
}

/// The memory of [`elite_graph`], including its result: the links, some of them in lists, the
/// number of links and the threshold of each row, and a row of co-occurrences per thread, with
/// the weights in common.
pub fn elite_graph_bytes(shape: &Shape) -> Bytes {
    let (wide, links) = (shape.in_double(), most_links(shape));
    let lists = wide.vector() * (2 * ROWS) as u64;
    wide.sparse(links) + lists + wide.vector() * (2 + 2 * shape.threads as u64)
}

/// The weakest link that each microcluster keeps.
struct Elite<'a> {
    thresholds: &'a [f64],
}

impl Elite<'_> {
    /// The links of p that are strong enough for one of their ends.
    fn links<'b>(&'b self, row: &'b [f64], p: usize) -> impl Iterator<Item = (u32, f64)> + 'b {
        let own = self.thresholds[p];
        let pairs = row.iter().zip(self.thresholds).enumerate();
        let strong = move |(_, (w, other)): &(usize, (&f64, &f64))| {
            **w > 0.0 && (**w >= own || **w >= **other)
        };
        pairs.filter(strong).map(|(q, (&w, _))| (q as u32, w))
    }
}

/// The k-th largest entry, including the zero on the diagonal. The entries are rearranged.
fn kth_largest(row: &mut [f64], k: usize) -> f64 {
    let at = k.clamp(1, row.len()) - 1;
    *row.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1
}

#[cfg(test)]
mod tests {
    use enclust_core::{Ensemble, MISSING};
    use proptest::prelude::*;

    use super::*;

    /// All pairs, from the definition.
    fn by_definition(microclusters: &Microclusters, neighbours: usize) -> Vec<Vec<(u32, f64)>> {
        let (n, m) = (microclusters.len(), microclusters.clusterings());
        let co_occurrence = |p: usize, q: usize| {
            let labels = |k: usize| (microclusters.label(p, k), microclusters.label(q, k));
            let both = (0..m).filter(|&k| labels(k).0 != MISSING && labels(k).1 != MISSING);
            let joined = both.clone().filter(|&k| labels(k).0 == labels(k).1).count();
            if joined == 0 || p == q { 0.0 } else { joined as f64 / both.count() as f64 }
        };
        let rows: Vec<Vec<f64>> =
            (0..n).map(|p| (0..n).map(|q| co_occurrence(p, q)).collect()).collect();
        let threshold = |p: usize| {
            let mut sorted = rows[p].clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            sorted[neighbours.min(n) - 1]
        };
        let kept = |p: usize, q: usize| {
            let w = rows[p][q];
            (w > 0.0 && (w >= threshold(p) || w >= threshold(q))).then_some((q as u32, w))
        };
        (0..n).map(|p| (0..n).filter_map(|q| kept(p, q)).collect()).collect()
    }

    fn check(ensemble: &Ensemble, neighbours: usize) {
        let microclusters = Microclusters::of(ensemble);
        let graph = elite_graph(&microclusters, neighbours, &Ctx::<f64>::default()).unwrap();
        assert_eq!(graph.rows(), microclusters.len());
        for (p, wanted) in by_definition(&microclusters, neighbours).iter().enumerate() {
            let row: Vec<(u32, f64)> = graph.iter_row(p).map(|(q, w)| (q as u32, w)).collect();
            assert_eq!(&row, wanted);
        }
    }

    /// More rows than are made at a time.
    #[test]
    fn several_blocks_equal_the_definition() {
        let label = |i: usize, k: usize| Some(i * (k + 3) / 7 % (5 + k) + i / 90);
        let ensemble = Ensemble::from_keys(ROWS + 90, 4, label).unwrap();
        assert!(Microclusters::of(&ensemble).len() > ROWS);
        check(&ensemble, 5);
    }

    proptest! {
        #[test]
        fn it_equals_the_definition(
            labels in proptest::collection::vec(proptest::option::weighted(0.9, 0..4_u32), 60),
            neighbours in 1..16_usize,
        ) {
            let ensemble = Ensemble::from_keys(12, 5, |i, k| labels[i * 5 + k]).unwrap();
            check(&ensemble, neighbours);
        }
    }
}
