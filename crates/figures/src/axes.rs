//! Axes with marks, grid lines and titles.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::error::FigureError;
use crate::style::{Area, GREY, PALE, SMALL, TEXT, letters, number, width_of};

/// A chart whose horizontal axis has this type.
pub(crate) type Chart<'a, 'b, X> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<X, RangedCoordf64>>;

/// The titles of the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Titles<'a> {
    pub x: &'a str,
    pub y: &'a str,
}

/// Room at the sides, so that the last mark is not cut off.
const MARGIN: i32 = 8;

/// Draws axes on the area and returns the chart inside.
pub(crate) fn axes<'a, 'b, X>(
    area: &'a Area<'b>,
    x: X,
    y: Range<f64>,
    titles: Titles<'_>,
) -> Result<Chart<'a, 'b, X::CoordDescType>, FigureError>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let marks =
        [y.start, (y.start + y.end) / 3.0, y.end].map(|mark| width_of(&number(mark), SMALL));
    let left = marks.into_iter().max().unwrap_or_default().max(width_of("0.00", SMALL)) + 24;
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .x_label_area_size(32)
        .y_label_area_size(left)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(PALE)
        .axis_style(GREY)
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .label_style(letters(SMALL, GREY))
        .axis_desc_style(letters(TEXT, BLACK))
        .x_desc(titles.x)
        .y_desc(titles.y)
        .draw()?;
    Ok(chart)
}

/// The range of values with a little room on both sides, never empty.
pub(crate) fn range(
    axis: &str,
    values: impl Iterator<Item = f64>,
) -> Result<Range<f64>, FigureError> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        if !value.is_finite() {
            let (axis, value) = (axis.to_string(), value.to_string());
            return Err(FigureError::Value { axis, value });
        }
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return Err(FigureError::Empty("there are no values"));
    }
    let room = if high > low { (high - low) * 0.05 } else { high.abs().max(1.0) * 0.05 };
    Ok(low - room..high + room)
}

/// The range of positive values on a logarithmic axis, with a little room on both sides.
pub(crate) fn log_range(
    axis: &str,
    values: impl Iterator<Item = f64>,
) -> Result<Range<f64>, FigureError> {
    let logarithm = |value: f64| {
        // The logarithm of zero and of negative numbers is refused as a value without a place.
        if value > 0.0 { Ok(value.ln()) } else { Err(value) }
    };
    let values: Result<Vec<f64>, f64> = values.map(logarithm).collect();
    let values = values.map_err(|value| FigureError::Value {
        axis: format!("{axis} (logarithmic)"),
        value: value.to_string(),
    })?;
    let range = range(axis, values.into_iter())?;
    Ok(range.start.exp()..range.end.exp())
}

/// Round numbers in a range, about five.
pub(crate) fn marks(values: &std::ops::Range<f64>) -> Vec<f64> {
    let rough = (values.end - values.start) / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (values.start / step).ceil() as i64;
    let last = (values.end / step).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_all_values_and_are_never_empty() {
        let found = range("x", [1.0, 3.0].into_iter()).unwrap();
        assert!(found.start < 1.0 && found.end > 3.0 && found.end < 3.2);
        let one = range("x", [0.0].into_iter()).unwrap();
        assert!(one.start < 0.0 && one.end > 0.0);
        let log = log_range("x", [0.001, 10.0].into_iter()).unwrap();
        assert!(log.start < 0.001 && log.start > 0.0 && log.end > 10.0);
    }

    #[test]
    fn values_without_a_place_are_named() {
        let error = range("ari", [0.5, f64::NAN].into_iter()).unwrap_err();
        assert_eq!(error.to_string(), "NaN has no place on the axis of ari");
        let error = log_range("seconds", [0.0].into_iter()).unwrap_err();
        assert_eq!(error.to_string(), "0 has no place on the axis of seconds (logarithmic)");
        assert!(matches!(range("x", [].into_iter()), Err(FigureError::Empty(_))));
    }

    #[test]
    fn marks_are_round_and_within() {
        let found = marks(&(0.13..0.87));
        assert_eq!(found.len(), 4);
        assert!(found.iter().zip([0.2, 0.4, 0.6, 0.8]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(marks(&(-1.0..1.0)), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }
}
