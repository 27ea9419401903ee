//! The test of Nemenyi after that of Friedman.

use super::ranks::mean_ranks;
use super::studentized_range::{quantile, survival};

/// The p-value of each pair of variants, for a table with one row per pool or run and one column
/// per variant. The matrix is symmetric with ones on the diagonal.
///
/// ```
/// use enclust_experiment::statistics::nemenyi;
///
/// let table = [vec![3.0, 2.0, 1.0], vec![6.0, 5.0, 4.0], vec![0.3, 0.2, 0.1]];
/// let p = nemenyi(&table);
/// assert!(p[0][2] < 0.05 && p[0][1] > 0.4 && p[0][0] == 1.0);
/// ```
///
/// Reference: P. Nemenyi, *Distribution-free multiple comparisons*, Princeton (1963); J. Demšar,
/// *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006).
pub fn nemenyi(table: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let ranks = mean_ranks(table);
    let unit = unit(ranks.len(), table.len());
    // The range of a variant and itself is 0, which is always exceeded.
    let p = |i: usize, j: usize| survival((ranks[i] - ranks[j]).abs() / unit, ranks.len());
    (0..ranks.len()).map(|i| (0..ranks.len()).map(|j| p(i, j)).collect()).collect()
}

/// The difference of mean ranks from which two of this many variants differ at the level `alpha`,
/// over this many pools or runs.
///
/// ```
/// use enclust_experiment::statistics::critical_difference;
///
/// // Table 5 of Demšar (2006) has the quantile 2.343 for three variants at 0.05.
/// let expected = 2.343 * (3.0_f64 * 4.0 / (6.0 * 14.0)).sqrt();
/// assert!((critical_difference(3, 14, 0.05) - expected).abs() < 1e-3);
/// ```
pub fn critical_difference(variants: usize, rows: usize, alpha: f64) -> f64 {
    quantile(alpha, variants) * unit(variants, rows)
}

/// The standard error of a difference of mean ranks, divided by √2 as the studentized range is.
fn unit(variants: usize, rows: usize) -> f64 {
    let k = variants as f64;
    (k * (k + 1.0) / (12.0 * rows as f64)).sqrt()
}
