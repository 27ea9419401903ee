//! Time of each stage against the number of microclusters n'.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use enclust::core::{
    Backend, Ca, Confidence, Consensus, Ctx, Enhance, Ensemble, Microclusters, Part, Problem,
    Question,
};
use enclust::prelude::*;
use enclust::registry::DEFAULT_BACKEND;
use enclust_testkit::generate::planted;

/// About this many microclusters: 12 noisy copies of a partition into 20 groups.
fn ensemble(groups: usize) -> Ensemble {
    let all = planted(4 * groups, 12, 20, 0.12, 7);
    let map = Microclusters::of(&all);
    let first = &map.grouping().first_members()[..groups.min(map.len())];
    Ensemble::from_keys(first.len(), all.clusterings(), |i, k| Some(all.column(k)[first[i]]))
        .expect("not empty")
}

fn stages(criterion: &mut Criterion) {
    let registry = standard::<f64>();
    let backend = registry.backend.build(&Part::named(DEFAULT_BACKEND)).expect("known");
    for groups in [250, 500, 1000, 2000] {
        stage_times(criterion, &ensemble(groups), &*backend);
    }
}

fn stage_times(criterion: &mut Criterion, ensemble: &Ensemble, backend: &dyn Backend<f64>) {
    let ctx = &Ctx::new(backend);
    let micro = Microclusters::of(ensemble);
    let evidence =
        Lwca::default().build(&micro, &Question::default(), ctx).expect("complete labels");
    let similarity = evidence.as_similarity().expect("a similarity");
    let confident = Threshold::default().select(&micro, similarity, ctx).expect("selects");
    let problem = Problem::new(similarity, &confident).unwrap();
    let mut bench = |stage: &str, work: &mut dyn FnMut(&Ctx<'_, f64>)| {
        let mut group = criterion.benchmark_group(stage);
        group.sample_size(10);
        let id = BenchmarkId::from_parameter(micro.len());
        group.bench_function(id, |b| b.iter(|| work(&Ctx::new(backend))));
        group.finish();
    };
    bench("microclusters", &mut |_| drop(Microclusters::of(ensemble)));
    bench("eac", &mut |ctx| drop(Eac.build(&micro, &Question::default(), ctx)));
    bench("lwca", &mut |ctx| drop(Lwca::default().build(&micro, &Question::default(), ctx)));
    bench("pts", &mut |ctx| drop(Pts::default().build(&micro, &Question::default(), ctx)));
    bench("threshold", &mut |ctx| drop(Threshold::default().select(&micro, similarity, ctx)));
    bench("admm", &mut |ctx| drop(Admm::default().enhance(&problem, ctx)));
    bench("average link", &mut |ctx| drop(Linkage::average().fit(&evidence, ctx)));
    bench("spectral, k = 8", &mut |ctx| {
        let fitted = Spectral::default().fit(&evidence, ctx).expect("fits");
        drop(fitted.cut(8, ctx));
    });
}

criterion_group!(benches, stages);
criterion_main!(benches);
