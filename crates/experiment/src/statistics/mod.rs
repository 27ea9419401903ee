//! Tests of whether variants differ, over several pools or runs.
//!
//! | question | test |
//! |---|---|
//! | Do two variants differ? | [`wilcoxon`], the signed-rank test |
//! | Do two variants of several differ? | the same, with p-values [adjusted](holm) for the number of tests |
//! | Do any of several variants differ? | [`friedman`] |
//! | Which of them? | [`nemenyi`], and its [critical difference](critical_difference) of mean ranks |
//!
//! The conventions are those of SciPy and scikit-posthocs.

mod friedman;
mod holm;
mod nemenyi;
mod ranks;
mod studentized_range;
mod wilcoxon;

pub use friedman::{Friedman, friedman};
pub use holm::holm;
pub use nemenyi::{critical_difference, nemenyi};
pub use ranks::{mean_ranks, ranks};
pub use wilcoxon::{Wilcoxon, wilcoxon};
