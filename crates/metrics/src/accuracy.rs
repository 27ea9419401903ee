//! Accuracy under the best matching of clusters.

use enclust_core::{Cell, Contingency};

/// Share of the samples in matched clusters, for the one-to-one matching of the clusters of
/// both partitions that maximises it. The numbers of clusters may differ; samples in
/// clusters without a partner count as wrong.
///
/// Solved by shortest augmenting paths (Jonker and Volgenant): with k ≤ l the
/// numbers of clusters, O(k²l) time and O(n + l) memory. Counts are whole numbers, so the
/// optimum is exact and symmetric in the two partitions.
///
/// ```
/// use enclust_core::{Contingency, Partition};
/// use enclust_metrics::accuracy;
///
/// let truth = Partition::from_labels([0, 0, 0, 1, 1]);
/// let found = Partition::from_labels([4, 4, 6, 6, 5]);
/// assert_eq!(accuracy(&Contingency::of(&truth, &found)?), 3.0 / 5.0);
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn accuracy(overlaps: &Contingency) -> f64 {
    let matched = if overlaps.row_sizes().len() <= overlaps.column_sizes().len() {
        Matching::best(overlaps)
    } else {
        Matching::best(&overlaps.transposed())
    };
    matched as f64 / overlaps.samples() as f64
}

/// A matching of rows to columns, extended by one row at a time. There are at most as many rows
/// as columns.
struct Matching<'a> {
    /// Cells of each row.
    cells: Vec<&'a [Cell]>,
    /// Row matched to each column.
    row_of: Vec<Option<usize>>,
    /// Dual prices. Every edge has `prices + gain ≤ 0`, with equality for matched edges.
    row_price: Vec<i64>,
    column_price: Vec<i64>,
}

impl<'a> Matching<'a> {
    /// Number of samples in matched clusters.
    fn best(overlaps: &'a Contingency) -> usize {
        let columns = overlaps.column_sizes().len();
        let mut matching = Matching {
            cells: cells_by_row(overlaps),
            row_of: vec![None; columns],
            row_price: vec![0; overlaps.row_sizes().len()],
            column_price: vec![0; columns],
        };
        for row in 0..matching.cells.len() {
            matching.add(row);
        }
        overlaps
            .cells()
            .iter()
            .filter(|c| matching.row_of[c.column] == Some(c.row))
            .map(|c| c.count)
            .sum()
    }

    /// Matches one more row along the shortest augmenting path from it, by Dijkstra's algorithm
    /// with the costs −count, which the prices make non-negative.
    fn add(&mut self, start: usize) {
        let columns = self.row_of.len();
        let mut distance = vec![i64::MAX; columns];
        let mut before: Vec<Option<usize>> = vec![None; columns];
        let mut reached = Vec::new();
        let mut is_reached = vec![false; columns];
        let mut gain = vec![0_i64; columns];
        let (mut row, mut via, mut travelled) = (start, None, 0);
        let end = loop {
            self.cells[row].iter().for_each(|c| gain[c.column] = c.count as i64);
            let mut nearest = None;
            for column in (0..columns).filter(|&j| !is_reached[j]) {
                let step = -gain[column] - self.row_price[row] - self.column_price[column];
                if travelled + step < distance[column] {
                    distance[column] = travelled + step;
                    before[column] = via;
                }
                if nearest.is_none_or(|j: usize| distance[column] < distance[j]) {
                    nearest = Some(column);
                }
            }
            self.cells[row].iter().for_each(|c| gain[c.column] = 0);
            // There are at most as many rows as columns, so a free column always exists.
            let Some(column) = nearest else { return };
            travelled = distance[column];
            match self.row_of[column] {
                None => break column,
                Some(next) => row = next,
            }
            is_reached[column] = true;
            reached.push(column);
            via = Some(column);
        };
        self.reprice(start, &reached, &distance, travelled);
        self.augment(start, end, &before);
    }

    /// Keeps the reduced costs of all edges non-negative, and zero along the path.
    fn reprice(&mut self, start: usize, reached: &[usize], distance: &[i64], length: i64) {
        self.row_price[start] += length;
        for &column in reached {
            let slack = length - distance[column];
            self.column_price[column] -= slack;
            if let Some(row) = self.row_of[column] {
                self.row_price[row] += slack;
            }
        }
    }

    /// Assigns to every row on the path the column after it.
    fn augment(&mut self, start: usize, end: usize, before: &[Option<usize>]) {
        let mut column = end;
        while let Some(previous) = before[column] {
            self.row_of[column] = self.row_of[previous];
            column = previous;
        }
        self.row_of[column] = Some(start);
    }
}

/// The cells of each row; all cells are stored row by row.
fn cells_by_row(overlaps: &Contingency) -> Vec<&[Cell]> {
    let mut rest = overlaps.cells();
    (0..overlaps.row_sizes().len())
        .map(|row| {
            let (own, others) = rest.split_at(rest.partition_point(|c| c.row <= row));
            rest = others;
            own
        })
        .collect()
}
