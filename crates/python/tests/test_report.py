"""Reports of estimators."""

import json

import numpy as np
import pytest

from conftest import planted
from enclust import EnsembleConsensus, LabelConsensus


def data_of(path):
    text = path.read_text(encoding="utf-8")
    _, after = text.split('<script type="application/json" id="data">')
    return json.loads(after.split("</script>")[0])


def test_report_has_the_figures_of_the_estimator(tmp_path):
    table, truth = planted(120, 12, 4, 0.2, 1)
    model = LabelConsensus(4, method="ec-cms").fit(table)
    labels = model.labels_.copy()
    model.report(tmp_path / "run.html", truth=truth)
    page = data_of(tmp_path / "run.html")
    assert [item["key"] for item in page["heat"]["maps"]] == ["before", "after", "difference", "ideal"]
    assert page["record"]["results"][0]["sizes"] == np.bincount(labels).tolist()
    assert page["record"]["report"]["iterations"] == model.report_["iterations"]
    assert len(page["convergence"][0]["points"]) == model.report_["iterations"]
    least = page["cuts"][0]["certainty"]["least"][0]
    assert least["entropy"] == pytest.approx(model.entropy_.max())
    ranking = model.ranking()["agreement"]
    found = [row["ari"] for row in page["cuts"][0]["clusterings"]]
    assert found == pytest.approx(ranking.tolist())
    assert (model.labels_ == labels).all()


def test_what_is_missing_is_said(tmp_path):
    table, _ = planted(60, 8, 3, 0.2, 2)
    LabelConsensus(3).fit(table).report(tmp_path / "run.html")
    page = data_of(tmp_path / "run.html")
    assert "enhance" in page["cuts"][0]["plain"]["missing"]
    assert "truth" in page["pairs"]["missing"]


def test_features(tmp_path):
    features = np.random.default_rng(1).normal(size=(80, 3))
    model = EnsembleConsensus(n_clusters=3).fit(features)
    model.report(tmp_path / "run.html")
    assert data_of(tmp_path / "run.html")["record"]["samples"] == 80


def test_wrong_arguments(tmp_path):
    table, truth = planted(60, 8, 3, 0.2, 2)
    model = LabelConsensus(3)
    with pytest.raises(ValueError, match="not fitted"):
        model.report(tmp_path / "run.html")
    model.fit(table)
    with pytest.raises(ValueError, match="html"):
        model.report(tmp_path / "run.pdf")
    with pytest.raises(ValueError, match="truth has the shape"):
        model.report(tmp_path / "run.html", truth=truth[:-1])
    assert list(tmp_path.iterdir()) == []
