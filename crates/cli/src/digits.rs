//! The embedded data set: handwritten digits, licensed under CC BY 4.0 (see
//! `data/README.md`).

use enclust::core::Partition;

/// The name and the origin of the data set.
pub const TITLE: &str =
    "handwritten digits (E. Alpaydin, C. Kaynak, UCI Machine Learning Repository, CC BY 4.0)";

/// Number of pixels per image.
pub const PIXELS: usize = 64;

const CSV: &str = include_str!("../data/digits.csv");

/// The pixels of all images, one image after the other, and the digit of each image.
pub fn load() -> (Vec<f64>, Partition) {
    let mut pixels = Vec::new();
    let mut digits = Vec::new();
    for line in CSV.lines().skip(1) {
        let mut numbers = line.split(',').map(|field| field.parse::<f64>().expect("a number"));
        pixels.extend(numbers.by_ref().take(PIXELS));
        digits.push(numbers.next().expect("the digit") as usize);
    }
    (pixels, Partition::from_labels(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let (pixels, truth) = load();
        assert_eq!((truth.len(), truth.clusters()), (1797, 10));
        assert_eq!(pixels.len(), truth.len() * PIXELS);
        assert!(pixels.iter().all(|v| (0.0..=16.0).contains(v)));
    }
}
