//! Similarities that follow from the label rows and weights of base clusters.

use std::sync::Arc;

use crate::data::grouping::Grouping;
use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};

/// By how much rounding may make a mean of weights larger than 1.
const ROUNDING: f64 = 1e-9;

/// A similarity that is a product of label rows, without the matrix of its values.
///
/// The similarity of two samples is the sum of the weights of the base clusters that contain both,
/// divided by the total weight m of the clusterings: A = B W Bᵀ / m, where B has one row per group
/// and one column per base cluster. `eac` and `lwca` are of this form if no label is missing. It
/// takes O(n' m) memory. For sets P and Q of samples with histograms s over the base clusters, the
/// sum of all similarities between them is s_Pᵀ W s_Q / m, and histograms add up when sets are
/// merged.
///
/// ```
/// use enclust_core::{Ensemble, Factored, Microclusters};
///
/// let e = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 1]])?;
/// let f = Factored::new(&Microclusters::of(&e), &[1.0, 1.0, 0.5, 0.5])?;
/// assert_eq!((f.between(0, 1), f.between(1, 2)), (0.25, 0.5));
/// assert_eq!(f.within(0), 0.75);
/// # Ok::<(), enclust_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Factored {
    grouping: Arc<Grouping>,
    /// The base clusters of each group, numbered through all clusterings, one group after the
    /// other.
    clusters: Vec<u32>,
    clusterings: usize,
    /// The weight of each base cluster times that of its clustering.
    weights: Vec<f64>,
    total: f64,
}

impl Factored {
    /// From label rows and one weight per base cluster, numbered through all clusterings, without
    /// the weight of its clustering.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if a label is missing, because the similarities then have different
    /// denominators, if a weight is negative or not finite, or if a similarity is above 1;
    /// [`Error::Size`] if there is not one weight per base cluster.
    pub fn new(microclusters: &Microclusters, weights: &[f64]) -> Result<Self> {
        const NAME: &str = "a factored similarity";
        microclusters.require_complete(NAME)?;
        let (m, offsets) = (microclusters.clusterings(), microclusters.cluster_offsets());
        Error::check_size("weights of the base clusters", offsets[m], weights.len())?;
        if let Some(weight) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::unsupported(NAME, format!("the weight {weight}")));
        }
        let cluster = |p: usize, k: usize| offsets[k] as u32 + microclusters.label(p, k);
        let rows = 0..microclusters.len();
        let clusters = rows.flat_map(|p| (0..m).map(move |k| cluster(p, k))).collect();
        let weighted = |k: usize| {
            let own = &weights[offsets[k]..offsets[k + 1]];
            own.iter().map(move |weight| weight * microclusters.weight(k))
        };
        let factored = Factored {
            grouping: Arc::clone(microclusters.grouping()),
            clusters,
            clusterings: m,
            weights: (0..m).flat_map(weighted).collect(),
            total: microclusters.total_weight(),
        };
        // No pair is more similar than the samples of one group.
        let values = (0..factored.len()).map(|p| factored.within(p));
        match values.into_iter().find(|value| *value > 1.0 + ROUNDING) {
            Some(value) => Err(Error::unsupported(NAME, format!("the similarity {value}"))),
            None => Ok(factored),
        }
    }

    /// The same similarity over other groups: group p has the label row of group `rows[p]` here.
    ///
    /// # Errors
    ///
    /// [`Error::Size`] if there is not one row per group, [`Error::Index`] for a row that does not
    /// exist.
    pub fn regrouped(&self, grouping: Arc<Grouping>, rows: &[usize]) -> Result<Self> {
        Error::check_size("rows of the groups", grouping.len(), rows.len())?;
        let len = self.len();
        if let Some(&index) = rows.iter().find(|&&p| p >= len) {
            return Err(Error::Index { what: "row", index, len });
        }
        let clusters = rows.iter().flat_map(|&p| self.clusters(p)).copied().collect();
        Ok(Factored { grouping, clusters, ..self.clone() })
    }

    /// The groups of samples.
    pub fn grouping(&self) -> &Arc<Grouping> {
        &self.grouping
    }

    /// Number of groups, n'.
    pub fn len(&self) -> usize {
        self.grouping.len()
    }

    /// Whether there are no groups (never true).
    pub fn is_empty(&self) -> bool {
        self.grouping.is_empty()
    }

    /// The base clusters of a group, in ascending order; one per clustering.
    pub fn clusters(&self, p: usize) -> &[u32] {
        &self.clusters[p * self.clusterings..][..self.clusterings]
    }

    /// The weight of each base cluster times that of its clustering.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The total weight of the clusterings, by which sums of weights are divided.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Similarity of two different groups.
    pub fn between(&self, p: usize, q: usize) -> f64 {
        let shared = self.clusters(p).iter().zip(self.clusters(q)).filter(|(a, b)| a == b);
        shared.map(|(&c, _)| self.weights[c as usize]).sum::<f64>() / self.total
    }

    /// Similarity of two different samples of one group.
    pub fn within(&self, p: usize) -> f64 {
        self.between(p, p)
    }
}
