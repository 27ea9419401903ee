"""Single steps of a run as functions on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping

import numpy as np

from enclust import _enclust
from enclust._labels import Encoder
from enclust._settings import (
    clusters_of,
    memory_of,
    params_of,
    seed_of,
    stages_of,
    threads_of,
    watching,
)

Array = np.ndarray[Any, Any]


def _square(name: str, matrix: Any) -> Array:
    if hasattr(matrix, "toarray"):
        matrix = matrix.toarray()
    array = np.asarray(matrix)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{name} must be a matrix of numbers, not of {array.dtype}")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"{name} must be a square matrix, but has shape {array.shape}")
    if array.shape[0] == 0:
        raise ValueError(f"{name} is empty")
    return np.asarray(array, dtype=np.float64)


@dataclass(frozen=True)
class Microclusters:
    """The distinct label rows.

    Attributes
    ----------
    inverse : ndarray of shape (n,)
        The row of each sample.
    labels : ndarray of shape (p, m)
        The rows, as numbers of base clusters; -1 is a missing label.
    sizes : ndarray of shape (p,)
        Number of samples of each row.
    first : ndarray of shape (p,)
        The first sample of each row.
    """

    inverse: Array
    labels: Array
    sizes: Array
    first: Array


def microclusters(labels: Any, *, noise: str = "error", sample_counts: Any = None) -> Microclusters:
    """Find the distinct label rows.

    Samples with equal rows are equal for every method, so all methods compute
    with these rows and their sizes. A sample without any label is a row of its
    own.

    Parameters
    ----------
    labels : array-like of shape (n, m)
        One row per sample, one column per clustering.
    noise : {"error", "missing", "singleton"}
        What the label -1 means.
    sample_counts : array of n integers, optional
        Number of samples that each row stands for.

    Returns
    -------
    Microclusters
        In the order of their first samples.

    Examples
    --------
    >>> import enclust
    >>> found = enclust.microclusters([[0, 0], [0, 0], [0, 1], [1, 1]])
    >>> found.sizes
    array([2, 1, 1])
    >>> found.inverse
    array([0, 0, 1, 2])
    """
    encoded = Encoder(noise).fit(labels, sample_counts)
    return Microclusters(*encoded.microclusters())


def co_association(
    labels: Any,
    kind: str | Callable[..., Any] = "lwca",
    *,
    params: Mapping[str, Any] | None = None,
    microclusters: bool = False,
    n_clusters: int | None = None,
    noise: str = "error",
    sample_counts: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
) -> Array:
    """Compute a co-association matrix.

    Parameters
    ----------
    labels : array-like of shape (n, m)
        One row per sample, one column per clustering.
    kind : str or callable
        The representation, see ``list_parts("ca")``, or a function.
    params : dict, optional
        Its parameters, for example ``{"theta": 0.3}``.
    microclusters : bool
        Return the p x p matrix of the distinct label rows, whose diagonal is
        the similarity of two different samples with the same row.
    n_clusters : int, optional
        For representations that are learned for one number of clusters.
    noise, sample_counts, random_state, n_jobs, memory
        As in :class:`enclust.LabelConsensus`.

    Returns
    -------
    ndarray of shape (n, n)
        Values in [0, 1].

    Examples
    --------
    >>> import enclust
    >>> enclust.co_association([[0, 0], [0, 1], [1, 1]], "eac")
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    k = None if n_clusters is None else clusters_of(n_clusters)
    encoded = Encoder(noise).fit(labels, sample_counts)
    return _enclust.co_association(
        encoded,
        kind,
        params_of(params),
        microclusters,
        k,
        seed_of(random_state),
        threads_of(n_jobs),
        memory_of(memory),
    )


def high_confidence(
    labels: Any,
    rule: str | Callable[..., Any] = "threshold",
    *,
    params: Mapping[str, Any] | None = None,
    ca: str | Callable[..., Any] = "lwca",
    sparse: bool | None = None,
    noise: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
) -> Any:
    """Choose the pairs of samples that most clusterings join.

    Parameters
    ----------
    labels : array-like of shape (n, m)
        One row per sample, one column per clustering.
    rule : str or callable
        The choice, see ``list_parts("confidence")``, or a function.
    params : dict, optional
        Its parameters, for example ``{"alpha": 0.7}``.
    ca : str or callable
        The co-association matrix that the rule may read.
    sparse : bool, optional
        Whether to return a ``scipy.sparse.csr_array``. By default, where SciPy
        is installed.
    noise, random_state, n_jobs, memory
        As in :class:`enclust.LabelConsensus`.

    Returns
    -------
    csr_array or ndarray of shape (n, n)
        H, 0 for pairs that are not confident.

    Examples
    --------
    >>> import enclust
    >>> enclust.high_confidence([[0, 0], [0, 0], [1, 0]], sparse=False)
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    encoded = Encoder(noise).fit(labels)
    rows, cols, values, _ = _enclust.high_confidence(
        encoded,
        rule,
        params_of(params),
        ca,
        seed_of(random_state),
        threads_of(n_jobs),
        memory_of(memory),
    )
    n = encoded.samples
    if sparse is None or sparse:
        try:
            from scipy.sparse import csr_array

            return csr_array((values, (rows, cols)), shape=(n, n))
        except ImportError:
            if sparse:
                raise
    dense = np.zeros((n, n))
    dense[rows, cols] = values
    return dense


@dataclass(frozen=True)
class Enhanced:
    """An enhanced matrix.

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        C.
    status : str
        How the iteration ended.
    iterations : int
    certificate : dict or None
        Upper bounds on the distance from the optimum, if the enhancer proves
        them.
    """

    matrix: Array
    status: str
    iterations: int
    certificate: dict[str, float] | None


def enhance(
    A: Any,
    H: Any,
    enhancer: str | Callable[..., Any] = "exact",
    *,
    params: Mapping[str, Any] | None = None,
    stop: str | Callable[..., Any] | None = None,
    callback: Callable[[dict[str, Any]], Any] | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
) -> Enhanced:
    """Enhance a similarity matrix by its confident pairs.

    Solves the convex problem of Jia et al. (TNNLS 2023): the confident pairs
    keep their values and are propagated through the matrix.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric similarities in [0, 1].
    H : array-like or sparse matrix of shape (n, n)
        Symmetric weights of the confident pairs in [0, 1]; 0 means none. The
        diagonal is not read.
    enhancer : str or callable
        See ``list_parts("enhance")``, or a function ``f(A, H)``.
    params : dict, optional
        Its parameters, for example ``{"lambda": 0.1}``.
    stop : str or callable, optional
        A stopping rule in place of the enhancer's own.
    callback : callable, optional
        Called with a dictionary for every event. A true result ends the
        iteration, and the matrix so far is returned.
    random_state, n_jobs, memory
        As in :class:`enclust.LabelConsensus`.

    Returns
    -------
    Enhanced

    Examples
    --------
    >>> import enclust
    >>> A = [[1.0, 0.9, 0.1], [0.9, 1.0, 0.8], [0.1, 0.8, 1.0]]
    >>> H = [[0.0, 0.9, 0.0], [0.9, 0.0, 0.8], [0.0, 0.8, 0.0]]
    >>> found = enclust.enhance(A, H)
    >>> bool(found.matrix[0, 2] > 0.5)
    True
    >>> found.certificate["relative_distance"] <= 1e-3
    True
    """
    matrix, report = _enclust.enhance(
        _square("A", A),
        _square("H", H),
        enhancer,
        params_of(params),
        stop,
        seed_of(random_state),
        threads_of(n_jobs),
        memory_of(memory),
        watching(False, callback),
    )
    return Enhanced(matrix, report["status"], report["iterations"], report["certificate"])


def linkage(
    A: Any,
    method: str = "average",
    *,
    params: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
) -> Array:
    """Agglomerate a similarity matrix.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric similarities in [0, 1].
    method : {"average", "single", "complete"}
    params : dict, optional
        Parameters of the consensus function.
    n_jobs, memory
        As in :class:`enclust.LabelConsensus`.

    Returns
    -------
    ndarray of shape (n - 1, 4)
        SciPy's linkage matrix, with distances 1 - similarity.

    Examples
    --------
    >>> import enclust
    >>> enclust.linkage([[1.0, 0.75, 0.0], [0.75, 1.0, 0.5], [0.0, 0.5, 1.0]])
    array([[0.  , 1.  , 0.25, 2.  ],
           [2.  , 3.  , 0.75, 3.  ]])
    """
    if not isinstance(method, str):
        raise TypeError(f"method must be a string, not {method!r}")
    return _enclust.linkage(
        _square("A", A), method, params_of(params), threads_of(n_jobs), memory_of(memory)
    )


@dataclass(frozen=True)
class StabilityLevel:
    """The stability for one number of clusters.

    Attributes
    ----------
    k : int
    agreement : float
        Agreement of the draws beyond chance, 1 for equal partitions.
    pac : float
        Share of pairs that some draws join and others do not.
    delta_area : float
        Growth of the area under the distribution of consensus values.
    cluster_consensus : float or None
        Mean consensus inside the clusters.
    gap : float or None
        Gap in the dendrogram.
    cdf : dict
        ``values`` and ``shares`` of the distribution of consensus values.
    """

    k: int
    agreement: float
    pac: float
    delta_area: float
    cluster_consensus: float | None
    gap: float | None
    cdf: dict[str, list[float]]


@dataclass(frozen=True)
class Stability:
    """How stable the partitions are, for each number of clusters.

    Attributes
    ----------
    k : int
        The choice of the rule.
    clear : bool
        Whether the structure is clear.
    reason : str
    levels : list of StabilityLevel
    """

    k: int
    clear: bool
    reason: str
    levels: list[StabilityLevel]


def stability(
    labels: Any,
    from_k: int = 2,
    to_k: int = 10,
    *,
    rule: str = "auto",
    draws: int | None = None,
    take: int | None = None,
    method: str = "eac",
    params: Mapping[str, Any] | None = None,
    noise: str = "error",
    sample_counts: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    verbose: bool = False,
) -> Stability:
    """Measure how stable partitions are when only some clusterings are used.

    Parameters
    ----------
    labels : array-like of shape (n, m)
        One row per sample, one column per clustering.
    from_k, to_k : int
        The numbers of clusters, both ends included.
    rule : {"auto", "agreement", "pac", "delta-area", "gap"}
        How the number of clusters is chosen.
    draws, take : int, optional
        Number of draws, and of clusterings in each.
    method : str
        The method that clusters the draws. The rules were calibrated for
        ``"eac"``.
    params, noise, sample_counts, random_state, n_jobs, memory, verbose
        As in :class:`enclust.LabelConsensus`.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import numpy as np, enclust
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> wrong = rng.random((60, 20)) < 0.05
    >>> L = np.where(wrong, rng.integers(3, size=(60, 20)), truth[:, None])
    >>> found = enclust.stability(L, 2, 6)
    >>> found.k, found.clear
    (3, True)
    """
    settings = {name: value for name, value in (("draws", draws), ("take", take)) if value is not None}
    first, last = clusters_of(from_k), clusters_of(to_k)
    if first is None or last is None:
        raise ValueError("from_k and to_k must be numbers")
    found = _enclust.stability(
        Encoder(noise).fit(labels, sample_counts),
        first,
        last,
        rule,
        settings,
        method,
        stages_of({}),
        params_of(params),
        seed_of(random_state),
        threads_of(n_jobs),
        memory_of(memory),
        watching(verbose, None),
    )
    levels = [StabilityLevel(**level) for level in found["levels"]]
    return Stability(found["k"], found["clear"], found["reason"], levels)


def draws(pool_size: int, size: int = 20, runs: int = 1, *, seed: int = 1) -> Array:
    """The ensembles that the paper draws from a pool.

    Parameters
    ----------
    pool_size : int
        Number of clusterings in the pool.
    size : int
        Number of clusterings in each draw.
    runs : int
        Number of draws.
    seed : int
        Seed of MATLAB's generator; the published draws have seed 1.

    Returns
    -------
    ndarray of shape (runs, size)
        Columns of the pool, counted from 0.

    Examples
    --------
    >>> import enclust
    >>> enclust.draws(100, 4, 2)
    array([[ 2, 98, 38, 50],
           [49, 96,  6, 65]])
    """
    return _enclust.draws(pool_size, size, runs, seed)


def list_parts(stage: str | None = None) -> list[dict[str, Any]]:
    """All parts with their parameters.

    Parameters
    ----------
    stage : str, optional
        Only the parts of this stage, for example ``"ca"``.

    Returns
    -------
    list of dict
        ``stage``, ``name``, ``summary`` and ``parameters``.

    Examples
    --------
    >>> import enclust
    >>> [part["name"] for part in enclust.list_parts("confidence")]
    ['none', 'threshold', 'two-sided', 'guided']
    """
    parts: list[dict[str, Any]] = _enclust.list_parts()
    stages = {part["stage"] for part in parts}
    if stage is not None and stage not in stages:
        raise ValueError(f"stage must be one of {', '.join(sorted(stages))}, not {stage!r}")
    return [part for part in parts if stage is None or part["stage"] == stage]


def list_methods() -> list[dict[str, str]]:
    """All methods, the values of ``method``.

    Returns
    -------
    list of dict
        ``name``, ``summary``, ``advice`` and ``parts``.

    Examples
    --------
    >>> import enclust
    >>> "ec-cms" in [method["name"] for method in enclust.list_methods()]
    True
    """
    methods: list[dict[str, str]] = _enclust.list_methods()
    return methods
