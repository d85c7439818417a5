"""Kernels for sparse rows whose entries are close to each other are exact on every device."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import SMALL, roomy
from programs.kernel_calls import Case, build, run
from programs.spread import spread

from tinyml.dialects.layouts.packed_bits import pack_bits
from tinyml.dialects.layouts.sparse_rows import compress, delta_rows
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.tools.calibration.avr import NEAR, NEAR_PACKED, KernelSignature

KERNELS = [*NEAR, *NEAR_PACKED]
COLUMNS = 1003
COUNTS = (0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 123, 124, 127, 128, 129, 255, 256, 257, 700)
"""Entries of rows: kernels rest after 128 or 256."""
SHORT = (3, 7, 11)
FEW = (*range(13), 16, 17, 123, 129)
"""Shorter rows of some widths, most of them near: all arrays fit one that an AVR can have."""


def most(width: int) -> int:
    return (1 << (width - 1)) - 1


def matrix_of(width: int) -> NDArray[np.int64]:
    """Rows of numbers of `width` bits: the least number in every third row, otherwise random numbers. Gaps are narrow
    and wide in turn, or always narrow for the widths in `SHORT`. The last row has the least number at wide gaps.
    """
    random, low = np.random.default_rng(width), -most(width) - 1
    counts = FEW if width in SHORT else COUNTS
    rows = np.zeros((len(counts) + 1, COLUMNS), np.int64)
    for turn, (row, count) in enumerate(zip(rows, counts, strict=False)):
        columns = random.choice(
            COLUMNS if turn % 2 and width not in SHORT else min(2 * count + 8, COLUMNS), count, replace=False
        )
        row[columns] = random.integers(low, -low, count) if turn % 3 else low
    rows[-1, [15, 16, 32, 65, 400, COLUMNS - 1]] = low
    return rows


MATRICES = {width: matrix_of(width) for width in sorted({kernel.weights for kernel in KERNELS})}


def stream_of(row: NDArray[np.int64], width: int) -> bytes:
    rows = delta_rows(compress(row[np.newaxis].astype("<i1" if width <= 8 else "<i2")), COLUMNS, width)
    assert rows is not None
    return rows.stream().tobytes()


STREAMS = {(width, i): stream_of(row, width) for width, rows in MATRICES.items() for i, row in enumerate(rows)}
STARTS = dict(zip(STREAMS, np.cumsum([0, *map(len, STREAMS.values())]).tolist(), strict=False))


def products(case: Case) -> NDArray[np.int64]:
    [(width, row)] = [key for key, start in STARTS.items() if start == case.start]
    return MATRICES[width][row] * case.vector[:COLUMNS].astype(np.int64)


def limited(case: Case) -> Case:
    """A copy of the case whose vector is halved until the sum of magnitudes fits the type of the kernel's sum."""
    vector = case.vector
    while abs(case.sum) + int(np.abs(products(case)).sum()) > most(case.kernel.sum):
        vector = vector >> 1 if vector.min() < -1 else vector & 0
        case = Case(case.kernel, vector, case.start, sum=case.sum)
    return case


def vectors(width: int) -> list[NDArray[Any]]:
    random, low = np.random.default_rng(width), -most(width) - 1
    found = np.full(COLUMNS, low), np.resize([low, most(width), 0, -1], COLUMNS), random.integers(low, -low, COLUMNS)
    return [one.astype(f"<i{width // 8}") for one in found]


@pytest.fixture(
    scope="module",
    params=["uno -O3", "host -O2", "cortex-m4 -O3", *(f"{name} -Os" for name in SMALL)],
)
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Runner, Any]:
    name, optimize = request.param.split()
    runner = HostRunner(sanitize=True) if name == "host" else runner_for(roomy(name))
    folder: Path = tmp_path_factory.mktemp("near")
    return runner, build(runner, folder, b"".join(STREAMS.values()), optimize, KERNELS)


@cache
def cases_of(kernel: KernelSignature) -> tuple[list[Case], list[int]]:
    """Calls of a kernel and their expected results. Both are the same for all devices."""
    cases = [
        limited(Case(kernel, vector, STARTS[kernel.weights, row], sum=first))
        for row in range(len(MATRICES[kernel.weights]))
        for turn, vector in enumerate(vectors(kernel.vector))
        for first in [(0, -1, most(kernel.sum) // 3, -most(kernel.sum) // 3)[(turn + row) % 4]]
    ]
    assert sum(case.vector.any() for case in cases) > 50
    return cases, [case.sum + int(products(case).sum()) for case in cases]


@pytest.mark.long
@pytest.mark.parametrize("kernel", spread(NEAR, 1), ids=lambda kernel: kernel.name)
def test_exact(device: tuple[Runner, Any], kernel: KernelSignature):
    cases, expected = cases_of(kernel)
    scores = run(*device, cases, KERNELS).scores
    assert scores is not None
    for case, (value, *_), sum in zip(cases, scores.tolist(), expected, strict=True):
        assert value == sum, case


@pytest.mark.long
@pytest.mark.parametrize("kernel", NEAR_PACKED, ids=lambda kernel: kernel.name)
def test_packed_vectors(device: tuple[Runner, Any], kernel: KernelSignature):
    cases: list[Case] = []
    expected: list[int] = []
    for row, matrix in enumerate(MATRICES[kernel.weights]):
        random, low = np.random.default_rng(row), -most(kernel.vector) - 1
        values = random.integers(low, -low, COLUMNS) if row % 2 else np.full(COLUMNS, low)
        first = (0, -1, most(30), -most(30))[row % 4]
        while abs(first) + int(np.abs(matrix * values).sum()) > most(32):
            values >>= 1
        vector = pack_bits(values, kernel.vector).view(np.int8)
        cases.append(Case(kernel, vector, STARTS[kernel.weights, row], sum=first))
        expected.append(first + int((matrix * values).sum()))
    scores = run(*device, cases, KERNELS).scores
    assert scores is not None
    assert scores[:, 0].tolist() == expected
