//! The page of a study.

use serde::Serialize;

/// The data of the page of a study.
#[derive(Clone, Debug, Serialize)]
pub struct StudyPage {
    /// The heading.
    pub title: String,
}
