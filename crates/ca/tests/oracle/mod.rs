//! Probability trajectories by their definition, with dense matrices.

/// Normalises the weights to a random walk (each row is divided by its sum, a zero row stays
/// zero), places its powers up to `steps` side by side, and returns the cosines between the
/// rows.
pub fn trajectory_cosines(
    n: usize,
    steps: usize,
    weight: impl Fn(usize, usize) -> f64,
) -> Vec<Vec<f64>> {
    let walk: Vec<Vec<f64>> = (0..n)
        .map(|p| {
            let total: f64 = (0..n).map(|q| weight(p, q)).sum();
            (0..n).map(|q| if total > 0.0 { weight(p, q) / total } else { 0.0 }).collect()
        })
        .collect();
    let (mut power, mut stacked) = (walk.clone(), walk.clone());
    for _ in 1..steps {
        power = (0..n)
            .map(|i| (0..n).map(|j| (0..n).map(|k| power[i][k] * walk[k][j]).sum()).collect())
            .collect();
        (0..n).for_each(|i| stacked[i].extend_from_slice(&power[i]));
    }
    let dot =
        |i: usize, j: usize| stacked[i].iter().zip(&stacked[j]).map(|(a, b)| a * b).sum::<f64>();
    let cosine = |i: usize, j: usize| {
        let scale = (dot(i, i) * dot(j, j)).sqrt();
        if scale > 0.0 { dot(i, j) / scale } else { 0.0 }
    };
    (0..n).map(|i| (0..n).map(|j| cosine(i, j)).collect()).collect()
}
