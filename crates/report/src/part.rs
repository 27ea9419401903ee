//! A part of a page that may be missing.

use serde::Serialize;

/// A part of a page, or the sentence that says why it is missing and which option would give it.
///
/// ```
/// use enclust_report::Part;
///
/// let missing: Part<u8> = Part::missing("There is no truth. --truth gives one.");
/// let json = serde_json::to_string(&missing)?;
/// assert_eq!(json, r#"{"missing":"There is no truth. --truth gives one."}"#);
/// assert_eq!(serde_json::to_string(&Part::Here(3))?, "3");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Part<T> {
    /// The part.
    Here(T),
    /// Why there is none.
    Missing {
        /// A sentence for readers of the page.
        missing: String,
    },
}

impl<T> Part<T> {
    /// A part that is missing for this reason.
    pub fn missing(reason: impl Into<String>) -> Self {
        Part::Missing { missing: reason.into() }
    }

    /// The part, or this reason if there is none.
    pub fn of(part: Option<T>, reason: impl FnOnce() -> String) -> Self {
        part.map_or_else(|| Part::missing(reason()), Part::Here)
    }
}
