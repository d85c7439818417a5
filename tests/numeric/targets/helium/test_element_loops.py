"""Loops over elements on a Cortex-M55 return the same bits as the operations of the number formats, and execute as many
instructions as the composer counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import need_tools
from programs.printed import WARNING_FLAGS
from programs.spread import examples
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerType, MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tinyml.dialects import num
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.machine.machine import Machine
from tinyml.dialects.machine.numpy_machine import NumpyMachine
from tinyml.dialects.num.kernels.lane_programs import LaneProgram
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Runner, runner_for
from tinyml.runtime.devices.toolchain import symbol_table
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.helium.kernels import ELEMENTS
from tinyml.targets.kernel import Kernel
from tinyml.transforms.loops.kernels.lane_recorder import Element, LaneRecorder

M55 = "cortex-m55"
PAIRS = examples(1 << 13, 1 << 16)
"""The elements of a run, which are pairs of bytes, in `make exhaustive` all of them, or random halfwords."""

STEP = 40503
"""From one pair to the next, as numbers of 16 bits."""

INTERFACE = Interface("loops", "int8_t", 4, "int16_t", PAIRS, has_label=False)

Compute = Callable[[Machine[Any], Sequence[Any]], Any]


@dataclass(frozen=True, eq=False)
class Case:
    """A loop over the first `count` elements of runs, one run for each of `formats`.

    result: the format of the results.
    compute: computes a result from one element of each run.
    window: the rows and columns of the window of a pool.
    recorded: if not None, records the loop in place of `compute`.
    """

    formats: Sequence[NumberFormat]
    result: NumberFormat
    compute: Compute
    count: int = PAIRS
    window: tuple[int, int] = (1, 1)
    recorded: Callable[[LaneRecorder, Element], Element] | None = None

    @cached_property
    def program(self) -> LaneProgram:
        types = [MemRefType(IntegerType(8 * each.dtype.itemsize), [1]) for each in (*self.formats, self.result)]
        block = Block(arg_types=[*types, IndexType()])
        recorder, (*runs, out, lane) = LaneRecorder(block), block.args
        if self.recorded is not None:
            made = self.recorded(recorder, recorder.load(runs[0], lane))
        elif self.window == (1, 1):
            made = self.compute(recorder, [recorder.load(run, lane) for run in runs])
        else:
            made = self.compute(recorder, [self._total(recorder, runs[0], lane)])
        recorder.store(made, out, lane)
        function = num.LaneFunctionOp("case", [self.count], Region(block))
        function.verify_()
        return lane_program(function)

    def _total(self, recorder: LaneRecorder, run: SSAValue, lane: SSAValue) -> Element:
        """The sum over a window. The start of a row of the window is one element further from the previous row than
        necessary.
        """
        rows, columns = self.window

        def row(i: SSAValue, totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
            def column(j: SSAValue, inner: Sequence[SSAValue]) -> Sequence[SSAValue]:
                a, b, c = map(AffineExpr.dimension, range(3))
                map_of = AffineMap(3, 0, (a + b * (columns * self.count + 1) + c * self.count,))
                at = recorder.put(affine.ApplyOp([lane, i, j], AffineMapAttr(map_of)))
                return [recorder.register(self.result.tally(recorder, Element(inner[0], 32), recorder.load(run, at)))]

            return recorder.reduce([num.SUM], totals, range(columns), column)

        zero = recorder.register(recorder.int_constant(0, 32))
        return Element(recorder.reduce([num.SUM], [zero], range(rows), row)[0], 32)

    @cached_property
    def kernel(self) -> Kernel:
        kernel = ELEMENTS.kernel(self.program)
        assert kernel is not None, self
        return kernel

    def expected(self, runs: Sequence[np.ndarray]) -> np.ndarray:
        if self.window == (1, 1):
            values = [run.astype(format.dtype)[: self.count] for run, format in zip(runs, self.formats, strict=False)]
            return np.asarray(self.compute(NumpyMachine(), values))
        rows, columns = self.window
        total = np.zeros(self.count, np.int32)
        for row, column in itertools.product(range(rows), range(columns)):
            first = row * (columns * self.count + 1) + column * self.count
            total += runs[0].astype(np.int8)[first : first + self.count]
        return np.asarray(self.compute(NumpyMachine(), [total]))


def runs_of(case: Case) -> list[np.ndarray]:
    """The operands of a loop: two runs of PAIRS elements, multiples of constants modulo 2^16. Runs of bytes together
    contain all pairs of bytes.
    """
    every = np.arange(PAIRS)
    if case.formats[0].dtype.itemsize == 1:
        pairs = every * STEP
        return [(pairs >> 8).astype(np.int8), pairs.astype(np.int8)]
    return [(every * factor).astype(np.int16) for factor in (STEP, 24421)]


def skewed(random: np.random.Generator, scale: float | None = None, *, to_even: bool = False) -> ZeroSkewType:
    scale = float(np.exp(random.uniform(-5, 1))) if scale is None else scale
    return ZeroSkewType(8, scale, int(random.integers(-128, 128)), to_even=to_even)


def joined(name: str, formats: Sequence[NumberFormat], result: NumberFormat, count: int = PAIRS) -> Case:
    """The case of a sum, difference or product of two elements.

    name: the name of the method of `NumberFormat` for this operation.
    """

    def compute(m: Machine[Any], x: Sequence[Any]) -> Any:
        return getattr(result, name)(m, x[0], formats[0], x[1], formats[1])

    return Case(formats, result, compute, count)


def cases() -> list[Case]:
    random = np.random.default_rng(11)
    found = [joined("add", [skewed(random), skewed(random)], skewed(random)) for _ in range(3)]
    found += [joined("sub", [skewed(random), skewed(random)], skewed(random))]
    found += [joined("mul", [skewed(random), skewed(random)], skewed(random))]
    # Scales whose ratio is a power of two: halves are frequent, and every second negative one rounds another way.
    found += [
        joined("add", [skewed(random, 0.5), skewed(random, scale)], ZeroSkewType(8, result, zero))
        for scale, result, zero in ((0.125, 1.0, 0), (0.5, 4.0, -128), (0.0625, 2.0, 5))
    ]
    wide = [ZeroSkewType(16, scale) for scale in (0.01, 0.023, 0.017)]
    found += [joined("add", wide[:2], wide[2]), joined("add", wide[:2], wide[2], 5)]
    fixed = [FixedType(8, 4), FixedType(8, 1), FixedType(8, 3)]
    found += [joined(name, fixed[:2], fixed[2], count) for name in ("add", "sub", "mul") for count in (PAIRS, 3)]
    narrow, clamped = skewed(random), skewed(random)
    found += [Case([narrow], clamped, lambda m, x: clamped.recode(m, x[0], narrow), count) for count in (PAIRS, 1, 7)]
    found += [Case([clamped], clamped, lambda m, x: clamped.clamp(m, x[0], 0.0, 6 * clamped.scale))]
    found += [
        Case(
            [narrow],
            narrow,
            lambda m, x, taps=rows * columns: narrow.average(m, x[0], taps, narrow),
            count,
            (rows, columns),
        )
        for rows, columns, count in ((8, 8, 64), (3, 5, 61), (2, 1, 2), (1, 9, 130))
    ]
    found += [Case([narrow], clamped, lambda m, x: clamped.mean(m, x[0], 49, narrow), 97, (7, 7))]
    found += [Case(fixed[:1], fixed[0], lambda m, x: 6 * x[0] + 3, recorded=successors)]
    return [*found, *cases_to_even()]


def cases_to_even() -> Iterator[Case]:
    """Yield cases that round halves to even. With random scales no result is a tie; with scales that are powers of two,
    every second or fourth result is a tie. Some loops have 1 or 7 elements, which do not fill a vector.
    """
    random = np.random.default_rng(12)
    for scales in ((None, None, None), (0.5, 0.125, 1.0), (0.5, 0.5, 4.0), (0.0625, 0.5, 0.25)):
        lhs, rhs, result = (skewed(random, scale, to_even=True) for scale in scales)
        yield joined("add", [lhs, rhs], result)
        yield joined("mul", [lhs, rhs], result)
    for scale, result in ((0.0123, 0.0456), (0.125, 0.25), (0.125, 1.0), (0.5, 0.5), (1.0, 0.25), (0.75, 2.0)):
        for count in (PAIRS, 1, 7):
            pair = skewed(random, scale, to_even=True), skewed(random, result, to_even=True)
            yield Case(pair[:1], pair[1], partial(_recoded, *pair), count)
    for rows, columns, count in ((8, 8, 64), (2, 2, 61), (2, 1, 2), (3, 3, 130)):
        for scale in (None, 0.5):
            format = skewed(random, scale, to_even=True)
            yield Case([format], format, partial(_averaged, format, rows * columns), count, (rows, columns))


def _recoded(given: NumberFormat, result: NumberFormat, m: Machine[Any], x: Sequence[Any]) -> Any:
    return result.recode(m, x[0], given)


def _averaged(format: NumberFormat, taps: int, m: Machine[Any], x: Sequence[Any]) -> Any:
    return format.average(m, x[0], taps, format)


def successors(recorder: LaneRecorder, x: Element) -> Element:
    """Record a loop of two iterations, each of which adds a number three times to a total and increases the number by
    one. Return the total.
    """

    def outer(_: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        number, total = carried
        following = recorder.addi(Element(number, 32), recorder.int_constant(1, 32))

        def inner(_: SSAValue, totals: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [recorder.register(recorder.addi(Element(totals[0], 32), Element(number, 32)))]

        return [recorder.register(following), *recorder.reduce([num.SUM], [total], range(3), inner)]

    starts = [recorder.register(x), recorder.register(recorder.int_constant(0, 32))]
    return Element(recorder.reduce([num.SUM, num.SUM], starts, range(2), outer)[1], 32)


def written(cases: Sequence[Case], folder: Path) -> None:
    """Write a program that runs the case whose number is the first byte of the input. Its outputs are the results of
    the case; elements that the case does not write are 99.
    """
    texts = {name: text for case in cases for name, text in texts_of(case.kernel, M55)}
    branches: list[str] = []
    for number, case in enumerate(cases):
        narrow = case.formats[0].dtype.itemsize == 1
        runs = [f"{'bytes' if narrow else 'halfwords'}[{run}]" for run in range(len(case.formats))]
        size = case.result.dtype.itemsize
        results = "narrow" if size == 1 else "wide"
        branches.append(f"case {number}: {case.kernel.symbol}({', '.join(runs)}, {results}); size = {size}; break;")
    (folder / "loops.h").write_text(
        f"#include <stdint.h>\n#define loops_INPUT_LENGTH 4\n#define loops_OUTPUT_LENGTH {PAIRS}\n"
        "const int16_t *loops_scores(void);\nvoid loops_predict(const int8_t *X);\n"
    )
    (folder / "loops.c").write_text(
        "\n".join(
            [
                '#include "loops.h"',
                *texts.values(),
                f"static int16_t out[{PAIRS}], wide[{PAIRS}], halfwords[2][{PAIRS}];",
                f"static int8_t narrow[{PAIRS}], bytes[2][{PAIRS}];",
                "const int16_t *loops_scores(void) { return out; }",
                "void loops_predict(const int8_t *X)\n{\n    int size = 0;",
                f"    for (int i = 0; i < {PAIRS}; i++) {{",
                "        narrow[i] = 99, wide[i] = 99;",
                f"        const unsigned pair = (unsigned)i * {STEP}u;",
                "        bytes[0][i] = (int8_t)(pair >> 8), bytes[1][i] = (int8_t)pair;",
                "        halfwords[0][i] = (int16_t)pair, halfwords[1][i] = (int16_t)((unsigned)i * 24421u);\n    }",
                "    switch (X[0]) {",
                *branches,
                f"    }}\n    for (int i = 0; i < {PAIRS}; i++) out[i] = size == 1 ? narrow[i] : wide[i];\n}}",
            ]
        )
    )


@pytest.mark.long
@pytest.mark.parametrize("device", ["host", M55])
def test_pairs_of_bytes(device: str, tmp_path: Path):
    given, on_host = cases(), device == "host"
    if not on_host:
        need_tools(device)
    written(given, tmp_path)
    runner: Runner = HostRunner(sanitize=True) if on_host else runner_for(device)
    build = runner.build(tmp_path, INTERFACE, tmp_path, "-O1", WARNING_FLAGS)
    inputs = np.zeros((len(given), 4), np.int8)
    inputs[:, 0] = np.arange(len(given))
    profile = None if on_host else runner.profile(build, INTERFACE, inputs)
    result = runner.run(build, INTERFACE, inputs) if profile is None else profile.result
    assert result.scores is not None
    for number, (case, got) in enumerate(zip(given, result.scores, strict=True)):
        expected = case.expected(runs_of(case))
        np.testing.assert_array_equal(got[: case.count], expected, err_msg=f"case {number}")
        assert (got[case.count :] == 99).all(), number
    if profile is not None:
        symbols = {symbol.name: symbol for symbol in symbol_table(runner.chip, build.elf)}
        for number, case in enumerate(given):
            place, composed = symbols[case.kernel.symbol], case.kernel.composed
            code = range(place.address & ~1, (place.address & ~1) + place.size)
            spent = round(sum(time for (_, pc), time in profile.spent.items() if pc in code) * len(given))
            assert composed is not None
            assert composed.costs[""] == spent, number
            assert place.size <= case.kernel.code <= 1.35 * place.size, number
