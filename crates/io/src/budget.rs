//! The memory that reading may take.

use enclust_core::{Bytes, Ctx};

use crate::error::Fault;
use crate::grid::Grid;

/// The bytes that a value may take when it has been read: a label takes half of this.
pub(crate) const VALUE: u64 = 8;

/// A limit that is stated, or the memory that is available when it is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget {
    stated: Option<Bytes>,
}

impl Budget {
    /// Without a stated limit, the available memory of the machine is the limit.
    pub fn new(stated: Option<Bytes>) -> Self {
        Budget { stated }
    }

    /// Returns an error if `more` bytes exceed the limit. The `held` bytes that are already
    /// allocated count towards a stated limit; the available memory does not contain them.
    pub fn require(self, held: u64, more: u64) -> Result<(), Fault> {
        let Some(left) = self.left(held) else { return Ok(()) };
        if Bytes(more) <= left {
            return Ok(());
        }
        let held = if self.stated.is_some() { held } else { 0 };
        Err(Fault::Memory { needed: Bytes(held) + Bytes(more), available: left + Bytes(held) })
    }

    /// Returns an error if the values that are made of a grid exceed the limit.
    pub fn require_values(self, held: u64, grid: &dyn Grid) -> Result<(), Fault> {
        let cells = (grid.rows() as u64).saturating_mul(grid.columns() as u64);
        self.require(held, cells.saturating_mul(VALUE))
    }

    /// The bytes that may still be allocated; `None` if this is unknown.
    pub fn left(self, held: u64) -> Option<Bytes> {
        match self.stated {
            Some(limit) => Some(limit - Bytes(held)),
            None => Ctx::<f64>::default().memory(),
        }
    }
}
