"""Kernels that embed the rows of constant matrices in code, for instruction sets with MLA, with eight sums at a time in
registers.

Each element of a vector is loaded once for the rows of a block. Each magnitude among the weights by which it is
multiplied is moved to a register once. MLA or MLS then adds the product to the sum of each row with such a weight. If
the weight is a power of two, the product is an addition with a shift. Zero weights need no code.

This code is not an instance of `RowKernel`, because each block of rows has its own instructions, and there is no weight
stream.

Registers are assigned by hand, because only sums, an element, a weight and the arguments are live.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.coded_rows import MAX_RESULT, CodedRows
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.c.composer.constants_in_c import rows_in_c, rows_signature
from tinyml.targets.composer.instructions import Code, Line, Run, instructions, joined, max_bytes, stack_of
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.boards import ARMV7M, DSP
from tinyml.targets.cortex_m.composer.fragments import statement
from tinyml.targets.cortex_m.thumb import REACH, at
from tinyml.targets.kernel import Composed, Kernel

_NUMBERS = range(4, 12)
_SUMS = [f"r{number}" for number in _NUMBERS]
_ELEMENT, _WEIGHT = "r12", "lr"
_POINTERS = 4
"""The greatest number of pointers to vectors and results, which are in r0 to r3."""
_CALL_BYTES = 16


def constant(register: str, value: int) -> Code:
    """Code that sets a register to a 32-bit integer."""
    if -256 <= value < 0:
        return (t.mvn(register, ~value),)
    low, high = value & 0xFFFF, value >> 16 & 0xFFFF
    return joined(t.movw(register, low), t.movt(register, high) if high else ())


@dataclass(frozen=True)
class CodedRowsArmv7m:
    """The kernel for all rows of constant matrices. Its arguments are the pointers to the vectors, then to the
    results.
    """

    rows: CodedRows

    @property
    def fits(self) -> bool:
        """True if the sums fit in 32 bits, the pointers fit in r0 to r3, and every load reaches its address."""
        vectors = self.rows.weights
        near = all(matrix.shape[1] <= REACH for matrix in (*vectors, self.rows.starts[None]))
        return len(vectors) < _POINTERS and near and int(self.rows.bounds.max()) < 1 << 31

    @cached_property
    def lines(self) -> Code:
        count = len(_SUMS)
        blocks = [self._block(first) for first in range(0, self.rows.rows, count)]
        return joined(t.push((_NUMBERS, "lr")), *blocks, t.pop((_NUMBERS, "pc")))

    @property
    def instructions(self) -> int:
        """The number of instructions that a call executes, including those that pass arguments and call the function.

        All results are assumed to be in range.
        """
        return 2 + len(self.rows.weights) + instructions(self.lines)

    def _block(self, first: int) -> Code:
        rows = self.rows.part(first, first + len(_SUMS))
        lines = list(joined(*(constant(sum, int(start)) for sum, start in zip(_SUMS, rows.starts, strict=False))))
        for number, (matrix, places) in enumerate(zip(rows.weights, rows.aligns, strict=True)):
            lines += [t.lsl(sum, sum, places) for sum in _SUMS[: rows.rows]] if places else []
            for column in np.flatnonzero(matrix.any(0)).tolist():
                lines.append(t.ldrsb(_ELEMENT, at(f"r{number}", column)))
                lines += products([int(weight) for weight in matrix[:, column]])
        for row, sum in enumerate(_SUMS[: rows.rows]):
            lines += finished(sum, rows.right, limited=int(rows.bounds[row]) >> rows.right >= MAX_RESULT)
            lines.append(t.strb(sum, at(f"r{len(rows.weights)}", first + row)))
        return tuple(lines)


def products(weights: list[int]) -> Code:
    """Code that adds the products of one element and the weights of all rows of a block to the sums."""
    lines: list[Line] = []
    for magnitude in sorted({abs(weight) for weight in weights} - {0}):
        shift = magnitude.bit_length() - 1
        power = magnitude == 1 << shift
        if not power:
            lines += constant(_WEIGHT, magnitude)
        for sum, weight in zip(_SUMS, weights, strict=False):
            if abs(weight) != magnitude:
                continue
            if power:
                by = {"lsl": shift} if shift else {}
                lines.append((t.add if weight > 0 else t.sub)(sum, sum, _ELEMENT, **by))
            else:
                lines.append((t.mla if weight > 0 else t.mls)(sum, _ELEMENT, _WEIGHT, sum))
    return tuple(lines)


def finished(sum: str, right: int, *, limited: bool) -> Code:
    """Code that shifts a sum right and, if `limited`, clamps its magnitude to `MAX_RESULT`."""
    if not limited:
        return (t.asr(sum, sum, right),)
    least = t.mvneq(sum, MAX_RESULT - 1)
    return t.ssat(sum, 8, sum, asr=right), t.cmn(sum, MAX_RESULT + 1), t.it("eq"), least


def coded_rows(symbol: str, rows: CodedRows) -> Kernel | None:
    """The kernel for these rows; None if `CodedRowsArmv7m` does not support them."""
    code = CodedRowsArmv7m(rows)
    if not code.fits:
        return None
    bodies = {(ARMV7M, DSP): statement(code.lines, DSP)}
    head, costs = rows_signature(symbol, rows), {"": float(code.instructions)}
    stack, runs = stack_of(code.lines), (Run(code.lines),)
    composed = Composed("tinyml/cores.h", head, bodies, rows_in_c(rows), costs, _CALL_BYTES, stack, runs=runs)
    return Kernel(symbol, 8, 8, 32, op="num.coded_rows", flash=None, code=max_bytes(code.lines), composed=composed)
