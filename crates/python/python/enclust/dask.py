"""Consensus, clusterings and studies on many machines, by Dask.

:func:`consensus` finds the consensus of labels that are larger than the memory
of one machine, :func:`generate` makes clusterings of features, and
:func:`study` runs a study. All of them run on the current client of Dask, and
without one on the threads of this machine. They return the same results for
any number of workers; what a lost worker had is computed again.

Needs ``pip install "enclust[dask]"``.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence, TypeVar

import numpy as np

try:
    import dask.array
    import dask.base
except ImportError as missing:
    raise ImportError(
        f'enclust.dask needs Dask ({missing}): python -m pip install "enclust[dask]"'
    ) from missing

from enclust import _enclust
from enclust._ensemble_consensus import EnsembleConsensus
from enclust._label_consensus import LabelConsensus
from enclust._labels import NOISE
from enclust._settings import is_whole, seed_of, threads_of
from enclust._study import StudyResults, folders_of, functions_of, source_of, tables_of

__all__ = ["DaskConsensus", "consensus", "generate", "study"]

Array = np.ndarray[Any, Any]
T = TypeVar("T")

# Dask has no types for these.
da: Any = dask.array
delayed: Any = dask.delayed
compute: Any = dask.base.compute
persist: Any = dask.base.persist

#: The code of a missing label, and that of noise which is a cluster of its own.
MISSING, SINGLETON = -1, -2

#: Number of landmarks if ``reduce`` does not say it; the same as in local runs.
LANDMARKS = 10_000


@dataclass(frozen=True)
class DaskConsensus:
    """The consensus of labels that are spread over workers.

    Attributes
    ----------
    labels : dask.array or dask.dataframe.Series
        The cluster of each sample, computed when it is used, partition by
        partition in the order of the input. A series for data frames and
        Parquet, with their index.
    rows : ndarray of shape (p, m)
        The distinct label rows in the order of their first samples, or the
        landmarks. Labels are whole numbers as they are in the input; text and
        other objects are numbered. -1 is a missing label; a cluster of its
        own, by ``noise="singleton"``, has a number that occurs once.
    counts : ndarray of shape (p,)
        Number of samples of each row.
    row_labels : ndarray of shape (p,)
        The cluster of each row.
    estimator : LabelConsensus
        Fitted to the rows with their counts.
    reduced : bool
        Whether the rows are landmarks.
    """

    labels: Any
    rows: Array
    counts: Array
    row_labels: Array
    estimator: LabelConsensus
    reduced: bool

    def to_parquet(self, folder: str | os.PathLike[str], name: str = "label") -> None:
        """Write the labels as Parquet files, one per partition, on the workers.

        Parameters
        ----------
        folder : path
            A folder that the workers can write to.
        name : str
            Name of the column.
        """
        import dask.dataframe as dd

        labels = self.labels
        if isinstance(labels, da.Array):
            labels = dd.from_dask_array(labels)
        labels.to_frame(name=name).to_parquet(os.fspath(folder))


def consensus(
    labels: Any,
    n_clusters: int | str = 8,
    *,
    columns: Sequence[Any] | None = None,
    reduce: str | int | None = None,
    max_rows: int = 4_000_000,
    landmark_sample: int = 1_000_000,
    noise: str = "error",
    random_state: Any = None,
    **options: Any,
) -> DaskConsensus:
    """Find the consensus of clusterings that are spread over workers.

    Samples with equal label rows are equal for every method. The workers find
    the distinct rows of each partition and merge them; one run on these rows
    and their counts finds the clusters, and the workers join them back. The
    labels are those of :class:`enclust.LabelConsensus` on all rows.

    If there are more than `max_rows` distinct rows, landmarks are chosen from
    a sample of the distinct rows, the workers assign all rows to them, and the
    consensus of the landmarks is found. A cluster then has the same number for
    all partitions and orders of the rows: that of its first landmark, not of
    its first sample.

    Samples without any label are never merged, nor are those with a cluster of
    their own by ``noise="singleton"``. Landmarks are found by the other labels
    of a sample, and all samples that have none are one row.

    Parameters
    ----------
    labels : dask.dataframe, dask.array or path
        One row per sample, one column per clustering, or a folder of Parquet
        files in the order of :func:`dask.dataframe.read_parquet`.
    n_clusters : int or "auto", default=8
        Number of clusters.
    columns : list of str, optional
        The columns with labels; by default all columns of the frame.
    reduce : str or int, optional
        As in :class:`enclust.LabelConsensus`. A number is also that of the
        landmarks, which is 10,000 by default.
    max_rows : int, default=4_000_000
        Largest number of distinct rows that are brought to this machine.
    landmark_sample : int, default=1_000_000
        Number of distinct rows from which landmarks are chosen, drawn by the
        hash of the row.
    noise : {"error", "missing", "singleton"}, default="error"
        What the label -1 means.
    random_state : int, generator or None
        Seed of all random choices. None is 1.
    **options : any
        The other parameters of :class:`enclust.LabelConsensus`, such as
        ``method`` and ``memory``.

    Returns
    -------
    DaskConsensus

    Notes
    -----
    The input is read twice, three times with landmarks: it need not fit into
    the memory of all workers together. Give partitions that fit into that of
    one worker several times.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> import enclust.dask
    >>> truth = np.repeat([0, 1, 2], 40)
    >>> wrong = np.arange(120 * 10).reshape(120, 10) % 11 == 0
    >>> L = da.from_array(np.where(wrong, 0, truth[:, None]), chunks=(30, 10))
    >>> found = enclust.dask.consensus(L, n_clusters=3)
    >>> found.labels
    dask.array<concatenate, shape=(120,), dtype=int64, chunksize=(30,), chunktype=numpy.ndarray>
    >>> np.bincount(found.labels.compute())
    array([40, 40, 40])
    """
    check_positive(max_rows=max_rows, landmark_sample=landmark_sample)
    if noise not in NOISE:
        raise ValueError(f"noise must be one of {', '.join(NOISE)}, not {noise!r}")
    estimator = LabelConsensus(
        n_clusters, reduce=reduce, noise="missing", random_state=seed_of(random_state), **options
    )
    estimator._run_settings()  # checks the parameters before anything is read
    table = Table.of(labels, columns)
    coder = delayed(coder_of(table, noise), pure=False)
    coded = [delayed(Coder.codes)(coder, block, at) for at, block in enumerate(table.blocks)]
    limits = Limits(max_rows, landmark_sample, estimator._seed)
    merged = merged_in_pairs([delayed(distinct)(codes, limits) for codes in coded], merge, limits)
    # What the workers look rows up in stays there. It is computed again if it is lost.
    (root,) = persist(merged)
    (rows,) = compute(root)
    if rows.complete:
        return by_distinct_rows(table, coded, root, rows, estimator)
    return by_landmarks(table, coded, rows, estimator)


def check_positive(**values: Any) -> None:
    """An error for what is no whole number of at least 1."""
    for name, value in values.items():
        if not is_whole(value):
            raise TypeError(f"{name} must be an integer, not {value!r}")
        if value < 1:
            raise ValueError(f"{name}={value} must be at least 1")


# Tables of labels as blocks of whole numbers.


@dataclass(frozen=True)
class Table:
    """Labels as delayed blocks, one for each partition."""

    blocks: list[Any]
    #: Names of the columns, in messages.
    names: list[Any]
    #: Positions of the columns that do not hold numbers.
    objects: list[int]
    #: The frame that was given, if it was one.
    frame: Any = None

    @staticmethod
    def of(labels: Any, columns: Sequence[Any] | None) -> Table:
        """The table of what the user has given."""
        if isinstance(labels, da.Array):
            if columns is not None:
                raise ValueError("columns can only be chosen from data frames and Parquet")
            return Table.of_array(labels)
        import dask.dataframe as dd

        if isinstance(columns, (str, bytes)):
            raise TypeError(f"columns must be a list of names, not {columns!r}")
        columns = None if columns is None else list(columns)
        if isinstance(labels, (str, os.PathLike)):
            path = os.fspath(labels)
            return Table.of_frame(dd.read_parquet(path, columns=columns))
        if isinstance(labels, dd.DataFrame):
            unknown = set(columns or []) - set(labels.columns)
            if unknown:
                raise ValueError(f"columns: {sorted(map(str, unknown))} are not in the data frame")
            return Table.of_frame(labels if columns is None else labels[columns])
        raise TypeError(
            "labels must be a dask.dataframe, a dask.array or the path of a folder of Parquet, "
            f"not {type(labels).__name__}; enclust.LabelConsensus takes what is in memory"
        )

    @staticmethod
    def of_array(array: Any) -> Table:
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                "labels must be two-dimensional, one row per sample and one column per "
                f"clustering, but have shape {array.shape}"
            )
        if array.numblocks[1] > 1:
            array = array.rechunk({1: -1})
        names = list(range(array.shape[1]))
        objects = names if array.dtype.kind not in "iufb" else []
        return Table(list(array.to_delayed().ravel()), names, objects)

    @staticmethod
    def of_frame(frame: Any) -> Table:
        names = list(frame.columns)
        if not names:
            raise ValueError("labels has no columns")
        objects = [k for k, kind in enumerate(frame.dtypes) if not holds_numbers(kind)]
        return Table(list(frame.to_delayed()), names, objects, frame)

    def assembled(self, blocks: list[Any], sizes: list[int]) -> Any:
        """Blocks of labels as one array or series."""
        if self.frame is None:
            parts = zip(blocks, sizes)
            return da.concatenate([da.from_delayed(b, (n,), np.int64) for b, n in parts])
        import dask.dataframe as dd
        import pandas as pd

        meta = pd.Series(np.empty(0, np.int64), index=self.frame._meta.index, name="label")
        series = [delayed(as_series)(b, given) for b, given in zip(blocks, self.blocks)]
        return dd.from_delayed(series, meta=meta, divisions=self.frame.divisions, verify_meta=False)


def as_series(labels: Array, block: Any) -> Any:
    """Labels with the index of a data frame."""
    import pandas as pd

    return pd.Series(labels, index=block.index, name="label")


def holds_numbers(kind: Any) -> bool:
    """Whether a column of this type holds numbers: categories and text do not."""
    return getattr(kind, "kind", "O") in "iufb" and type(kind).__name__ != "CategoricalDtype"


@dataclass(frozen=True)
class Coder:
    """Gives labels whole numbers that are the same in all partitions."""

    names: list[Any]
    noise: str
    #: For each column that holds objects: their numbers.
    known: dict[int, dict[Any, int]]

    def codes(self, block: Any, partition: int) -> Array:
        """The codes of a partition, in the smallest type that holds them."""
        columns = []
        for k, column in enumerate(columns_of(block)):
            try:
                columns.append(narrow(self._codes(k, column)))
            except BadLabel as bad:
                row, what = bad.args
                raise ValueError(
                    f"the label in partition {partition}, row {row} of it, column "
                    f"{self.names[k]!r} (counted from 0) is {what}"
                ) from None
        if len(columns) != len(self.names):
            raise ValueError(
                f"partition {partition} has {len(columns)} columns, but there are "
                f"{len(self.names)} clusterings"
            )
        kind = np.result_type(*columns)
        out = np.empty((len(columns[0]), len(columns)), dtype=kind)
        for k, codes in enumerate(columns):
            out[:, k] = codes
        return out

    def _codes(self, k: int, column: Any) -> Array:
        known = self.known.get(k)
        codes, missing = codes_of_numbers(column) if known is None else codes_of(column, known)
        if self.noise == "singleton":
            refuse(codes == SINGLETON, "-2, which cannot be a label with noise='singleton'")
        noise = codes == MISSING
        if missing is not None:
            noise &= ~missing
            codes[missing] = MISSING
        if self.noise == "error":
            refuse(
                noise,
                "-1, which some clusterers write for noise; say what it means: "
                "noise='missing' or noise='singleton'",
            )
        if self.noise == "singleton" and noise.any():
            codes = np.where(noise, SINGLETON, codes)
        return codes


class BadLabel(Exception):
    """A row of a partition and what is wrong with its label."""


def refuse(bad: Array, what: str) -> None:
    """An error for the first row that is bad."""
    if bad.any():
        raise BadLabel(int(np.argmax(bad)), what)


def columns_of(block: Any) -> Iterator[Any]:
    """The columns of a partition."""
    if isinstance(block, np.ndarray):
        return iter(block.T)
    return (block.iloc[:, k] for k in range(block.shape[1]))


def codes_of_numbers(column: Any) -> tuple[Array, Array | None]:
    """Numbers as 64-bit integers, and which of them are missing."""
    if isinstance(column, np.ndarray):
        missing = None
    elif column.dtype.kind == "f":
        column, missing = column.to_numpy(dtype=np.float64, na_value=np.nan), None
    else:
        # Nullable integers are not read as floats, which might round them.
        missing = column.isna().to_numpy()
        column = column.fillna(0) if missing.any() else column
        column = column.to_numpy(dtype=np.uint64 if column.dtype.kind == "u" else np.int64)
    if column.dtype.kind == "f":
        return codes_of_floats(column)
    if column.dtype == np.uint64:
        refuse(column > np.iinfo(np.int64).max, "too large")
    return column.astype(np.int64), missing


def codes_of_floats(column: Array) -> tuple[Array, Array]:
    """Whole numbers as they are, others by their bits, which are far from those."""
    column = np.ascontiguousarray(column, dtype=np.float64)
    missing = np.isnan(column)
    refuse(~missing & ~(np.abs(column) <= 2.0**53), "infinite or too large for a float")
    whole = missing | (column == np.floor(column))
    codes = np.where(whole & ~missing, column, 0).astype(np.int64)
    if not whole.all():
        codes = np.where(whole, codes, column.view(np.int64))
    return codes, missing


def codes_of(column: Any, known: dict[Any, int]) -> tuple[Array, Array]:
    """The numbers of text and other objects, and which of them are missing."""
    places, values = factorized(column)
    numbers = np.array([known[value] for value in values] or [0], dtype=np.int64)
    return numbers[places], places < 0


def factorized(column: Any) -> tuple[Array, list[Any]]:
    """The distinct objects of a column, and the place of each row among them; -1 is missing."""
    import pandas as pd

    places, values = pd.factorize(column)
    return places, list(values)


def coder_of(table: Table, noise: str) -> Coder:
    """The coder of a table, for which columns of objects are read once."""
    if not table.objects:
        return Coder(table.names, noise, {})
    found = [delayed(objects_of)(block, table.objects) for block in table.blocks]
    (values,) = compute(merged_in_pairs(found, merge_objects))
    known = [numbered(sorted(each, key=lambda v: (type(v).__name__, str(v)))) for each in values]
    return Coder(table.names, noise, dict(zip(table.objects, known)))


def numbered(values: list[Any]) -> dict[Any, int]:
    """A number for each object; -1 among text has the same meaning as among numbers."""
    return {value: MISSING if is_noise(value) else at for at, value in enumerate(values)}


def is_noise(value: Any) -> bool:
    return is_whole(value) and bool(value == -1)


def objects_of(block: Any, places: list[int]) -> list[list[Any]]:
    """The distinct objects of columns of a partition, by first occurrence."""
    columns = list(columns_of(block))
    return [factorized(columns[k])[1] for k in places]


def merge_objects(a: list[list[Any]], b: list[list[Any]]) -> list[list[Any]]:
    return [list(dict.fromkeys([*left, *right])) for left, right in zip(a, b)]


def narrow(codes: Array) -> Array:
    """The same numbers in the smallest type of integers."""
    least, most = (int(codes.min()), int(codes.max())) if codes.size else (0, 0)
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return codes.astype(kind)
    return codes


def merged_in_pairs(parts: Sequence[Any], merge: Callable[..., Any], *rest: Any) -> Any:
    """Delayed parts, merged as a binary tree that keeps their order.

    Two parts at a time take the least memory of a worker.
    """
    merge, parts = delayed(merge), list(parts)
    while len(parts) > 1:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = [merge(*pair, *rest) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


# Distinct rows.


@dataclass(frozen=True)
class Limits:
    """How many distinct rows are kept: all up to `rows`, above that a sample."""

    rows: int
    sample: int
    seed: int


@dataclass(frozen=True)
class Rows:
    """Distinct label rows of some partitions, by first occurrence, with their counts.

    If there are too many, these are the rows with the smallest hashes. A row that is among them
    is so in every subset of the partitions, so its count is that in all of them.
    """

    rows: Array
    counts: Array
    #: For each partition its number of samples, and of those whose rows are not merged.
    sizes: list[int]
    alone: list[int]
    complete: bool = True


def is_alone(rows: Array) -> Array:
    """Whether rows cannot be merged: without any label, or with a cluster of their own."""
    unlabelled, own = np.ones(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    # Column by column, because whole tables of truth values would need as much memory as the rows.
    for column in rows.T:
        unlabelled &= column == MISSING
        own |= column == SINGLETON
    return unlabelled | own


def places_in(table: Array, rows: Array) -> Array:
    """The first place of each row in a table with the same type of numbers, or -1."""
    found: Array = _enclust.match_rows(as_words(table), as_words(rows))
    return found


def places_of_distinct(table: Array, rows: Array) -> Array:
    """The same for distinct rows; those that occur several times may be anywhere."""
    if len(table) <= len(rows):
        return places_in(table, rows)
    # The smaller table needs less memory.
    found = places_in(rows, table)
    places = np.full(len(rows), -1)
    known = np.flatnonzero(found >= 0)
    places[found[known]] = known
    return places


def as_words(rows: Array) -> Array:
    """Rows of any type of integers as rows of 32-bit words."""
    width = rows.shape[1] * rows.itemsize
    rows = np.ascontiguousarray(rows)
    if width % 4 == 0:
        return rows.view(np.int32)
    words = np.zeros((len(rows), -(-width // 4) * 4), dtype=np.uint8)
    words[:, :width] = rows.view(np.uint8)
    return words.view(np.int32)


def distinct(codes: Array, limits: Limits) -> Rows:
    """The distinct rows of a partition."""
    places, alone = places_in(codes, codes), is_alone(codes)
    places[alone] = np.flatnonzero(alone)
    first = np.flatnonzero(places == np.arange(len(codes)))
    counts = np.bincount(places, minlength=len(codes))[first]
    return limited(Rows(codes[first], counts, [len(codes)], [int(alone.sum())]), limits)


def merge(a: Rows, b: Rows, limits: Limits) -> Rows:
    """The distinct rows of both, those of `a` first."""
    complete = a.complete and b.complete
    if not complete:
        a, b = sample_of(a, limits), sample_of(b, limits)
    kind = np.result_type(a.rows, b.rows)
    upper, lower = a.rows.astype(kind, copy=False), b.rows.astype(kind, copy=False)
    places = places_of_distinct(upper, lower)
    places[is_alone(lower)] = -1
    new = places < 0
    if complete and len(upper) + int(new.sum()) > limits.rows:
        # A sample of both needs less memory than a sample of all rows together, and is the same.
        return merge(sample_of(a, limits), sample_of(b, limits), limits)
    counts = a.counts.copy()
    counts[places[~new]] += b.counts[~new]
    rows = np.concatenate([upper, lower[new]])
    counts = np.concatenate([counts, b.counts[new]])
    return limited(Rows(rows, counts, a.sizes + b.sizes, a.alone + b.alone, complete), limits)


def limited(rows: Rows, limits: Limits) -> Rows:
    """The rows, or a uniform sample of the distinct ones if they are too many."""
    if rows.complete and len(rows.rows) <= limits.rows:
        return rows
    return sample_of(rows, limits)


def sample_of(rows: Rows, limits: Limits) -> Rows:
    """The rows with the smallest hashes."""
    if rows.complete:
        rows = without_alone(rows)
    if len(rows.rows) <= limits.sample:
        return rows
    hashes = hashes_of(rows.rows, limits.seed)
    kept = np.sort(np.argsort(hashes, kind="stable")[: limits.sample])
    return Rows(rows.rows[kept], rows.counts[kept], rows.sizes, rows.alone, complete=False)


def without_alone(rows: Rows) -> Rows:
    """The rows for a sample: clusters of their own are no labels, and rows have at least one."""
    alone = is_alone(rows.rows)
    if not alone.any():
        return Rows(rows.rows, rows.counts, rows.sizes, rows.alone, complete=False)
    labels = np.where(rows.rows == SINGLETON, rows.rows.dtype.type(MISSING), rows.rows)
    labelled = (labels != MISSING).any(axis=1)
    labels, counts = labels[labelled], rows.counts[labelled]
    first, where = np.unique(places_in(labels, labels), return_inverse=True)
    sums = np.zeros(len(first), dtype=np.int64)
    np.add.at(sums, where, counts)
    return Rows(labels[first], sums, rows.sizes, rows.alone, complete=False)


def hashes_of(rows: Array, seed: int) -> Array:
    """A hash of each row and the seed, for any type of integers."""
    def of_some(some: Array) -> Array:
        seeded = np.empty((len(some), some.shape[1] + 1), dtype=np.int64)
        seeded[:, 0], seeded[:, 1:] = seed % 2**63, some
        return np.asarray(_enclust.row_hashes(seeded))

    # Wide integers of all rows at once might not fit into the memory of a worker.
    step = 100_000
    starts = range(0, max(len(rows), 1), step)
    return np.concatenate([of_some(rows[at : at + step]) for at in starts])


def with_own_clusters(rows: Array) -> Array:
    """Rows in which every cluster of its own has a number that occurs once."""
    own = rows == SINGLETON
    if not own.any():
        return rows
    rows = rows.astype(np.int64)
    for k in np.flatnonzero(own.any(axis=0)):
        column = rows[:, k]
        column[own[:, k]] = max(int(column.max()), 0) + 1 + np.arange(own[:, k].sum())
    return rows


# Labels of all samples, from those of the distinct rows or of landmarks.


def by_distinct_rows(
    table: Table, coded: list[Any], root: Any, rows: Rows, estimator: LabelConsensus
) -> DaskConsensus:
    """The consensus of all distinct rows."""
    if not rows.counts.size:
        raise ValueError("labels has no rows")
    shown = with_own_clusters(rows.rows)
    check_clusters(estimator.n_clusters, len(shown))
    estimator.fit(shown, sample_counts=rows.counts)
    row_labels = estimator.labels_
    single = narrow(row_labels[is_alone(rows.rows)])
    starts = np.cumsum([0, *rows.alone])
    sent = delayed(narrow(row_labels), pure=False)
    blocks = [
        delayed(labels_by_rows)(codes, root, sent, single[starts[at] : starts[at + 1]], at)
        for at, codes in enumerate(coded)
    ]
    labels = table.assembled(blocks, rows.sizes)
    return DaskConsensus(labels, shown, rows.counts, row_labels, estimator, False)


def check_clusters(n_clusters: int | str, rows: int) -> None:
    """An error if there are fewer rows than clusters."""
    if is_whole(n_clusters) and int(n_clusters) > rows:
        raise ValueError(
            f"n_clusters={n_clusters} is larger than the number of distinct label rows, {rows}"
        )


def labels_by_rows(
    codes: Array, rows: Rows, row_labels: Array, single: Array, partition: int
) -> Array:
    """The labels of a partition: those of its rows, and of rows that are not merged in order."""
    places, alone = places_in(rows.rows, codes.astype(rows.rows.dtype, copy=False)), is_alone(codes)
    labels = row_labels[places].astype(np.int64)
    if (places[~alone] < 0).any() or int(alone.sum()) != len(single):
        raise RuntimeError(f"partition {partition} had other labels when it was first read")
    labels[alone] = single
    return labels


def by_landmarks(
    table: Table, coded: list[Any], rows: Rows, estimator: LabelConsensus
) -> DaskConsensus:
    """The consensus of landmarks, to which the workers assign all rows."""
    chosen = landmarks_of(rows, estimator)
    sent = delayed(chosen, pure=False)
    # Assigning takes longest, so that it is done once; the places stay on the workers.
    places = persist(*[delayed(nearest)(codes, sent) for codes in coded])
    width = len(chosen) + 1
    counted = [delayed(np.bincount)(each, minlength=width) for each in places]
    (counts,) = compute(merged_in_pairs(counted, np.add))
    kept = counts > 0
    unlabelled = np.full(rows.rows.shape[1], MISSING)
    landmarks = np.vstack([original_codes(chosen, rows), unlabelled])[kept]
    check_clusters(estimator.n_clusters, len(landmarks))
    estimator.set_params(reduce="none").fit(landmarks, sample_counts=counts[kept])
    by_place = np.zeros(width, dtype=np.int64)
    by_place[kept] = estimator.labels_
    sent = delayed(by_place, pure=False)
    blocks = [delayed(np.take)(sent, each) for each in places]
    labels = table.assembled(blocks, rows.sizes)
    return DaskConsensus(labels, landmarks, counts[kept], estimator.labels_, estimator, True)


def landmarks_of(rows: Rows, estimator: LabelConsensus) -> _enclust.LandmarkRows:
    """Landmarks of the sample of rows."""
    given = estimator.reduce
    if given == "none":
        raise ValueError(
            "there are more than max_rows distinct label rows, but reduce='none'; give a larger "
            "max_rows, or another reduce"
        )
    count = int(given) if given is not None and is_whole(given) else LANDMARKS
    if not len(rows.rows):
        raise ValueError("no sample has a label")
    labels, counts = sorted_rows(rows)
    encoded = _enclust.Labels.from_array(labels, "missing", counts.astype(np.uint64))
    return _enclust.landmarks(encoded, count, estimator._seed, threads_of(estimator.n_jobs))


def sorted_rows(rows: Rows) -> tuple[Array, Array]:
    """The rows and their counts in an order that does not depend on the partitions."""
    order = np.lexsort(rows.rows.T[::-1])
    return as_integers(rows.rows[order]), rows.counts[order]


def as_integers(rows: Array) -> Array:
    """Rows in a type that the compiled part reads."""
    return np.ascontiguousarray(rows, dtype=np.int32 if rows.itemsize <= 4 else np.int64)


def original_codes(chosen: _enclust.LandmarkRows, rows: Rows) -> Array:
    """The landmarks, which are numbered by first occurrence in the sample, as codes of labels."""
    numbers, (labels, _) = np.asarray(chosen.rows()), sorted_rows(rows)
    out = np.full(numbers.shape, MISSING, dtype=np.int64)
    for k, column in enumerate(labels.T):
        codes, first = np.unique(column[column != MISSING], return_index=True)
        named = numbers[:, k] >= 0
        out[named, k] = codes[np.argsort(first)][numbers[named, k]]
    return out


def nearest(codes: Array, chosen: _enclust.LandmarkRows) -> Array:
    """The landmark of each row of a partition; one more for rows without any label."""
    places = places_in(codes, codes)
    first, where = np.unique(places, return_inverse=True)
    rows = as_integers(np.where(codes[first] == SINGLETON, MISSING, codes[first]))
    found = np.asarray(chosen.assign(rows, "missing"))
    found[(rows == MISSING).all(axis=1)] = len(chosen)
    return found.astype(np.int32)[where]


# Clusterings of features.


def generate(
    X: Any,
    n_clusterings: int = 20,
    *,
    min_clusters: int = 2,
    max_clusters: int | None = None,
    max_samples: float = 1.0,
    max_features: float = 1.0,
    scale: str = "none",
    max_bytes: int = 2**28,
    random_state: Any = None,
) -> Any:
    """Make k-means clusterings of features on the workers.

    Each clustering is a task. Features of up to `max_bytes` are brought to
    every worker; of larger ones, each clustering gets only the samples on
    which it is fitted, and the other samples get the nearest centre partition
    by partition. The labels are the same in both ways, and the same as those
    that :class:`enclust.EnsembleConsensus` makes on one machine.

    Parameters
    ----------
    X : ndarray or dask.array of shape (n, d)
        Features, one row per sample.
    n_clusterings, min_clusters, max_clusters, max_samples, max_features
        As in :class:`enclust.EnsembleConsensus`.
    scale : {"none", "unit-variance"}, default="none"
        Scaling of the features. Larger arrays than `max_bytes` must be scaled
        before.
    max_bytes : int, default=2**28
        Largest size of features, as numbers of 8 bytes, that a worker holds as
        a whole.
    random_state : int, generator or None
        Seed of all random choices. None is 1.

    Returns
    -------
    dask.array of shape (n, n_clusterings)
        The labels, computed when they are used, with the row chunks of `X`.

    Examples
    --------
    >>> import dask.array as da, numpy as np
    >>> import enclust.dask
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + np.repeat([0, 9, 18], 30)[:, None]
    >>> labels = enclust.dask.generate(da.from_array(X, chunks=(45, 2)), n_clusterings=5)
    >>> labels
    dask.array<concatenate, shape=(90, 5), dtype=int32, chunksize=(45, 5), chunktype=numpy.ndarray>
    >>> found = enclust.dask.consensus(labels, n_clusters=3)
    >>> np.bincount(found.labels.compute())
    array([30, 30, 30])
    """
    check_positive(max_bytes=max_bytes)
    features = Features.of(X)
    settings = EnsembleConsensus(
        n_clusterings=n_clusterings,
        min_clusters=min_clusters,
        max_clusters=max_clusters,
        max_samples=max_samples,
        max_features=max_features,
        scale=scale,
        random_state=seed_of(random_state),
    )._pool_settings(features.samples)
    _enclust.KMeansClusterings(settings)  # checks the settings
    draws = [
        delayed(_enclust.draw_run)(settings, run, features.samples, features.dimension)
        for run in range(settings["size"])
    ]
    bytes_of_whole = 8 * features.samples * features.dimension
    if features.blocks is None or bytes_of_whole <= max_bytes:
        blocks = fitted_at_once(features, settings, draws)
    else:
        check_share(settings, bytes_of_whole, max_bytes)
        blocks = fitted_in_parts(features, settings, draws)
    parts = [
        da.from_delayed(block, (size, settings["size"]), np.int32)
        for block, size in zip(blocks, features.sizes)
    ]
    return da.concatenate(parts)


@dataclass(frozen=True)
class Features:
    """A matrix of features: as a whole, or as delayed blocks of rows."""

    whole: Array | None
    blocks: list[Any] | None
    sizes: list[int]
    dimension: int

    @property
    def samples(self) -> int:
        return sum(self.sizes)

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The first row of each block, and the end."""
        ends = np.cumsum([0, *self.sizes]).tolist()
        return list(zip(ends, ends[1:]))

    @staticmethod
    def of(X: Any) -> Features:
        if not isinstance(X, da.Array):
            X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2 or 0 in X.shape:
            raise ValueError(f"X must have one row per sample, but has shape {X.shape}")
        if isinstance(X, np.ndarray):
            return Features(X, None, [len(X)], X.shape[1])
        if any(np.isnan(size) for size in X.chunks[0]):
            X = X.compute_chunk_sizes()
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        blocks = list(X.to_delayed().ravel())
        return Features(None, blocks, list(map(int, X.chunks[0])), X.shape[1])


def check_share(settings: dict[str, Any], bytes_of_whole: int, max_bytes: int) -> None:
    """Errors for what cannot be done with features that fit into no worker."""
    if settings["scale"] != "none":
        raise ValueError(
            f"scale={settings['scale']!r} is not supported for X of more than "
            f"max_bytes={max_bytes} bytes: scale X before, or raise max_bytes"
        )
    most = max_bytes / bytes_of_whole
    if settings["samples"] > most:
        raise ValueError(
            f"max_samples={settings['samples']} of X, {bytes_of_whole} bytes, are more than "
            f"max_bytes={max_bytes}: give max_samples of at most {most:.3g}, or raise max_bytes"
        )


def fitted_at_once(features: Features, settings: dict[str, Any], draws: list[Any]) -> list[Any]:
    """Blocks of labels of clusterings that are fitted to features in the memory of a worker."""
    if features.blocks is None:
        whole = on_workers(features.whole)
    else:
        whole = delayed(whole_of)(features.blocks)
    if settings["scale"] == "unit-variance":
        whole = delayed(with_unit_variance)(whole)
    plain = {**settings, "scale": "none"}
    columns = [delayed(fitted_labels)(whole, plain, drawn) for drawn in draws]
    return [delayed(stacked)(columns, start, end) for start, end in features.bounds]


def on_workers(value: Any) -> Any:
    """A large value, sent to each worker once."""
    client = current_client()
    return delayed(value, pure=False) if client is None else client.scatter(value, broadcast=True)


def current_client() -> Any:
    """The client of Dask's cluster, if there is one."""
    try:
        return import_module("distributed").get_client()
    except (ImportError, ValueError):
        return None


def as_floats(block: Any) -> Array:
    return np.ascontiguousarray(block, dtype=np.float64)


def whole_of(blocks: list[Any]) -> Array:
    return np.concatenate([as_floats(block) for block in blocks])


def stacked(columns: list[Array], start: int = 0, end: int | None = None) -> Array:
    return np.column_stack([column[start:end] for column in columns])


def with_unit_variance(X: Array) -> Array:
    """Features scaled as by the compiled part, which adds the values one after the other."""
    out = np.empty_like(X)
    for j, column in enumerate(X.T):
        mean = np.add.accumulate(column / len(X))[-1]
        deviation = np.sqrt(np.add.accumulate((column - mean) * (column - mean) / len(X))[-1])
        constant = deviation <= 1e-13 * abs(mean)
        out[:, j] = 0.0 if constant else (column - mean) / deviation
    return out


def fitted_labels(X: Array, settings: dict[str, Any], drawn: tuple[Any, ...]) -> Array:
    """The labels of one clustering."""
    points = part_of(X, drawn, 0, len(X))
    fitted = fit_points([points], settings, drawn)
    return labels_of_part(X, drawn, fitted, 0, len(X))


def fitted_in_parts(features: Features, settings: dict[str, Any], draws: list[Any]) -> list[Any]:
    """Blocks of labels of clusterings that are fitted to some samples."""
    assert features.blocks is not None
    placed = list(zip(features.blocks, features.bounds))
    columns = []
    for drawn in draws:
        parts = [delayed(part_of)(block, drawn, *bounds) for block, bounds in placed]
        fitted = delayed(fit_points)(parts, settings, drawn)
        columns.append(
            [delayed(labels_of_part)(block, drawn, fitted, *bounds) for block, bounds in placed]
        )
    return [delayed(stacked)(list(block)) for block in zip(*columns)]


def part_of(block: Any, drawn: tuple[Any, ...], start: int, end: int) -> Array:
    """The samples and features of a block of rows that a clustering has drawn."""
    _, _, samples, features = drawn
    mine = samples[(samples >= start) & (samples < end)]
    return points_of(block, mine, features, start)


def points_of(block: Any, samples: Array, features: Array, start: int) -> Array:
    """Some samples and features of a block that begins with the sample `start`."""
    points = as_floats(np.asarray(block)[np.ix_(samples - start, features)])
    bad = np.argwhere(~np.isfinite(points))
    if bad.size:
        row, column = samples[bad[0][0]], features[bad[0][1]]
        raise ValueError(
            f"X contains NaN or infinity: row {row}, column {column} (counted from 0)"
        )
    return points


def fit_points(
    parts: list[Array], settings: dict[str, Any], drawn: tuple[Any, ...]
) -> tuple[Array, Array]:
    """The labels of the drawn samples, and the centres."""
    k, seed, _, _ = drawn
    points = parts[0] if len(parts) == 1 else np.concatenate(parts)
    found: tuple[Array, Array] = _enclust.fit_run(settings, points, k, seed, 1)
    return found


def labels_of_part(
    block: Any, drawn: tuple[Any, ...], fitted: tuple[Array, Array], start: int, end: int
) -> Array:
    """The labels of a block of rows: those of the fit, and the nearest centres of the others."""
    (_, _, samples, features), (fit_labels, centres) = drawn, fitted
    mine = (samples >= start) & (samples < end)
    labels = np.full(end - start, MISSING, dtype=np.int32)
    labels[samples[mine] - start] = fit_labels[mine]
    rest = np.flatnonzero(labels == MISSING) + start
    if rest.size:
        points = points_of(block, rest, features, start)
        labels[rest - start] = _enclust.nearest_centres(centres, points)
    return labels


# Studies.


def study(
    source: Mapping[str, Any] | str | os.PathLike[str],
    *,
    pools: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    parts: Mapping[str, Mapping[str, Callable[..., Any]]] | None = None,
    client: Any = None,
    shards: int | None = None,
    n_jobs: int | None = None,
) -> StudyResults:
    """Run a study on the workers of a cluster.

    The runs of the study are divided into shards, each of them a task. The
    tables are those of :func:`enclust.study`, apart from ``timings``.

    Parameters
    ----------
    source : dict or path
        The study: a TOML file, or a dictionary with the same keys. Workers
        must be able to read the file.
    pools : path or dict, optional
        The folder of the pools, which workers must be able to read, or pools
        by name, which are sent to them. By default the folder in the
        environment variable ``ENCLUST_POOLS``.
    out : path, optional
        Folder of the results.
    parts : dict, optional
        Functions by stage and name, see :func:`enclust.study`.
    client : distributed.Client, optional
        By default the current one. If there is none, the shards are run by
        joblib, with the backend of :func:`joblib.parallel_config`.
    shards : int, optional
        Number of tasks, at most the number of runs; by default four for each
        thread of the workers.
    n_jobs : int, optional
        Number of joblib's workers; by default that of
        :func:`joblib.parallel_config`, or one.

    Returns
    -------
    StudyResults

    Examples
    --------
    >>> import numpy as np
    >>> import enclust.dask
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> L = (truth[:, None] + (np.arange(720).reshape(60, 12) % 7 == 0)) % 3
    >>> found = enclust.dask.study(
    ...     {
    ...         "pools": ["mine"],
    ...         "runs": 4,
    ...         "draws": {"size": 8, "seed": 1},
    ...         "base": {"method": "lwea"},
    ...         "metrics": ["ari"],
    ...     },
    ...     pools={"mine": (L, truth)},
    ... )
    >>> len(found.runs)
    4
    """
    if shards is not None:
        check_positive(shards=shards)
    if n_jobs is not None:
        threads_of(n_jobs)
    client = client or current_client()
    with tempfile.TemporaryDirectory(prefix="enclust-") as scratch:
        plan = Plan.of(source, pools, parts, Path(scratch))
        cells = _enclust.study_cells(plan.source, plan.is_path, plan.folders, plan.parts)
        count = min(cells, shards or 4 * threads_there(client, n_jobs))
        names = [f"{number}/{count}" for number in range(1, count + 1)]
        done = run_all(run_shard, names, plan.packed(), client, n_jobs)
        kept = [Path(scratch, name.replace("/", "-of-")) for name in names]
        folders = [unpacked(files, folder) for (_, files), folder in zip(done, kept)]
        folder = Path(out) if out is not None else Path(scratch, "results")
        _enclust.merge_shards(folder, [os.fspath(shard) for shard in folders])
        return tables_of(folder, out is not None, done[0][0])


@dataclass(frozen=True)
class Plan:
    """A study, and what is needed to run it."""

    source: str
    is_path: bool
    folders: list[str]
    parts: dict[str, dict[str, Callable[..., Any]]]
    #: The files of pools that were given as arrays; workers cannot see their folder.
    files: dict[str, bytes] = field(default_factory=dict)

    @staticmethod
    def of(source: Any, pools: Any, parts: Any, scratch: Path) -> Plan:
        text, is_path = source_of(source)
        text = os.path.abspath(text) if is_path else text
        folders = [os.path.abspath(folder) for folder in folders_of(pools, scratch)]
        files = files_in(Path(folders[0])) if isinstance(pools, Mapping) else {}
        return Plan(text, is_path, folders, functions_of(parts), files)

    def packed(self) -> Plan:
        """The plan as it is sent."""
        folders = [] if self.files else self.folders
        return Plan(self.source, self.is_path, folders, self.parts, self.files)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def unpacked(files: Mapping[str, bytes], folder: Path) -> Path:
    """A new folder with these files."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def threads_there(client: Any, n_jobs: int | None) -> int:
    """Number of shards that are run at the same time."""
    if client is not None:
        return max(1, int(sum(client.nthreads().values())))
    joblib: Any = import_module("joblib")
    return int(joblib.effective_n_jobs(n_jobs))


def run_all(
    function: Callable[[str, Any], T], names: list[str], plan: Any, client: Any, n_jobs: int | None
) -> list[T]:
    """The results of a function, by Dask or by joblib."""
    if client is None:
        joblib: Any = import_module("joblib")
        tasks = [joblib.delayed(function)(name, plan) for name in names]
        return list(joblib.Parallel(n_jobs=n_jobs)(tasks))
    # On all workers, so that the plan is there when one of them is lost.
    sent = client.scatter(plan, broadcast=True)
    return list(client.gather(client.map(function, names, plan=sent, pure=False)))


def run_shard(name: str, plan: Plan) -> tuple[list[tuple[str, str]], dict[str, bytes]]:
    """Runs a shard of a study: the variants that were left out, and the files of the results."""
    with tempfile.TemporaryDirectory(prefix="enclust-") as scratch:
        folders = list(plan.folders)
        if plan.files:
            folders.append(os.fspath(unpacked(plan.files, Path(scratch, "pools"))))
        out = Path(scratch, "shard")
        left_out = _enclust.study(
            plan.source, plan.is_path, folders, out, name, 1, plan.parts, None
        )
        return left_out, files_in(out)
