//! Number of clusters and stability of clusterings.
//!
//! An ensemble can be resampled: a stable partition is found again from a subset of the base
//! clusterings. [`stability`] draws such subsets, runs a method on each, cuts at every
//! requested k, and measures how well the partitions agree. [`choose`] selects a k by a
//! documented [`Rule`] and reports whether there is clear structure. [`judge`] needs the features
//! from which the base clusterings were made; it compares them with data that have no clusters,
//! and may answer that there is only one cluster. [`membership`] computes the item and cluster
//! consensus of a given clustering, and [`ranking`] what each base clustering contributes to it.
//!
//! | rule | file | selects |
//! |---|---|---|
//! | [`Rule::Pac`] | `pac.rs` | the k with the fewest ambiguous pairs |
//! | [`Rule::DeltaArea`] | `delta_area.rs` | the last k up to which the area under the CDF grows appreciably |
//! | [`Rule::Gap`] | `gap.rs` | the k whose clusters last longest in the dendrogram |
//! | [`Rule::Agreement`] | `agreement.rs` | the k at which the draws agree best, beyond chance |
//! | [`Rule::Auto`] | `auto.rs` | the k with the largest gap among those whose agreement is close to the highest |
//!
//! ```
//! use enclust_ca::Eac;
//! use enclust_consensus::Linkage;
//! use enclust_core::{Ctx, Pipeline};
//! use enclust_stability::{Rule, StabilityParams, Verdict, choose, stability};
//!
//! // Three groups; in every base clustering one label in twenty is wrong.
//! let ensemble = enclust_testkit::generate::planted(60, 20, 3, 0.05, 1);
//! let method = Pipeline::plain(Eac, Linkage::average())?;
//! let found = stability(&method, &ensemble, 2..=6, &StabilityParams::default(), &Ctx::default())?;
//! let choice = choose(&found, Rule::Auto)?;
//! assert_eq!((choice.k, choice.verdict), (3, Verdict::Clear));
//! # Ok::<(), enclust_core::Error>(())
//! ```
//! # Limitations
//!
//! Only the base clusterings are resampled, not the samples: a partition that every base
//! clustering repeats is stable by this measure, whether or not new samples would show it.
//! Stability is necessary for structure but not sufficient, and the limit for clear structure
//! was determined by experiments (`docs/stability.md`) with pools made by k-means. The verdict
//! is less reliable with fewer than about ten base clusterings, or with a method that always
//! balances its clusters.

mod agreement;
mod auto;
mod cdf;
mod choose;
mod confidence;
mod delta_area;
mod gap;
mod pac;
mod ranking;
mod references;
mod resample;
mod stability;
mod tally;

pub use cdf::ConsensusCdf;
pub use choose::{Choice, Rule, Verdict, choose};
pub use confidence::{ItemConsensus, Membership, membership};
pub use ranking::{Ranked, agreements, rank, ranking};
pub use references::{JudgeParams, Judged, Judgement, judge, subsample};
pub use stability::{Level, Stability, StabilityParams, stability};
