//! Selection of the clusterings of a pool.

use std::path::Path;

use enclust::core::Ensemble;
use enclust_experiment::PaperDraws;
use serde::Serialize;

use crate::failure::Failure;
use crate::numbers::{MOST, parse_list};

/// What `--columns` lists.
#[derive(Clone, Debug, PartialEq)]
enum Wanted {
    /// Counted from 1.
    Number(usize),
    Name(String),
}

/// Number of clusterings in the draws of the paper.
const PAPER_SIZE: usize = 20;

/// Columns by number or name, a draw, or all columns.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Base clusterings")]
pub struct SelectionArgs {
    /// Use these clusterings, by number counted from 1 or by name: 3,7 or 1..20 or kmeans,ward; one
    /// given twice counts twice
    #[arg(long, value_name = "LIST", value_parser = parse_columns, conflicts_with_all = ["draw", "run"])]
    pub columns: Option<Columns>,

    /// Draw this number of clusterings by the paper's permutation, seeded by --seed
    #[arg(long, value_name = "SIZE")]
    pub draw: Option<usize>,

    /// Use the R-th of the paper's draws, counted from 1 [default size: 20]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub run: Option<u32>,

    /// Seed of the draw and of all other random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u32,
}

/// The columns that are listed.
#[derive(Clone, Debug)]
pub struct Columns(Vec<Wanted>);

/// A piece that is neither a number nor a range is a name.
fn parse_columns(text: &str) -> Result<Columns, String> {
    let mut wanted = Vec::new();
    for piece in text.split(',').map(str::trim) {
        match parse_list(piece) {
            Some(numbers) => wanted.extend(numbers.into_iter().map(Wanted::Number)),
            None if is_name(piece) => wanted.push(Wanted::Name(piece.into())),
            None => wanted.clear(),
        }
        if wanted.is_empty() || wanted.len() > MOST {
            return Err(format!(
                "\"{text}\" is not a list of columns; write 3,7 or 1..20, counted from 1, or \
                 names, at most {MOST}"
            ));
        }
    }
    Ok(Columns(wanted))
}

/// Numbers and ranges that are not possible are not names.
fn is_name(piece: &str) -> bool {
    !piece.is_empty() && !piece.chars().all(|c| c.is_ascii_digit() || "+-.=".contains(c))
}

/// The selected clusterings of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// Number of clusterings in the pool.
    pub pool: usize,
    /// The selected clusterings, counted from 1, in the order of use.
    pub columns: Vec<usize>,
    /// The draw, if they were drawn.
    pub draw: Option<Draw>,
}

/// A draw of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Draw {
    /// Number of clusterings drawn.
    pub size: usize,
    /// Seed of the stream of draws.
    pub seed: u32,
    /// Number of the draw in the stream, counted from 1.
    pub run: u32,
}

impl SelectionArgs {
    /// Selects the requested ensemble from the pool in a file; also returns the selection.
    /// `names` are the names of the clusterings, if they have names.
    pub fn take_from(
        &self,
        pool: Ensemble,
        names: Option<&[String]>,
        path: &Path,
    ) -> Result<(Ensemble, Selection), Failure> {
        let selection = self.select(pool.clusterings(), names.unwrap_or_default(), path)?;
        let ensemble =
            if selection.is_whole_pool() { pool } else { pool.select(&selection.indices())? };
        Ok((ensemble, selection))
    }

    /// The requested clusterings of a pool with `pool` clusterings.
    fn select(&self, pool: usize, names: &[String], path: &Path) -> Result<Selection, Failure> {
        if let Some(Columns(wanted)) = &self.columns {
            let number = |wanted: &Wanted| match wanted {
                &Wanted::Number(column) if column > pool => {
                    Err(Failure::NoColumn { path: path.into(), column, clusterings: pool })
                }
                Wanted::Number(column) => Ok(*column),
                Wanted::Name(name) => named(name, names, path),
            };
            let columns = wanted.iter().map(number).collect::<Result<_, _>>()?;
            return Ok(Selection { pool, columns, draw: None });
        }
        if self.draw.is_none() && self.run.is_none() {
            return Ok(Selection { pool, columns: (1..=pool).collect(), draw: None });
        }
        let (size, run) = (self.draw.unwrap_or(PAPER_SIZE), self.run.unwrap_or(1));
        let mut draws = PaperDraws::new(pool, size, self.seed)
            .map_err(Failure::in_file(path))?
            .skip(run as usize - 1);
        let columns = draws.next().unwrap_or_default().into_iter().map(|c| c + 1).collect();
        Ok(Selection { pool, columns, draw: Some(Draw { size, seed: self.seed, run }) })
    }
}

/// The number of the only clustering of this name, counted from 1.
fn named(name: &str, names: &[String], path: &Path) -> Result<usize, Failure> {
    let found: Vec<usize> = (0..names.len()).filter(|&at| names[at] == name).collect();
    match found[..] {
        [at] => Ok(at + 1),
        _ => Err(Failure::NoNamedColumn {
            path: path.into(),
            name: name.into(),
            found: found.len(),
            known: names.to_vec(),
        }),
    }
}

impl Selection {
    /// The columns counted from 0, as in the library.
    fn indices(&self) -> Vec<usize> {
        self.columns.iter().map(|c| c - 1).collect()
    }

    /// Whether every clustering is used exactly once, in the original order.
    pub fn is_whole_pool(&self) -> bool {
        self.columns.iter().copied().eq(1..=self.pool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> SelectionArgs {
        SelectionArgs { columns: None, draw: None, run: None, seed: 1 }
    }

    #[test]
    fn without_a_word_everything_is_used() {
        let all = arguments().select(3, &[], Path::new("pool")).unwrap();
        assert_eq!((all.columns.as_slice(), all.draw), (&[1, 2, 3][..], None));
        assert!(all.is_whole_pool());
    }

    #[test]
    fn draws_are_those_of_the_paper_counted_from_one() {
        let drawn = SelectionArgs { draw: Some(4), ..arguments() }
            .select(100, &[], Path::new("pool"))
            .unwrap();
        assert_eq!(drawn.columns, [3, 99, 39, 51]);
        assert_eq!(drawn.indices(), [2, 98, 38, 50]);
        let second = SelectionArgs { run: Some(2), ..arguments() }
            .select(100, &[], Path::new("pool"))
            .unwrap();
        assert_eq!(second.columns[..4], [50, 97, 7, 66]);
        assert_eq!(second.draw, Some(Draw { size: 20, seed: 1, run: 2 }));
    }

    #[test]
    fn columns_are_checked() {
        let chosen = |text| SelectionArgs { columns: parse_columns(text).ok(), ..arguments() };
        assert_eq!(chosen("2,1,2").select(2, &[], Path::new("pool")).unwrap().columns, [2, 1, 2]);
        assert!(chosen("3").select(2, &[], Path::new("pool")).is_err());
        for wrong in ["0", "", "1,", "5..2", "1.5", "-3"] {
            assert!(parse_columns(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn columns_are_found_by_name() {
        let names = ["ward", "km", "km", "a b"].map(String::from);
        let select = |text| {
            let columns = parse_columns(text).ok();
            SelectionArgs { columns, ..arguments() }.select(4, &names, Path::new("pool"))
        };
        assert_eq!(select("a b,2..3,ward,1").unwrap().columns, [4, 2, 3, 1, 1]);
        let told = |text| select(text).unwrap_err().to_string();
        assert!(told("km").contains("2 clusterings are called"), "{}", told("km"));
        assert!(told("x").contains("the names are ward, km"), "{}", told("x"));
    }
}
