"""Labels in all forms, and what is no label."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import enclust
from enclust import EnsembleConsensus, LabelConsensus

TRUTH = [0, 0, 0, 1, 1, 1]
ROWS = np.array([[0, 5, 1], [0, 5, 1], [0, 7, 1], [1, 7, 2], [1, 9, 2], [1, 9, 2]])
NAMES = np.array(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], dtype=object)


def consensus(table, **given):
    return LabelConsensus(2, **given).fit(table).labels_.tolist()


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", ">i4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_any_width(kind, order):
    assert consensus(np.asarray(ROWS, dtype=kind, order=order)) == TRUTH


def test_strided_views_are_read_in_place():
    wide = np.zeros((12, 6), dtype=np.int32)
    wide[::2, ::2] = ROWS
    assert consensus(wide[::2, ::2]) == TRUTH
    assert consensus(ROWS[:, ::-1]) == TRUTH
    assert consensus(ROWS[::-1]) == TRUTH


def unaligned(array):
    """The same array in memory that begins at an odd byte, as in what another process has sent."""
    buffer = np.empty(array.nbytes + 1, dtype=np.uint8)[1:]
    found = buffer.view(array.dtype).reshape(array.shape)
    found[...] = array
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize("kind", ["i4", "i8", "u2", "f4", "f8"])
def test_unaligned_arrays(kind):
    assert consensus(unaligned(ROWS.astype(kind))) == TRUTH


def test_unaligned_arrays_in_all_functions():
    model = LabelConsensus(2).fit(ROWS)
    assert (model.predict(unaligned(ROWS)) == model.labels_).all()
    X = np.random.default_rng(0).normal(size=(40, 2)) + 9 * np.arange(40)[:, None] // 20
    pool = EnsembleConsensus(2, n_clusterings=4).fit(unaligned(X))
    assert (pool.predict(unaligned(X)) == pool.labels_).all()
    A = enclust.co_association(ROWS)
    np.testing.assert_array_equal(enclust.linkage(unaligned(A)), enclust.linkage(A))
    rows = unaligned(ROWS)
    matched = enclust._enclust.match_rows(rows, rows)
    np.testing.assert_array_equal(matched, enclust._enclust.match_rows(ROWS, ROWS))
    hashes = enclust._enclust.row_hashes(rows)
    np.testing.assert_array_equal(hashes, enclust._enclust.row_hashes(ROWS))


def test_fields_of_records():
    table = np.zeros(6, dtype=[("name", "S3"), ("a", "i4"), ("b", "i4")])
    table["a"], table["b"] = ROWS[:, 0], ROWS[:, 2]
    fields = enclust.columns([table["a"], table["b"]])
    assert consensus(fields) == TRUTH


def test_far_apart_and_large_numbers():
    far = np.array([0, 2**62, -(2**62), 5, 7, 11, 13, 2**40, 3, -(2**50)])
    assert consensus(far[ROWS]) == TRUTH
    large = far.astype(np.uint64)
    assert consensus(large[ROWS]) == TRUTH
    assert consensus(ROWS + 0.5) == TRUTH


def test_text_categories_and_mixtures():
    text = NAMES[ROWS]
    assert consensus(text) == TRUTH
    assert consensus(text.astype(str)) == TRUTH
    assert consensus(text.tolist()) == TRUTH
    assert consensus(enclust.columns([text[:, 0], ROWS[:, 1], ROWS[:, 2] * 0.5])) == TRUTH
    days = np.datetime64("2020-01-01") + ROWS
    assert consensus(days) == TRUTH
    assert consensus(ROWS.astype(bool) | (ROWS > 6)) == consensus((ROWS.astype(bool) | (ROWS > 6)).astype(int))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_labels(missing):
    table = NAMES[ROWS]
    table[2, 1] = missing
    numbers = ROWS.astype(float)
    numbers[2, 1] = np.nan
    assert consensus(table) == consensus(numbers)
    assert LabelConsensus(2).fit(table).record_["missing_labels"] == 1


def test_pandas_frames():
    frame = pd.DataFrame(ROWS, columns=["km", "ward", "em"])
    assert consensus(frame) == TRUTH
    frame["ward"] = frame["ward"].astype("category")
    frame["em"] = frame["em"].astype("Int64")
    frame["km"] = frame["km"].map({0: "left", 1: "right"}).astype("string")
    assert consensus(frame) == TRUTH
    frame.loc[2, ["ward", "em", "km"]] = None
    model = LabelConsensus(2).fit(frame)
    assert model.record_["missing_labels"] == 3
    assert list(model.feature_names_in_) == ["km", "ward", "em"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"em": "other"}))
    assert (model.predict(frame) == model.labels_).all()


def test_polars_frames():
    frame = pl.DataFrame({"km": ROWS[:, 0], "ward": NAMES[ROWS[:, 1]].astype(str), "em": ROWS[:, 2]})
    assert consensus(frame) == TRUTH
    holes = frame.with_columns(pl.when(pl.col("em") == 1).then(None).otherwise(pl.col("em")).alias("em"))
    assert LabelConsensus(2).fit(holes).record_["missing_labels"] == 3


def test_noise():
    table = ROWS.copy()
    table[2, 1] = -1
    with pytest.raises(ValueError, match=r"row 2, column 1 .*noise=\"missing\""):
        consensus(table)
    missing = ROWS.astype(float)
    missing[2, 1] = np.nan
    assert consensus(table, noise="missing") == consensus(missing)
    alone = ROWS.copy()
    alone[2, 1] = 99
    matrix = enclust.co_association(table, "eac", noise="singleton")
    np.testing.assert_array_equal(matrix, enclust.co_association(alone, "eac"))
    text = NAMES[ROWS]
    text[2, 1] = -1
    assert consensus(text, noise="missing") == consensus(missing)


def test_counts_stand_for_repeated_rows():
    counts = np.array([3, 1, 1, 2, 4, 1])
    counted = LabelConsensus(3, method="ec-cms").fit(ROWS, sample_counts=counts)
    repeated = LabelConsensus(3, method="ec-cms").fit(np.repeat(ROWS, counts, axis=0))
    np.testing.assert_array_equal(np.repeat(counted.labels_, counts), repeated.labels_)
    assert counted.record_["samples"] == 12 and counted.record_["rows"] == 6


def test_new_rows_by_name():
    model = LabelConsensus(2).fit(NAMES[ROWS])
    assert model.predict([["a", "f", "b"], ["b", "j", "c"], ["b", "new", None]]).tolist() == [0, 1, 1]
    assert model.score_samples([["new", "new", "new"]]).tolist() == [0.0]


def test_labels_do_not_depend_on_threads_or_names(labels):
    model = LabelConsensus(4, method="ec-cms", n_jobs=1).fit(labels)
    names = np.random.default_rng(0).permutation(100)
    for other in (LabelConsensus(4, method="ec-cms", n_jobs=2).fit(labels),
                  LabelConsensus(4, method="ec-cms").fit(names[labels])):
        np.testing.assert_array_equal(model.labels_, other.labels_)


L, X = ROWS, np.random.default_rng(0).normal(size=(30, 2))
Circular: list = []
Circular.append(Circular)

#: What is wrong, what is called, the exception, and words of the message.
WRONG = [
    ("one dimension", lambda: consensus([0, 1, 1]), ValueError, "Reshape your data"),
    ("one value", lambda: consensus(3), ValueError, "single value"),
    ("three dimensions", lambda: consensus(np.zeros((2, 2, 2))), ValueError, "3 dimensions"),
    ("no rows", lambda: consensus(np.empty((0, 3))), ValueError, "empty"),
    ("no columns", lambda: consensus(np.empty((3, 0))), ValueError, "empty"),
    ("an empty list", lambda: consensus([]), ValueError, "one clustering is"),
    ("an empty frame", lambda: consensus(pd.DataFrame()), ValueError, "empty"),
    ("a frame without rows", lambda: consensus(pd.DataFrame({"a": []})), ValueError, "empty"),
    ("ragged rows", lambda: consensus([[0, 1], [0]]), ValueError, "different lengths"),
    ("ragged columns", lambda: enclust.columns([[0, 1], [0]]), ValueError, "clustering 1"),
    ("no clusterings", lambda: enclust.columns([]), ValueError, "no clusterings"),
    ("matrices as columns", lambda: enclust.columns([[[0]], [[1]]]), ValueError, "one-dimensional"),
    ("complex labels", lambda: consensus(L + 1j), ValueError, "Complex"),
    ("infinite labels", lambda: consensus(np.where(L == 7, np.inf, L)), ValueError, "row 2, column 1"),
    ("lists as labels", lambda: consensus(pd.DataFrame({"a": [[1], [2]]})), TypeError, "row 0, column 0"),
    ("dictionaries as labels", lambda: consensus(pd.DataFrame({"a": [1, {}]})), TypeError, "row 1, column 0"),
    ("itself as a label", lambda: consensus(pd.DataFrame({"a": [1, Circular]})), TypeError, "list"),
    ("sparse labels", lambda: consensus(__import__("scipy.sparse").sparse.csr_array(L)), TypeError, "sparse"),
    ("noise", lambda: consensus(L - 1), ValueError, "noise="),
    ("an unknown noise rule", lambda: consensus(L, noise="drop"), ValueError, "noise"),
    ("all labels missing", lambda: LabelConsensus(7).fit(np.full((3, 2), np.nan)), ValueError, "n_clusters=7"),
    ("too many clusters", lambda: LabelConsensus(7).fit(L), ValueError, "n_samples=6"),
    ("no clusters", lambda: LabelConsensus(0).fit(L), ValueError, "at least 1"),
    ("a negative number", lambda: LabelConsensus(-3).fit(L), ValueError, "at least 1"),
    ("half a cluster", lambda: LabelConsensus(2.5).fit(L), TypeError, "n_clusters"),
    ("true clusters", lambda: LabelConsensus(True).fit(L), TypeError, "n_clusters"),
    ("a word of clusters", lambda: LabelConsensus("many").fit(L), ValueError, "auto"),
    ("too few counts", lambda: LabelConsensus(2).fit(L, sample_counts=[1, 2]), ValueError, "counts"),
    ("negative counts", lambda: LabelConsensus(2).fit(L, sample_counts=[1, 1, -1, 1, 1, 1]), ValueError, r"sample_counts\[2\]"),
    ("zero counts", lambda: LabelConsensus(2).fit(L, sample_counts=[1, 0, 1, 1, 1, 1]), ValueError, r"sample_counts\[1\]"),
    ("half counts", lambda: LabelConsensus(2).fit(L, sample_counts=[0.5] * 6), ValueError, r"sample_counts\[0\]"),
    ("missing counts", lambda: LabelConsensus(2).fit(L, sample_counts=[np.nan] * 6), ValueError, r"sample_counts\[0\]"),
    ("words as counts", lambda: LabelConsensus(2).fit(L, sample_counts=["a"] * 6), TypeError, "sample_counts"),
    ("counts in two dimensions", lambda: LabelConsensus(2).fit(L, sample_counts=np.ones((6, 1))), ValueError, "one-dimensional"),
    ("an unknown method", lambda: consensus(L, method="magic"), ValueError, "ec-cms"),
    ("a method that is no text", lambda: consensus(L, method=3), TypeError, "method"),
    ("an unknown part", lambda: consensus(L, ca="magic"), ValueError, "lwca"),
    ("a part that is no text", lambda: consensus(L, ca=3), TypeError, "ca"),
    ("a part that is not closed", lambda: consensus(L, ca="lwca(theta"), ValueError, "lwca"),
    ("an unknown parameter", lambda: consensus(L, params={"ca.alpha": 1}), ValueError, "theta"),
    ("a parameter without stage", lambda: consensus(L, params={"theta": 1}), ValueError, "stage"),
    ("an unknown stage", lambda: consensus(L, params={"magic.x": 1}), ValueError, "magic"),
    ("a value out of range", lambda: consensus(L, params={"ca.theta": -1}), ValueError, "theta"),
    ("a value of the wrong type", lambda: consensus(L, params={"ca.theta": "x"}), TypeError, "theta"),
    ("a list as a value", lambda: consensus(L, params={"ca.theta": [1]}), TypeError, "theta"),
    ("params that are no dictionary", lambda: consensus(L, params=3), TypeError, "params"),
    ("confidence without enhancer", lambda: consensus(L, confidence="threshold"), ValueError, "no effect"),
    ("a stopping rule without iteration", lambda: consensus(L, stop="kkt"), ValueError, "iterate"),
    ("parts that do not fit", lambda: consensus(L, ca="lwb", consensus="average"), ValueError, "bipartite"),
    ("an unknown backend", lambda: consensus(L, backend="abacus"), ValueError, "faer"),
    ("no rows left", lambda: consensus(L, reduce=0), ValueError, "reduce"),
    ("a share of rows left", lambda: consensus(L, reduce=0.5), TypeError, "reduce"),
    ("no threads", lambda: consensus(L, n_jobs=0), ValueError, "n_jobs"),
    ("half a thread", lambda: consensus(L, n_jobs=1.5), TypeError, "n_jobs"),
    ("a negative seed", lambda: consensus(L, random_state=-1), ValueError, "random_state"),
    ("a word as a seed", lambda: consensus(L, random_state="x"), TypeError, "random_state"),
    ("no memory", lambda: consensus(L, memory=0), ValueError, "memory"),
    ("a word as memory", lambda: consensus(L, memory="a lot"), ValueError, "4GB"),
    ("too little memory", lambda: LabelConsensus(2, method="ec-cms", memory=1000).fit(L), MemoryError, "available"),
    ("a callback that is none", lambda: consensus(L, callback=3), TypeError, "callback"),
    ("features with NaN", lambda: EnsembleConsensus(2).fit(np.where(X > 2, np.nan, X * np.nan)), ValueError, "NaN"),
    ("infinite features", lambda: EnsembleConsensus(2).fit(X * np.inf), ValueError, "infinity|NaN"),
    ("too large features", lambda: EnsembleConsensus(2).fit(X * 1e200), (ValueError, RuntimeError), "finite"),
    ("one sample", lambda: EnsembleConsensus(1).fit(X[:1]), ValueError, "1 sample"),
    ("no clusterings to make", lambda: EnsembleConsensus(2, n_clusterings=0).fit(X), ValueError, "n_clusterings"),
    ("an empty list of clusterers", lambda: EnsembleConsensus(2, clusterings=[]).fit(X), ValueError, "clusterings"),
    ("more clusters than samples", lambda: EnsembleConsensus(2, max_clusters=99).fit(X), ValueError, "99"),
    ("a share above one", lambda: EnsembleConsensus(2, max_samples=1.5).fit(X), ValueError, "samples"),
    ("an unknown scale", lambda: EnsembleConsensus(2, scale="log").fit(X), (ValueError, TypeError), "scale"),
    ("new rows of another width", lambda: LabelConsensus(2).fit(L).predict(L[:, :2]), ValueError, "2 features"),
    ("new samples of another width", lambda: EnsembleConsensus(2).fit(X).predict(X[:, :1]), ValueError, "1 features"),
    ("not fitted", lambda: LabelConsensus().predict(L), ValueError, "not fitted"),
    ("new rows without values", lambda: LabelConsensus(2, method="pta-al").fit(L).predict(L), ValueError, "lwca"),
    ("no square", lambda: enclust.enhance(np.ones((2, 3)), np.ones((2, 3))), ValueError, "square"),
    ("an asymmetric matrix", lambda: enclust.linkage([[1, 0.5], [0.4, 1]]), ValueError, "symmetric"),
    ("entries above one", lambda: enclust.linkage([[1, 1.5], [1.5, 1]]), ValueError, r"\[0, 1\]"),
    ("H of another size", lambda: enclust.enhance(np.eye(2), np.eye(3)), ValueError, "rows"),
    ("text as a matrix", lambda: enclust.linkage([["a"]]), TypeError, "numbers"),
    ("scores of other lengths", lambda: enclust.metrics.purity([0, 1], [0]), ValueError, "2"),
    ("scores of nothing", lambda: enclust.metrics.purity([], []), ValueError, "empty"),
    ("scores of missing labels", lambda: enclust.metrics.purity([0, None], [0, 1]), ValueError, r"truth\[1\]"),
    ("a file that is not there", lambda: enclust.read_pool("nowhere.csv"), ValueError, "nowhere"),
    ("an unknown stage of parts", lambda: enclust.list_parts("magic"), ValueError, "stage"),
    ("draws larger than the pool", lambda: enclust.draws(3, 4), ValueError, "take"),
    ("an unknown rule", lambda: enclust.stability(L, 2, 3, rule="best"), ValueError, "rule"),
    ("a study without pools", lambda: enclust.study({"pools": ["none"], "base": {}}, pools="."), ValueError, "none"),
    ("a study with an unknown key", lambda: enclust.study({"polls": []}), ValueError, "polls"),
]


@pytest.mark.parametrize("call, exception, words", [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_wrong_input_is_told(call, exception, words):
    with pytest.raises(exception, match=words):
        call()
