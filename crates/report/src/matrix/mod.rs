//! Matrices as heat maps: ordered, and aggregated into a few hundred rows.

mod cells;
mod factored;
mod layout;
mod maps;

pub use layout::{Layout, Segment};
pub use maps::{HeatMap, HeatMaps};
