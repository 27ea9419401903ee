"""The consensus of clusterings that you have: one row per sample, one column per clustering."""

import numpy as np

import enclust

# Four clusterings of eight samples. The names of clusters have no meaning across clusterings.
labels = enclust.columns(
    [
        ["a", "a", "a", "a", "b", "b", "b", "b"],
        [1, 1, 1, 2, 2, 2, 3, 3],
        [7, 7, 7, 7, 7, 9, 9, 9],
        ["x", "x", "y", "y", "z", "z", "z", "z"],
    ]
)

consensus = enclust.LabelConsensus(n_clusters=2).fit(labels)
print("labels:         ", consensus.labels_)
print("item consensus: ", np.round(consensus.item_consensus_, 2))
print("margin:         ", np.round(consensus.margin_, 2))
print("agreement:      ", np.round(consensus.ranking()["agreement"], 2))

# The same fit gives any number of clusters, and SciPy draws its tree.
print("three clusters: ", consensus.cut(3))
print("tree:", consensus.linkage_.shape)

# The published method, with its certificate of optimality.
enhanced = enclust.LabelConsensus(n_clusters=2, method="ec-cms", params={"enhance.lambda": 0.1})
enhanced.fit(labels)
print("enhanced:       ", enhanced.labels_, enhanced.report_["status"])
