//! Points with known clusters or without clusters: rows of features in row-major order, generated
//! from a seed.

use crate::generate::SplitMix;

/// `samples` points in `clusters` normal clusters of standard deviation 1. The sizes of the
/// clusters differ by at most one, and their centres have a distance of at least `separation`.
/// Sample i is in cluster i modulo `clusters`.
///
/// ```
/// let points = enclust_testkit::features::blobs(3, 90, 2, 8.0, 1);
/// assert_eq!(points.len(), 180);
/// ```
pub fn blobs(
    clusters: usize,
    samples: usize,
    dimension: usize,
    separation: f64,
    seed: u64,
) -> Vec<f64> {
    let mut stream = SplitMix(seed);
    let side = (1..).find(|side: &usize| side.saturating_pow(dimension as u32) >= clusters);
    let side = side.unwrap_or(clusters);
    // One centre per cell of a lattice, at a random position in the middle of its cell.
    let centres: Vec<f64> = (0..clusters)
        .flat_map(|c| (0..dimension as u32).map(move |d| c / side.saturating_pow(d) % side))
        .map(|cell| separation * (1.5 * cell as f64 + 0.5 * stream.uniform()))
        .collect();
    (0..samples)
        .flat_map(|i| centres[i % clusters * dimension..][..dimension].to_vec())
        .map(|centre| centre + stream.normal())
        .collect()
}

/// Uniformly distributed points in the unit cube, without clusters.
pub fn uniform_cube(samples: usize, dimension: usize, seed: u64) -> Vec<f64> {
    let mut stream = SplitMix(seed);
    (0..samples * dimension).map(|_| stream.uniform()).collect()
}

/// Points from one normal distribution with independent coordinates, without clusters.
pub fn normal_cloud(samples: usize, dimension: usize, seed: u64) -> Vec<f64> {
    let mut stream = SplitMix(seed);
    (0..samples * dimension).map(|_| stream.normal()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_lie_around_their_centres_and_apart() {
        for (clusters, dimension) in [(2, 1), (4, 2), (6, 2), (5, 10)] {
            let points = blobs(clusters, 300 * clusters, dimension, 20.0, 3);
            let distance = |i: usize, j: usize| -> f64 {
                let row = |i: usize| &points[i * dimension..][..dimension];
                row(i).iter().zip(row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
            };
            for j in 1..300 * clusters {
                let near = distance(0, j) < 10.0;
                assert_eq!(near, j % clusters == 0, "{clusters} clusters, {dimension}: {j}");
            }
        }
    }

    #[test]
    fn the_normal_cloud_has_mean_zero_and_variance_one() {
        let points = normal_cloud(20_000, 1, 5);
        let mean = points.iter().sum::<f64>() / 20_000.0;
        let variance = points.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
