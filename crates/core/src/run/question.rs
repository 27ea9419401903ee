//! The question of a run.

use crate::error::{Error, Result};

/// The question of a run: one number of clusters, or any.
///
/// Most methods give a result for every number of clusters at once. Methods that learn for one
/// number, or that stop when the labels for one number no longer change, [read
/// k](crate::Method::reads_k) and need it here.
///
/// ```
/// use enclust_core::Question;
///
/// assert_eq!(Question::clusters(3).k, Some(3));
/// assert!(Question::default().k_for("spce").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The number of clusters, if the run is for one.
    pub k: Option<usize>,
    /// Whether a run that enhances also fits the consensus function to the plain similarity; see
    /// [`Fit::second_opinion`](crate::Fit::second_opinion).
    pub second_opinion: bool,
    /// Whether the caller reads the similarity of the [fit](crate::Fit::evidence), so that it must
    /// be a matrix.
    pub matrix: bool,
}

impl Question {
    /// A run for k clusters.
    pub fn clusters(k: usize) -> Self {
        Question::maybe(Some(k))
    }

    /// A run for k clusters if a number is given, and for any number otherwise.
    pub fn maybe(k: Option<usize>) -> Self {
        Question { k, ..Question::default() }
    }

    /// The same question, and the result without enhancement for comparison.
    pub fn with_second_opinion(self) -> Self {
        Question { second_opinion: true, ..self }
    }

    /// The same question by a caller that reads the matrix of the similarity.
    pub fn with_matrix(self) -> Self {
        Question { matrix: true, ..self }
    }

    /// The number of clusters.
    ///
    /// # Errors
    ///
    /// [`Error::NeedsClusters`] with the name of the component if no number is given.
    pub fn k_for(&self, component: &str) -> Result<usize> {
        self.k.ok_or_else(|| Error::NeedsClusters { component: component.to_string() })
    }
}
