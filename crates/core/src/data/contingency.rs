//! Overlaps of two partitions.

use crate::data::counts;
use crate::data::partition::Partition;
use crate::error::{Error, Result};

/// The samples in a pair of clusters of two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Cluster in the first partition.
    pub row: usize,
    /// Cluster in the second partition.
    pub column: usize,
    /// Number of samples in both, at least one.
    pub count: usize,
}

/// The overlaps of two partitions of the same samples.
///
/// Only non-empty overlaps are stored, at most n of them. They are sorted by row, so that sums
/// over them have a fixed order.
///
/// By convention, the first partition (the rows) is the truth, and the second (the columns) is
/// the result.
///
/// ```
/// use enclust_core::{Cell, Contingency, Partition};
///
/// let a = Partition::from_labels([0, 0, 1, 1]);
/// let b = Partition::from_labels([0, 0, 0, 1]);
/// let overlaps = Contingency::of(&a, &b)?;
/// assert_eq!(overlaps.row_sizes(), &[2, 2]);
/// assert_eq!(overlaps.column_sizes(), &[3, 1]);
/// assert_eq!(overlaps.cells()[0], Cell { row: 0, column: 0, count: 2 });
/// assert_eq!(overlaps.cells().len(), 3);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contingency {
    samples: usize,
    rows: Vec<usize>,
    columns: Vec<usize>,
    cells: Vec<Cell>,
}

impl Contingency {
    /// Counts the overlaps of two partitions, in O(n). If one of them has
    /// [counts](Partition::with_counts), they hold for both.
    ///
    /// # Errors
    /// [`Error::Size`] if they have different numbers of samples,
    /// [`Error::Empty`] if they have none, [`Error::Unsupported`] if they have different counts.
    pub fn of(truth: &Partition, predicted: &Partition) -> Result<Self> {
        if truth.len() != predicted.len() {
            return Err(Error::Size {
                what: "samples of the two partitions",
                expected: truth.len(),
                found: predicted.len(),
            });
        }
        let counts = match (truth.counts(), predicted.counts()) {
            (Some(one), Some(other)) if one != other => {
                let what = "two partitions of rows that occur differently often";
                return Err(Error::unsupported("a comparison", what));
            }
            (one, other) => one.or(other),
        };
        let labels = truth.labels().iter().zip(predicted.labels());
        let counted = labels.zip(counts::each(counts, truth.len()));
        let cells = counted.map(|((&row, &column), count)| Cell { row, column, count });
        Self::sum(truth.clusters(), predicted.clusters(), cells)
            .ok_or(Error::Empty { what: "partition" })
    }

    /// Counts (row, column) pairs; `None` if there are none.
    pub fn count(
        row_clusters: usize,
        column_clusters: usize,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> Option<Self> {
        let cells = pairs.map(|(row, column)| Cell { row, column, count: 1 });
        Self::sum(row_clusters, column_clusters, cells)
    }

    /// Adds up cells, of which several may be of the same clusters; `None` if there are none.
    ///
    /// ```
    /// use enclust_core::{Cell, Contingency};
    ///
    /// let cells = [(0, 0, 5), (1, 0, 1), (0, 0, 2)];
    /// let cells = cells.map(|(row, column, count)| Cell { row, column, count });
    /// let overlaps = Contingency::sum(2, 1, cells.into_iter()).unwrap();
    /// assert_eq!((overlaps.samples(), overlaps.row_sizes()), (8, &[7, 1][..]));
    /// ```
    pub fn sum(
        row_clusters: usize,
        column_clusters: usize,
        cells: impl Iterator<Item = Cell>,
    ) -> Option<Self> {
        let mut columns_of_row = vec![Vec::new(); row_clusters];
        for Cell { row, column, count } in cells {
            columns_of_row[row].push((column, count));
        }
        let size = |columns: &Vec<(usize, usize)>| columns.iter().map(|(_, count)| count).sum();
        let rows: Vec<usize> = columns_of_row.iter().map(size).collect();
        let samples = rows.iter().sum();
        let mut columns = vec![0; column_clusters];
        let mut counts = vec![0_usize; column_clusters];
        let mut cells = Vec::new();
        for (row, members) in columns_of_row.into_iter().enumerate() {
            for &(column, count) in &members {
                counts[column] += count;
                columns[column] += count;
            }
            // Taking a count resets it to zero, so each column of the row is stored once and
            // the buffer is clean for the next row.
            for (column, _) in members {
                let count = std::mem::take(&mut counts[column]);
                if count > 0 {
                    cells.push(Cell { row, column, count });
                }
            }
        }
        (samples > 0).then_some(Contingency { samples, rows, columns, cells })
    }

    /// Number of samples, n.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Size of each cluster of the first partition.
    pub fn row_sizes(&self) -> &[usize] {
        &self.rows
    }

    /// Size of each cluster of the second partition.
    pub fn column_sizes(&self) -> &[usize] {
        &self.columns
    }

    /// The non-empty overlaps, sorted by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The same with the two partitions exchanged.
    pub fn transposed(&self) -> Self {
        let mut cells: Vec<Cell> = self
            .cells
            .iter()
            .map(|c| Cell { row: c.column, column: c.row, count: c.count })
            .collect();
        cells.sort_by_key(|c| c.row);
        Contingency {
            samples: self.samples,
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            cells,
        }
    }

    /// Whether both partitions group the samples in the same way.
    pub fn is_identity(&self) -> bool {
        // A cluster has at least one cell, and exactly one if it is contained in a cluster of
        // the other partition.
        self.cells.len() == occupied(&self.rows) && self.cells.len() == occupied(&self.columns)
    }
}

/// Number of clusters that are not empty.
fn occupied(sizes: &[usize]) -> usize {
    sizes.iter().filter(|&&size| size > 0).count()
}

/// Number of pairs within groups of these sizes.
///
/// ```
/// assert_eq!(enclust_core::pairs_within([3, 1, 2]), 4);
/// ```
pub fn pairs_within(sizes: impl IntoIterator<Item = usize>) -> u128 {
    sizes.into_iter().map(|s| s as u128 * (s as u128).saturating_sub(1) / 2).sum()
}
