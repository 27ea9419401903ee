//! Adjustment of p-values for the number of tests.

/// The p-values adjusted by Holm's step-down method, in the same order.
///
/// ```
/// use enclust_experiment::statistics::holm;
///
/// assert_eq!(holm(&[0.01, 0.5, 0.04]), [0.03, 0.5, 0.08]);
/// ```
///
/// Reference: S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
/// Journal of Statistics 6 (1979).
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = vec![1.0; p.len()];
    let mut highest: f64 = 0.0;
    for (before, &at) in order.iter().enumerate() {
        highest = highest.max((p.len() - before) as f64 * p[at]).min(1.0);
        adjusted[at] = highest;
    }
    adjusted
}
