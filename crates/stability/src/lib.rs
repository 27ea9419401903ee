//! How many clusters, and how sure.
//!
//! An ensemble says more than one partition: clustered again from some of its base clusterings
//! only, does the same partition come out? [`stability`] draws such parts of an ensemble, runs
//! a method on each, cuts at every k asked for, and measures how far the partitions agree.
//! [`choose`] picks a k by a stated [`Rule`] and says whether there is clear structure at all.
//! [`membership`] tells, for a finished clustering, how firmly each sample and each cluster
//! holds together.
//!
//! | rule | file | picks |
//! |---|---|---|
//! | [`Rule::Pac`] | `pac.rs` | the k with the fewest ambiguous pairs |
//! | [`Rule::DeltaArea`] | `delta_area.rs` | the last k up to which the area under the CDF grows appreciably |
//! | [`Rule::Gap`] | `gap.rs` | the k whose clusters last longest in the dendrogram |
//! | [`Rule::Agreement`] | `agreement.rs` | the k at which the draws agree best, beyond chance |
//! | [`Rule::Auto`] | `auto.rs` | the longest-lasting k among those at which the draws agree about best |
//!
//! ```
//! use enclust_ca::Eac;
//! use enclust_consensus::Linkage;
//! use enclust_core::{Ctx, Pipeline};
//! use enclust_stability::{Rule, StabilityParams, Verdict, choose, stability};
//!
//! // Three groups; every base clustering misplaces one label in twenty.
//! let ensemble = enclust_testkit::generate::planted(60, 20, 3, 0.05, 1);
//! let method = Pipeline::plain(Eac, Linkage::average())?;
//! let found = stability(&method, &ensemble, 2..=6, &StabilityParams::default(), &Ctx::default())?;
//! let choice = choose(&found, Rule::Auto)?;
//! assert_eq!((choice.k, choice.verdict), (3, Verdict::Clear));
//! # Ok::<(), enclust_core::Error>(())
//! ```
//!
//! # What it cannot do
//!
//! Only the base clusterings are drawn again, never the samples: a partition that every base
//! clustering repeats is stable here, whether or not new samples would show it. Stability is
//! necessary for structure, not sufficient, and the limit that calls structure clear was set by
//! experiment (`docs/stability.md`), with pools made by k-means. Few base clusterings (fewer
//! than about ten), or a method that balances its clusters whatever the data, weaken it
//! further.

mod agreement;
mod auto;
mod cdf;
mod choose;
mod confidence;
mod delta_area;
mod gap;
mod pac;
mod resample;
mod stability;
mod tally;

pub use cdf::ConsensusCdf;
pub use choose::{Choice, Rule, Verdict, choose};
pub use confidence::{ItemConsensus, Membership, membership};
pub use stability::{Level, Stability, StabilityParams, stability};
