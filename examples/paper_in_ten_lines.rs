//! The paper's method on a small ensemble: `cargo run --example paper_in_ten_lines`.

use enclust::prelude::*;
use enclust_testkit::generate::planted;

fn main() -> Result<(), Error> {
    // Twelve clusterings of 60 samples in 3 groups, with 35 % of the labels drawn at random.
    let ensemble = planted(60, 12, 3, 0.35, 1);
    let truth = Partition::from_labels((0..60).map(|i| i % 3));
    let method =
        Pipeline::new(Lwca::default(), Threshold::default(), Admm::default(), Linkage::average())?;
    let outcome = method.run(&ensemble, 3, &Ctx::default())?;
    let scores = Scores::of(&truth, &outcome.partition)?;
    println!("{:?}", outcome.partition.labels());
    println!("{} after {} iterations", outcome.report.status, outcome.report.iterations);
    println!("ARI {:.3}, NMI {:.3}", scores.ari, scores.nmi);

    // The result is better than any of the base clusterings.
    for k in 0..ensemble.clusterings() {
        let base = Partition::from_labels(ensemble.column(k));
        assert!(scores.ari > Scores::of(&truth, &base)?.ari);
    }
    Ok(())
}

#[test]
fn runs() -> Result<(), Error> {
    main()
}
