"""Scores against those of scikit-learn."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn import metrics as other

from enclust import metrics


def partitions():
    """A thousand pairs of partitions of all kinds."""
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 200))
        truth = rng.integers(int(rng.integers(1, 12)), size=n)
        random = rng.integers(int(rng.integers(1, 12)), size=n)
        near = np.where(rng.random(n) < 0.2, random, truth)
        yield truth, near if seed % 2 else random


def test_scores_are_those_of_scikit_learn():
    for truth, found in partitions():
        table = other.cluster.contingency_matrix(truth, found)
        pairs = other.cluster.pair_confusion_matrix(truth, found)
        matched = table[linear_sum_assignment(-table)].sum() / truth.size
        expected = {
            "ari": other.adjusted_rand_score(truth, found),
            "nmi": other.normalized_mutual_info_score(truth, found),
            "accuracy": matched,
            "purity": table.max(axis=0).sum() / truth.size,
        }
        if pairs[0, 1] + pairs[1, 1]:
            expected["precision"] = pairs[1, 1] / (pairs[0, 1] + pairs[1, 1])
        if pairs[1, 0] + pairs[1, 1]:
            expected["recall"] = pairs[1, 1] / (pairs[1, 0] + pairs[1, 1])
        ours = metrics.scores(truth, found)
        for name, value in expected.items():
            assert ours[name] == pytest.approx(value, abs=1e-12), name
        assert metrics.mutual_information(truth, found) == pytest.approx(
            other.mutual_info_score(truth, found), abs=1e-12
        )
        for average in ("arithmetic", "geometric", "min", "max"):
            assert metrics.normalized_mutual_information(
                truth, found, average=average
            ) == pytest.approx(
                other.normalized_mutual_info_score(truth, found, average_method=average), abs=1e-12
            )


def test_counts_and_names():
    truth, found, counts = ["a", "b", "b"], [1.5, 1.5, 2.5], [3, 1, 2]
    repeated = metrics.scores(np.repeat(truth, counts), np.repeat(found, counts))
    assert metrics.scores(truth, found, sample_counts=counts) == repeated
