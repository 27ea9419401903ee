//! The seam of high-confidence pairs.

use crate::component::{Component, forward};
use crate::context::Ctx;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::microclusters::Microclusters;
use crate::real::Real;
use crate::similarity::Similarity;

/// The pairs to be believed: a graph that carries information and a set of
/// entries that keep their value. The two are kept apart because they may
/// differ (a constraint fixes an entry without being an edge).
#[derive(Clone, Debug, PartialEq)]
pub struct Confident<S> {
    /// H: non-negative, symmetric, without diagonal; between groups.
    pub graph: Csr<S>,
    /// Value of H between two different samples of a group, for each group.
    pub within: Vec<S>,
    /// Ω between groups: symmetric, without diagonal; the value an entry is
    /// fixed to.
    pub fixed: Csr<S>,
    /// Whether pairs within a group are in Ω (fixed to the similarity's own
    /// value), for each group.
    pub fixed_within: Vec<bool>,
}

impl<S: Real> Confident<S> {
    /// No pair at all.
    pub fn none(groups: usize) -> Self {
        Confident {
            graph: Csr::empty(groups, groups),
            within: vec![S::zero(); groups],
            fixed: Csr::empty(groups, groups),
            fixed_within: vec![false; groups],
        }
    }
}

impl<S: Real> Confident<S> {
    /// Checks that the pairs are symmetric, without diagonal, finite and not
    /// negative, and that there are as many groups as there should be.
    pub fn check(&self, groups: usize) -> Result<()> {
        for (what, matrix) in
            [("graph of confident pairs", &self.graph), ("fixed entries", &self.fixed)]
        {
            Error::check_size(what, groups, matrix.rows())?;
            Error::check_size(what, groups, matrix.cols())?;
            check_symmetric(what, matrix)?;
        }
        Error::check_size("confidences within groups", groups, self.within.len())?;
        Error::check_size("marks of fixed groups", groups, self.fixed_within.len())
    }
}

fn check_symmetric<S: Real>(what: &'static str, matrix: &Csr<S>) -> Result<()> {
    for row in 0..matrix.rows() {
        for (column, value) in matrix.iter_row(row) {
            let mirrored = matrix.get(column, row).unwrap_or(S::zero());
            if row == column || !(value >= S::zero() && value <= S::one()) {
                return Err(Error::Entry { what, row, column, value: value.wide() });
            }
            if value != mirrored {
                let (upper, lower) = (value.wide(), mirrored.wide());
                return Err(Error::Asymmetric { row, column, upper, lower });
            }
        }
    }
    Ok(())
}

/// Chooses the high-confidence pairs of an ensemble.
pub trait Confidence<S: Real>: Component {
    /// The pairs, at the size of the similarity's groups.
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &mut Ctx<'_, S>,
    ) -> Result<Confident<S>>;
}

forward!(Confidence<S> {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &mut Ctx<'_, S>,
    ) -> Result<Confident<S>>;
});
