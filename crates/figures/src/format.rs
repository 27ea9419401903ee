//! Formats of files.

use std::fmt;

use crate::error::FigureError;

/// The format of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// A page of the size of the figure, with embedded letters.
    Pdf,
    /// Pixels, 300 per inch.
    Png,
}

impl Format {
    /// The format that the ending of a file's name stands for.
    ///
    /// ```
    /// use enclust_figures::Format;
    ///
    /// assert_eq!(Format::of_ending("PDF"), Some(Format::Pdf));
    /// assert_eq!(Format::of_ending("gif"), None);
    /// ```
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "svg" => Some(Format::Svg),
            "pdf" => Some(Format::Pdf),
            "png" => Some(Format::Png),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Svg => "SVG",
            Format::Pdf => "PDF",
            Format::Png => "PNG",
        })
    }
}

/// The bytes of a file that holds this drawing.
///
/// # Errors
///
/// [`FigureError::NoImages`] for PDF and PNG without the feature `images`,
/// [`FigureError::Conversion`] if the SVG is not understood.
pub fn convert(svg: &str, format: Format) -> Result<Vec<u8>, FigureError> {
    match format {
        Format::Svg => Ok(svg.as_bytes().to_vec()),
        #[cfg(feature = "images")]
        Format::Pdf => images::pdf(svg),
        #[cfg(feature = "images")]
        Format::Png => images::png(svg),
        #[cfg(not(feature = "images"))]
        _ => Err(FigureError::NoImages),
    }
}

#[cfg(feature = "images")]
mod images {
    use std::sync::Arc;

    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, fontdb};

    use crate::error::FigureError;
    use crate::style::{FAMILY, FONT};

    /// A pixel of SVG is 1/96 inch.
    const SVG_DENSITY: f32 = 96.0;
    const PNG_DENSITY: f32 = 300.0;

    fn failed(error: impl ToString) -> FigureError {
        FigureError::Conversion(error.to_string())
    }

    /// The drawing with the embedded font, whatever fonts the machine has.
    fn tree(svg: &str) -> Result<Tree, FigureError> {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(FONT.to_vec());
        let options =
            Options { font_family: FAMILY.into(), fontdb: Arc::new(fonts), ..Options::default() };
        Tree::from_str(svg, &options).map_err(failed)
    }

    pub fn pdf(svg: &str) -> Result<Vec<u8>, FigureError> {
        let page = svg2pdf::PageOptions { dpi: SVG_DENSITY };
        svg2pdf::to_pdf(&tree(svg)?, svg2pdf::ConversionOptions::default(), page).map_err(failed)
    }

    pub fn png(svg: &str) -> Result<Vec<u8>, FigureError> {
        let tree = tree(svg)?;
        let scale = PNG_DENSITY / SVG_DENSITY;
        let size = tree.size().to_int_size().scale_by(scale);
        let size = size.ok_or_else(|| failed("the figure has no size"))?;
        let mut pixels = Pixmap::new(size.width(), size.height())
            .ok_or_else(|| failed("the figure is too large"))?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(failed)
    }
}
