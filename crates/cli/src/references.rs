//! The number of clusters, judged from features against data without clusters.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use enclust::ca::Eac;
use enclust::consensus::Linkage;
use enclust::core::{Ctx, Error, Parameters, Pipeline, Values};
use enclust::generate::{KMeansPool, KMeansPoolParams, Scale, scaled};
use enclust_io::{Origin, Pool};
use enclust_stability::{JudgeParams, Judgement, judge, subsample};

use crate::console::Console;
use crate::failure::Failure;
use crate::inputs::{Input, Opened, TableArgs};
use crate::machine::MachineArgs;
use crate::numbers::word;
use crate::progress::Progress;

/// A pool keeps about this many numbers of its features, unless so few samples would be left that
/// the judgement suffers.
const MOST_NUMBERS: usize = 5_000_000;

/// Where the features come from.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct ReferenceArgs {
    /// Features of the samples, one row per sample, to judge the number of clusters against data
    /// without clusters [default: those that `enclust generate` keeps in an .npz pool]
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,

    /// Scaling of these features: none, or unit-variance
    #[arg(long, value_name = "HOW", requires = "features", value_parser = word::<Scale>)]
    pub scale: Option<Scale>,
}

impl ReferenceArgs {
    /// How the pool was made: as the features of the command line and the default settings of the
    /// generator say, or as the pool itself says.
    pub fn origin(
        &self,
        pool: &Pool,
        table: &TableArgs,
        machine: &MachineArgs,
    ) -> Result<Option<(Origin, Option<Input>)>, Failure> {
        let stated = self.features.is_some() || pool.origin.is_some();
        if stated && pool.ensemble.counts().is_some() {
            let what = "rows with counts: features have one row for each sample; leave them out";
            return Err(Error::unsupported("the comparison with references", what).into());
        }
        let Some(path) = &self.features else {
            return Ok(pool.origin.clone().map(|origin| (origin, None)));
        };
        let opened = Opened::load("features", path, machine.memory)?;
        let (features, layout) = opened.source.features(&table.options(machine.memory))?;
        Error::check_size("rows of the features", pool.ensemble.samples(), features.samples)
            .map_err(Failure::in_file(path))?;
        let scale = self.scale.unwrap_or(Scale::None);
        let generator = KMeansPoolParams::default().size(pool.ensemble.clusterings());
        let origin = kept(&features.values, features.dimension, &generator.scale(scale))
            .map_err(Failure::in_file(path))?;
        Ok(Some((origin, Some(opened.input(layout)?))))
    }
}

/// What a pool keeps of its origin: the scaled features of as many samples as are judged.
pub fn kept(
    features: &[f64],
    dimension: usize,
    generator: &KMeansPoolParams,
) -> Result<Origin, Error> {
    let features = scaled(features, dimension, generator.scale)?;
    let JudgeParams { samples, pools, .. } = JudgeParams::default();
    let most = (MOST_NUMBERS / dimension).clamp(samples, samples * pools);
    let features = subsample(&features, dimension, most, generator.seed).into_owned();
    // The features are scaled already.
    let values = generator.clone().scale(Scale::None).to_values();
    let generator = serde_json::to_string(&values).unwrap_or_default();
    Ok(Origin { features, dimension, generator })
}

/// Judges the number of clusters by EAC with average link, for which the limits were calibrated.
pub fn judged(
    origin: &Origin,
    ks: RangeInclusive<usize>,
    console: &Console,
    ctx: &Ctx<'_, f64>,
) -> Result<Judgement, Failure> {
    let generator = settings(&origin.generator)?;
    let make = |features: &[f64], seed: u64| {
        let params = generator.for_part(features.len() / origin.dimension).seed(seed);
        KMeansPool::new(params)?.generate(features, origin.dimension)
    };
    let method = Pipeline::plain(Eac, Linkage::average())?;
    let progress = Progress::new(console, "comparing with data without clusters");
    let ctx = ctx.with_observer(&progress);
    let params = JudgeParams::default();
    Ok(judge(&method, &origin.features, origin.dimension, &make, ks, &params, &ctx)?)
}

/// The settings that a pool keeps.
fn settings(text: &str) -> Result<KMeansPoolParams, Failure> {
    let values: Values = serde_json::from_str(text).map_err(|_| Failure::Generator)?;
    KMeansPoolParams::from_values(&values).map_err(|_| Failure::Generator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_the_way_through_a_pool() {
        let params = KMeansPoolParams::default().size(7).samples(0.5).max_clusters(Some(9));
        let origin = kept(&[0.0, 4.0, 8.0], 1, &params.clone().scale(Scale::UnitVariance)).unwrap();
        assert_eq!(settings(&origin.generator).unwrap(), params);
        assert!((origin.features[2] - 1.5_f64.sqrt()).abs() < 1e-12, "{:?}", origin.features);
        assert!(matches!(settings("{\"size\": -1}"), Err(Failure::Generator)));
    }
}
