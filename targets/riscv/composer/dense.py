"""Dense products: a single sum, sums of four rows, or sums of four channels with elements of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.kernel import Kernel
from tinyml.targets.riscv.assembly.code import RiscvCode, V
from tinyml.targets.riscv.assembly.instructions import ACCUMULATE
from tinyml.targets.riscv.composer.fragments import added_product, added_wide_product
from tinyml.targets.riscv.composer.runs import RunKernel, Runs, ends, parameters, row_pointers, scaled

_ROWS = 4

_PORTABLE = """\
    for (int i = 0; i < n; i++)
        sum += (int32_t)w[i] * x[i];
    return sum;"""
_PORTABLE_ROWS = """\
    for (int row = 0; row < 4; row++) {{
        int32_t sum = start[row];
        for (int i = 0; i < n; i++)
            sum += (int32_t)*w++ * x[{index}];
        sums[row] = sum;
    }}"""


def dot(weights: int, vector: int, sum: int) -> Kernel:
    """The kernel for `sum` plus the products of two runs of 8-bit or 16-bit elements."""
    symbol = f"tm_rv_dot_s{weights}_s{vector}_s{sum}"
    signature = f"int{sum}_t {symbol}({parameters(weights, vector)}, int n, int{sum}_t sum)"
    return _Dot(weights, vector, sum).kernel(symbol, (weights, vector, sum), "num.dot", signature, _PORTABLE)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel for four rows and a vector, with elements of 8 or 16 bits."""
    symbol = f"tm_rv_dot4_s{weights}_s{vector}_s32"
    signature = f"void {symbol}({parameters(weights, vector)}, int n, const int32_t *start, int32_t *sums)"
    widths, portable = (weights, vector, 32), _PORTABLE_ROWS.format(index="i")
    return _DotRows(weights, vector).kernel(symbol, widths, "num.dot_rows", signature, portable, rows=_ROWS)


def channel_rows(weights: int, vector: int) -> Kernel:
    """The kernel for four channels, each with a row of weights and elements that are `stride` apart."""
    symbol = f"tm_rv_channels4_s{weights}_s{vector}_s32"
    signature = (
        f"void {symbol}({parameters(weights, vector)}, int n, int stride,\n    const int32_t *start, int32_t *sums)"
    )
    widths, portable = (weights, vector, 32), _PORTABLE_ROWS.format(index="i * stride + row")
    return _ChannelDots(weights, vector).kernel(symbol, widths, "num.channel_dots", signature, portable, rows=_ROWS)


@dataclass(frozen=True)
class _Dot(RunKernel):
    """A sum of 32 or 64 bits, in one or two words. weights, vector, sum: widths in bits."""

    weights: int
    vector: int
    sum: int

    @property
    def strides(self) -> Sequence[int]:
        return self.weights // 8, self.vector // 8

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        weights, vector, count, *sum = code.arguments(3 + self.sum // 32)
        return Runs((weights, vector), sum, *ends(code, self.weights, weights, count))

    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        weight, element = (
            code.load(8 * by, pointer, number * by) for pointer, by in zip(runs.pointers, self.strides, strict=True)
        )
        if self.sum == 32:
            return [added_product(code, runs.carried[0], weight, element)]
        low, high = runs.carried
        return added_wide_product(code, low, high, weight, element)

    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        code.give(runs.carried)


@dataclass(frozen=True)
class _DotRows(RunKernel):
    """The sums of four rows. The pointer to the vector is the last one."""

    weights: int
    vector: int

    @property
    def strides(self) -> Sequence[int]:
        return *[self.weights // 8] * _ROWS, self.vector // 8

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        weights, vector, count, start, sums = code.arguments(5)
        rows = row_pointers(code, self.weights, weights, count, _ROWS)
        starts = [code.load(32, start, 4 * row) for row in range(_ROWS)]
        return Runs((*rows, vector), starts, *ends(code, self.weights, weights, count), (sums,))

    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        *rows, vector = runs.pointers
        element = code.load(self.vector, vector, number * self.vector // 8)
        weights = (code.load(self.weights, row, number * self.weights // 8) for row in rows)
        sums = zip(runs.carried, weights, strict=True)
        return [added_product(code, sum, weight, element) for sum, weight in sums]

    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        _store(code, runs.carried, runs.invariants[-1])


@dataclass(frozen=True)
class _ChannelDots(RunKernel):
    """The sums of four channels. The pointer to the elements of the first channel advances with every element."""

    weights: int
    vector: int

    @property
    def strides(self) -> Sequence[int]:
        return [self.weights // 8] * _ROWS

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        weights, vector, count, stride, start, sums = code.arguments(6)
        rows = row_pointers(code, self.weights, weights, count, _ROWS)
        step = scaled(code, self.vector, stride)
        starts = [code.load(32, start, 4 * row) for row in range(_ROWS)]
        return Runs(rows, (*starts, vector), *ends(code, self.weights, weights, count), (step, sums))

    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        *sums, vector = runs.carried
        following: list[V] = []
        for channel, (row, sum) in enumerate(zip(runs.pointers, sums, strict=True)):
            weight = code.load(self.weights, row, number * self.weights // 8)
            element = code.load(self.vector, vector, channel * self.vector // 8)
            following.append(added_product(code, sum, weight, element))
        return [*following, code.put(ACCUMULATE, vector, runs.invariants[0])]

    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        _store(code, runs.carried, runs.invariants[-1])


def _store(code: RiscvCode[V], sums: Sequence[V], out: V) -> None:
    for row, sum in enumerate(sums[:_ROWS]):
        code.store_word(out, sum, 4 * row)
    code.give([])
