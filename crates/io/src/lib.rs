//! File formats of enclust.
//! | content | functions | formats |
//! |---|---|---|
//! | base clusterings | [`read_pool`], [`read_pool_with`] | text, `.mat`, `.npy`, `.npz`, `.parquet` |
//! | true classes | [`read_labels`], [`read_labels_with`] | the same |
//! | features to cluster | [`read_features`], [`read_features_with`] | the same |
//! | must-link or cannot-link pairs | [`read_pairs`] | text |
//! | a precomputed similarity | [`read_similarity`] | `.npy` |
//! | the model of a result, and new rows for it | [`Source::model`], [`Source::new_rows`] | `.npz`; those of base clusterings |
//!
//! The format of a file is determined by its first bytes, otherwise by its extension: see
//! [`Format::of`]. Files may be compressed with gzip or Zstandard, and [`Source`] also reads
//! standard input. Parquet needs the feature `parquet`. [`TableOptions`] documents how headers,
//! id columns and separators of text files are detected; doubt is an error.
//!
//! [`write_labels`], [`write_pool`], [`write_model`] and [`write_matrix_npy`] write results. All of them use
//! [`write_atomically`]: a file is written completely or not at all.
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
//! # Untrusted files
//!
//! Reading any sequence of bytes ends with a value or a [`ReadError`], never with a panic or an
//! endless loop. Accepted values are valid: there are as many ids as samples, no id occurs
//! twice, features are finite, and similarities are in [0, 1].
//!
//! What a file needs is compared with [`TableOptions::memory`], or with the available memory,
//! before memory is allocated. This is an estimate: labels that are all different need more.
//!
//! Memory is also bounded by the actual content of a file, not by the sizes it declares: at most 128
//! times the content plus 1 MiB. For text and `.npy`, the content is the file itself. For
//! `.mat` and `.npz`, it is the decompressed data: at most 1032 times the file size, which is
//! the maximum for deflate, and at most 2 GiB per variable. For Parquet, it is 16 bytes per
//! value plus the text, at most 1032 times the file size plus 64 MiB. `tests/damage.rs` reads
//! 10,000 damaged files under a counting allocator, and `fuzz/` contains one target per format.

mod atomic;
mod budget;
mod cells;
mod compression;
mod counts;
mod dump;
mod error;
mod features;
mod file;
mod grid;
mod keys;
mod labels;
mod layout;
mod marks;
mod mat;
mod model;
mod new_rows;
mod npy;
mod npy_pool;
mod npz;
mod origin;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod pool;
mod recognise;
mod separator;
mod similarity;
mod source;
mod table;
mod text;
mod write;

pub use atomic::{discard_unfinished, folder_of, write_atomically, written_file};
pub use counts::CountsColumn;
#[doc(hidden)]
pub use dump::Cells;
pub use error::{Fault, MatError, NpyError, Place, ReadError, WriteError};
pub use features::{Features, read_features, read_features_with};
pub use file::Format;
pub use keys::Noise;
pub use labels::{Labels, read_labels, read_labels_with};
pub use layout::Layout;
pub use marks::MissingMarks;
pub use mat::{Array, MatFile, Variable, read_mat};
pub use model::{Model, write_model};
pub use new_rows::NewRows;
pub use origin::Origin;
pub use pairs::{pairs_from_text, read_pairs};
pub use pool::{ClusterNames, Pool, PoolOptions, read_pool, read_pool_with};
pub use separator::{NoSeparator, Separator};
pub use similarity::{read_similarity, read_similarity_within, similarity_from_npy};
pub use source::Source;
pub use table::TableOptions;
pub use write::{NpyFloat, write_cluster_numbers, write_labels, write_matrix_npy, write_pool};
