//! Lines over a number.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use crate::axes::{Titles, axes, log_range, range};
use crate::error::FigureError;
use crate::style::{Columns, colour, on_paper, paler, repeats};
use crate::{Drawing, legend};

/// Lines with the same axes, for example the score of several methods over a parameter.
///
/// ```
/// use enclust_figures::{Columns, Drawing, Line, Lines};
///
/// let line = Line::new("Ecoli", [(0.01, 0.71, 0.05), (0.1, 0.62, 0.04), (1.0, 0.45, 0.03)]);
/// let figure = Lines {
///     x: "λ".into(),
///     y: "ari".into(),
///     logarithmic: true,
///     steps: false,
///     lines: vec![line],
/// };
/// assert!(figure.svg(Columns::One)?.contains("λ"));
/// # Ok::<(), enclust_figures::FigureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// Title of the horizontal axis.
    pub x: String,
    /// Title of the vertical axis.
    pub y: String,
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
    /// Whether a value holds until the next one, as in a cumulative distribution.
    pub steps: bool,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A named line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Its points: place, value, and spread (0 draws no bar).
    pub points: Vec<(f64, f64, f64)>,
}

impl Line {
    /// A line through these points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        Line { name: name.into(), points: points.into_iter().collect() }
    }

    fn path(&self, steps: bool) -> Vec<(f64, f64)> {
        let mut path: Vec<(f64, f64)> = Vec::with_capacity(self.points.len());
        for &(x, y, _) in &self.points {
            if let (true, Some(&(_, before))) = (steps, path.last()) {
                path.push((x, before));
            }
            path.push((x, y));
        }
        path
    }
}

impl Drawing for Lines {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        let all = || self.lines.iter().flat_map(|line| &line.points);
        let y = range(&self.y, all().flat_map(|&(_, y, spread)| [y - spread, y + spread]))?;
        let places = all().map(|&(x, _, _)| x);
        if self.logarithmic {
            let x = log_range(&self.x, places)?;
            self.draw(columns, x.log_scale(), y)
        } else {
            let x = range(&self.x, places)?;
            self.draw(columns, x, y)
        }
    }
}

impl Lines {
    fn draw<X>(
        &self,
        columns: Columns,
        x: X,
        y: std::ops::Range<f64>,
    ) -> Result<String, FigureError>
    where
        X: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let names: Vec<&str> = self.lines.iter().map(|line| line.name.as_str()).collect();
        let width = columns.width();
        let height = (width * 2 / 3).min(300) + legend::height(&names, width);
        on_paper((width, height), |area| {
            let area = legend::draw(area, &names)?;
            let mut chart = axes(&area, x, y, Titles { x: &self.x, y: &self.y })?;
            for (at, line) in self.lines.iter().enumerate() {
                let (path, colour) = (line.path(self.steps), colour(at));
                let style = colour.stroke_width(1);
                if repeats(at) {
                    chart.draw_series(DashedLineSeries::new(path, 3, 2, style))?;
                } else {
                    chart.draw_series(LineSeries::new(path, style))?;
                }
                let spreads = line.points.iter().filter(|(_, _, spread)| *spread > 0.0);
                chart.draw_series(spreads.map(|&(x, y, spread)| {
                    let ends = vec![(x, y - spread), (x, y + spread)];
                    PathElement::new(ends, paler(colour).stroke_width(1))
                }))?;
                if !self.steps && line.points.len() <= 60 {
                    let dots = line.points.iter();
                    chart.draw_series(
                        dots.map(|&(x, y, _)| Circle::new((x, y), 2, colour.filled())),
                    )?;
                }
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_a_value_until_the_next_one() {
        let line = Line::new("k = 2", [(0.0, 0.2, 0.0), (0.5, 0.6, 0.0), (1.0, 1.0, 0.0)]);
        assert_eq!(line.path(true), [(0.0, 0.2), (0.5, 0.2), (0.5, 0.6), (1.0, 0.6), (1.0, 1.0)]);
        assert_eq!(line.path(false), [(0.0, 0.2), (0.5, 0.6), (1.0, 1.0)]);
    }

    #[test]
    fn points_and_spreads_are_drawn() {
        let line = Line::new("a", [(1.0, 0.5, 0.1), (2.0, 0.6, 0.0)]);
        let (x, y) = ("k".to_string(), "ari".to_string());
        let figure = Lines { x, y, logarithmic: false, steps: false, lines: vec![line] };
        let svg = figure.svg(Columns::One).unwrap();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches("#80B9D9").count(), 1, "one spread");
        let empty = Lines { lines: Vec::new(), ..figure };
        assert!(matches!(empty.svg(Columns::One), Err(FigureError::Empty(_))));
    }

    #[test]
    fn a_logarithmic_axis_refuses_zero() {
        let line = Line::new("a", [(0.0, 0.5, 0.0), (2.0, 0.6, 0.0)]);
        let (x, y) = ("lambda".to_string(), "ari".to_string());
        let figure = Lines { x, y, logarithmic: true, steps: false, lines: vec![line] };
        assert!(matches!(figure.svg(Columns::One), Err(FigureError::Value { .. })));
    }
}
