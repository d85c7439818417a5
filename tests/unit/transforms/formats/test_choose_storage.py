"""The choice between dense and sparse rows, which minimises the product of bytes and time, for kernels with invented
times.
"""

# Stubs have few types.
# pyright: basic

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tinyml.dialects import num
from tinyml.dialects.layouts.sparse_rows import compress
from tinyml.transforms.formats import choose_storage
from tinyml.transforms.formats.choose_storage import ChooseStoragePass
from tinyml.transforms.ir.sparse_layouts import SparseRows

STORAGE: Any = choose_storage
DOT, ROWS, SPARSE = num.DotAttr.name, num.DotRowsAttr.name, num.SparseDotAttr.name


def kernel(op: str, weights: int, step: float, rows: int = 1, gaps: int = 0, sum: int = 32) -> Any:
    return SimpleNamespace(op=op, weights=weights, step=step, rows=rows, gaps=gaps, sum=sum)


MATRIX = np.array([[1, 0, 2, 0, 3, 0, 4, 0], [0, 5, 0, 6, 0, 7, 0, 0]], np.int8)


@pytest.mark.parametrize(
    ("kernels", "widths", "effort"),
    [
        # 16 bytes, 16 elements.
        ([], [8, 4], 256),
        ([kernel(DOT, 8, 10)], [8, 4], 256),
        # Two rows of 4 bytes each, in 12 for 10 of the time.
        ([kernel(DOT, 8, 10), kernel(DOT, 4, 12)], [8, 4], 8 * 16 * 1.2),
        ([kernel(DOT, 8, 10), kernel(DOT, 4, 12)], [8], 256),
        ([kernel(DOT, 8, 10), kernel(DOT, 4, 21)], [8, 4], 256),
        ([kernel(DOT, 8, 10), kernel(SPARSE, 4, 1)], [8, 4], 256),
        # Nothing tells the time of unpacked elements.
        ([kernel(DOT, 4, 12)], [8, 4], 256),
        # The fastest of a width, for two rows at once where there are two.
        ([kernel(DOT, 8, 10), kernel(ROWS, 4, 5, rows=2), kernel(DOT, 4, 12)], [8, 4], 8 * 16 * 0.5),
        ([kernel(DOT, 8, 10), kernel(ROWS, 4, 5, rows=3), kernel(DOT, 4, 12)], [8, 4], 8 * 16 * 1.2),
    ],
)
def test_dense_rows(kernels: list[Any], widths: list[int], effort: float):
    assert STORAGE._dense_effort(MATRIX, kernels, widths) == pytest.approx(effort)


@pytest.mark.parametrize(
    ("kernels", "widths", "effort"),
    [
        # Loops: twice the time of an element, seven entries.
        ([], [8, 4], None),
        ([kernel(DOT, 8, 10)], [8, 4], None),
        ([kernel(SPARSE, 8, 15, gaps=3)], [8, 4], None),
        ([kernel(DOT, 4, 10), kernel(SPARSE, 8, 15, gaps=3)], [8, 4], None),
        # Relative to the dense row's element.
        ([kernel(DOT, 8, 10), kernel(SPARSE, 8, 15, gaps=3)], [8, 4], 4.5),
        ([kernel(DOT, 8, 10), kernel(SPARSE, 8, 15, gaps=3), kernel(SPARSE, 4, 10, gaps=2)], [8, 4], 2.0),
        ([kernel(DOT, 8, 10), kernel(SPARSE, 8, 15, gaps=3), kernel(SPARSE, 4, 10, gaps=2)], [8], 4.5),
        # A layout that cannot hold the rows.
        ([kernel(DOT, 8, 10), kernel(SPARSE, 8, 15, gaps=99)], [8, 4], None),
    ],
)
def test_sparse_rows(monkeypatch: pytest.MonkeyPatch, kernels: list[Any], widths: list[int], effort: float | None):
    def read_by(kernel: Any, stored: Any, columns: int) -> Any:
        assert columns == 8
        return None if kernel.gaps == 99 else SimpleNamespace(bytes=kernel.gaps, time=kernel.step)

    monkeypatch.setattr(SparseRows, "read_by", read_by)
    in_loops = compress(MATRIX).bytes * 7 * 2.0
    assert STORAGE._sparse_effort(MATRIX, kernels, widths) == pytest.approx(effort or in_loops)


def product(lhs: Any, rhs: Any) -> Any:
    return SimpleNamespace(lhs=lhs, rhs=rhs)


def test_kernels_are_those_of_the_slowest_sum(monkeypatch: pytest.MonkeyPatch):
    """For each layout and width of weights, the first kernel that `offers` returns represents all others."""
    fast, slow, later = kernel(DOT, 8, 3), kernel(DOT, 8, 4, sum=64), kernel(DOT, 8, 9)
    packed = kernel(DOT, 4, 2)
    nests: list[Any] = []

    def offers(target: str, nest: Any) -> list[Any]:
        nests.append((target, nest.routine, nest.weights, nest.vector))
        kernels = {8: [slow, fast, later], 4: [packed]}[nest.weights] if nest.routine == DOT else []
        return [SimpleNamespace(kernel=one) for one in kernels]

    integers = SimpleNamespace(coding=SimpleNamespace(name="integers"), dtype=np.dtype(np.int16))
    uncoded = SimpleNamespace(coding=None, dtype=np.dtype(np.int16))
    bytes = SimpleNamespace(coding=SimpleNamespace(name="bytes"), dtype=np.dtype(np.int8))
    monkeypatch.setattr(STORAGE, "offers", offers)
    monkeypatch.setattr(STORAGE.tdsl, "format_of", lambda value: value)
    pattern = STORAGE.StoreDense("some", True)
    assert pattern._kernels(product(bytes, integers), [8, 4]) == [packed, slow]
    assert nests == [("some", name, width, 16) for name in (DOT, ROWS, SPARSE) for width in (8, 4)]
    assert pattern._kernels(product(integers, uncoded), [8, 4]) == []


def test_packed_rows_are_counted_unless_never(monkeypatch: pytest.MonkeyPatch):
    assert choose_storage.SPARSE_LOOP == 2.0
    assert ChooseStoragePass().packed == "auto"
