"""Scores of labels against true classes.

All functions take two sequences of n labels of any type. With
``sample_counts``, row i stands for that many samples.

>>> from enclust import metrics
>>> metrics.adjusted_rand_index([0, 0, 1, 1], ["a", "a", "b", "b"])
1.0
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enclust import _enclust
from enclust._labels import checked_counts, is_missing

__all__ = [
    "accuracy",
    "adjusted_rand_index",
    "mutual_information",
    "normalized_mutual_information",
    "pair_scores",
    "purity",
    "scores",
]


def _numbers(name: str, labels: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, but has {array.ndim} dimensions")
    if array.dtype.kind in "iub" and not (array.dtype.kind == "u" and array.dtype.itemsize == 8):
        return array.astype(np.int64)
    known: dict[Any, int] = {}
    codes = np.empty(array.size, dtype=np.int64)
    for position, label in enumerate(array.tolist()):
        if is_missing(label):
            raise ValueError(
                f"{name}[{position}] is missing; leave such samples out of the score"
            )
        codes[position] = known.setdefault(label, len(known))
    return codes


def _scores(truth: Any, predicted: Any, sample_counts: Any) -> dict[str, float]:
    found: dict[str, float] = _enclust.scores(
        _numbers("truth", truth), _numbers("predicted", predicted), checked_counts(sample_counts)
    )
    return found


def scores(truth: Any, predicted: Any, *, sample_counts: Any = None) -> dict[str, float]:
    """All scores by name.

    Parameters
    ----------
    truth, predicted : sequences of n labels
    sample_counts : array of n integers, optional
        Number of samples that each row stands for.

    Returns
    -------
    dict
        ``ari``, ``nmi`` (arithmetic mean), ``f1``, ``precision``, ``recall``,
        ``accuracy`` and ``purity``.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.scores([0, 0, 1, 1], [0, 0, 0, 1])["accuracy"]
    0.75
    """
    names = ("ari", "nmi", "f1", "precision", "recall", "accuracy", "purity")
    found = _scores(truth, predicted, sample_counts)
    return {name: found[name] for name in names}


def adjusted_rand_index(truth: Any, predicted: Any, *, sample_counts: Any = None) -> float:
    """Agreement on pairs of samples, 0 for chance and 1 for equal partitions.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    return _scores(truth, predicted, sample_counts)["ari"]


def normalized_mutual_information(
    truth: Any, predicted: Any, *, average: str = "arithmetic", sample_counts: Any = None
) -> float:
    """Mutual information divided by a mean of both entropies.

    Parameters
    ----------
    average : {"arithmetic", "geometric", "min", "max"}
        The mean, as in scikit-learn.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.normalized_mutual_information([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    found = _scores(truth, predicted, sample_counts)
    names = {
        "arithmetic": "nmi",
        "geometric": "nmi_geometric",
        "min": "nmi_min",
        "max": "nmi_max",
    }
    if average not in names:
        raise ValueError(f"average must be one of {', '.join(names)}, not {average!r}")
    return found[names[average]]


def mutual_information(truth: Any, predicted: Any, *, sample_counts: Any = None) -> float:
    """Mutual information of both partitions in nats.

    Examples
    --------
    >>> from enclust import metrics
    >>> round(metrics.mutual_information([0, 0, 1, 1], [0, 0, 1, 1]), 4)
    0.6931
    """
    return _scores(truth, predicted, sample_counts)["mutual_information"]


def accuracy(truth: Any, predicted: Any, *, sample_counts: Any = None) -> float:
    """Share of samples that are right under the best one-to-one matching of clusters and classes.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.accuracy([0, 0, 1, 1], [1, 1, 1, 0])
    0.75
    """
    return _scores(truth, predicted, sample_counts)["accuracy"]


def purity(truth: Any, predicted: Any, *, sample_counts: Any = None) -> float:
    """Share of samples in the largest class of their cluster.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _scores(truth, predicted, sample_counts)["purity"]


def pair_scores(truth: Any, predicted: Any, *, sample_counts: Any = None) -> dict[str, float]:
    """Precision, recall and F1 of the pairs of samples that are joined.

    Examples
    --------
    >>> from enclust import metrics
    >>> metrics.pair_scores([0, 0, 1, 1], [0, 0, 1, 2])["precision"]
    1.0
    """
    found = _scores(truth, predicted, sample_counts)
    return {name: found[name] for name in ("precision", "recall", "f1")}
