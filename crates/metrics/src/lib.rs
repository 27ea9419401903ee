//! Scores of clusterings: ARI, NMI, pair counting, accuracy, purity, agreement, diversity.
