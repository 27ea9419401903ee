//! The most frequent labels of the rows of each landmark.

use std::collections::HashMap;

use enclust_core::{MISSING, Microclusters};
use rayon::prelude::*;

use crate::nearest::NONE;

/// Moves each landmark to the mode of its rows: in every clustering, the label that most of their
/// samples have. A landmark keeps its label if no other one is more frequent; otherwise the
/// smallest of the most frequent numbers wins. Missing labels do not count. Returns whether a label
/// has changed.
pub(crate) fn move_to_modes(rows: &Microclusters, nearest: &[u32], labels: &mut [u32]) -> bool {
    let m = rows.clusterings();
    let count = labels.len() / m;
    let mode = |k: usize| modes(rows, k, nearest, |l| labels[l * m + k], count);
    let columns: Vec<Vec<u32>> = (0..m).into_par_iter().map(mode).collect();
    let mut changed = false;
    for (k, column) in columns.into_iter().enumerate() {
        for (l, label) in column.into_iter().enumerate() {
            changed |= labels[l * m + k] != label;
            labels[l * m + k] = label;
        }
    }
    changed
}

/// The modes of one clustering.
fn modes(
    rows: &Microclusters,
    clustering: usize,
    nearest: &[u32],
    current: impl Fn(usize) -> u32,
    count: usize,
) -> Vec<u32> {
    let mut votes: HashMap<(u32, u32), usize> = HashMap::new();
    let labels = rows.column(clustering).iter().zip(nearest).zip(rows.grouping().sizes());
    for ((&label, &l), &size) in labels {
        if label != MISSING && l != NONE {
            *votes.entry((l, label)).or_default() += size;
        }
    }
    // The vote for the label of the landmark itself, then the votes for the others.
    let mut best: Vec<(u32, usize)> = (0..count)
        .map(|l| (current(l), votes.get(&(l as u32, current(l))).copied().unwrap_or(0)))
        .collect();
    let mut sorted: Vec<((u32, u32), usize)> = votes.into_iter().collect();
    sorted.sort_unstable();
    for ((l, label), size) in sorted {
        let (mode, most) = &mut best[l as usize];
        if size > *most {
            (*mode, *most) = (label, size);
        }
    }
    best.into_iter().map(|(mode, _)| mode).collect()
}
