//! Ranks with ties.

/// The rank of each value, 1 for the smallest. Equal values get the mean of their ranks.
///
/// ```
/// use enclust_experiment::statistics::ranks;
///
/// assert_eq!(ranks(&[0.5, 0.1, 0.5, 0.9]), [2.5, 1.0, 2.5, 4.0]);
/// ```
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let smaller = values.iter().filter(|v| *v < value).count();
        let equal = values.iter().filter(|v| *v == value).count();
        smaller as f64 + (equal as f64 + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// The mean rank of each variant over the rows of a table with one column per variant. The
/// largest value of a row has rank 1.
///
/// ```
/// use enclust_experiment::statistics::mean_ranks;
///
/// assert_eq!(mean_ranks(&[vec![0.9, 0.5], vec![0.7, 0.7]]), [1.25, 1.75]);
/// ```
pub fn mean_ranks(table: &[Vec<f64>]) -> Vec<f64> {
    let variants = table.first().map_or(0, Vec::len);
    let mut sums = vec![0.0; variants];
    for row in table {
        let descending: Vec<f64> = row.iter().map(|value| -value).collect();
        sums.iter_mut().zip(ranks(&descending)).for_each(|(sum, rank)| *sum += rank);
    }
    sums.iter().map(|sum| sum / table.len() as f64).collect()
}

/// Σ (t³ − t) over the groups of t equal values.
pub(super) fn tie_sum(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let groups = sorted.chunk_by(|a, b| a == b);
    groups.map(|group| group.len() as f64).map(|t| t * t * t - t).sum()
}
