//! Elite neighbours: each microcluster keeps its strongest links.

use enclust_core::{Bytes, Csr, Microclusters, Shape, fill_condensed};

use crate::memory::filling;
use crate::pts::most_links;

/// The co-occurrence graph of microclusters, restricted to the links that are among the
/// `neighbours` strongest of at least one end (all ties at the threshold are kept). A pair
/// without link has co-occurrence 0.
pub fn elite_graph(microclusters: &Microclusters, neighbours: usize) -> Csr<f64> {
    let n = microclusters.len();
    let full = symmetric_rows(n, &fill_condensed(n, |p, row| microclusters.co_occurrence(p, row)));
    let threshold: Vec<f64> = full.iter().map(|row| kth_largest(row, neighbours)).collect();
    let rows = full.iter().enumerate().map(|(i, row)| {
        let kept = |&(j, &w): &(usize, &f64)| w > 0.0 && (w >= threshold[i] || w >= threshold[j]);
        // Ties may keep most of a row, so the links are counted first to avoid growing the
        // list.
        let mut list = Vec::with_capacity(row.iter().enumerate().filter(kept).count());
        list.extend(row.iter().enumerate().filter(kept).map(|(j, &w)| (j as u32, w)));
        list
    });
    Csr::from_rows(n, rows.collect())
}

/// The memory of [`elite_graph`], including its result: all co-occurrences together with the
/// triangle they are copied from, then together with the links in lists and packed.
pub fn elite_graph_bytes(shape: &Shape) -> Bytes {
    let (wide, links) = (shape.in_double(), most_links(shape));
    let headers = shape.each_group(size_of::<Vec<f64>>());
    let rows = wide.square() + headers + wide.vector() * 2;
    let lists = Bytes(links) * 16 + headers + wide.sparse(links);
    rows + lists.max(wide.condensed() + filling(&wide))
}

/// All rows of the symmetric matrix with zero diagonal.
fn symmetric_rows(n: usize, condensed: &[f64]) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; n]; n];
    let mut entries = condensed.iter();
    for p in 0..n {
        for q in p + 1..n {
            let w = *entries.next().expect("one entry per pair");
            rows[p][q] = w;
            rows[q][p] = w;
        }
    }
    rows
}

/// The k-th largest entry, including the zero on the diagonal.
fn kth_largest(row: &[f64], k: usize) -> f64 {
    let at = k.clamp(1, row.len()) - 1;
    let mut copy = row.to_vec();
    *copy.select_nth_unstable_by(at, |a, b| b.total_cmp(a)).1
}
