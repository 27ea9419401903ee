"""Parts that are functions of Python."""

import pickle

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

import enclust
from enclust import LabelConsensus


def simple(labels):
    return (labels[:, None, :] == labels[None, :, :]).mean(axis=2)


@enclust.at_microclusters
def simple_rows(labels, sizes):
    assert len(labels) == len(sizes)
    return simple(labels)


def often(A, labels):
    return np.where(simple(labels) >= 0.8, simple(labels), 0) * (1 - np.eye(len(A)))


@enclust.at_microclusters
def often_rows(A, labels, sizes):
    return np.where(simple(labels) >= 0.8, simple(labels), 0)


def halfway(A, H):
    return (A + np.maximum(A, H)) / 2


def cut_by_scipy(A, k):
    distances = squareform(1 - A, checks=False)
    return fcluster(scipy_linkage(distances, "average"), k, "maxclust")


def two_values(A, k, sizes):
    return np.arange(len(A)) % k


def test_a_representation_in_python(labels):
    ours = LabelConsensus(4, ca="eac").fit(labels)
    for function in (simple, simple_rows):
        model = LabelConsensus(4, ca=function).fit(labels)
        np.testing.assert_array_equal(model.labels_, ours.labels_)
        np.testing.assert_allclose(model.consensus_matrix_, ours.consensus_matrix_, atol=1e-12)
        assert model.record_["parts"]["ca"]["name"].startswith("simple")
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.consensus_matrix_, model.consensus_matrix_)
    np.testing.assert_allclose(
        enclust.co_association(labels, simple), enclust.co_association(labels, "eac"), atol=1e-12
    )


def test_confident_pairs_in_python(labels):
    settings = {"method": "ec-cms", "params": {"enhance.tolerance": 1e-9}}
    rule = {"confidence": "threshold(alpha=0.8,giant=1)"}
    ours = LabelConsensus(4, **settings, **rule).fit(labels)
    for function in (often, often_rows):
        model = LabelConsensus(4, **settings, confidence=function).fit(labels)
        np.testing.assert_allclose(model.consensus_matrix_, ours.consensus_matrix_, atol=1e-7)


def test_an_enhancer_in_python(labels):
    model = LabelConsensus(4, enhance=halfway).fit(labels)
    A = enclust.co_association(labels, "lwca")
    H = enclust.high_confidence(labels, sparse=False)
    np.testing.assert_allclose(model.consensus_matrix_, halfway(A, H), atol=1e-12)


def test_a_consensus_function_in_python(labels):
    ours = LabelConsensus(4, method="lwea").fit(labels)
    model = LabelConsensus(4, consensus=cut_by_scipy).fit(labels)
    np.testing.assert_array_equal(model.labels_, ours.labels_)
    assert model.linkage_ is None
    rows = enclust.microclusters(labels)
    odd = LabelConsensus(3, consensus=enclust.at_microclusters(two_values)).fit(labels)
    np.testing.assert_array_equal(odd.labels_, rows.inverse % 3)


def test_a_stopping_rule_in_python(labels):
    seen = []

    @enclust.needs("changes", "labels")
    def third(iteration):
        seen.append(iteration)
        return iteration["iteration"] == 3

    model = LabelConsensus(4, method="ec-cms-admm", stop=third).fit(labels)
    assert model.report_["iterations"] == 3 and model.report_["status"] == "converged"
    assert [told["iteration"] for told in seen] == [1, 2, 3]
    assert set(seen[0]["changes"]) and seen[0]["labels"].shape == labels.shape[:1]


def test_a_callback_sees_every_iteration_and_may_stop(labels):
    events = []
    model = LabelConsensus(4, method="ec-cms-admm", callback=events.append).fit(labels)
    iterations = [event["iteration"] for event in events if event["event"] == "iteration"]
    assert iterations == list(range(1, model.report_["iterations"] + 1))
    assert [e["stage"] for e in events if e["event"] == "stage"][:1] != []

    stopped = LabelConsensus(
        4, method="ec-cms-admm", callback=lambda e: e.get("iteration") == 2
    ).fit(labels)
    assert stopped.report_["status"] == "cancelled" and stopped.report_["iterations"] == 2
    with pytest.raises(enclust.Cancelled):
        LabelConsensus(4, callback=lambda e: e["event"] == "stage").fit(labels)


@pytest.mark.parametrize("stage", ["ca", "confidence", "enhance", "consensus", "stop", "callback"])
def test_what_a_function_raises_is_raised(labels, stage):
    class Own(Exception):
        pass

    def broken(*arguments):
        raise Own("on purpose")

    with pytest.raises(Own, match="on purpose"):
        LabelConsensus(4, method="ec-cms", **{stage: broken}).fit(labels)


def test_matrices_of_a_wrong_form_are_told(labels):
    wrong = [
        (lambda L: simple(L)[:3], "rows and columns"),
        (lambda L: simple(L) * 2, r"\[0, 1\]"),
        (lambda L: np.triu(simple(L)), "symmetric"),
        (lambda L: None, "matrix|rows"),
        (lambda L: simple(L) * np.nan, r"\[0, 1\]"),
    ]
    for function, words in wrong:
        with pytest.raises((ValueError, TypeError), match=words):
            LabelConsensus(4, ca=function).fit(labels)
    with pytest.raises(ValueError, match="labels"):
        LabelConsensus(4, consensus=lambda A, k: [0, 1]).fit(labels)
    with pytest.raises(TypeError, match="reduce"):
        LabelConsensus(4, reduce=simple).fit(labels)


def test_functions_in_studies(labels):
    study = {
        "pools": ["mine"],
        "runs": 3,
        "k": 4,
        "metrics": ["agreement"],
        "draws": {"size": 8, "seed": 1},
        "base": {"method": "eac"},
        "variant": [{"ca": "mine", "name": "by a function"}],
    }
    found = enclust.study(study, pools={"mine": labels}, parts={"ca": {"mine": simple_rows}})
    values = {row["variant"]: [] for row in found.runs}
    for row in found.runs:
        values[row["variant"]].append([v for v in row.values() if isinstance(v, float)])
    assert values["by a function"] == values["eac"]
    assert len(found.to_pandas()) == 6

    def broken(labels, sizes):
        raise LookupError("in a study")

    with pytest.raises(LookupError, match="in a study"):
        enclust.study(
            study, pools={"mine": labels}, parts={"ca": {"mine": enclust.at_microclusters(broken)}}
        )
