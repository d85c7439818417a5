"""Programs that run kernels for tiles on a device, with random weights and windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from programs.printed import WARNING_FLAGS
from programs.tile_cases import TileCase, tile_case
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Build, Runner, runner_for
from tinyml.runtime.devices.toolchain import symbol_table
from tinyml.runtime.model.interface import Interface
from tinyml.targets.composer.instructions import cycles_of_runs
from tinyml.targets.registry import HOST
from tinyml.targets.tiles import Tile, TileFamily

ELEMENTS, RESULTS = 1400, 128
INTERFACE = Interface("tiles", "int8_t", 4 + ELEMENTS, "int8_t", RESULTS, has_label=False)


def build_cases(
    runner: Runner, cases: Sequence[TileCase], folder: Path, optimize: str = "-O2", end: int | None = None
) -> Build:
    """Build a program that runs the kernel whose number is the first element of the input. The second element is the
    offset of the windows' elements in memory.

    end: the end address of the windows' elements, such as the end of memory; None to use the offset.
    """
    sizes = ", ".join(str(case.input_bytes) for case in cases)
    where, many = ("vector + X[1]", f"{ELEMENTS}") if end is None else (f"(int8_t *){end:#x} - size", "size")
    texts = {name: text for case in cases for name, text in case.texts}
    branches: list[str] = []
    for number, case in enumerate(cases):
        arguments = "(const void *)x, (void *)results"
        if (stream := case.stream) is not None:
            values = ", ".join(map(str, stream))
            texts[f"stream{number}"] = f"static const int8_t stream{number}[] STREAM = {{{values}}};"
            arguments = f"stream{number}, {arguments}"
        branches.append(f"case {number}: {case.symbol}({arguments}); break;")
    (folder / "tiles.h").write_text(
        f"#include <stdint.h>\n#define tiles_INPUT_LENGTH {INTERFACE.input_length}\n"
        f"#define tiles_OUTPUT_LENGTH {RESULTS}\n"
        "const int8_t *tiles_scores(void);\nvoid tiles_predict(const int8_t *X);\n"
        "#ifdef __AVR__\n#define STREAM __attribute__((__progmem__))\n#else\n"
        "#define STREAM __attribute__((aligned(4)))\n#endif\n"
    )
    (folder / "tiles.c").write_text(
        "\n".join(
            [
                '#include "tiles.h"',
                *texts.values(),
                f"static int8_t results[{RESULTS}] __attribute__((aligned(4)));\nint8_t vector[{ELEMENTS + 4}];",
                "const int8_t *tiles_scores(void) { return results; }",
                "void tiles_predict(const int8_t *X)\n{",
                f"    static const int sizes[] = {{{sizes}}};",
                f"    const int size = sizes[X[0]];\n    int8_t *x = {where};",
                f"    for (int i = 0; i < {RESULTS}; i++) results[i] = 99;",
                f"    for (int i = 0; i < {many}; i++) x[i] = X[4 + i];",
                "    (void)size;\n    switch (X[0]) {",
                *branches,
                # No kernel returns to the caller of this function.
                '    }\n    __asm__ volatile("" ::: "memory");\n}',
            ]
        )
    )
    (folder / "build").mkdir(exist_ok=True)
    return runner.build(folder, INTERFACE, folder / "build", optimize, WARNING_FLAGS)


def inputs_of(cases: Sequence[TileCase]) -> NDArray[Any]:
    """One input for each case: the number of its kernel, the offset of its windows, and random bytes.

    In every third input, the first half of the windows, or the only window, contains the least byte.
    """
    random = np.random.default_rng(5)
    inputs = random.integers(-128, 128, (len(cases), 4 + ELEMENTS)).astype(np.int8)
    inputs[:, 0] = np.arange(len(cases))
    inputs[:, 1] = np.arange(len(cases)) % 4
    for row, case in zip(inputs, cases, strict=True):
        row[1] -= row[1] % (case.family.widths.vector // 8)
    for row, case in zip(inputs[::3], cases[::3], strict=True):
        bytes = case.input_bytes
        row[4 : 4 + (bytes if case.tile.count * case.tile.lines == 1 else bytes // 2)] = -128
    return inputs


def check(runner: Runner, build: Build, cases: Sequence[TileCase]) -> None:
    """Assert that the results of all kernels equal those of numpy."""
    inputs = inputs_of(cases)
    scores = runner.run(build, INTERFACE, inputs).scores
    assert scores is not None
    for case, given_, got in zip(cases, inputs, scores, strict=True):
        expected = case.expected(given_[4 : 4 + case.input_bytes])
        np.testing.assert_array_equal(got[: expected.size], expected, err_msg=str(case.tile))
        assert (got[expected.size :] == 99).all(), case.tile


def cases_of(shapes: Sequence[tuple[TileFamily, Tile]]) -> list[TileCase]:
    """The cases of tiles with random weights."""
    random = np.random.default_rng(4)
    return [tile_case(family, tile, random) for family, tile in shapes]


def check_on(devices: Sequence[str], cases: Sequence[TileCase], folder: Path) -> None:
    """Assert that the results of all kernels equal those of numpy on the given devices; the host runs with
    sanitizers.
    """
    for device in devices:
        runner = HostRunner(sanitize=True) if device == HOST else runner_for(device)
        # Sanitizers see the same at -O1, for which gcc takes less time.
        check(runner, build_cases(runner, cases, folder, "-O1" if device == HOST else "-O2"), cases)


def check_times(
    runner: Runner, build: Build, cases: Sequence[TileCase], saturated: int, shifted: int = 0
) -> list[tuple[Tile, int, int]]:
    """Assert that the instructions of calls equal those of the cost model.

    saturated, shifted: the additional instructions of a saturated result in families that requantise, and in those
        that shift. The model assumes that half of the results saturate.

    Returns for each tile a tuple of the tile, its bytes of flash by the model, and those in the program.
    """
    symbols = {symbol.name: symbol for symbol in symbol_table(runner.chip, build.elf)}
    inputs = inputs_of(cases)
    # Each kernel runs for one of the inputs.
    profile = runner.profile(build, INTERFACE, inputs)
    sizes: list[tuple[Tile, int, int]] = []
    for case, content in zip(cases, inputs, strict=True):
        kernel, place, results = (
            case.kernel,
            symbols[case.symbol],
            case.unlimited(case.elements(content[4 : 4 + case.input_bytes])),
        )
        code = range(place.address & ~1, (place.address & ~1) + place.size)
        spent = round(sum(time for (_, pc), time in profile.spent.items() if pc in code) * len(cases))
        least, more = (-127, shifted) if case.family.shifts else (-128, saturated)
        beyond = ((results < least) | (results > 127)).sum() - results.size / 2
        assert kernel.composed is not None
        assert kernel.composed.costs[""] + more * beyond == spent, case.tile
        if (timing := runner.board.timing) is not None:
            # Each instruction outside takes a cycle to three, but the end of a low-overhead loop none, and the return
            # refills the pipeline.
            counted, core = profile.result.cycles, profile.result.core_cycles
            assert counted is not None
            assert core is not None
            outside = int(counted[content[0]]) - spent
            cycles = int(core[content[0]]) - cycles_of_runs(timing, kernel.composed.runs) - timing.refill
            least = outside / 2 if timing.modelled else outside
            assert least <= cycles <= 3 * outside, case.tile
        sizes.append((case.tile, kernel.code, place.size))
    return sizes


def drawn_cases(families: Sequence[TileFamily]) -> st.SearchStrategy[list[TileCase]]:
    """Lists of 5 to 10 random cases of tiles.

    families: the family for dot products and the family for depthwise filters. Each shape that a family does not
        support is replaced by one that it supports.
    """
    dots, by_channels = families

    @st.composite
    def drawn_tile(draw: st.DrawFn) -> TileCase:
        by_channel = draw(st.booleans())
        rows, runs, count = draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 9))
        width, across = draw(st.integers(1, 5)), draw(st.integers(1, 4))
        channels = rows if by_channel else draw(st.integers(1, 24))
        if by_channel:
            rows = channels
        pitch = ((count - 1) * across + width + draw(st.integers(0, 2))) * channels
        tile = Tile(rows, runs, width * channels, pitch, across * channels, count, draw(st.integers(-128, 127)))
        family = by_channels if by_channel else dots
        if tile.elements > ELEMENTS or family.kernel(tile) is None:
            tile = Tile(2, 1, 4, 0, 4, 2, 0) if not by_channel else Tile(2, 1, 4, 0, 2, 2, 0)
        if family.to_even:
            tile = replace(tile, to_even=draw(st.integers(0, 1)))
        if family.shifts:
            tile = replace(tile, zero=0, right=draw(st.integers(1, family.bits - 1)))
        return tile_case(family, tile, np.random.default_rng(draw(st.integers(0, 1 << 20))))

    return st.lists(drawn_tile(), min_size=5, max_size=10)
