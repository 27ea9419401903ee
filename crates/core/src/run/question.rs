//! What a run is asked.

use crate::error::{Error, Result};

/// What is asked of a run: a number of clusters, or none yet.
///
/// Most methods answer for every number of clusters at once. Those that learn for one number, or
/// stop when the labels at one number settle, [read k](crate::Method::reads_k) and need it here.
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
    /// The number of clusters, where the run is for one.
    pub k: Option<usize>,
}

impl Question {
    /// A run for k clusters.
    pub fn clusters(k: usize) -> Self {
        Question { k: Some(k) }
    }

    /// A run for k clusters if a number is given, and for any number otherwise.
    pub fn maybe(k: Option<usize>) -> Self {
        Question { k }
    }

    /// The number of clusters.
    ///
    /// # Errors
    /// [`Error::NeedsClusters`], on behalf of a part that needs it, if there is none.
    pub fn k_for(&self, component: &str) -> Result<usize> {
        self.k.ok_or_else(|| Error::NeedsClusters { component: component.to_string() })
    }
}
