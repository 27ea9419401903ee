//! The page: a template, its style, its scripts and its data.

use serde::Serialize;

/// The kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A run, from a [`RunPage`](crate::RunPage).
    Run,
    /// A study, from a [`StudyPage`](crate::StudyPage).
    Study,
    /// A stability analysis, from a [`StabilityPage`](crate::StabilityPage).
    Stability,
}

macro_rules! asset {
    ($path:literal) => {
        include_str!(concat!("../assets/", $path))
    };
}

const SHELL: &str = asset!("shell.html");

/// In the order of the cascade.
const STYLE: [&str; 5] = [
    asset!("css/colours.css"),
    asset!("css/text.css"),
    asset!("css/figures.css"),
    asset!("css/tables.css"),
    asset!("css/print.css"),
];

/// What every page needs. A file uses names of the files before it.
const COMMON: [&str; 9] = [
    asset!("js/elements.js"),
    asset!("js/numbers.js"),
    asset!("js/data.js"),
    asset!("js/theme.js"),
    asset!("js/download.js"),
    asset!("js/table.js"),
    asset!("js/chart.js"),
    asset!("js/parts.js"),
    asset!("js/stability.js"),
];

impl Kind {
    fn body(self) -> &'static str {
        match self {
            Kind::Run => asset!("run.html"),
            Kind::Study => asset!("study.html"),
            Kind::Stability => asset!("stability.html"),
        }
    }

    fn scripts(self) -> &'static [&'static str] {
        match self {
            Kind::Run => &[
                asset!("js/palette.js"),
                asset!("js/heatmap-view.js"),
                asset!("js/heatmap.js"),
                asset!("js/tree.js"),
                asset!("js/provenance.js"),
                asset!("js/run.js"),
            ],
            Kind::Study => &[
                asset!("js/palette.js"),
                asset!("js/ranks.js"),
                asset!("js/grid.js"),
                asset!("js/provenance.js"),
                asset!("js/study.js"),
            ],
            Kind::Stability => &[asset!("js/provenance.js"), asset!("js/stability-page.js")],
        }
    }
}

/// The page of this kind with a title and its data.
///
/// # Errors
/// Returns an error if the data cannot be written as JSON.
pub fn page(kind: Kind, title: &str, data: &impl Serialize) -> Result<String, serde_json::Error> {
    let data = for_a_script(&serde_json::to_string(data)?);
    let scripts = COMMON.iter().chain(kind.scripts()).copied().collect::<Vec<_>>().join("\n");
    let parts = [
        ("title", escaped(title)),
        ("style", STYLE.join("\n")),
        ("body", kind.body().to_string()),
        ("data", data),
        ("script", scripts),
    ];
    Ok(filled(SHELL, &parts))
}

/// The template with every `{{name}}` replaced. Text that was filled in is not searched again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut pieces = template.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let part = parts.iter().find(|(known, _)| *known == name);
        page.push_str(part.map_or("", |(_, text)| text));
        page.push_str(rest);
    }
    page
}

/// JSON in which no `<` could end the script element or begin a comment.
fn for_a_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Text as the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_their_element() {
        let name = "</script><script>alert(1)</script><!-- {{style}} & \u{2028}";
        let html = page(Kind::Run, name, &serde_json::json!({ "name": name })).unwrap();
        let scripts = html.matches("</script>").count();
        assert_eq!(scripts, 2, "one for the data and one for the program");
        let (_, from) = html.split_once(r#"<script type="application/json" id="data">"#).unwrap();
        let (json, _) = from.split_once("</script>").unwrap();
        let read: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(read["name"], name);
        assert!(html.contains("<title>&lt;/script&gt;"));
    }

    #[test]
    fn every_page_is_whole_and_asks_for_nothing() {
        for kind in [Kind::Run, Kind::Study, Kind::Stability] {
            let html = page(kind, "x", &0).unwrap();
            assert!(!html.contains("{{"), "{kind:?}");
            assert!(html.contains("default-src 'none'"), "{kind:?}");
            for request in ["http://", "https://", "src=\"", "@import", "url(", "fetch("] {
                let found = html.replace("http://www.w3.org/", "");
                assert!(!found.contains(request), "{kind:?}: {request}");
            }
        }
    }
}
