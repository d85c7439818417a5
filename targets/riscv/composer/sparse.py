"""Sparse products: entries of a row, each with the number of vector elements since the previous entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tinyml.targets.kernel import Kernel
from tinyml.targets.riscv.assembly.code import RiscvCode, V
from tinyml.targets.riscv.assembly.instructions import ACCUMULATE, LBU
from tinyml.targets.riscv.composer.fragments import added_product
from tinyml.targets.riscv.composer.runs import RunKernel, Runs, ends, scaled

_PORTABLE = """\
    for (; n > 0; n--) {
        x += (uint8_t)*gaps++;
        sum += (int32_t)*values++ * *x;
    }
    return sum;"""


def sparse_dot(weights: int, vector: int) -> Kernel:
    """The kernel for n entries of values and gaps; gaps are unsigned, in the type of all 8-bit constants."""
    symbol = f"tm_rv_dot_sparse_s{weights}_s{vector}_s32"
    runs = f"const int{weights}_t *values, const int8_t *gaps, const int{vector}_t *x"
    signature = f"int32_t {symbol}({runs}, int n, int32_t sum)"
    return _SparseDot(weights, vector).kernel(symbol, (weights, vector, 32), "num.sparse_dot", signature, _PORTABLE)


@dataclass(frozen=True)
class _SparseDot(RunKernel):
    """A sum. The pointer into the vector advances by gaps. weights, vector: widths in bits."""

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
