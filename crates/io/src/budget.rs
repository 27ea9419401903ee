//! The memory that reading may take.

use enclust_core::{Bytes, Ctx};

use crate::error::Fault;

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

    /// The bytes that may still be allocated; `None` if this is unknown.
    pub fn left(self, held: u64) -> Option<Bytes> {
        match self.stated {
            Some(limit) => Some(limit - Bytes(held)),
            None => Ctx::<f64>::default().memory(),
        }
    }
}
