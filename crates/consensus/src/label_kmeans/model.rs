//! The centres of clusters of label rows, and the distances to them.

use enclust_core::Bytes;
use pulp::Arch;
use rayon::prelude::*;

use super::rows::LabelRows;

/// Number of rows that a thread takes at a time.
const CHUNK: usize = 1024;
/// Number of parts in which rows are summed. It does not depend on the number of threads, so that
/// sums do not either.
const PARTS: usize = 8;

/// The distances of rows to centres. A row has weight r and links of weights w to base clusters; c
/// is the mean of the rows of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// Squared Euclidean distance, with √w as coordinates.
    Category,
    /// −Σ w ln c, with 1 as coordinates of c.
    Harmonic,
    /// Σ w (1 − c / ‖c in this clustering‖), with 1 as coordinates of c.
    Cosine,
    /// Squared Euclidean distance of √w / v, with weight r v, for the degree v of the row.
    NormalisedCut,
}

impl Distance {
    /// Whether points are compared by the squared Euclidean distance.
    pub fn is_squared(self) -> bool {
        matches!(self, Distance::Category | Distance::NormalisedCut)
    }

    /// Whether it reads to which clustering a column belongs.
    pub fn reads_blocks(self) -> bool {
        self == Distance::Cosine
    }
}

/// The cost of row x in cluster j is own(x) + offset_j − Σ_a x_a table[a, j].
pub(crate) struct Model {
    k: usize,
    /// For each column, one number per cluster.
    table: Vec<f64>,
    offsets: Vec<f64>,
    own: Own,
}

/// The part of the cost that does not depend on the cluster.
#[derive(Clone, Copy, PartialEq)]
enum Own {
    Nothing,
    SumOfSquares,
    Sum,
}

impl Model {
    /// The squared distances to some of the rows.
    pub fn of_rows(rows: &LabelRows, chosen: &[usize]) -> Self {
        let k = chosen.len();
        let mut table = vec![0.0; rows.columns() * k];
        for (j, &row) in chosen.iter().enumerate() {
            let (columns, values, scale) = rows.point(row);
            for (&a, x) in columns.iter().zip(values) {
                table[a as usize * k + j] = 2.0 * x * scale;
            }
        }
        let offsets = chosen.iter().map(|&row| rows.squared_length(row)).collect();
        Model { k, table, offsets, own: Own::SumOfSquares }
    }

    /// The distances to the means of clusters.
    pub fn of_clusters(rows: &LabelRows, labels: &[u32], k: usize) -> Self {
        let (mut table, totals) = means(rows, labels, k);
        match rows.distance() {
            Distance::Category | Distance::NormalisedCut => {
                let offsets = squared_lengths(rows, labels, &table, &totals, k);
                table.iter_mut().for_each(|c| *c *= 2.0);
                Model { k, table, offsets, own: Own::SumOfSquares }
            }
            Distance::Harmonic => {
                // Of a column that a cluster does not have, the cost is infinite.
                table.iter_mut().for_each(|c| *c = c.ln());
                Model { k, table, offsets: vec![0.0; k], own: Own::Nothing }
            }
            Distance::Cosine => {
                divide_by_lengths(&mut table, rows.blocks(), k);
                Model { k, table, offsets: vec![0.0; k], own: Own::Sum }
            }
        }
    }

    /// Writes the nearest cluster of each row, the first one among equally near ones, and its cost.
    pub fn assign(&self, rows: &LabelRows, labels: &mut [u32], costs: &mut [f64]) {
        let (labels, costs) = (labels.par_chunks_mut(CHUNK), costs.par_chunks_mut(CHUNK));
        labels.zip(costs).enumerate().for_each(|(chunk, (labels, costs))| {
            let mut scores = vec![0.0; self.k];
            Arch::new().dispatch(|| {
                for (i, (label, cost)) in (chunk * CHUNK..).zip(labels.iter_mut().zip(costs)) {
                    (*label, *cost) = self.nearest(rows, i, &mut scores);
                }
            });
        });
    }

    /// The nearest cluster of a row and its cost.
    #[inline(always)]
    fn nearest(&self, rows: &LabelRows, i: usize, scores: &mut [f64]) -> (u32, f64) {
        let (columns, values, scale) = rows.point(i);
        scores.copy_from_slice(&self.offsets);
        for (&a, x) in columns.iter().zip(values) {
            let (factor, entries) = (x * scale, &self.table[a as usize * self.k..][..self.k]);
            scores.iter_mut().zip(entries).for_each(|(score, t)| *score -= factor * t);
        }
        let (mut label, mut least) = (0, scores[0]);
        for (j, &score) in scores.iter().enumerate().skip(1) {
            if score < least {
                (label, least) = (j as u32, score);
            }
        }
        let own = match self.own {
            Own::Nothing => 0.0,
            Own::SumOfSquares => values.iter().map(|x| x * x).sum::<f64>() * scale * scale,
            Own::Sum => values.iter().sum(),
        };
        (label, (own + least).max(0.0))
    }

    /// The memory to make a model and of the model, for this many columns and clusters.
    pub fn bytes(columns: usize, k: usize) -> Bytes {
        Bytes(columns as u64) * (8 * k * (PARTS + 2)) as u64 + Bytes(8 * 16) * k as u64
    }
}

/// For each column, the weighted means of the clusters; and the total weights of the clusters.
fn means(rows: &LabelRows, labels: &[u32], k: usize) -> (Vec<f64>, Vec<f64>) {
    let part = rows.len().div_ceil(PARTS).max(1);
    let sums: Vec<(Vec<f64>, Vec<f64>)> = labels
        .par_chunks(part)
        .enumerate()
        .map(|(at, labels)| sums(rows, at * part, labels, k))
        .collect();
    let mut sums = sums.into_iter();
    let (mut table, mut totals) = sums.next().unwrap_or_default();
    for (more, weights) in sums {
        table.iter_mut().zip(more).for_each(|(sum, s)| *sum += s);
        totals.iter_mut().zip(weights).for_each(|(sum, w)| *sum += w);
    }
    for column in table.chunks_exact_mut(k) {
        // A cluster of rows without links has no weight.
        column.iter_mut().zip(&totals).for_each(|(c, w)| *c = if *w > 0.0 { *c / w } else { 0.0 });
    }
    (table, totals)
}

/// The sums over some rows, from row `first` on.
fn sums(rows: &LabelRows, first: usize, labels: &[u32], k: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut table, mut totals) = (vec![0.0; rows.columns() * k], vec![0.0; k]);
    let squared = rows.distance().is_squared();
    for (i, &label) in (first..).zip(labels) {
        let (columns, values, scale) = rows.point(i);
        let weight = rows.weights()[i];
        totals[label as usize] += weight;
        for (&a, x) in columns.iter().zip(values) {
            let coordinate = if squared { x * scale } else { 1.0 };
            table[a as usize * k + label as usize] += weight * coordinate;
        }
    }
    (table, totals)
}

/// ‖c‖² of each cluster, as the mean of x·c over its rows: summed over rows, so that the order of the
/// columns does not matter.
fn squared_lengths(
    rows: &LabelRows,
    labels: &[u32],
    means: &[f64],
    totals: &[f64],
    k: usize,
) -> Vec<f64> {
    let part = rows.len().div_ceil(PARTS).max(1);
    let sums = |(at, labels): (usize, &[u32])| {
        let mut sums = vec![0.0; k];
        for (i, &label) in (at * part..).zip(labels) {
            let (columns, values, scale) = rows.point(i);
            let at = |a: u32| means[a as usize * k + label as usize];
            let product: f64 = columns.iter().zip(values).map(|(&a, x)| x * at(a)).sum();
            sums[label as usize] += rows.weights()[i] * scale * product;
        }
        sums
    };
    let parts: Vec<Vec<f64>> = labels.par_chunks(part).enumerate().map(sums).collect();
    let of = |j: usize| {
        let sum: f64 = parts.iter().map(|part| part[j]).sum();
        if totals[j] > 0.0 { sum / totals[j] } else { 0.0 }
    };
    (0..k).map(of).collect()
}

/// Divides the shares of each cluster in each clustering by their length.
fn divide_by_lengths(table: &mut [f64], blocks: &[u32], k: usize) {
    let clusterings = blocks.iter().max().map_or(0, |&last| last as usize + 1);
    let mut lengths = vec![0.0; clusterings * k];
    for (column, &block) in table.chunks_exact(k).zip(blocks) {
        let lengths = &mut lengths[block as usize * k..][..k];
        lengths.iter_mut().zip(column).for_each(|(sum, c)| *sum += c * c);
    }
    for (column, &block) in table.chunks_exact_mut(k).zip(blocks) {
        let lengths = &lengths[block as usize * k..][..k];
        let divide = |(c, l): (&mut f64, &f64)| *c = if *l > 0.0 { *c / l.sqrt() } else { 0.0 };
        column.iter_mut().zip(lengths).for_each(divide);
    }
}
