//! A study as described by its file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use enclust_core::{Stage, Value, Values};
use serde::Deserialize;
use toml::Spanned;

use super::pools::PoolEntry;
use crate::error::StudyError;

/// A study: pools, draws, a base pipeline and its variants, metrics.
///
/// Every key of the file is a field here; an unknown key is an error with its line. See [the
/// module](crate::study) for the format.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name of the study; the name of the file if it is not given.
    #[serde(default)]
    pub name: String,
    /// The pools; see [`PoolEntry`].
    pub pools: Vec<PoolEntry>,
    /// How ensembles are taken from a pool.
    #[serde(default)]
    pub draws: Draws,
    /// Number of ensembles that are drawn from each pool.
    #[serde(default = "one")]
    pub runs: usize,
    /// The number of clusters.
    #[serde(default)]
    pub k: Clusters,
    /// The metrics; see [`Metric`](crate::study::Metric).
    #[serde(default = "usual_metrics")]
    pub metrics: Vec<String>,
    /// Thresholds of the similarity for `precision@t`, `recall@t` and `share@t`, which are
    /// measured in addition to the metrics.
    #[serde(default)]
    pub thresholds: Vec<f64>,
    /// The metric by which grids are tuned; without it, each point is an ordinary variant.
    pub tuned_by: Option<String>,
    /// Seed of randomised methods; run r uses seed + r − 1.
    #[serde(default)]
    pub seed: u64,
    /// Whether each run permutes the samples, with a permutation drawn from the seed. This does
    /// not change the scores of a method that does not depend on the order of the samples.
    #[serde(default)]
    pub shuffle: bool,
    /// Whether runs are executed one at a time with all threads, so that their times are
    /// meaningful.
    #[serde(default)]
    pub one_at_a_time: bool,
    /// The base pipeline. It is run, and variants modify it.
    pub base: Option<Spanned<Recipe>>,
    /// Further pipelines.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Spanned<Recipe>>,
    /// The names of the recipes to run; `None` means all. Not part of the file.
    #[serde(skip)]
    pub only: Option<Vec<String>>,
    #[serde(skip)]
    origin: Origin,
}

/// The origin of a study, used in error messages.
#[derive(Clone, Debug, Default)]
struct Origin {
    file: String,
    folder: Option<PathBuf>,
    text: String,
    pools: Vec<String>,
}

/// How ensembles are taken from a pool: drawn as the EC-CMS paper does
/// ([`PaperDraws`](crate::PaperDraws)), named by column, or the whole pool.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draws {
    /// Number of clusterings per draw, or several such numbers.
    pub size: Option<OneOrMany>,
    /// Seed of the draws; the default is 1.
    pub seed: Option<u32>,
    /// The columns to use instead of a draw, counted from 1.
    pub columns: Option<Vec<usize>>,
}

/// A number or a list of numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a whole number or a list of them")]
pub enum OneOrMany {
    /// One.
    One(usize),
    /// Several.
    Many(Vec<usize>),
}

impl OneOrMany {
    /// All numbers.
    pub fn to_vec(&self) -> Vec<usize> {
        match self {
            OneOrMany::One(one) => vec![*one],
            OneOrMany::Many(many) => many.clone(),
        }
    }
}

/// The number of clusters.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "\"true\", a number of clusters or a list of them")]
pub enum Clusters {
    /// The number of classes of the truth.
    Classes(TrueWord),
    /// Each of these numbers.
    Numbers(OneOrMany),
}

impl Default for Clusters {
    fn default() -> Self {
        Clusters::Classes(TrueWord::True)
    }
}

/// The word `true`, as in "the true number of clusters".
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum TrueWord {
    /// The only value.
    #[serde(rename = "true")]
    True,
}

/// Values of parameters by stage and name, written `stage.parameter = value`.
pub type Settings = BTreeMap<String, Values>;

/// A pipeline, or a change of the base pipeline.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Its name in tables; the name of the method or the changes if it is not given.
    pub name: Option<String>,
    /// The method to start from; the base pipeline if it is not given.
    pub method: Option<String>,
    /// Replaces the reduction of the label rows.
    pub reduce: Option<String>,
    /// Replaces the representation.
    pub ca: Option<String>,
    /// Replaces the confidence component.
    pub confidence: Option<String>,
    /// Replaces the enhancer.
    pub enhance: Option<String>,
    /// Replaces the stopping rule.
    pub stop: Option<String>,
    /// Replaces the consensus function.
    pub consensus: Option<String>,
    /// Another backend; the default one if it says nothing.
    pub backend: Option<String>,
    /// Another precision, `f32` or `f64`; double precision if it says nothing.
    pub precision: Option<String>,
    /// Parameters.
    #[serde(default)]
    pub set: Settings,
    /// Parameters that differ between pools, by the pool's name.
    #[serde(default)]
    pub per_pool: BTreeMap<String, Settings>,
    /// Parameters with several values each: every combination is a variant.
    #[serde(default)]
    pub grid: Grid,
    /// The recipe that it should improve on; pools on which it does not are reported.
    pub against: Option<String>,
}

/// Parameters with several values each.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "\"published\", or lists of parts by stage, or of values by stage and parameter"
)]
pub enum Grid {
    /// All parameters for which a grid was published, with the values of that grid.
    Published(PublishedWord),
    /// These, written `stage = parts` or `stage.parameter = values`.
    These(BTreeMap<String, GridStage>),
}

/// What a grid varies at one stage.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a list of parts, or lists of values by parameter")]
pub enum GridStage {
    /// The part itself. Combinations that do not fit together are left out, and said.
    Parts(Vec<String>),
    /// Parameters of the part.
    Parameters(BTreeMap<String, GridValues>),
}

impl Grid {
    /// Whether there is no grid.
    pub fn is_empty(&self) -> bool {
        matches!(self, Grid::These(parameters) if parameters.is_empty())
    }

    /// Upper bound on the number of its points; published values count as one.
    fn points(&self) -> usize {
        let Grid::These(stages) = self else { return 1 };
        let values = |values: &GridValues| match values {
            GridValues::These(values) => values.len(),
            GridValues::Published(_) => 1,
        };
        let points = |stage: &GridStage| match stage {
            GridStage::Parts(parts) => parts.len(),
            GridStage::Parameters(parameters) => {
                parameters.values().map(values).fold(1, usize::saturating_mul)
            }
        };
        stages.values().map(points).fold(1, usize::saturating_mul)
    }

    /// Whether it varies parts, and not only parameters.
    pub fn swaps_parts(&self) -> bool {
        let Grid::These(stages) = self else { return false };
        stages.values().any(|stage| matches!(stage, GridStage::Parts(_)))
    }

    /// The first entry with an empty list, which would make its recipe vanish.
    fn without_values(&self) -> Option<String> {
        let Grid::These(stages) = self else { return None };
        let empty = |values: &GridValues| matches!(values, GridValues::These(v) if v.is_empty());
        stages.iter().find_map(|(stage, varied)| match varied {
            GridStage::Parts(parts) => parts.is_empty().then(|| stage.clone()),
            GridStage::Parameters(parameters) => {
                let (parameter, _) = parameters.iter().find(|(_, values)| empty(values))?;
                Some(format!("{stage}.{parameter}"))
            }
        })
    }
}

impl Default for Grid {
    fn default() -> Self {
        Grid::These(BTreeMap::new())
    }
}

/// The values of a parameter in a grid.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a list of values, or \"published\"")]
pub enum GridValues {
    /// The values that its authors tried.
    Published(PublishedWord),
    /// These.
    These(Vec<Value>),
}

/// The word `published`, as in "the published grid".
#[derive(Clone, Copy, Debug, Deserialize)]
pub enum PublishedWord {
    /// The only value.
    #[serde(rename = "published")]
    Published,
}

impl Study {
    /// Reads a study from its file.
    ///
    /// # Errors
    /// [`StudyError::Read`], [`StudyError::Syntax`] with line and column, or
    /// [`StudyError::Value`] for an invalid value.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, StudyError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|error| StudyError::Read { path: path.into(), error })?;
        let mut study = Self::parse(&text, &path.display().to_string())?;
        if study.name.is_empty() {
            study.name = path.file_stem().map(|s| s.to_string_lossy().into()).unwrap_or_default();
        }
        study.origin.folder = path.parent().map(Path::to_path_buf);
        Ok(study)
    }

    /// Reads a study from text; `file` is its name in messages.
    ///
    /// # Errors
    /// The same as [`read`](Self::read).
    ///
    /// ```
    /// use enclust_experiment::study::Study;
    ///
    /// let error = Study::parse("pools = [\"Ecoli\"]\nrnus = 20\n", "mine.toml").unwrap_err();
    /// assert!(error.to_string().starts_with("mine.toml:2:1: unknown field `rnus`"));
    /// ```
    pub fn parse(text: &str, file: &str) -> Result<Self, StudyError> {
        let mut study: Study = toml::from_str(text).map_err(|e| {
            let (line, column) = place(text, e.span());
            let message = e.message().lines().collect::<Vec<_>>().join(", ");
            let message = renamed(&message).unwrap_or(message);
            StudyError::Syntax { file: file.into(), line, column, message }
        })?;
        let pools = study.pools.iter().map(PoolEntry::name).collect();
        study.origin = Origin { file: file.into(), folder: None, text: text.into(), pools };
        study.check()?;
        Ok(study)
    }

    /// The name of its file in messages.
    pub(crate) fn file(&self) -> &str {
        &self.origin.file
    }

    /// The folder of its file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.origin.folder.as_deref()
    }

    /// The names of the pools that the file lists.
    pub(crate) fn pools_of_file(&self) -> impl Iterator<Item = String> {
        self.origin.pools.iter().cloned()
    }

    /// The line on which a part of the file begins.
    pub(crate) fn line<T>(&self, part: &Spanned<T>) -> usize {
        place(&self.origin.text, Some(part.span())).0
    }

    /// The base, then the variants.
    pub(crate) fn recipes(&self) -> impl Iterator<Item = &Spanned<Recipe>> {
        self.base.iter().chain(&self.variants)
    }

    /// The names of its recipes, without repetition.
    pub fn recipe_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in self.recipes().map(|recipe| recipe.get_ref().label()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    pub(crate) fn invalid(&self, key: &'static str, what: impl Into<String>) -> StudyError {
        StudyError::Value { file: self.file().into(), key, what: what.into() }
    }

    fn check(&self) -> Result<(), StudyError> {
        let Draws { size, seed, columns } = &self.draws;
        let sizes = size.as_ref().map(OneOrMany::to_vec);
        // Without a name, the study has the name of its file.
        if !self.name.is_empty() && !is_file_name(&self.name) {
            let what = "it names the folder of the results: no slashes, no control characters, \
                        at most 100 characters, not \".\" or \"..\"";
            return Err(self.invalid("name", what));
        }
        self.check_size()?;
        if self.pools.is_empty() {
            return Err(self.invalid("pools", "there must be at least one"));
        }
        if self.runs == 0 {
            return Err(self.invalid("runs", "there must be at least one"));
        }
        if self.base.is_none() && self.variants.is_empty() {
            return Err(self.invalid("base", "there is neither a [base] nor a [[variant]]"));
        }
        if sizes.as_ref().is_some_and(Vec::is_empty) {
            return Err(self.invalid("draws.size", "the list is empty"));
        }
        if sizes.is_some() && columns.is_some() {
            return Err(self.invalid("draws", "size and columns exclude each other"));
        }
        if seed.is_some() && sizes.is_none() {
            return Err(self.invalid(
                "draws.seed",
                "a seed needs a size, because nothing is drawn without it",
            ));
        }
        if columns.as_ref().is_some_and(|c| c.is_empty() || c.contains(&0)) {
            return Err(self.invalid("draws.columns", "columns are counted from 1, at least one"));
        }
        if self.metrics.is_empty() && self.thresholds.is_empty() {
            return Err(self.invalid("metrics", "there is nothing to measure"));
        }
        if self.tuned_by.is_some() && self.recipes().all(|r| r.get_ref().grid.is_empty()) {
            return Err(self.invalid("tuned_by", "there is no grid to tune"));
        }
        if let Some(path) = self.recipes().find_map(|r| r.get_ref().grid.without_values()) {
            return Err(self.invalid("grid", format!("{path} has no values")));
        }
        match &self.k {
            Clusters::Numbers(k) if k.to_vec().is_empty() || k.to_vec().contains(&0) => {
                Err(self.invalid("k", "there must be at least one number, each at least 1"))
            }
            _ => Ok(()),
        }
    }
}

impl Study {
    /// Returns an error if the study has more runs than anyone can wait for, before its grids
    /// are written out.
    fn check_size(&self) -> Result<(), StudyError> {
        let points = self.recipes().map(|recipe| recipe.get_ref().grid.points());
        let variants = points.fold(0_usize, usize::saturating_add);
        let sizes = self.draws.size.as_ref().map_or(1, |sizes| sizes.to_vec().len());
        let cells = [self.pools.len(), sizes, self.runs, variants]
            .into_iter()
            .fold(1_usize, usize::saturating_mul);
        if cells > MOST_CELLS {
            let what = format!(
                "{} pools, {sizes} sizes of ensembles, {} runs and {variants} variants are more \
                 than {MOST_CELLS} runs in all",
                self.pools.len(),
                self.runs
            );
            return Err(self.invalid("runs", what));
        }
        Ok(())
    }
}

/// The largest number of runs of a study; a second each would take four months.
const MOST_CELLS: usize = 10_000_000;

/// Whether a text can be the name of a file or folder in the current folder.
fn is_file_name(name: &str) -> bool {
    const LONGEST: usize = 100;
    let fine = |c: char| !c.is_control() && !['/', '\\'].contains(&c);
    ![".", ".."].contains(&name) && name.chars().count() <= LONGEST && name.chars().all(fine)
}

impl Recipe {
    /// The parts that it replaces, with their stages.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Stage, &str)> {
        let parts = [
            (Stage::Reduce, &self.reduce),
            (Stage::Ca, &self.ca),
            (Stage::Confidence, &self.confidence),
            (Stage::Enhance, &self.enhance),
            (Stage::Stop, &self.stop),
            (Stage::Consensus, &self.consensus),
            (Stage::Backend, &self.backend),
            (Stage::Precision, &self.precision),
        ];
        parts.into_iter().filter_map(|(stage, part)| Some((stage, part.as_deref()?)))
    }

    /// Its name in tables, without the values of grids.
    pub fn label(&self) -> String {
        if let Some(name) = self.name.as_ref().or(self.method.as_ref()) {
            return name.clone();
        }
        let parts = self.parts().map(|(stage, part)| format!("{stage}={part}"));
        let set = settings(&self.set).map(|(path, v)| format!("{path}={v}"));
        let changes: Vec<String> = parts.chain(set).collect();
        if changes.is_empty() { "base".into() } else { changes.join(" ") }
    }
}

/// The message for a key that was renamed in this version.
fn renamed(message: &str) -> Option<String> {
    let key = message.strip_prefix("unknown field `")?.split('`').next()?;
    let now = Stage::renamed(key)?;
    Some(format!("`{key}` is now called `{now}`"))
}

/// Settings by full name, `stage.parameter`.
pub(crate) fn settings(set: &Settings) -> impl Iterator<Item = (String, &Value)> {
    set.iter().flat_map(|(stage, values)| {
        values.iter().map(move |(parameter, value)| (format!("{stage}.{parameter}"), value))
    })
}

fn one() -> usize {
    1
}

fn usual_metrics() -> Vec<String> {
    ["ari", "nmi", "f1"].map(String::from).to_vec()
}

/// Line and column, counted from one.
fn place(text: &str, span: Option<Range<usize>>) -> (usize, usize) {
    let before = span.and_then(|s| text.get(..s.start)).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Study::parse(text, "s.toml").unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let head = "pools = [\"a\"]\n";
        let cases = [
            (
                "[base]\nmethd = \"eac\"",
                "s.toml:3:1: unknown field `methd`, expected one of `name`, `method`",
            ),
            ("[base]\nfinish = \"average\"", "s.toml:3:1: `finish` is now called `consensus`"),
            ("k = \"many\"", "s.toml:2:5: \"true\", a number of clusters or a list of them"),
            ("[base]\nset = { enhance.lambda = [1] }", "s.toml:3:"),
            ("runs = 0\n[base]", "s.toml: runs: there must be at least one"),
            ("", "s.toml: base: there is neither"),
            ("[base]\n[draws]\nseed = 2", "s.toml: draws.seed: a seed needs a size"),
            ("[base]\n[draws]\nsize = 2\ncolumns = [1]", "s.toml: draws: size and columns"),
            ("[base]\n[draws]\ncolumns = [0]", "s.toml: draws.columns: columns are counted"),
            ("k = [2, 0]\n[base]", "s.toml: k: there must be"),
            ("tuned_by = \"ari\"\n[base]", "s.toml: tuned_by: there is no grid to tune"),
            ("[base]\ngrid = \"all\"", "s.toml:3:8: \"published\", or lists of parts"),
            ("[base]\ngrid = { ca = [] }", "s.toml: grid: ca has no values"),
            ("[base]\ngrid = { ca.theta = [] }", "s.toml: grid: ca.theta has no values"),
        ];
        for (text, expected) in cases {
            let found = message(&format!("{head}{text}"));
            assert!(found.starts_with(expected), "{text:?} gave {found:?}");
            assert!(!found.contains('\n'), "{found:?}");
        }
    }

    #[test]
    fn recipes_are_named_by_what_they_change() {
        let recipe: Recipe =
            toml::from_str("enhance = \"admm\"\nset = { enhance.lambda = 0.5 }").unwrap();
        assert_eq!(recipe.label(), "enhance=admm enhance.lambda=0.5");
        assert_eq!(Recipe::default().label(), "base");
        let method = Recipe { method: Some("eac".into()), ..Recipe::default() };
        assert_eq!(method.label(), "eac");
    }
}
