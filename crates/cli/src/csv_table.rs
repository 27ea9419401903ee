//! Tables as comma-separated text.

use std::io::{self, Write};

use enclust::core::MISSING;
use enclust_io::Pool;

use crate::console::plain;

/// Writes a header and rows of cells.
pub fn write_csv<R: IntoIterator<Item = String>>(
    out: &mut dyn Write,
    head: impl IntoIterator<Item = String>,
    rows: impl IntoIterator<Item = R>,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(head)?;
    for row in rows {
        table.write_record(row)?;
    }
    table.flush()
}

/// Writes one column per clustering, like `enclust_io::write_pool`. Control characters in names
/// are escaped, because the table may be shown on a terminal.
pub fn write_clusterings(out: &mut dyn Write, pool: &Pool) -> io::Result<()> {
    let (samples, clusterings) = (pool.ensemble.samples(), pool.ensemble.clusterings());
    let numbered = || (1..=clusterings).map(|k| format!("c{k}")).collect();
    let names: Vec<String> = pool.columns.clone().unwrap_or_else(numbered);
    let ids = pool.ids.as_ref();
    let label = |sample: usize, k: usize| match pool.ensemble.column(k)[sample] {
        MISSING => "NA".to_string(),
        label => label.to_string(),
    };
    let row = |sample: usize| {
        let id = ids.map(|ids| plain(&ids[sample]));
        id.into_iter().chain((0..clusterings).map(move |k| label(sample, k)))
    };
    write_csv(
        out,
        ids.map(|_| "id".to_string()).into_iter().chain(names.into_iter().map(plain)),
        (0..samples).map(row),
    )
}

/// A number as text; empty if there is none.
pub fn cell(figure: Option<f64>) -> String {
    figure.map_or(String::new(), |x| x.to_string())
}
