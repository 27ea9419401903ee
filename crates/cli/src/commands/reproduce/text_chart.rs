//! Chart of run times as text.

use std::io::{self, Write};

use super::log_axis::LogAxis;
use super::times::Time;

/// Characters per decade.
const DECADE: usize = 8;
const BAR: char = '#';
const PUBLISHED: char = '|';

/// Prints one bar per time, with a mark at the published time.
pub fn print_chart(times: &[Time<'_>], out: &mut dyn Write) -> io::Result<()> {
    let axis = LogAxis::of(times);
    let margin = times.iter().map(|time| time.method.chars().count() + 2).max().unwrap_or(0) + 1;
    writeln!(out, "seconds, logarithmic: {BAR} here, {PUBLISHED} published")?;
    let labels: String = axis.labels().iter().map(|label| format!("{label:<DECADE$}")).collect();
    let ruler = format!("{:-<DECADE$}", "+").repeat(axis.decades()) + "+";
    writeln!(out, "{:margin$}{}", "", labels.trim_end())?;
    writeln!(out, "{:margin$}{ruler}", "")?;
    let mut dataset = "";
    for time in times {
        if time.dataset != dataset {
            dataset = time.dataset;
            writeln!(out, "{dataset}")?;
        }
        let name = format!("  {}", time.method);
        writeln!(out, "{name:<margin$}{}", bar(&axis, time))?;
    }
    Ok(())
}

/// The bar from the low end to the time; the mark replaces one character.
fn bar(axis: &LogAxis, time: &Time<'_>) -> String {
    let column = |seconds| (axis.position(seconds) * DECADE as f64).round() as usize;
    let mut line: Vec<char> = vec![BAR; column(time.here)];
    if let Some(published) = time.published.map(column) {
        line.resize(line.len().max(published + 1), ' ');
        line[published] = PUBLISHED;
    }
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_end_at_the_time_and_marks_stand_at_the_published_one() {
        let time = |dataset, here, published| Time { method: "m", dataset, here, published };
        let times = [
            time("one", 1.0, Some(10.0)),
            time("one", 10.0, Some(1.0)),
            time("two", 10.0, None),
            time("two", 0.1, Some(100.0)),
        ];
        let mut out = Vec::new();
        print_chart(&times, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "    0.1     1       10      100",
                "    +-------+-------+-------+",
                "one",
                "  m ########        |",
                "  m ########|#######",
                "two",
                "  m ################",
                "  m                         |",
            ]
        );
    }
}
