//! With the prelude alone every stage can be called by hand, and parts of one's own be written.

use enclust::prelude::*;

fn ensemble() -> Result<Ensemble> {
    Ensemble::from_columns(&[
        [0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 1, 1, 1, 1, 1],
        [2, 2, 2, 2, 5, 5, 5, 7],
        [0, 0, 1, 1, 3, 3, 3, 3],
    ])
}

/// The stages one after the other are what the pipeline does.
#[test]
fn the_stages_by_hand_are_the_pipeline() -> Result<()> {
    let (ensemble, ctx, question) = (ensemble()?, Ctx::<f64>::default(), Question::clusters(2));
    let rows = Microclusters::of(&ensemble);
    let a = match Lwca::default().build(&rows, &question, &ctx)?.evidence {
        Evidence::Similarity(a) => a,
        other => panic!("{} is no similarity", other.kind()),
    };
    let confident = Threshold::default().select(&rows, &a, &ctx)?;
    let stop = KktResidual::default().tolerance(1e-9);
    let problem = Problem::new(&a, &confident)?.with_stop(Some(&stop));
    let Enhanced { similarity: c, report, .. } = Exact::default().enhance(&problem, &ctx)?;
    let average = Linkage::average();
    let fitted = average.fit(&Evidence::from(c.clone()), &ctx)?;
    let partition = fitted.cut(2, &ctx)?;
    assert!(fitted.dendrogram().is_some() && fitted.largest_k() == 8);

    let pipeline = Pipeline::new(Lwca::default(), Threshold::default(), Exact::default(), average)?
        .with_stop(stop)?;
    let trace: Trace<f64> = pipeline.trace(&ensemble, &question, &ctx)?;
    assert_eq!(trace.given.as_similarity(), Some(&a));
    assert_eq!(trace.confident.as_ref(), Some(&confident));
    assert_eq!(trace.fit.evidence.as_similarity(), Some(&c));
    assert_eq!(trace.fit.report.iterations, report.iterations);
    let outcome: Outcome = pipeline.run(&ensemble, 2, &ctx)?;
    assert_eq!(outcome.partition, partition);
    assert_eq!(partition.labels(), &[0, 0, 0, 0, 1, 1, 1, 1]);
    Ok(())
}

/// The other kinds of evidence, each with the function that reads it.
#[test]
fn graphs_and_embeddings_by_hand() -> Result<()> {
    let (rows, ctx, question) =
        (Microclusters::of(&ensemble()?), Ctx::<f64>::default(), Question::clusters(2));
    let stages: [(&dyn Ca<f64>, &dyn Consensus<f64>, Kind); 3] = [
        (&LocallyWeightedBipartite::default(), &Tcut::default(), Kind::Bipartite),
        (&PropagatedClusters::default(), &Metaclusters, Kind::ClusterGraph),
        (&RsecH::default(), &PointsKMeans::default(), Kind::Embedding),
    ];
    for (ca, consensus, kind) in stages {
        let made: Represented<f64> = ca.build(&rows, &question, &ctx)?;
        assert_eq!((made.kind(), ca.kind()), (kind, kind));
        let partition = consensus.fit(&made, &ctx)?.cut(2, &ctx)?;
        assert_eq!(partition.len(), 8, "{}", ca.name());
    }
    Ok(())
}

part! {
    /// Pairs that are as similar as can be.
    pub struct Certain("certain", "pairs of similarity 1") {
        /// How similar they must be.
        pub least: f64 = 1.0;
    }
}

impl<S: Real> Confidence<S> for Certain {
    fn select(&self, _: &Microclusters, a: &Similarity<S>, _: &Ctx<'_, S>) -> Result<Confident<S>> {
        let pairs = (0..a.len()).flat_map(|p| (p + 1..a.len()).map(move |q| (p, q)));
        let certain = pairs.filter(|&(p, q)| a.between(p, q).wide() >= self.least);
        Confident::from_pairs(a, certain.map(|(p, q)| (p, q, S::one())))
    }
}

/// A part declared, registered, composed by name, watched and stopped.
#[test]
fn a_part_of_ones_own_by_name() -> Result<()> {
    let mut registry: Registry<f64> = standard();
    registry.confidence.add::<Certain>();
    let plain = PipelineSpec::plain(Part::named("eac"), Part::named("average"));
    let spec = plain.enhanced("certain(least=0.5)".parse()?, Part::named("admm"));
    let pipeline = registry.pipeline(&spec.stopped(Part::named("iterations").set("limit", 3)))?;
    let history = History::of(Quantities::OBJECTIVE);
    let ctx = Ctx::new(&Reference).with_observer(&history);
    let fit: Fit<f64> = pipeline.fit(&ensemble()?, &Question::default(), &ctx)?;
    assert_eq!(fit.report.status, Status::IterationLimit);
    assert_eq!(history.records().len(), 3);
    assert!(history.records().iter().all(|record: &Record| record.objective.is_some()));
    Ok(())
}

/// The kernels of a backend and the matrices they work on.
#[test]
fn a_backend_by_hand() -> Result<()> {
    let a = Mat::from_fn(3, 3, |i, j| if i == j { 4.0 } else { 1.0 });
    let eigen = Reference.eigh(a.view())?;
    assert!(
        eigen.values.iter().zip([3.0, 3.0, 6.0]).all(|(x, y): (&f64, f64)| (x - y).abs() < 1e-12)
    );
    let mut x = Mat::from_fn(3, 1, |_, _| 6.0);
    Reference.factor_spd(a.view())?.solve(x.view_mut());
    assert!(x.data().iter().all(|x| (x - 1.0).abs() < 1e-12));
    assert_eq!(Ctx::default().product(a.view(), x.view())?.rows(), 3);
    Ok(())
}
