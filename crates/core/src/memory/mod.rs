//! Memory planning.
//!
//! Every stage states its [`Footprint`] for a [`Shape`]. A [`Pipeline`](crate::Pipeline) adds up
//! the stages before it allocates anything of size n' × n', and returns
//! [`Error::Memory`](crate::Error::Memory) if they need more memory than is available.

mod available;
mod bytes;
mod plan;
mod shape;

pub use bytes::Bytes;
pub use plan::Need;
pub use shape::Shape;

pub(crate) use available::available;
pub(crate) use plan::{check, largest, require};

/// The memory of a stage, without its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// The memory of its result, which remains allocated when the stage is done.
    pub result: Bytes,
    /// The peak of additional memory while it runs.
    pub working: Bytes,
}

impl Footprint {
    /// A footprint from the memory of the result and the additional memory.
    pub fn new(result: Bytes, working: Bytes) -> Self {
        Footprint { result, working }
    }

    /// The sum: the peak memory of the stage.
    pub fn total(&self) -> Bytes {
        self.result + self.working
    }
}
