"""The conventions of scikit-learn, to the letter."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from enclust import EnsembleConsensus, LabelConsensus

#: The rows of labels are names of clusters: each distinct number is another cluster.
EXPECTED = {
    "check_clustering": "it fits features, whose numbers are all different, as if they were labels",
}


def expected(estimator):
    return EXPECTED if isinstance(estimator, LabelConsensus) else {}


@parametrize_with_checks(
    [EnsembleConsensus(n_clusterings=8), LabelConsensus()],
    expected_failed_checks=expected,
    xfail_strict=True,
)
@pytest.mark.filterwarnings("ignore::enclust.ConsensusWarning")
def test_estimator_checks(estimator, check):
    check(estimator)


def test_pipeline_and_grid_search(features):
    truth = np.repeat([0, 1, 2], 40)
    model = make_pipeline(StandardScaler(), EnsembleConsensus(3, n_clusterings=10))
    assert adjusted_rand_score(truth, model.fit_predict(features)) > 0.95

    order = np.random.default_rng(0).permutation(120)
    search = GridSearchCV(
        EnsembleConsensus(n_clusterings=10),
        {"n_clusters": [2, 3, 5]},
        scoring=make_scorer(adjusted_rand_score),
        cv=3,
    )
    search.fit(features[order], truth[order])
    assert search.best_params_ == {"n_clusters": 3}


def test_grid_search_in_other_processes(features):
    truth = np.repeat([0, 1, 2], 40)
    order = np.random.default_rng(0).permutation(120)
    search = GridSearchCV(
        EnsembleConsensus(n_clusterings=10, n_jobs=1),
        {"n_clusters": [2, 3]},
        scoring="adjusted_rand_score",
        cv=2,
        n_jobs=2,
    )
    with joblib.parallel_backend("loky"):
        search.fit(features[order], truth[order])
    assert search.best_params_ == {"n_clusters": 3}


@pytest.mark.parametrize("given", [{}, {"method": "ec-cms"}, {"method": "lwgp"}])
def test_pickle_and_clone(labels, given):
    model = LabelConsensus(4, **given).fit(labels)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.predict(labels), model.predict(labels)) if not given else None
    np.testing.assert_allclose(again.membership_, model.membership_)
    if model.linkage_ is not None:
        np.testing.assert_array_equal(again.linkage_, model.linkage_)
        np.testing.assert_array_equal(again.consensus_matrix_, model.consensus_matrix_)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params() and not hasattr(fresh, "labels_")


def test_pickled_pools_predict(features):
    for given in ({}, {"max_features": 0.7, "max_samples": 0.5, "scale": "unit-variance"}):
        model = EnsembleConsensus(3, n_clusterings=12, **given).fit(features)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(features), model.predict(features))
        assert adjusted_rand_score(model.predict(features), model.labels_) > 0.95


def test_own_clusterers(features):
    clusterers = [KMeans(k, n_init=1) for k in range(2, 8)] + [MiniBatchKMeans(4, n_init=1)]
    model = EnsembleConsensus(3, clusterings=clusterers, n_jobs=2).fit(features)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 40), model.labels_) > 0.95
    assert adjusted_rand_score(model.predict(features), model.labels_) > 0.95
    # The clusterers that were given stay as they are.
    assert clusterers[0].random_state is None and not hasattr(clusterers[0], "labels_")
    same = EnsembleConsensus(3, clusterings=clusterers).fit(features)
    np.testing.assert_array_equal(same.base_labels_, model.base_labels_)

    deaf = EnsembleConsensus(3, clusterings=[AgglomerativeClustering(4), DBSCAN(eps=0.4)])
    assert not hasattr(deaf, "predict")
    assert -1 in deaf.fit(features).base_labels_  # DBSCAN's noise is a missing label


def test_it_works_without_scikit_learn():
    """The small base classes behave alike."""
    import subprocess
    import sys

    program = """
import sys
for name in ("sklearn", "scipy", "pandas", "joblib", "tqdm"):
    sys.modules[name] = None
import numpy as np, enclust, pickle, warnings
warnings.simplefilter("error")
X = np.concatenate([np.random.default_rng(0).normal(c, 0.3, (20, 2)) for c in (0, 4)])
model = enclust.EnsembleConsensus(2, n_clusterings=5, random_state=4)
assert repr(model) == "EnsembleConsensus(n_clusterings=5, n_clusters=2, random_state=4)", repr(model)
labels = model.fit_predict(X)
assert sorted(np.bincount(labels)) == [20, 20]
assert (pickle.loads(pickle.dumps(model)).predict(X) == labels).all()
assert model.set_params(n_clusters=3).get_params()["n_clusters"] == 3
try:
    enclust.LabelConsensus().predict([[1]])
except ValueError as error:
    assert "not fitted" in str(error)
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_shown_in_notebooks():
    assert "LabelConsensus" in LabelConsensus(3, ca="eac")._repr_html_()
    assert repr(LabelConsensus(3, ca="eac")) == "LabelConsensus(ca='eac', n_clusters=3)"
