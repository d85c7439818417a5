"""RISC-V kernels over runs of any length: blocks of elements, then single elements.

Dense kernels compute one row, four rows or four channels. In sparse rows, each entry contains the number of vector
elements between the previous entry and this entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic

from tinyml.targets.c.composer.compose import SUMS_IN_C, parameters
from tinyml.targets.composer.instructions import Printed, statement
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.riscv.assembly import ACCUMULATE, ADD, ANDI, LBU, RV32IM, SLLI, InstructionCounter, RiscvCode, V
from tinyml.targets.riscv.composer.fragments import UNROLLED, added_product, added_wide_product, built

_CALL_BYTES = 20


@dataclass(frozen=True)
class Runs(Generic[V]):
    """The values of a kernel's variables before its first element.

    * pointers: the pointers to runs. The first pointer is compared with the ends.
    * carried: the other values that change from element to element, such as sums.
    * whole, end: the addresses at which the whole blocks and all elements of the first run end.
    * invariants: the values that do not change.
    """

    pointers: Sequence[V]
    carried: Sequence[V]
    whole: V
    end: V
    invariants: Sequence[V] = ()

    @property
    def values(self) -> Sequence[V]:
        return [*self.pointers, *self.carried]

    def of(self, values: Sequence[V]) -> Runs[V]:
        """A copy with new values of the loop-carried variables, in the order of `Runs.values`."""
        count = len(self.pointers)
        return replace(self, pointers=values[:count], carried=values[count:])


class _RunKernel(ABC):
    """The base class of kernels over runs of any length."""

    @property
    @abstractmethod
    def strides(self) -> Sequence[int]:
        """For each pointer, the bytes by which it advances per element."""

    @abstractmethod
    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        """Append the code before the first element. Return the values of the variables after it."""

    @abstractmethod
    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        """Append the code for one element. Return the carried values after this element.

        number: the index of the element relative to the pointers.
        """

    @abstractmethod
    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        """Append the code after the last element."""

    def write(self, code: RiscvCode[V]) -> None:
        runs = self.begin(code)
        for end, count in ((runs.whole, UNROLLED), (runs.end, 1)):
            values = code.up_to(end, runs.values, partial(self._steps, code, runs, count))
            runs = runs.of(values)
        self.finish(code, runs)

    def _steps(self, code: RiscvCode[V], runs: Runs[V], count: int, values: Sequence[V]) -> Sequence[V]:
        runs = runs.of(values)
        for number in range(count):
            runs = replace(runs, carried=self.step(code, runs, number))
        moved = (code.moved(pointer, count * by) for pointer, by in zip(runs.pointers, self.strides, strict=True))
        return [*moved, *runs.carried]

    def kernel(self, symbol: str, widths: tuple[int, int, int], op: str, signature: str, *, rows: int = 1) -> Kernel:
        whole, once, element = InstructionCounter(), InstructionCounter(), InstructionCounter()
        self.write(whole)
        runs = self.begin(once)
        self.finish(once, runs)
        self.step(element, runs, 0)
        # In an iteration, each pointer takes one instruction to advance, and one branch goes back.
        shared = len(self.strides) + 1
        time = (element.instructions + shared / UNROLLED) / rows
        # In the caller, addresses take two instructions each, numbers and the call one; two branches leave the loops.
        call = once.instructions + 2 + 2 + signature.count(",") + signature.count("*")
        costs = {"": call, "element": time, "rest": shared * (1 - 1 / UNROLLED)}
        bodies = Printed({(RV32IM,): lambda: statement(built(self))})
        composed = Composed("tinyml/cores.h", signature, bodies, SUMS_IN_C[op], costs, _CALL_BYTES, block=UNROLLED)
        return Kernel(symbol, *widths, op=op, flash=None, rows=rows, step=time, code=whole.bytes, composed=composed)


def scaled(code: RiscvCode[V], bits: int, count: V) -> V:
    return code.put(SLLI, count, 1) if bits == 16 else count


def ends(code: RiscvCode[V], bits: int, pointer: V, count: V) -> tuple[V, V]:
    """Append code that computes the addresses at which the whole blocks end and at which all elements end. Return both.

    The caller must not use `count` again.
    """
    whole = code.put(ACCUMULATE, scaled(code, bits, code.put(ANDI, count, -UNROLLED)), pointer)
    return whole, code.put(ACCUMULATE, scaled(code, bits, count), pointer)


def _row_pointers(code: RiscvCode[V], bits: int, first: V, count: V, rows: int) -> Sequence[V]:
    length, pointers = scaled(code, bits, count), [first]
    while len(pointers) < rows:
        pointers.append(code.put(ADD, pointers[-1], length))
    return pointers


_ROWS = 4


def dot(weights: int, vector: int, sum: int) -> Kernel:
    """The kernel that adds the products of a run of weights and a run of the vector to a sum.

    weights, vector: the widths of the elements in bits, 8 or 16.
    sum: the width of the sum in bits, 32 or 64.
    """
    symbol = f"tm_rv_dot_s{weights}_s{vector}_s{sum}"
    signature = f"int{sum}_t {symbol}({parameters(weights, vector)}, int n, int{sum}_t sum)"
    return _Dot(weights, vector, sum).kernel(symbol, (weights, vector, sum), "num.dot", signature)


def dot_rows(weights: int, vector: int) -> Kernel:
    """The kernel that adds the dot products of four rows and a vector to four 32-bit sums.

    weights, vector: the widths of the elements in bits, 8 or 16.
    """
    symbol = f"tm_rv_dot4_s{weights}_s{vector}_s32"
    signature = f"void {symbol}({parameters(weights, vector)}, int n, const int32_t *start, int32_t *sums)"
    return _DotRows(weights, vector).kernel(symbol, (weights, vector, 32), "num.dot_rows", signature, rows=_ROWS)


def channel_rows(weights: int, vector: int) -> Kernel:
    """The kernel that adds the products of four channels to four sums.

    Each channel has its own row of weights. Consecutive elements of a channel are `stride` apart.
    """
    symbol = f"tm_rv_channels4_s{weights}_s{vector}_s32"
    signature = (
        f"void {symbol}({parameters(weights, vector)}, int n, int stride,\n    const int32_t *start, int32_t *sums)"
    )
    return _ChannelDots(weights, vector).kernel(
        symbol, (weights, vector, 32), "num.channel_dots", signature, rows=_ROWS
    )


@dataclass(frozen=True)
class _Dot(_RunKernel):
    """The code for a sum of products. The sum has 32 bits in one register, or 64 bits in two registers.

    weights, vector, sum: widths in bits.
    """

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
class _FourSums(_RunKernel):
    """The base class of kernels that carry four sums first and store them at the last invariant.

    weights, vector: the widths of the elements in bits.
    """

    weights: int
    vector: int

    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        for row, sum in enumerate(runs.carried[:_ROWS]):
            code.store_word(runs.invariants[-1], sum, 4 * row)
        code.give([])


class _DotRows(_FourSums):
    """The sums of products of four rows and a vector. The last pointer is that to the vector."""

    @property
    def strides(self) -> Sequence[int]:
        return *[self.weights // 8] * _ROWS, self.vector // 8

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        weights, vector, count, start, sums = code.arguments(5)
        rows = _row_pointers(code, self.weights, weights, count, _ROWS)
        starts = [code.load(32, start, 4 * row) for row in range(_ROWS)]
        return Runs((*rows, vector), starts, *ends(code, self.weights, weights, count), (sums,))

    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        *rows, vector = runs.pointers
        element = code.load(self.vector, vector, number * self.vector // 8)
        weights = (code.load(self.weights, row, number * self.weights // 8) for row in rows)
        sums = zip(runs.carried, weights, strict=True)
        return [added_product(code, sum, weight, element) for sum, weight in sums]


class _ChannelDots(_FourSums):
    """The sums of products of four channels and four rows of weights. The pointer to the elements of the first channel
    advances with every element.
    """

    @property
    def strides(self) -> Sequence[int]:
        return [self.weights // 8] * _ROWS

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        weights, vector, count, stride, start, sums = code.arguments(6)
        rows = _row_pointers(code, self.weights, weights, count, _ROWS)
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


def sparse_dot(weights: int, vector: int) -> Kernel:
    """The kernel that adds the products of a sparse row and a vector to a sum. The row has n values and n gaps.

    Gaps are unsigned, but declared with the type of all 8-bit constants.
    """
    symbol = f"tm_rv_dot_sparse_s{weights}_s{vector}_s32"
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    return _SparseDot(weights, vector).kernel(symbol, (weights, vector, 32), "num.sparse_dot", signature)


@dataclass(frozen=True)
class _SparseDot(_RunKernel):
    """The product of a sparse row and a vector. The pointer into the vector advances by gaps.

    weights, vector: the widths of the elements in bits.
    """

    weights: int
    vector: int

    @property
    def strides(self) -> Sequence[int]:
        return self.weights // 8, 1

    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        values, gaps, vector, count, sum = code.arguments(5)
        return Runs((values, gaps), (vector, sum), *ends(code, self.weights, values, count))

    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        (values, gaps), (vector, sum) = runs.pointers, runs.carried
        vector = code.put(ACCUMULATE, vector, scaled(code, self.vector, code.put(LBU, gaps, number)))
        weight, element = code.load(self.weights, values, number * self.weights // 8), code.load(self.vector, vector, 0)
        return vector, added_product(code, sum, weight, element)

    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        code.give(runs.carried[1:])
