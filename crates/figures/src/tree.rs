//! A dendrogram.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Drawing;
use crate::axes::{marks, range};
use crate::error::FigureError;
use crate::style::{
    Area, Columns, GREY, PALE, SMALL, TEXT, colour, letters, number, on_paper, placed,
};

/// The tree of a hierarchical clustering, cut into clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The merges in SciPy's form: two numbers of clusters, a height and a number of samples.
    /// Cluster i < n is sample i, cluster n + i was made by merge i.
    pub merges: Vec<[f64; 4]>,
    /// Number of clusters into which the tree is cut.
    pub k: usize,
    /// The largest number of leaves that are drawn; smaller clusters are drawn as one leaf.
    pub leaves: usize,
}

const LEFT: i32 = 44;
const TOP: i32 = 10;
const HEIGHT: i32 = 190;
const BOTTOM: i32 = 26;

/// A cluster on the paper.
#[derive(Clone, Copy, Debug)]
struct Node {
    x: f64,
    height: f64,
    /// The cluster of the cut that contains it, if one does.
    cluster: Option<usize>,
}

impl Tree {
    /// The two clusters of a merge.
    fn children(&self, merge: usize) -> [usize; 2] {
        [self.merges[merge][0] as usize, self.merges[merge][1] as usize]
    }

    fn samples(&self) -> usize {
        self.merges.len() + 1
    }

    fn check(&self) -> Result<(), FigureError> {
        let n = self.samples();
        for (at, merge) in self.merges.iter().enumerate() {
            let known = |c: f64| c >= 0.0 && c.fract() == 0.0 && c < (n + at) as f64;
            if let Some(bad) = merge[..2].iter().find(|c| !known(**c)) {
                let axis = format!("clusters of merge {at}");
                return Err(FigureError::Value { axis, value: bad.to_string() });
            }
        }
        if self.merges.is_empty() {
            return Err(FigureError::Empty("the tree has no merges"));
        }
        if self.k == 0 || self.k > n {
            let axis = format!("clusters of {n} samples");
            return Err(FigureError::Value { axis, value: self.k.to_string() });
        }
        Ok(())
    }

    /// The last merges, as many as leaves are drawn less one, are drawn; clusters made earlier are
    /// leaves.
    fn first_drawn(&self) -> usize {
        self.merges.len().saturating_sub(self.leaves.max(self.k).max(2) - 1)
    }

    /// The leaves from left to right.
    fn order(&self) -> Vec<usize> {
        let (n, first) = (self.samples(), self.first_drawn());
        let (mut order, mut open) = (Vec::new(), vec![n + self.merges.len() - 1]);
        while let Some(cluster) = open.pop() {
            if cluster >= n + first {
                let [a, b] = self.children(cluster - n);
                open.extend([b, a]);
            } else {
                order.push(cluster);
            }
        }
        order
    }

    /// Whether a merge joins clusters of the cut.
    fn is_above_cut(&self, merge: usize) -> bool {
        merge + self.k > self.merges.len()
    }
}

impl Drawing for Tree {
    fn svg(&self, columns: Columns) -> Result<String, FigureError> {
        self.check()?;
        // Stems of leaves reach down to the axis, which begins a little below the lowest merge.
        let drawn = &self.merges[self.first_drawn()..];
        let heights = range("height", drawn.iter().map(|merge| merge[2]))?;
        let (width, order) = (columns.width() as i32, self.order());
        let step = f64::from(width - LEFT - 10) / order.len() as f64;
        let y = |height: f64| {
            let height = height.max(heights.start);
            let share = (heights.end - height) / (heights.end - heights.start);
            TOP + (f64::from(HEIGHT) * share).round() as i32
        };
        on_paper((width as u32, (TOP + HEIGHT + BOTTOM) as u32), |area| {
            draw_axis(area, &heights, &y, width)?;
            self.draw_merges(area, &order, step, &y)?;
            let text = format!("{} samples, {} clusters", self.samples(), self.k);
            let place = ((LEFT + width) / 2, TOP + HEIGHT + 14);
            area.draw(&Text::new(text, place, placed(TEXT, BLACK, HPos::Center)))?;
            Ok(())
        })
    }
}

impl Tree {
    fn draw_merges(
        &self,
        area: &Area<'_>,
        order: &[usize],
        step: f64,
        y: &impl Fn(f64) -> i32,
    ) -> Result<(), FigureError> {
        let (n, first) = (self.samples(), self.first_drawn());
        let mut nodes: Vec<Option<Node>> = vec![None; n + self.merges.len()];
        for (at, &leaf) in order.iter().enumerate() {
            let x = f64::from(LEFT) + (at as f64 + 0.5) * step;
            let height = if leaf >= n { self.merges[leaf - n][2] } else { 0.0 };
            nodes[leaf] = Some(Node { x, height, cluster: None });
        }
        self.mark_clusters(&mut nodes, order);
        for merge in first..self.merges.len() {
            let [Some(a), Some(b)] = self.children(merge).map(|child| nodes[child]) else {
                continue;
            };
            let height = self.merges[merge][2];
            let above = self.is_above_cut(merge);
            let cluster = a.cluster.filter(|_| !above);
            let top = y(height);
            let ink = cluster.map_or(GREY, colour);
            let across = vec![(a.x as i32, top), (b.x as i32, top)];
            area.draw(&PathElement::new(across, ink.stroke_width(1)))?;
            for child in [a, b] {
                let ink = child.cluster.map_or(GREY, colour);
                let down = vec![(child.x as i32, top), (child.x as i32, y(child.height))];
                area.draw(&PathElement::new(down, ink.stroke_width(1)))?;
            }
            nodes[n + merge] = Some(Node { x: (a.x + b.x) / 2.0, height, cluster });
        }
        Ok(())
    }

    /// Numbers the clusters of the cut from left to right and marks their leaves.
    fn mark_clusters(&self, nodes: &mut [Option<Node>], order: &[usize]) {
        let n = self.samples();
        let mut root: Vec<usize> = (0..nodes.len()).collect();
        for merge in (self.first_drawn()..self.merges.len()).rev() {
            if !self.is_above_cut(merge) {
                for child in self.children(merge) {
                    root[child] = root[n + merge];
                }
            }
        }
        let mut seen: Vec<usize> = Vec::new();
        for &leaf in order {
            if !seen.contains(&root[leaf]) {
                seen.push(root[leaf]);
            }
            let number = seen.iter().position(|cluster| *cluster == root[leaf]);
            if let Some(node) = &mut nodes[leaf] {
                node.cluster = number;
            }
        }
    }
}

fn draw_axis(
    area: &Area<'_>,
    heights: &std::ops::Range<f64>,
    y: &impl Fn(f64) -> i32,
    width: i32,
) -> Result<(), FigureError> {
    for height in marks(heights) {
        let line = vec![(LEFT, y(height)), (width - 10, y(height))];
        area.draw(&PathElement::new(line, PALE.stroke_width(1)))?;
        let style = placed(SMALL, GREY, HPos::Right);
        area.draw(&Text::new(number(height), (LEFT - 4, y(height)), style))?;
    }
    let upright = letters(TEXT, BLACK).transform(FontTransform::Rotate270);
    let upright = upright.pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new("height", (10, TOP + HEIGHT / 2), upright))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples 0 and 1, then 2 and 3, then both pairs.
    fn tree(k: usize, leaves: usize) -> Tree {
        let merges = vec![[0.0, 1.0, 0.1, 2.0], [2.0, 3.0, 0.2, 2.0], [4.0, 5.0, 0.9, 4.0]];
        Tree { merges, k, leaves }
    }

    #[test]
    fn leaves_are_ordered_by_the_tree() {
        assert_eq!(tree(2, 10).order(), [0, 1, 2, 3]);
        assert_eq!(tree(2, 2).order(), [4, 5]);
        assert_eq!(tree(3, 3).order(), [4, 2, 3]);
    }

    #[test]
    fn clusters_of_the_cut_have_colours() {
        let svg = tree(2, 10).svg(Columns::One).unwrap();
        let count = |at| {
            let RGBColor(r, g, b) = colour(at);
            svg.matches(&format!("#{r:02X}{g:02X}{b:02X}")).count()
        };
        // Its own merge, its two leaves and the line to the root.
        assert_eq!((count(0), count(1), count(2)), (4, 4, 0));
    }

    #[test]
    fn merges_that_are_no_tree_are_refused() {
        let cyclic = Tree { merges: vec![[0.0, 2.0, 0.1, 2.0]], ..tree(1, 4) };
        assert!(matches!(cyclic.svg(Columns::One), Err(FigureError::Value { .. })));
        assert!(matches!(tree(9, 4).svg(Columns::One), Err(FigureError::Value { .. })));
        let empty = Tree { merges: Vec::new(), ..tree(1, 4) };
        assert!(matches!(empty.svg(Columns::One), Err(FigureError::Empty(_))));
    }
}
