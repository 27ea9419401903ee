//! Elite neighbours: each microcluster keeps its strongest links.

use enclust_core::{Bytes, Condensed, Csr, Microclusters, Shape};

use crate::memory::filling;
use crate::pts::most_links;

/// The co-occurrence graph of microclusters, restricted to the links that are among the
/// `neighbours` strongest of at least one end (all ties at the threshold are kept). A pair
/// without link has co-occurrence 0.
pub fn elite_graph(microclusters: &Microclusters, neighbours: usize) -> Csr<f64> {
    let n = microclusters.len();
    let full = symmetric_rows(&Condensed::filled(n, |p, row| microclusters.co_occurrence(p, row)));
    let threshold: Vec<f64> = full.iter().map(|row| kth_largest(row, neighbours)).collect();
    let (full, threshold) = (&full, &threshold);
    let kept = |i: usize| {
        let strong = move |w: f64, j: usize| w >= threshold[i] || w >= threshold[j];
        let row = full[i].iter().enumerate();
        row.filter(move |&(j, &w)| w > 0.0 && strong(w, j)).map(|(j, &w)| (j as u32, w))
    };
    // Ties may keep most of a row, so the links are counted first to avoid growing the list.
    let links = (0..n).map(|i| kept(i).count()).sum();
    Csr::from_row_iter(n, links, (0..n).map(kept))
}

/// The memory of [`elite_graph`], including its result: all co-occurrences together with the
/// triangle they are copied from, then together with the links.
pub fn elite_graph_bytes(shape: &Shape) -> Bytes {
    let (wide, links) = (shape.in_double(), most_links(shape));
    let headers = shape.each_group(size_of::<Vec<f64>>());
    let rows = wide.square() + headers + wide.vector() * 2;
    rows + wide.sparse(links).max(wide.condensed() + filling(&wide))
}

/// All rows of the symmetric matrix with zero diagonal.
fn symmetric_rows(upper: &Condensed<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = upper.side();
    let mut rows = vec![vec![0.0; n]; n];
    for p in 0..n {
        for (q, &w) in (p + 1..).zip(upper.row(p)) {
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
