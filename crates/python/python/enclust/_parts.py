"""Marks for functions that are parts of a run."""

from __future__ import annotations

import sys
from typing import Any, Callable


class _Marked:
    """A function with attributes that say how it is called."""

    def __init__(
        self,
        function: Callable[..., Any],
        at_microclusters: bool = False,
        needs: tuple[str, ...] = (),
    ) -> None:
        self.function = function
        self.at_microclusters = at_microclusters
        self.needs = list(needs)
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self.__module__ = getattr(function, "__module__", __name__)
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __reduce__(self) -> Any:
        # A decorated function is pickled by its name, as functions are.
        place: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            place = getattr(place, name, None)
        if place is self:
            return self.__qualname__
        return _Marked, (self.function, self.at_microclusters, tuple(self.needs))

    def __repr__(self) -> str:
        return f"<{self.__name__}{' at microclusters' if self.at_microclusters else ''}>"


def at_microclusters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function that computes on the distinct label rows.

    Samples with equal label rows are equal for every method. A function that
    computes on the p distinct rows instead of the n samples is faster by
    (n / p)². It is called with one more argument, the number of samples of
    each row.

    Parameters
    ----------
    function : callable
        One of these:

        - a co-association matrix, ``f(labels, sizes)``: a p x p array with
          values in [0, 1]; the diagonal is the similarity of two different
          samples with the same row;
        - a choice of confident pairs, ``f(A, labels, sizes)``: a p x p array H;
        - an enhancer, ``f(A, H, sizes)``: a p x p array C. ``H`` is multiplied
          by the sizes of its columns, so that sums over rows are sums over
          samples;
        - a consensus function, ``f(A, k, sizes)``: p labels.

        Missing labels are -1 in ``labels``.

    Returns
    -------
    callable
        The same function with the mark.

    Examples
    --------
    >>> import numpy as np, enclust
    >>> @enclust.at_microclusters
    ... def simple(labels, sizes):
    ...     return (labels[:, None, :] == labels[None, :, :]).mean(axis=2)
    >>> L = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 1]])
    >>> enclust.LabelConsensus(n_clusters=2, ca=simple).fit(L).labels_
    array([0, 0, 1, 1, 1])
    """
    needed = tuple(getattr(function, "needs", ()))
    return _Marked(function, at_microclusters=True, needs=needed)


def needs(*quantities: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say what a stopping rule or a callback reads in each iteration.

    Parameters
    ----------
    *quantities : {"changes", "objective", "residual", "labels", "similarity"}
        What is computed in each iteration and passed to the function in its
        dictionary. The number of the iteration and the time are always there.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> import enclust
    >>> @enclust.needs("residual")
    ... def small_residual(iteration):
    ...     return iteration["residual"] < 1e-4
    >>> small_residual({"residual": 1e-5})
    True
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        own = bool(getattr(function, "at_microclusters", False))
        return _Marked(function, at_microclusters=own, needs=quantities)

    return mark
