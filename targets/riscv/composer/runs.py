"""Kernels on runs of any length, by blocks of elements and then one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic

from tinyml.targets.composer.lines import Printed, statement
from tinyml.targets.kernel import Composed, Kernel
from tinyml.targets.riscv.assembly.code import RiscvCode, V
from tinyml.targets.riscv.assembly.counter import InstructionCounter
from tinyml.targets.riscv.assembly.instructions import ACCUMULATE, ADD, ANDI, RV32IM, SLLI
from tinyml.targets.riscv.composer.fragments import UNROLLED, built

_CALL_BYTES = 20


@dataclass(frozen=True)
class Runs(Generic[V]):
    """The register values of a kernel before its first element.

    pointers: to runs; the first one is compared with the ends. carried: other values that elements change. whole, end:
    the addresses at which the whole blocks and all elements of the first run end. invariants: values that do not
    change.
    """

    pointers: Sequence[V]
    carried: Sequence[V]
    whole: V
    end: V
    invariants: Sequence[V] = ()

    @property
    def values(self) -> Sequence[V]:
        """The loop-carried variables."""
        return [*self.pointers, *self.carried]

    def of(self, values: Sequence[V]) -> Runs[V]:
        """The same with other values of the variables."""
        count = len(self.pointers)
        return replace(self, pointers=values[:count], carried=values[count:])


class RunKernel(ABC):
    """A kernel on runs of any length."""

    @property
    @abstractmethod
    def strides(self) -> Sequence[int]:
        """The bytes by which each pointer advances per element."""

    @abstractmethod
    def begin(self, code: RiscvCode[V]) -> Runs[V]:
        """The code before the first element, and the register values that it sets up."""

    @abstractmethod
    def step(self, code: RiscvCode[V], runs: Runs[V], number: int) -> Sequence[V]:
        """The carried values after an element. number: the index of the element relative to the pointers."""

    @abstractmethod
    def finish(self, code: RiscvCode[V], runs: Runs[V]) -> None:
        """The code after the last element."""

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

    def kernel(
        self, symbol: str, widths: tuple[int, int, int], op: str, signature: str, portable: str, *, rows: int = 1
    ) -> Kernel:
        """The kernel. widths: of weights, vector and sums in bits. rows: the number processed at once."""
        whole, once, element = InstructionCounter(), InstructionCounter(), InstructionCounter()
        self.write(whole)
        runs = self.begin(once)
        self.finish(once, runs)
        self.step(element, runs, 0)
        # In an iteration, each pointer is advanced by one instruction, and a branch goes back.
        shared = len(self.strides) + 1
        time = (element.time + shared / UNROLLED) / rows
        # In the caller, addresses take two instructions, numbers and the call one; two branches leave the loops.
        call = once.time + 2 + 2 + signature.count(",") + signature.count("*")
        costs = {"": call, "element": time, "odd element": 0.0, "rest": shared * (1 - 1 / UNROLLED)}
        bodies = Printed({(RV32IM,): lambda: statement(built(self))})
        composed = Composed("tinyml/cores.h", signature, bodies, portable, costs, _CALL_BYTES, block=UNROLLED)
        return Kernel(symbol, *widths, op=op, flash=None, rows=rows, step=time, code=whole.bytes, composed=composed)


def scaled(code: RiscvCode[V], bits: int, count: V) -> V:
    """The size in bytes of a number of 8-bit or 16-bit elements."""
    return code.put(SLLI, count, 1) if bits == 16 else count


def ends(code: RiscvCode[V], bits: int, pointer: V, count: V) -> tuple[V, V]:
    """The end addresses of the whole blocks and of all elements; the count must not be used again."""
    whole = code.put(ACCUMULATE, scaled(code, bits, code.put(ANDI, count, -UNROLLED)), pointer)
    return whole, code.put(ACCUMULATE, scaled(code, bits, count), pointer)


def row_pointers(code: RiscvCode[V], bits: int, first: V, count: V, rows: int) -> Sequence[V]:
    """The addresses of contiguous rows of `count` elements each."""
    length, pointers = scaled(code, bits, count), [first]
    while len(pointers) < rows:
        pointers.append(code.put(ADD, pointers[-1], length))
    return pointers


def parameters(weights: int, vector: int) -> str:
    """The C parameters for weights and vector."""
    return f"const int{weights}_t *w, const int{vector}_t *x"
