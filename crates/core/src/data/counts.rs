//! How often each row of an ensemble occurs.

use std::sync::Arc;

use crate::error::{Error, Result};

/// The largest sum of counts: whole numbers up to it are exact in `f64`.
const MOST: u64 = 1 << 53;

/// How many samples each row of labels stands for.
///
/// An ensemble with counts has one row of labels for several samples with these labels, as a
/// database returns them that groups equal rows and counts them. Every stage and every score treats
/// a row of count c as c samples. Labels come back one per row.
///
/// ```
/// use enclust_core::{Counts, Ensemble, Microclusters};
///
/// let rows = Ensemble::from_columns(&[[0, 0, 1], [0, 1, 1]])?.with_counts(&[5, 1, 4])?;
/// assert_eq!((rows.samples(), rows.total()), (3, 10));
/// assert_eq!(Microclusters::of(&rows).grouping().sizes(), [5, 1, 4]);
/// assert!(Counts::new(&[5, 0]).is_err());
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    of_rows: Arc<[usize]>,
    total: usize,
}

impl Counts {
    /// From one count per row.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] for a count of 0, [`Error::Unsupported`] if the sum exceeds 2⁵³ or the range
    /// of `usize`.
    pub fn new(counts: &[u64]) -> Result<Self> {
        if let Some(row) = counts.iter().position(|&count| count == 0) {
            return Err(Error::Count { row });
        }
        let sum = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        let total = sum.filter(|&sum| sum <= MOST).and_then(|sum| usize::try_from(sum).ok());
        let Some(total) = total else {
            return Err(Error::unsupported("an ensemble", "counts whose sum exceeds 2^53"));
        };
        Ok(Counts { of_rows: counts.iter().map(|&count| count as usize).collect(), total })
    }

    /// The counts of these rows, which may be repeated.
    ///
    /// # Panics
    ///
    /// If a row does not exist.
    pub(crate) fn of_selected(&self, rows: &[usize]) -> Self {
        let of_rows: Arc<[usize]> = rows.iter().map(|&row| self.of_rows[row]).collect();
        Counts { total: of_rows.iter().sum(), of_rows }
    }

    /// One count per row.
    pub fn of_rows(&self) -> &[usize] {
        &self.of_rows
    }

    /// Number of samples: the sum of the counts.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Whether every row is one sample.
    pub fn all_one(&self) -> bool {
        self.total == self.of_rows.len()
    }
}

/// The number of samples of each row: 1 without counts.
pub(crate) fn each(counts: Option<&Counts>, rows: usize) -> impl Iterator<Item = usize> + '_ {
    (0..rows).map(move |row| counts.map_or(1, |counts| counts.of_rows[row]))
}
