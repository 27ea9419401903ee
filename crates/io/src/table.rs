//! Values with what names them, whatever format they come from.

use std::borrow::Cow;

use crate::error::Fault;
use crate::file::Format;
use crate::grid::{Grid, text, texts};
use crate::mat::MatFile;
use crate::npy::NpyArray;
use crate::npz::Archive;
use crate::recognise::{has_header, ids};
use crate::text::TextGrid;

/// What is known about a text file or a Parquet table beforehand; what is `None` is
/// recognised.
///
/// # How text files are recognised
///
/// **Separator.** Tab for `.tsv` and `.tab`. Otherwise the first of tab, semicolon and
/// comma that stands in the first line outside of quotes; if none does, spaces, provided
/// that lines have equally many cells and these are numbers (but for the first line and a
/// first column without repetition); else there is a single column. Text is UTF-8, with
/// or without byte order mark; cells may be quoted; lines end in LF, CRLF or CR. Lines of
/// different lengths and blank lines between others are errors.
///
/// **Missing** are an empty cell, `NA`, `NaN`, `nan` and `null`.
///
/// **Header.** Line 1 is a header if one of these holds, tried in this order:
/// 1. In some column it has text where all other cells are numbers.
/// 2. Its first cell is empty and no other one, and column 1 has no repetition below.
/// 3. Its first cell says id (see below), and column 1 has no repetition below.
/// 4. It counts 0, 1, 2, … or 1, 2, 3, … over at least eight columns, as columns without
///    names are written, and more than half of the counts do not occur again in their
///    column. Fewer columns, but three at least, or features: it is *unclear*.
/// 5. It is text alone, without repetition, none of it occurs again in its column, and
///    one cell is label, class, cluster, truth or the like, or two columns of text repeat
///    themselves, or everything below is missing.
///
/// Otherwise it is not if it holds numbers, or if its text occurs again in its column.
/// What remains is *unclear*: text that does not occur again may name a column or be a
/// rare label.
///
/// **Id column.** Column 1 of several names the samples if it has no repetition and no
/// missing cell, and one of these holds:
/// 1. There is a header, and its first cell is empty or one of id, ids, index, idx, name,
///    names, row, rows, rowname, rownames, sample, samples, cell, cells, barcode, barcodes,
///    key, obs, or ends in one of `_id`, ` id`, `.id`. Upper and lower case are alike. If
///    such a column does repeat itself, that is an error.
/// 2. It is text, and all other columns are numbers.
/// 3. It is one of two columns of true classes.
///
/// It does not if it repeats itself, or if its name and that of column 2 differ in their
/// number alone, as `c1` and `c2` do. In a pool of at least three samples, what remains is
/// *unclear*: a clustering in which every sample is alone, or numbers of samples. In
/// features it is data, unless it counts 0, 1, 2, … or 1, 2, 3, … without a header, which
/// is unclear.
///
/// What is unclear is an error, [`Fault::HeaderUnclear`] or [`Fault::IdsUnclear`], until
/// it is said here. If both are said to be there, line 1 may lack its first cell, as in
/// files that R's `write.table` makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// Whether the first line names the columns.
    pub header: Option<bool>,
    /// Whether the first column names the samples.
    pub id_column: Option<bool>,
}

/// What a table is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Pool,
    Truth,
    Features,
}

impl Use {
    const ALL: [Use; 3] = [Use::Pool, Use::Truth, Use::Features];

    /// Names its array may have in a file of arrays.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Use::Pool => &["members"],
            Use::Truth => &["gt", "truth", "labels"],
            Use::Features => &["features", "X", "fea", "data"],
        }
    }
}

/// A file of several arrays, read as they are asked for.
pub(crate) trait Arrays<'m> {
    fn names(&self) -> Vec<String>;
    fn array(&mut self, name: &str) -> Result<Box<dyn Grid + 'm>, Fault>;
    /// Whether the array of that name can be one that is meant though it is not named so.
    fn is_read(&self, name: &str) -> bool;
}

/// Values, and the names of rows and columns.
pub(crate) struct Table<'m> {
    pub grid: Box<dyn Grid + 'm>,
    pub ids: Option<Vec<String>>,
    pub names: Option<Vec<String>>,
    /// The true classes that come with a pool.
    pub truth: Option<Box<dyn Grid + 'm>>,
}

/// Reads a table out of bytes and hands it on; it may borrow from what is made on the way.
pub(crate) fn with_table<T>(
    bytes: &[u8],
    format: Format,
    options: TableOptions,
    used: Use,
    take: impl FnOnce(Table<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    match format {
        Format::Csv | Format::Tsv => take(Table::from_text(bytes, format, options, used)?),
        Format::Npy => take(Table::plain(NpyArray::parse(Cow::Borrowed(bytes), None)?)),
        Format::Npz => take(Table::from_npz(&mut Archive::open(bytes)?, used)?),
        Format::Mat => take(Table::from_arrays(&mut &MatFile::parse(bytes)?, used)?),
        #[cfg(feature = "parquet")]
        Format::Parquet => take(crate::parquet::table(bytes, options, used)?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Fault::NoParquet),
    }
}

impl<'m> Table<'m> {
    pub fn plain(grid: impl Grid + 'm) -> Self {
        Table { grid: Box::new(grid), ids: None, names: None, truth: None }
    }

    fn from_text(
        bytes: &[u8],
        format: Format,
        options: TableOptions,
        used: Use,
    ) -> Result<Self, Fault> {
        let short_header = options.header == Some(true) && options.id_column == Some(true);
        let mut grid = TextGrid::parse(bytes, format, short_header)?;
        let header = match options.header {
            Some(said) => said,
            None => has_header(&grid, used)?,
        };
        grid.leave_out(header, false);
        let heads: Vec<_> = if header { grid.line(0).collect() } else { Vec::new() };
        let ids = ids(&grid, &heads, options.id_column, used)?;
        let of_values = heads.iter().skip(ids.is_some().into());
        let names = header.then(|| of_values.map(|name| name.to_string()).collect());
        grid.leave_out(header, ids.is_some());
        Ok(Table { grid: Box::new(grid), ids, names, truth: None })
    }

    /// The array that is meant, and the truth of a pool.
    pub fn from_arrays(arrays: &mut dyn Arrays<'m>, used: Use) -> Result<Self, Fault> {
        let found = arrays.names();
        let among = |wanted: &[&str]| found.iter().find(|name| wanted.contains(&name.as_str()));
        let Some(name) = among(used.names()).or_else(|| only(arrays, &found)) else {
            return Err(Fault::NoArray { wanted: used.names().into(), found });
        };
        let grid = arrays.array(name)?;
        let truth = match among(Use::Truth.names()) {
            Some(name) if used == Use::Pool => Some(arrays.array(name)?),
            _ => None,
        };
        Ok(Table { grid, ids: None, names: None, truth })
    }

    /// The same with the arrays `ids` and `columns`, if they are there.
    fn from_npz(archive: &mut Archive<'_>, used: Use) -> Result<Self, Fault> {
        let table = Self::from_arrays(archive, used)?;
        let (rows, columns) = (table.grid.rows(), table.grid.columns());
        // A vector lying down is as good as one standing.
        let samples = if rows == 1 && used == Use::Truth { columns } else { rows };
        let ids = listed(archive, IDS, samples)?;
        let names = match used {
            Use::Truth => None,
            _ => listed(archive, COLUMNS, columns)?,
        };
        Ok(Table { ids, names, ..table })
    }
}

/// The array of an archive that names the samples.
pub(crate) const IDS: &str = "ids";
/// The array of an archive that names the columns.
pub(crate) const COLUMNS: &str = "columns";

/// The name of the only array, unless it is one that is used otherwise.
fn only<'f>(arrays: &dyn Arrays<'_>, found: &'f [String]) -> Option<&'f String> {
    let mut read = found.iter().filter(|name| arrays.is_read(name));
    let alone = read.next().filter(|_| read.next().is_none())?;
    let otherwise = Use::ALL.iter().any(|other| other.names().contains(&alone.as_str()));
    (!otherwise).then_some(alone)
}

/// A list of names in an archive, if it is there.
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
    let names = if array == IDS { texts(&*list, 0)? } else { column_names(&*list) };
    Ok(Some(names))
}

/// The texts of a single column, which may be empty.
fn column_names(list: &dyn Grid) -> Vec<String> {
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
