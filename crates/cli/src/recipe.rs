//! Selection of the method: a preset, parts that replace its parts, and parameters by name.

use std::str::FromStr;

use enclust::core::{Error, Kind, Part, PipelineSpec, Registry, Stage, Value};
use enclust::registry::{DEFAULT_METHOD, Precision};

use crate::failure::Failure;

/// A method by name, parts that replace its parts, and parameters.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Method")]
pub struct RecipeArgs {
    /// Start from this method; the options below replace its parts [default: lwea]
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,

    /// Reduce the distinct label rows to at most this many: none, auto (10000 if a method that holds
    /// a value for every pair of rows has more than 20000 of them), a number, or a part; `enclust
    /// list reduce` shows them [default: auto]
    #[arg(long, value_name = "none|auto|P")]
    pub reduce: Option<String>,

    /// Co-association matrix or other representation; `enclust list ca` shows them
    #[arg(long, value_name = "PART")]
    pub ca: Option<String>,

    /// Choice of confident pairs; `enclust list confidence` shows them
    #[arg(long, value_name = "PART")]
    pub confidence: Option<String>,

    /// Enhancer; `enclust list enhance` shows them
    #[arg(long, value_name = "PART")]
    pub enhance: Option<String>,

    /// Stopping rule in place of the enhancer's own, such as kkt(tolerance=1e-6) or
    /// any(kkt, iterations); `enclust list stop` shows them
    #[arg(long, value_name = "PART")]
    pub stop: Option<String>,

    /// Consensus function; `enclust list consensus` shows them
    #[arg(long, value_name = "PART")]
    pub consensus: Option<String>,

    /// The name of --consensus in earlier versions
    #[arg(long, hide = true)]
    pub finish: Option<String>,

    /// The name of --confidence in earlier versions
    #[arg(long, hide = true)]
    pub confidence_rule: Option<String>,

    /// Share of the clusterings that must join a pair to make it confident (α)
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub alpha: Option<f64>,

    /// Weight of staying close to the given similarity (λ)
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub lambda: Option<f64>,

    /// How strongly unreliable clusters are down-weighted (θ)
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub theta: Option<f64>,

    /// Set any parameter of any part, for example enhance.tolerance=1e-6; see `enclust list`
    #[arg(long = "set", value_name = "STAGE.PARAM=VALUE")]
    pub settings: Vec<Setting>,
}

/// A parameter by its full name, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    stage: Stage,
    parameter: String,
    value: Value,
}

impl FromStr for Setting {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let refused = || Failure::Setting { text: text.to_string() };
        let (path, value) = text.split_once('=').ok_or_else(refused)?;
        let (stage, parameter) = path.split_once('.').ok_or_else(refused)?;
        let stage = match stage.parse() {
            Ok(stage) if Stage::PIPELINE.contains(&stage) && !parameter.is_empty() => stage,
            Err(renamed @ Error::Renamed { .. }) => return Err(wrong(renamed)),
            _ => return Err(refused()),
        };
        Ok(Setting { stage, parameter: parameter.to_string(), value: Value::parse(value) })
    }
}

impl RecipeArgs {
    /// The selected parts with the values of all parameters.
    pub fn resolve<S: Precision>(&self, registry: &Registry<S>) -> Result<PipelineSpec, Failure> {
        let preset = registry.preset(self.method_name()).map_err(wrong)?;
        self.resolve_from(preset.spec.clone(), registry)
    }

    /// The method to start from.
    pub fn method_name(&self) -> &str {
        self.method.as_deref().unwrap_or(DEFAULT_METHOD)
    }

    /// The same, starting from these parts instead of a method.
    pub fn resolve_from<S: Precision>(
        &self,
        mut spec: PipelineSpec,
        registry: &Registry<S>,
    ) -> Result<PipelineSpec, Failure> {
        self.refuse_old_names()?;
        self.replace_parts(&mut spec, registry)?;
        self.set_short_names(&mut spec, registry)?;
        for Setting { stage, parameter, value } in &self.settings {
            if *stage == Stage::Stop && spec.stop.is_none() {
                return Err(Failure::NoStop { parameter: parameter.clone() });
            }
            spec.set(&format!("{stage}.{parameter}"), value.clone()).map_err(wrong)?;
        }
        registry.resolved(&spec).map_err(wrong)
    }

    fn refuse_old_names(&self) -> Result<(), Failure> {
        let old = [
            (&self.finish, "--finish", "--consensus"),
            (&self.confidence_rule, "--confidence-rule", "--confidence"),
        ];
        match old.into_iter().find(|(given, ..)| given.is_some()) {
            Some((_, old, new)) => Err(Failure::RenamedOption { old, new }),
            None => Ok(()),
        }
    }

    /// The parts that are given, with their stages.
    fn named(&self) -> impl Iterator<Item = (Stage, String)> {
        let reduce = self.reduce.as_deref().map(reduction);
        let parts = [&self.ca, &self.confidence, &self.enhance, &self.stop, &self.consensus];
        let parts = [reduce].into_iter().chain(parts.map(Clone::clone));
        Stage::PIPELINE.into_iter().zip(parts).filter_map(|(stage, part)| Some((stage, part?)))
    }

    fn replace_parts<S: Precision>(
        &self,
        spec: &mut PipelineSpec,
        registry: &Registry<S>,
    ) -> Result<(), Failure> {
        for (stage, text) in self.named() {
            let part: Part = text.parse().map_err(wrong)?;
            let swapped = registry.swap(spec, stage, part);
            swapped.map_err(|error| match stage {
                Stage::Confidence if looks_like_a_file(&text) => {
                    Failure::MembershipFile { text: text.clone() }
                }
                _ => wrong(error),
            })?;
        }
        let idle = self.confidence.as_ref().filter(|name| *name != "none");
        match idle.filter(|_| spec.enhance.is_none()) {
            Some(name) => Err(Failure::IdleConfidence { name: name.clone() }),
            None => Ok(()),
        }
    }

    /// --alpha, --lambda and --theta, at the stage that has them.
    fn set_short_names<S: Precision>(
        &self,
        spec: &mut PipelineSpec,
        registry: &Registry<S>,
    ) -> Result<(), Failure> {
        let known = registry.resolved(spec).map_err(wrong)?;
        for (parameter, value) in
            [("alpha", self.alpha), ("lambda", self.lambda), ("theta", self.theta)]
        {
            let Some(value) = value else { continue };
            let has = |part: &Part| part.values.contains_key(parameter);
            let stages: Vec<Stage> = known
                .parts()
                .iter()
                .filter(|(_, part)| has(part))
                .map(|&(stage, _)| stage)
                .collect();
            match stages[..] {
                [] => {
                    return Err(Failure::NoSuchParameter { parameter, parts: known.to_string() });
                }
                [stage] => spec.set(&format!("{stage}.{parameter}"), value).map_err(wrong)?,
                // The λ of DREC and that of the enhancer are unrelated parameters with the same
                // name.
                _ => return Err(Failure::AmbiguousParameter { parameter, value, stages }),
            }
        }
        Ok(())
    }
}

/// The part that `--reduce` names.
fn reduction(text: &str) -> String {
    match (text, text.parse::<u64>()) {
        ("auto", _) => "landmarks".to_string(),
        (_, Ok(rows)) => format!("landmarks(rows={rows})"),
        (part, Err(_)) => part.to_string(),
    }
}

/// Whether the name of a part looks like the path of a file.
fn looks_like_a_file(text: &str) -> bool {
    text.contains(['.', '/', '\\'])
}

/// An error in the selection of the method.
pub fn wrong(error: Error) -> Failure {
    Failure::Recipe { error, hint: String::new() }
}

/// An error about parts that do not fit together, with a suggestion.
pub fn misfit<S: Precision>(error: Error, spec: &PipelineSpec, registry: &Registry<S>) -> Failure {
    let hint = match &error {
        Error::KindMismatch { consumer, made, .. } => {
            let advice = if *consumer == spec.enhance.name {
                "--enhance none leaves it as it is".to_string()
            } else {
                format!("it is read by --consensus {}", readers(*made, registry).join(", "))
            };
            format!("\nParts that are not given are those of the method; {advice}")
        }
        _ => String::new(),
    };
    Failure::Recipe { error, hint }
}

/// The consensus functions that read evidence of this kind.
fn readers<S: Precision>(kind: Kind, registry: &Registry<S>) -> Vec<&'static str> {
    let reads = |name: &&str| {
        let part = registry.consensus.build(&Part::named(*name));
        part.is_ok_and(|part| part.accepts().contains(&kind))
    };
    registry.consensus.names().into_iter().filter(reads).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use enclust::registry::standard;

    fn resolve(arguments: RecipeArgs) -> Result<String, Failure> {
        arguments.resolve(&standard::<f64>()).map(|spec| spec.to_string())
    }

    fn named(name: &str) -> Option<String> {
        Some(name.to_string())
    }

    #[test]
    fn every_parameter_is_written_out() {
        let text = resolve(RecipeArgs { method: named("lwea"), ..Default::default() }).unwrap();
        assert_eq!(text, "lwca(theta=0.4) + average(weighting=samples)");
    }

    #[test]
    fn short_names_find_their_stage_and_settings_win() {
        let text = resolve(RecipeArgs {
            method: named("ec-cms"),
            alpha: Some(0.7),
            lambda: Some(0.1),
            theta: Some(0.2),
            settings: vec!["enhance.lambda=0.3".parse().unwrap()],
            ..Default::default()
        })
        .unwrap();
        assert!(
            text.starts_with(
                "lwca(theta=0.2) + threshold(alpha=0.7, giant=0.7) + exact(lambda=0.3"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_short_name_that_two_parts_know_is_refused() {
        let drec = |lambda, settings| RecipeArgs {
            method: named("drec"),
            enhance: named("exact"),
            lambda,
            settings,
            ..Default::default()
        };
        let failure = resolve(drec(Some(0.05), vec![])).unwrap_err();
        assert_eq!(
            failure.to_string(),
            "--lambda 0.05: more than one part has this parameter; write --set ca.lambda=0.05 or --set enhance.lambda=0.05"
        );
        let text = resolve(drec(None, vec!["enhance.lambda=0.05".parse().unwrap()])).unwrap();
        assert!(text.starts_with("drec(lambda=1,") && text.contains("exact(lambda=0.05"), "{text}");
        let plain = RecipeArgs { enhance: None, ..drec(Some(0.05), vec![]) };
        assert!(resolve(plain).unwrap().starts_with("drec(lambda=0.05,"));
    }

    #[test]
    fn parts_that_do_not_fit_come_with_those_that_do() {
        let hint = |method: &str, ca: Option<&str>, enhance: &str| {
            let registry = standard::<f64>();
            let (ca, enhance) = (ca.map(String::from), named(enhance));
            let arguments = RecipeArgs { method: named(method), ca, enhance, ..Default::default() };
            let spec = arguments.resolve(&registry).unwrap();
            misfit(registry.pipeline(&spec).unwrap_err(), &spec, &registry).to_string()
        };
        let enhanced = hint("ptgp", None, "exact");
        assert!(enhanced.ends_with("--enhance none leaves it as it is"), "{enhanced}");
        let linked = hint("eac", Some("lwb"), "none");
        assert!(linked.ends_with("it is read by --consensus tcut, kcc, sec, nmf"), "{linked}");
    }

    #[test]
    fn an_enhancer_brings_its_confident_pairs() {
        let arguments =
            RecipeArgs { method: named("lwea"), enhance: named("admm"), ..Default::default() };
        assert!(resolve(arguments).unwrap().contains("threshold(alpha=0.8, giant=1) + admm"));
    }

    #[test]
    fn what_a_method_sets_stays_where_the_new_part_knows_it() {
        let arguments = RecipeArgs {
            method: named("pta-al"),
            consensus: named("complete"),
            ..Default::default()
        };
        assert!(resolve(arguments).unwrap().ends_with("complete(weighting=groups)"));
        let mut spec =
            PipelineSpec::plain(Part::named("lwca").set("theta", 0.1), Part::named("average"));
        let arguments = RecipeArgs { ca: named("eac"), ..Default::default() };
        spec = arguments.resolve_from(spec, &standard::<f64>()).unwrap();
        assert_eq!(spec.ca.to_string(), "eac");
    }

    #[test]
    fn a_parameter_that_nobody_has_is_refused() {
        let arguments = RecipeArgs { method: named("eac"), theta: Some(0.3), ..Default::default() };
        let failure = resolve(arguments).unwrap_err();
        assert!(
            matches!(failure, Failure::NoSuchParameter { parameter: "theta", .. }),
            "{failure}"
        );
        let stop = RecipeArgs {
            settings: vec!["stop.tolerance=1".parse().unwrap()],
            ..Default::default()
        };
        assert!(matches!(resolve(stop), Err(Failure::NoStop { .. })));
        for text in ["lambda=1", "enhance.=1", "enhance.lambda", "nowhere.lambda=1"] {
            assert!(matches!(text.parse::<Setting>(), Err(Failure::Setting { .. })), "{text}");
        }
    }
}
