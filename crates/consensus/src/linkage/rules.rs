//! How clusters inherit similarity.

/// A *link* is what is stored for a pair of clusters: something that needs no
/// division to be updated, so that equal similarities stay equal whatever the history.
pub(super) trait Rule {
    /// The link of two clusters that are so similar and stand for so many sample pairs.
    fn link(similarity: f64, pairs: f64) -> f64;
    /// The link of an outsider to the union of two clusters it has links to.
    fn join(a: f64, b: f64) -> f64;
    /// The link of an outsider to the union of so many clusters it has this link to.
    fn repeat(link: f64, times: f64) -> f64;
    /// The similarity behind a link over so many sample pairs.
    fn similarity(link: f64, pairs: f64) -> f64;
}

/// Links are sums over sample pairs.
pub(super) struct Average;

impl Rule for Average {
    fn link(similarity: f64, pairs: f64) -> f64 {
        similarity * pairs
    }
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

/// Links are the similarity of one pair: the least or the most similar one.
macro_rules! selecting {
    ($($(#[$doc:meta])* $name:ident takes a where a $better:tt b;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;

        impl Rule for $name {
            fn link(similarity: f64, _: f64) -> f64 {
                similarity
            }
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
