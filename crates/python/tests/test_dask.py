"""The same results on workers of Dask as on one machine."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.dataframe as dd
import joblib
from distributed import Client, LocalCluster

import enclust
import enclust.dask
from enclust import LabelConsensus
from enclust.metrics import adjusted_rand_index as ari

from conftest import planted

pytestmark = [
    pytest.mark.filterwarnings("ignore::enclust.ConsensusWarning"),
    pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning"),
]

TABLES = ("runs.csv", "summary.csv", "comparisons.csv", "tuned.csv")


@pytest.fixture(scope="module", params=["threads", "client"])
def scheduler(request):
    """Once on threads without a cluster, once on a cluster."""
    if request.param == "threads":
        with dask.config.set(scheduler="threads"):
            yield "threads"
        return
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        with Client(cluster):
            yield "client"


@pytest.fixture
def cluster():
    """Two worker processes, which are started again when they are killed."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
        yield client


def local(L, k=4, **options):
    return LabelConsensus(k, **options).fit(L).labels_


def in_chunks(L, size=37):
    return da.from_array(L, chunks=(size, L.shape[1]))


def repeated(seed=1, n=400):
    """Labels of which many rows occur in several partitions."""
    L = planted(n, 6, 4, 0.1, seed)[0]
    return L[np.random.default_rng(seed).permutation(n)]


def as_text(L):
    frame = pd.DataFrame({f"c{k}": L[:, k] for k in range(L.shape[1])})
    frame["c1"] = frame["c1"].map(lambda v: "abcdefgh"[int(v)])
    frame["c2"] = pd.Categorical(frame["c2"].map(lambda v: f"group {v}"))
    frame["c3"] = frame["c3"].astype("Int64").mask(frame.index % 29 == 3)
    frame["c4"] = frame["c4"].astype(object).where(frame.index % 31 != 4, None)
    frame["c1"] = frame["c1"].where(frame.index % 17 != 5, None)
    return frame


# Consensus of all distinct rows.


@pytest.mark.parametrize("method", ["lwea", "ec-cms", "lwgp"])
def test_labels_of_an_array(scheduler, method):
    L = repeated()
    found = enclust.dask.consensus(in_chunks(L), 4, method=method)
    assert not found.reduced and found.labels.chunks == in_chunks(L).chunks[:1]
    np.testing.assert_array_equal(found.labels.compute(), local(L, method=method))
    small = enclust.microclusters(L)
    np.testing.assert_array_equal(found.rows, L[small.first])
    np.testing.assert_array_equal(found.counts, small.sizes)
    np.testing.assert_array_equal(found.row_labels, local(L, method=method)[small.first])


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64, np.uint64, np.float32])
def test_types_of_numbers(scheduler, kind):
    L = repeated(2)
    found = enclust.dask.consensus(in_chunks(L.astype(kind)), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))


@pytest.mark.parametrize("size", [1, 7, 100, 400])
def test_partitions_do_not_matter(size):
    L = repeated(3)[:120]
    found = enclust.dask.consensus(in_chunks(L, size), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))


def test_large_and_fractional_labels():
    L = repeated(4)
    for other in (L * 1_000, L * 10**6 - 10**5, L * 10**12, L / 4 + 0.1):
        found = enclust.dask.consensus(in_chunks(other), 4)
        np.testing.assert_array_equal(found.labels.compute(), local(other))


def test_types_of_partitions_may_differ():
    """A column has fractions, large or missing values in some partitions only."""
    L = repeated(5).astype(float)
    L[50, 0], L[90, 1], L[200:220, 2] = 0.5, 10**10, np.nan
    found = enclust.dask.consensus(in_chunks(L), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))


def test_missing_labels(scheduler):
    L = repeated(6).astype(float)
    L[np.random.default_rng(0).random(L.shape) < 0.1] = np.nan
    # Rows without any label are never merged.
    L[[3, 50, 51, 399]] = np.nan
    found = enclust.dask.consensus(in_chunks(L), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))
    assert found.counts.sum() == len(L)


@pytest.mark.parametrize("noise", ["missing", "singleton"])
def test_noise(scheduler, noise):
    L = repeated(7)
    L[np.random.default_rng(0).random(L.shape) < 0.05] = -1
    L[[3, 50, 51, 399]] = -1
    found = enclust.dask.consensus(in_chunks(L), 4, noise=noise)
    np.testing.assert_array_equal(found.labels.compute(), local(L, noise=noise))
    with_missing = L.astype(float)
    with_missing[::13, 2] = np.nan
    found = enclust.dask.consensus(in_chunks(with_missing), 4, noise=noise)
    np.testing.assert_array_equal(found.labels.compute(), local(with_missing, noise=noise))


def test_noise_is_an_error(scheduler):
    L = repeated(8)
    L[80, 3] = -1
    with pytest.raises(ValueError, match=r"partition 2, row 6 of it, column 3 .* is -1"):
        enclust.dask.consensus(in_chunks(L), 4)


def test_frames_with_text(scheduler):
    frame = as_text(repeated(9))
    given = dd.from_pandas(frame, npartitions=7)
    found = enclust.dask.consensus(given, 4)
    np.testing.assert_array_equal(found.labels.compute(), local(frame))
    assert found.labels.npartitions == given.npartitions
    # The labels can be joined to their frame.
    joined = given.assign(label=found.labels).compute()
    np.testing.assert_array_equal(joined["label"], local(frame))
    assert joined.index.equals(frame.index)


def test_noise_among_text():
    frame = as_text(repeated(9))
    frame["c1"] = frame["c1"].astype(object).where(frame.index % 11 != 5, -1)
    with dask.config.set({"dataframe.convert-string": False}):
        given = dd.from_pandas(frame, npartitions=7)
        for noise in ("missing", "singleton"):
            found = enclust.dask.consensus(given, 4, noise=noise)
            np.testing.assert_array_equal(found.labels.compute(), local(frame, noise=noise))
        with pytest.raises(ValueError, match="column 'c1' .* is -1"):
            enclust.dask.consensus(given, 4)


def test_arrays_of_text():
    L = np.char.add("cluster ", repeated(10).astype(str))
    found = enclust.dask.consensus(in_chunks(L), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))


def test_columns_of_a_frame():
    L = repeated(11)
    frame = dd.from_pandas(pd.DataFrame(L, columns=list("abcdef")).assign(x=0.5), npartitions=5)
    found = enclust.dask.consensus(frame, 4, columns=["b", "a", "d"])
    np.testing.assert_array_equal(found.labels.compute(), local(L[:, [1, 0, 3]]))


def test_folders_of_parquet(scheduler, tmp_path):
    frame = as_text(repeated(12)).assign(other=1.5)
    dd.from_pandas(frame, npartitions=12).to_parquet(tmp_path / "labels")
    names = [f"c{k}" for k in range(6)]
    found = enclust.dask.consensus(tmp_path / "labels", 4, columns=names)
    np.testing.assert_array_equal(found.labels.compute(), local(frame[names]))
    found.to_parquet(tmp_path / "found", name="cluster")
    written = dd.read_parquet(tmp_path / "found")
    assert list(written.columns) == ["cluster"] and written.npartitions == 12
    np.testing.assert_array_equal(written["cluster"].compute(), local(frame[names]))


def test_labels_of_an_array_are_written(tmp_path):
    L = repeated(13)
    enclust.dask.consensus(in_chunks(L), 4).to_parquet(tmp_path / "found")
    np.testing.assert_array_equal(dd.read_parquet(tmp_path / "found")["label"].compute(), local(L))


def test_unknown_and_empty_chunks():
    L = repeated(14)
    frame = dd.from_pandas(pd.DataFrame(L), npartitions=8)
    kept = (L[:, 0] != 2) & (np.arange(len(L)) > 60)
    some = frame[(frame[0] != 2) & (frame.index > 60)]
    for given in (some, some.to_dask_array()):
        found = enclust.dask.consensus(given, 4)
        np.testing.assert_array_equal(np.asarray(found.labels.compute()), local(L[kept]))


def test_chunks_of_columns():
    L = repeated(15)
    found = enclust.dask.consensus(da.from_array(L, chunks=(50, 2)), 4)
    np.testing.assert_array_equal(found.labels.compute(), local(L))


def test_number_of_clusters_by_stability():
    L = planted(200, 12, 3, 0.05, 1)[0]
    found = enclust.dask.consensus(in_chunks(L), "auto")
    assert found.estimator.n_clusters_ == 3
    np.testing.assert_array_equal(found.labels.compute(), local(L, "auto"))


def test_a_reduced_run_of_all_distinct_rows():
    L = planted(600, 12, 4, 0.3, 1)[0]
    found = enclust.dask.consensus(in_chunks(L), 4, reduce=50)
    assert not found.reduced
    np.testing.assert_array_equal(found.labels.compute(), local(L, reduce=50))


# Landmarks.


def test_landmarks_are_near_the_local_run(scheduler):
    L, truth = planted(3000, 14, 5, 0.3, 1)
    options = {"reduce": 100, "max_rows": 400, "landmark_sample": 1000}
    found = enclust.dask.consensus(in_chunks(L, 250), 5, **options)
    labels = found.labels.compute()
    assert found.reduced and len(found.rows) <= 100
    assert found.counts.sum() == len(L) and found.counts.min() > 0
    np.testing.assert_array_equal(np.bincount(labels)[np.unique(found.row_labels)].sum(), len(L))
    assert ari(labels, truth) > ari(local(L, 5, reduce=100), truth) - 0.02
    assert set(np.unique(found.rows)) <= set(np.unique(L))


def test_landmarks_do_not_depend_on_partitions_and_order():
    L = planted(1500, 12, 4, 0.3, 2)[0]
    options = {"reduce": 60, "max_rows": 200, "landmark_sample": 500, "random_state": 5}
    first = enclust.dask.consensus(in_chunks(L, 100), 4, **options)
    order = np.random.default_rng(0).permutation(len(L))
    for labels, size in ((L, 1500), (L, 333), (L[order], 71)):
        again = enclust.dask.consensus(in_chunks(labels, size), 4, **options)
        np.testing.assert_array_equal(again.rows, first.rows)
        np.testing.assert_array_equal(again.counts, first.counts)
    np.testing.assert_array_equal(again.labels.compute(), first.labels.compute()[order])
    other = enclust.dask.consensus(in_chunks(L), 4, **{**options, "random_state": 6})
    assert not np.array_equal(other.rows, first.rows)


def test_the_sample_has_the_counts_of_all_partitions():
    L = repeated(16, 2000)
    options = {"reduce": 40, "max_rows": 50, "landmark_sample": 60}
    table = enclust.dask.Table.of(in_chunks(L, 90), None)
    limits = enclust.dask.Limits(50, 60, 1)
    parts = [enclust.dask.distinct(block.compute(), limits) for block in table.blocks]
    merged = parts[0]
    for part in parts[1:]:
        merged = enclust.dask.merge(merged, part, limits)
    small = enclust.microclusters(L)
    counts = {tuple(L[at]): size for at, size in zip(small.first, small.sizes)}
    assert len(merged.rows) == 60
    assert [counts[tuple(row)] for row in merged.rows] == list(merged.counts)
    assert enclust.dask.consensus(in_chunks(L, 90), 4, **options).reduced


@pytest.mark.parametrize("noise", ["missing", "singleton"])
def test_landmarks_with_noise_and_text(noise):
    L, truth = planted(1500, 12, 4, 0.2, 3)
    L[np.random.default_rng(0).random(L.shape) < 0.05] = -1
    L[700:760] = -1
    options = {"reduce": 80, "max_rows": 200, "noise": noise, "landmark_sample": 600}
    found = enclust.dask.consensus(in_chunks(L, 100), 5, **options)
    labels, labelled = found.labels.compute(), (L >= 0).any(axis=1)
    assert found.counts.sum() == len(L)
    assert ari(labels[labelled], truth[labelled]) > 0.9
    # All rows without any label are one row.
    assert len(np.unique(labels[~labelled])) == 1
    assert found.counts[(found.rows == -1).all(axis=1)] == 60
    frame = dd.from_pandas(pd.DataFrame(L).astype(object).replace({0: "a", 1: "b"}), npartitions=9)
    again = enclust.dask.consensus(frame, 5, **options).labels.compute()
    assert ari(again[labelled], truth[labelled]) > 0.9


def test_landmarks_cannot_be_refused():
    with pytest.raises(ValueError, match="max_rows"):
        enclust.dask.consensus(in_chunks(repeated()), 4, max_rows=10, reduce="none")


# Errors.


@pytest.mark.parametrize(
    ("labels", "options", "kind", "text"),
    [
        (np.zeros((4, 2)), {}, TypeError, "labels must be a dask.dataframe"),
        (da.zeros(4, dtype=int), {}, ValueError, "two-dimensional"),
        (da.zeros((4, 2), dtype=int), {"columns": [0]}, ValueError, "columns"),
        (da.zeros((4, 2), dtype=int), {"max_rows": 0}, ValueError, "max_rows=0"),
        (da.zeros((4, 2), dtype=int), {"landmark_sample": 1.5}, TypeError, "landmark_sample"),
        (da.zeros((4, 2), dtype=int), {"noise": "what"}, ValueError, "noise"),
        (da.zeros((4, 2), dtype=int), {"method": 3}, TypeError, "method"),
        (da.zeros((4, 2), dtype=int), {"linkage": "x"}, TypeError, "linkage"),
        (da.zeros((4, 2), dtype=int), {"random_state": -1}, ValueError, "random_state"),
        (da.full((4, 2), np.inf), {}, ValueError, "row 0 of it, column 0 .* infinite"),
        (da.full((4, 2), 2**64 - 1, dtype=np.uint64), {}, ValueError, "too large"),
        (da.full((4, 2), -2), {"noise": "singleton"}, ValueError, "-2"),
        (da.zeros((4, 2), dtype=int), {"reduce": True}, TypeError, "reduce"),
    ],
)
def test_wrong_arguments_of_a_consensus(labels, options, kind, text):
    with pytest.raises(kind, match=text):
        enclust.dask.consensus(labels, 2, **options)


def test_wrong_columns(tmp_path):
    frame = dd.from_pandas(pd.DataFrame({"a": [0, 1], "b": [0, 1]}), npartitions=1)
    with pytest.raises(ValueError, match="columns: .*'c'"):
        enclust.dask.consensus(frame, 2, columns=["a", "c"])
    with pytest.raises(TypeError, match="columns must be a list"):
        enclust.dask.consensus(frame, 2, columns="a")


def test_more_clusters_than_rows():
    with pytest.raises(ValueError, match="n_clusters=3 .* distinct label rows, 2"):
        enclust.dask.consensus(in_chunks(np.arange(40).reshape(20, 2) // 20, 5), 3)


def test_no_rows():
    with pytest.raises(ValueError, match="no rows"):
        enclust.dask.consensus(da.zeros((0, 3), dtype=int), 2)


def test_without_dask():
    code = "import sys; sys.modules['dask'] = None; import enclust.dask"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert 'pip install "enclust[dask]"' in done.stderr and "ImportError" in done.stderr


# Clusterings.


def pool_of(X, **options):
    settings = enclust.EnsembleConsensus(random_state=3, **options)._pool_settings(len(X))
    return np.asarray(enclust._enclust.KMeansClusterings(settings).fit(X))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_samples": 0.6},
        {"max_samples": 0.4, "max_features": 0.7, "min_clusters": 3, "max_clusters": 9},
        {"scale": "unit-variance", "max_samples": 0.7},
    ],
)
def test_clusterings_of_features_in_memory(scheduler, features, options):
    features = features * [1.0, 30.0, 0.01] + [5.0, 1e4, 0.0]
    expected = pool_of(features, n_clusterings=6, **options)
    for X in (features, da.from_array(features, chunks=(50, 2))):
        found = enclust.dask.generate(X, 6, random_state=3, **options)
        assert found.shape == expected.shape and found.dtype == np.int32
        np.testing.assert_array_equal(found.compute(), expected)
    assert found.chunks[0] == (50, 50, 20)


@pytest.mark.parametrize("options", [{}, {"max_features": 0.7, "max_clusters": 5}])
def test_clusterings_of_larger_features(scheduler, features, options):
    options = {"max_samples": 0.4, **options}
    expected = pool_of(features, n_clusterings=6, **options)
    X = da.from_array(features, chunks=(13, 3))
    found = enclust.dask.generate(X, 6, random_state=3, max_bytes=1200, **options)
    assert found.chunks[0] == X.chunks[0]
    np.testing.assert_array_equal(found.compute(), expected)


def test_from_features_to_labels(features):
    X = da.from_array(features, chunks=(30, 3))
    labels = enclust.dask.generate(X, 10, random_state=3)
    found = enclust.dask.consensus(labels, 3, random_state=3).labels.compute()
    expected = enclust.EnsembleConsensus(3, n_clusterings=10, random_state=3).fit(features)
    np.testing.assert_array_equal(found, expected.labels_)


def test_unknown_chunks_of_features(features):
    X = dd.from_pandas(pd.DataFrame(features), npartitions=3).to_dask_array()
    found = enclust.dask.generate(X, 4, random_state=3).compute()
    np.testing.assert_array_equal(found, pool_of(features, n_clusterings=4))


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"n_clusterings": 0}, ValueError, "n_clusterings"),
        ({"min_clusters": 2.5}, TypeError, "min_clusters"),
        ({"max_samples": 2.0}, ValueError, "samples"),
        ({"scale": "what"}, TypeError, "scale"),
        ({"max_bytes": 100}, ValueError, "max_samples"),
        ({"max_bytes": 100, "scale": "unit-variance"}, ValueError, "scale"),
        ({"max_bytes": -1}, ValueError, "max_bytes"),
    ],
)
def test_wrong_arguments_of_clusterings(features, options, kind, text):
    with pytest.raises(kind, match=text):
        enclust.dask.generate(da.from_array(features, chunks=(13, 3)), **options)


def test_features_that_are_not_finite(features):
    features[70, 1] = np.nan
    for max_bytes in (100, 10**6):
        X = da.from_array(features, chunks=(13, 3))
        labels = enclust.dask.generate(X, 3, max_bytes=max_bytes, max_samples=0.03, max_clusters=2)
        with pytest.raises(ValueError, match="row 70, column 1"):
            labels.compute()


# Studies.


def a_study(**changes):
    return {
        "pools": ["mine"],
        "runs": 4,
        "draws": {"size": 8, "seed": 1},
        "base": {"method": "lwea"},
        "variant": [{"method": "eac"}, {"name": "parted", "ca": "mine", "enhance": "none"}],
        "metrics": ["ari"],
        **changes,
    }


def shared(labels):
    """A function of a user as a co-association matrix."""
    columns = np.asarray(labels).T
    return np.mean([np.equal.outer(column, column) for column in columns], axis=0)


def assert_same_tables(found, expected):
    for name in TABLES:
        one, other = found / name, expected / name
        assert one.exists() == other.exists(), name
        assert not one.exists() or one.read_bytes() == other.read_bytes(), name


@pytest.fixture
def a_pool(labels):
    return {"mine": (labels, planted(200, 12, 4, 0.2, 1)[1])}


@pytest.mark.parametrize("shards", [None, 1, 5])
def test_studies(scheduler, a_pool, tmp_path, shards):
    options = {"pools": a_pool, "parts": {"ca": {"mine": shared}}}
    expected = enclust.study(a_study(), out=tmp_path / "one", **options)
    found = enclust.dask.study(a_study(), out=tmp_path / "many", shards=shards, **options)
    assert_same_tables(tmp_path / "many", tmp_path / "one")
    assert found.runs == expected.runs and found.summary == expected.summary
    assert found.folder == tmp_path / "many" and found.left_out == expected.left_out


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_studies_by_joblib(a_pool, tmp_path, backend):
    study = a_study(variant=[{"method": "eac"}])
    enclust.study(study, pools=a_pool, out=tmp_path / "one")
    with joblib.parallel_config(backend=backend, n_jobs=2):
        enclust.dask.study(study, pools=a_pool, out=tmp_path / "many")
    assert_same_tables(tmp_path / "many", tmp_path / "one")


def test_studies_from_files(a_pool, tmp_path):
    folder = tmp_path / "pools"
    folder.mkdir()
    np.savez(folder / "mine.npz", members=a_pool["mine"][0], truth=a_pool["mine"][1])
    path = tmp_path / "study.toml"
    path.write_text(
        'pools = ["mine"]\nruns = 3\ndraws = { size = 8, seed = 1 }\n'
        '[base]\nmethod = "lwea"\n[[variant]]\nmethod = "eac"\n'
    )
    enclust.study(path, pools=folder, out=tmp_path / "one")
    enclust.dask.study(path, pools=folder, out=tmp_path / "many", shards=3)
    assert_same_tables(tmp_path / "many", tmp_path / "one")


def test_wrong_arguments_of_studies(a_pool):
    for options, kind, text in [
        ({"shards": 0}, ValueError, "shards"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"parts": {"what": {}}}, ValueError, "what"),
    ]:
        with pytest.raises(kind, match=text):
            enclust.dask.study(a_study(), pools=a_pool, **options)


# Workers that are lost.


def kill_one_worker(flag):
    """In a worker: kill the process the first time that this is called."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("options", [{}, {"reduce": 60, "max_rows": 100}])
def test_a_worker_is_killed_during_a_consensus(cluster, tmp_path, options):
    L = planted(1000, 8, 4, 0.2, 5)[0]

    def block_of(block, block_info):
        # Half of the partitions have been read when the worker is lost.
        if block_info[0]["chunk-location"][0] == 5:
            kill_one_worker(tmp_path / "killed")
        return block

    given = in_chunks(L, 100).map_blocks(block_of, dtype=L.dtype)
    found = enclust.dask.consensus(given, 4, **options)
    assert (tmp_path / "killed").exists()
    if not options:
        np.testing.assert_array_equal(found.labels.compute(), local(L))
    (tmp_path / "killed").unlink()
    # Now a worker is lost when the labels are joined to the rows.
    expected = enclust.dask.consensus(in_chunks(L, 250), 4, **options).labels.compute()
    np.testing.assert_array_equal(found.labels.compute(), expected)


def test_a_worker_is_killed_during_a_study(cluster, a_pool, tmp_path):
    def mine(labels):
        kill_one_worker(tmp_path / "killed")
        return shared(labels)

    options = {"pools": a_pool, "shards": 6}
    enclust.study(a_study(), pools=a_pool, parts={"ca": {"mine": shared}}, out=tmp_path / "one")
    enclust.dask.study(a_study(), parts={"ca": {"mine": mine}}, out=tmp_path / "many", **options)
    assert (tmp_path / "killed").exists()
    assert_same_tables(tmp_path / "many", tmp_path / "one")


def test_a_worker_is_killed_between_consensus_and_labels(cluster):
    L = planted(1000, 8, 4, 0.2, 6)[0]
    found = enclust.dask.consensus(in_chunks(L, 100), 4)
    for worker in list(cluster.run(os.getpid).values())[:1]:
        os.kill(worker, signal.SIGKILL)
    time.sleep(0.2)
    np.testing.assert_array_equal(found.labels.compute(), local(L))
