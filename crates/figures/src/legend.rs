//! Names of colours above a chart.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::error::FigureError;
use crate::style::{Area, SMALL, colour, placed, repeats, width_of};

/// Height of a line.
const ROW: i32 = 14;
/// Room for the sign of an item, and after its name.
const SIGN: i32 = 16;
const GAP: i32 = 12;
const LEFT: i32 = 10;

/// Where each item begins: its left end and its line.
fn places(names: &[&str], width: i32) -> Vec<(i32, i32)> {
    let (mut x, mut row) = (LEFT, 0);
    let place = |name: &&str| {
        let needed = SIGN + width_of(name, SMALL) + GAP;
        if x > LEFT && x + needed > width {
            (x, row) = (LEFT, row + 1);
        }
        let here = (x, row);
        x += needed;
        here
    };
    names.iter().map(place).collect()
}

/// The height that a legend of these names needs; none for a single name.
pub(crate) fn height(names: &[&str], width: u32) -> u32 {
    if names.len() < 2 {
        return 0;
    }
    let rows = places(names, width as i32).last().map_or(0, |(_, row)| row + 1);
    (rows * ROW + 4) as u32
}

/// Draws the names with their colours at the top of the area, which it returns without them.
pub(crate) fn draw<'a>(area: &Area<'a>, names: &[&str]) -> Result<Area<'a>, FigureError> {
    let (width, _) = area.dim_in_pixel();
    let (top, rest) = area.split_vertically(height(names, width) as i32);
    if names.len() < 2 {
        return Ok(rest);
    }
    for (at, (x, row)) in places(names, width as i32).into_iter().enumerate() {
        let y = row * ROW + ROW / 2 + 4;
        let line = [(x, y), (x + SIGN - 4, y)];
        let colour = colour(at);
        if repeats(at) {
            top.draw(&plotters::element::DashedPathElement::new(
                line,
                3,
                2,
                colour.stroke_width(2),
            ))?;
        } else {
            top.draw(&PathElement::new(line.to_vec(), colour.stroke_width(2)))?;
        }
        top.draw(&Text::new(names[at], (x + SIGN, y), placed(SMALL, BLACK, HPos::Left)))?;
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_legends_have_several_lines() {
        let names = ["first method", "second method", "third method", "fourth method"];
        let rows: Vec<i32> = places(&names, 200).into_iter().map(|(_, row)| row).collect();
        assert_eq!(rows.first(), Some(&0));
        assert!(rows.last() > Some(&0), "{rows:?}");
        assert!(height(&names, 200) > height(&names, 2000));
        assert_eq!(height(&names[..1], 200), 0);
    }
}
