//! The sizes of clusters.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use crate::Drawing;
use crate::error::FigureError;
use crate::style::{BLUE, Columns, SMALL, TEXT, letters, on_paper, placed};

/// A bar for each cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// What is shown.
    pub title: String,
    /// Number of samples of each cluster.
    pub sizes: Vec<usize>,
}

const ROW: i32 = 14;
const TOP: i32 = 26;
const LEFT: i32 = 40;
/// Room for the number behind the longest bar.
const RIGHT: i32 = 60;

impl Drawing for Sizes {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        let largest = self.sizes.iter().copied().max().filter(|largest| *largest > 0);
        let largest = largest.ok_or(FigureError::Empty("there are no clusters"))? as f64;
        let width = columns.width() as i32;
        let length =
            |size: usize| (f64::from(width - LEFT - RIGHT) * size as f64 / largest).round() as i32;
        let height = TOP + ROW * self.sizes.len() as i32 + 8;
        on_paper((width as u32, height as u32), |area| {
            area.draw(&Text::new(self.title.as_str(), (10, 8), letters(TEXT, BLACK)))?;
            for (cluster, &size) in self.sizes.iter().enumerate() {
                let top = TOP + cluster as i32 * ROW;
                let (middle, end) = (top + ROW / 2 - 1, LEFT + length(size));
                let name = placed(SMALL, BLACK, HPos::Right);
                area.draw(&Text::new(cluster.to_string(), (LEFT - 6, middle), name))?;
                let corners = [(LEFT, top), (end, top + ROW - 3)];
                area.draw(&Rectangle::new(corners, BLUE.filled()))?;
                let count = placed(SMALL, BLACK, HPos::Left);
                area.draw(&Text::new(size.to_string(), (end + 5, middle), count))?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cluster_has_a_bar_with_its_size() {
        let figure = Sizes { title: "k = 3".into(), sizes: vec![120, 0, 7] };
        let svg = figure.svg(Columns::One).unwrap();
        assert_eq!(svg.matches("<rect").count(), 1 + 3);
        assert!(svg.contains("120"));
        let none = Sizes { sizes: vec![], ..figure };
        assert!(matches!(none.svg(Columns::One), Err(FigureError::Empty(_))));
    }
}
