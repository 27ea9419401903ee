"""A table of clusterings with missing labels, text and categories."""

import sys

import enclust

try:
    import pandas as pd
except ImportError:
    print("pandas is not installed")
    sys.exit()

table = pd.DataFrame(
    {
        "leiden": ["T", "T", "T", "B", "B", None, "B"],
        "louvain": pd.Categorical(["0", "0", "0", "1", "1", "1", "1"]),
        "kmeans": [2, 2, 2, 2, 0, 0, 0],
        # DBSCAN writes -1 for samples in no cluster.
        "dbscan": [4, 4, -1, 5, 5, 5, -1],
    },
    index=[f"cell-{i}" for i in range(7)],
)

model = enclust.LabelConsensus(n_clusters=2, noise="missing").fit(table)
table["consensus"] = model.labels_
table["certainty"] = model.membership_.max(axis=1).round(2)
print(table)
print("missing labels:", model.record_["missing_labels"])

# New cells are labelled by the same clusterings; unknown names count for nothing.
new = pd.DataFrame({"leiden": ["T"], "louvain": ["0"], "kmeans": [9], "dbscan": [-1]})
print("new cell:", model.predict(new))
