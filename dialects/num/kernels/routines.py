"""The routines that most kernels compute: sums of products over runs, and tiles."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeGuard, cast

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Coding, element_format
from tinyml.dialects.num.base import SAME_SUM, same_family, sums_products
from tinyml.dialects.num.kernels.calls import (
    MEMREF,
    Arguments,
    CallOp,
    LoopBuilding,
    LoopRoutineAttr,
    RoutineAttr,
    run_length,
)
from tinyml.dialects.num.kernels.kernel_attributes import KernelAttr, TileKernelAttr
from tinyml.dialects.num.sums import MacOp
from tinyml.dialects.operations import index_constant
from tinyml.dialects.scratch.ops import SliceOp
from tinyml.dialects.scratch.types import memref_type

if TYPE_CHECKING:
    from tinyml.dialects.machine.emitter import Emitter

__all__ = ["DotAttr", "StridedDotAttr", "TilesAttr", "calls_dot"]


def number(e: Emitter, value: int) -> SSAValue:
    return e.insert(index_constant(value))


def _decoding(e: Emitter, codings: Sequence[Coding], *, segments: bool) -> tuple[list[SSAValue], list[SSAValue]]:
    """Two lists of arguments from which a kernel decodes raws: pointers to tables, and one byte for each other
    parameter.

    A table pointer addresses the entry for raw 0. The entries of negative raws precede this entry.
    """
    tables = [(coding.table, coding.zero) for coding in codings if coding.table is not None]
    parameters = [value for coding in codings for value in coding.parameters]
    if segments:
        [(table, extra)] = [coding.segments() for coding in codings if coding.segments is not None]
        tables, parameters = [(table, len(table) // 2)], [*parameters, extra]
    runs: list[SSAValue] = []
    for table, zero in tables:
        first = number(e, zero)
        whole = e.context.table("decoding", table)
        runs.append(e.insert(SliceOp(whole, first, (len(table) - zero,))))
    return runs, [e.int_constant(value, 8) for value in parameters]


class OneNumberAttr(RoutineAttr, ABC):
    """A routine with one integer parameter, as in `#num.strided_dot<3>`."""

    @classmethod
    def of(cls, number: int) -> Self:
        return cls(IntAttr(number))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False))]

    def print_parameters(self, printer: Printer) -> None:
        [number] = self.parameters
        with printer.in_angle_brackets():
            printer.print_int(cast(IntAttr, number).data)


class DenseSumAttr(LoopRoutineAttr, ABC):
    """A routine that adds to `sum` a sum of terms, each of which depends on one element of the run `lhs` and one of the
    run `rhs`.
    """

    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (SAME_SUM, MEMREF, MEMREF)
    ADDS: ClassVar[bool] = True

    @property
    def numbers(self) -> Sequence[int]:
        """The integer arguments of the kernel's C function between the length of the runs and the sum."""
        return ()

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        runs, length = call.arguments[1:], self.length(call)
        codings = [coding for run in runs if (coding := element_format(run.type).coding) is not None]

        def emit(e: Emitter) -> Sequence[SSAValue]:
            tables, parameters = _decoding(e, codings, segments=segments)
            numbers = [number(e, each) for each in self.numbers]
            return [*tables, *call.arguments[1:], number(e, length), *parameters, *numbers, call.sum]

        return emit


def verify_products(call: CallOp, lhs: SSAValue, rhs: SSAValue) -> None:
    """Raise `VerifyException` unless the accumulator of a call supports products of elements of its two runs."""
    formats = element_format(lhs.type), element_format(rhs.type)
    same_family(call, *formats)
    sums_products(call.sum.type, *formats)


class ProductsOfRunsAttr(DenseSumAttr, ABC):
    """A routine that adds to a sum the products of the elements of two runs."""

    @property
    def step(self) -> int:
        """The distance in the second run between consecutive elements that are multiplied, in elements."""
        return 1

    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue:
        lhs, rhs = call.arguments[1:]

        def mac(sum: SSAValue, k: SSAValue) -> SSAValue:
            return loops.insert(MacOp(sum, loops.load(lhs, [k]), loops.load(rhs, [loops.times(k, self.step)])))

        return loops.sum_of_products(call.sum, self.length(call), mac)


@irdl_attr_definition
class DotAttr(ProductsOfRunsAttr):
    """`(sum, lhs, rhs)`: the sum plus the products of corresponding elements in two runs of equal length.

    `#num.dot` adds products in order, or as a tree if the accumulator is that of an addition tree.
    """

    name = "num.dot"
    BY_BLOCKS: ClassVar[bool] = True

    def verify_call(self, call: CallOp) -> None:
        verify_products(call, *call.arguments[1:])
        run_length(*call.arguments[1:])


def calls_dot(op: Operation) -> TypeGuard[CallOp]:
    return isinstance(op, CallOp) and isinstance(op.routine, DotAttr)


@irdl_attr_definition
class StridedDotAttr(ProductsOfRunsAttr, OneNumberAttr):
    """`(sum, lhs, rhs)`: the sum plus the products of the elements of `lhs` and every `stride`-th element of `rhs`.

    `#num.strided_dot` adds products in order. `rhs` extends from the first to the last multiplied element, as in a
    column of a matrix.
    """

    name = "num.strided_dot"
    stride: IntAttr

    @property
    def step(self) -> int:
        return self.stride.data

    @property
    def numbers(self) -> Sequence[int]:
        return (self.step,)

    def length(self, call: CallOp) -> int:
        return run_length(call.arguments[1])

    def verify_call(self, call: CallOp) -> None:
        runs = call.arguments[1:]
        verify_products(call, *runs)
        shapes = [memref_type(value).get_shape() for value in runs]
        step = self.step
        if step < 1 or [len(shape) for shape in shapes] != [1, 1] or shapes[1][0] != (shapes[0][0] - 1) * step + 1:
            needed = f"n and (n - 1) * {step} + 1"
            raise VerifyException(f"needs runs of {needed} elements, got shapes {shapes[0]} and {shapes[1]}")


@irdl_attr_definition
class TilesAttr(OneNumberAttr):
    """`(outputs, stream, windows)`: the rounded results of a `num.contract` over windows.

    The attribute of the kernel specifies the numbers of windows and rows per call. `stream` contains the weights and
    other data of rows, in the order in which the kernel reads them. `multiplied` is the number of products per call.
    """

    name = "num.tiles"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF, MEMREF, MEMREF)
    multiplied: IntAttr

    def takes(self, kernel: KernelAttr) -> bool:
        return isinstance(kernel, TileKernelAttr)

    def products(self, call: CallOp) -> int:
        return self.multiplied.data

    def verify_call(self, call: CallOp) -> None:
        for run in call.arguments:
            run_length(run)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments[1:], call.arguments[0]]
