//! The cells of a similarity without a matrix.

use enclust_core::Factored;

use super::layout::Layout;

/// The mean of each cell. Sums of similarities are products of the histograms of the bins over the
/// base clusters, so no pair is visited.
pub fn means(layout: &Layout, similarity: &Factored) -> Vec<f64> {
    let (bins, clusters) = (layout.sizes().len(), similarity.weights().len());
    let sizes = similarity.grouping().sizes();
    let mut histograms = vec![vec![0.0; clusters]; bins];
    // The similarity of each sample with another one of the same labels, added up over a bin.
    let mut own = vec![0.0; bins];
    for p in 0..similarity.len() {
        let (bin, size) = (layout.bin_of[p] as usize, sizes[p] as f64);
        similarity.clusters(p).iter().for_each(|&c| histograms[bin][c as usize] += size);
        own[bin] += size * similarity.within(p);
    }
    let mut means = vec![0.0; layout.cells()];
    for a in 0..bins {
        let weighted: Vec<f64> =
            histograms[a].iter().zip(similarity.weights()).map(|(h, w)| h * w).collect();
        let size = layout.sizes()[a] as f64;
        for b in a..bins {
            let products = weighted.iter().zip(&histograms[b]).map(|(x, y)| x * y);
            let sum = products.sum::<f64>() / similarity.total();
            let mean = match a == b {
                false => sum / (size * layout.sizes()[b] as f64),
                true if size == 1.0 => 1.0,
                true => (sum - own[a]) / (size * (size - 1.0)),
            };
            means[layout.cell(a, b)] = mean;
        }
    }
    means
}
