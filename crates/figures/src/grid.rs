//! A quantity over two parameters.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::axes::range;
use crate::error::{FigureError, check_length};
use crate::style::{Columns, GREY, SMALL, TEXT, letters, on_paper, placed, shade, width_of};

/// A table of coloured cells with their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// What the cells show.
    pub title: String,
    /// Name of the parameter along the columns.
    pub x: String,
    /// Name of the parameter along the rows.
    pub y: String,
    /// The values of the columns.
    pub columns: Vec<String>,
    /// The values of the rows.
    pub rows: Vec<String>,
    /// The cells, row by row; `None` where there is no value.
    pub cells: Vec<Vec<Option<f64>>>,
}

const ROW: i32 = 22;
const TOP: i32 = 38;
const BOTTOM: i32 = 34;

impl Drawing for Grid {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        check_length("rows of cells", self.cells.len(), self.rows.len())?;
        for row in &self.cells {
            check_length("cells of a row", row.len(), self.columns.len())?;
        }
        let values = range(&self.title, self.cells.iter().flatten().flatten().copied())?;
        let width = columns.width() as i32;
        let left = self.rows.iter().map(|name| width_of(name, SMALL)).max().unwrap_or(0) + 18;
        let left = left.min(width / 2);
        let cell = f64::from(width - left - 10) / self.columns.len() as f64;
        let bottom = TOP + ROW * self.rows.len() as i32;
        let edge = |at: usize| left + (cell * at as f64).round() as i32;
        on_paper((width as u32, (bottom + BOTTOM) as u32), |area| {
            area.draw(&Text::new(self.title.as_str(), (10, 7), letters(TEXT, BLACK)))?;
            area.draw(&Text::new(self.y.as_str(), (10, TOP - 9), placed(SMALL, GREY, HPos::Left)))?;
            for (row, (name, cells)) in self.rows.iter().zip(&self.cells).enumerate() {
                let top = TOP + row as i32 * ROW;
                let style = placed(SMALL, BLACK, HPos::Right);
                area.draw(&Text::new(name.as_str(), (left - 6, top + ROW / 2), style))?;
                for (at, value) in cells.iter().enumerate() {
                    let corners = [(edge(at), top), (edge(at + 1) - 1, top + ROW - 1)];
                    let Some(value) = value else { continue };
                    let share = (value - values.start) / (values.end - values.start);
                    area.draw(&Rectangle::new(corners, shade(share).filled()))?;
                    let ink = if share < 0.6 { WHITE } else { BLACK };
                    let middle = ((edge(at) + edge(at + 1)) / 2, top + ROW / 2);
                    let text = format!("{value:.3}");
                    area.draw(&Text::new(text, middle, placed(SMALL, ink, HPos::Center)))?;
                }
            }
            for (at, name) in self.columns.iter().enumerate() {
                let middle = ((edge(at) + edge(at + 1)) / 2, bottom + 7);
                let style = placed(SMALL, BLACK, HPos::Center);
                area.draw(&Text::new(name.as_str(), middle, style))?;
            }
            let centre = ((left + width - 10) / 2, bottom + 22);
            area.draw(&Text::new(self.x.as_str(), centre, placed(SMALL, GREY, HPos::Center)))?;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_show_their_values_and_missing_ones_are_blank() {
        let figure = Grid {
            title: "ari".into(),
            x: "λ".into(),
            y: "α".into(),
            columns: vec!["0.1".into(), "1".into()],
            rows: vec!["0.7".into(), "0.8".into()],
            cells: vec![vec![Some(0.25), Some(0.5)], vec![None, Some(0.75)]],
        };
        let svg = figure.svg(Columns::One).unwrap();
        // One for the paper, one for each value.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("0.250") && svg.contains("0.750"));
        let wrong = Grid { columns: vec!["0.1".into()], ..figure };
        assert!(matches!(wrong.svg(Columns::One), Err(FigureError::Length { .. })));
    }
}
