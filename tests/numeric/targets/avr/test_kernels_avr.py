"""The kernels for AVR are exact: assembly on the simulated chip and its C version on the host, compared with numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs.kernel_calls import ELEMENTS, RESULTS, Case, build, run
from programs.spread import examples, spread

from tinyml.dialects.layouts.sparse_rows import compress, pack_rows
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for
from tinyml.targets.kernel import LONGEST_IN_CHUNKS
from tinyml.tools.calibration.avr import AXPY, CHUNKS, DENSE, DISTANCE, ROW, STRIDED, KernelSignature

LENGTHS = (
    *range(18),
    31,
    32,
    33,
    63,
    64,
    65,
    255,
    256,
    257,
    300,
    511,
    512,
    513,
    767,
    768,
    1000,
    1023,
    1024,
    1040,
    2047,
    2048,
    2080,
)
COLUMNS = 400
Vector = NDArray[Any]


def most(width: int) -> int:
    return (1 << (width - 1)) - 1


def extremes(width: int, count: int) -> list[Vector]:
    """Vectors of `width`-bit numbers: four with equal elements, a random mixture of extremes, both extremes in turn,
    and random numbers.
    """
    dtype, low, high = f"<i{width // 8}", -most(width) - 1, most(width)
    random = np.random.default_rng(width)
    flat = [np.full(count, value, dtype) for value in (low, high, -1, low + 1)]
    mixed = random.choice(np.array([low, high, 0, -1, 1, 255 & high, high & ~255], dtype), count)
    return [*flat, np.resize(np.array([low, high], dtype), count), mixed, random.integers(low, high, count, dtype)]


def sparse_matrix(width: int) -> Vector:
    """Rows of `width`-bit numbers with different densities, rows with 0 to 9 entries, and three rows with gaps of about
    128 columns.
    """
    random = np.random.default_rng(width)
    rows = [
        vector * (random.random(COLUMNS) < density) for vector in extremes(width, COLUMNS) for density in (0.1, 0.6)
    ]
    counts = [np.where(np.arange(COLUMNS) < count, rows[-1] | 1, 0) for count in range(10)]
    far = np.zeros((3, COLUMNS), rows[0].dtype)
    far[0, [0, 128, 256]] = far[1, [1, 128, 255, 383]] = far[2, [127, 128, 256, 384, 399]] = 100
    return np.array([*rows, *counts, *far], rows[0].dtype)


def packed(row: Vector, element_bytes: int) -> bytes:
    stream = pack_rows(compress(row[None]), element_bytes)
    assert stream is not None
    return stream.tobytes()


FITTING = (np.full(1024, -63, "i1"), np.resize(np.array([0, 127, -127, 0], "i1"), 1024), extremes(8, 1024)[-1] // 2)
"""Blocks of weights of which four products fit 16 bits, with any vector."""
EXTREMES = [part for width in (8, 16) for part in extremes(width, 1024 * 8 // width)]
DENSE_FLASH = b"".join(part.tobytes() for part in (*EXTREMES, *FITTING))
STARTS = range(0, len(DENSE_FLASH), 1024)
MATRICES = {width: sparse_matrix(width) for width in (8, 16)}
STREAMS = {kernel.pair: [packed(row, kernel.vector // 8) for row in MATRICES[kernel.weights]] for kernel in ROW}
FLASH = DENSE_FLASH + b"".join(b"".join(rows) for rows in STREAMS.values())


def places_of_rows() -> dict[tuple[int, int], list[int]]:
    places: dict[tuple[int, int], list[int]] = {}
    end = len(DENSE_FLASH)
    for pair, rows in STREAMS.items():
        places[pair] = [end + sum(map(len, rows[:i])) for i in range(len(rows))]
        end += sum(map(len, rows))
    return places


ROWS = places_of_rows()


def products(case: Case) -> Vector:
    kernel = case.kernel
    if kernel.form == "row":
        weights = MATRICES[kernel.weights][ROWS[kernel.pair].index(case.start)]
    else:
        memory = case.vector.tobytes() if kernel.ram else FLASH
        weights = np.frombuffer(memory, f"<i{kernel.weights // 8}", case.length, case.start)
    w = weights.astype(np.int64)
    count = 1 if kernel.form == "axpy" else len(weights) * case.stride
    x = case.vector[: count : case.stride].astype(np.int64)
    return (x - w) ** 2 if kernel.form == "distance" else w * x


def fits_in_chunks(case: Case) -> bool:
    """Whether the magnitude of the sum of every chunk of products is at most 2^15 - 256, as kernels with 16-bit sums of
    chunks require.
    """
    chunk = case.kernel.chunk
    values = products(case)
    chunks = np.pad(values, (-len(values) % chunk, 0)).reshape(-1, chunk).sum(1)
    return bool((np.abs(chunks) <= most(16) - 255).all())


def is_provable(case: Case) -> bool:
    """Whether a call meets the kernel's precondition on the magnitude of sums."""
    if case.kernel.form == "axpy":
        return bool((abs(case.sum) + np.abs(products(case)) <= most(case.kernel.sum)).all())
    return abs(case.sum) + int(np.abs(products(case)).sum()) <= most(case.kernel.sum)


def wrapped(value: int, width: int) -> int:
    return ((value + most(width) + 1) & ((1 << width) - 1)) - most(width) - 1


class Device:
    """A program with all kernels, on one device."""

    def __init__(self, runner: Runner, built: Build):
        self.runner, self.built = runner, built

    def scores(self, cases: list[Case]) -> list[list[int]]:
        scores = run(self.runner, self.built, cases).scores
        assert scores is not None
        return scores.tolist()

    def check(self, cases: list[Case]) -> None:
        """Assert that all calls return the exact results.

        On the chip, cases include sums that wrap around. These violate the precondition but show that no carry is lost.
        """
        if self.runner.name == "host":
            cases = [case for case in cases if is_provable(case)]
        for case, (value, *_) in zip(cases, self.scores(cases), strict=True):
            expected = wrapped(case.sum + int(products(case).sum()), case.kernel.sum)
            assert value == expected, f"{case} gives {value}, not {expected}"


@pytest.fixture(scope="module", params=["uno -Os", "uno -O2", "uno -O3", "host -O2"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    # One function enters every kernel at every place, which does not fit an ATmega328P.
    name, optimize = request.param.split()
    runner = HostRunner(sanitize=True) if name == "host" else runner_for("atmega1284p")
    return Device(runner, build(runner, tmp_path_factory.mktemp("kernels"), FLASH, optimize))


def dense_cases(kernel: KernelSignature) -> list[Case]:
    random = np.random.default_rng(1)
    cases: list[Case] = []
    for length in LENGTHS:
        if length * kernel.vector > ELEMENTS * 16:
            continue
        for index, vector in enumerate(extremes(kernel.vector, ELEMENTS * 16 // kernel.vector)):
            turn = index + length
            first = [0, -1, 12345, most(kernel.sum) // 3, -most(kernel.sum) // 3][turn % 5]
            starts = [0] if kernel.ram else [STARTS[(turn + i) % len(STARTS)] for i in range(3)]
            anywhere = int(random.integers(0, 1024)) // 2 * 2
            if length * kernel.weights <= (ELEMENTS * 2 - anywhere) * 8:
                starts.append(anywhere)
            cases += [Case(kernel, vector, start, length, sum=first) for start in starts]
    return cases


def name_of(kernel: KernelSignature) -> str:
    return kernel.name


@pytest.mark.long
@pytest.mark.parametrize("kernel", spread(DENSE, len(DENSE) // 2), ids=name_of)
def test_dense(device: Device, kernel: KernelSignature):
    cases = dense_cases(kernel)
    assert sum(map(is_provable, cases)) > 100
    device.check(cases)


@pytest.mark.parametrize("kernel", CHUNKS, ids=name_of)
def test_chunks(device: Device, kernel: KernelSignature):
    cases = [case for case in dense_cases(kernel) if case.length <= LONGEST_IN_CHUNKS and fits_in_chunks(case)]
    assert {case.length for case in cases} == {length for length in LENGTHS if length <= LONGEST_IN_CHUNKS}
    device.check(cases)


@pytest.mark.parametrize("kernel", STRIDED, ids=name_of)
def test_strided(device: Device, kernel: KernelSignature):
    elements = ELEMENTS * 16 // kernel.vector
    cases = [
        replace(case, stride=stride, length=min(case.length, (elements - 1) // stride + 1))
        for turn, case in enumerate(dense_cases(kernel))
        for stride in [(1, 2, 3, 4, 5, 7, 26, 255, 256, 257, elements - 1)[turn % 11]]
    ]
    assert sum(map(is_provable, cases)) > 100
    device.check(cases)


@pytest.mark.parametrize("kernel", ROW, ids=name_of)
def test_sparse(device: Device, kernel: KernelSignature):
    cases = [
        Case(kernel, vector, start, sum=first)
        for start in ROWS[kernel.pair]
        for vector in extremes(kernel.vector, COLUMNS)
        for first in (0, -most(kernel.sum) // 4)
    ]
    assert sum(map(is_provable, cases)) > 100
    device.check(cases)


def halved(cases: list[Case]) -> list[Case]:
    """The cases with halved vectors."""
    return [replace(case, vector=case.vector >> 1) for case in cases]


@pytest.mark.long
@pytest.mark.parametrize("kernel", DISTANCE, ids=name_of)
def test_distance(device: Device, kernel: KernelSignature):
    cases = halved(dense_cases(kernel)) if kernel.vector == 16 else dense_cases(kernel)
    limit = most(16)
    cases = [case for case in cases if (products(case) <= limit * limit).all()]
    assert sum(map(is_provable, cases)) > 50
    device.check(cases)


@pytest.mark.long
@pytest.mark.parametrize("kernel", AXPY, ids=name_of)
def test_axpy(device: Device, kernel: KernelSignature):
    cases = [
        Case(kernel, np.resize(np.array([factor], f"<i{kernel.vector // 8}"), 2), start, length, sum=first)
        for factor in (-most(kernel.vector) - 1, -1, 0, 1, 77, most(kernel.vector))
        for start in STARTS
        for length in (0, 1, 2, 3, 8, RESULTS)
        for first in (0, 123456, -most(32) // 2)
    ]
    cases = [case for case in cases if is_provable(case)]
    assert len(cases) > 100
    for case, sums in zip(cases, device.scores(cases), strict=True):
        assert sums[: case.length] == (case.sum + products(case)).tolist(), case


@st.composite
def drawn_case(draw: st.DrawFn) -> Case:
    kernel = draw(st.sampled_from(DENSE))
    length = draw(st.integers(0, 40))
    values = st.integers(-most(kernel.vector) - 1, most(kernel.vector))
    vector = np.array(draw(st.lists(values, min_size=length, max_size=length)), f"<i{kernel.vector // 8}")
    memory = ELEMENTS * 2 if kernel.ram else len(DENSE_FLASH)
    start = draw(st.integers(0, (memory - length * kernel.weights // 8) // 2)) * 2
    padded = np.resize(np.append(vector, [0]).astype(vector.dtype), ELEMENTS * 16 // kernel.vector)
    first = draw(st.integers(-most(kernel.sum) // 2, most(kernel.sum) // 2))
    return Case(kernel, padded, start, length, sum=first)


@settings(max_examples=examples(5, 120))
@given(cases=st.lists(drawn_case(), max_size=20))
def test_any_call(device: Device, cases: list[Case]):
    device.check(cases)
