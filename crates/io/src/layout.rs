//! How a file was read.

use std::fmt;

use crate::separator::Separator;

/// What was stated or detected about the layout of a text file.
///
/// ```
/// use enclust_io::{Format, Pool, PoolOptions, Separator};
///
/// let file = b"id;km;ward\na;1;5\nb;1;6\nc;2;6\n";
/// let (pool, layout) = Pool::from_bytes_with_layout(file, Format::Csv, &PoolOptions::default())?;
/// let layout = layout.unwrap();
/// assert_eq!((pool.ensemble.samples(), layout.separator), (3, Separator::SEMICOLON));
/// assert_eq!(layout.to_string(), "separator semicolon, header yes, id column yes");
/// # Ok::<(), enclust_io::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// What separates the cells.
    pub separator: Separator,
    /// Whether the first line names the columns.
    pub header: bool,
    /// Whether the first column names the samples.
    pub id_column: bool,
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { separator, header, id_column } = *self;
        let answer = |yes| if yes { "yes" } else { "no" };
        let (header, ids) = (answer(header), answer(id_column));
        write!(f, "separator {separator}, header {header}, id column {ids}")
    }
}
