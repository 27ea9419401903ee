//! `enclust list`: all components with their parameters, and all methods.

use std::collections::BTreeMap;
use std::io::{self, Write};

use enclust::core::{Error, Listed, ParamSpec, Part, PipelineSpec, Preset, Range, Registry, Stage};
use serde::Serialize;

use crate::console::{HEAD, NAME};
use crate::failure::Failure;
use crate::parts::Parts;
use crate::recipe::wrong;
use crate::record::json;

/// Show every component with its parameters, defaults and ranges, and every method
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    enclust list\n  \
    enclust list enhance\n  \
    enclust list method --json")]
pub struct ListArgs {
    /// Show one stage only: ca, confidence, enhance, stop, consensus, backend; or method
    #[arg(value_name = "STAGE")]
    stage: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The name under which methods are listed.
const METHOD: &str = "method";

/// Prints the listing.
pub fn run(args: &ListArgs, parts: &impl Parts, out: &mut dyn Write) -> Result<(), Failure> {
    let registry = parts.registry::<f64>();
    let listing = Listing::of(&registry, args.stage.as_deref())?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &listing)?;
        return Ok(writeln!(out)?);
    }
    Ok(listing.print(out)?)
}

#[derive(Serialize)]
struct Listing {
    components: Vec<ComponentEntry>,
    methods: Vec<MethodEntry>,
}

#[derive(Serialize)]
struct ComponentEntry {
    stage: &'static str,
    #[serde(skip)]
    place: &'static str,
    name: &'static str,
    summary: &'static str,
    parameters: Vec<ParameterEntry>,
}

#[derive(Serialize)]
struct ParameterEntry {
    /// The stage name for --set; backends have none.
    name: String,
    doc: String,
    expected: String,
    default: serde_json::Value,
    range: RangeEntry,
    /// The values over which its authors tuned it.
    tried: Vec<serde_json::Value>,
}

#[derive(Serialize)]
struct RangeEntry {
    text: String,
    minimum: Option<f64>,
    maximum: Option<f64>,
    /// Whether the minimum itself is excluded.
    above_minimum: bool,
}

#[derive(Serialize)]
struct MethodEntry {
    name: &'static str,
    summary: &'static str,
    advice: &'static str,
    parts: BTreeMap<&'static str, String>,
    #[serde(skip)]
    in_a_line: String,
}

impl Listing {
    fn of(registry: &Registry<f64>, stage: Option<&str>) -> Result<Self, Failure> {
        let listed = registry.listing();
        let mut known: Vec<&str> = listed.iter().map(|entry| entry.stage.key()).collect();
        known.push(METHOD);
        known.dedup();
        if let Some(now) = stage.and_then(Stage::renamed) {
            let (old, new) = (stage.unwrap_or_default().to_string(), now.key().to_string());
            return Err(wrong(Error::Renamed { old, new }));
        }
        if let Some(name) = stage.filter(|stage| !known.contains(stage)) {
            return Err(Failure::Unknown {
                what: "stage",
                name: name.to_string(),
                known: known.into_iter().map(String::from).collect(),
            });
        }
        let wanted = |key: &str| stage.is_none_or(|stage| stage == key);
        let components = listed.iter().filter(|entry| wanted(entry.stage.key()));
        let methods = registry.presets().iter().filter(|_| wanted(METHOD));
        Ok(Listing {
            components: components.map(ComponentEntry::of).collect(),
            methods: methods.map(MethodEntry::of).collect(),
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut stage = "";
        for component in &self.components {
            if component.stage != stage {
                let gap = if stage.is_empty() { "" } else { "\n" };
                stage = component.stage;
                writeln!(out, "{gap}{HEAD}{stage}{HEAD:#}: {}", component.place)?;
            }
            component.print(out)?;
        }
        if !self.methods.is_empty() {
            let gap = if stage.is_empty() { "" } else { "\n" };
            writeln!(out, "{gap}{HEAD}{METHOD}{HEAD:#}: parts that are used together")?;
        }
        for method in &self.methods {
            writeln!(out, "  {NAME}{:<12}{NAME:#} {}", method.name, method.summary)?;
            if !method.advice.is_empty() {
                writeln!(out, "      {}", method.advice)?;
            }
            writeln!(out, "      {}", method.in_a_line)?;
        }
        Ok(())
    }
}

impl ComponentEntry {
    fn of(listed: &Listed<'_>) -> Self {
        let Listed { stage, name, summary, parameters, .. } = *listed;
        let key = stage.key();
        let parameters = parameters.iter().map(|spec| ParameterEntry::of(key, spec)).collect();
        ComponentEntry { stage: key, place: stage.noun(), name, summary, parameters }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "  {NAME}{:<12}{NAME:#} {}", self.name, self.summary)?;
        for ParameterEntry { name, doc, expected, default, range, tried } in &self.parameters {
            let default = default.as_str().map_or_else(|| default.to_string(), String::from);
            let mut range = match range.text.as_str() {
                "any value" => expected.clone(),
                text => format!("{expected}, {text}"),
            };
            if !tried.is_empty() {
                let tried: Vec<String> = tried.iter().map(ToString::to_string).collect();
                range += &format!("; tried {}", tried.join(", "));
            }
            writeln!(out, "      {name} = {default}  ({range})")?;
            writeln!(out, "          {doc}")?;
        }
        Ok(())
    }
}

impl ParameterEntry {
    fn of(stage: &str, spec: &ParamSpec) -> Self {
        ParameterEntry {
            name: format!("{stage}.{}", spec.name),
            doc: spec.doc.clone(),
            expected: spec.expected.clone(),
            default: json(&spec.default),
            range: RangeEntry::of(spec.range),
            tried: spec.tried.iter().map(json).collect(),
        }
    }
}

impl RangeEntry {
    fn of(range: Range) -> Self {
        let (minimum, maximum, above_minimum) = match range {
            Range::Positive => (Some(0.0), None, true),
            Range::Within(low, high) | Range::From(low, high) => (Some(low), Some(high), false),
            Range::Above(low, high) => (Some(low), Some(high), true),
            Range::AtLeast(low) => (Some(low), None, false),
            _ => (None, None, false),
        };
        RangeEntry { text: range.to_string(), minimum, maximum, above_minimum }
    }
}

impl MethodEntry {
    fn of(preset: &Preset) -> Self {
        let parts = preset.spec.parts();
        MethodEntry {
            name: preset.name,
            summary: preset.summary,
            advice: preset.advice,
            parts: parts.into_iter().map(|(stage, part)| (stage.key(), part.to_string())).collect(),
            in_a_line: options(&preset.spec).join(" "),
        }
    }
}

/// The options that build this method from the default method.
fn options(spec: &PipelineSpec) -> Vec<String> {
    // Without an enhancer, confident pairs are not used.
    let parts = spec.parts().into_iter();
    let parts = parts.filter(|(stage, part)| *stage != Stage::Confidence || !part.is_none());
    let chosen = parts.clone().map(|(stage, part)| format!("--{stage} {}", part.name));
    let set = parts.flat_map(|(stage, Part { values, .. })| {
        values.iter().map(move |(name, value)| format!("--set {stage}.{name}={value}"))
    });
    chosen.chain(set).collect()
}
