//! Average link with and without the matrix of all pairs: time, memory and labels.
//!
//! ```text
//! cargo bench --bench scale -- pool 50000 /tmp/pool.npz            # makes a pool
//! cargo bench --bench factored -- one /tmp/pool.npz factored      # one form per process
//! cargo bench --bench factored -- one /tmp/pool.npz matrix
//! ENCLUST_POOLS=<folder> cargo bench --bench factored -- pools 20 Ecoli LS
//! ```
//!
//! `one` runs LWCA with average link on a pool and prints the seconds, the memory in MB that the
//! process needed beside the pool, and a hash of the labels for 2 to 50 clusters. `pools` draws
//! ensembles from the authors' pools and counts those in which both forms give the same labels for
//! 2 to 50 clusters, for EAC and LWCA.

mod common;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Instant;

use enclust::core::{
    Ca, Consensus, Ctx, Ensemble, Evidence, Factored, Fitted, Microclusters, Question,
};
use enclust::io::read_pool;
use enclust::prelude::{Eac, Linkage, Lwca};

fn main() {
    let given = common::arguments();
    let words: Vec<&str> = given.iter().map(String::as_str).collect();
    match words[..] {
        ["one", path, form] => one(Path::new(path), form == "factored"),
        ["pools", draws, ref pools @ ..] => compare(draws.parse().expect("a number"), pools),
        _ => println!("usage: see the first lines of benches/factored.rs"),
    }
}

fn one(path: &Path, factored: bool) {
    let ensemble = read_pool(path).expect("a pool").ensemble;
    let before = common::peak_megabytes();
    let (backend, began) = (common::backend(), Instant::now());
    let ctx = Ctx::new(&*backend);
    let rows = Microclusters::of(&ensemble);
    let fitted = fitted(&rows, &Lwca::default(), factored, &ctx);
    let labels = labels(&*fitted, &ctx);
    let (seconds, peak) = (began.elapsed().as_secs_f64(), common::peak_megabytes());
    let form = if factored { "factored" } else { "matrix" };
    println!(
        "{form}: {} rows, {seconds:.1} s, {} MB beside the pool ({before} MB), labels {:016x}",
        rows.len(),
        peak - before,
        hash(&labels)
    );
}

fn compare(draws: usize, pools: &[&str]) {
    let backend = common::backend();
    let ctx = Ctx::new(&*backend);
    println!("pool rows eac lwca");
    for name in pools {
        let (pool, _) = common::pool(name);
        let ensembles: Vec<Ensemble> = common::draws(&pool).take(draws).collect();
        let rows: Vec<Microclusters> = ensembles.iter().map(Microclusters::of).collect();
        let equal = |ca: &dyn Ca<f64>| {
            let same = |rows: &&Microclusters| {
                let [one, other] = [true, false].map(|f| labels(&*fitted(rows, ca, f, &ctx), &ctx));
                one == other
            };
            rows.iter().filter(same).count()
        };
        let (eac, lwca) = (equal(&Eac), equal(&Lwca::default()));
        println!("{name} {} {eac}/{draws} {lwca}/{draws}", rows[0].len());
    }
}

/// Average link in one of the two forms.
fn fitted(
    rows: &Microclusters,
    ca: &dyn Ca<f64>,
    factored: bool,
    ctx: &Ctx<'_, f64>,
) -> Box<dyn Fitted<f64>> {
    let evidence = if factored {
        let weights = ca.as_cluster_weights().expect("base clusters have weights");
        Factored::new(rows, &weights.cluster_weights(rows)).expect("complete labels").into()
    } else {
        let built = ca.build(rows, &Question::default().with_matrix(), ctx).expect("fits");
        assert!(matches!(built.evidence, Evidence::Similarity(_)));
        built.evidence
    };
    Linkage::average().fit(&evidence, ctx).expect("a similarity")
}

/// The labels for 2 to 50 clusters.
fn labels(fitted: &dyn Fitted<f64>, ctx: &Ctx<'_, f64>) -> Vec<Vec<usize>> {
    let most = fitted.largest_k().min(50);
    (2..=most).map(|k| fitted.cut(k, ctx).expect("a possible k").labels().to_vec()).collect()
}

fn hash(labels: &[Vec<usize>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    labels.hash(&mut hasher);
    hasher.finish()
}
