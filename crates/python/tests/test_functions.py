"""Single steps against plain definitions and against SciPy."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree, fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

import enclust
from enclust import EnsembleConsensus, LabelConsensus


def test_co_association(labels):
    plain = (labels[:, None, :] == labels[None, :, :]).mean(axis=2)
    np.testing.assert_allclose(enclust.co_association(labels, "eac"), plain, atol=1e-14)
    rows = enclust.microclusters(labels)
    small = enclust.co_association(labels, "eac", microclusters=True)
    np.testing.assert_allclose(small, plain[np.ix_(rows.first, rows.first)], atol=1e-14)
    weighted = enclust.co_association(labels, "lwca", params={"theta": 0.2})
    assert not np.allclose(weighted, enclust.co_association(labels, "lwca"))


def test_the_steps_are_the_run(labels):
    A = enclust.co_association(labels, "lwca")
    H = enclust.high_confidence(labels)
    found = enclust.enhance(A, H, params={"tolerance": 1e-9})
    params = {"enhance.tolerance": 1e-9, "confidence.giant": 1}
    model = LabelConsensus(4, method="ec-cms", params=params).fit(labels)
    np.testing.assert_allclose(found.matrix, model.consensus_matrix_, atol=1e-7)
    assert found.certificate["relative_distance"] <= 1e-9
    tree = enclust.linkage(model.consensus_matrix_)
    labels_of = cut_tree(tree, 4).ravel()
    assert enclust.metrics.adjusted_rand_index(labels_of, model.labels_) == 1


def test_the_optimum_is_the_same_for_both_enhancers(labels):
    A = enclust.co_association(labels[:60], "lwca")
    H = enclust.high_confidence(labels[:60], sparse=False)
    exact = enclust.enhance(A, H, params={"lambda": 0.3, "tolerance": 1e-10})
    settings = {"lambda": 0.3, "limit": 3000}
    slow = enclust.enhance(A, H, "admm", params=settings, stop="kkt(tolerance=1e-8)")
    assert slow.iterations > 100 and slow.status == "converged"
    np.testing.assert_allclose(exact.matrix, slow.matrix, atol=1e-5)


def test_linkage_is_that_of_scipy(labels):
    model = LabelConsensus(4, ca="lwca").fit(labels)
    tree = model.linkage_
    assert is_valid_linkage(tree)
    distances = squareform(1 - model.consensus_matrix_, checks=False)
    np.testing.assert_allclose(tree[:, 2], scipy_linkage(distances, "average")[:, 2], atol=1e-9)
    cut = fcluster(tree, 4, "maxclust")
    assert enclust.metrics.adjusted_rand_index(cut, model.labels_) == 1
    np.testing.assert_array_equal(model.cut(4), model.labels_)
    assert len(set(model.cut(7))) == 7


def test_membership(labels):
    model = LabelConsensus(4).fit(labels)
    A = enclust.co_association(labels, "eac")
    own = model.labels_[:, None] == model.labels_[None, :]
    np.fill_diagonal(own, False)
    np.testing.assert_allclose(
        model.item_consensus_, (A * own).sum(1) / own.sum(1), atol=1e-12
    )
    assert model.membership_.shape == (200, 4)
    np.testing.assert_allclose(model.membership_.sum(1), 1)
    assert model.cluster_consensus_.shape == (4,) and ((0 <= model.entropy_) & (model.entropy_ <= 1)).all()
    ranking = model.ranking()
    assert ranking["agreement"].shape == (12,) and ranking["rank"].min() == 1
    expected = enclust.metrics.adjusted_rand_index(labels[:, 3], model.labels_)
    assert ranking["agreement"][3] == pytest.approx(expected, abs=1e-12)


def test_results_own_their_memory(labels):
    model = LabelConsensus(4).fit(labels)
    for array in (model.labels_, model.linkage_, model.consensus_matrix_):
        assert array.flags.c_contiguous and array.flags.writeable


def test_microclusters_count_samples(labels):
    few = labels[:, :3]
    found = enclust.microclusters(few, sample_counts=np.full(200, 2))
    rows, inverse, counts = np.unique(few, axis=0, return_inverse=True, return_counts=True)
    assert len(found.labels) == len(rows) and found.sizes.sum() == 400
    np.testing.assert_array_equal(few[found.first][found.inverse], few)


def test_auto_number_of_clusters(features, labels):
    assert LabelConsensus("auto").fit(labels).n_clusters_ == 4
    model = EnsembleConsensus("auto", n_clusterings=30).fit(features)
    assert model.n_clusters_ == 3 and model.report_["choice"]["by"] == "references"
    noise = np.random.default_rng(0).uniform(size=(150, 2))
    with pytest.warns(enclust.ConsensusWarning, match="only a guess"):
        EnsembleConsensus("auto", n_clusterings=30).fit(noise)


def test_pools_of_part_of_the_data(features):
    model = EnsembleConsensus(
        3, n_clusterings=9, max_samples=0.5, max_features=0.7, scale="unit-variance", max_clusters=6
    ).fit(features)
    assert model.base_labels_.shape == (120, 9) and (model.base_labels_ >= 0).all()
    assert np.bincount(model.labels_).tolist() == [40, 40, 40]


def test_generated_as_by_the_command(features, tmp_path, command):
    np.save(tmp_path / "x.npy", features)
    command("generate", tmp_path / "x.npy", "--size", "12", "--seed", "5", "-o", tmp_path / "p.npz")
    theirs = enclust.read_pool(tmp_path / "p.npz").labels
    ours = EnsembleConsensus(3, n_clusterings=12, random_state=5).fit(features).base_labels_
    np.testing.assert_array_equal(enclust.microclusters(ours).inverse, enclust.microclusters(theirs).inverse)
    for one, other in zip(ours.T, theirs.T):
        assert enclust.metrics.adjusted_rand_index(one, other) == 1


def test_draws_and_lists():
    assert enclust.draws(100, 20, 3).shape == (3, 20)
    stages = {part["stage"] for part in enclust.list_parts()}
    assert {"ca", "confidence", "enhance", "consensus", "stop", "backend", "reduce"} <= stages
    assert all(method["summary"] for method in enclust.list_methods())


def test_sparse_or_dense(labels):
    sparse = enclust.high_confidence(labels)
    np.testing.assert_array_equal(sparse.toarray(), enclust.high_confidence(labels, sparse=False))
    alone = enclust.high_confidence(labels, params={"alpha": 1.0})
    assert alone.nnz <= sparse.nnz
