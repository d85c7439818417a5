"""Random lane functions, the results of their ops on unbounded integers, and programs that run the kernels for these
functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerType, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from programs.printed import WARNING_FLAGS
from tinyml.dialects import num
from tinyml.dialects.num.kernels.lane_programs import LaneProgram
from tinyml.dialects.num.kernels.lane_readers import lane_program
from tinyml.dialects.operations import integer_width
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.model.headers import texts_of
from tinyml.runtime.model.interface import Interface
from tinyml.targets.kernel_table import LoopCoder
from tinyml.transforms.loops.kernels.lane_recorder import Element, LaneRecorder, without_unused

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

SGT = 4
"""The predicate of `arith.cmpi` for the greater of two integers."""

Values = NDArray[np.int64]
Ends = tuple[int, int]


@dataclass
class Draft:
    """A random function under construction: its ops, and the interval of each value that later ops may read.

    count: the number of lanes.
    bits: a width in which all values are representable.
    runs: the memory that the function accesses.
    known: the values that later ops may read, each with its interval.
    lines: the number of lines of lanes.
    first: the number of the first lane.
    """

    random: Random
    count: int
    bits: int
    block: Block = field(default_factory=Block)
    runs: list[SSAValue] = field(default_factory=list[SSAValue])
    known: list[tuple[Element, Ends]] = field(default_factory=list[tuple[Element, Ends]])
    lines: int = 1
    first: int = 0

    def __post_init__(self) -> None:
        self.recorder = LaneRecorder(self.block)
        self.line: SSAValue | None = None

    def width(self, *widths: int) -> int:
        return self.random.choice([width for width in widths or (8, 16, 32) if width <= self.bits])

    def run(self, width: int, length: int = 1) -> SSAValue:
        run = self.block.insert_arg(MemRefType(IntegerType(width), [length]), len(self.runs))
        self.runs.append(run)
        return run

    def index(self, constant: int, *terms: tuple[SSAValue, int], pitch: int | None = None) -> SSAValue:
        """Append the computation of an index: a constant plus multiples of loop counters, plus `pitch` times the number
        of the line if there are several lines.
        """
        if self.line is not None:
            pitch = self.random.choice([0, 1, 7, 130]) if pitch is None else pitch
            terms = (*terms, (self.line, pitch))
        dims = [AffineExpr.dimension(at) * factor for at, (_, factor) in enumerate(terms)]
        expression = sum(dims, AffineExpr.constant(constant))
        map = AffineMapAttr(AffineMap(len(terms), 0, (expression,)))
        return self.recorder.put(affine.ApplyOp([number for number, _ in terms], map))

    def fits(self, low: int, high: int) -> bool:
        return low >= -(1 << self.bits - 1) and high < 1 << self.bits - 1

    def keep(self, element: Element, low: int, high: int) -> None:
        self.known.append((element, (low, high)))

    def element(self, width: int, *terms: tuple[SSAValue, int], offset: int = 0) -> Element:
        """Append a load of the lane's element from a new run, and return the element.

        width: the bits of an element.
        terms: loop counters and their factors in the index.
        offset: a constant that is added to the index.
        """
        run = self.run(width)
        return self.recorder.load(run, self.index(offset - self.first, (self.lane, 1), *terms))

    def load(self) -> None:
        width = self.width()
        limit = 1 << width - 1
        self.keep(self.element(width, offset=self.random.randrange(3)), -limit, limit - 1)

    def value(self) -> tuple[Element, Ends]:
        return self.random.choice(self.known)

    def constant(self, value: int) -> Element:
        return self.recorder.int_constant(value, 32)

    def binary(self) -> None:
        (a, one), (b, other) = self.value(), self.value()
        if self.random.random() < 0.4:
            far = self.random.randint(-(10**6), 10**6) if self.bits == 32 else 0
            near = self.random.randint(-99, 99)
            number = self.random.choice([near, near, far, 0, 1])
            b, other = self.constant(number), (number, number)
        names = ["addi", "subi", "muli", "minsi", "maxsi", "andi"] if self.bits == 32 else ["addi", "minsi", "maxsi"]
        name = self.random.choice(names)
        if name == "andi":
            mask = self.random.choice([1, 15, 255])
            self.keep(self.recorder.andi(a, self.constant(mask)), 0, mask)
            return
        if self.random.random() < 0.3:
            a, b, one, other = b, a, other, one
        if name in ("minsi", "maxsi") and (one[1] <= other[0] or other[1] <= one[0]):
            # The ranges decide. Programs contain no such op, and gcc warns of its comparison.
            return
        corners = {
            "addi": [one[0] + other[0], one[1] + other[1]],
            "subi": [one[0] - other[1], one[1] - other[0]],
            "muli": [x * y for x in one for y in other],
            "minsi": [min(one[0], other[0]), min(one[1], other[1])],
            "maxsi": [max(one[0], other[0]), max(one[1], other[1])],
        }[name]
        if self.fits(min(corners), max(corners)):
            self.keep(getattr(self.recorder, name)(a, b), min(corners), max(corners))

    def shift(self) -> None:
        (a, (low, high)), amount = self.value(), self.random.randint(1, 12)
        if self.random.random() < 0.5:
            self.keep(self.recorder.shrsi(a, self.constant(amount)), low >> amount, high >> amount)
        elif self.fits(low << amount, high << amount):
            self.keep(self.recorder.shli(a, self.constant(amount)), low << amount, high << amount)

    def requantise(self) -> None:
        (a, (low, high)), shift = self.value(), self.random.randint(-12, 0)
        reach, factors = max(-low, high) + 1, (self.random.randrange(1 << 30, 1 << 31), shift)
        if self.fits(-reach, reach):
            self.keep(self.recorder.call("tm_requantize_s32", a, *map(self.constant, factors)), -reach, reach)

    def share(self) -> None:
        limit = 1 << (width := self.width()) - 1
        self.keep(self.recorder.first(self.run(width)), -limit, limit - 1)

    def quotient(self) -> None:
        """Append a requantisation by a reciprocal and a shift that are computed, as in softmax."""
        (a, (low, high)), (b, _) = self.value(), self.value()
        recorder = self.recorder
        positive = recorder.maxsi(b, self.constant(1))
        factor, zeros = (recorder.call(f"tm_{name}_s32", positive) for name in ("reciprocal", "leading_zeros"))
        reach, shift = max(-low, high) + 1, recorder.subi(zeros, self.constant(33))
        if self.fits(-reach, reach):
            self.keep(recorder.call("tm_requantize_s32", a, factor, shift), -reach, reach)

    def select(self) -> None:
        (a, _), (b, one), (c, other) = self.value(), self.value(), self.value()
        second = self.constant(self.random.randint(-90, 90)) if a == b or self.random.random() < 0.5 else b
        compare = self.random.choice([self.recorder.cmp_sge, self.recorder.cmp_sgt])
        chosen = self.recorder.select(compare(a, second), b, c)
        self.keep(chosen, min(one[0], other[0]), max(one[1], other[1]))

    def lookup(self) -> None:
        (a, _), length, recorder = self.value(), self.random.randint(2, 300), self.recorder
        index = recorder.minsi(recorder.maxsi(a, self.constant(0)), self.constant(length - 1))
        width = self.width()
        place = recorder.put(arith.IndexCastOp(recorder.register(index), IndexType()))
        limit = 1 << width - 1
        self.keep(recorder.load(self.run(width, length), place), -limit, limit - 1)

    def sum(self) -> None:
        """Append the sum of a row of products or of squared differences."""
        differs, length = self.random.random() < 0.5, self.random.randint(1, 40)
        widths = self.width(8, 16), self.width(8, 16)
        reach = length << sum(widths) - (0 if differs else 2)
        if reach >= 1 << 31:
            length, reach = 1, (1 << 31) - 1
        if differs and 16 in widths:
            differs, reach = False, (1 << 31) - 1
        rows, vector = map(self.run, widths)
        pitch, recorder = length + self.random.choice([0, 0, 0, 1, 60]), self.recorder
        pitches = [self.random.choice([0, 1, 7, 130]) for _ in range(2)]

        def term(number: SSAValue, sums: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at = self.index(-pitch * self.first, (self.lane, pitch), (number, 1), pitch=pitches[0])
            row = recorder.register(recorder.load(rows, at))
            other = recorder.register(recorder.load(vector, self.index(0, (number, 1), pitch=pitches[1])))
            if differs:
                row = other = recorder.put(arith.SubiOp(row, other))
            return [recorder.put(arith.AddiOp(sums[0], recorder.put(arith.MuliOp(row, other))))]

        [total] = recorder.reduce([num.SUM], [recorder.register(self.constant(0))], range(length), term)
        self.keep(Element(total, 32), -reach, reach)

    def pool(self) -> None:
        trips, stride, recorder = self.random.randint(2, 5), self.random.choice([1, MOST, 200]), self.recorder
        kind, width = num.SUM if self.bits == 32 else num.GREATEST, self.width(8, 16)

        def tap(number: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            loaded = recorder.register(self.element(width, (number, stride)))
            op = arith.AddiOp if kind == num.SUM else arith.MaxSIOp
            return [recorder.put(op(values[0], loaded))]

        start = recorder.register(self.constant(self.random.randint(-99, 99)))
        [total] = recorder.reduce([kind], [start], range(trips), tap)
        limit = min(1 << 19, (1 << self.bits - 1) - 1)
        self.keep(Element(total, 32), -limit - 1, limit)

    def drawn(self, kinds: bool) -> tuple[Element, Ends]:
        """Append random ops, and return the value that a lane computes and its interval.

        kinds: True to include pools and sums of rows if `bits` is 32. If `bits` is less, pools may occur and sums of
            rows do not, regardless of `kinds`.
        """
        self.load()
        some = [self.load, self.share, self.lookup, *([self.sum, self.sum, self.pool] if kinds else [])]
        if self.bits < 32:
            some = [self.load, self.share, self.pool]
        for kind in self.random.sample(some, self.random.randint(0, min(3, len(some)))):
            kind()
        for _ in range(self.random.randint(1, 12)):
            further = [] if self.bits < 32 else [self.requantise, self.quotient]
            self.random.choice([self.binary, self.binary, self.binary, self.shift, self.select, *further])()
        return self.known[-1]

    def stored(self, kinds: bool) -> num.LaneFunctionOp:
        """A random function on lanes that stores one value for each line and lane.

        kinds: as in `drawn`.
        """
        self.lines = self.random.choice([1, 1, 2, LINES])
        shape = [self.lines, self.count] if self.lines > 1 else [self.count]
        numbers = [self.block.insert_arg(IndexType(), at) for at in range(len(shape))]
        self.lane, self.line = numbers[-1], numbers[0] if self.lines > 1 else None
        value, _ = self.drawn(kinds)
        out = self.run(self.width())
        at = self.index(0, (self.lane, 1), pitch=self.count + self.random.choice([0, 1, 5]))
        self.recorder.store(value, out, at)
        return self.function(shape)

    def joined(self, kind: str, kinds: bool) -> num.LaneFunctionOp:
        """A random function on lanes that reduces the values of all lanes to one.

        kind: the reduction, such as `num.SUM`.
        kinds: as in `drawn`.
        """
        recorder, self.first = self.recorder, self.random.randint(0, 3)
        start = self.constant(self.random.randint(-99, 99))
        if self.random.random() < 0.4:
            start = recorder.first(self.run(self.width(8, 16)))

        def body(number: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
            self.lane = number
            value, _ = self.drawn(kinds)
            if kind == num.SUM:
                most = (1 << 30) // self.count
                value = recorder.minsi(recorder.maxsi(value, self.constant(-most)), self.constant(most))
                return [recorder.put(arith.AddiOp(carried[0], recorder.register(value)))]
            found = recorder.register(value)
            if kind == num.GREATEST:
                return [recorder.put(arith.MaxSIOp(carried[0], found))]
            condition = recorder.put(arith.CmpiOp(found, carried[0], "sgt"))
            greatest = recorder.put(arith.MaxSIOp(found, carried[0]))
            return [greatest, recorder.put(arith.SelectOp(condition, number, carried[1]))]

        starts, joins = [recorder.register(start)], [kind]
        if kind == num.PLACE:
            starts, joins = [*starts, recorder.index(self.random.randint(0, 3))], [num.GREATEST, num.PLACE]
        result = recorder.reduce(joins, starts, range(self.first, self.first + self.count), body)[-1]
        if kind == num.PLACE:
            result = recorder.put(arith.IndexCastOp(result, IntegerType(32)))
        out = self.run(self.bits if kind == num.GREATEST else 32)
        recorder.store(Element(result, 32), out, recorder.index(0))
        return self.function([])

    def function(self, shape: Sequence[int]) -> num.LaneFunctionOp:
        without_unused(self.block)
        for run in self.runs[:-1]:
            if not run.uses:
                self.block.erase_arg(cast(BlockArgument, run))
        function = num.LaneFunctionOp("random", shape, Region(self.block))
        function.verify_()
        return function


def drawn(seed: int) -> LaneProgram:
    random = Random(seed)
    draft = Draft(random, random.randint(1, MOST), (32, 32, 32, 32, 8, 16)[seed % 6])
    kind = random.choice(["", "", "", num.SUM, num.GREATEST, num.PLACE])
    if kind == num.SUM and draft.bits < 32:
        kind = num.GREATEST
    return lane_program(draft.joined(kind, seed % 2 > 0) if kind else draft.stored(seed % 2 > 0))


def pool(run: int, width: int) -> Values:
    """The initial content of run number `run` in the C program, as numbers of `width` bits."""
    words = (np.arange(POOL, dtype=np.uint64) * (2654435761 + 2 * run) + run) & 0xFFFFFFFF
    return ((words >> 4).astype(np.uint32).astype(f"u{width // 8}").astype(np.int64) ^ (1 << width - 1)) - (
        1 << width - 1
    )


def requantised(x: int, multiplier: int, shift: int) -> int:
    """x times the real that `multiplier` and `shift` represent, by TensorFlow Lite's two roundings. The second one
    rounds halves away from zero.
    """
    high = (x * multiplier + (1 << 30)) >> 31
    if shift == 0:
        return high
    magnitude = (abs(high) + (1 << -shift - 1)) >> -shift
    return magnitude if high >= 0 else -magnitude


def reciprocal(x: int) -> int:
    """Approximately 2^62 / x, for x shifted left until its highest bit is bit 31."""

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


def result(program: LaneProgram) -> list[int]:
    """The elements of the result of a program on the initial memory. Elements that it does not store are 99."""
    expected, function = [99] * RESULTS, program.function
    *read, out = function.runs
    memory = {run: pool(number, num.run_width(run)) for number, run in enumerate(read)}
    for place in np.ndindex(*function.shape):
        values = dict[SSAValue, int](zip(function.numbers, place, strict=True))
        for at, value in computed(function.body.block, values, memory):
            expected[at] = narrowed(value, num.run_width(out))
    return expected


def narrowed(x: int, bits: int) -> int:
    """The low bits of an integer as a signed number."""
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def computed(block: Block, values: dict[SSAValue, int], memory: dict[SSAValue, Values]) -> list[tuple[int, int]]:
    """Execute the ops of a block on unbounded integers, and return an (index, value) pair for each store. Asserts that
    values fit 32 bits.

    values: the known values, to which the results of the ops are added.
    memory: the numbers in each run.
    """
    stored = list[tuple[int, int]]()
    for op in block.ops:
        x = [known if (known := const_evaluate_operand(one)) is not None else values.get(one, 0) for one in op.operands]
        match op:
            case memref.LoadOp():
                values[op.res] = int(memory[op.memref][x[1]])
            case memref.StoreOp():
                stored.append((x[2], x[0]))
            case affine.ApplyOp():
                values[op.result] = op.map.data.eval(x, [])[0]
            case num.ReduceOp():
                for number in op.numbers:
                    values |= zip(op.body.block.args, [number, *x], strict=True)
                    computed(op.body.block, values, memory)
                    last = op.body.block.last_op
                    assert isinstance(last, num.NextOp)
                    known = [const_evaluate_operand(value) for value in last.values]
                    x = [values[one] if at is None else at for one, at in zip(last.values, known, strict=True)]
                values |= zip(op.joined, x, strict=True)
            case num.NextOp() | arith.ConstantOp():
                pass
            case _:
                values[op.results[0]] = scalar(op, x)
        assert all(-(1 << 31) <= values.get(result, 0) < 1 << 31 for result in op.results)
    return stored


def scalar(op: Operation, x: Sequence[int]) -> int:
    """The result of an op on integers; raises `AssertionError` for an op of another kind."""
    match op:
        case arith.AddiOp():
            return x[0] + x[1]
        case arith.SubiOp():
            return x[0] - x[1]
        case arith.MuliOp():
            return x[0] * x[1]
        case arith.AndIOp():
            return x[0] & x[1]
        case arith.MinSIOp():
            return min(x)
        case arith.MaxSIOp():
            return max(x)
        case arith.ShLIOp():
            return x[0] << x[1]
        case arith.ShRSIOp():
            return x[0] >> x[1]
        case arith.SelectOp():
            return x[1] if x[0] else x[2]
        case arith.CmpiOp():
            return int(x[0] > x[1] if op.predicate.value.data == SGT else x[0] >= x[1])
        case arith.TruncIOp():
            return narrowed(x[0], integer_width(op.result.type))
        case arith.ExtSIOp() | arith.IndexCastOp():
            return x[0]
        case func.CallOp():
            match op.callee.root_reference.data:
                case "tm_requantize_s32":
                    return requantised(x[0], x[1], x[2])
                case "tm_reciprocal_s32":
                    return reciprocal(x[0])
                case _:
                    return 32 - x[0].bit_length()
        case _:
            raise AssertionError(op.name)


def _write(loops: Sequence[LaneProgram], coder: LoopCoder, target: str, folder: Path) -> None:
    """Write a program that runs the loop whose number is the first element of the input. Its outputs are the loop's
    results; elements that the loop does not store are 99.
    """
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
    """Assert that a coder's kernels for `count` random functions compute the results of the functions' ops.

    target: a board that has the coder.
    """
    candidates = map(drawn, range(4 * count))
    loops = [loop for loop in candidates if coder.kernel(loop) is not None][:count]
    assert len(loops) == count
    _write(loops, coder, target, folder)
    build = runner.build(folder, INTERFACE, folder, "-O1", _FLAGS)
    inputs = np.zeros((count, 4), np.int16)
    inputs[:, 0] = np.arange(count)
    scores = runner.run(build, INTERFACE, inputs).scores
    assert scores is not None
    for loop, got in zip(loops, scores, strict=True):
        assert got.tolist() == result(loop), str(loop.function)
