//! Figures of a study.

use std::path::Path;

use enclust_experiment::Summary;
use enclust_experiment::study::{Figure, Metric, Protocol, Results, Unit, VariantRecord};
use enclust_figures::{Point, Points, Ranks, Score, Scores};

use super::{Options, choose, not_to_plot};
use crate::failure::Failure;

/// What is shown of a study: one metric for one number of clusterings and of clusters.
pub struct Shown<'a> {
    pub results: &'a Results,
    pub folder: &'a Path,
    pub metric: String,
    /// Index of the rule for ensembles; `None` where all are shown.
    pub ensemble: Option<usize>,
    pub k: Option<usize>,
    /// Indices of the pools.
    pub pools: Vec<usize>,
}

impl<'a> Shown<'a> {
    /// Finds what the options name, or what there is only one of.
    pub fn new(results: &'a Results, folder: &'a Path, options: &Options) -> Result<Self, Failure> {
        let protocol = &results.protocol;
        let metric = metric(results, folder, options)?;
        let of_partition = metric.of_partition();
        let k = match protocol.k.as_slice() {
            // The number of classes of each pool.
            [] => None,
            _ if !of_partition => None,
            several => Some(choose(folder, "--k", several, options.k)?),
        };
        if let (Some(_), None) = (options.k, k) {
            return Err(not_to_plot(
                folder,
                format!("--k has no effect: {metric} has one value per pool"),
            ));
        }
        let names: Vec<&str> = protocol.pools.iter().map(|pool| pool.name.as_str()).collect();
        let pools = match &options.pool {
            None => (0..names.len()).collect(),
            Some(wanted) => {
                wanted.iter().map(|name| position(name, &names)).collect::<Result<_, _>>()?
            }
        };
        let sizes = sizes(protocol);
        let ensemble = if options.x.as_deref() == Some("size") {
            None
        } else {
            let size = choose(folder, "--size", &sizes, options.size)?;
            sizes.iter().position(|other| *other == size)
        };
        Ok(Shown { results, folder, metric: metric.to_string(), ensemble, k, pools })
    }

    /// The numbers of clusterings of the ensembles.
    pub fn sizes(&self) -> Vec<usize> {
        sizes(&self.results.protocol)
    }

    /// The values of all runs of a variant.
    pub fn values(
        &self,
        pool: usize,
        ensemble: usize,
        variant: usize,
    ) -> Result<Vec<f64>, Failure> {
        let figures = self.results.protocol.figures(pool)?;
        let wanted = |figure: &Figure| {
            let fits = self.k.is_none() || figure.k == self.k;
            figure.metric.to_string() == self.metric && fits
        };
        let found = figures.iter().position(wanted);
        let values = found.and_then(|at| self.results.values(pool, ensemble, variant, at));
        values.ok_or_else(|| {
            not_to_plot(self.folder, format!("there is no value of {}", self.metric))
        })
    }

    /// Mean and standard deviation of a variant.
    pub fn score(&self, pool: usize, ensemble: usize, variant: usize) -> Result<Score, Failure> {
        let values = self.values(pool, ensemble, variant)?;
        let summary = Summary::of(&values)?;
        Ok(Score { mean: summary.mean, std: summary.std })
    }

    /// Mean over the pools that are shown.
    pub fn mean(&self, ensemble: usize, variant: usize) -> Result<f64, Failure> {
        let means = self.pools.iter().map(|&pool| Ok(self.score(pool, ensemble, variant)?.mean));
        let means: Vec<f64> = means.collect::<Result<_, Failure>>()?;
        Ok(means.iter().sum::<f64>() / means.len() as f64)
    }

    /// The metric, and the pools unless all are shown.
    pub fn title(&self) -> String {
        let protocol = &self.results.protocol;
        let mut title = self.metric.clone();
        if let Some(k) = self.k.filter(|_| protocol.k.len() > 1) {
            title += &format!(", k = {k}");
        }
        match self.pools.as_slice() {
            [only] if protocol.pools.len() > 1 => title + " on " + &protocol.pools[*only].name,
            _ => title,
        }
    }

    fn one_ensemble(&self) -> usize {
        self.ensemble.unwrap_or_default()
    }

    /// The mean ranks.
    pub fn ranks(&self) -> Result<Ranks, Failure> {
        let protocol = &self.results.protocol;
        let size = (protocol.ensembles.len() > 1).then(|| self.sizes()[self.one_ensemble()]);
        let k = self.k.filter(|_| protocol.k.len() > 1);
        let comparisons = self.results.comparisons()?;
        let found = comparisons
            .into_iter()
            .find(|found| found.metric == self.metric && found.size == size && found.k == k);
        let found = found.ok_or_else(|| {
            let reason = "ranks need two variants and two pools, or two runs of one pool";
            not_to_plot(self.folder, reason)
        })?;
        let unit = match found.unit {
            Unit::Pools => "pools",
            Unit::Runs => "runs",
        };
        Ok(Ranks {
            title: format!("{} over {} {unit}", self.title(), found.observations),
            names: found.variants.iter().map(ToString::to_string).collect(),
            ranks: found.ranks,
            critical_difference: found.critical_difference,
        })
    }

    /// Mean and standard deviation of every variant.
    pub fn scores(&self) -> Result<Scores, Failure> {
        let protocol = &self.results.protocol;
        let variants = 0..protocol.variants.len();
        let row = |&pool: &usize| {
            let score = |variant| self.score(pool, self.one_ensemble(), variant).map(Some);
            variants.clone().map(score).collect::<Result<Vec<_>, _>>()
        };
        Ok(Scores {
            title: self.title(),
            pools: self.pools.iter().map(|&pool| protocol.pools[pool].name.clone()).collect(),
            methods: protocol.variants.iter().map(|variant| variant.name.clone()).collect(),
            scores: self.pools.iter().map(row).collect::<Result<_, _>>()?,
        })
    }

    /// The score of every variant against its time, both as means over the pools.
    pub fn time(&self) -> Result<Points, Failure> {
        let variants = &self.results.protocol.variants;
        let point = |(variant, record): (usize, &VariantRecord)| {
            let x = self.seconds(variant);
            Ok(Point { name: record.name.clone(), x, y: self.mean(self.one_ensemble(), variant)? })
        };
        Ok(Points {
            x: "seconds per run".into(),
            y: self.title(),
            logarithmic: true,
            points: variants.iter().enumerate().map(point).collect::<Result<_, Failure>>()?,
        })
    }

    /// The mean time of a run. Shorter times than a microsecond cannot be measured.
    fn seconds(&self, variant: usize) -> f64 {
        let protocol = &self.results.protocol;
        let mine = self.results.finished.iter().filter(|(number, _)| {
            let cell = protocol.cell(**number);
            let shown = self.pools.contains(&cell.pool) && cell.ensemble == self.one_ensemble();
            cell.variant == variant && shown
        });
        let seconds: Vec<f64> = mine.map(|(_, result)| result.total_seconds()).collect();
        (seconds.iter().sum::<f64>() / seconds.len() as f64).max(1e-6)
    }
}

/// The numbers of clusterings of the ensembles, those of the first pool where whole pools are used.
fn sizes(protocol: &Protocol) -> Vec<usize> {
    protocol.ensembles.iter().map(|rule| rule.size(&protocol.pools[0])).collect()
}

/// The metric that is given, or the first for which larger is better.
fn metric(results: &Results, folder: &Path, options: &Options) -> Result<Metric, Failure> {
    let metrics = results.protocol.metrics()?;
    match &options.metric {
        Some(name) => metrics.iter().find(|m| m.to_string() == *name).copied().ok_or_else(|| {
            let known = metrics.iter().map(ToString::to_string).collect();
            Failure::Unknown { what: "metric", name: name.clone(), known }
        }),
        None => metrics.iter().find(|metric| metric.ranks()).copied().ok_or_else(|| {
            not_to_plot(folder, "the study has no metric for which larger is better; use --metric")
        }),
    }
}

fn position(name: &str, names: &[&str]) -> Result<usize, Failure> {
    names.iter().position(|other| *other == name).ok_or_else(|| Failure::Unknown {
        what: "pool",
        name: name.to_string(),
        known: names.iter().map(ToString::to_string).collect(),
    })
}
