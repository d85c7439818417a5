"""A machine with a 16-bit `int`, defined by a test package, runs all kernels in plain C and the test suites of
chips.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from programs import kernel_models
from programs.coded_rows import CodedProgram, expected, random_rows, vectors
from programs.kernel_batches import check_batch
from programs.kernel_calls import Case, build, run
from programs.kernel_tables import kernels_of, row_coder
from programs.paths import ROOT
from programs.plugins import package_of
from programs.spread import EXHAUSTIVE, spread
from programs.tile_cases import TileCase, coded_tile_case, tile_case
from programs.tile_programs import build_cases, check

from tinyml.dialects.layouts.packed_bits import WIDTHS, pack_bits
from tinyml.dialects.layouts.sparse_rows import compress, delta_rows
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.targets.c.composer.compose import PLAIN
from tinyml.targets.chip import Chip
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import boards, chips
from tinyml.targets.tiles import Tile, TileCoder, TileFamily
from tinyml.tools.calibration.avr import KernelSignature

SIXTEEN = "sixteen"
"""The board of the package in tests/plugins."""

AT_ONCE = 15
"""Programs or tiles in one build."""

BYTES_AT_ONCE = 10_000
"""Maximum bytes of constants in one build of several programs, so that they and the stack fit the RAM."""


@pytest.fixture
def runner() -> Iterator[Runner]:
    with package_of(SIXTEEN):
        yield runner_for(SIXTEEN)


def kernels_by_target() -> dict[str, list[Kernel]]:
    """For each target, its listed and composed kernels; a kernel of several targets occurs only once."""
    # What is composed in plain C is the same on all chips.
    plain = [kernel for kernel in kernel_models.composed("riscv") if kernel.symbol.startswith(PLAIN)]
    found, seen = {SIXTEEN: plain}, {kernel.symbol for kernel in plain}
    for target in (board.name for board in boards()):
        kernels = [*kernels_of(target), *kernel_models.composed(target)]
        found[target] = [kernel for kernel in kernels if kernel.symbol not in seen]
        seen |= {kernel.symbol for kernel in kernels}
    return found


def batches(kernels: list[Kernel]) -> Iterator[tuple[int, list[Kernel]]]:
    """Yield consecutive kernels whose programs are built at once, each time with the number of the first."""
    first = bytes = 0
    for number, kernel in enumerate(kernels):
        own = sum(kernel_models.weights_of(kernel, length).size for length in kernel_models.lengths_of(kernel))
        own = own * kernel.weights // 8
        if number > first and (number - first == AT_ONCE or bytes + own > BYTES_AT_ONCE):
            yield first, kernels[first:number]
            first, bytes = number, 0
        bytes += own
    if kernels:
        yield first, kernels[first:]


KERNELS = kernels_by_target()
BATCHES = [
    pytest.param(target, some, id=f"{target}-{first}")
    for target, kernels in KERNELS.items()
    for first, some in batches(kernels)
]


@pytest.mark.long
@pytest.mark.parametrize(("target", "kernels"), spread(BATCHES, 3))
def test_kernels_that_programs_call(
    target: str, kernels: list[Kernel], runner: Runner, tmp_path: Path, kernel_programs: Path
):
    """Kernels are exact on the 16-bit machine, in programs that are compiled for this machine and for other chips."""
    check_batch(kernels, target, runner, tmp_path, kernel_programs)


def test_no_kernel_is_left_out():
    run = {kernel.symbol for kernels in KERNELS.values() for kernel in kernels}
    assert {kernel.symbol for chip in chips() for kernel in chip.kernels} <= run


ROW = 70
COUNTS = (0, 1, 2, 3, 7, 8, 9, 17, 33)
"""Lengths of rows of packed weights, for every rest of a group, and the entries of sparse rows."""


def signature(form: str, weights: int, vector: int) -> KernelSignature:
    name = f"{'near_' if form == 'near' else ''}s{weights}_s{vector}_s32"
    return KernelSignature(name, form, weights, vector, 32, ram=False)


def stream_of(form: str, row: NDArray[np.int64], width: int) -> bytes:
    if form == "dense":
        return pack_bits(row, width).tobytes()
    rows = delta_rows(compress(row[np.newaxis].astype("<i1" if width <= 8 else "<i2")), ROW, width)
    assert rows is not None
    return rows.stream().tobytes()


@pytest.mark.long
@pytest.mark.parametrize("form", ["dense", "near"])
def test_packed_weights_of_every_width(form: str, runner: Runner, tmp_path: Path):
    """Kernels for packed weights of every width are exact, for random and for least weights. All elements of a vector
    are equal: the least number of its width, halved until the sum does not overflow.
    """
    random, flash = np.random.default_rng(1), bytearray()
    cases: list[Case] = []
    sums: list[int] = []
    for width in WIDTHS:
        for count in COUNTS:
            row, low = np.zeros(ROW, np.int64), -1 << width - 1
            places = slice(count) if form == "dense" else random.choice(ROW, count, replace=False)
            row[places] = random.integers(low, -low, count) if count % 2 else low
            start = len(flash)
            flash += stream_of(form, row[:count] if form == "dense" else row, width)
            for vector in (8, 16, 12)[: 2 if form == "dense" else 3]:
                value = -1 << vector - 1
                while int(np.abs(row * value).sum()) >= 1 << 31:
                    value >>= 1
                x = np.full(ROW, value)
                stored = x.astype(f"<i{vector // 8}") if vector % 8 == 0 else pack_bits(x, vector).view(np.int8)
                cases.append(Case(signature(form, width, vector), stored, start, count))
                sums.append(int((row * value).sum()))
    kernels = list(dict.fromkeys(case.kernel for case in cases))
    scores = run(runner, build(runner, tmp_path, bytes(flash), "-Os", kernels), cases, kernels).scores
    assert scores is not None
    assert scores[:, 0].tolist() == sums


TILES = (
    Tile(5, 3, 9, 21, 3, 5, -5),
    Tile(7, 1, 45, 0, 45, 3, -128),
    Tile(9, 1, 72, 0, 72, 1, 127),
    Tile(4, 3, 12, 40, 4, 8, -128),
    Tile(5, 2, 20, 100, 10, 9, 127),
    Tile(7, 3, 24, 50, 8, 7, -128),
    Tile(7, 3, 24, 74, 8, 7, 5, lines=2),
)
"""Rows and windows of which each family and each coder has some."""


def tiles_of(family: TileFamily) -> list[Tile]:
    """The tiles in `TILES`, adapted to the family, for which the family has kernels."""
    tiles = [replace(tile, right=11, zero=0) if family.shifts else tile for tile in TILES]
    by_channel = family.channels
    fitting = [tile for tile in tiles if tile.lines == family.lines and not (by_channel and tile.length % tile.rows)]
    return [tile for tile in fitting if family.kernel(tile) is not None]


def cases_of(chip: Chip) -> list[TileCase]:
    random = np.random.default_rng(2)
    cases = [tile_case(family, tile, random) for family in chip.entries_of(TileFamily) for tile in tiles_of(family)]
    assert {case.family.name for case in cases} == {family.name for family in chip.entries_of(TileFamily)}
    coded = [
        coded_tile_case(coder, tile, random)
        for coder in chip.entries_of(TileCoder)
        for tile in tiles_of(coder.family)
        if tile.rows * tile.count > 9
    ]
    assert {case.coder.name for case in coded} == {coder.name for coder in chip.entries_of(TileCoder)}
    return [*cases, *coded]


CHIPS = pytest.mark.parametrize(
    "chip", [chip for chip in chips() if chip.entries_of(TileFamily)], ids=lambda chip: chip.name
)


@pytest.mark.long
@CHIPS
def test_tiles(chip: Chip, runner: Runner, tmp_path: Path):
    cases = cases_of(chip)
    for first in range(0, len(cases), AT_ONCE):
        some = cases[first : first + AT_ONCE]
        check(runner, build_cases(runner, some, tmp_path), some)


@pytest.mark.long
@pytest.mark.parametrize("target", [board.name for board in boards() if row_coder(board.name) is not None])
def test_coded_rows(target: str, runner: Runner, tmp_path: Path):
    random = np.random.default_rng(3)
    some = [random_rows(random, rows, lengths) for rows, lengths in ((1, [1]), (7, [30, 12, 5]), (70, [3]))]
    calls = [(number, vector) for number, rows in enumerate(some) for vector in vectors(random, rows, 6)]
    results, _ = CodedProgram(target, runner, tmp_path, some).run(calls)
    for (number, vector), result in zip(calls, results, strict=True):
        np.testing.assert_array_equal(result, expected(some[number], vector))


SUITES = {
    "dialects/formats/test_formats_on_devices.py": "(elementwise and posit.p-16) or (network and fixed.q-16)",
    "transforms/loops/test_packed_programs.py": "(lengths and 10-9) or (packed and bonsai and fixed:12)",
    "targets/test_generated_c.py": "sixteen and not kernels_are_selected",
    "lowering/frontends/test_random_networks.py": "sixteen",
    "lowering/frontends/onnx/test_onnx_devices.py": "sixteen and not encoder-16",
    "lowering/frontends/tflite/test_tflite_bits.py": "sixteen and int8",
    "runtime/include": "sixteen and not near and not extremes and not any_call and not O3 and not static_bytes",
    "runtime/evaluator": "sixteen and (tanh or None)",
    "runtime/devices/test_runners.py": "sixteen and not static_bytes",
}
"""Files of tests that take their boards from the registry, and which of their tests are run here.

Those whose arrays do not fit the RAM are left out; the tests above run these kernels. Constants lie in RAM, too.
"""


@pytest.mark.long(seconds=20)
def test_the_suites_of_chips(tmp_path: Path):
    """The test suites of chips pass for the package, which they find by its entry point."""
    package, entries = ROOT / "tests" / "plugins" / SIXTEEN, tmp_path / "sixteen-1.dist-info"
    entries.mkdir()
    (entries / "METADATA").write_text("Metadata-Version: 2.1\nName: sixteen\nVersion: 1\n")
    (entries / "entry_points.txt").write_text("[tinyml.chips]\nsixteen = sixteen.chip:CHIP\n")
    # What is run is chosen by name, and not a spread.
    environment = {
        **os.environ,
        "TESTED_BOARD": SIXTEEN,
        EXHAUSTIVE: "1",
        "PYTHONPATH": f"{package}{os.pathsep}{tmp_path}",
    }
    chosen = " or ".join(f"({Path(file).stem} and ({tests}))" for file, tests in SUITES.items())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen]
    folders = [ROOT / "tests" / "numeric" / file for file in SUITES]
    done = subprocess.run([*command, *folders], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
