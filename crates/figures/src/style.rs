//! Sizes, colours and letters that all figures share.

use std::sync::Once;

use plotters::prelude::*;
use plotters::style::register_font;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::error::FigureError;

/// The family of the embedded font.
pub(crate) const FAMILY: &str = "DejaVu Sans";
/// The embedded font.
pub(crate) const FONT: &[u8] = include_bytes!("../font/DejaVuSans.ttf");

/// Pixels per millimetre: a pixel is 1/96 inch.
const PER_MILLIMETRE: f64 = 96.0 / 25.4;

/// Height of letters, 7.5 points.
pub(crate) const TEXT: f64 = 10.0;
/// Height of small letters, 6 points.
pub(crate) const SMALL: f64 = 8.0;

/// The colours of Okabe and Ito, which readers with any colour vision can tell apart.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(60, 60, 60),
];
pub(crate) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(crate) const PALE: RGBColor = RGBColor(222, 222, 222);
pub(crate) const BLUE: RGBColor = COLOURS[0];
pub(crate) const ORANGE: RGBColor = COLOURS[1];

/// Samples of the map cividis, from 0 to 1; lightness grows evenly.
const MAP: [RGBColor; 9] = [
    RGBColor(0, 34, 78),
    RGBColor(33, 59, 110),
    RGBColor(76, 85, 107),
    RGBColor(108, 110, 114),
    RGBColor(127, 125, 117),
    RGBColor(155, 149, 119),
    RGBColor(187, 174, 109),
    RGBColor(220, 201, 92),
    RGBColor(254, 232, 56),
];

/// The width of a figure: one column of a journal or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// 86 mm.
    #[default]
    One,
    /// 178 mm.
    Two,
}

impl Columns {
    /// The width in pixels of 1/96 inch.
    pub fn width(self) -> u32 {
        let millimetres = match self {
            Columns::One => 86.0,
            Columns::Two => 178.0,
        };
        (millimetres * PER_MILLIMETRE) as u32
    }
}

/// A drawing area on a string.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Draws on white paper of this size and returns the SVG.
pub(crate) fn on_paper(
    (width, height): (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), FigureError>,
) -> Result<String, FigureError> {
    know_font();
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

/// Tells the plotting library the embedded font, by which it measures text.
fn know_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that is not understood shows when text is measured, in every test.
        let _ = register_font(FAMILY, FontStyle::Normal, FONT);
    });
}

/// Letters of this height and colour.
pub(crate) fn letters(height: f64, colour: RGBColor) -> TextStyle<'static> {
    // The library states sizes as 1.24 times the height of the letters.
    (FAMILY, height * 1.24).into_font().color(&colour)
}

/// The same, placed by the middle of its left end, its centre or its right end.
pub(crate) fn placed(height: f64, colour: RGBColor, side: HPos) -> TextStyle<'static> {
    letters(height, colour).pos(Pos::new(side, VPos::Center))
}

/// The width of a text.
pub(crate) fn width_of(text: &str, height: f64) -> i32 {
    know_font();
    let size = letters(height, BLACK).font.box_size(text);
    // Without the font, letters are about this wide.
    size.map_or((text.chars().count() as f64 * height * 0.6) as i32, |(width, _)| width as i32)
}

/// The text, or its two ends if it is wider than this: names of the points of a grid begin alike.
pub(crate) fn fitted(text: &str, height: f64, width: i32) -> String {
    if width_of(text, height) <= width {
        return text.to_string();
    }
    let mut letters: Vec<char> = text.chars().collect();
    loop {
        // A third of what is kept is the beginning.
        let middle = letters.len() / 3;
        if !letters.is_empty() {
            letters.remove(middle);
        }
        let (start, end) = letters.split_at(middle.min(letters.len()));
        let cut: String = start.iter().chain(&['…']).chain(end).collect();
        if letters.is_empty() || width_of(&cut, height) <= width {
            return cut;
        }
    }
}

/// The colour of the item with this number; numbers beyond the last colour begin again.
pub(crate) fn colour(number: usize) -> RGBColor {
    COLOURS[number % COLOURS.len()]
}

/// Whether an item has the colour of an earlier one, so that it needs another form.
pub(crate) fn repeats(number: usize) -> bool {
    (number / COLOURS.len()) % 2 == 1
}

/// A paler colour. Transparency would make PDF files that differ from run to run.
pub(crate) fn paler(colour: RGBColor) -> RGBColor {
    let half = |part: u8| part / 2 + 128;
    RGBColor(half(colour.0), half(colour.1), half(colour.2))
}

/// The colour of a share between 0 and 1.
pub(crate) fn shade(share: f64) -> RGBColor {
    let at = share.clamp(0.0, 1.0) * (MAP.len() - 1) as f64;
    let low = (at as usize).min(MAP.len() - 2);
    let part = at - low as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    let (a, b) = (MAP[low], MAP[low + 1]);
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// A number with at most four significant digits.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}").replace("-0", "0");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&magnitude) {
        return format!("{value:.0e}");
    }
    let decimals = (3 - magnitude).clamp(0, 7) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_font_is_used() {
        // In DejaVu Sans an i is narrow and an M is wide; the estimate knows no difference.
        assert!(width_of("MMMM", TEXT) > 2 * width_of("iiii", TEXT));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(fitted("lwea", TEXT, 200), "lwea");
        let cut = fitted("grid confidence.alpha=0.7 enhance.lambda=0.1", TEXT, 90);
        assert!(cut.starts_with("gr") && cut.ends_with("=0.1"), "{cut}");
        assert!(cut.contains('…') && width_of(&cut, TEXT) <= 90);
        assert_eq!(fitted("M", TEXT, 0), "…");
    }

    #[test]
    fn colours_differ_and_the_map_goes_from_dark_to_light() {
        let all: Vec<RGBColor> = (0..COLOURS.len()).map(colour).collect();
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != one));
        }
        assert!(!repeats(6) && repeats(7) && !repeats(14));
        assert_eq!(shade(0.0), MAP[0]);
        assert_eq!((shade(1.0), shade(7.0)), (MAP[8], MAP[8]));
        assert_eq!(shade(0.5), MAP[4]);
        let light =
            |c: RGBColor| f64::from(c.0) * 0.3 + f64::from(c.1) * 0.6 + f64::from(c.2) * 0.1;
        let lights: Vec<f64> = (0..=40).map(|at| light(shade(f64::from(at) / 40.0))).collect();
        assert!(lights.windows(2).all(|two| two[0] <= two[1]), "{lights:?}");
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1e-9, "1e-9"),
            (1234.5678, "1235"),
            (100.0, "100"),
            (0.000_25, "0.00025"),
            (2e7, "2e7"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
