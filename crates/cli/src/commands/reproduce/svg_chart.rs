//! Chart of run times as SVG: one row per method, a dot for the time here, a ring for the
//! published time.

use std::fmt::Write;

use super::log_axis::LogAxis;
use super::times::{Time, ratio};

const WIDTH: f64 = 860.0;
/// The ends of the axis.
const LEFT: f64 = 150.0;
const RIGHT: f64 = 770.0;
const TOP: f64 = 96.0;
const ROW: f64 = 17.0;
const HEADING: f64 = 26.0;
const BOTTOM: f64 = 52.0;
const FASTER: &str = "#1f6f9f";
const SLOWER: &str = "#c8501e";
const GREY: &str = "#666";

/// The whole chart as SVG.
pub fn svg_chart(times: &[Time<'_>]) -> String {
    let mut chart = Chart { axis: LogAxis::of(times), svg: String::new() };
    let rows = places(times);
    let end = rows.last().map_or(TOP, |(y, _)| *y) + ROW;
    let height = end + BOTTOM;
    chart.add(format_args!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">"#
    ));
    chart.add(format_args!(r#"<rect width="{WIDTH}" height="{height}" fill="white"/>"#));
    chart.legend();
    chart.grid(end);
    let mut dataset = "";
    for (y, time) in rows {
        if time.dataset != dataset {
            dataset = time.dataset;
            chart.text(14.0, y - ROW - 1.0, r#"font-weight="bold""#, dataset);
        }
        chart.row(y, time);
    }
    chart.svg + "</svg>\n"
}

/// The vertical position of each row, with space for a heading above the first row of each data
/// set.
fn places<'a, 'b>(times: &'a [Time<'b>]) -> Vec<(f64, &'a Time<'b>)> {
    let mut y = TOP - ROW;
    let mut dataset = "";
    let mut place = |time: &Time<'b>| {
        y += ROW;
        if time.dataset != dataset {
            dataset = time.dataset;
            y += HEADING;
        }
        y
    };
    times.iter().map(|time| (place(time), time)).collect()
}

struct Chart {
    axis: LogAxis,
    svg: String,
}

impl Chart {
    /// Writing into a string cannot fail.
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.svg, "{element}");
    }

    fn text(&mut self, x: f64, y: f64, attributes: &str, text: &str) {
        let text = escaped(text);
        self.add(format_args!(r#"<text x="{x:.1}" y="{y:.1}" {attributes}>{text}</text>"#));
    }

    fn x(&self, seconds: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.axis.position(seconds) / self.axis.decades() as f64
    }

    fn legend(&mut self) {
        self.text(14.0, 26.0, r#"font-size="16" font-weight="bold""#, "Seconds a run");
        self.dot(20.0, 50.0, FASTER);
        self.text(30.0, 54.0, "", "here, faster than published");
        self.dot(220.0, 50.0, SLOWER);
        self.text(230.0, 54.0, "", "here, not faster");
        self.ring(360.0, 50.0);
        self.text(370.0, 54.0, "", "published: another program on another machine");
        let right = format!(r#"text-anchor="end" fill="{GREY}""#);
        self.text(WIDTH - 14.0, 54.0, &right, "published / here");
    }

    /// Draws a line and two labels for each power of ten.
    fn grid(&mut self, end: f64) {
        let step = (RIGHT - LEFT) / self.axis.decades() as f64;
        let middle = format!(r#"text-anchor="middle" fill="{GREY}""#);
        for (at, label) in self.axis.labels().iter().enumerate() {
            let x = LEFT + step * at as f64;
            self.add(format_args!(
                r##"<line x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{end:.1}" stroke="#ddd"/>"##
            ));
            self.text(x, end + 16.0, &middle, label);
            self.text(x, TOP - 14.0, &middle, label);
        }
        self.text((LEFT + RIGHT) / 2.0, end + 38.0, &middle, "seconds, logarithmic");
    }

    fn row(&mut self, y: f64, time: &Time<'_>) {
        let colour = if time.is_not_faster() { SLOWER } else { FASTER };
        let here = self.x(time.here);
        self.text(LEFT - 10.0, y + 4.0, r#"text-anchor="end""#, time.method);
        if let (Some(published), Some(times_faster)) = (time.published, time.ratio()) {
            let published = self.x(published);
            self.add(format_args!(
                r#"<line x1="{here:.1}" y1="{y:.1}" x2="{published:.1}" y2="{y:.1}" stroke="{colour}" stroke-opacity="0.4" stroke-width="3"/>"#
            ));
            self.ring(published, y);
            let right = format!(r#"text-anchor="end" fill="{colour}""#);
            self.text(WIDTH - 14.0, y + 4.0, &right, &ratio(times_faster));
        }
        self.dot(here, y, colour);
    }

    fn dot(&mut self, x: f64, y: f64, colour: &str) {
        self.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="{colour}"/>"#));
    }

    fn ring(&mut self, x: f64, y: f64) {
        self.add(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="white" stroke="{GREY}" stroke-width="1.5"/>"#
        ));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_dot_and_every_published_one_a_ring() {
        let time = |method, here, published| Time { method, dataset: "A & B", here, published };
        let times =
            [time("quick", 0.5, Some(1.0)), time("slow", 2.0, Some(1.0)), time("<new>", 1.0, None)];
        let svg = svg_chart(&times);
        let count = |what: &str| svg.matches(what).count();
        // Each count includes one in the legend.
        assert_eq!(count(&format!(r#"r="4.5" fill="{FASTER}""#)), 3);
        assert_eq!(count(&format!(r#"r="4.5" fill="{SLOWER}""#)), 2);
        assert_eq!(count(r#"r="4" fill="white""#), 3);
        assert_eq!(count(">A &amp; B</text>"), 1);
        assert_eq!(count(">&lt;new&gt;</text>"), 1);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
}
