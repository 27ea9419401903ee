//! The cells of a heat map.

use std::collections::HashMap;

use enclust_core::{Grouping, Partition};

use super::layout::Layout;

/// Mean, smallest and largest value of the pairs of different samples in each cell.
pub struct Cells {
    pub mean: Vec<f64>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

/// Aggregates the values of pairs of groups: `value(p, p)` is that of two different samples of a
/// group. A cell without pairs, a sample with itself, has the value `alone`.
pub fn cells(
    layout: &Layout,
    grouping: &Grouping,
    alone: f64,
    value: impl Fn(usize, usize) -> f64,
) -> Cells {
    let number = layout.cells();
    let (mut sums, mut pairs) = (vec![0.0; number], vec![0.0; number]);
    let (mut low, mut high) = (vec![f64::INFINITY; number], vec![f64::NEG_INFINITY; number]);
    let sizes: Vec<f64> = grouping.sizes().iter().map(|&size| size as f64).collect();
    for p in 0..sizes.len() {
        let row = layout.bin_of[p] as usize;
        for q in p..sizes.len() {
            let count =
                if p == q { sizes[p] * (sizes[p] - 1.0) / 2.0 } else { sizes[p] * sizes[q] };
            if count == 0.0 {
                continue;
            }
            let (cell, v) = (layout.cell(row, layout.bin_of[q] as usize), value(p, q));
            sums[cell] += count * v;
            pairs[cell] += count;
            low[cell] = low[cell].min(v);
            high[cell] = high[cell].max(v);
        }
    }
    for cell in 0..number {
        if pairs[cell] == 0.0 {
            (sums[cell], low[cell], high[cell]) = (alone, alone, alone);
        } else {
            sums[cell] /= pairs[cell];
        }
    }
    Cells { mean: sums, low, high }
}

/// The share of the pairs of each cell that are in the same class: the matrix that a perfect
/// similarity would have.
pub fn ideal(layout: &Layout, grouping: &Grouping, truth: &Partition) -> Vec<f64> {
    let mut classes: Vec<HashMap<usize, f64>> = vec![HashMap::new(); layout.sizes().len()];
    let rows = grouping.map().iter().zip(truth.labels()).zip(grouping.row_counts());
    for ((&p, &class), count) in rows {
        *classes[layout.bin_of[p as usize] as usize].entry(class).or_default() += count as f64;
    }
    let mut shares = vec![0.0; layout.cells()];
    for a in 0..classes.len() {
        let size = layout.sizes()[a] as f64;
        for b in a..classes.len() {
            let mut same = 0.0;
            for (class, &count) in &classes[a] {
                // Whole numbers, so the order of the classes does not matter.
                let others = classes[b].get(class).copied().unwrap_or(0.0);
                same += if a == b { count * (count - 1.0) } else { count * others };
            }
            let all = if a == b { size * (size - 1.0) } else { size * layout.sizes()[b] as f64 };
            shares[layout.cell(a, b)] = if all == 0.0 { 1.0 } else { same / all };
        }
    }
    shares
}
