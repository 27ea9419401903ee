//! Figures of ensemble clustering for papers.
//!
//! A figure is a plain struct that holds its figures and names. [`Drawing::svg`] draws it at the
//! width of one or two columns of a journal; [`convert`] makes PDF and PNG of the same drawing
//! (feature `images`). All colours can be told apart by readers who do not see all colours, and
//! the font is part of the crate, so a figure looks the same everywhere.
//!
//! | figure | shows |
//! |---|---|
//! | [`Ranks`] | mean ranks of methods with the critical difference |
//! | [`Scores`] | mean ± standard deviation of methods on several data sets |
//! | [`Lines`] | a quantity over a parameter, a number of clusters or an iteration |
//! | [`Grid`] | a quantity over two parameters |
//! | [`Points`] | one quantity against another, for example score against time |
//! | [`Matrices`] | similarities as images, with the borders of clusters |
//! | [`Tree`] | a dendrogram, cut |
//! | [`Sizes`] | the sizes of clusters |
//! | [`Times`] | measured and published times |
//!
//! ```
//! use enclust_figures::{Columns, Drawing, Format, Ranks, convert};
//!
//! let ranks = Ranks {
//!     title: "ari over 10 pools".into(),
//!     names: vec!["eac".into(), "lwea".into(), "ec-cms".into()],
//!     ranks: vec![2.6, 1.9, 1.5],
//!     critical_difference: Some(1.05),
//! };
//! let svg = ranks.svg(Columns::One)?;
//! assert!(svg.contains("lwea"));
//! let bytes = convert(&svg, Format::Svg)?;
//! assert_eq!(bytes, svg.as_bytes());
//! # Ok::<(), enclust_figures::FigureError>(())
//! ```

mod axes;
mod error;
mod format;
mod grid;
mod legend;
mod lines;
mod matrices;
mod points;
mod ranks;
mod scores;
mod sizes;
mod style;
mod times;
mod tree;

pub use error::FigureError;
pub use format::{Format, convert};
pub use grid::Grid;
pub use lines::{Line, Lines};
pub use matrices::{Matrices, Matrix};
pub use points::{Point, Points};
pub use ranks::Ranks;
pub use scores::{Score, Scores};
pub use sizes::Sizes;
pub use style::Columns;
pub use times::{Time, Times};
pub use tree::Tree;

/// Something that can be drawn.
pub trait Drawing {
    /// The figure as SVG.
    ///
    /// # Errors
    ///
    /// [`FigureError::Empty`] if there is nothing to draw, [`FigureError::Value`] for a value that
    /// has no place on an axis.
    fn svg(&self, columns: Columns) -> Result<String, FigureError>;
}
