//! The report of a run.

use enclust::core::{Ctx, Evidence, Partition, Report, Result, Similarity};
use enclust::metrics::Scores;
use enclust_report::{
    Agreement, Certainty, CutPage, Drawn, Kind, Part, PlainResult, Recorder, RunPage, Sources,
    about_certificate, in_words, page,
};
use enclust_stability::{agreements, membership, rank};
use pyo3::prelude::*;
use serde_json::Value;

use crate::arrays::Array1;
use crate::errors::invalid;
use crate::run::Run;

/// Of more label rows, item consensus takes too long for a figure that was not asked for.
const FEW_ROWS: usize = 5000;

/// The page of a run: its labels, the true classes if they are known, its record as JSON with the keys
/// that the command writes, and the names of the clusterings.
#[pyfunction]
#[pyo3(signature = (run, labels, truth, record, title, subtitle, names=None))]
#[allow(clippy::too_many_arguments)]
pub fn report(
    py: Python<'_>,
    run: &Bound<'_, Run>,
    labels: Array1<'_, i64>,
    truth: Option<Array1<'_, i64>>,
    record: &str,
    title: String,
    subtitle: String,
    names: Option<Vec<String>>,
) -> PyResult<String> {
    let run = run.get();
    let mut record: Value = serde_json::from_str(record).map_err(|e| invalid(e.to_string()))?;
    let partition = run.partition(&labels)?;
    let truth = truth.map(|truth| run.partition(&truth)).transpose()?;
    let k = record["results"][0]["k"].as_u64().map_or(partition.clusters(), |k| k as usize);
    let (drawn, cut) = run.work(py, |ctx| {
        let drawn = run.drawn(&partition, truth.as_ref(), ctx)?;
        let cut = CutPage {
            k,
            segments: drawn.segments.first().cloned().flatten(),
            plain: run.plain(k, truth.as_ref(), ctx)?,
            certainty: run.certainty(&partition, ctx)?,
            clusterings: Part::Here(run.agreements(&partition, names.as_deref())?),
        };
        Ok((drawn, cut))
    })?;
    if let Some(truth) = &truth {
        let scores = run.work(py, |_| Scores::of(truth, &partition))?;
        let named: serde_json::Map<_, _> = scores
            .named()
            .into_iter()
            .map(|(name, score)| (name.to_string(), score.into()))
            .collect();
        record["results"][0]["scores"] = Value::Object(named);
    }
    let data = RunPage {
        title,
        subtitle,
        record,
        repeat: String::new(),
        sentences: run.sentences(),
        drawn,
        cuts: vec![cut],
        stability: Part::missing(
            "The stability of the numbers of clusters is not part of an estimator. enclust.stability \
             measures it.",
        ),
    };
    page(Kind::Run, &data.title, &data).map_err(|e| invalid(e.to_string()))
}

impl Run {
    /// The figures. An enhanced run is repeated, because the similarity before the enhancement and the
    /// iterations are not kept.
    fn drawn(
        &self,
        partition: &Partition,
        truth: Option<&Partition>,
        ctx: &Ctx<'_, f64>,
    ) -> Result<Drawn> {
        let truth = Part::of(truth, || {
            "The true classes are not known, so nothing is compared with them. The argument truth gives \
             them."
                .into()
        });
        let cuts = vec![partition];
        let recorder = Recorder::new(None);
        if self.fit.pairs.is_some() {
            let watched = ctx.with_observer(&recorder);
            let trace = self.pipeline.trace(&self.ensemble, &self.question, &watched)?;
            let (before, fit) = (before(trace.given), &trace.fit);
            let curves = recorder.into_curves();
            return Drawn::of(Sources { fit, before, truth, cuts, curves });
        }
        let before = nothing_enhanced();
        Drawn::of(Sources { fit: &self.fit, before, truth, cuts, curves: Vec::new() })
    }

    fn plain(
        &self,
        k: usize,
        truth: Option<&Partition>,
        ctx: &Ctx<'_, f64>,
    ) -> Result<Part<PlainResult>> {
        let Some(plain) = self.fit.plain_cut(k, ctx)? else {
            return Ok(Part::missing(
                "Nothing was enhanced, so there is no second result to compare with. enhance=\"exact\" \
                 enhances.",
            ));
        };
        let scores = truth.map(|truth| Scores::of(truth, &plain)).transpose()?;
        let scores = scores.map(|scores| scores.named().into_iter().collect());
        Ok(Part::Here(PlainResult { sizes: plain.sizes(), scores }))
    }

    fn certainty(&self, partition: &Partition, ctx: &Ctx<'_, f64>) -> Result<Part<Certainty>> {
        let reduction = self.fit.reduction.as_ref();
        let rows = reduction.map_or(self.fit.evidence.grouping().len(), |found| found.from);
        if rows > FEW_ROWS {
            return Ok(Part::missing(format!(
                "This was not computed, because it compares all pairs of the {rows} distinct label rows. \
                 The attributes item_consensus_, margin_ and entropy_ compute it."
            )));
        }
        let found = membership(&self.co_association(ctx)?, partition)?;
        Ok(Part::Here(Certainty::of(&found, partition, |sample| sample.to_string())))
    }

    fn agreements(
        &self,
        partition: &Partition,
        names: Option<&[String]>,
    ) -> Result<Vec<Agreement>> {
        let found = agreements(&self.ensemble, partition)?;
        let row = |(at, &ari): (usize, &f64)| Agreement {
            clustering: at + 1,
            name: names.and_then(|names| names.get(at)).cloned(),
            clusters: self.ensemble.clusters()[at],
            ari,
            rank: rank(ari, &found),
            ari_without: None,
        };
        Ok(found.iter().enumerate().map(row).collect())
    }

    fn sentences(&self) -> Vec<String> {
        let iterated = |report: &&Report| report.iterations > 0;
        let reports = self.fit.learning.iter().chain([&self.fit.report]).filter(iterated);
        reports.map(in_words).chain(about_certificate(&self.fit.report)).collect()
    }
}

fn before(given: Evidence<f64>) -> Part<Similarity<f64>> {
    match given {
        Evidence::Similarity(similarity) => Part::Here(similarity),
        _ => nothing_enhanced(),
    }
}

fn nothing_enhanced<T>() -> Part<T> {
    Part::missing(
        "Nothing was enhanced, so there is no matrix before and after it. method=\"ec-cms\" or \
         enhance=\"exact\" enhances.",
    )
}
