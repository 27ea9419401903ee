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
    let centres = centres(clusters, dimension, separation, &mut stream);
    around(&centres, samples, dimension, &mut stream)
}

/// One centre per cell of a lattice, at a random position in the middle of its cell.
fn centres(clusters: usize, dimension: usize, separation: f64, stream: &mut SplitMix) -> Vec<f64> {
    let side = (1..).find(|side: &usize| side.saturating_pow(dimension as u32) >= clusters);
    let side = side.unwrap_or(clusters);
    (0..clusters)
        .flat_map(|c| (0..dimension as u32).map(move |d| c / side.saturating_pow(d) % side))
        .map(|cell| separation * (1.5 * cell as f64 + 0.5 * stream.uniform()))
        .collect()
}

/// Normal points around centres that take turns.
fn around(centres: &[f64], samples: usize, dimension: usize, stream: &mut SplitMix) -> Vec<f64> {
    let clusters = centres.len() / dimension;
    (0..samples)
        .flat_map(|i| centres[i % clusters * dimension..][..dimension].to_vec())
        .map(|centre| centre + stream.normal())
        .collect()
}

/// [`blobs`] with the smallest separation, in steps of 0.1, at which not more than this share of
/// 4000 points is nearer to the centre of another cluster than to its own: an estimate of the error
/// of the best possible classifier. Also returns the share.
pub fn overlapping_blobs(
    clusters: usize,
    samples: usize,
    dimension: usize,
    error: f64,
    seed: u64,
) -> (Vec<f64>, f64) {
    const TRIED: usize = 4000;
    let far = |own: usize, point: &[f64], centres: &[f64]| {
        let distance = |c: usize| -> f64 {
            let centre = &centres[c * dimension..][..dimension];
            point.iter().zip(centre).map(|(x, y)| (x - y).powi(2)).sum()
        };
        (0..clusters).any(|c| distance(c) < distance(own))
    };
    let share = |separation: f64| {
        let mut stream = SplitMix(seed);
        let centres = centres(clusters, dimension, separation, &mut stream);
        let points = around(&centres, TRIED, dimension, &mut stream);
        let points = points.chunks_exact(dimension).enumerate();
        points.filter(|(i, point)| far(i % clusters, point, &centres)).count() as f64 / TRIED as f64
    };
    let tried = (10..).map(|tenths| f64::from(tenths) / 10.0).map(|s| (s, share(s)));
    let (separation, share) =
        tried.into_iter().find(|&(_, share)| share <= error).unwrap_or((1e3, 0.0));
    (blobs(clusters, samples, dimension, separation, seed), share)
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

/// Points from one normal distribution that is ten times as wide along the first coordinate as
/// along the others, without clusters.
pub fn elongated_cloud(samples: usize, dimension: usize, seed: u64) -> Vec<f64> {
    let stretched = |(i, x): (usize, f64)| if i % dimension == 0 { 10.0 * x } else { x };
    normal_cloud(samples, dimension, seed).into_iter().enumerate().map(stretched).collect()
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
