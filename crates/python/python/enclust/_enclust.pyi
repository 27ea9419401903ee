"""Types of the compiled part."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

Array = NDArray[Any]
Event = Callable[[dict[str, Any]], Any]
Part = str | int | Callable[..., Any]

class Cancelled(RuntimeError): ...

class Labels:
    @staticmethod
    def from_array(
        array: Array, noise: str = ..., counts: Array | None = ..., threads: int = ...
    ) -> Labels: ...
    @staticmethod
    def from_columns(
        columns: Sequence[Array], noise: str = ..., counts: Array | None = ..., threads: int = ...
    ) -> Labels: ...
    @property
    def samples(self) -> int: ...
    @property
    def clusterings(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def clusters(self) -> list[int]: ...
    @property
    def missing(self) -> int: ...
    @property
    def counts(self) -> NDArray[np.uint64] | None: ...
    def to_array(self) -> NDArray[np.int32]: ...
    def select(self, columns: Sequence[int]) -> Labels: ...
    def microclusters(self) -> tuple[Array, Array, Array, Array]: ...

class Run:
    def cut(self, k: int) -> tuple[Array, dict[str, Any], list[str]]: ...
    def linkage(self) -> Array | None: ...
    def matrix(self) -> Array: ...
    def membership(self, labels: Array) -> tuple[Array, Array, Array, Array, Array, Array]: ...
    def ranking(self, labels: Array) -> tuple[Array, Array, Array]: ...
    def new_rows(self, labels: Array) -> NewRows: ...
    def about_clusterings(self) -> list[str]: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def parts(self) -> dict[str, Any]: ...
    @property
    def groups(self) -> int: ...
    @property
    def name(self) -> str: ...

class NewRows:
    def assign(self, labels: Labels, array: Array, noise: str) -> tuple[Array, Array]: ...

class KMeansClusterings:
    def __init__(self, settings: Mapping[str, Any]) -> None: ...
    def fit(self, array: Array, threads: int = ..., callback: Event | None = ...) -> Array: ...
    def assign(self, array: Array, threads: int = ...) -> Array: ...
    def judge(
        self,
        array: Array,
        range: tuple[int, int],
        seed: int,
        threads: int,
        memory: int | None,
        callback: Event | None,
    ) -> dict[str, Any]: ...

class LandmarkRows:
    def rows(self) -> NDArray[np.int32]: ...
    def assign(self, array: Array, noise: str) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...

def fit(
    labels: Labels,
    k: int | None,
    method: str | None,
    stages: Mapping[str, Part],
    params: Mapping[str, Any],
    backend: str | None,
    seed: int,
    threads: int,
    memory: int | None,
    callback: Event | None,
    constraints: tuple[list[tuple[int, int]], list[tuple[int, int]], bool] | None = ...,
) -> Run: ...
def report(
    run: Run,
    labels: Array,
    truth: Array | None,
    record: str,
    title: str,
    subtitle: str,
    names: list[str] | None = ...,
) -> str: ...
def choose_k(
    labels: Labels,
    range: tuple[int, int] | None,
    seed: int,
    threads: int,
    memory: int | None,
    callback: Event | None,
) -> dict[str, Any]: ...
def co_association(
    labels: Labels,
    ca: Part,
    params: Mapping[str, Any],
    at_microclusters: bool,
    k: int | None,
    seed: int,
    threads: int,
    memory: int | None,
) -> Array: ...
def high_confidence(
    labels: Labels,
    rule: Part,
    params: Mapping[str, Any],
    ca: Part,
    seed: int,
    threads: int,
    memory: int | None,
) -> tuple[Array, Array, Array, float | None]: ...
def enhance(
    a: Array,
    h: Array,
    enhancer: Part,
    params: Mapping[str, Any],
    stop: Part | None,
    seed: int,
    threads: int,
    memory: int | None,
    callback: Event | None,
) -> tuple[Array, dict[str, Any]]: ...
def linkage(
    a: Array, consensus: str, params: Mapping[str, Any], threads: int, memory: int | None
) -> Array: ...
def scores(truth: Array, predicted: Array, weights: Array | None) -> dict[str, float]: ...
def draws(pool: int, size: int, runs: int, seed: int) -> Array: ...
def list_parts() -> list[dict[str, Any]]: ...
def list_methods() -> list[dict[str, str]]: ...
def stability(
    labels: Labels,
    from_: int,
    to: int,
    rule: str,
    settings: Mapping[str, Any],
    method: str | None,
    stages: Mapping[str, Part],
    params: Mapping[str, Any],
    seed: int,
    threads: int,
    memory: int | None,
    callback: Event | None,
    /,
) -> dict[str, Any]: ...
def draw_run(
    settings: Mapping[str, Any], run: int, samples: int, dimension: int
) -> tuple[int, int, Array, Array]: ...
def fit_run(
    settings: Mapping[str, Any], points: Array, k: int, seed: int, threads: int = ...
) -> tuple[NDArray[np.int32], Array]: ...
def nearest_centres(centres: Array, points: Array) -> NDArray[np.int32]: ...
def read_pool(path: str | PathLike[str], noise: str = ...) -> dict[str, Any]: ...
def match_rows(table: Array, rows: Array) -> NDArray[np.int64]: ...
def row_hashes(rows: Array) -> NDArray[np.uint64]: ...
def landmarks(labels: Labels, rows: int, seed: int, threads: int = ...) -> LandmarkRows: ...
def study(
    source: str,
    is_path: bool,
    folders: Sequence[str],
    out: str | PathLike[str],
    shard: str | None,
    threads: int,
    parts: Mapping[str, Mapping[str, Callable[..., Any]]],
    callback: Event | None,
) -> list[tuple[str, str]]: ...
def study_cells(
    source: str,
    is_path: bool,
    folders: Sequence[str],
    parts: Mapping[str, Mapping[str, Callable[..., Any]]],
) -> int: ...
def merge_shards(out: str | PathLike[str], shards: Sequence[str | PathLike[str]]) -> None: ...
