"""Figures on matplotlib axes.

Every function draws on given axes, or on those of a new figure, and returns
them. Colours can be told apart with any colour vision.

>>> import enclust
>>> from enclust import plots
>>> labels = enclust.columns([[0, 0, 1, 1], [0, 0, 1, 2], [3, 3, 3, 4]])
>>> found = enclust.LabelConsensus(2).fit(labels)
>>> axes = plots.plot_similarity(found)
>>> axes.get_xlabel()
'samples in the order of the tree'
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from enclust._functions import Stability
from enclust._study import StudyResults

Array = np.ndarray[Any, Any]

__all__ = [
    "leaf_order",
    "plot_cdf",
    "plot_ranks",
    "plot_scores",
    "plot_similarity",
    "plot_sizes",
    "plot_stability",
    "plot_tree",
]

#: The colours of Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#3C3C3C")


def _axes(ax: Any, size: tuple[float, float] = (4.5, 3.4)) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install matplotlib") from error
    return plt.subplots(figsize=size, layout="constrained")[1]


def _tree_of(model: Any) -> Array:
    tree = getattr(model, "linkage_", model)
    if tree is None:
        raise ValueError("the consensus function made no tree; consensus='average' makes one")
    tree = np.asarray(tree, dtype=np.float64)
    if tree.ndim != 2 or tree.shape[1] != 4:
        raise ValueError(f"a tree has the shape (n - 1, 4), not {tree.shape}")
    return tree


def leaf_order(tree: Any) -> Array:
    """The samples from left to right in a tree.

    Parameters
    ----------
    tree : array of shape (n - 1, 4), or fitted estimator
        The merges in SciPy's form.

    Returns
    -------
    ndarray of n integers

    Examples
    --------
    >>> from enclust.plots import leaf_order
    >>> leaf_order([[0, 2, 0.1, 2], [3, 1, 0.9, 3]])
    array([0, 2, 1])
    """
    merges = _tree_of(tree)
    n = len(merges) + 1
    order, open_ = [], [2 * n - 2]
    while open_:
        cluster = open_.pop()
        if cluster < n:
            order.append(cluster)
        else:
            first, second = merges[cluster - n, :2].astype(int)
            open_ += [second, first]
    return np.array(order)


def plot_similarity(
    model: Any, *, matrix: Any = None, labels: Any = None, ax: Any = None
) -> Any:
    """Show a similarity, ordered by the tree, with the clusters as squares.

    Parameters
    ----------
    model : fitted estimator
        Its tree gives the order; without a tree, its labels do.
    matrix : array of shape (n, n), optional
        What is shown instead of ``model.consensus_matrix_``.
    labels : array of n labels, optional
        The clusters that are marked, instead of ``model.labels_``.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax, (4.2, 3.6))
    shown = np.asarray(model.consensus_matrix_ if matrix is None else matrix, dtype=np.float64)
    clusters = np.asarray(model.labels_ if labels is None else labels)
    n = len(clusters)
    if shown.shape != (n, n):
        raise ValueError(f"matrix has shape {shown.shape}, but there are {n} samples")
    has_tree = model.linkage_ is not None
    order = leaf_order(model) if has_tree else np.argsort(clusters, kind="stable")
    beside = shown[~np.eye(n, dtype=bool)]
    top = float(np.quantile(beside, 0.995)) if beside.size else 1.0
    image = ax.imshow(
        shown[np.ix_(order, order)], cmap="cividis", vmin=0, vmax=top or 1.0, interpolation="nearest"
    )
    ax.figure.colorbar(image, ax=ax, label="similarity", extend="max")
    ends = np.flatnonzero(np.diff(clusters[order]) != 0) + 1
    for start, end in zip([0, *ends], [*ends, n]):
        ax.plot(
            np.array([start, end, end, start, start]) - 0.5,
            np.array([start, start, end, end, start]) - 0.5,
            color=COLOURS[1],
            linewidth=1,
        )
    ax.set_xlabel(f"samples in the order of the {'tree' if has_tree else 'labels'}")
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def plot_tree(model: Any, n_clusters: int | None = None, *, leaves: int = 100, ax: Any = None) -> Any:
    """Draw the dendrogram, with a line where it is cut.

    Parameters
    ----------
    model : fitted estimator, or array of shape (n - 1, 4)
    n_clusters : int, optional
        Where the line is; that of the estimator by default.
    leaves : int, default=100
        The largest number of leaves; earlier merges are drawn as one leaf.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    tree = _tree_of(model)
    n = len(tree) + 1
    k = n_clusters if n_clusters is not None else getattr(model, "n_clusters_", None)
    if k is not None and not 1 <= k <= n:
        raise ValueError(f"n_clusters is {k}, but there are {n} samples")
    first = max(0, len(tree) - max(leaves, 2) + 1)
    bottom = float(tree[first, 2])
    room = (float(tree[-1, 2]) - bottom) * 0.05
    # Leaves in the order of the tree, a unit apart.
    place: dict[int, tuple[float, float]] = {}
    open_, at = [n + len(tree) - 1], 0
    while open_:
        cluster = open_.pop()
        if cluster >= n + first:
            a, b = tree[cluster - n, :2].astype(int)
            open_ += [b, a]
        else:
            place[cluster] = (float(at), bottom - room)
            at += 1
    for merge in range(first, len(tree)):
        (x0, y0), (x1, y1) = (place[int(child)] for child in tree[merge, :2])
        height = float(tree[merge, 2])
        ax.plot([x0, x0, x1, x1], [y0, height, height, y1], color=COLOURS[6], linewidth=0.8)
        place[n + merge] = ((x0 + x1) / 2, height)
    if k is not None and 1 < k <= len(tree):
        cut = (tree[-k, 2] + tree[-k + 1, 2]) / 2
        ax.axhline(cut, color=COLOURS[1], linestyle="--", linewidth=1, label=f"{k} clusters")
        ax.legend(frameon=False)
    ax.set_xticks([])
    ax.set_ylabel("height")
    return ax


def plot_sizes(labels: Any, *, ax: Any = None) -> Any:
    """Draw a bar for the size of each cluster.

    Parameters
    ----------
    labels : array of n labels, or fitted estimator
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    names, sizes = np.unique(np.asarray(getattr(labels, "labels_", labels)), return_counts=True)
    bars = ax.barh([str(name) for name in names], sizes, color=COLOURS[0])
    ax.bar_label(bars, padding=3)
    ax.invert_yaxis()
    ax.set_xlabel("samples")
    ax.set_ylabel("cluster")
    return ax


def _styled(number: int) -> dict[str, Any]:
    styles = ("-", "--", ":")
    style = styles[number // len(COLOURS) % len(styles)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": style}


def plot_cdf(found: Stability, *, ax: Any = None) -> Any:
    """Draw the distribution of the consensus of pairs for each number of clusters.

    Parameters
    ----------
    found : Stability
        What :func:`enclust.stability` returned.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    for number, level in enumerate(found.levels):
        values, shares = level.cdf["values"], level.cdf["shares"]
        ax.step(values, shares, where="post", label=f"k = {level.k}", **_styled(number))
    ax.set_xlabel("consensus")
    ax.set_ylabel("share of pairs")
    ax.legend(frameon=False, fontsize="small", ncols=2)
    return ax


def plot_stability(found: Stability, *, ax: Any = None) -> Any:
    """Draw agreement and PAC over the number of clusters; the choice is marked.

    Parameters
    ----------
    found : Stability
        What :func:`enclust.stability` returned.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    ax = _axes(ax)
    k = [level.k for level in found.levels]
    agreement = [level.agreement for level in found.levels]
    ax.plot(k, agreement, marker="o", label="agreement of draws", color=COLOURS[0])
    ax.plot(k, [level.pac for level in found.levels], marker="s", label="PAC", color=COLOURS[1])
    ax.axvline(found.k, color=COLOURS[6], linestyle=":", linewidth=1)
    ax.set_xlabel("number of clusters")
    ax.legend(frameon=False)
    return ax


def _summary(
    results: StudyResults, metric: str, size: int | None, k: int | None
) -> Sequence[Mapping[str, Any]]:
    rows = [row for row in results.summary if row["metric"] == metric]
    if not rows:
        known = sorted({str(row["metric"]) for row in results.summary})
        raise ValueError(f"metric is {metric!r}, but the study has {', '.join(known)}")
    for name, wanted in (("size", size), ("k", k)):
        if wanted is not None:
            rows = [row for row in rows if row[name] == wanted]
        for pool in {row["pool"] for row in rows}:
            several = {row[name] for row in rows if row["pool"] == pool}
            if len(several) > 1:
                raise ValueError(f"{name} must be one of {sorted(several)}")
    if not rows:
        raise ValueError("the study has no such result; check size and k")
    return rows


def _once(names: Any) -> list[Any]:
    return list(dict.fromkeys(names))


def plot_scores(
    results: StudyResults,
    metric: str = "ari",
    *,
    size: int | None = None,
    k: int | None = None,
    ax: Any = None,
) -> Any:
    """Draw mean and standard deviation of every variant on every pool.

    Parameters
    ----------
    results : StudyResults
        What :func:`enclust.study` returned.
    metric : str, default="ari"
    size, k : int, optional
        Number of clusterings and of clusters, if the study has several.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    rows = _summary(results, metric, size, k)
    ax = _axes(ax, (5.5, 4.0))
    pools, variants = (_once(row[name] for row in rows) for name in ("pool", "variant"))
    for number, variant in enumerate(variants):
        mine = [row for row in rows if row["variant"] == variant]
        offset = (number + 0.5) / len(variants) * 0.8 - 0.4
        ax.errorbar(
            [row["mean"] for row in mine],
            [pools.index(row["pool"]) + offset for row in mine],
            xerr=[row["std"] for row in mine],
            fmt="o" if number < len(COLOURS) else "s",
            markersize=4,
            color=COLOURS[number % len(COLOURS)],
            label=variant,
        )
    ax.set_yticks(range(len(pools)), pools)
    ax.invert_yaxis()
    ax.set_xlabel(metric)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_ranks(
    results: StudyResults,
    metric: str = "ari",
    *,
    size: int | None = None,
    k: int | None = None,
    ax: Any = None,
) -> Any:
    """Draw the mean rank of every variant over the pools; 1 is the best.

    Parameters
    ----------
    results : StudyResults
        What :func:`enclust.study` returned.
    metric : str, default="ari"
    size, k : int, optional
        Number of clusterings and of clusters, if the study has several.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes
    """
    rows = _summary(results, metric, size, k)
    if any(row["rank"] is None for row in rows):
        raise ValueError(f"{metric} has no ranks: larger is not better")
    variants = _once(row["variant"] for row in rows)
    mean = {
        variant: float(np.mean([row["rank"] for row in rows if row["variant"] == variant]))
        for variant in variants
    }
    ax = _axes(ax)
    order = sorted(variants, key=lambda variant: mean[variant])
    ax.plot([mean[variant] for variant in order], order, "o", color=COLOURS[0])
    for variant in order:
        ax.annotate(f" {mean[variant]:.2f}", (mean[variant], variant), va="center")
    ax.invert_yaxis()
    ax.margins(x=0.15)
    ax.set_xlabel(f"mean rank by {metric} (1 is the best)")
    return ax
