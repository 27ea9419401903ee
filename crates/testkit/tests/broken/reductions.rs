//! Broken reductions.

use std::sync::atomic::{AtomicU32, Ordering};

use enclust_core::{Component, Ctx, Microclusters, Reduce, Reduced, Result, RunSize};
use enclust_testkit::reduce;

use crate::{assert_names, complaint, component};

component!(LeavesTooMany, ReducesAgain);

/// The labels of the first rows, of which the last stands for all others.
fn first_rows(name: &str, rows: &Microclusters, left: usize) -> Result<Reduced> {
    let last = left.min(rows.len()) - 1;
    let row = |p: usize| (0..rows.clusterings()).map(move |k| rows.label(p, k));
    let labels: Vec<u32> = (0..=last).flat_map(row).collect();
    let nearest: Vec<u32> = (0..rows.len()).map(|p| p.min(last) as u32).collect();
    Reduced::new(name, rows, &nearest, &labels)
}

impl Reduce<f64> for LeavesTooMany {
    fn rows(&self, size: RunSize) -> Option<usize> {
        (size.groups > 5).then_some(5)
    }

    fn reduce(&self, rows: &Microclusters, left: usize, _: &Ctx<'_, f64>) -> Result<Reduced> {
        first_rows(self.name(), rows, left + 1)
    }
}

impl Reduce<f64> for ReducesAgain {
    fn rows(&self, size: RunSize) -> Option<usize> {
        (size.groups > 1).then_some(size.groups / 2)
    }

    fn reduce(&self, rows: &Microclusters, left: usize, _: &Ctx<'_, f64>) -> Result<Reduced> {
        first_rows(self.name(), rows, left)
    }
}

#[derive(Debug, Default)]
struct ChangesItsMind(AtomicU32);

impl Component for ChangesItsMind {
    fn name(&self) -> &str {
        "changes-its-mind"
    }
}

impl Reduce<f64> for ChangesItsMind {
    fn rows(&self, size: RunSize) -> Option<usize> {
        LeavesTooMany.rows(size)
    }

    fn reduce(&self, rows: &Microclusters, left: usize, _: &Ctx<'_, f64>) -> Result<Reduced> {
        let earlier = self.0.fetch_add(1, Ordering::Relaxed) as usize;
        first_rows(self.name(), rows, left.saturating_sub(earlier % 2).max(1))
    }
}

#[test]
fn reduction_that_leaves_too_many_rows() {
    let complaint = complaint(|| reduce::conformance(&LeavesTooMany));
    assert_names(&complaint, "at most the given number of rows is left");
}

#[test]
fn reduction_that_reduces_again() {
    let complaint = complaint(|| reduce::conformance(&ReducesAgain));
    assert_names(&complaint, "a reduced run is not reduced again");
}

#[test]
fn reduction_that_depends_on_earlier_calls() {
    let complaint = complaint(|| reduce::conformance(&ChangesItsMind::default()));
    assert_names(&complaint, "the number of threads changes nothing");
}
