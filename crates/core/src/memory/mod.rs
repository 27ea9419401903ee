//! Memory, reckoned before it is taken.
//!
//! Every stage states its [`Footprint`] for a [`Shape`]. A
//! [`Pipeline`](crate::Pipeline) adds the stages up before it makes anything of size
//! n' × n', and refuses what does not fit with [`Error::Memory`](crate::Error::Memory).

mod available;
mod bytes;
mod plan;
mod shape;

pub use bytes::Bytes;
pub use plan::Need;
pub use shape::Shape;

pub(crate) use available::available;
pub(crate) use plan::{check, require};

/// What a stage takes, its input left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// What its answer holds, which lives on when the stage is done.
    pub result: Bytes,
    /// The most it needs besides while it runs.
    pub working: Bytes,
}

impl Footprint {
    /// From what the answer holds and what is needed besides.
    pub fn new(result: Bytes, working: Bytes) -> Self {
        Footprint { result, working }
    }

    /// Both together: the most the stage takes at any moment.
    pub fn total(&self) -> Bytes {
        self.result + self.working
    }
}
