//! The content of a file or of standard input.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use enclust_core::Bytes;

use crate::budget::Budget;
use crate::compression::Compression;
use crate::dump::Cells;
use crate::error::{Fault, ReadError};
use crate::features::Features;
use crate::file::{self, Format};
use crate::keys::Noise;
use crate::labels::Labels;
use crate::layout::Layout;
use crate::model::Model;
use crate::new_rows::NewRows;
use crate::pairs::pairs_from_text;
use crate::pool::{Pool, PoolOptions};
use crate::table::TableOptions;

/// The bytes of a file or of standard input. Content that is compressed with gzip or Zstandard
/// is decompressed when it is read as a pool, labels, features or pairs.
///
/// ```
/// use enclust_io::{PoolOptions, Source};
///
/// let source = Source::from_bytes("pool.csv", b"1,5\n1,6\n2,6\n".to_vec());
/// let (pool, layout) = source.pool(&PoolOptions::default())?;
/// assert_eq!(pool.ensemble.clusterings(), 2);
/// assert_eq!(layout.unwrap().separator.to_string(), "comma");
/// # Ok::<(), enclust_io::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Source {
    /// Reads a whole regular file.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read or is larger than `memory`, or than the available
    /// memory if that is `None`.
    pub fn read(path: impl AsRef<Path>, memory: Option<Bytes>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let bytes = file::load(path, Budget::new(memory));
        Ok(Source { path: path.into(), bytes: bytes.map_err(|fault| ReadError::new(path, fault))? })
    }

    /// Reads standard input to its end. Its name in errors is `-`.
    ///
    /// # Errors
    /// The same as [`Source::read`].
    pub fn standard_input(memory: Option<Bytes>) -> Result<Self, ReadError> {
        let bytes = file::read_within(std::io::stdin().lock(), Budget::new(memory), 0);
        let bytes = bytes.map_err(|fault| ReadError::new("-", fault))?;
        Ok(Source { path: "-".into(), bytes })
    }

    /// Bytes that were read elsewhere; the extension of the path may determine the format.
    pub fn from_bytes(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Source { path: path.into(), bytes }
    }

    /// The bytes as they were stored.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads a pool, see [`Pool::from_bytes`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn pool(&self, options: &PoolOptions) -> Result<(Pool, Option<Layout>), ReadError> {
        self.parse(options.table.memory, |bytes, format| {
            Pool::from_bytes_with_layout(bytes, format, options)
        })
    }

    /// Reads true classes, see [`Labels::from_bytes`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn labels(&self, options: &TableOptions) -> Result<(Labels, Option<Layout>), ReadError> {
        self.parse(options.memory, |bytes, format| {
            Labels::from_bytes_with_layout(bytes, format, options)
        })
    }

    /// Reads features, see [`Features::from_bytes`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn features(
        &self,
        options: &TableOptions,
    ) -> Result<(Features, Option<Layout>), ReadError> {
        self.parse(options.memory, |bytes, format| {
            Features::from_bytes_with_layout(bytes, format, options)
        })
    }

    /// Reads the model of a result, see [`Model`].
    ///
    /// # Errors
    /// [`ReadError`] with the cause; [`Fault::NotAModel`] for any other content.
    pub fn model(&self, memory: Option<Bytes>) -> Result<Model, ReadError> {
        self.parse(memory, |bytes, format| Model::from_bytes(bytes, format, memory))
    }

    /// Reads new rows for a model, see [`NewRows::from_bytes`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn new_rows(
        &self,
        model: &Model,
        noise: Noise,
        options: &TableOptions,
    ) -> Result<(NewRows, Option<Layout>), ReadError> {
        self.parse(options.memory, |bytes, format| {
            NewRows::from_bytes(bytes, format, model, noise, options)
        })
    }

    /// Reads pairs of samples, see [`pairs_from_text`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn pairs(
        &self,
        ids: Option<&[String]>,
        options: &TableOptions,
    ) -> Result<Vec<(usize, usize)>, ReadError> {
        self.parse(options.memory, |bytes, format| pairs_from_text(bytes, format, ids, options))
    }

    /// The cells of a pool as text, before its labels are numbered.
    #[doc(hidden)]
    pub fn cells(&self, options: &TableOptions) -> Result<Cells, ReadError> {
        self.parse(options.memory, |bytes, format| Cells::of(bytes, format, options))
    }

    /// Decompresses the content, detects its format and passes both to a function.
    fn parse<T>(
        &self,
        memory: Option<Bytes>,
        parse: impl FnOnce(&[u8], Format) -> Result<T, Fault>,
    ) -> Result<T, ReadError> {
        let parsed =
            self.content(Budget::new(memory)).and_then(|(bytes, format)| parse(&bytes, format));
        parsed.map_err(|fault| ReadError::new(&self.path, fault))
    }

    /// The decompressed bytes and their format.
    fn content(&self, budget: Budget) -> Result<(Cow<'_, [u8]>, Format), Fault> {
        match Compression::of(&self.bytes) {
            None => Ok((Cow::Borrowed(&self.bytes), Format::of(&self.path, &self.bytes))),
            Some(compression) => {
                let bytes = compression.expand(&self.bytes, budget)?;
                let format = Format::of(compression.inner_name(&self.path), &bytes);
                Ok((Cow::Owned(bytes), format))
            }
        }
    }
}
