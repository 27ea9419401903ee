"""Labels in all forms that users have them in, as the compiled part reads them."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np

from enclust._enclust import Labels

NOISE = ("error", "missing", "singleton")


def columns(clusterings: Iterable[Sequence[Any]]) -> Any:
    """Put clusterings side by side.

    Estimators take one row per sample. Clusterings are often at hand as a list
    with one entry per clustering; this function turns such a list into an
    array with one column for each.

    Parameters
    ----------
    clusterings : iterable of sequences
        One sequence of n labels per clustering, of any type.

    Returns
    -------
    ndarray of shape (n, m)
        Of type object if the labels are not all numbers.

    Examples
    --------
    >>> import enclust
    >>> enclust.columns([[0, 0, 1], [2, 3, 3]])
    array([[0, 2],
           [0, 3],
           [1, 3]])
    """
    arrays = [np.asarray(clustering) for clustering in clusterings]
    if not arrays:
        raise ValueError("there are no clusterings")
    for position, array in enumerate(arrays):
        if array.ndim != 1:
            raise ValueError(f"clustering {position} (counted from 0) is not one-dimensional")
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"clustering {position} (counted from 0) has {array.size} labels, "
                f"but {arrays[0].size} were expected"
            )
    if not all(array.dtype.kind in "iufb" for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.column_stack(arrays)


class Encoder:
    """Turns tables of labels into what the compiled part reads, and new rows in the same way.

    Numbers are read in place. Text and other objects get numbers by first
    occurrence; the same object gets the same number in new rows.
    """

    def __init__(self, noise: str = "error") -> None:
        if noise not in NOISE:
            raise ValueError(f"noise must be one of {', '.join(NOISE)}, not {noise!r}")
        self.noise = noise
        self.known: list[dict[Any, int] | None] = []

    def fit(self, table: Any, counts: Any = None, threads: int = 0) -> Labels:
        """The labels of a table, whose texts are remembered."""
        counts = checked_counts(counts)
        whole = whole_array(table)
        if whole is not None:
            self.known = [None] * whole.shape[1]
            return Labels.from_array(whole, self.noise, counts, threads)
        given = columns_of(table)
        self.known = [None if is_number(column) else {} for column in given]
        coded = [self._coded(k, column, True) for k, column in enumerate(given)]
        return Labels.from_columns(coded, self.noise, counts, threads)

    def new_rows(self, table: Any) -> np.ndarray[Any, Any]:
        """New rows as one array of numbers."""
        whole = whole_array(table)
        if whole is not None and all(known is None for known in self.known):
            return whole
        given = columns_of(table)
        if len(given) != len(self.known):
            return np.empty((len(given[0]) if given else 0, len(given)))
        coded = [self._coded(k, column, False) for k, column in enumerate(given)]
        return np.column_stack(coded)

    def _coded(self, k: int, column: Any, learn: bool) -> np.ndarray[Any, Any]:
        known = self.known[k]
        if known is None:
            if not is_number(column):
                raise TypeError(f"column {k} (counted from 0) held numbers when it was fitted")
            return np.asarray(column)
        codes = np.empty(len(column), dtype=np.float64)
        for row, label in enumerate(column):
            codes[row] = self._code(known, label, row, k, learn)
        return codes

    def _code(self, known: dict[Any, int], label: Any, row: int, k: int, learn: bool) -> float:
        if is_missing(label):
            return np.nan
        # -1 among text has the same meaning as among numbers.
        if isinstance(label, (int, np.integer)) and label == -1 and not isinstance(label, bool):
            return -1.0
        try:
            if learn:
                return known.setdefault(label, len(known))
            return known.get(label, len(known))
        except TypeError:
            raise TypeError(
                f"the label in row {row}, column {k} (counted from 0) is a "
                f"{type(label).__name__}; labels must be numbers, text or other hashable objects"
            ) from None


def is_missing(label: Any) -> bool:
    """None, NaN, NaT and the missing values of pandas."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, (float, np.floating)) and bool(np.isnan(label))


def is_number(column: Any) -> bool:
    """Whether a column is an array of numbers."""
    return isinstance(column, np.ndarray) and column.dtype.kind in "iufb"


def native(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same numbers in the byte order and in a type that the compiled part reads."""
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def whole_array(table: Any) -> np.ndarray[Any, Any] | None:
    """The table as one array of numbers, without a copy if it is one; otherwise None."""
    if is_frame(table):
        return None
    if hasattr(table, "toarray") and hasattr(table, "nnz"):
        raise TypeError(
            "sparse input is not supported: labels are dense; call .toarray() if 0 is a label"
        )
    if isinstance(table, (list, tuple)) and any(has_dtype(row) for row in table):
        table = [np.asarray(row) for row in table]
    try:
        array = np.asarray(table)
    except ValueError as error:
        raise ValueError(f"the rows of the labels have different lengths ({error})") from None
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: labels must be real numbers or text")
    if array.ndim == 0:
        raise ValueError("labels must be two-dimensional, one row per sample, but are a single value")
    if array.ndim == 1:
        raise ValueError(
            "labels must be two-dimensional, one row per sample. Reshape your data: one "
            "clustering is labels.reshape(-1, 1); a list of clusterings is put side by side by "
            "enclust.columns"
        )
    if array.ndim > 2:
        raise ValueError(f"labels must be two-dimensional, but have {array.ndim} dimensions")
    if array.shape[0] == 0 or array.shape[1] == 0:
        raise ValueError(
            f"the labels are empty: Found array with {array.shape[0]} sample(s) and "
            f"{array.shape[1]} feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    return native(array) if array.dtype.kind in "iufb" else None


def has_dtype(row: Any) -> bool:
    return hasattr(row, "dtype") or hasattr(row, "__array__")


def is_frame(table: Any) -> bool:
    """Whether this is a data frame of pandas, polars or the like."""
    return hasattr(table, "columns") and (hasattr(table, "iloc") or hasattr(table, "get_column"))


def columns_of(table: Any) -> list[Any]:
    """The columns: arrays of numbers, or lists of objects."""
    if not is_frame(table):
        array = np.asarray(table, dtype=object)
        return [narrowed(array[:, k]) for k in range(array.shape[1])]
    if hasattr(table, "get_column"):
        given = [table.get_column(name) for name in table.columns]
        found = [of_polars(column) for column in given]
    else:
        found = [of_pandas(table.iloc[:, k]) for k in range(table.shape[1])]
    if not found or len(found[0]) == 0:
        raise ValueError(
            f"the labels are empty: Found array with {len(found[0]) if found else 0} sample(s) "
            f"and {len(found)} feature(s) while a minimum of 1 is required."
        )
    return found


def of_pandas(column: Any) -> Any:
    kind = getattr(column.dtype, "kind", "O")
    if type(column.dtype).__name__ == "CategoricalDtype":
        return list(column.astype(object))
    if kind in "iufb" and isinstance(column.to_numpy(), np.ndarray):
        if column.isna().any():
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        array = column.to_numpy()
        if array.dtype.kind in "iufb":
            return native(array)
        return native(column.to_numpy(dtype=np.int64 if kind in "iu" else np.float64))
    return narrowed(column.to_numpy(dtype=object))


def of_polars(column: Any) -> Any:
    if column.dtype.is_numeric():
        if column.null_count():
            return column.cast(float).fill_null(float("nan")).to_numpy()
        return native(column.to_numpy())
    return column.to_list()


def narrowed(column: np.ndarray[Any, Any]) -> Any:
    """A column of objects as numbers if all of them are numbers or missing."""
    real = (int, float, np.integer, np.floating, np.bool_)
    if column.dtype.kind in "iufb":
        return native(column)
    if not all(is_missing(label) or isinstance(label, real) for label in column):
        return list(column)
    if any(is_missing(label) for label in column):
        return np.array([np.nan if is_missing(v) else v for v in column], dtype=np.float64)
    return native(np.array(list(column)))


def checked_counts(counts: Any) -> np.ndarray[Any, Any] | None:
    """How often each row occurs, as unsigned integers."""
    if counts is None:
        return None
    array = np.asarray(counts)
    if array.ndim != 1:
        raise ValueError("sample_counts must be one-dimensional")
    if array.dtype.kind not in "iuf":
        raise TypeError(f"sample_counts must be whole numbers, not {array.dtype}")
    bad = np.flatnonzero(~(array >= 1) | (array != np.floor(array)))
    if bad.size:
        raise ValueError(
            f"sample_counts[{bad[0]}] is {array[bad[0]]}, but must be a whole number of at least 1"
        )
    return array.astype(np.uint64)
