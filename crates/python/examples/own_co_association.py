"""A co-association matrix of your own in a run and in a study."""

import numpy as np

import enclust


@enclust.at_microclusters
def by_size(labels, sizes):
    """Pairs in small base clusters count more: weight 1 - (size / n) of the shared cluster."""
    total = np.zeros((len(labels), len(labels)))
    for column in labels.T:
        weight = 1 - np.bincount(column, weights=sizes)[column] / sizes.sum()
        total += (column[:, None] == column[None, :]) * weight[:, None]
    return total / labels.shape[1]


rng = np.random.default_rng(1)
truth = np.repeat(np.arange(4), 40)
wrong = rng.random((160, 30)) < 0.4
labels = np.where(wrong, rng.integers(4, size=wrong.shape), truth[:, None])

model = enclust.LabelConsensus(n_clusters=4, ca=by_size, enhance="exact").fit(labels)
print("ARI:", round(enclust.metrics.adjusted_rand_index(truth, model.labels_), 3))

# The same function as a variant of a study, compared with EAC and LWCA on equal draws.
results = enclust.study(
    {
        "pools": ["mine"],
        "runs": 10,
        "draws": {"size": 10, "seed": 1},
        "base": {"method": "eac"},
        "variant": [{"ca": "lwca"}, {"ca": "by-size"}],
    },
    pools={"mine": (labels, truth)},
    parts={"ca": {"by-size": by_size}},
)
for row in results.summary:
    if row["metric"] == "ari":
        print(f"{row['variant']:20s} {row['mean']:.3f} ± {row['std']:.3f}")
