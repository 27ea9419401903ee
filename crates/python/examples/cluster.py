"""Clusterings and their consensus on a cluster of Dask.

    pip install "enclust[dask]"
    python cluster.py

A cluster of two processes is started here; ``Client("tcp://...")`` connects to a larger one.
"""

import dask.array as da
import enclust.dask
import numpy as np
from dask.distributed import Client, LocalCluster


def features(block_id):
    """Samples around five points, made on the worker that needs them."""
    rng = np.random.default_rng(block_id[0])
    centres = 4.0 * np.eye(5)
    return centres[rng.integers(5, size=2_000)] + rng.normal(size=(2_000, 5))


def main():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with Client(cluster):
            chunks = ((2_000,) * 10, (5,))
            X = da.map_blocks(features, chunks=chunks, dtype=float)

            # One task for each clustering, fitted to a tenth of the samples.
            clusterings = enclust.dask.generate(X, 20, max_samples=0.1, max_clusters=30)

            # Labels are needed twice: keep them on the workers, or write them as Parquet.
            clusterings = clusterings.persist()

            # The labels of the consensus stay on the workers until they are needed. The method
            # lwgp is for many distinct rows: its time and memory grow linearly.
            found = enclust.dask.consensus(clusterings, n_clusters=5, method="lwgp")
            print(f"{len(found.rows)} distinct label rows of {len(found.labels)} samples")
            print("sizes of the clusters:", np.bincount(found.labels.compute()))


if __name__ == "__main__":
    main()
