//! Composition of parts, in code or by name.

pub(crate) mod method;
pub(crate) mod params;
pub(crate) mod pipeline;
pub(crate) mod refinement;
pub(crate) mod registry;
pub(crate) mod spec;
pub(crate) mod stages_of_a_run;
pub(crate) mod table;
