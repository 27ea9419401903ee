//! Measured and published run times.

use std::io::Write;

use enclust_experiment::reproduce::Row;

use super::text_chart::print_chart;
use crate::failure::Failure;
use crate::text_table::{TextCell, TextTable};

/// The run time of a method on a data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time<'a> {
    pub method: &'a str,
    pub dataset: &'a str,
    /// Mean seconds per run.
    pub here: f64,
    /// The published seconds.
    pub published: Option<f64>,
}

impl Time<'_> {
    /// The published time divided by the time here.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.published? / self.here)
    }

    /// Whether it takes at least as long as published.
    pub fn is_not_faster(&self) -> bool {
        self.published.is_some_and(|published| self.here >= published)
    }
}

impl<'a> From<&'a Row> for Time<'a> {
    fn from(row: &'a Row) -> Self {
        let Row { method, dataset, mean, published_mean, .. } = row;
        Time { method, dataset, here: *mean, published: *published_mean }
    }
}

/// The times of a table, grouped by data set.
pub fn times(rows: &[Row]) -> Vec<Time<'_>> {
    let mut datasets: Vec<&str> = Vec::new();
    for row in rows {
        if !datasets.contains(&row.dataset.as_str()) {
            datasets.push(&row.dataset);
        }
    }
    let of = |dataset| rows.iter().filter(move |row| row.dataset == dataset);
    datasets.into_iter().flat_map(of).map(Time::from).collect()
}

/// Seconds with three significant digits.
pub fn seconds(value: f64) -> String {
    let decimals = 2 - value.log10().floor().clamp(-4.0, 2.0) as i32;
    format!("{value:.*}", decimals as usize)
}

/// A ratio as text.
pub fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// Prints the table, the chart and all cells that are not faster.
pub fn print_times(times: &[Time<'_>], out: &mut dyn Write) -> Result<(), Failure> {
    table(times).print(out)?;
    writeln!(out)?;
    print_chart(times, out)?;
    writeln!(out)?;
    let compared = times.iter().filter(|time| time.published.is_some()).count();
    let slower: Vec<&Time<'_>> = times.iter().filter(|time| time.is_not_faster()).collect();
    let faster = compared - slower.len();
    let end = if slower.is_empty() { "." } else { "; not faster:" };
    writeln!(
        out,
        "{faster} of {compared} cells are faster than published (another program on another machine){end}"
    )?;
    for time in slower {
        let Time { method, dataset, here, published } = time;
        let published = published.map_or(String::new(), seconds);
        let here = seconds(*here);
        writeln!(out, "  {method} on {dataset}: {here} s here, {published} s published")?;
    }
    Ok(())
}

fn table(times: &[Time<'_>]) -> TextTable {
    let mut table =
        TextTable::new(["data set", "method", "seconds here", "published", "published / here"]);
    for time in times {
        let mut cells = [time.dataset, time.method].map(TextCell::plain).to_vec();
        cells.push(TextCell::plain(seconds(time.here)));
        if let (Some(published), Some(times_faster)) = (time.published, time.ratio()) {
            cells.push(TextCell::plain(seconds(published)));
            cells.push(TextCell { text: ratio(times_faster), bold: time.is_not_faster() });
        }
        table.add(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_say_something() {
        for (value, text) in [(0.0123, "0.0123"), (0.0862, "0.0862"), (1.17, "1.17")] {
            assert_eq!(seconds(value), text);
        }
        assert_eq!(
            (seconds(19.5), seconds(277.0), seconds(14_006.0)),
            ("19.5".into(), "277".into(), "14006".into())
        );
        assert_eq!((seconds(0.000_012_3), seconds(0.0)), ("0.000012".into(), "0.000000".into()));
    }

    #[test]
    fn cells_that_are_not_faster_are_named() {
        let time = |method, here, published| Time { method, dataset: "Ecoli", here, published };
        let times =
            [time("quick", 0.5, Some(1.0)), time("slow", 2.0, Some(1.0)), time("new", 1.0, None)];
        let mut out = Vec::new();
        print_times(&times, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("1 of 2 cells are faster"), "{text}");
        assert!(text.ends_with("  slow on Ecoli: 2.00 s here, 1.00 s published\n"), "{text}");
    }
}
