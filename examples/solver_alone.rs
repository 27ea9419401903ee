//! The solver without a pipeline: `cargo run --example solver_alone`.
//!
//! The input is a dense similarity A and a dense graph H of confident pairs; the output is the
//! enhanced similarity C with a proof of how close it is to the optimum.

use enclust::prelude::*;

/// Samples 0, 1 and 2 belong together, but A does not show it for 0 and 2.
#[rustfmt::skip]
const A: [f64; 16] = [
    1.0, 0.9, 0.1, 0.0,
    0.9, 1.0, 0.8, 0.1,
    0.1, 0.8, 1.0, 0.2,
    0.0, 0.1, 0.2, 1.0,
];

/// The confident pairs are (0, 1) and (1, 2).
#[rustfmt::skip]
const H: [f64; 16] = [
    0.0, 0.9, 0.0, 0.0,
    0.9, 0.0, 0.8, 0.0,
    0.0, 0.8, 0.0, 0.0,
    0.0, 0.0, 0.0, 0.0,
];

fn main() -> Result<()> {
    let a = Similarity::from_matrix(4, &A)?;
    let confident = Confident::from_matrix(&a, &H)?;
    let problem = Problem::new(&a, &confident)?;
    let enhanced = Exact::default().enhance(&problem, &Ctx::default())?;
    let c = enhanced.similarity.to_matrix();
    let certificate = enhanced.report.certificate.expect("Exact proves its answer");

    for row in c.chunks(4) {
        println!("{row:.3?}");
    }
    println!("optimal within {:.1e} of ‖A‖", certificate.relative_distance);
    assert_eq!((c[1], c[2 * 4 + 1]), (0.9, 0.8), "confident pairs keep their value");
    assert!(c[2] > 0.5, "0 and 2 have a confident neighbour in common");
    assert!(certificate.relative_distance <= 1e-3);
    Ok(())
}

#[test]
fn runs() -> Result<()> {
    main()
}
