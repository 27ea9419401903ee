//! Tables of values with the names of their rows and columns, for all formats.

use std::borrow::Cow;

use enclust_core::Bytes;

use crate::budget::Budget;
use crate::counts::{COUNTS, CountsColumn};
use crate::error::Fault;
use crate::file::Format;
use crate::grid::{Grid, text, texts};
use crate::layout::Layout;
use crate::marks::MissingMarks;
use crate::mat::MatArchive;
use crate::npy::NpyArray;
use crate::npz::Archive;
use crate::origin::{GENERATOR, Origin, SAMPLE_FEATURES};
use crate::recognise::{has_header, ids};
use crate::separator::Separator;
use crate::text::TextGrid;

/// Options for reading a table. A field that is `None` is detected.
///
/// # Detection rules for text files
///
/// Text is UTF-8, with or without byte order mark; lines end in LF, CRLF or CR; a cell may be
/// quoted, with doubled quotes inside it. Lines with different numbers of cells, blank lines
/// between other lines, quotes that are not closed, text beside a quoted cell, zero bytes and
/// UTF-16 are errors.
///
/// **Separator.** The first 100 lines are divided by tabs, by semicolons and by commas. The
/// separator is the one that gives all of them the same number of cells, more than one. If
/// several do, this is *unclear*. If none does, spaces are the separator if all lines have the
/// same number of cells and all cells are numbers (except in the first line and in a first
/// column without repetition); spaces between words are unclear. If there are no spaces either,
/// there is a single column. In `.tsv` and `.tab` files the separator is the tab.
///
/// **Missing values.** See [`MissingMarks`].
///
/// **Header.** Line 1 is a header if one of the following holds:
/// 1. All its cells are different texts, none of which occurs again in its column, and a column
///    contains only numbers below its text, or one text is label, class, cluster, truth or
///    similar.
/// 2. Its first cell is empty or a name for ids (see below), column 1 has no repetition below
///    it, and the other cells are different texts or count 0, 1, 2, … or 1, 2, 3, …
/// 3. It counts 0, 1, 2, … or 1, 2, 3, … over at least eight columns, as some programs write
///    columns without names, and more than half of these numbers do not occur again in their
///    column. For three to seven columns, and for features, it is *unclear*.
///
/// It is not a header if it contains no text, if its text occurs again in its column, or if it
/// contains numbers and no text above a column of numbers. Different texts above missing values
/// alone are a header. All other cases are *unclear*: a word
/// above numbers beside other numbers may be a rare label, and so may a text that does not occur
/// again.
///
/// **Id column.** If there are several columns, column 1 names the samples if it has no
/// repetition and no missing cell, and one of the following holds:
/// 1. There is a header, and its first cell is empty or one of id, ids, index, idx, name,
///    names, row, rows, rowname, rownames, sample, samples, cell, cells, barcode, barcodes,
///    key, obs, or ends in one of `_id`, ` id`, `.id`. Case is ignored. If such a column
///    contains a repetition, this is an error.
/// 2. It contains text, and all other columns contain numbers.
/// 3. It is the first of two columns in a file of true classes.
///
/// It does not name the samples if it contains repetitions, or if its name and that of column 2
/// differ only in a number, like `c1` and `c2`. In a pool of at least three samples, all other
/// cases are *unclear*: the column may be a clustering into singletons or contain sample
/// numbers. In features, it is data, unless it counts 0, 1, 2, … or 1, 2, 3, … without a
/// header, which is unclear.
///
/// Unclear cases are errors, [`Fault::SeparatorUnclear`], [`Fault::HeaderUnclear`] or
/// [`Fault::IdsUnclear`], unless the field below is set. If both a header and an id column are stated, line 1 may lack its first
/// cell, as in files written by R's `write.table`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether the first line names the columns.
    pub header: Option<bool>,
    /// Whether the first column names the samples.
    pub id_column: Option<bool>,
    /// What separates the cells of a line.
    pub separator: Option<Separator>,
    /// The texts that stand for missing values, in all formats.
    pub missing: MissingMarks,
    /// The memory that reading may take; `None` for the memory that is available. It is checked
    /// against the sizes that a file declares or needs before memory is allocated.
    pub memory: Option<Bytes>,
}

/// The purpose for which a table is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Pool,
    Truth,
    Features,
}

impl Use {
    const ALL: [Use; 3] = [Use::Pool, Use::Truth, Use::Features];

    /// Accepted names of its array in a file of arrays.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Use::Pool => &["members"],
            Use::Truth => &["gt", "truth", "labels"],
            Use::Features => &["features", "X", "fea", "data"],
        }
    }
}

/// A file of several arrays, each read on request.
pub(crate) trait Arrays<'m> {
    fn names(&self) -> Vec<String>;
    fn array(&mut self, name: &str) -> Result<Box<dyn Grid + 'm>, Fault>;
    /// Whether the array with this name can be used although it has none of the accepted names.
    fn is_read(&self, name: &str) -> bool;
    /// Whether the only array is a pool even if its name has another meaning.
    fn only_is_pool(&self) -> bool;
}

/// Values, and the names of rows and columns.
pub(crate) struct Table<'m> {
    pub grid: Box<dyn Grid + 'm>,
    pub ids: Option<Vec<String>>,
    pub names: Option<Vec<String>>,
    /// The true classes stored with a pool or with features.
    pub truth: Option<Box<dyn Grid + 'm>>,
    /// How often each row of a pool occurs, if an array of the file holds it.
    pub counts: Option<Box<dyn Grid + 'm>>,
    /// How a pool was made.
    pub origin: Option<Origin>,
    /// The layout of a text file.
    pub layout: Option<Layout>,
}

/// Reads a table from bytes and passes it to `take`; the table may borrow from temporary
/// values.
pub(crate) fn with_table<T>(
    bytes: &[u8],
    format: Format,
    options: &TableOptions,
    used: Use,
    counts: Option<&CountsColumn>,
    take: impl FnOnce(Table<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    match format {
        Format::Csv | Format::Tsv => take(Table::from_text(bytes, format, options, used)?),
        Format::Npy => {
            let array = NpyArray::parse(Cow::Borrowed(bytes), None, &options.missing)?;
            Budget::new(options.memory).require_values(bytes.len() as u64, &array)?;
            take(Table::plain(array))
        }
        Format::Npz => take(Table::from_npz(&mut Archive::open(bytes, options)?, used, counts)?),
        Format::Mat => {
            take(Table::from_arrays(&mut MatArchive::open(bytes, options)?, used, counts)?)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => take(crate::parquet::table(bytes, options, used)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Fault::NoParquet),
    }
}

impl<'m> Table<'m> {
    pub fn plain(grid: impl Grid + 'm) -> Self {
        Table {
            grid: Box::new(grid),
            ids: None,
            names: None,
            truth: None,
            counts: None,
            origin: None,
            layout: None,
        }
    }

    fn from_text(
        bytes: &[u8],
        format: Format,
        options: &TableOptions,
        used: Use,
    ) -> Result<Self, Fault> {
        let mut grid = TextGrid::parse(bytes, format, options)?;
        let header = match options.header {
            Some(said) => said,
            None => has_header(&grid, used)?,
        };
        grid.leave_out(header, false);
        let heads: Vec<_> = if header { grid.line(0).collect() } else { Vec::new() };
        let ids = ids(&grid, &heads, options.id_column, used)?;
        let of_values = heads.iter().skip(ids.is_some().into());
        let names = header.then(|| of_values.map(|name| name.to_string()).collect());
        let (separator, id_column) = (grid.separator(), ids.is_some());
        grid.leave_out(header, id_column);
        let layout = Some(Layout { separator, header, id_column });
        let grid = Box::new(grid);
        Ok(Table { grid, ids, names, truth: None, counts: None, origin: None, layout })
    }

    /// The requested array, the truth of a pool or of features, and the array of counts, if the
    /// wanted name is that of an array.
    pub fn from_arrays(
        arrays: &mut dyn Arrays<'m>,
        used: Use,
        counts: Option<&CountsColumn>,
    ) -> Result<Self, Fault> {
        let found = arrays.names();
        let among = |wanted: &[&str]| found.iter().find(|name| wanted.contains(&name.as_str()));
        let Some(name) = among(used.names()).or_else(|| only(arrays, &found, used, counts)) else {
            return Err(Fault::NoArray { wanted: used.names().into(), found });
        };
        let grid = arrays.array(name)?;
        let truth = match among(Use::Truth.names()) {
            Some(truth) if used != Use::Truth && truth != name => Some(arrays.array(truth)?),
            _ => None,
        };
        let counts = match counts {
            Some(CountsColumn::Name(counts)) if found.contains(counts) => {
                Some(arrays.array(counts)?)
            }
            _ => None,
        };
        Ok(Table { grid, ids: None, names: None, truth, counts, origin: None, layout: None })
    }

    /// The same with the arrays `ids`, `columns` and `counts` and the origin of a pool, if they
    /// exist.
    fn from_npz(
        archive: &mut Archive<'_>,
        used: Use,
        counts: Option<&CountsColumn>,
    ) -> Result<Self, Fault> {
        let usual = CountsColumn::Name(COUNTS.into());
        let counts = counts.or((used == Use::Pool).then_some(&usual));
        let table = Self::from_arrays(archive, used, counts)?;
        let (rows, columns) = (table.grid.rows(), table.grid.columns());
        // A row vector is accepted like a column vector.
        let samples = if rows == 1 && used == Use::Truth { columns } else { rows };
        let ids = listed(archive, IDS, samples)?;
        let names = match used {
            Use::Truth => None,
            _ => listed(archive, COLUMNS, columns)?,
        };
        let origin = match used {
            Use::Pool => Origin::read(archive)?,
            _ => None,
        };
        Ok(Table { ids, names, origin, ..table })
    }
}

/// The array of an archive that names the samples.
pub(crate) const IDS: &str = "ids";
/// The array of an archive that names the columns.
pub(crate) const COLUMNS: &str = "columns";

/// The name of the only array that does not name samples or columns, unless its name has another
/// meaning, so that features are not read from labels. In an archive, a pool may have any name.
fn only<'f>(
    arrays: &dyn Arrays<'_>,
    found: &'f [String],
    used: Use,
    counts: Option<&CountsColumn>,
) -> Option<&'f String> {
    let is_values = |name: &&String| {
        arrays.is_read(name)
            && ![IDS, COLUMNS, SAMPLE_FEATURES, GENERATOR].contains(&name.as_str())
            && !matches!(counts, Some(CountsColumn::Name(counts)) if counts == *name)
    };
    let mut read = found.iter().filter(is_values);
    let alone = read.next().filter(|_| read.next().is_none())?;
    let otherwise = Use::ALL.iter().any(|other| other.names().contains(&alone.as_str()));
    (!otherwise || used == Use::Pool && arrays.only_is_pool()).then_some(alone)
}

/// A list of names in an archive, if it exists.
fn listed(
    archive: &mut Archive<'_>,
    array: &'static str,
    expected: usize,
) -> Result<Option<Vec<String>>, Fault> {
    if !archive.names().iter().any(|name| name == array) {
        return Ok(None);
    }
    let list: Box<dyn Grid> = archive.array(array)?;
    let found = list.rows();
    if list.columns() != 1 || found != expected {
        return Err(Fault::Names { array, expected, found });
    }
    let names = if array == IDS { texts(&*list, 0)? } else { names_in(&*list) };
    Ok(Some(names))
}

/// The texts of a single column, which may be empty.
pub(crate) fn names_in(list: &dyn Grid) -> Vec<String> {
    let name = |row| text(list.cell(row, 0)).map_or(String::new(), String::from);
    (0..list.rows()).map(name).collect()
}

/// The length of a vector, which is a grid of a single column or row.
pub(crate) fn vector_length(grid: &dyn Grid) -> Option<usize> {
    match (grid.rows(), grid.columns()) {
        (length, 1) | (1, length) => Some(length),
        _ => None,
    }
}
