//! The merges of a hierarchical clustering.

use crate::data::counts::Counts;
use crate::data::partition::Partition;
use crate::error::{Error, Result};

/// One merge of two clusters.
///
/// As in SciPy, cluster i < n is sample i and cluster n + t is the result of merge t.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merge {
    /// The smaller cluster number.
    pub left: usize,
    /// The larger cluster number.
    pub right: usize,
    /// Dissimilarity at which they merge.
    pub height: f64,
    /// Number of samples in the new cluster.
    pub size: usize,
}

/// The n − 1 merges of n samples, in order. If rows of labels have [counts](Counts), the tree joins
/// the rows.
///
/// ```
/// use enclust_core::Dendrogram;
///
/// // Merges name clusters by their smallest member.
/// let d = Dendrogram::from_members(3, &[(1, 2, 0.25), (0, 1, 0.5)])?;
/// assert_eq!(d.cut(2)?.labels(), &[0, 1, 1]);
/// assert_eq!(d.to_scipy()[1], [0.0, 3.0, 0.5, 3.0]);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dendrogram {
    samples: usize,
    merges: Vec<Merge>,
    counts: Option<Counts>,
}

impl Dendrogram {
    /// From merges in order, in which each cluster is named by its smallest member.
    pub fn from_members(samples: usize, merges: &[(usize, usize, f64)]) -> Result<Self> {
        if merges.len() + 1 != samples {
            return Err(Error::Size {
                what: "merges of the dendrogram",
                expected: samples.saturating_sub(1),
                found: merges.len(),
            });
        }
        let mut current: Vec<usize> = (0..samples).collect();
        let mut size = vec![1; samples];
        let mut alive = vec![true; samples];
        let mut out = Vec::with_capacity(merges.len());
        for (t, &(a, b, height)) in merges.iter().enumerate() {
            let (a, b) = (a.min(b), a.max(b));
            if a == b || b >= samples || !alive[a] || !alive[b] {
                return Err(Error::Index { what: "cluster of a merge", index: b, len: samples });
            }
            alive[b] = false;
            size[a] += size[b];
            out.push(Merge {
                left: current[a].min(current[b]),
                right: current[a].max(current[b]),
                height,
                size: size[a],
            });
            current[a] = samples + t;
        }
        Ok(Dendrogram { samples, merges: out, counts: None })
    }

    /// The same tree of rows that occur as often as these counts say. [`Merge::size`] counts
    /// samples.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one count per row.
    pub fn counted(mut self, counts: Option<Counts>) -> Result<Self> {
        if let Some(counts) = &counts {
            let n = self.samples;
            Error::check_size("counts of the rows", n, counts.of_rows().len())?;
            for t in 0..self.merges.len() {
                let size = |cluster: usize| match cluster.checked_sub(n) {
                    None => counts.of_rows()[cluster],
                    Some(earlier) => self.merges[earlier].size,
                };
                let Merge { left, right, .. } = self.merges[t];
                self.merges[t].size = size(left) + size(right);
            }
        }
        Ok(Dendrogram { counts, ..self })
    }

    /// Number of samples; with counts, of rows.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// How often each row occurs, if rows stand for several samples.
    pub fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref()
    }

    /// The merges, in order.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The partition into k clusters. The last k − 1 merges are undone, so the result has exactly
    /// k clusters even if heights are tied.
    pub fn cut(&self, k: usize) -> Result<Partition> {
        let n = self.samples;
        if k == 0 || k > n {
            return Err(Error::ClusterCount { k, largest: n, component: "a dendrogram".into() });
        }
        let kept = &self.merges[..n - k];
        // Go through the merges from last to first: each cluster takes the root of its parent.
        let mut root: Vec<usize> = (0..n + kept.len()).collect();
        for (t, merge) in kept.iter().enumerate().rev() {
            root[merge.left] = root[n + t];
            root[merge.right] = root[n + t];
        }
        Ok(Partition::from_labels(root[..n].iter().copied()).carrying(self.counts.clone()))
    }

    /// SciPy's linkage matrix Z, with one row (cluster, cluster, height, size) per merge.
    ///
    /// Heights increase strictly: tied heights are replaced by successive floating-point numbers,
    /// without exceeding the largest height. Programs that sort the merges by height, such as
    /// SciPy's `cut_tree`, therefore keep their order and cut the tree in the same way as
    /// [`cut`](Self::cut).
    ///
    /// ```
    /// use enclust_core::Dendrogram;
    ///
    /// let d = Dendrogram::from_members(4, &[(0, 1, 0.5), (2, 3, 0.5), (0, 2, 0.75)])?;
    /// let heights: Vec<f64> = d.to_scipy().iter().map(|row| row[2]).collect();
    /// assert_eq!(heights, [0.5, 0.5_f64.next_up(), 0.75]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn to_scipy(&self) -> Vec<[f64; 4]> {
        let heights = increasing(self.merges.iter().map(|m| m.height).collect());
        let row =
            |(m, height): (&Merge, f64)| [m.left as f64, m.right as f64, height, m.size as f64];
        self.merges.iter().zip(heights).map(row).collect()
    }
}

/// The heights with ties and decreases replaced by successive numbers.
fn increasing(mut heights: Vec<f64>) -> Vec<f64> {
    let largest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut least = f64::NEG_INFINITY;
    for height in &mut heights {
        *height = height.max(least);
        least = height.next_up();
    }
    // If all heights are 0, there is no room below the largest one.
    if largest > 0.0 {
        let mut most = largest;
        for height in heights.iter_mut().rev() {
            *height = height.min(most);
            most = height.next_down();
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::increasing;

    #[test]
    fn heights_increase_strictly_within_their_range() {
        let given = vec![0.0, 0.0, 0.0, 0.5, 0.5 - 1e-16, 0.75, 1.0, 1.0, 1.0];
        let heights = increasing(given.clone());
        assert!(heights.is_sorted_by(|a, b| a < b), "{heights:?}");
        assert_eq!((heights[0], heights[8]), (0.0, 1.0));
        assert!(heights.iter().zip(&given).all(|(a, b)| (a - b).abs() < 1e-15));
        assert!(increasing(vec![0.0; 5]).is_sorted_by(|a, b| a < b));
        assert_eq!(increasing(vec![0.25, 0.5]), [0.25, 0.5]);
    }
}
