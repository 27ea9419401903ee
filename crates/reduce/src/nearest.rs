//! The landmark with which a row shares most weight.

use enclust_core::{Ctx, MISSING, Microclusters, Real, Result};
use rayon::prelude::*;

/// Rows that a thread assigns between two looks at the cancel flag.
const BLOCK: usize = 4096;

/// The mark of a row that shares no base cluster with any landmark.
pub(crate) const NONE: u32 = u32::MAX;

/// Assigns rows to landmarks, one at a time: for rows that are not in one ensemble, for example
/// because they are spread over many machines.
///
/// ```
/// use enclust_core::{Ctx, Ensemble, Microclusters, Reduce};
/// use enclust_reduce::Landmarks;
///
/// let e = Ensemble::from_columns(&[[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2], [0, 0, 0, 1, 1, 2]])?;
/// let rows = Microclusters::of(&e);
/// let reduced = Landmarks::default().reduce(&rows, 2, &Ctx::<f64>::default())?;
/// let nearest = Landmarks::default().nearest(&rows, &reduced.microclusters);
/// let mut search = nearest.search();
/// // Every row of the ensemble finds the landmark that it was assigned to.
/// for (sample, &landmark) in reduced.microclusters.grouping().map().iter().enumerate() {
///     let row: Vec<u32> = (0..3).map(|k| e.column(k)[sample]).collect();
///     assert_eq!(search.of(&row), Some(landmark));
/// }
/// // A row that shares nothing with any landmark.
/// assert_eq!(search.of(&[9, 9, 9]), None);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    landmarks: Vec<u32>,
    offsets: Vec<usize>,
    weights: Vec<u32>,
    index: Index,
}

/// Searches landmarks, with room for what it sums up.
pub struct Search<'a> {
    nearest: &'a Nearest,
    shared: Vec<u32>,
    row: Vec<u32>,
}

impl Nearest {
    /// From the labels of the landmarks, one landmark after the other; the number of the first base
    /// cluster of each clustering, and at the end the number of all; and one weight per base
    /// cluster.
    pub fn new(landmarks: Vec<u32>, offsets: Vec<usize>, weights: Vec<u32>) -> Self {
        let index = Index::new(&landmarks, &offsets);
        Nearest { landmarks, offsets, weights, index }
    }

    /// The labels of the landmarks, one landmark after the other.
    pub fn landmarks(&self) -> &[u32] {
        &self.landmarks
    }

    /// The number of the first base cluster of each clustering, and at the end the number of all.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The weight of each base cluster.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// A search for many rows.
    pub fn search(&self) -> Search<'_> {
        Search { nearest: self, shared: vec![0; self.index.count], row: Vec::new() }
    }
}

impl Search<'_> {
    /// The landmark with which a row shares most weight, the first of several; `None` if it shares
    /// nothing with any. A label that no row of the ensemble had may be any number that its
    /// clustering does not have.
    pub fn of(&mut self, row: &[u32]) -> Option<u32> {
        let Nearest { offsets, weights, index, .. } = self.nearest;
        self.row.clear();
        let clusters = offsets.windows(2).map(|ends| (ends[1] - ends[0]) as u32);
        let known = row.iter().zip(clusters);
        self.row.extend(known.map(|(&label, k)| if label < k { label } else { MISSING }));
        let (best, _) = index.best(&self.row, offsets, weights, &mut self.shared);
        (best != NONE).then_some(best)
    }
}

/// The landmarks of each base cluster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Index {
    /// Where the landmarks of each base cluster begin; one more entry than clusters.
    starts: Vec<usize>,
    landmarks: Vec<u32>,
    count: usize,
}

impl Index {
    /// From the labels of the landmarks, one landmark after the other.
    pub fn new(labels: &[u32], offsets: &[usize]) -> Self {
        let m = offsets.len() - 1;
        let clusters = |row: &'_ [u32]| -> Vec<usize> { clusters_of(row, offsets).collect() };
        let mut starts = vec![0; offsets[m] + 1];
        for row in labels.chunks_exact(m) {
            clusters(row).into_iter().for_each(|c| starts[c + 1] += 1);
        }
        for c in 1..starts.len() {
            starts[c] += starts[c - 1];
        }
        let mut next = starts.clone();
        let mut landmarks = vec![0; starts[offsets[m]]];
        for (l, row) in labels.chunks_exact(m).enumerate() {
            for c in clusters(row) {
                landmarks[next[c]] = l as u32;
                next[c] += 1;
            }
        }
        Index { starts, landmarks, count: labels.len() / m }
    }

    fn landmarks_of(&self, cluster: usize) -> &[u32] {
        &self.landmarks[self.starts[cluster]..self.starts[cluster + 1]]
    }

    /// The landmark with which each row shares most weight, and [`NONE`] for rows that share
    /// nothing. Of several, the landmark with the smallest number wins.
    pub fn nearest<S: Real>(
        &self,
        rows: &Microclusters,
        weights: &[u32],
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<u32>> {
        let found = self.nearest_and_shared(rows, weights, ctx)?;
        Ok(found.into_iter().map(|(landmark, _)| landmark).collect())
    }

    /// The same with the weight that the row shares with this landmark, 0 for [`NONE`].
    pub fn nearest_and_shared<S: Real>(
        &self,
        rows: &Microclusters,
        weights: &[u32],
        ctx: &Ctx<'_, S>,
    ) -> Result<Vec<(u32, u32)>> {
        let offsets = rows.cluster_offsets();
        let mut nearest = vec![(NONE, 0); rows.len()];
        nearest.par_chunks_mut(BLOCK).enumerate().try_for_each_init(
            || vec![0_u32; self.count],
            |shared, (block, out)| {
                ctx.checkpoint("assigning rows to landmarks")?;
                for (i, out) in out.iter_mut().enumerate() {
                    let p = block * BLOCK + i;
                    let row: Vec<u32> = (0..rows.clusterings()).map(|k| rows.label(p, k)).collect();
                    *out = self.best(&row, &offsets, weights, shared);
                }
                Ok::<(), enclust_core::Error>(())
            },
        )?;
        Ok(nearest)
    }

    /// `shared` has one zero per landmark, before and after.
    fn best(
        &self,
        row: &[u32],
        offsets: &[usize],
        weights: &[u32],
        shared: &mut [u32],
    ) -> (u32, u32) {
        let (mut best, mut most) = (NONE, 0);
        for cluster in clusters_of(row, offsets) {
            let weight = weights[cluster];
            for &l in self.landmarks_of(cluster) {
                let sum = &mut shared[l as usize];
                *sum += weight;
                // Sums only grow, so the largest one is seen when its last term is added.
                if *sum > most || (*sum == most && l < best) {
                    (best, most) = (l, *sum);
                }
            }
        }
        for cluster in clusters_of(row, offsets) {
            self.landmarks_of(cluster).iter().for_each(|&l| shared[l as usize] = 0);
        }
        (best, most)
    }
}

/// The base clusters of a row, numbered through all clusterings.
fn clusters_of<'a>(row: &'a [u32], offsets: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let present = row.iter().zip(offsets).filter(|(label, _)| **label != MISSING);
    present.map(|(&label, offset)| offset + label as usize)
}
