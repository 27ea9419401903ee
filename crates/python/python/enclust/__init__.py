"""Ensemble (consensus) clustering.

Many clusterings of the same samples go in, one better clustering comes out.

>>> import enclust
>>> labels = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [5, 5, 5, 7, 7, 8]]
>>> found = enclust.LabelConsensus(n_clusters=2).fit(enclust.columns(labels))
>>> found.labels_
array([0, 0, 0, 1, 1, 1])

Estimators follow the conventions of scikit-learn:

- :class:`LabelConsensus` finds the consensus of given clusterings.
- :class:`EnsembleConsensus` makes the clusterings from features first.

Functions give access to single steps: :func:`co_association`,
:func:`high_confidence`, :func:`enhance`, :func:`linkage`,
:func:`microclusters`, :func:`stability`, :func:`draws`, :func:`read_pool`,
:func:`study`. Scores are in :mod:`enclust.metrics`, figures in
:mod:`enclust.plots`, work on many machines in :mod:`enclust.dask`.
"""

from enclust._enclust import Cancelled, __version__
from enclust import metrics
from enclust._ensemble_consensus import EnsembleConsensus
from enclust._functions import (
    Enhanced,
    Microclusters,
    Stability,
    StabilityLevel,
    co_association,
    draws,
    enhance,
    high_confidence,
    linkage,
    list_methods,
    list_parts,
    microclusters,
    stability,
)
from enclust._label_consensus import LabelConsensus
from enclust._labels import columns
from enclust._parts import at_microclusters, needs
from enclust._pool import Pool, read_pool
from enclust._study import StudyResults, study
from enclust._warnings import ConsensusWarning

__all__ = [
    "Cancelled",
    "ConsensusWarning",
    "Enhanced",
    "EnsembleConsensus",
    "LabelConsensus",
    "Microclusters",
    "Pool",
    "Stability",
    "StabilityLevel",
    "StudyResults",
    "__version__",
    "at_microclusters",
    "co_association",
    "columns",
    "draws",
    "enhance",
    "high_confidence",
    "linkage",
    "list_methods",
    "list_parts",
    "metrics",
    "microclusters",
    "needs",
    "read_pool",
    "stability",
    "study",
]
