//! What can go wrong.

use plotters::drawing::DrawingAreaErrorKind;

/// Why a figure cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// There is nothing to draw.
    #[error("there is nothing to draw: {0}")]
    Empty(&'static str),
    /// A value has no place on an axis.
    #[error("{value} has no place on the axis of {axis}")]
    Value {
        /// What the axis shows.
        axis: String,
        /// The value.
        value: String,
    },
    /// Lists that belong together have different lengths.
    #[error("{what}: {found} values, but {expected} were expected")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits the rest.
        expected: usize,
    },
    /// The drawing does not fit on the paper.
    #[error("the figure cannot be drawn: {0}")]
    Drawing(String),
    /// The drawing cannot be converted.
    #[error("the figure cannot be converted: {0}")]
    Conversion(String),
    /// The crate was built without the feature `images`.
    #[error("this build makes SVG only; PDF and PNG need the feature `images`")]
    NoImages,
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for FigureError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        FigureError::Drawing(error.to_string())
    }
}

/// Returns an error unless a list has this length.
pub(crate) fn check_length(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), FigureError> {
    if found == expected { Ok(()) } else { Err(FigureError::Length { what, found, expected }) }
}
