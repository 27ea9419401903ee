//! Similarity of merged clusters.

/// A *link* is the value stored for a pair of clusters; for two samples it is their similarity.
/// It can be updated without division, so that equal similarities stay equal for every order of
/// merges.
pub(super) trait Rule {
    /// The link between another cluster and the union of two clusters, from its links to both.
    fn join(a: f64, b: f64) -> f64;
    /// The link between another cluster and the union of `times` clusters, each with this link
    /// to it.
    fn repeat(link: f64, times: f64) -> f64;
    /// The similarity of a link over this number of sample pairs.
    fn similarity(link: f64, pairs: f64) -> f64;
}

/// Links are sums over sample pairs.
pub(super) struct Average;

impl Rule for Average {
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
    fn repeat(link: f64, times: f64) -> f64 {
        link * times
    }
    fn similarity(link: f64, pairs: f64) -> f64 {
        link / pairs
    }
}

/// Links are the similarity of one pair, the least or the most similar one.
macro_rules! selecting {
    ($($(#[$doc:meta])* $name:ident takes a where a $better:tt b;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl Rule for $name {
            fn join(a: f64, b: f64) -> f64 {
                if a $better b { a } else { b }
            }
            fn repeat(link: f64, _: f64) -> f64 {
                link
            }
            fn similarity(link: f64, _: f64) -> f64 {
                link
            }
        }
    )*};
}

selecting! {
    /// Links are the similarity of the least similar pair.
    Complete takes a where a < b;
    /// Links are the similarity of the most similar pair.
    Single takes a where a > b;
}
