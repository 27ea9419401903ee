//! Lloyd's algorithm: each round assigns every point to its nearest centre and moves every
//! centre to the mean of its points.

use enclust_core::{Result, Watch};

use super::points::{Points, squared_distance};

/// Finds the nearest centre of every point in each round.
pub trait Assign {
    /// Labels the points with their nearest centres; among equally near centres, the one with
    /// the lowest number. `labels` contains the labels of the previous round.
    fn assign(&mut self, points: &Points<'_>, centres: &[f64], labels: &mut [u32]);

    /// Reports that the label of a point was changed outside of `assign`.
    fn forget(&mut self, point: usize);
}

/// The result of the rounds.
#[derive(Debug, PartialEq)]
pub struct Settled {
    pub labels: Vec<u32>,
    /// The mean of each cluster.
    pub centres: Vec<f64>,
    pub iterations: usize,
}

/// Runs rounds from these centres until no label changes or the limit is reached. Ends early if
/// the arithmetic overflows.
pub fn lloyd(
    points: &Points<'_>,
    mut centres: Vec<f64>,
    limit: usize,
    assign: &mut impl Assign,
    watch: Watch<'_>,
) -> Result<Settled> {
    let mut labels = vec![0; points.len()];
    let mut iterations = 0;
    loop {
        watch.checkpoint("k-means")?;
        let before = labels.clone();
        assign.assign(points, &centres, &mut labels);
        fill_empty(points, &centres, &mut labels, |point| assign.forget(point));
        let settled = iterations > 0 && labels == before;
        let stale = stale_centres(centres.len() / points.dimension, &before, &labels, iterations);
        move_to_means(points, &labels, &stale, &mut centres);
        iterations += 1;
        if settled || iterations >= limit || !centres.iter().all(|x| x.is_finite()) {
            return Ok(Settled { labels, centres, iterations });
        }
    }
}

/// The clusters that have gained or lost a point; the mean of any other cluster is
/// bit-identical to the previous one. In the first round these are all clusters.
fn stale_centres(k: usize, before: &[u32], labels: &[u32], iterations: usize) -> Vec<bool> {
    let mut stale = vec![iterations == 0; k];
    for (&from, &to) in before.iter().zip(labels).filter(|(from, to)| from != to) {
        stale[from as usize] = true;
        stale[to as usize] = true;
    }
    stale
}

/// Moves each stale centre to the weighted mean of its cluster, summed in the order of the
/// points.
fn move_to_means(points: &Points<'_>, labels: &[u32], stale: &[bool], centres: &mut [f64]) {
    let d = points.dimension;
    let mut sums = vec![0.0; centres.len()];
    let mut totals = vec![0.0; stale.len()];
    for (i, &label) in labels.iter().enumerate() {
        let label = label as usize;
        if stale[label] {
            let w = points.weights[i];
            totals[label] += w;
            let sum = &mut sums[label * d..][..d];
            sum.iter_mut().zip(points.row(i)).for_each(|(s, x)| *s += w * x);
        }
    }
    for c in (0..stale.len()).filter(|&c| stale[c]) {
        for j in c * d..(c + 1) * d {
            centres[j] = sums[j] / totals[c];
        }
    }
}

/// Assigns to every empty cluster the point farthest from its centre, among the points whose
/// removal does not leave another cluster empty. Returns the reassigned points.
fn fill_empty(
    points: &Points<'_>,
    centres: &[f64],
    labels: &mut [u32],
    mut taken: impl FnMut(usize),
) {
    let d = points.dimension;
    let mut counts = vec![0_usize; centres.len() / d];
    labels.iter().for_each(|&label| counts[label as usize] += 1);
    if !counts.contains(&0) {
        return;
    }
    let centre = |label: u32| &centres[label as usize * d..][..d];
    let mut distances: Vec<f64> = labels
        .iter()
        .enumerate()
        .map(|(i, &label)| squared_distance(points.row(i), centre(label)))
        .collect();
    for empty in 0..counts.len() {
        if counts[empty] > 0 {
            continue;
        }
        let farthest = (0..labels.len())
            .filter(|&i| counts[labels[i] as usize] > 1)
            .reduce(|best, i| if distances[i] > distances[best] { i } else { best });
        // There are at least as many points as clusters, so such a point exists.
        if let Some(i) = farthest {
            counts[labels[i] as usize] -= 1;
            counts[empty] = 1;
            labels[i] = empty as u32;
            distances[i] = 0.0;
            taken(i);
        }
    }
}
