//! Mean ranks with the critical difference.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::error::{FigureError, check_length};
use crate::style::{
    Area, BLUE, Columns, GREY, SMALL, TEXT, fitted, letters, number, on_paper, placed, width_of,
};

/// The diagram of Demšar: methods on an axis of mean ranks, the best on the right. A bar joins
/// methods whose ranks differ by less than the critical difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// What was compared.
    pub title: String,
    /// The methods.
    pub names: Vec<String>,
    /// The mean rank of each method; 1 is the best.
    pub ranks: Vec<f64>,
    /// The difference from which two methods differ.
    pub critical_difference: Option<f64>,
}

/// Height of a line of names.
const ROW: i32 = 14;
/// Height of a bar with the room below it.
const BAR: i32 = 7;
/// The axis, below the title and the critical difference.
const AXIS: i32 = 58;

impl Drawing for Ranks {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        check_length("ranks", self.ranks.len(), self.names.len())?;
        if self.names.is_empty() {
            return Err(FigureError::Empty("there are no methods"));
        }
        if let Some(rank) = self.ranks.iter().find(|rank| !rank.is_finite() || **rank < 1.0) {
            return Err(FigureError::Value { axis: "ranks".into(), value: rank.to_string() });
        }
        let width = columns.width();
        let place = Place::of(self, width as i32);
        let bars = self.groups().len() as i32 * BAR;
        let rows = self.names.len().div_ceil(2) as i32;
        let height = AXIS + 10 + bars + rows * ROW + 12;
        on_paper((width, height as u32), |area| {
            area.draw(&Text::new(self.title.as_str(), (10, 8), letters(TEXT, BLACK)))?;
            self.draw_axis(area, &place)?;
            self.draw_bars(area, &place)?;
            self.draw_names(area, &place, AXIS + 10 + bars)
        })
    }
}

/// Where ranks are on the paper.
struct Place {
    left: i32,
    right: i32,
    worst: f64,
}

impl Place {
    fn of(figure: &Ranks, width: i32) -> Self {
        let longest = figure.names.iter().map(|name| width_of(name, SMALL)).max();
        let longest = longest.unwrap_or_default();
        // Names stand at the sides, with their rank.
        let room = (longest + 46).min(width * 38 / 100);
        let worst = figure.ranks.iter().copied().fold(2.0, f64::max).ceil();
        Place { left: room, right: width - room, worst }
    }

    /// The best rank is on the right.
    fn x(&self, rank: f64) -> i32 {
        let share = (self.worst - rank) / (self.worst - 1.0);
        self.left + (f64::from(self.right - self.left) * share).round() as i32
    }
}

impl Ranks {
    /// The methods from the best to the worst.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.ranks.len()).collect();
        order.sort_by(|&a, &b| self.ranks[a].total_cmp(&self.ranks[b]));
        order
    }

    /// The best and the worst rank of each largest group of methods that do not differ.
    fn groups(&self) -> Vec<(f64, f64)> {
        let Some(difference) = self.critical_difference else { return Vec::new() };
        let ranks: Vec<f64> = self.order().into_iter().map(|at| self.ranks[at]).collect();
        let mut groups: Vec<(f64, f64)> = Vec::new();
        let mut end = 0;
        for (start, &best) in ranks.iter().enumerate() {
            let last = ranks.iter().rposition(|&rank| rank - best < difference).unwrap_or(start);
            // A group within an earlier one says nothing new.
            if last > start && (groups.is_empty() || last > end) {
                groups.push((best, ranks[last]));
                end = last;
            }
        }
        groups
    }

    fn draw_axis(&self, area: &Area<'_>, place: &Place) -> Result<(), FigureError> {
        let line = |from, to| PathElement::new(vec![from, to], GREY.stroke_width(1));
        area.draw(&line((place.left, AXIS), (place.right, AXIS)))?;
        let mut rank = 1.0;
        while rank <= place.worst {
            let x = place.x(rank);
            area.draw(&line((x, AXIS - 4), (x, AXIS)))?;
            let style = placed(SMALL, GREY, HPos::Center);
            area.draw(&Text::new(number(rank), (x, AXIS - 12), style))?;
            rank += 1.0;
        }
        let Some(difference) = self.critical_difference else { return Ok(()) };
        // The length of the critical difference, above the axis, from the best rank on.
        let (from, y) = (place.right, AXIS - 24);
        let to = place.right - (place.right - place.x(1.0 + difference));
        let to = to.max(place.left);
        area.draw(&PathElement::new(vec![(from, y), (to, y)], BLACK.stroke_width(1)))?;
        for x in [from, to] {
            area.draw(&PathElement::new(vec![(x, y - 3), (x, y + 3)], BLACK.stroke_width(1)))?;
        }
        let text = format!("critical difference {difference:.2}");
        area.draw(&Text::new(text, (to - 6, y), placed(SMALL, BLACK, HPos::Right)))?;
        Ok(())
    }

    fn draw_bars(&self, area: &Area<'_>, place: &Place) -> Result<(), FigureError> {
        for (at, (best, worst)) in self.groups().into_iter().enumerate() {
            let y = AXIS + 8 + at as i32 * BAR;
            let ends = vec![(place.x(best) + 3, y), (place.x(worst) - 3, y)];
            area.draw(&PathElement::new(ends, BLUE.stroke_width(3)))?;
        }
        Ok(())
    }

    /// The better half is named on the right, the other on the left.
    fn draw_names(&self, area: &Area<'_>, place: &Place, top: i32) -> Result<(), FigureError> {
        let order = self.order();
        let right = order.len().div_ceil(2);
        for (at, &method) in order.iter().enumerate() {
            let (row, is_right) =
                if at < right { (at, true) } else { (order.len() - 1 - at, false) };
            let (x, y) = (place.x(self.ranks[method]), top + row as i32 * ROW + ROW / 2);
            let (end, side) = match is_right {
                true => (place.right + 6, HPos::Left),
                false => (place.left - 6, HPos::Right),
            };
            let path = vec![(x, AXIS), (x, y), (end, y)];
            area.draw(&PathElement::new(path, GREY.stroke_width(1)))?;
            let name = fitted(&self.names[method], SMALL, place.left - 42);
            let text = format!("{name} ({:.2})", self.ranks[method]);
            let x = if is_right { end + 3 } else { end - 3 };
            area.draw(&Text::new(text, (x, y), placed(SMALL, BLACK, side)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ranks: &[f64], critical_difference: Option<f64>) -> Ranks {
        let names = (0..ranks.len()).map(|at| format!("method {at}")).collect();
        Ranks { title: "ari".into(), names, ranks: ranks.to_vec(), critical_difference }
    }

    #[test]
    fn groups_are_the_largest_sets_without_a_difference() {
        let found = figure(&[4.0, 1.0, 1.5, 2.4, 3.9], Some(1.0)).groups();
        assert_eq!(found, [(1.0, 1.5), (1.5, 2.4), (3.9, 4.0)]);
        // A difference of exactly the critical one is a difference.
        assert!(figure(&[1.0, 2.0], Some(1.0)).groups().is_empty());
        assert_eq!(figure(&[1.0, 2.0], Some(1.01)).groups(), [(1.0, 2.0)]);
        assert!(figure(&[1.0, 2.0], None).groups().is_empty());
    }

    #[test]
    fn every_method_is_named_with_its_rank() {
        let svg = figure(&[2.25, 1.0, 2.75], Some(0.9)).svg(Columns::Two).unwrap();
        for text in ["method 0 (2.25)", "method 1 (1.00)", "critical difference 0.90"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn ranks_below_one_are_refused() {
        assert!(matches!(
            figure(&[0.5, 2.0], None).svg(Columns::One),
            Err(FigureError::Value { .. })
        ));
    }
}
