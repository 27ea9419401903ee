//! The stages of a run, with one trait per stage.

pub(crate) mod backend;
pub(crate) mod by_samples;
pub(crate) mod ca;
pub(crate) mod component;
pub(crate) mod confidence;
pub(crate) mod confident;
pub(crate) mod consensus;
pub(crate) mod enhance;
pub(crate) mod metered;
pub(crate) mod reduce;
pub(crate) mod stage;
pub(crate) mod stop;
