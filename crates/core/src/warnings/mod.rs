//! Warnings: what may be wrong with the data or the result of a run that succeeded.

mod ensemble;
mod labels;
mod second_opinion;

use std::fmt;

use crate::evidence::similarity::Similarity;
use crate::numbers::real::Real;

pub use ensemble::ensemble_warnings;
pub use labels::label_warnings;
pub use second_opinion::SecondOpinion;

/// Something that the user of a result should know. A warning never changes a result.
///
/// Clusterings are numbered from 0 in the fields and from 1 in messages.
///
/// ```
/// use enclust_core::{Ensemble, Warning, ensemble_warnings};
///
/// let ensemble = Ensemble::from_columns(&[[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 1]])?;
/// let warnings = ensemble_warnings(&ensemble);
/// assert_eq!(warnings, [Warning::Constant { clusterings: vec![1] }]);
/// assert_eq!(warnings[0].to_string(), "clustering 2 has only one cluster");
/// # Ok::<(), enclust_core::Error>(())
/// ```
///
/// With the feature `serde` it is serialised as an object with the key `kind`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "kind", rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Warning {
    /// Base clusterings without any label.
    Unlabelled {
        /// Their numbers.
        clusterings: Vec<usize>,
    },
    /// Base clusterings with a single cluster.
    Constant {
        /// Their numbers.
        clusterings: Vec<usize>,
    },
    /// Base clusterings in which every sample is a cluster of its own.
    AllDifferent {
        /// Their numbers.
        clusterings: Vec<usize>,
    },
    /// Base clusterings that are equal, up to the names of the clusters.
    Identical {
        /// Their numbers.
        clusterings: Vec<usize>,
    },
    /// A base clustering that agrees with no other one by more than chance.
    AgreesWithNone {
        /// Its number.
        clustering: usize,
        /// Its highest agreement with another one: 0 by chance, 1 if one is a refinement of the
        /// other.
        agreement: f64,
    },
    /// The similarity is smaller between a sample and itself than between different samples.
    LooksLikeDistance,
    /// More clusters were requested than there are distinct rows of labels.
    MoreClustersThanRows {
        /// The requested number of clusters.
        k: usize,
        /// The number of distinct rows.
        rows: usize,
    },
    /// One cluster of the result contains nearly all samples.
    OneLargeCluster {
        /// The share of the samples in it.
        share: f64,
        /// The number of clusters.
        clusters: usize,
    },
    /// Clusters of the result that consist of a single sample.
    SingleSamples {
        /// Their number.
        singles: usize,
        /// The number of all clusters.
        clusters: usize,
    },
    /// No pair of different groups is confident, so the enhancement changed nothing.
    NothingEnhanced,
    /// A component of the confident pairs holds too many samples at every threshold, so nothing
    /// was enhanced.
    Percolates {
        /// The largest share of the samples that a component may hold.
        giant: f64,
    },
    /// Samples that share no base cluster with any representative row of a reduction.
    Unmatched {
        /// Their number.
        samples: usize,
    },
    /// The enhanced result has one large cluster, and the plain one has not.
    Collapsed(SecondOpinion),
    /// New rows have labels that no training sample has; these count for nothing.
    UnknownLabels {
        /// The number of such labels.
        labels: usize,
        /// The number of rows that have one.
        rows: usize,
    },
    /// New rows share no base cluster with any training sample, so their label is arbitrary.
    LikeNoSample {
        /// Their number.
        rows: usize,
    },
}

impl Warning {
    /// The same warning with other numbers of the clusterings, for example those in the pool from
    /// which they were drawn.
    pub fn renumbered(mut self, number: impl Fn(usize) -> usize) -> Self {
        match &mut self {
            Warning::Unlabelled { clusterings }
            | Warning::Constant { clusterings }
            | Warning::AllDifferent { clusterings }
            | Warning::Identical { clusterings } => {
                clusterings.iter_mut().for_each(|k| *k = number(*k));
            }
            Warning::AgreesWithNone { clustering, .. } => *clustering = number(*clustering),
            _ => {}
        }
        self
    }
}

/// One sentence without a full stop.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Unlabelled { clusterings } => {
                write!(f, "{} no labels", Listed::have(clusterings))
            }
            Warning::Constant { clusterings } => {
                write!(f, "{} only one cluster", Listed::have(clusterings))
            }
            Warning::AllDifferent { clusterings } => {
                write!(f, "{} one cluster per sample", Listed::have(clusterings))
            }
            Warning::Identical { clusterings } => {
                write!(f, "{} identical", Listed { clusterings, verbs: ["is", "are"] })
            }
            Warning::AgreesWithNone { clustering, agreement } => write!(
                f,
                "clustering {} agrees with no other clustering (at most {agreement:.2}, where 0 \
                 is chance)",
                clustering + 1
            ),
            Warning::LooksLikeDistance => f.write_str(
                "the similarity looks like a distance: it is smaller between a sample and itself \
                 than between different samples",
            ),
            Warning::MoreClustersThanRows { k, rows } => write!(
                f,
                "{k} clusters were requested, but the clusterings distinguish only {rows} groups \
                 of samples; the remaining clusters are arbitrary"
            ),
            Warning::OneLargeCluster { share, clusters } => write!(
                f,
                "one of the {clusters} clusters contains {:.0} % of the samples",
                100.0 * share
            ),
            Warning::SingleSamples { singles, clusters } => write!(
                f,
                "{singles} of the {clusters} clusters consist{} of a single sample",
                if *singles == 1 { "s" } else { "" }
            ),
            Warning::NothingEnhanced => f.write_str(
                "no two different groups of samples are a confident pair, so the enhancement \
                 changed nothing",
            ),
            Warning::Percolates { giant } => write!(
                f,
                "at every threshold the confident pairs connect more than {:.0} % of the samples, \
                 so nothing was enhanced",
                100.0 * giant
            ),
            Warning::Unmatched { samples } => write!(
                f,
                "{samples} samples share no base cluster with any of the representative rows; they \
                 follow the largest one, so use more representative rows"
            ),
            Warning::Collapsed(SecondOpinion { agreement, largest, plain_largest }) => write!(
                f,
                "the enhancement has joined {:.0} % of the samples into one cluster; without it \
                 the largest cluster has {:.0} % (ARI between the two results: {agreement:.2})",
                100.0 * largest,
                100.0 * plain_largest
            ),
            Warning::UnknownLabels { labels, rows } => write!(
                f,
                "{labels} labels in {rows} of the new rows do not occur in the pool of the model; \
                 they count for nothing"
            ),
            Warning::LikeNoSample { rows } => write!(
                f,
                "{rows} of the new rows share no base cluster with any sample of the model; their \
                 label 0 is arbitrary"
            ),
        }
    }
}

/// Numbers of clusterings with a verb. Long lists are shortened.
struct Listed<'a> {
    clusterings: &'a [usize],
    verbs: [&'static str; 2],
}

impl<'a> Listed<'a> {
    fn have(clusterings: &'a [usize]) -> Self {
        Listed { clusterings, verbs: ["has", "have"] }
    }
}

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let [one, several] = self.verbs;
        let numbers: Vec<String> =
            self.clusterings.iter().take(MOST).map(|k| (k + 1).to_string()).collect();
        match (&numbers[..], self.clusterings.len().saturating_sub(MOST)) {
            ([only], _) => write!(f, "clustering {only} {one}"),
            ([first @ .., last], 0) => {
                write!(f, "clusterings {} and {last} {several}", first.join(", "))
            }
            (_, more) => {
                write!(f, "clusterings {} and {more} more {several}", numbers.join(", "))
            }
        }
    }
}

/// The warning for a similarity that is probably a distance.
///
/// ```
/// use enclust_core::{Similarity, Warning, similarity_warning};
///
/// let distance = Similarity::from_matrix(2, &[0.0, 0.7, 0.7, 0.0])?;
/// assert_eq!(similarity_warning(&distance), Some(Warning::LooksLikeDistance));
/// # Ok::<(), enclust_core::Error>(())
/// ```
pub fn similarity_warning<S: Real>(similarity: &Similarity<S>) -> Option<Warning> {
    let pairs = similarity.condensed();
    let mean = pairs.iter().map(|v| v.wide()).sum::<f64>() / pairs.len().max(1) as f64;
    let own = similarity.own().iter().map(|v| v.wide()).fold(0.0, f64::max);
    (own < mean).then_some(Warning::LooksLikeDistance)
}
