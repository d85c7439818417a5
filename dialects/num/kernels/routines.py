"""The routines that kernels compute: sums over runs, tiles, and steps of transforms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Self, TypeGuard, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IndexTypeConstr,
    IntAttr,
    IntegerType,
    StringAttr,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.number_format import Coding, NumberFormat, element_format
from tinyml.dialects.layouts.packed_bits import group_length
from tinyml.dialects.num.base import SAME_SUM, SCALAR, accumulator_type, format_of, same_family, sums_products
from tinyml.dialects.num.kernels.calls import (
    MEMREF,
    Arguments,
    CallOp,
    LoopBuilding,
    LoopRoutineAttr,
    RoutineAttr,
    run_length,
)
from tinyml.dialects.num.kernels.kernel_attributes import (
    ComposedKernelAttr,
    KernelAttr,
    TileKernelAttr,
    verify_identifier,
)
from tinyml.dialects.num.scalars import SubOp
from tinyml.dialects.num.sums import MacOp
from tinyml.dialects.operations import index_constant
from tinyml.dialects.scratch.ops import SliceOp
from tinyml.dialects.scratch.types import in_flash, memref_type, packed_bits

if TYPE_CHECKING:
    from tinyml.dialects.machine.emitter import Emitter

__all__ = [
    "AxpyAttr",
    "ChannelDotsAttr",
    "DistanceAttr",
    "DotAttr",
    "DotRowsAttr",
    "PackedDotAttr",
    "SparseDotAttr",
    "StridedDotAttr",
    "TilesAttr",
    "TransformAttr",
    "calls_dot",
    "over_entries",
]


def _number(e: Emitter, value: int) -> SSAValue:
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
        first = _number(e, zero)
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
            numbers = [_number(e, number) for number in self.numbers]
            return [*tables, *call.arguments[1:], _number(e, length), *parameters, *numbers, call.sum]

        return emit


def _verify_products(call: CallOp, lhs: SSAValue, rhs: SSAValue) -> None:
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
        _verify_products(call, *call.arguments[1:])
        run_length(*call.arguments[1:])


def calls_dot(op: Operation) -> TypeGuard[CallOp]:
    """True for the call of a `#num.dot`."""
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
        _verify_products(call, *runs)
        shapes = [memref_type(value).get_shape() for value in runs]
        step = self.step
        if step < 1 or [len(shape) for shape in shapes] != [1, 1] or shapes[1][0] != (shapes[0][0] - 1) * step + 1:
            needed = f"n and (n - 1) * {step} + 1"
            raise VerifyException(f"needs runs of {needed} elements, got shapes {shapes[0]} and {shapes[1]}")


@irdl_attr_definition
class DistanceAttr(DenseSumAttr):
    """`(sum, lhs, rhs)`: the sum plus the squares of the exact differences between corresponding elements of two
    runs.
    """

    name = "num.distance"
    BY_BLOCKS: ClassVar[bool] = True

    def factors(self, call: CallOp) -> tuple[SSAValue, SSAValue]:
        """The runs `lhs` and `rhs` in the order that kernels require: a run in flash precedes a run in RAM."""
        _, lhs, rhs = call.arguments
        return (lhs, rhs) if in_flash(memref_type(lhs)) else (rhs, lhs)

    def verify_call(self, call: CallOp) -> None:
        difference = _difference(call)
        if not accumulator_type(call.sum).sums(difference, difference):
            raise VerifyException(f"{call.sum.type} does not sum squares of {difference.type}")
        run_length(*call.arguments[1:])

    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue:
        lhs, rhs = call.arguments[1:]
        format = _difference(call).type

        def step(k: SSAValue, sums: Sequence[SSAValue]) -> list[SSAValue]:
            difference = loops.insert(SubOp(loops.load(lhs, [k]), loops.load(rhs, [k]), format))
            return [loops.insert(MacOp(sums[0], difference, difference))]

        return loops.fold(loops.index(self.length(call)), [call.sum], step)[0]


def _difference(call: CallOp) -> NumberFormat:
    """The format of exact differences between elements of the runs. Raises `VerifyException` if there is none."""
    lhs, rhs = (element_format(run.type) for run in call.arguments[1:])
    if (format := lhs.difference(rhs)) is None:
        raise VerifyException(f"{lhs.type} and {rhs.type} have no exact difference")
    return format


def over_entries(
    start: SSAValue,
    gaps: SSAValue,
    lengths: SSAValue,
    row: SSAValue,
    first: SSAValue,
    add: Callable[[SSAValue, SSAValue, SSAValue], SSAValue],
    loops: LoopBuilding,
) -> SSAValue:
    """Build a loop over the entries of a compressed row, and return the value of the sum after the loop.

    start: the value of the sum before the loop.
    gaps, lengths: the gaps of all entries and the lengths of all rows.
    row: the index of the row.
    first: the index of the row's first entry.
    add: returns the sum after an entry, given the sum before the entry, the index of the entry and the column of the
        entry.
    """

    def step(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        sum, column, entry = carried
        column = loops.add(column, loops.unsigned(loops.load(gaps, [entry])))
        return [add(sum, entry, column), column, loops.add(entry, loops.index(1))]

    length = loops.unsigned(loops.load(lengths, [row]))
    return loops.fold(length, [start, loops.index(0), first], step)[0]


@irdl_attr_definition
class SparseDotAttr(LoopRoutineAttr):
    """`(sum, values, gaps, lengths, vector, row, at)`: the sum plus the products of one compressed row and a vector.

    `row` is the index of the row among the compressed rows, whose layout `dialects/layouts/sparse_rows.py` describes.
    `at` is the index of the first entry of the row among all entries.
    """

    name = "num.sparse_dot"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (
        *(SAME_SUM, MEMREF, MEMREF, MEMREF, MEMREF),
        *(IndexTypeConstr, IndexTypeConstr),
    )
    ADDS: ClassVar[bool] = True

    def factors(self, call: CallOp) -> tuple[SSAValue, SSAValue]:
        return call.arguments[1], call.arguments[4]

    def products(self, call: CallOp) -> None:
        return None

    def verify_call(self, call: CallOp) -> None:
        _verify_products(call, *self.factors(call))

    def expand(self, call: CallOp, loops: LoopBuilding) -> SSAValue:
        start, values, gaps, lengths, vector, row, at = call.arguments

        def add(sum: SSAValue, entry: SSAValue, column: SSAValue) -> SSAValue:
            return loops.insert(MacOp(sum, loops.load(values, [entry]), loops.load(vector, [column])))

        return over_entries(start, gaps, lengths, row, at, add, loops)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        def emit(e: Emitter) -> Sequence[SSAValue]:
            sum, values, gaps, lengths, vector, row, at = call.arguments
            runs = [e.insert(SliceOp(run, at, memref_type(run).get_shape())) for run in (values, gaps)]
            length = e.insert(memref.LoadOp.get(lengths, [row]))
            wide = e.insert(arith.ExtUIOp(length, i16 if length.type == i8 else i32))
            return [*runs, vector, e.insert(arith.IndexCastOp(wide, IndexType())), sum]

        return emit


@irdl_attr_definition
class PackedDotAttr(RoutineAttr):
    """`(sum, row, vector)`: the sum plus the products of one packed row (`dialects/layouts/sparse_rows.py`) and a
    vector.
    """

    name = "num.packed_dot"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (SAME_SUM, MEMREF, MEMREF)
    ADDS: ClassVar[bool] = True

    def takes(self, kernel: KernelAttr) -> bool:
        return super().takes(kernel) or (isinstance(kernel, ComposedKernelAttr) and kernel.gaps.data > 0)

    def products(self, call: CallOp) -> None:
        return None

    def verify_call(self, call: CallOp) -> None:
        element_format(call.arguments[2].type)

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments[1:], call.sum]


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
        return lambda e: [*call.arguments, _number(e, length)]


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
            return [matrix, vector, *(_number(e, number) for number in (length, *self.numbers)), starts, sums]

        return emit


@irdl_attr_definition
class DotRowsAttr(SeveralRowsAttr):
    """`(sums, starts, matrix, vector)`: `sums[r]` is `starts[r]` plus the products of row r of the matrix and the
    vector.

    Each row of the matrix is contiguous, and the next row begins where it ends. Packed rows consist of whole groups.
    `sums` and `starts` may be the same memory.
    """

    name = "num.dot_rows"

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

    name = "num.channel_dots"
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


@irdl_attr_definition
class TransformAttr(RoutineAttr):
    """`(run, ...)`: a C function of the runtime transforms the raws of a run in place, or computes them from other runs
    and constants, which it does not modify.

    The arguments of the C function are the operands, then `numbers`. The cost model assumes a time proportional to
    `steps`.
    """

    name = "num.transform"
    OPERANDS: ClassVar[Sequence[AttrConstraint]] = (MEMREF,)
    symbol: StringAttr
    numbers: DenseArrayBase
    steps: IntAttr

    @classmethod
    def of(cls, function: str, numbers: Sequence[int], steps: int) -> Self:
        return cls(StringAttr(function), DenseArrayBase.from_list(i64, numbers), IntAttr(steps))

    @property
    def function(self) -> str:
        return self.symbol.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            function = parser.parse_str_literal()
            parser.parse_punctuation(",")
            numbers = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
            )
            parser.parse_punctuation(",")
            parser.parse_keyword("steps")
            parser.parse_punctuation("=")
            steps = parser.parse_integer(allow_boolean=False)
            return [StringAttr(function), DenseArrayBase.from_list(i64, numbers), IntAttr(steps)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.function)
            printer.print_string(f", {list(self._counts)}, steps = {self.steps.data}")

    def verify(self) -> None:
        verify_identifier(self.symbol)
        if min(self._counts, default=0) < 0 or self.steps.data < 0:
            raise VerifyException("numbers and steps are at least 0")

    @property
    def _counts(self) -> Sequence[int]:
        return tuple(cast("DenseArrayBase[IntegerType]", self.numbers).get_values())

    def constraints(self, count: int) -> Sequence[AttrConstraint]:
        return [MEMREF] * max(count, 1)

    def products(self, call: CallOp) -> int:
        """The number of steps, which the cost model counts like products."""
        return self.steps.data

    def verify_call(self, call: CallOp) -> None:
        for value in call.arguments:
            if len(memref_type(value).get_shape()) != 1:
                raise VerifyException(f"works on runs of memory, got {value.type}")

    def arguments(self, call: CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments, *(_number(e, count) for count in self._counts)]
