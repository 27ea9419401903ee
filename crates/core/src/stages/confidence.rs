//! The stage of confident pairs.

use crate::data::microclusters::Microclusters;
use crate::error::{Error, Result};
use crate::evidence::similarity::Similarity;
use crate::memory::{Bytes, Footprint, Shape};
use crate::numbers::csr::Csr;
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::stages::component::{Component, forward};

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

    /// What so many pairs take, as graph and as fixed entries.
    pub fn bytes(shape: &Shape, pairs: u64) -> Bytes {
        // Symmetric: an entry each way.
        let both = pairs.saturating_mul(2);
        shape.sparse(both) * 2 + shape.each_group(shape.scalar + size_of::<bool>())
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

    /// Fixes more entries, given as (group, group, value) in either order; a pair that
    /// is fixed already gets the new value. The graph stays as it is.
    ///
    /// # Errors
    /// [`Error::Index`] for a group that does not exist, [`Error::SelfPair`] for a
    /// group paired with itself.
    ///
    /// ```
    /// let mut confident = enclust_core::Confident::none(3);
    /// confident.fix([(0, 1, 0.5), (2, 0, 1.0), (1, 0, 0.0)])?;
    /// assert_eq!(confident.fixed.row(0), (&[1_u32, 2][..], &[0.0, 1.0][..]));
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    pub fn fix(&mut self, entries: impl IntoIterator<Item = (usize, usize, S)>) -> Result<()> {
        let groups = self.fixed.rows();
        let above = |p: usize| self.fixed.iter_row(p).filter(move |&(q, _)| q > p);
        let mut upper: Vec<Vec<(u32, S)>> =
            (0..groups).map(|p| above(p).map(|(q, v)| (q as u32, v)).collect()).collect();
        for (p, q, value) in entries {
            let (p, q) = (p.min(q), p.max(q));
            if q >= groups {
                return Err(Error::Index { what: "group", index: q, len: groups });
            }
            if p == q {
                return Err(Error::SelfPair { what: "group", index: p });
            }
            upper[p].push((q as u32, value));
        }
        upper.iter_mut().for_each(keep_last);
        self.fixed = Csr::symmetric_from_upper(upper);
        Ok(())
    }
}

/// Columns ascending; of equal ones the last stays.
fn keep_last<S: Copy>(row: &mut Vec<(u32, S)>) {
    row.sort_by_key(|e| e.0); // stable
    row.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 = later.1;
        }
        same
    });
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
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>>;

    /// At most so many bytes are taken by [`select`](Self::select); a run that has less is
    /// refused.
    ///
    /// The default is every pair that any clustering joins, and the same again to find them.
    fn footprint(&self, shape: &Shape) -> Footprint {
        let result = Confident::<S>::bytes(shape, shape.pairs_joined_by(0.0));
        Footprint::new(result, result)
    }
}

forward!(Confidence<S> {
    fn select(
        &self,
        microclusters: &Microclusters,
        similarity: &Similarity<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Confident<S>>;
    fn footprint(&self, shape: &Shape) -> Footprint;
});
