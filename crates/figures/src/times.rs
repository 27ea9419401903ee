//! Measured and published times.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::axes::log_range;
use crate::error::FigureError;
use crate::style::{
    Area, BLUE, Columns, GREY, ORANGE, PALE, SMALL, TEXT, letters, number, on_paper, paler, placed,
    width_of,
};

/// The times of methods, a dot for the time here and a ring for the published one, on a
/// logarithmic axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    /// The times, those of a data set one after the other.
    pub times: Vec<Time>,
}

/// The time of a method on a data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    /// The method.
    pub method: String,
    /// The data set.
    pub dataset: String,
    /// Seconds here.
    pub here: f64,
    /// Published seconds.
    pub published: Option<f64>,
}

/// Shorter times cannot be measured.
const SHORTEST: f64 = 1e-6;
const TOP: i32 = 42;
const ROW: i32 = 13;
const HEADING: i32 = 18;
const BOTTOM: i32 = 34;

impl Time {
    fn is_slower(&self) -> bool {
        self.published.is_some_and(|published| self.here >= published)
    }

    fn here(&self) -> f64 {
        self.here.max(SHORTEST)
    }
}

impl Drawing for Times {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        let all = self.times.iter().flat_map(|time| [Some(time.here()), time.published]).flatten();
        let seconds = log_range("seconds", all)?;
        let names = self.times.iter().map(|time| width_of(&time.method, SMALL)).max();
        let (left, width) = (names.unwrap_or(0) + 24, columns.width() as i32);
        // Room for the ratio behind the axis.
        let right = width - 60;
        let x = |value: f64| {
            let share = (value / seconds.start).ln() / (seconds.end / seconds.start).ln();
            left + (f64::from(right - left) * share).round() as i32
        };
        let places = self.places();
        let end = places.last().map_or(TOP, |(y, _)| y + ROW);
        on_paper((width as u32, (end + BOTTOM) as u32), |area| {
            draw_legend(area, width)?;
            draw_decades(area, &seconds, &x, end)?;
            let mut dataset = "";
            for (y, time) in places {
                if time.dataset != dataset {
                    dataset = &time.dataset;
                    let place = (10, y - ROW - 4);
                    area.draw(&Text::new(dataset, place, letters(SMALL, GREY)))?;
                }
                draw_time(area, time, y, &x, (left, width))?;
            }
            Ok(())
        })
    }
}

impl Times {
    /// The vertical place of each row, with room for a heading above those of each data set.
    fn places(&self) -> Vec<(i32, &Time)> {
        let (mut y, mut dataset) = (TOP, "");
        let mut places = Vec::new();
        for time in &self.times {
            y += ROW;
            if time.dataset != dataset {
                dataset = &time.dataset;
                y += HEADING;
            }
            places.push((y, time));
        }
        places
    }
}

fn draw_legend(area: &Area<'_>, width: i32) -> Result<(), FigureError> {
    let text =
        |text: &'static str, x: i32, ink, side| Text::new(text, (x, 28), placed(SMALL, ink, side));
    area.draw(&Text::new("seconds per run", (10, 8), letters(TEXT, BLACK)))?;
    let mut x = 14;
    for (name, ink, filled) in
        [("here", BLUE, true), ("here, not faster", ORANGE, true), ("published", GREY, false)]
    {
        let style = if filled { ink.filled() } else { ink.stroke_width(1) };
        area.draw(&Circle::new((x, 28), 3, style))?;
        area.draw(&text(name, x + 8, BLACK, HPos::Left))?;
        x += 8 + width_of(name, SMALL) + 16;
    }
    area.draw(&text("published / here", width - 10, GREY, HPos::Right))?;
    Ok(())
}

fn draw_decades(
    area: &Area<'_>,
    seconds: &std::ops::Range<f64>,
    x: &impl Fn(f64) -> i32,
    end: i32,
) -> Result<(), FigureError> {
    let (first, last) = (seconds.start.log10().ceil() as i32, seconds.end.log10().floor() as i32);
    for power in first..=last {
        let value = 10_f64.powi(power);
        let line = vec![(x(value), TOP), (x(value), end)];
        area.draw(&PathElement::new(line, PALE.stroke_width(1)))?;
        let style = placed(SMALL, GREY, HPos::Center);
        area.draw(&Text::new(number(value), (x(value), end + 8), style))?;
    }
    let middle = (x(seconds.start) + x(seconds.end)) / 2;
    let style = placed(SMALL, GREY, HPos::Center);
    area.draw(&Text::new("seconds, logarithmic", (middle, end + 24), style))?;
    Ok(())
}

/// How many times faster, with the digits that say something.
fn ratio(times: f64) -> String {
    if times < 10.0 { format!("{times:.2} ×") } else { format!("{times:.0} ×") }
}

fn draw_time(
    area: &Area<'_>,
    time: &Time,
    y: i32,
    x: &impl Fn(f64) -> i32,
    (left, width): (i32, i32),
) -> Result<(), FigureError> {
    let ink = if time.is_slower() { ORANGE } else { BLUE };
    let name = placed(SMALL, BLACK, HPos::Right);
    area.draw(&Text::new(time.method.as_str(), (left - 8, y), name))?;
    let here = x(time.here());
    if let Some(published) = time.published {
        let line = vec![(here, y), (x(published), y)];
        area.draw(&PathElement::new(line, paler(ink).stroke_width(2)))?;
        area.draw(&Circle::new((x(published), y), 3, WHITE.filled()))?;
        area.draw(&Circle::new((x(published), y), 3, GREY.stroke_width(1)))?;
        let ratio = ratio(published / time.here());
        let style = placed(SMALL, ink, HPos::Right);
        area.draw(&Text::new(ratio, (width - 10, y), style))?;
    }
    area.draw(&Circle::new((here, y), 3, ink.filled()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_dot_and_every_published_one_a_ring() {
        let time = |method: &str, here, published| Time {
            method: method.into(),
            dataset: "A & B".into(),
            here,
            published,
        };
        let times = vec![
            time("quick", 0.5, Some(1.0)),
            time("slow", 2.0, Some(1.0)),
            time("<new>", 0.0, None),
        ];
        let svg = Times { times }.svg(Columns::Two).unwrap();
        // Three in the legend, three here, two rings of two circles each.
        assert_eq!(svg.matches("<circle").count(), 3 + 3 + 4);
        assert_eq!(svg.matches("A &amp; B").count(), 1);
        assert!(svg.contains("&lt;new&gt;") && svg.contains("2.00 ×") && svg.contains("0.50 ×"));
    }
}
