//! The content of a file or of standard input.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
use crate::npy;
use crate::npy_pool;
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
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Loaded(Vec<u8>),
    /// A NumPy array, which is read in blocks.
    Array(Stamp),
}

/// The size and the time of a file, which tell whether it was changed between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Stamp { length: data.len(), modified: data.modified().ok() })
    }
}

impl Source {
    /// Reads a whole regular file. A NumPy array (`.npy`) stays on the disk and is read in blocks by
    /// [`Source::pool`] and [`Source::blocks`].
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read or is larger than `memory`, or than the available
    /// memory if that is `None`.
    pub fn read(path: impl AsRef<Path>, memory: Option<Bytes>) -> Result<Self, ReadError> {
        let path = path.as_ref();
        let content = match file::starts_with(path, npy::MAGIC) {
            Ok(Some(file)) => Stamp::of(&file).map(Content::Array).map_err(Fault::from),
            Ok(None) => file::load(path, Budget::new(memory)).map(Content::Loaded),
            Err(fault) => Err(fault),
        };
        let content = content.map_err(|fault| ReadError::new(path, fault))?;
        Ok(Source { path: path.into(), content })
    }

    /// Reads standard input to its end. Its name in errors is `-`.
    ///
    /// # Errors
    /// The same as [`Source::read`].
    pub fn standard_input(memory: Option<Bytes>) -> Result<Self, ReadError> {
        let bytes = file::read_within(std::io::stdin().lock(), Budget::new(memory), 0);
        let bytes = bytes.map_err(|fault| ReadError::new("-", fault))?;
        Ok(Source { path: "-".into(), content: Content::Loaded(bytes) })
    }

    /// Bytes that were read elsewhere; the extension of the path may determine the format.
    pub fn from_bytes(path: impl Into<PathBuf>, bytes: Vec<u8>) -> Self {
        Source { path: path.into(), content: Content::Loaded(bytes) }
    }

    /// Passes the bytes as they were stored to a function, block by block, and returns their number.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read or was changed meanwhile.
    pub fn blocks(&self, mut take: impl FnMut(&[u8])) -> Result<u64, ReadError> {
        let stamp = match &self.content {
            Content::Loaded(bytes) => {
                take(bytes);
                return Ok(bytes.len() as u64);
            }
            Content::Array(stamp) => *stamp,
        };
        let mut read = || -> Result<u64, Fault> {
            let mut file = self.reopened(stamp)?;
            let mut block = vec![0; 1 << 20];
            loop {
                match file.read(&mut block)? {
                    0 => break,
                    length => take(&block[..length]),
                }
            }
            self.reopened(stamp)?;
            Ok(stamp.length)
        };
        read().map_err(|fault| ReadError::new(&self.path, fault))
    }

    /// The file, if it is still the one that was opened first.
    fn reopened(&self, stamp: Stamp) -> Result<File, Fault> {
        let (file, _) = file::open(&self.path)?;
        if Stamp::of(&file)? == stamp {
            return Ok(file);
        }
        let message = "the file was changed while it was read".to_string();
        Err(Fault::System { kind: io::ErrorKind::InvalidData, message })
    }

    /// The pool in an array that can be read in blocks.
    fn streamed(&self, options: &PoolOptions) -> Result<Option<Pool>, Fault> {
        let Content::Array(stamp) = self.content else { return Ok(None) };
        let pool = npy_pool::stream(&mut self.reopened(stamp)?, stamp.length, options)?;
        self.reopened(stamp)?;
        Ok(pool)
    }

    /// Reads a pool, see [`Pool::from_bytes`].
    ///
    /// # Errors
    /// [`ReadError`] with the position and the cause.
    pub fn pool(&self, options: &PoolOptions) -> Result<(Pool, Option<Layout>), ReadError> {
        match self.streamed(options) {
            Ok(Some(pool)) => return Ok((pool, None)),
            Ok(None) => {}
            Err(fault) => return Err(ReadError::new(&self.path, fault)),
        }
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
        let bytes = match &self.content {
            Content::Loaded(bytes) => bytes,
            Content::Array(stamp) => {
                let bytes = file::load(&self.path, budget)?;
                self.reopened(*stamp)?;
                return Ok((Cow::Owned(bytes), Format::Npy));
            }
        };
        match Compression::of(bytes) {
            None => Ok((Cow::Borrowed(bytes), Format::of(&self.path, bytes))),
            Some(compression) => {
                let bytes = compression.expand(bytes, budget)?;
                let format = Format::of(compression.inner_name(&self.path), &bytes);
                Ok((Cow::Owned(bytes), format))
            }
        }
    }
}
