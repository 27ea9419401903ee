//! Pairs of samples that must or must not be in the same cluster.

use std::collections::HashMap;
use std::path::Path;

use crate::error::{Fault, Place, ReadError, shown};
use crate::file::Format;
use crate::grid::{Grid, number};
use crate::source::Source;
use crate::table::TableOptions;
use crate::text::TextGrid;

/// Reads pairs of samples, counted from zero, from a text file; see [`pairs_from_text`].
///
/// # Errors
/// [`ReadError`] with the file, the line and the cause.
pub fn read_pairs(
    path: impl AsRef<Path>,
    ids: Option<&[String]>,
) -> Result<Vec<(usize, usize)>, ReadError> {
    Source::read(path, None)?.pairs(ids, &TableOptions::default())
}

/// Reads pairs from text with two columns, one pair per line.
///
/// A sample is given by its number, counted from 1, or by its id, if there are `ids`. If any id
/// is itself a whole number, samples can be given only by id, so that there is no ambiguity.
///
/// The first of several lines is a header if neither cell is a sample or a number, and both are
/// usual names, such as `from,to` or `sample1,sample2`. Without `ids`, any two words are a header.
/// Of the `options`, the header and the id column have no effect.
///
/// ```
/// use enclust_io::{Format, TableOptions, pairs_from_text};
///
/// let file = b"from,to\n1,2\n2,5\n";
/// let pairs = pairs_from_text(file, Format::Csv, None, &TableOptions::default())?;
/// assert_eq!(pairs, [(0, 1), (1, 4)]);
/// # Ok::<(), enclust_io::Fault>(())
/// ```
///
/// # Errors
/// [`Fault::UnknownSample`] and [`Fault::SelfPair`]; other variants of [`Fault`] if the bytes
/// are not text with two columns. Without `ids`, numbers that are too large are not detected
/// here.
pub fn pairs_from_text(
    bytes: &[u8],
    format: Format,
    ids: Option<&[String]>,
    options: &TableOptions,
) -> Result<Vec<(usize, usize)>, Fault> {
    if !matches!(format, Format::Csv | Format::Tsv) {
        return Err(Fault::NotText);
    }
    let options = TableOptions { header: None, id_column: None, ..options.clone() };
    let grid = TextGrid::parse(bytes, format, &options)?;
    if grid.height() > 0 && grid.width() != 2 {
        return Err(Fault::Columns { expected: "pairs need two columns", found: grid.width() });
    }
    let names = Names::of(ids);
    let is_name = |text: &str| {
        let is_usual = ids.is_none() || says_sample(text);
        is_usual && names.sample(text).is_none() && number(text).is_none()
    };
    let header = grid.height() > 1 && grid.line(0).all(is_name);
    (header.into()..grid.height()).map(|line| pair(&grid, line, &names)).collect()
}

/// Usual names of the two columns, without a number at the end.
const PAIR_NAMES: [&str; 19] = [
    "a", "b", "first", "from", "i", "id", "index", "j", "left", "name", "node", "one", "other",
    "right", "sample", "second", "source", "target", "to",
];

fn says_sample(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || "_- .".contains(c));
    PAIR_NAMES.contains(&stem)
}

fn pair(grid: &TextGrid, line: usize, names: &Names<'_>) -> Result<(usize, usize), Fault> {
    let sample = |column| {
        let text = grid.text(line, column);
        names.sample(text).ok_or_else(|| Fault::UnknownSample {
            at: grid.place(line, column),
            text: shown(text),
            by_number: names.by_number,
        })
    };
    let pair = (sample(0)?, sample(1)?);
    match grid.place(line, 0) {
        Place::Line { line, .. } if pair.0 == pair.1 => Err(Fault::SelfPair { line }),
        _ => Ok(pair),
    }
}

/// How samples are identified.
struct Names<'a> {
    samples: HashMap<&'a str, usize>,
    by_number: bool,
    /// The number of samples, if it is known.
    count: usize,
}

impl<'a> Names<'a> {
    fn of(ids: Option<&'a [String]>) -> Self {
        let ids_or_none = ids.unwrap_or_default();
        let samples = ids_or_none.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
        let by_number = !ids_or_none.iter().any(|id| id.parse::<i128>().is_ok());
        Names { samples, by_number, count: ids.map_or(usize::MAX, <[String]>::len) }
    }

    fn sample(&self, text: &str) -> Option<usize> {
        let by_number = || {
            let number: usize = text.parse().ok().filter(|_| self.by_number)?;
            (1..=self.count).contains(&number).then(|| number - 1)
        };
        self.samples.get(text).copied().or_else(by_number)
    }
}
