//! How often each row of a pool occurs.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::error::{Fault, Place, shown};
use crate::grid::{Cell, Grid, number};
use crate::table::{Table, vector_length};

/// The array of an archive that holds the counts.
pub(crate) const COUNTS: &str = "counts";

/// Where a pool holds how often each of its rows occurs.
///
/// ```
/// use enclust_io::{CountsColumn, Format, Pool, PoolOptions};
///
/// let file = "kmeans,ward,n\n1,x,500\n1,y,20\n2,y,300\n";
/// let counts = Some("n".parse()?);
/// let options = PoolOptions { counts, ..PoolOptions::default() };
/// let pool = Pool::from_bytes(file.as_bytes(), Format::Csv, &options)?;
/// assert_eq!((pool.ensemble.samples(), pool.ensemble.total()), (3, 820));
/// assert_eq!(pool.columns.unwrap(), ["kmeans", "ward"]);
/// assert_eq!("3".parse(), Ok(CountsColumn::Number(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountsColumn {
    /// The column with this number, counted from 1 without the names of the samples.
    Number(usize),
    /// The column with this name, or the array with this name in a file of arrays.
    Name(String),
}

impl FromStr for CountsColumn {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        Ok(word.parse().map_or_else(|_| CountsColumn::Name(word.into()), CountsColumn::Number))
    }
}

impl fmt::Display for CountsColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountsColumn::Number(number) => write!(f, "{number}"),
            CountsColumn::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// Takes the counts out of a table. The other columns keep their order. An array of counts that was
/// found beside the values is used if no column is `wanted`.
pub(crate) fn split_counts<'m>(
    table: Table<'m>,
    wanted: Option<&CountsColumn>,
) -> Result<(Table<'m>, Option<Vec<u64>>), Fault> {
    let Table { grid, names, counts, .. } = table;
    let rest = |grid, names| Table { grid, names, counts: None, ..table };
    if let Some(counts) = counts {
        let values = of_vector(&*counts, grid.rows())?;
        return Ok((rest(grid, names), Some(values)));
    }
    let Some(wanted) = wanted else { return Ok((rest(grid, names), None)) };
    let column = column(wanted, grid.columns(), names.as_deref().unwrap_or_default())?;
    let values =
        (0..grid.rows()).map(|row| count(&*grid, row, column)).collect::<Result<_, _>>()?;
    let names = names.map(|mut names| {
        names.remove(column);
        names
    });
    Ok((rest(Box::new(Without { grid, column }), names), Some(values)))
}

/// The index of the wanted column.
fn column(wanted: &CountsColumn, columns: usize, names: &[String]) -> Result<usize, Fault> {
    let found: Vec<usize> = match wanted {
        CountsColumn::Number(number) => (0..columns).filter(|at| at + 1 == *number).collect(),
        CountsColumn::Name(name) => (0..names.len()).filter(|&at| names[at] == *name).collect(),
    };
    match found[..] {
        [column] => Ok(column),
        _ => Err(Fault::NoCounts {
            wanted: shown(&wanted.to_string()),
            found: found.len(),
            columns,
            known: names.iter().map(|name| shown(name)).collect(),
        }),
    }
}

/// The counts in an array of one row or one column.
fn of_vector(grid: &dyn Grid, rows: usize) -> Result<Vec<u64>, Fault> {
    match vector_length(grid) {
        Some(found) if found == rows => {}
        _ => {
            let found = grid.rows().saturating_mul(grid.columns());
            return Err(Fault::Names { array: COUNTS, expected: rows, found });
        }
    }
    let at = |at| if grid.columns() == 1 { (at, 0) } else { (0, at) };
    (0..rows).map(at).map(|(row, column)| count(grid, row, column)).collect()
}

fn count(grid: &dyn Grid, row: usize, column: usize) -> Result<u64, Fault> {
    let cell = grid.cell(row, column);
    let value = match &cell {
        Cell::Text(text) => number(text).and_then(whole),
        Cell::Whole(_) | Cell::Real(_) => whole(cell.clone()),
        Cell::Missing => None,
    };
    value.ok_or_else(|| {
        let value = crate::grid::text(cell).map_or("missing".into(), |text| shown(&text));
        Fault::Count { at: grid.place(row, column), value }
    })
}

/// A whole number above 0.
pub(crate) fn whole(cell: Cell<'_>) -> Option<u64> {
    let value = match cell {
        Cell::Whole(value) => u64::try_from(value).ok()?,
        // Above 2⁵³, a float is no longer an exact count.
        Cell::Real(value) if value.fract() == 0.0 && (0.0..=9e15).contains(&value) => value as u64,
        _ => return None,
    };
    (value > 0).then_some(value)
}

/// A grid without one of its columns.
struct Without<'m> {
    grid: Box<dyn Grid + 'm>,
    column: usize,
}

impl Without<'_> {
    fn moved(&self, column: usize) -> usize {
        column + usize::from(column >= self.column)
    }
}

impl Grid for Without<'_> {
    fn rows(&self) -> usize {
        self.grid.rows()
    }

    fn columns(&self) -> usize {
        self.grid.columns() - 1
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.grid.cell(row, self.moved(column))
    }

    fn place(&self, row: usize, column: usize) -> Place {
        self.grid.place(row, self.moved(column))
    }
}
