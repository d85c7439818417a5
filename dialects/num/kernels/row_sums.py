"""Routines that update the sums of several rows in one call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import SSAValue
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.machine.emitter import Emitter
from tinyml.dialects.num.base import SCALAR, format_of, sums_products
from tinyml.dialects.num.kernels.calls import (
    CHANNEL_DOTS,
    DOT_ROWS,
    MEMREF,
    Arguments,
    CallOp,
    LoopBuilding,
    LoopRoutineAttr,
    RoutineAttr,
    run_length,
)
from tinyml.dialects.num.kernels.routines import OneNumberAttr, number
from tinyml.dialects.num.sums import MacOp
from tinyml.dialects.scratch.types import memref_type, packed_bits

__all__ = ["AxpyAttr", "ChannelDotsAttr", "DotRowsAttr"]


@irdl_attr_definition
class AxpyAttr(LoopRoutineAttr):
    """`(sums, vector, factor)`: `sums[k] = sums[k] + vector[k] * factor` for every index k of two runs."""

    name = "num.axpy"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF, MEMREF, SCALAR)

    def length(self, call: CallOp) -> int:
        return run_length(call.arguments[1])

    def verify_call(self, call: CallOp) -> None:
        sums, vector, factor = call.arguments
        run_length(sums, vector)
        sums_products(memref_type(sums).element_type, element_format(vector.type), format_of(factor))

    def expand(self, call: CallOp, loops: LoopBuilding) -> None:
        sums, vector, factor = call.arguments

        def step(indices: list[SSAValue]) -> None:
            sum, weight = loops.load(sums, indices), loops.load(vector, indices)
            loops.store(loops.insert(MacOp(sum, weight, factor)), sums, indices)

        loops.over((self.length(call),), step)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        length = self.length(call)
        return lambda e: [*call.arguments, number(e, length)]


class SeveralRowsAttr(RoutineAttr, ABC):
    """A routine that computes a sum of products for each of several rows.

    The operands are `sums`, `starts`, `matrix` and a vector or window. Each row of the matrix is contiguous, and
    the next row begins where it ends. `sums` and `starts` may be the same memory.
    """

    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF, MEMREF, MEMREF, MEMREF)

    @property
    def numbers(self) -> Sequence[int]:
        """The integer arguments of the kernel's C function after the length of a row."""
        return ()

    def products(self, call: CallOp) -> int:
        return run_length(call.arguments[2])

    def verify_call(self, call: CallOp) -> None:
        sums, starts, matrix, vector = call.arguments
        self.verify_extents(run_length(sums, starts), matrix, run_length(vector))
        sums_products(memref_type(sums).element_type, element_format(matrix.type), element_format(vector.type))

    @abstractmethod
    def verify_extents(self, rows: int, matrix: SSAValue, elements: int) -> None:
        """Raise `VerifyException` unless the matrix has the extents that the operands require.

        rows: the number of rows.
        elements: the number of elements of the vector.
        """

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        length = self.length(call)

        def emit(e: Emitter) -> Sequence[SSAValue]:
            sums, starts, matrix, vector = call.arguments
            return [matrix, vector, *(number(e, each) for each in (length, *self.numbers)), starts, sums]

        return emit


@irdl_attr_definition
class DotRowsAttr(SeveralRowsAttr):
    """`(sums, starts, matrix, vector)`: `sums[r]` is `starts[r]` plus the products of row r of the matrix and the
    vector.

    Each row of the matrix is contiguous, and the next row begins where it ends. Packed rows consist of whole groups.
    `sums` and `starts` may be the same memory.
    """

    name = DOT_ROWS

    def verify_extents(self, rows: int, matrix: SSAValue, elements: int) -> None:
        bits = packed_bits(memref_type(matrix))
        padded = elements if bits is None else elements + -elements % group_length(bits)
        if run_length(matrix) != rows * padded:
            raise VerifyException(f"{rows} rows of {padded} elements are not {run_length(matrix)}")


@irdl_attr_definition
class ChannelDotsAttr(SeveralRowsAttr, OneNumberAttr):
    """`(sums, starts, matrix, window)`: `sums[r]` is `starts[r]` plus the products of row r of the matrix and channel r
    of a window.

    Channel r consists of every `stride`-th element of the window, starting with element r. Each channel of an image
    therefore has its own filter. Each row of the matrix is contiguous, and the next row begins where it ends. `sums`
    and `starts` may be the same memory.
    """

    name = CHANNEL_DOTS
    stride: IntAttr

    @property
    def numbers(self) -> Sequence[int]:
        return (self.stride.data,)

    def length(self, call: CallOp) -> int:
        return run_length(call.arguments[2]) // run_length(call.sum)

    def verify_extents(self, rows: int, matrix: SSAValue, elements: int) -> None:
        weights = run_length(matrix)
        if weights % rows or elements != (weights // rows - 1) * self.stride.data + rows:
            raise VerifyException(f"{rows} rows of {weights} elements do not meet {elements} elements of a window")
