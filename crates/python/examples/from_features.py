"""From features to base clusterings to their consensus, with new samples labelled."""

import numpy as np

import enclust

rng = np.random.default_rng(0)
centres = rng.normal(scale=6, size=(5, 4))
X = np.concatenate([rng.normal(c, 1.0, size=(60, 4)) for c in centres])
truth = np.repeat(np.arange(5), 60)

# Fifty k-means clusterings of 2 to 17 clusters; the number of clusters is judged by comparison with
# data without clusters.
model = enclust.EnsembleConsensus(n_clusters="auto").fit(X)
print("clusters:", model.n_clusters_, "-", model.report_["choice"]["reason"])
print("ARI:", round(enclust.metrics.adjusted_rand_index(truth, model.labels_), 3))

new = rng.normal(centres[2], 1.0, size=(3, 4))
print("new samples:", model.predict(new))

# Clusterers of scikit-learn can be used instead; they are fitted in parallel.
try:
    from sklearn.cluster import AgglomerativeClustering, KMeans
except ImportError:
    print("scikit-learn is not installed")
else:
    mixed = [KMeans(k, n_init=1) for k in range(3, 12)] + [AgglomerativeClustering(8)]
    model = enclust.EnsembleConsensus(n_clusters=5, clusterings=mixed).fit(X)
    print("ARI of mixed clusterings:", round(enclust.metrics.adjusted_rand_index(truth, model.labels_), 3))
