//! Statement of laws and messages for broken laws.

use std::fmt::Display;

use enclust_core::{Bytes, Csr, Ctx, Error, Footprint, Mat, Result, Similarity};

/// The component under test.
pub(crate) struct Subject {
    name: String,
}

impl Subject {
    /// `seam` is its stage in words: "backend", "enhancer", …
    pub(crate) fn new(seam: &str, name: &str) -> Self {
        Subject { name: format!("{seam} \"{name}\"") }
    }

    /// Fails the test if the law does not hold in this case.
    #[track_caller]
    pub(crate) fn law(&self, law: &str, holds: bool, case: impl Display) {
        assert!(holds, "{} breaks the law \"{law}\": {case}", self.name);
    }

    /// Checks that the footprint covers the result. A run with too little memory then returns an
    /// error instead of being killed.
    #[track_caller]
    pub(crate) fn covers(&self, stated: Footprint, answer: Bytes, case: impl Display) {
        let case = format!("{case}: {} stated, {answer} made", stated.result);
        self.law("the footprint covers the result", stated.result >= answer, case);
    }

    /// Returns the value of a result that must not be an error according to the law.
    #[track_caller]
    pub(crate) fn succeeds<T>(&self, law: &str, result: Result<T>, case: impl Display) -> T {
        match result {
            Ok(value) => value,
            Err(e) => panic!("{} breaks the law \"{law}\": {case}: {e}", self.name),
        }
    }

    /// The result for valid input; `None` if it is unsupported and this is allowed.
    #[track_caller]
    pub(crate) fn supported<T>(
        &self,
        may_refuse: bool,
        result: Result<T>,
        case: impl Display,
    ) -> Option<T> {
        match result {
            Err(Error::Unsupported { .. }) if may_refuse => None,
            answer => Some(self.succeeds("valid input works or is unsupported", answer, case)),
        }
    }
}

/// The memory of the values of a similarity.
pub(crate) fn similarity_bytes(similarity: &Similarity<f64>) -> Bytes {
    let values = similarity.condensed().len() + 2 * similarity.len();
    Bytes((values * size_of::<f64>()) as u64)
}

/// The memory of the entries and row offsets of a sparse matrix.
pub(crate) fn sparse_bytes(matrix: &Csr<f64>) -> Bytes {
    let entries = matrix.entries() * (size_of::<u32>() + size_of::<f64>());
    Bytes((entries + (matrix.rows() + 1) * size_of::<usize>()) as u64)
}

/// The memory of the entries of a dense matrix.
pub(crate) fn dense_bytes(matrix: &Mat<f64>) -> Bytes {
    Bytes((matrix.rows() * matrix.cols() * size_of::<f64>()) as u64)
}

/// Numbers of threads to compare, including more than there may be cores.
pub(crate) const THREADS: [usize; 3] = [1, 2, 3];

/// Runs `work` with a context of this many threads, inside their pool.
pub(crate) fn with_threads<T: Send>(
    threads: usize,
    work: impl FnOnce(&Ctx<'_, f64>) -> T + Send,
) -> T {
    let ctx = Ctx::default().with_seed(1).with_threads(threads);
    ctx.install(work).expect("a pool of a few threads")
}

/// Runs `work` with a context of another seed.
pub(crate) fn with_seed<T>(seed: u64, work: impl FnOnce(&Ctx<'_, f64>) -> T) -> T {
    work(&Ctx::default().with_seed(seed))
}

/// The bits of each number, so that −0 and 0 differ and NaN equals itself.
pub(crate) fn bits<'a>(values: impl IntoIterator<Item = &'a f64>) -> Vec<u64> {
    values.into_iter().map(|v| v.to_bits()).collect()
}

/// The largest difference between two vectors of equal length; NaN counts as infinite.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    worst(a, b).map_or(0.0, |(_, most)| most)
}

/// The position and size of the largest difference between two vectors of equal length; NaN
/// counts as infinite.
fn worst(a: &[f64], b: &[f64]) -> Option<(usize, f64)> {
    assert_eq!(a.len(), b.len(), "lists to compare");
    let apart = |(x, y): (&f64, &f64)| if (x - y).is_nan() { f64::INFINITY } else { (x - y).abs() };
    let differences = a.iter().zip(b).map(apart).enumerate();
    differences.max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.cmp(&x.0)))
}

/// The pair of samples at which two n × n matrices differ most, in words.
pub(crate) fn worst_pair(n: usize, found: &[f64], expected: &[f64]) -> (f64, String) {
    match worst(found, expected) {
        Some((at, apart)) => {
            let (i, j) = (at / n, at % n);
            let (found, expected) = (found[at], expected[at]);
            let pair = format!("samples {i} and {j}: {found} where {expected} was expected");
            (apart, pair)
        }
        None => (0.0, String::new()),
    }
}
