//! Similarities as images.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::error::{FigureError, check_length};
use crate::style::{
    Area, Columns, GREY, ORANGE, SMALL, TEXT, letters, number, on_paper, placed, shade,
};

/// Square matrices side by side, for example a similarity before and after the enhancement.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices {
    /// The matrices, all of the same size.
    pub matrices: Vec<Matrix>,
    /// The ends of the clusters, as shares of the side between 0 and 1.
    pub borders: Vec<f64>,
}

/// A square matrix of values that are not negative.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// Number of rows.
    pub side: usize,
    /// The values, row by row.
    pub values: Vec<f64>,
}

/// The largest number of cells along a side: more cannot be told apart in print.
const MOST: usize = 240;
const TOP: i32 = 22;
const GAP: i32 = 10;
/// Room for the scale below.
const BOTTOM: i32 = 30;

impl Matrix {
    /// Blocks of cells replaced by their means, so that a side has at most `most` of them.
    fn reduced(&self, most: usize) -> Matrix {
        let side = self.side.min(most);
        if side == self.side {
            return self.clone();
        }
        let start = |at: usize| at * self.side / side;
        let mut values = Vec::with_capacity(side * side);
        for i in 0..side {
            for j in 0..side {
                let (rows, columns) = (start(i)..start(i + 1), start(j)..start(j + 1));
                let count = (rows.len() * columns.len()) as f64;
                let row = |row: usize| &self.values[row * self.side..][columns.clone()];
                values.push(rows.map(|r| row(r).iter().sum::<f64>()).sum::<f64>() / count);
            }
        }
        Matrix { title: self.title.clone(), side, values }
    }
}

impl Drawing for Matrices {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        for matrix in &self.matrices {
            check_length("values of a matrix", matrix.values.len(), matrix.side * matrix.side)?;
            if let Some(value) = matrix.values.iter().find(|value| !value.is_finite()) {
                let axis = matrix.title.clone();
                return Err(FigureError::Value { axis, value: value.to_string() });
            }
        }
        if self.matrices.iter().all(|matrix| matrix.side == 0) {
            return Err(FigureError::Empty("the matrices have no rows"));
        }
        let (width, count) = (columns.width() as i32, self.matrices.len() as i32);
        let side = ((width - GAP) / count - GAP).min(width * 2 / 3);
        on_paper((width as u32, (TOP + side + BOTTOM) as u32), |area| {
            let drawn: Vec<Matrix> = self.matrices.iter().map(|m| m.reduced(MOST)).collect();
            let top = top_of_scale(&drawn);
            for (at, matrix) in drawn.iter().enumerate() {
                let corner = (GAP + at as i32 * (side + GAP), TOP);
                let title = (corner.0, 7);
                area.draw(&Text::new(matrix.title.as_str(), title, letters(TEXT, BLACK)))?;
                draw_cells(area, matrix, corner, (side, top))?;
                self.draw_borders(area, corner, side)?;
            }
            draw_scale(area, (2 * GAP, TOP + side + 12), (width / 3, top))
        })
    }
}

/// The value with the lightest colour: one in two hundred cells beside the diagonal may be larger,
/// so that a few large values do not make all others dark. All matrices share the scale.
fn top_of_scale(matrices: &[Matrix]) -> f64 {
    let beside = |matrix: &Matrix| {
        let side = matrix.side;
        let cells = matrix.values.iter().enumerate();
        cells.filter(move |(at, _)| at / side != at % side).map(|(_, v)| *v).collect::<Vec<_>>()
    };
    let mut values: Vec<f64> = matrices.iter().flat_map(beside).collect();
    values.sort_by(f64::total_cmp);
    let top = values.get(values.len().saturating_sub(1 + values.len() / 200));
    match top {
        // Two digits are enough for the scale.
        Some(&top) if top > 0.0 => {
            let digit = 10_f64.powf(top.log10().floor() - 1.0);
            (top / digit).ceil() * digit
        }
        _ => 1.0,
    }
}

/// Cells of the same colour beside each other are drawn as one. Each is drawn a little too large
/// and covered by the next, so that no seams show.
fn draw_cells(
    area: &Area<'_>,
    matrix: &Matrix,
    (left, top): (i32, i32),
    (side, scale): (i32, f64),
) -> Result<(), FigureError> {
    let edge = |at: usize| (at as f64 * f64::from(side) / matrix.side as f64).round() as i32;
    for i in 0..matrix.side {
        let row = &matrix.values[i * matrix.side..][..matrix.side];
        let mut start = 0;
        for j in 1..=matrix.side {
            // 64 steps are more than an eye can tell apart, and keep the file small.
            let level = |value: f64| ((value / scale).clamp(0.0, 1.0) * 64.0).round();
            if j < matrix.side && level(row[j]) == level(row[start]) {
                continue;
            }
            let (right, bottom) = ((edge(j) + 1).min(side), (edge(i + 1) + 1).min(side));
            let corners = [(left + edge(start), top + edge(i)), (left + right, top + bottom)];
            let shade = shade(level(row[start]) / 64.0);
            area.draw(&Rectangle::new(corners, shade.filled()))?;
            start = j;
        }
    }
    Ok(())
}

/// The scale of the colours.
fn draw_scale(
    area: &Area<'_>,
    (left, top): (i32, i32),
    (length, scale): (i32, f64),
) -> Result<(), FigureError> {
    for at in 0..length {
        let corners = [(left + at, top), (left + at + 1, top + 8)];
        let shade = shade(f64::from(at) / f64::from(length - 1));
        area.draw(&Rectangle::new(corners, shade.filled()))?;
    }
    area.draw(&Text::new("0", (left - 3, top + 4), placed(SMALL, GREY, HPos::Right)))?;
    let end = if scale < 1.0 { format!("≥ {}", number(scale)) } else { number(scale) };
    area.draw(&Text::new(end, (left + length + 4, top + 4), placed(SMALL, GREY, HPos::Left)))?;
    Ok(())
}

impl Matrices {
    /// A line along the diagonal block of each cluster.
    fn draw_borders(
        &self,
        area: &Area<'_>,
        (left, top): (i32, i32),
        side: i32,
    ) -> Result<(), FigureError> {
        let mut start = 0;
        for &end in &self.borders {
            if !(0.0..=1.0).contains(&end) {
                let axis = "borders".to_string();
                return Err(FigureError::Value { axis, value: number(end) });
            }
            let end = (f64::from(side) * end).round() as i32;
            let corners = [(left + start, top + start), (left + end, top + end)];
            area.draw(&Rectangle::new(corners, ORANGE.stroke_width(1)))?;
            start = end;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_are_averaged() {
        let values = (0..9).map(f64::from).collect();
        let matrix = Matrix { title: String::new(), side: 3, values };
        let small = matrix.reduced(2);
        // Rows and columns 0 | 1, 2.
        assert_eq!(small.values, [0.0, 1.5, 4.5, 6.0]);
        assert_eq!(matrix.reduced(3), matrix);
    }

    #[test]
    fn equal_cells_are_drawn_at_once_and_borders_on_top() {
        let values = vec![1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let matrix = Matrix { title: "A".into(), side: 3, values };
        let borders = vec![2.0 / 3.0, 1.0];
        let with = Matrices { matrices: vec![matrix.clone()], borders };
        let without = Matrices { matrices: vec![matrix], borders: Vec::new() };
        let count = |figure: &Matrices| figure.svg(Columns::One).unwrap().matches("<rect").count();
        assert_eq!(count(&with) - count(&without), 2);
        // The paper, two runs a row, and one for each pixel of the scale.
        assert_eq!(count(&without), 1 + 6 + (Columns::One.width() / 3) as usize);
    }

    #[test]
    fn the_scale_ends_where_few_cells_are_larger() {
        let side = 30;
        // 870 cells beside the diagonal; four may be larger than the scale.
        let with = |large: usize| {
            let value = |at: usize| match at / side == at % side {
                true => 1.0,
                false if at > 0 && at <= large => 0.9,
                false => 0.123,
            };
            let values = (0..side * side).map(value).collect();
            top_of_scale(&[Matrix { title: String::new(), side, values }])
        };
        assert!((with(4) - 0.13).abs() < 1e-12 && (with(5) - 0.9).abs() < 1e-12);
        let zero = Matrix { title: String::new(), side: 2, values: vec![1.0, 0.0, 0.0, 1.0] };
        assert_eq!(top_of_scale(&[zero]), 1.0);
    }

    #[test]
    fn wrong_sizes_and_values_are_refused() {
        let matrix = |values: Vec<f64>| Matrix { title: "A".into(), side: 2, values };
        let figure = |m| Matrices { matrices: vec![m], borders: Vec::new() }.svg(Columns::One);
        assert!(matches!(figure(matrix(vec![1.0])), Err(FigureError::Length { .. })));
        let nan = matrix(vec![1.0, f64::NAN, 0.0, 1.0]);
        assert!(matches!(figure(nan), Err(FigureError::Value { .. })));
    }
}
