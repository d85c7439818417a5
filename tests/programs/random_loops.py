"""Random loops over elements, what their steps give on unbounded integers, and programs that run kernels for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from programs.printed import WARNING_FLAGS
from tinyml.dialects.layouts.element_loops import Constant, ElementLoop, Operand, Step
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.makers import LoopCoder

MOST = 24
"""The most iterations of a loop."""

POOL = 4096
"""The elements of a run's memory."""

LINES = 3
"""The most lines, the results of which lie up to 5 elements apart."""

RESULTS = LINES * (MOST + 5)
INTERFACE = Interface("loops", "int16_t", 4, "int32_t", RESULTS, has_label=False)

_FLAGS = (*WARNING_FLAGS, "-Wno-unused-variable", "-Wno-tautological-compare")
"""Warnings, without those of what random loops have and those of programs do not."""

Values = NDArray[np.int64]


@dataclass
class Draft:
    """The steps of a random loop, and the interval of each value that later steps may read.

    bits: in which all values can be held.
    """

    random: Random
    count: int
    bits: int = 32
    widths: list[int] = field(default_factory=list[int])
    steps: list[Step] = field(default_factory=list[Step])
    known: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    depth: int = 0

    def run(self, *widths: int) -> int:
        self.widths.append(self.random.choice([width for width in widths or (8, 16, 32) if width <= self.bits]))
        return len(self.widths) - 1

    def step(self, low: int, high: int, name: str, operands: tuple[Operand, ...] = (), *numbers: int) -> int | None:
        """Append a step whose value lies in an interval; None if `bits` do not hold it."""
        if low < -(1 << self.bits - 1) or high >= 1 << self.bits - 1:
            return None
        self.steps.append(Step(name, operands, numbers))
        self.known[len(self.steps) - 1] = low, high
        return len(self.steps) - 1

    def load(self) -> None:
        run = self.run()
        limit = 1 << self.widths[run] - 1
        self.step(-limit, limit - 1, "load", (), run, self.random.randrange(3))

    def value(self) -> tuple[int, tuple[int, int]]:
        number = self.random.choice(list(self.known))
        return number, self.known[number]

    def binary(self) -> None:
        (a, one), (b, other) = self.value(), self.value()
        second: Operand = b
        if self.random.random() < 0.4:
            far = self.random.randint(-(10**6), 10**6) if self.bits == 32 else 0
            constant = self.random.choice([0, 1, -1, self.random.randint(-127, 127), far])
            second, other = Constant(constant), (constant, constant)
        name = self.random.choice(["add", "sub", "mul", "min", "max"])
        corners = {
            "add": [one[0] + other[0], one[1] + other[1]],
            "sub": [one[0] - other[1], one[1] - other[0]],
            "mul": [x * y for x in one for y in other],
            "min": [min(one[0], other[0]), min(one[1], other[1])],
            "max": [max(one[0], other[0]), max(one[1], other[1])],
        }[name]
        operands = (second, a) if self.random.random() < 0.3 else (a, second)
        if name != "sub" or operands[0] == a:
            self.step(min(corners), max(corners), name, operands)

    def shift(self) -> None:
        (a, (low, high)), amount = self.value(), self.random.randint(1, 12)
        if self.random.random() < 0.5:
            self.step(low >> amount, high >> amount, "right", (a,), amount)
        else:
            self.step(low << amount, high << amount, "left", (a,), amount)

    def requantise(self) -> None:
        (a, (low, high)), shift = self.value(), self.random.randint(-12, 0)
        reach = max(-low, high) + 1
        self.step(-reach, reach, "requantise", (a,), self.random.randrange(1 << 30, 1 << 31), shift)

    def share(self) -> None:
        limit = 1 << self.widths[run := self.run()] - 1
        self.step(-limit, limit - 1, "shared", (), run)

    def quotient(self) -> None:
        """A requantisation by a computed reciprocal and shift, as the shares of softmax are."""
        (a, (low, high)), (b, (_, most)) = self.value(), self.value()
        positive = self.step(1, max(most, 1), "max", (b, Constant(1)))
        assert positive is not None
        factor, zeros = (self.step(0, (1 << 31) - 1, name, (positive,)) for name in ("reciprocal", "leading_zeros"))
        assert factor is not None
        assert zeros is not None
        shift = self.step(-33, -1, "sub", (zeros, Constant(33)))
        assert shift is not None
        reach = max(-low, high) + 1
        self.step(-reach, reach, "requantise_by", (a, factor, shift))

    def select(self) -> None:
        (a, _), (b, one), (c, other) = self.value(), self.value(), self.value()
        second = Constant(self.random.randint(-90, 90)) if a == b or self.random.random() < 0.5 else b
        self.steps.append(Step(self.random.choice(["at_least", "greater"]), (a, second)))
        condition = len(self.steps) - 1
        self.step(min(one[0], other[0]), max(one[1], other[1]), "select", (condition, b, c))

    def lookup(self) -> None:
        (a, _), length = self.value(), self.random.randint(2, 300)
        low = self.step(0, (1 << 31) - 1, "max", (a, Constant(0)))
        assert low is not None
        index = self.step(0, length - 1, "min", (low, Constant(length - 1)))
        assert index is not None
        run = self.run()
        limit = 1 << self.widths[run] - 1
        self.step(-limit, limit - 1, "lookup", (index,), run, length)

    def sum(self) -> None:
        name, length = self.random.choice(["dot", "distance"]), self.random.randint(1, 40)
        rows, vector = self.run(8, 16), self.run(8, 16)
        reach = length << sum(self.widths[run] for run in (rows, vector)) - (0 if name == "distance" else 2)
        if reach >= 1 << 31:
            length, reach = 1, (1 << 31) - 1
        if name == "distance" and 16 in (self.widths[rows], self.widths[vector]):
            name, reach = "dot", (1 << 31) - 1
        self.step(-reach, reach, name, (), rows, length + self.random.choice([0, 0, 0, 1, 60]), vector, length)

    def pool(self) -> None:
        run, trips = self.run(8, 16), self.random.randint(2, 5)
        carried = self.step(0, 0, "carry", (Constant(self.random.randint(-99, 99)),))
        assert carried is not None
        self.steps.append(Step("loop", (), (trips,)))
        self.step(0, 0, "load", (), run, 0, self.random.choice([1, MOST, 200]))
        self.step(0, 0, "add" if self.bits == 32 else "max", (carried, len(self.steps) - 1))
        self.steps.append(Step("next", (carried, len(self.steps) - 1)))
        self.steps.append(Step("end"))
        for number in range(carried + 1, len(self.steps)):
            self.known.pop(number, None)
        limit = min(1 << 19, (1 << self.bits - 1) - 1)
        self.known[carried] = -limit - 1, limit

    def finished(self) -> ElementLoop | None:
        """The loop with a store of the last value; None for one that the composer is not asked for."""
        last, kind = max(self.known), self.random.choice(["store", "store", "store", "sum", "greatest", "place"])
        if kind == "sum" and self.count * max(map(abs, self.known[last])) >= 1 << 30:
            kind = "greatest"
        if kind != "store":
            shared = [number for number, step in enumerate(self.steps) if step.name == "shared"]
            shared = [number for number in shared if kind != "sum" or self.known[number][1] < 1 << 30]
            start: Operand = self.random.choice([*shared, Constant(self.random.randint(-99, 99))])
            self.widths.append(self.bits if kind == "greatest" else 32)
            numbers = (self.random.randint(0, 3), self.random.randint(0, 3)) if kind == "place" else ()
            self.steps.append(Step(kind, (start, last), numbers))
            return ElementLoop(self.count, tuple(self.widths), tuple(self.steps)).verified
        self.run()
        self.steps.append(Step("store", (last,)))
        lines, pitches = self.random.choice([1, 1, 2, LINES]), tuple[int, ...]()
        if lines > 1:
            single = [step.numbers[0] for step in self.steps if step.name == "shared"]
            runs = range(len(self.widths) - 1)
            read = [0 if run in single else self.random.choice([0, 1, 7, 130]) for run in runs]
            pitches = *read, self.count + self.random.choice([0, 1, 5])
        return ElementLoop(self.count, tuple(self.widths), tuple(self.steps), lines, pitches).verified


def drawn(seed: int) -> ElementLoop | None:
    random = Random(seed)
    draft = Draft(random, random.randint(1, MOST), (32, 32, 32, 32, 8, 16)[seed % 6])
    draft.load()
    kinds = [draft.load, draft.share, draft.lookup]
    kinds += [draft.sum, draft.sum, draft.pool] if seed % 2 else []
    if draft.bits < 32:
        kinds = [draft.load, draft.share, draft.pool]
    for kind in random.sample(kinds, random.randint(0, min(3, len(kinds)))):
        kind()
    for _ in range(random.randint(1, 12)):
        further = [] if draft.bits < 32 else [draft.requantise, draft.quotient]
        random.choice([draft.binary, draft.binary, draft.binary, draft.shift, draft.select, *further])()
    return draft.finished()


def pool(run: int, width: int) -> Values:
    """What the C program has in the memory of a run."""
    words = (np.arange(POOL, dtype=np.uint64) * (2654435761 + 2 * run) + run) & 0xFFFFFFFF
    return ((words >> 4).astype(np.uint32).astype(f"u{width // 8}").astype(np.int64) ^ (1 << width - 1)) - (
        1 << width - 1
    )


def requantised(x: int, multiplier: int, shift: int) -> int:
    """TensorFlow Lite's two roundings, halves away from zero in the second."""
    high = (x * multiplier + (1 << 30)) >> 31
    if shift == 0:
        return high
    magnitude = (abs(high) + (1 << -shift - 1)) >> -shift
    return magnitude if high >= 0 else -magnitude


def reciprocal(x: int) -> int:
    """About 2^62 / x, for x shifted left until its highest bit is bit 31."""

    def high(a: int, b: int) -> int:
        return (a * b + (1 << 30)) >> 31

    def left(a: int, bits: int) -> int:
        most = (1 << 31 - bits) - 1
        return max(-most - 1, min(most, a)) << bits

    half = x << 32 - x.bit_length() >> 1
    r = 1515870810 + high(-1010580540, half)
    for _ in range(3):
        r += left(high((1 << 29) - high(half, r), r), 2)
    return left(r, 1)


def result(loop: ElementLoop) -> list[int]:
    """The elements of the result, and 99 where there are none."""
    expected, pitch, last = [99] * RESULTS, loop.pitches[-1] if loop.pitches else 0, loop.steps[-1]
    if not loop.reduces:
        for line in range(loop.lines):
            expected[line * pitch : line * pitch + loop.count] = [computed(loop, line, i) for i in range(loop.count)]
        return expected
    start, values = last.operands[0], [computed(loop, 0, i) for i in range(loop.count)]
    if not isinstance(start, Constant):
        [run] = loop.steps[start].numbers
        start = Constant(int(pool(run, loop.widths[run])[0]))
    match last.name:
        case "sum":
            expected[0] = narrowed(start.value + sum(values), 32)
        case "greatest":
            expected[0] = max(start.value, *values)
        case _:
            first, other = last.numbers
            expected[0] = first + values.index(max(values)) if max(values) > start.value else other
    return expected


def narrowed(x: int, bits: int) -> int:
    """The low bits of an integer, signed."""
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def computed(loop: ElementLoop, line: int, i: int) -> int:
    """What an iteration gives, step by step on unbounded integers, whose values fit 32 bits."""
    pitches = loop.pitches or [0] * len(loop.widths)
    runs = [pool(run, width)[line * pitches[run] :] for run, width in enumerate(loop.widths)]
    values, at, places = dict[int, int](), 0, dict[int, int]()

    def of(operand: Operand) -> int:
        return operand.value if isinstance(operand, Constant) else values[operand]

    while True:
        name, operands, numbers = loop.steps[at]
        x = [of(one) for one in operands] if name != "next" else [0, of(operands[1])]
        match name:
            case "load":
                trips = [places[around] for around in loop.around(at)]
                place = i + numbers[1] + sum(stride * trip for stride, trip in zip(numbers[2:], trips, strict=True))
                values[at] = int(runs[numbers[0]][place])
            case "shared":
                values[at] = int(runs[numbers[0]][0])
            case "leading_zeros":
                values[at] = 32 - x[0].bit_length()
            case "reciprocal":
                values[at] = reciprocal(x[0])
            case "requantise_by":
                values[at] = requantised(x[0], x[1], x[2])
            case "lookup":
                values[at] = int(runs[numbers[0]][x[0]])
            case "dot" | "distance":
                rows, pitch, vector, length = numbers
                row, other = runs[rows][pitch * i : pitch * i + length], runs[vector][:length]
                values[at] = int((row * other).sum() if name == "dot" else ((row - other) ** 2).sum())
            case "add" | "sub" | "mul" | "min" | "max":
                a, b = x
                values[at] = {"add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b)}[name]
            case "at_least" | "greater":
                values[at] = x[0] >= x[1] + (name == "greater")
            case "select":
                values[at] = x[1] if x[0] else x[2]
            case "left":
                values[at] = x[0] << numbers[0]
            case "right":
                values[at] = x[0] >> numbers[0]
            case "requantise":
                values[at] = requantised(x[0], *numbers)
            case "carry":
                values[at] = x[0]
            case "next":
                assert isinstance(operands[0], int)
                values[operands[0]] = x[1]
            case "loop":
                places[at] = 0
            case "end":
                [begin] = [first for first, end in loop.loops.items() if end == at]
                places[begin] += 1
                at = begin if places[begin] < loop.steps[begin].numbers[0] else at
            case "store":
                return narrowed(x[0], loop.widths[-1])
            case "sum" | "greatest" | "place":
                return x[1]
            case _:
                raise AssertionError(name)
        assert -(1 << 31) <= values.get(at, 0) < 1 << 31
        at += 1


def _write(loops: Sequence[ElementLoop], coder: LoopCoder, target: str, folder: Path) -> None:
    """Write a program whose input begins with the number of a loop, and whose output is its results, then 99."""
    kernels = [coder.kernel(loop) for loop in loops]
    texts = {name: text for kernel in kernels if kernel is not None for name, text in texts_of(kernel, target)}
    runs = max(len(loop.widths) for loop in loops)
    calls: list[str] = []
    for number, (loop, kernel) in enumerate(zip(loops, kernels, strict=True)):
        assert kernel is not None
        *read, result = loop.widths
        operands = [f"x{width}[{run}]" for run, width in enumerate(read)]
        got = f"for (int i = 0; i < {RESULTS}; i++) out[i] = y{result}[i];"
        calls.append(f"case {number}: {kernel.symbol}({', '.join([*operands, f'y{result}'])}); {got} break;")
    word = "(uint32_t)i * (2654435761u + 2u * (uint32_t)run) + (uint32_t)run"
    fills = [f"x{bits}[run][i] = (int{bits}_t)(uint{bits}_t)(({word}) >> 4);" for bits in (8, 16, 32)]
    (folder / "loops.h").write_text(
        f"#include <stdint.h>\n#define loops_INPUT_LENGTH 4\n#define loops_OUTPUT_LENGTH {RESULTS}\n"
        "const int32_t *loops_scores(void);\nvoid loops_predict(const int16_t *X);\n"
    )
    (folder / "loops.c").write_text(
        "\n".join(
            [
                '#include "loops.h"',
                *texts.values(),
                *(f"static int{bits}_t x{bits}[{runs}][{POOL}], y{bits}[{RESULTS}];" for bits in (8, 16, 32)),
                f"static int32_t out[{RESULTS}];",
                "const int32_t *loops_scores(void) { return out; }",
                "void loops_predict(const int16_t *X)\n{",
                f"    for (int run = 0; run < {runs}; run++)\n        for (int i = 0; i < {POOL}; i++) {{",
                *fills,
                f"        }}\n    for (int i = 0; i < {RESULTS}; i++)",
                "        out[i] = 99, y8[i] = 99, y16[i] = 99, y32[i] = 99;",
                "    switch (X[0]) {",
                *calls,
                "    }\n}",
            ]
        )
    )


def check_loops(runner: Runner, coder: LoopCoder, target: str, count: int, folder: Path) -> None:
    """Run a coder's kernels for as many random loops, and compare what they give with what the steps do.

    target: a board that has the coder.
    """
    candidates = [loop for seed in range(4 * count) if (loop := drawn(seed)) is not None]
    loops = [loop for loop in candidates if coder.kernel(loop) is not None][:count]
    assert len(loops) == count
    _write(loops, coder, target, folder)
    build = runner.build(folder, INTERFACE, folder, "-O1", _FLAGS)
    inputs = np.zeros((count, 4), np.int16)
    inputs[:, 0] = np.arange(count)
    scores = runner.run(build, INTERFACE, inputs).scores
    assert scores is not None
    for loop, got in zip(loops, scores, strict=True):
        assert got.tolist() == result(loop), loop
