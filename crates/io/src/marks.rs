//! Texts that stand for missing values.

use std::sync::Arc;

/// The marks of `pandas.read_csv`, and `na` and `?`.
const USUAL: [&str; 20] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>",
    "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "na", "?",
];

/// The texts that stand for a missing value. An empty cell is always missing.
///
/// The default is the list of `pandas.read_csv`: `#N/A`, `#N/A N/A`, `#NA`, `-1.#IND`,
/// `-1.#QNAN`, `-NaN`, `-nan`, `1.#IND`, `1.#QNAN`, `<NA>`, `N/A`, `NA`, `NULL`, `NaN`, `None`,
/// `n/a`, `nan` and `null`; and also `na` and `?`.
///
/// ```
/// use enclust_io::MissingMarks;
///
/// assert!(MissingMarks::default().contains("None"));
/// let own = MissingMarks::new(["unknown"]);
/// assert!(own.contains("unknown") && own.contains("") && !own.contains("None"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingMarks {
    /// `None` for the default.
    own: Option<Arc<[String]>>,
}

impl MissingMarks {
    /// These marks instead of the default.
    pub fn new<T: Into<String>>(marks: impl IntoIterator<Item = T>) -> Self {
        MissingMarks { own: Some(marks.into_iter().map(Into::into).collect()) }
    }

    /// Whether the text stands for a missing value.
    pub fn contains(&self, text: &str) -> bool {
        text.is_empty()
            || match &self.own {
                None => USUAL.contains(&text),
                Some(own) => own.iter().any(|mark| mark == text),
            }
    }
}
