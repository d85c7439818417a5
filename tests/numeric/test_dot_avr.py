"""The kernels of the runtime are exact: assembly on the simulated chip and its C twin on the host, against numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernel_program import DENSE, ELEMENTS, SCALAR, SPARSE, Case, build, results, run
from tinyml.dialects.packed_rows import pack_rows
from tinyml.runtime.device import Build, Runner
from tinyml.runtime.runner import runner_for

KERNELS = [*DENSE, *(f"sparse_{name}" for name in SPARSE), *SCALAR]
LENGTHS = (*range(18), 31, 32, 33, 63, 64, 65, 255, 256, 257, 300, 511, 512, 513, 767, 768, 1000, 1024)
COLUMNS = 400
Vector = NDArray[Any]


def extremes(width: int, count: int) -> list[Vector]:
    """Vectors of one value, of alternating extremes, and random ones."""
    dtype, low, high = f"<i{width // 8}", -(1 << (width - 1)), (1 << (width - 1)) - 1
    random = np.random.default_rng(width)
    flat = [np.full(count, value, dtype) for value in (low, high, -1, low + 1)]
    mixed = random.choice(np.array([low, high, 0, -1, 1, 255 & high, high & ~255], dtype), count)
    return [*flat, np.resize(np.array([low, high], dtype), count), mixed, random.integers(low, high, count, dtype)]


DENSE_FLASH = b"".join(part.tobytes() for width in (8, 16) for part in extremes(width, 1024 * 8 // width))
STARTS = range(0, len(DENSE_FLASH), 1024)


def sparse_matrix(width: int) -> Vector:
    """Rows of 0 to all entries, with gaps of every kind."""
    random = np.random.default_rng(width)
    rows = [
        vector * (random.random(COLUMNS) < density) for vector in extremes(width, COLUMNS) for density in (0.1, 0.6)
    ]
    counts = [np.where(np.arange(COLUMNS) < count, rows[-1] | 1, 0) for count in range(10)]
    far = np.zeros((3, COLUMNS), rows[0].dtype)
    far[0, [0, 255, 256]] = far[1, [1, 257, 399]] = far[2, [127, 128, 256, 398]] = 100
    return np.array([*rows, *counts, *far], rows[0].dtype)


MATRICES = {width: sparse_matrix(width) for width in (8, 16)}
STREAMS = {
    (w, x): [pack_rows(row[None], x // 8).tobytes() for row in MATRICES[w]] for w, x in ((8, 8), (8, 16), (16, 16))
}
FLASH = DENSE_FLASH + b"".join(b"".join(rows) for rows in STREAMS.values())
ROWS: dict[tuple[int, int], list[int]] = {}
_place = len(DENSE_FLASH)
for _key, _rows in STREAMS.items():
    ROWS[_key] = [_place + sum(map(len, _rows[:i])) for i in range(len(_rows))]
    _place += sum(map(len, _rows))


def wrapped(value: int, width: int) -> int:
    return (value + (1 << (width - 1)) & (1 << width) - 1) - (1 << (width - 1))


def saturated(value: int, shift: int, width: int) -> int:
    limit = (1 << (width - 1)) - 1
    return max(-limit, min(limit, value >> shift))


def exact(case: Case) -> int:
    """In unbounded integers."""
    if case.kernel in SCALAR:
        wide, narrow = (int(width[1:]) for width in case.kernel.split("_")[1:])
        if case.kernel.startswith("round"):
            return saturated(wrapped(case.sum, wide), case.shift, narrow)
        a, b = wrapped(case.sum, wide), wrapped(case.sum >> 32, wide)
        return saturated(a * b + (1 << (case.shift - 1)), case.shift, wide)
    name = case.kernel.removeprefix("sparse_")
    weight, _, _ = DENSE[name]
    if name != case.kernel:
        widths = DENSE[name][0], DENSE[name][1]
        weights = MATRICES[weight][ROWS[widths].index(case.start)]
    else:
        memory = case.vector.tobytes() if name.endswith("_ram") else FLASH
        weights = np.frombuffer(memory, f"<i{weight // 8}", case.length, case.start)
    vector = case.vector[: len(weights)].astype(np.int64)
    return case.sum + int(weights.astype(np.int64) @ vector)


def most(width: int) -> int:
    return (1 << (width - 1)) - 1


def sum_width(case: Case) -> int:
    return DENSE[case.kernel.removeprefix("sparse_")][2]


def is_provable(case: Case) -> bool:
    """Do the products, and their sum with the start, keep the kernel's promise?"""
    width = sum_width(case)
    total = exact(case)
    return abs(total - case.sum) <= most(width) and abs(total) <= most(width) and abs(case.sum) <= most(width)


class Device:
    def __init__(self, runner: Runner, folder: Path, flags: tuple[str, ...]):
        self.runner = runner
        # All kernels and tables together exceed the flash of the chip.
        self.groups = [KERNELS[i::3] for i in range(3)]
        self.built: list[Build] = [
            build(runner, folder / str(i), FLASH, group, flags) for i, group in enumerate(self.groups)
        ]

    def run(self, cases: list[Case]) -> list[int]:
        found: dict[int, int] = {}
        for group, built in zip(self.groups, self.built, strict=True):
            mine = [case for case in cases if case.kernel in group]
            if mine:
                values = results(run(self.runner, built, group, mine), mine)
                found |= {id(case): value for case, value in zip(mine, values, strict=True)}
        return [found[id(case)] for case in cases]

    def check(self, cases: list[Case], wrap: bool = False) -> None:
        for case, value in zip(cases, self.run(cases), strict=True):
            expected = wrapped(exact(case), sum_width(case)) if wrap else exact(case)
            if not wrap or sum_width(case) != 24:
                assert value == expected, f"{case} gives {value}, not {expected}"


@pytest.fixture(scope="module", params=["simavr -Os", "simavr -O2", "simavr -O3", "host -O2"])
def device(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Device:
    name, *flags = request.param.split()
    return Device(runner_for(name), tmp_path_factory.mktemp("kernels"), tuple(flags))


def dense_cases(name: str) -> list[Case]:
    weight, width, total = DENSE[name]
    random = np.random.default_rng(1)
    cases: list[Case] = []
    for length in LENGTHS:
        if length * width > ELEMENTS * 16:
            continue
        for index, vector in enumerate(extremes(width, ELEMENTS * 16 // width)):
            starts = [0] if name.endswith("_ram") else [STARTS[(index + length + i) % len(STARTS)] for i in range(3)]
            first = [0, -1, 12345, most(total) // 3, -most(total) // 3][(index + length) % 5]
            cases += [Case(name, vector, start, length, sum=first) for start in starts]
            odd = int(random.integers(0, 1024))
            if length * weight <= (ELEMENTS * 2 - odd) * 8:
                cases.append(Case(name, vector, odd, length, sum=first))
    return cases


@pytest.mark.parametrize("name", DENSE)
def test_dense(device: Device, name: str):
    provable = [case for case in dense_cases(name) if is_provable(case)]
    assert len(provable) > 100
    device.check(provable)


@pytest.mark.parametrize("name", DENSE)
def test_sums_wrap_around(device: Device, name: str):
    """More than is promised, but it shows that no carry is lost."""
    if device.runner.name == "simavr":
        device.check(dense_cases(name), wrap=True)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse(device: Device, name: str):
    weight, width, total = SPARSE[name]
    cases = [
        Case(f"sparse_{name}", vector, start, sum=first)
        for start in ROWS[weight, width]
        for vector in extremes(width, COLUMNS)
        for first in (0, -most(total) // 4)
    ]
    provable = [case for case in cases if is_provable(case)]
    assert len(provable) > 100
    device.check(provable)


@pytest.mark.parametrize("name", SPARSE)
def test_rows_follow_each_other(device: Device, name: str):
    weight, width, _ = SPARSE[name]
    starts = ROWS[weight, width]
    cases = [Case(f"sparse_{name}", np.zeros(COLUMNS, f"<i{width // 8}"), start) for start in starts]
    group = next(i for i, group in enumerate(device.groups) if cases[0].kernel in group)
    outcome = run(device.runner, device.built[group], device.groups[group], cases)
    assert outcome.scores is not None
    lengths = [len(row) for row in STREAMS[weight, width]]
    assert outcome.scores[:, 1].tolist() == [start + length for start, length in zip(starts, lengths, strict=True)]


def round_values(width: int) -> list[int]:
    limit = 1 << (width - 1)
    near = [sign * (1 << bit) + step for bit in range(width) for sign in (1, -1) for step in (-2, -1, 0, 1)]
    random = np.random.default_rng(3).integers(-limit, limit, 200).tolist()
    return [value for value in [*near, *random] if -limit <= value < limit]


@pytest.mark.parametrize("name", ["round_s32_s16", "round_s32_s8", "round_s16_s8"])
def test_round(device: Device, name: str):
    wide = int(name.split("_")[1][1:])
    nothing = np.zeros(0, np.int8)
    shifts = range(1, 25 if wide == 32 else 16)
    device.check([Case(name, nothing, shift=s, sum=value) for s in shifts for value in round_values(wide)])


@pytest.mark.parametrize("name", ["mul_s16_s16", "mul_s8_s8"])
def test_mul(device: Device, name: str):
    width = int(name.split("_")[1][1:])
    nothing, limit = np.zeros(0, np.int8), 1 << (width - 1)
    # The greatest magnitude of a format is the same on both sides.
    values = [value for value in round_values(width) if value != -limit]
    random = np.random.default_rng(4)
    pairs = [(a, b) for a in (1 - limit, limit - 1, 0, -1, 1) for b in values]
    pairs += random.integers(1 - limit, limit, (1000, 2)).tolist()
    device.check(
        [
            Case(name, nothing, shift=int(shift), sum=(b << 32) + (a & 0xFFFFFFFF))
            for (a, b) in pairs
            for shift in random.choice(np.arange(1, 2 * width - 1 if width == 8 else 25), 2)
        ]
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_any_call(device: Device, data: st.DataObject):
    cases: list[Case] = []
    for _ in range(20):
        name = data.draw(st.sampled_from(sorted(DENSE)))
        weight, width, total = DENSE[name]
        length = data.draw(st.integers(0, 40))
        limits = st.integers(-(1 << (width - 1)), (1 << (width - 1)) - 1)
        vector = np.array(data.draw(st.lists(limits, min_size=length, max_size=length)), f"<i{width // 8}")
        memory = ELEMENTS * 2 if name.endswith("_ram") else len(DENSE_FLASH)
        start = data.draw(st.integers(0, memory - length * weight // 8))
        padded = np.resize(np.append(vector, [0]).astype(vector.dtype), ELEMENTS * 16 // width)
        first = data.draw(st.integers(-most(total) // 2, most(total) // 2))
        cases.append(Case(name, padded, start, length, sum=first))
    device.check([case for case in cases if is_provable(case)])
