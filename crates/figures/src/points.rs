//! One quantity against another.

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::axes::{Titles, axes, log_range, range};
use crate::error::FigureError;
use crate::style::{Columns, SMALL, colour, fitted, on_paper, placed, width_of};

/// Named points, for example the score of methods against their time.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// Title of the horizontal axis.
    pub x: String,
    /// Title of the vertical axis.
    pub y: String,
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
    /// The points.
    pub points: Vec<Point>,
}

/// A named point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name, which stands beside it.
    pub name: String,
    /// Its place on the horizontal axis.
    pub x: f64,
    /// Its place on the vertical axis.
    pub y: f64,
}

impl Drawing for Points {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        let y = range(&self.y, self.points.iter().map(|point| point.y))?;
        let places = self.points.iter().map(|point| point.x);
        if self.logarithmic {
            let x = log_range(&self.x, places)?;
            self.draw(columns, x.log_scale(), y)
        } else {
            let x = range(&self.x, places)?;
            self.draw(columns, x, y)
        }
    }
}

impl Points {
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
        let width = columns.width();
        on_paper((width, (width * 3 / 4).min(360)), |area| {
            let mut chart = axes(area, x, y, Titles { x: &self.x, y: &self.y })?;
            let dot = |(at, point): (usize, &Point)| {
                Circle::new((point.x, point.y), 3, colour(at).filled())
            };
            chart.draw_series(self.points.iter().enumerate().map(dot))?;
            let at = |point: &Point| chart.backend_coord(&(point.x, point.y));
            for (place, name) in names(&self.points, width as i32, at) {
                area.draw(&Text::new(name, place, placed(SMALL, BLACK, HPos::Left)))?;
            }
            Ok(())
        })
    }
}

/// Where the names stand: right of their points, left of those at the right border, and moved
/// down until they do not cover each other.
fn names(
    points: &[Point],
    width: i32,
    at: impl Fn(&Point) -> (i32, i32),
) -> Vec<((i32, i32), String)> {
    const HEIGHT: i32 = 10;
    let mut order: Vec<&Point> = points.iter().collect();
    order.sort_by_key(|point| at(point).1);
    let mut taken: Vec<(i32, i32, i32)> = Vec::new();
    let mut found = Vec::new();
    for point in order {
        let ((x, mut y), name) = (at(point), fitted(&point.name, SMALL, width / 2));
        let length = width_of(&name, SMALL);
        let left = if x + 6 + length > width { x - 6 - length } else { x + 6 };
        let covers = |y: i32, &(from, to, other): &(i32, i32, i32)| {
            left < to && from < left + length && (y - other).abs() < HEIGHT
        };
        while let Some(&(_, _, other)) = taken.iter().find(|other| covers(y, other)) {
            y = other + HEIGHT;
        }
        taken.push((left, left + length, y));
        found.push(((left, y), name));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let point = |name: &str, x, y| Point { name: name.into(), x, y };
        let points =
            [point("first", 10.0, 50.0), point("second", 12.0, 52.0), point("x", 190.0, 9.0)];
        let found = names(&points, 200, |p| (p.x as i32, p.y as i32));
        let y = |name| found.iter().find(|(_, n)| n == name).map(|((_, y), _)| *y).unwrap();
        assert!((y("first") - y("second")).abs() >= 10);
        let ((x, _), _) = found.iter().find(|(_, name)| name == "x").unwrap();
        assert!(*x < 190, "the name at the right border stands on the left");
    }

    #[test]
    fn every_point_is_drawn() {
        let point = |name: &str, x| Point { name: name.into(), x, y: x / 10.0 };
        let points = vec![point("eac", 0.01), point("ec-cms", 2.0)];
        let (x, y) = ("seconds".to_string(), "ari".to_string());
        let svg = Points { x, y, logarithmic: true, points }.svg(Columns::One).unwrap();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("ec-cms") && svg.contains("seconds"));
    }
}
