//! Scores of methods on data sets.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::axes::{marks, range};
use crate::error::{FigureError, check_length};
use crate::style::{
    Area, Columns, GREY, PALE, SMALL, TEXT, colour, number, on_paper, paler, placed, repeats,
    width_of,
};
use crate::{Drawing, legend};

/// Mean ± standard deviation of several methods on several data sets, a row for each data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// What is shown.
    pub title: String,
    /// The data sets.
    pub pools: Vec<String>,
    /// The methods.
    pub methods: Vec<String>,
    /// For each data set, the score of each method; `None` where there is none.
    pub scores: Vec<Vec<Option<Score>>>,
}

/// Mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub std: f64,
}

/// Height of one method in a row.
const LINE: i32 = 8;
/// Room between rows.
const GAP: i32 = 8;
/// Room for the numbers below the axis.
const BOTTOM: i32 = 32;

impl Scores {
    fn check(&self) -> Result<(), FigureError> {
        check_length("rows of scores", self.scores.len(), self.pools.len())?;
        for row in &self.scores {
            check_length("scores of a data set", row.len(), self.methods.len())?;
        }
        Ok(())
    }

    fn row(&self) -> i32 {
        self.methods.len() as i32 * LINE + GAP
    }
}

impl Drawing for Scores {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        self.check()?;
        let all = self.scores.iter().flatten().flatten();
        let values = range(&self.title, all.flat_map(|s| [s.mean - s.std, s.mean + s.std]))?;
        let names: Vec<&str> = self.methods.iter().map(String::as_str).collect();
        let width = columns.width();
        let inner = self.row() * self.pools.len() as i32 + BOTTOM;
        let height = legend::height(&names, width) + inner as u32 + 8;
        on_paper((width, height), |area| {
            let area = legend::draw(area, &names)?;
            let left = self.pools.iter().map(|name| width_of(name, SMALL)).max().unwrap_or(0) + 18;
            let left = left.min(width as i32 / 2);
            let right = width as i32 - 12;
            let x = |value: f64| {
                let share = (value - values.start) / (values.end - values.start);
                left + (f64::from(right - left) * share).round() as i32
            };
            self.draw_axis(&area, &values, &x)?;
            for (at, (pool, scores)) in self.pools.iter().zip(&self.scores).enumerate() {
                let top = 4 + at as i32 * self.row();
                let middle = top + (self.row() - GAP) / 2;
                let style = placed(SMALL, BLACK, HPos::Right);
                area.draw(&Text::new(pool.as_str(), (left - 8, middle), style))?;
                draw_row(&area, top, scores, &x)?;
            }
            Ok(())
        })
    }
}

impl Scores {
    fn draw_axis(
        &self,
        area: &Area<'_>,
        values: &std::ops::Range<f64>,
        x: &impl Fn(f64) -> i32,
    ) -> Result<(), FigureError> {
        let end = 4 + self.row() * self.pools.len() as i32;
        for mark in marks(values) {
            let line = PathElement::new(vec![(x(mark), 2), (x(mark), end)], PALE.stroke_width(1));
            area.draw(&line)?;
            let style = placed(SMALL, GREY, HPos::Center);
            area.draw(&Text::new(number(mark), (x(mark), end + 7), style))?;
        }
        let middle = (x(values.start) + x(values.end)) / 2;
        let style = placed(TEXT, BLACK, HPos::Center);
        area.draw(&Text::new(self.title.as_str(), (middle, end + 21), style))?;
        Ok(())
    }
}

fn draw_row(
    area: &Area<'_>,
    top: i32,
    scores: &[Option<Score>],
    x: &impl Fn(f64) -> i32,
) -> Result<(), FigureError> {
    for (at, score) in scores.iter().enumerate() {
        let Some(Score { mean, std }) = *score else { continue };
        let (y, colour) = (top + at as i32 * LINE + LINE / 2, colour(at));
        let ends = vec![(x(mean - std), y), (x(mean + std), y)];
        area.draw(&PathElement::new(ends, paler(colour).stroke_width(1)))?;
        let style = if repeats(at) { colour.stroke_width(1) } else { colour.filled() };
        area.draw(&Circle::new((x(mean), y), 3, style))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_has_a_dot_and_missing_ones_have_none() {
        let score = |mean| Some(Score { mean, std: 0.1 });
        let figure = Scores {
            title: "ari".into(),
            pools: vec!["Ecoli".into(), "UMIST".into()],
            methods: vec!["eac".into(), "lwea".into()],
            scores: vec![vec![score(0.4), score(0.5)], vec![None, score(0.3)]],
        };
        let svg = figure.svg(Columns::Two).unwrap();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("Ecoli") && svg.contains("lwea"));
        let wrong = Scores { pools: vec!["Ecoli".into()], ..figure };
        assert!(matches!(wrong.svg(Columns::Two), Err(FigureError::Length { .. })));
    }
}
