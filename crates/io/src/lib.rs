//! File formats of enclust.
//!
//! | to read | there is | from |
//! |---|---|---|
//! | base clusterings | [`read_pool`], [`read_pool_with`] | text, `.mat`, `.npy`, `.npz`, `.parquet` |
//! | true classes | [`read_labels`], [`read_labels_with`] | the same |
//! | features to cluster | [`read_features`], [`read_features_with`] | the same |
//! | must-link or cannot-link pairs | [`read_pairs`] | text |
//! | a precomputed similarity | [`read_similarity`] | `.npy` |
//!
//! The first bytes of a file decide its format, else the extension does: see
//! [`Format::of`]. Parquet needs the feature `parquet`. How headers, id columns and
//! separators of text files are recognised is said at [`TableOptions`].
//!
//! [`write_labels`], [`write_pool`] and [`write_matrix_npy`] write results, all by
//! [`write_atomically`]: a file is there whole or not at all.
//!
//! ```no_run
//! use enclust_io::{Noise, PoolOptions, read_pool, read_pool_with};
//!
//! let pool = read_pool("Ecoli.mat")?;
//! println!("{} samples, {} clusterings", pool.ensemble.samples(), pool.ensemble.clusterings());
//!
//! let options = PoolOptions { noise: Noise::Missing, ..PoolOptions::default() };
//! let pool = read_pool_with("hdbscan.csv", &options)?;
//! # Ok::<(), enclust_io::ReadError>(())
//! ```
//!
//! # Files from elsewhere
//!
//! Whatever bytes a file has, reading it ends in a value or in a [`ReadError`]: no panic,
//! no endless loop. What is accepted is valid: as many ids as samples, no id twice,
//! finite features, similarities in [0, 1].
//!
//! Memory is bounded by what the file holds, never by what it declares: at most
//! 128 times the content plus 1 MiB. The content is the file itself, for text and
//! `.npy`. In `.mat` and `.npz` it is what the compressed file holds: at most 1032 times
//! its size, which is the most that deflate does, and at most 2 GiB a variable. In Parquet
//! it is 16 bytes a value and the text, at most 1032 times the size plus 64 MiB.
//! `tests/damage.rs` runs 10,000 damaged files under a counting allocator, and `fuzz/`
//! holds a target for each format.

mod error;
mod features;
mod file;
mod grid;
mod keys;
mod labels;
mod mat;
mod npy;
mod npz;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod pool;
mod recognise;
mod similarity;
mod table;
mod text;
mod write;

pub use error::{Fault, MatError, NpyError, Place, ReadError, WriteError};
pub use features::{Features, read_features, read_features_with};
pub use file::Format;
pub use keys::Noise;
pub use labels::{Labels, read_labels, read_labels_with};
pub use mat::{Array, MatFile, Variable, read_mat};
pub use pairs::{pairs_from_text, read_pairs};
pub use pool::{Pool, PoolOptions, read_pool, read_pool_with};
pub use similarity::{read_similarity, similarity_from_npy};
pub use table::TableOptions;
pub use write::{NpyFloat, write_atomically, write_labels, write_matrix_npy, write_pool};
