//! Methods: everything that turns an ensemble into a partition.

use std::time::{Duration, Instant};

use crate::compose::refinement::Refinement;
use crate::data::constraints::{Constraints, Violations};
use crate::data::dendrogram::Dendrogram;
use crate::data::ensemble::Ensemble;
use crate::data::partition::Partition;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::evidence::similarity::Similarity;
use crate::memory::{self, Bytes, Need, Shape};
use crate::numbers::real::Real;
use crate::run::context::Ctx;
use crate::run::question::Question;
use crate::run::report::{PairsReport, ReductionReport, Report};
use crate::stages::component::{Component, forward};
use crate::stages::consensus::{Consensus, Fitted};
use crate::stages::stage::Stage;
use crate::warnings::{SecondOpinion, Warning, ensemble_warnings, label_warnings};

/// A complete method of ensemble clustering. [`Pipeline`](crate::Pipeline) is one implementation;
/// any algorithm that reads the whole ensemble can be another. If the rows of the ensemble have
/// [counts](Ensemble::with_counts), the groups of the evidence must have them too, as those of
/// [`Microclusters::of`](crate::Microclusters::of) do; a method that takes each row for one sample
/// must return an error.
pub trait Method<S: Real>: Component {
    /// Does all work that does not depend on the number of clusters. If the method [reads
    /// k](Self::reads_k), it does all work for the k of the question.
    fn fit(&self, ensemble: &Ensemble, question: &Question, ctx: &Ctx<'_, S>) -> Result<Fit<S>>;

    /// Whether a fit is valid for one number of clusters only. If so, every other k needs its own
    /// fit.
    fn reads_k(&self) -> bool {
        false
    }

    /// Fits the ensemble and cuts the result into k clusters. If the method enhances a
    /// similarity, the result without enhancement is computed for comparison.
    fn run(&self, ensemble: &Ensemble, k: usize, ctx: &Ctx<'_, S>) -> Result<Outcome> {
        let question = Question::clusters(k).with_second_opinion();
        let fit = self.fit(ensemble, &question, ctx)?;
        let (partition, moved) = fit.cut_and_moves(k, ctx)?;
        let violations = fit.violations(&partition);
        let second_opinion = fit.second_opinion(k, &partition, ctx)?;
        let mut warnings = ensemble_warnings(ensemble);
        let about_labels = fit.label_warnings(k, &partition, second_opinion);
        let Fit { reduction, learning, pairs, report, timings, warnings: about_fit, .. } = fit;
        warnings.extend(about_fit.into_iter().chain(about_labels));
        Ok(Outcome {
            partition,
            reduction,
            moved,
            learning,
            pairs,
            report,
            timings,
            violations,
            second_opinion,
            warnings,
        })
    }
}

forward!(Method<S> {
    fn fit(&self, ensemble: &Ensemble, question: &Question, ctx: &Ctx<'_, S>) -> Result<Fit<S>>;
    fn reads_k(&self) -> bool;
    fn run(&self, ensemble: &Ensemble, k: usize, ctx: &Ctx<'_, S>) -> Result<Outcome>;
});

/// The result of fitting a method to an ensemble. It can be cut into any k.
#[non_exhaustive]
pub struct Fit<S> {
    /// The evidence that the consensus was built on, after enhancement.
    pub evidence: Evidence<S>,
    /// Report on the reduction of the label rows, if they were reduced.
    pub reduction: Option<ReductionReport>,
    /// How samples move after a cut, if they do.
    pub refinement: Option<Refinement>,
    /// Report on learning the representation, if it iterates.
    pub learning: Option<Report>,
    /// Report on the confident pairs, if there are any to enhance with.
    pub pairs: Option<PairsReport>,
    /// Report on the enhancement.
    pub report: Report,
    /// Warnings that do not depend on the number of clusters.
    pub warnings: Vec<Warning>,
    /// The consensus of the similarity before enhancement, if the question asks for it.
    pub plain: Option<Plain<S>>,
    /// The consensus.
    pub fitted: Box<dyn Fitted<S>>,
    /// Time of each stage, in order.
    pub timings: Vec<(Stage, Duration)>,
    /// The constraints of the fit, if there were any.
    pub constraints: Option<Constraints>,
    /// The only number of clusters that the fit can be cut into, if the evidence was learned for
    /// one k.
    pub clusters: Option<usize>,
}

impl<S: Real> Fit<S> {
    /// Computes the consensus of a similarity that was computed elsewhere, without any
    /// clusterings: a [`Pipeline`](crate::Pipeline) without the stages that read clusterings.
    ///
    /// ```
    /// use enclust_core::{Ctx, Fit, Similarity};
    /// # use enclust_core::{Component, Consensus, Evidence, Fitted, Kind, Partition, Result};
    /// # #[derive(Debug)] struct Linkage;
    /// # impl Component for Linkage { fn name(&self) -> &str { "single" } }
    /// # impl Consensus<f64> for Linkage {
    /// #     fn accepts(&self) -> &[Kind] { &[Kind::Similarity] }
    /// #     fn fit(&self, _: &Evidence<f64>, _: &Ctx<'_, f64>) -> Result<Box<dyn Fitted<f64>>> {
    /// #         Ok(Box::new(Pair))
    /// #     }
    /// # }
    /// # struct Pair;
    /// # impl Fitted<f64> for Pair {
    /// #     fn cut(&self, _: usize, _: &Ctx<'_, f64>) -> Result<Partition> {
    /// #         Ok(Partition::from_labels([0, 0, 1]))
    /// #     }
    /// #     fn largest_k(&self) -> usize { 3 }
    /// # }
    /// let similarity = Similarity::from_matrix(3, &[1.0, 0.9, 0.1, 0.9, 1.0, 0.2, 0.1, 0.2, 1.0])?;
    /// let ctx = Ctx::default();
    /// let fit = Fit::of_similarity(similarity, &Linkage, &ctx)?;
    /// assert_eq!(fit.cut(2, &ctx)?.labels(), &[0, 0, 1]);
    /// # Ok::<(), enclust_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Memory`](crate::Error::Memory) if the available memory is not enough, and the
    /// errors of the consensus function.
    pub fn of_similarity(
        similarity: Similarity<S>,
        consensus: &dyn Consensus<S>,
        ctx: &Ctx<'_, S>,
    ) -> Result<Self> {
        let began = Instant::now();
        let grouping = similarity.grouping();
        let shape = Shape::ahead::<S>(grouping.samples(), 0, 0, grouping.len());
        let plan = |shape: &Shape| {
            let own = consensus.footprint(&shape.clone().with_input(shape.similarity()));
            vec![Need::new(Stage::Consensus, consensus.name(), Bytes(0), own)]
        };
        memory::check(plan, &shape, ctx.memory())?;
        ctx.watch().begin(Stage::Consensus)?;
        let evidence = Evidence::Similarity(similarity);
        let fitted = ctx.install(|ctx| consensus.fit(&evidence, ctx))??;
        let timings = vec![(Stage::Consensus, began.elapsed())];
        Ok(Fit { timings, ..Fit::new(evidence, fitted) })
    }

    /// A fit for a custom [`Method`], made from evidence and its consensus. It has no enhancement
    /// and no constraints, and can be cut into any k.
    pub fn new(evidence: Evidence<S>, fitted: Box<dyn Fitted<S>>) -> Self {
        Fit {
            evidence,
            reduction: None,
            refinement: None,
            learning: None,
            pairs: None,
            report: Report::direct("none"),
            warnings: Vec::new(),
            plain: None,
            fitted,
            timings: Vec::new(),
            constraints: None,
            clusters: None,
        }
    }

    /// The partition into k clusters, [refined](Refinement) if the label rows were reduced in that
    /// way, and [relabelled](Constraints::relabelled) by the constraints.
    ///
    /// # Errors
    ///
    /// [`Error::OtherClusters`] if the evidence was learned for another k, the errors of the
    /// consensus function and those of [`Constraints::relabelled`].
    pub fn cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Partition> {
        Ok(self.cut_and_moves(k, ctx)?.0)
    }

    /// The same as [`cut`](Self::cut), with the share of the samples that the refinement moved;
    /// `None` without a refinement.
    ///
    /// # Errors
    ///
    /// The same as for [`cut`](Self::cut).
    pub fn cut_and_moves(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<(Partition, Option<f64>)> {
        if let Some(fitted) = self.clusters.filter(|&fitted| fitted != k) {
            return Err(Error::OtherClusters { fitted, k });
        }
        self.finished(ctx.install(|ctx| self.fitted.cut(k, ctx))??, ctx)
    }

    /// A cut with the counts of its rows, refined and relabelled, and the share of the samples that
    /// the refinement moved.
    fn finished(&self, cut: Partition, ctx: &Ctx<'_, S>) -> Result<(Partition, Option<f64>)> {
        let cut = cut.carrying(self.evidence.grouping().counts().cloned());
        let Some(refinement) = &self.refinement else {
            return Ok((self.relabelled(cut)?, None));
        };
        let (refined, moved) = ctx.install(|_| refinement.refined(&cut))??;
        Ok((self.relabelled(refined)?, Some(moved)))
    }

    fn relabelled(&self, partition: Partition) -> Result<Partition> {
        match &self.constraints {
            Some(constraints) => constraints.relabelled(&partition, &self.evidence),
            None => Ok(partition),
        }
    }

    /// Compares a partition into k clusters with that of the similarity before enhancement;
    /// `None` if nothing was enhanced or if the question did not ask for it. A consensus function
    /// without a tree is compared only for the k of the question.
    ///
    /// # Errors
    ///
    /// The errors of the consensus function.
    pub fn second_opinion(
        &self,
        k: usize,
        partition: &Partition,
        ctx: &Ctx<'_, S>,
    ) -> Result<Option<SecondOpinion>> {
        let plain = self.plain_cut(k, ctx)?;
        plain.map(|plain| SecondOpinion::between(partition, &plain)).transpose()
    }

    /// The partition into k clusters of the similarity before enhancement; `None` as for
    /// [`second_opinion`](Self::second_opinion).
    ///
    /// # Errors
    ///
    /// The errors of the consensus function.
    pub fn plain_cut(&self, k: usize, ctx: &Ctx<'_, S>) -> Result<Option<Partition>> {
        let plain = match &self.plain {
            Some(Plain::Fitted(fitted)) => ctx.install(|ctx| fitted.cut(k, ctx))??,
            Some(Plain::Cut { k: cut, partition }) if *cut == k => partition.clone(),
            _ => return Ok(None),
        };
        Ok(Some(self.finished(plain, ctx)?.0))
    }

    /// The warnings about a partition into k clusters, with the
    /// [second opinion](Self::second_opinion) on it if there is one.
    pub fn label_warnings(
        &self,
        k: usize,
        partition: &Partition,
        second_opinion: Option<SecondOpinion>,
    ) -> Vec<Warning> {
        let collapsed = second_opinion.filter(SecondOpinion::has_collapsed);
        let mut warnings = label_warnings(partition, k, self.evidence.grouping().len());
        if let Some(opinion) = collapsed {
            // This message states the large cluster as well.
            warnings.retain(|warning| !matches!(warning, Warning::OneLargeCluster { .. }));
            warnings.push(Warning::Collapsed(opinion));
        }
        warnings
    }

    /// The number of constraints that a partition violates; `None` if there are no constraints.
    pub fn violations(&self, partition: &Partition) -> Option<Violations> {
        self.constraints.as_ref().map(|c| c.violations(partition))
    }

    /// The tree of the consensus, if it has one.
    pub fn dendrogram(&self) -> Option<&Dendrogram> {
        self.fitted.dendrogram()
    }
}

/// The consensus of a similarity before enhancement.
#[non_exhaustive]
pub enum Plain<S> {
    /// A tree, which can be cut into any k.
    Fitted(Box<dyn Fitted<S>>),
    /// The partition for the k of the question, if there is no tree.
    Cut {
        /// The number of clusters that was requested.
        k: usize,
        /// The partition.
        partition: Partition,
    },
}

/// The result of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The consensus partition.
    pub partition: Partition,
    /// Report on the reduction of the label rows, if they were reduced.
    pub reduction: Option<ReductionReport>,
    /// The share of the samples that the refinement after a reduction moved, if there was one.
    pub moved: Option<f64>,
    /// Report on learning the representation, if it iterates.
    pub learning: Option<Report>,
    /// Report on the confident pairs, if there are any to enhance with.
    pub pairs: Option<PairsReport>,
    /// Report on the enhancement.
    pub report: Report,
    /// Time of each stage, in order.
    pub timings: Vec<(Stage, Duration)>,
    /// The number of constraints that the partition violates; `None` if there are no constraints.
    pub violations: Option<Violations>,
    /// How far the partition agrees with the one without enhancement, if there was one.
    pub second_opinion: Option<SecondOpinion>,
    /// What may be wrong with the ensemble or the partition.
    pub warnings: Vec<Warning>,
}
