//! Reads many pools and prints what was read as one line of JSON per file, so that other readers
//! can be compared with this one: see `xtask/python/readers.py`.
//!
//! Each line of standard input is a JSON object with the key `path` and, if they are to be
//! stated, `header`, `id_column` and `separator`.

use std::error::Error;
use std::io::{BufRead, BufWriter, Write};

use enclust_core::MISSING;
use enclust_io::{Pool, PoolOptions, ReadError, Source, TableOptions};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let path = request["path"].as_str().ok_or("a line without a path")?;
        let answer = match read(path, &options(&request)?) {
            Ok(answer) => answer,
            Err(error) => json!({ "error": error.fault.to_string() }),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(out.flush()?)
}

fn options(request: &Value) -> Result<PoolOptions, Box<dyn Error>> {
    let separator = request["separator"].as_str().map(str::parse).transpose()?;
    let table = TableOptions {
        header: request["header"].as_bool(),
        id_column: request["id_column"].as_bool(),
        separator,
        ..TableOptions::default()
    };
    Ok(PoolOptions { table, ..PoolOptions::default() })
}

fn read(path: &str, options: &PoolOptions) -> Result<Value, ReadError> {
    let source = Source::read(path, None)?;
    let (pool, layout) = source.pool(options)?;
    let cells = source.cells(&options.table)?;
    Ok(json!({
        "separator": layout.map(|layout| layout.separator.to_string()),
        "header": layout.map(|layout| layout.header),
        "id_column": layout.map(|layout| layout.id_column),
        "ids": cells.ids,
        "names": cells.names,
        "rows": cells.rows,
        "labels": labels(&pool),
    }))
}

/// The labels of each clustering, null if they are missing.
fn labels(pool: &Pool) -> Vec<Vec<Option<u32>>> {
    let present = |&label: &u32| (label != MISSING).then_some(label);
    let column = |k| pool.ensemble.column(k).iter().map(present).collect();
    (0..pool.ensemble.clusterings()).map(column).collect()
}
