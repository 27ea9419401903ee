"""The figures show the figures."""

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from scipy.cluster.hierarchy import leaves_list

import enclust
from enclust import LabelConsensus, plots

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(1)
    truth = np.repeat([0, 1, 2], 30)
    pools = {}
    for name, wrong in (("first", 0.2), ("second", 0.5)):
        noise = rng.random((90, 20)) < wrong
        pools[name] = (np.where(noise, rng.integers(3, size=noise.shape), truth[:, None]), truth)
    plan = {
        "pools": list(pools),
        "runs": 2,
        "draws": {"size": 10, "seed": 1},
        "metrics": ["ari", "clusters"],
        "base": {"method": "lwea"},
        "variant": [{"method": "eac"}, {"method": "ec-cms"}],
    }
    return enclust.study(plan, pools=pools)


def test_the_order_is_that_of_scipy(labels):
    model = LabelConsensus(4).fit(labels)
    np.testing.assert_array_equal(plots.leaf_order(model), leaves_list(model.linkage_))


def test_similarity(labels):
    model = LabelConsensus(4).fit(labels)
    ax = plots.plot_similarity(model)
    order = leaves_list(model.linkage_)
    shown = ax.images[0].get_array()
    np.testing.assert_array_equal(shown, model.consensus_matrix_[np.ix_(order, order)])
    # The clusters of a cut are neighbours in the tree: one square for each.
    assert len(ax.lines) == 4
    widths = sorted(int(np.ptp(line.get_xdata())) for line in ax.lines)
    assert widths == sorted(np.bincount(model.labels_))
    with pytest.raises(ValueError, match="matrix has shape"):
        plots.plot_similarity(model, matrix=np.eye(3))
    spectral = LabelConsensus(4, consensus="spectral").fit(labels)
    assert "labels" in plots.plot_similarity(spectral).get_xlabel()


def test_tree(labels):
    model = LabelConsensus(4).fit(labels)
    ax = plots.plot_tree(model, leaves=10**6)
    heights = sorted(float(max(line.get_ydata())) for line in ax.lines[:-1])
    np.testing.assert_allclose(heights, sorted(model.linkage_[:, 2]))
    cut = ax.lines[-1].get_ydata()[0]
    assert np.sum(model.linkage_[:, 2] > cut) == 3
    assert len(plots.plot_tree(model, leaves=8).lines) == 7 + 1
    with pytest.raises(ValueError, match="no tree"):
        plots.plot_tree(LabelConsensus(4, consensus="spectral").fit(labels))
    with pytest.raises(ValueError, match="n_clusters is 900"):
        plots.plot_tree(model, 900)


def test_sizes(labels):
    model = LabelConsensus(4).fit(labels)
    bars = plots.plot_sizes(model).patches
    assert [int(bar.get_width()) for bar in bars] == list(np.bincount(model.labels_))


def test_stability(labels):
    found = enclust.stability(labels, 2, 5)
    ax = plots.plot_cdf(found)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [f"k = {k}" for k in range(2, 6)]
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.levels[0].cdf["shares"])
    agreement, pac, chosen = plots.plot_stability(found).lines
    np.testing.assert_array_equal(agreement.get_ydata(), [level.agreement for level in found.levels])
    np.testing.assert_array_equal(pac.get_ydata(), [level.pac for level in found.levels])
    assert chosen.get_xdata()[0] == found.k


def test_studies(results):
    ax = plots.plot_scores(results)
    means = [bars.lines[0].get_xdata(orig=False) for bars in ax.containers]
    expected = {
        variant: [row["mean"] for row in results.summary if (row["variant"], row["metric"]) == (variant, "ari")]
        for variant in ("lwea", "eac", "ec-cms")
    }
    np.testing.assert_allclose(means, list(expected.values()))
    ax = plots.plot_ranks(results)
    shown = dict(zip(ax.lines[0].get_ydata(), ax.lines[0].get_xdata()))
    for row in results.summary:
        if row["metric"] == "ari":
            assert shown[row["variant"]] == pytest.approx(row["average_rank"])
    with pytest.raises(ValueError, match="the study has ari, clusters"):
        plots.plot_scores(results, "nmi")
    with pytest.raises(ValueError, match="no ranks"):
        plots.plot_ranks(results, "clusters")
