//! The page that `--report` writes.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use clap::{Args as _, FromArgMatches as _};
use enclust::core::{Ctx, Ensemble, Evidence, Metered, Partition, Report, Similarity};
use enclust::metrics::Scores;
use enclust::registry::Precision;
use enclust_io::{Labels, write_atomically};
use enclust_report::{
    Agreement, Certainty, CutPage, Drawn, Kind, LevelRecord, Part, PlainResult, RunPage, Sources,
    about_certificate, as_command, in_words, page,
};
use enclust_stability::{Membership, Ranked, agreements, rank};

use super::data::Data;
use super::item_consensus::memberships;
use super::plan::Plan;
use super::{ClusterArgs, Cut, Done, summary};
use crate::console::Console;
use crate::failure::Failure;
use crate::parts::Parts;
use crate::record::{RunRecord, Timing, name_of_sample};

/// Of more label rows, the co-association that item consensus is based on takes too long for a figure
/// that was not asked for.
const FEW_ROWS: usize = 5000;
/// Comparing more labels than this with the result takes too long for a figure that was not asked for.
const FEW_LABELS: usize = 40_000_000;
/// More cuts would make the page too large.
const DETAILED: usize = 20;
/// Several numbers of clusters are resampled only if there are at most this many label rows.
pub(super) const FEW_TO_RESAMPLE: usize = 2000;
/// They are resampled only if the largest exceeds the smallest by at most this.
pub(super) const NARROW: usize = 40;

/// Writes the report of a run on clusterings that are in memory, with these options of the command.
pub fn report_on(
    ensemble: Ensemble,
    truth: Partition,
    options: &[String],
    path: &Path,
    parts: &impl Parts,
    console: &Console,
) -> Result<(), Failure> {
    let words = ["cluster", EMBEDDED].map(String::from);
    let words = words.iter().chain(options).map(OsString::from);
    let command = ClusterArgs::augment_args(clap::Command::new("cluster"));
    let matches = command.try_get_matches_from(words).map_err(Failure::Options)?;
    let mut args = ClusterArgs::from_arg_matches(&matches).map_err(Failure::Options)?;
    args.outputs.report = Some(path.to_path_buf());
    let plan = Plan::new(&args, parts.registry::<f64>())?;
    let backend = args.machine.backend(&plan.registry)?;
    let metered = Metered::new(&*backend);
    let ctx = args.machine.context(&metered, args.selection.seed.into());
    let began = Instant::now();
    let data = Data::of(ensemble, truth, &args.selection)?;
    let read = Timing::new("read", began.elapsed());
    let (mut done, record) = args.compute(&plan, data, read, console, &metered, &ctx)?;
    let html = done.report(&record, &ctx)?;
    Ok(write_atomically(path, |file| file.write_all(html.as_bytes()))?)
}

/// The name of a pool that is not a file.
const EMBEDDED: &str = "embedded";

impl<S: Precision> Done<S> {
    /// The page of this run.
    pub(super) fn report(
        &mut self,
        record: &RunRecord,
        ctx: &Ctx<'_, S>,
    ) -> Result<String, Failure> {
        let drawn = Drawn::of(Sources {
            fit: &self.fit,
            before: std::mem::replace(&mut self.before, Part::missing("")),
            truth: truth(self.data.truth.as_ref()),
            cuts: self.cuts.iter().map(|cut| &cut.partition).collect(),
            curves: std::mem::take(&mut self.curves),
        })?;
        let (found, no_membership) = self.item_consensus(record, ctx)?;
        let cuts = self.cuts.iter().enumerate().map(|(at, cut)| {
            let (certainty, clusterings) = match at < DETAILED {
                false => (too_many(), too_many()),
                true => (
                    Part::of(found.get(at).map(|m| self.certainty(m, cut)), || {
                        no_membership.clone()
                    }),
                    self.clusterings(cut, self.rankings.get(at))?,
                ),
            };
            let segments = drawn.segments[at].clone();
            let plain = self.plain(cut, ctx)?;
            Ok(CutPage { k: cut.k, segments, plain, certainty, clusterings })
        });
        let run = RunPage {
            title: title(record),
            subtitle: subtitle(record),
            repeat: as_command(&record.command),
            sentences: sentences(record),
            cuts: cuts.collect::<Result<_, Failure>>()?,
            stability: self.levels(),
            drawn,
            record,
        };
        Ok(page(Kind::Run, &run.title, &run)?)
    }

    /// The membership of each cut if it was requested or is quickly found, or why there is none.
    fn item_consensus(
        &self,
        record: &RunRecord,
        ctx: &Ctx<'_, S>,
    ) -> Result<(Vec<Membership>, String), Failure> {
        if !self.memberships.is_empty() {
            return Ok((self.memberships.clone(), String::new()));
        }
        let rows = record.reduction.as_ref().map_or(record.groups, |reduction| reduction.from);
        if rows > FEW_ROWS {
            let reason = format!(
                "This was not computed, because it compares all pairs of the {rows} distinct label rows. \
                 --membership FILE.csv computes it."
            );
            return Ok((Vec::new(), reason));
        }
        let (ensemble, evidence) = (self.data.ensemble.as_ref(), &self.fit.evidence);
        if ensemble.is_none() && evidence.as_similarity().is_none() {
            return Ok((Vec::new(), "There are no base clusterings to compute it from.".into()));
        }
        let detailed = &self.cuts[..self.cuts.len().min(DETAILED)];
        Ok((memberships(ensemble, evidence, detailed, ctx)?, String::new()))
    }

    fn certainty(&self, found: &Membership, cut: &Cut) -> Certainty {
        let name = |sample| name_of_sample(sample, self.data.ids.as_deref());
        Certainty::of(found, &cut.partition, name)
    }

    /// The result without enhancement.
    fn plain(&self, cut: &Cut, ctx: &Ctx<'_, S>) -> Result<Part<PlainResult>, Failure> {
        let Some(plain) = self.fit.plain_cut(cut.k, ctx)? else {
            let reason = match self.fit.pairs {
                Some(_) => {
                    "The result without enhancement is not known: without a tree, it is found only for a \
                     single k."
                }
                None => {
                    "Nothing was enhanced, so there is no second result to compare with. --enhance exact \
                     enhances."
                }
            };
            return Ok(Part::missing(reason));
        };
        let scores = self.data.truth.as_ref().map(|truth| self.data.scores(truth, &plain));
        let scores = scores.transpose()?.map(|scores: Scores| scores.named().into_iter().collect());
        Ok(Part::Here(PlainResult { sizes: plain.sizes(), scores }))
    }

    /// The agreement of the base clusterings with a cut.
    fn clusterings(
        &self,
        cut: &Cut,
        ranked: Option<&Vec<Ranked>>,
    ) -> Result<Part<Vec<Agreement>>, Failure> {
        let pool = self.data.ensemble.as_ref().zip(self.data.selection.as_ref());
        let Some((ensemble, selection)) = pool else {
            return Ok(Part::missing(
                "The run read a similarity and no base clusterings; a pool has them.",
            ));
        };
        if ranked.is_none() && ensemble.samples() * ensemble.clusterings() > FEW_LABELS {
            return Ok(Part::missing(
                "This was not computed, because it compares a large number of labels. --ranking FILE.csv \
                 computes it.",
            ));
        }
        let found = match ranked {
            Some(ranked) => ranked.iter().map(|ranked| ranked.agreement).collect(),
            None => agreements(ensemble, &cut.partition)?,
        };
        let name = |column: usize| self.data.columns.as_ref()?.get(column - 1).cloned();
        let row = |(at, &column): (usize, &usize)| Agreement {
            clustering: column,
            name: name(column),
            clusters: ensemble.clusters()[at],
            ari: found[at],
            rank: rank(found[at], &found),
            ari_without: ranked.map(|ranked| ranked[at].without),
        };
        Ok(Part::Here(selection.columns.iter().enumerate().map(row).collect()))
    }

    /// How stable each k is, if that was computed to choose it.
    fn levels(&self) -> Part<Vec<LevelRecord>> {
        let found = self.stability.as_ref();
        Part::of(found.map(|found| found.levels.iter().map(LevelRecord::from).collect()), || {
            "The stability of the numbers of clusters was not computed: one k was given or judged by the \
             features, or the run is too large for it. --k 2..20 computes it for up to 2,000 distinct \
             label rows, and `enclust stability POOL --report FILE.html` for any number and method."
                .into()
        })
    }
}

/// Why the details of a cut are missing.
fn too_many<T>() -> Part<T> {
    Part::missing(format!(
        "The page has these details for the first {DETAILED} numbers of clusters. --k with fewer of them \
         shows the others."
    ))
}

/// The classes, if every sample has one.
fn truth(labels: Option<&Labels>) -> Part<&Partition> {
    match labels {
        None => Part::missing(
            "The true classes are not known, so nothing is compared with them. --truth FILE gives them.",
        ),
        Some(labels) if !labels.missing.is_empty() => Part::missing(format!(
            "{} samples have no true class, so pairs are not compared with the truth. A truth for every \
             sample would allow it.",
            labels.missing.len()
        )),
        Some(labels) => Part::Here(&labels.partition),
    }
}

/// The similarity before the enhancement, from the evidence of a trace.
pub(super) fn before<S>(given: Evidence<S>) -> Part<Similarity<S>> {
    match given {
        Evidence::Similarity(similarity) => Part::Here(similarity),
        _ => nothing_enhanced(),
    }
}

/// Why there is no similarity before the enhancement.
pub(super) fn nothing_enhanced<T>() -> Part<T> {
    Part::missing(
        "Nothing was enhanced, so there is no matrix before and after it. --method ec-cms or --enhance \
         exact enhances.",
    )
}

/// Why the similarity before the enhancement was not kept.
pub(super) fn no_room<T>() -> Part<T> {
    Part::missing(
        "The matrix before the enhancement is not shown, because the memory does not hold both matrices. \
         --precision f32 takes half the memory.",
    )
}

/// The method and what it was applied to.
fn title(record: &RunRecord) -> String {
    let method = record.method.preset.as_deref().unwrap_or(&record.method.in_a_line);
    let input = record.inputs.iter().find(|input| ["pool", "similarity"].contains(&input.role));
    let name = input.map(|input| Path::new(&input.path).file_name().unwrap_or_default());
    match name {
        Some(name) => format!("{method} on {}", name.to_string_lossy()),
        None => format!("{method} on embedded data"),
    }
}

fn subtitle(record: &RunRecord) -> String {
    let ks: Vec<String> = record.results.iter().map(|cut| cut.k.to_string()).collect();
    format!("{}; k = {}", record.method.in_a_line, ks.join(", "))
}

/// What the run did, and what is known about its result.
fn sentences(record: &RunRecord) -> Vec<String> {
    let choice = record.choice.iter().map(|choice| format!("k = {}: {}.", choice.k, choice.reason));
    let iterated = |report: &&Report| report.iterations > 0;
    let reports = record.learning.iter().chain([&record.report]).filter(iterated);
    let about = |text: String| format!("{}.", capitalised(&text));
    choice
        .chain(record.reduction.iter().map(|found| about(summary::about_reduction(found, record))))
        .chain(record.pairs.iter().map(|pairs| about(summary::about_pairs(pairs))))
        .chain(reports.map(in_words))
        .chain(about_certificate(&record.report))
        .chain(record.results.iter().filter_map(summary::other_count).map(about))
        .chain(record.model.map(summary::about_model).map(about))
        .collect()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
