"""Sums of products: one sum from its start to its final rounding, and all sums of a contraction as one op.

The proof that a sum does not overflow stands in the IR: `bound = array<i64: least, greatest>`. A contraction is kept as
one op, whose body says how a sum starts, what it adds up and how it is finished, from the lowering of a product until
kernels are chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerType, UnitAttr, i8, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryReadEffect, NoTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import Bound, NumberFormat, element_format
from tinyml.dialects.num.base import (
    SAME_INTEGER_SUM,
    SAME_SUM,
    SCALAR,
    SUM,
    Computation,
    NumOp,
    accumulator_type,
    format_of,
    same_family,
)
from tinyml.dialects.num.kernels.calls import MEMREF, run_length
from tinyml.dialects.num.kernels.kernel_attributes import TILE_OR_CODE, TileKernelAttr
from tinyml.dialects.scratch.types import memref_type

__all__ = [
    "BOUND",
    "AddShiftedOp",
    "AlignOp",
    "ContractOp",
    "FinishOp",
    "JoinOp",
    "LevelOp",
    "MacOp",
    "ProductsOp",
    "RowSumOp",
    "ShiftOp",
    "Spacing",
    "SparseProductsOp",
    "StartOp",
    "ZeroOp",
    "bound_of",
    "proof",
    "verify_bound",
    "verify_room",
]

BOUND = DenseArrayBase.constr(i64)


def proof(bound: Bound | None) -> dict[str, Attribute]:
    """The property that states a bound; empty if there is nothing to prove."""
    return {} if bound is None else {"bound": DenseArrayBase.from_list(i64, bound)}


def bound_of(stated: DenseArrayBase[IntegerType] | None) -> Bound | None:
    """A stated bound; raises `VerifyException` unless it is an ordered pair of numbers."""
    if stated is None:
        return None
    values = stated.get_values()
    if len(values) != 2 or not values[0] <= values[1]:
        raise VerifyException(f"bound must be the least and the greatest of a sum, got {stated}")
    return cast(Bound, tuple(values))


def verify_bound(stated: Bound | None, derived: Bound | None) -> None:
    """Raise `VerifyException` if sums can exceed the bound stated for them."""
    if stated is not None and derived is not None and not stated[0] <= derived[0] <= derived[1] <= stated[1]:
        raise VerifyException(f"sums go from {derived[0]} to {derived[1]}, beyond the bound")


def verify_room(accumulator: Accumulator, bound: Bound | None, result: NumberFormat) -> None:
    """Raise `VerifyException` if sums can overflow their accumulator, or can when they are rounded."""
    if bound is not None and not accumulator.holds(bound, result):
        sums = f"sums from {bound[0]} to {bound[1]}"
        raise VerifyException(f"{accumulator.type} cannot hold {sums} and round them into {result.type}")


@irdl_op_definition
class ZeroOp(NumOp):
    """An empty sum."""

    name = "num.zero"
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: Attribute):
        super().__init__(result_types=[type])

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.result)
        return lambda machine, x: accumulator.zero(machine)


@irdl_op_definition
class StartOp(NumOp):
    """A sum that starts from a number."""

    name = "num.start"
    value = operand_def(SCALAR)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, type: Attribute):
        super().__init__(operands=[value], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).starts(format_of(self.value)):
            raise VerifyException(f"a sum in {self.result.type} does not start from {self.value.type}")

    def computation(self) -> Computation:
        accumulator, format = accumulator_type(self.result), format_of(self.value)
        return lambda machine, x: accumulator.start(machine, x[0], format)


@irdl_op_definition
class AlignOp(NumOp):
    """The same sum in an accumulator of finer units, for products of another scale."""

    name = "num.align"
    sum = operand_def(SUM)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute):
        super().__init__(operands=[sum], result_types=[type])

    def verify_(self) -> None:
        if not accumulator_type(self.result).follows(accumulator_type(self.sum)):
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")

    def computation(self) -> Computation:
        accumulator, before = accumulator_type(self.result), accumulator_type(self.sum)
        return lambda machine, x: accumulator.align(machine, x[0], before)


@irdl_op_definition
class MacOp(NumOp):
    """sum + lhs * rhs."""

    name = "num.mac"
    sum = operand_def(SAME_SUM)
    lhs = operand_def(SCALAR)
    rhs = operand_def(SCALAR)
    result = result_def(SAME_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $lhs `,` $rhs attr-dict `:` type($sum) `,` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, sum: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[sum, lhs, rhs], result_types=[sum.type])

    def verify_(self) -> None:
        accumulator = accumulator_type(self.sum)
        if accumulator.below is not None or not accumulator.sums(format_of(self.lhs), format_of(self.rhs)):
            raise VerifyException(f"{self.sum.type} does not sum products of {self.lhs.type} and {self.rhs.type}")

    def computation(self) -> Computation:
        accumulator, lhs, rhs = accumulator_type(self.sum), format_of(self.lhs), format_of(self.rhs)
        return lambda machine, x: accumulator.mac(machine, x[0], x[1], lhs, x[2], rhs)


@irdl_op_definition
class JoinOp(NumOp):
    """sum + part: a step of a tree sum, which joins two sums of the level below or adds up complete trees."""

    name = "num.join"
    sum = operand_def(SAME_SUM)
    part = operand_def(SUM)
    result = result_def(SAME_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $part attr-dict `:` type($sum) `,` type($part) `->` type($result)"

    def __init__(self, sum: SSAValue, part: SSAValue):
        super().__init__(operands=[sum, part], result_types=[sum.type])

    def verify_(self) -> None:
        below = accumulator_type(self.sum).below
        if below is None or self.part.type not in (self.sum.type, below.type):
            raise VerifyException(f"a sum in {self.sum.type} does not join {self.part.type}")

    def computation(self) -> Computation:
        accumulator, part = accumulator_type(self.sum), accumulator_type(self.part)
        return lambda machine, x: accumulator.join(machine, x[0], x[1], part)


@irdl_op_definition
class ShiftOp(NumOp):
    """sum / 2^places, rounded down; only for sums that are integers."""

    name = "num.shift"
    sum = operand_def(SAME_INTEGER_SUM)
    places = operand_def(i8)
    result = result_def(SAME_INTEGER_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $places attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, places: SSAValue):
        super().__init__(operands=[sum, places], result_types=[sum.type])

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.sum)
        return lambda machine, x: accumulator.shifted(machine, x[0], x[1])


@irdl_op_definition
class AddShiftedOp(NumOp):
    """sum + part * 2^places: a group of products in coarser units joins a sum; only for sums that are integers."""

    name = "num.add_shifted"
    sum = operand_def(SAME_INTEGER_SUM)
    part = operand_def(SAME_INTEGER_SUM)
    places = operand_def(i8)
    result = result_def(SAME_INTEGER_SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `,` $part `,` $places attr-dict `:` type($sum) `,` type($part) `->` type($result)"

    def __init__(self, sum: SSAValue, part: SSAValue, places: SSAValue):
        super().__init__(operands=[sum, part, places], result_types=[sum.type])

    def computation(self) -> Computation:
        accumulator = accumulator_type(self.sum)
        return lambda machine, x: accumulator.add_shifted(machine, x[0], x[1], x[2])


@irdl_op_definition
class LevelOp(NumOp):
    """The complete sum of row number `row`, converted from the row's own scale to the units that all rows share."""

    name = "num.level"
    sum = operand_def(SUM)
    row = operand_def(IndexType)
    result = result_def(SUM)
    traits = traits_def(Pure())
    assembly_format = "$sum `row` $row attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, row: SSAValue, type: Attribute):
        super().__init__(operands=[sum, row], result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), accumulator_type(self.result)
        if accumulator.FAMILY != result.FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} does not go on in {self.result.type}")
        if result.has_row_scales or type(result) is not type(accumulator):
            raise VerifyException(f"{self.result.type} is no accumulator of one scale for sums in {self.sum.type}")

    def computation(self) -> Computation:
        accumulator, levelled = accumulator_type(self.sum), accumulator_type(self.result)
        return lambda machine, x: accumulator.level_row(machine, x[0], x[1], levelled)


@irdl_op_definition
class FinishOp(NumOp):
    """A sum rounded into a format; `bound`, its least and greatest possible values, proves that it did not overflow."""

    name = "num.finish"
    sum = operand_def(SUM)
    bound = opt_prop_def(BOUND)
    result = result_def(SCALAR)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sum attr-dict `:` type($sum) `->` type($result)"

    def __init__(self, sum: SSAValue, type: Attribute, bound: Bound | None = None):
        super().__init__(operands=[sum], properties=proof(bound), result_types=[type])

    def verify_(self) -> None:
        accumulator, result = accumulator_type(self.sum), format_of(self.result)
        if accumulator.FAMILY != result.FAMILY:
            raise VerifyException(f"a sum in {self.sum.type} cannot be rounded into {self.result.type}; convert first")
        verify_room(accumulator, self.sum_bound, result)

    @property
    def sum_bound(self) -> Bound | None:
        return bound_of(self.bound)

    def computation(self) -> Computation:
        accumulator, result, bound = accumulator_type(self.sum), format_of(self.result), self.sum_bound
        return lambda machine, x: result.finish(machine, x[0], accumulator, bound)


class Spacing(NamedTuple):
    """The layout of windows in memory: each has `runs` runs `pitch` elements apart, and the next lies `step` on.

    A line of windows lies a pitch behind the one before.
    """

    runs: int = 1
    pitch: int = 0
    step: int = 0


@irdl_op_definition
class ContractOp(IRDLOperation):
    """Sums of products over windows and rows of weights: the body runs for every row of every window, in order.

    The body takes the numbers of a line of windows, of a window in it and of a row; without lines, or without windows,
    there is one of them. It begins sums (`num.zero`, `num.start`), adds the products of the row to them
    (`num.products`), and finishes and stores them, perhaps after further operations.

    tile: the kernel that computes all of it, or some of its lines in each call. It is chosen with the windows
    (`tile-windows`, `plan-execution`), for a single window by `block-rows`; `spend-flash` may choose another that takes
    more flash, or contains the weights. `select-kernels` calls it. Contractions without one become loops over dot
    products.
    """

    name = "num.contract"
    extents = prop_def(DenseArrayBase.constr(i64))
    tile = opt_prop_def(TILE_OR_CODE)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, shape: Sequence[int], body: Region, tile: Attribute | None = None):
        super().__init__(properties={"extents": DenseArrayBase.from_list(i64, shape), "tile": tile}, regions=[body])

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of lines, windows and rows; of windows and rows; or of rows."""
        return tuple(int(extent) for extent in self.extents.get_values())

    @property
    def rows(self) -> int:
        """The number of rows of weights."""
        return self.shape[-1]

    @property
    def windows(self) -> int:
        """The number of windows in a line."""
        return self.shape[-2] if len(self.shape) > 1 else 1

    @property
    def lines(self) -> int:
        """The number of lines of windows."""
        return self.shape[-3] if len(self.shape) > 2 else 1

    @property
    def row(self) -> SSAValue:
        """The number of the row that the body computes."""
        return self.body.block.args[-1]

    @property
    def sums(self) -> Sequence[RowSumOp]:
        """The ops that add products, in order."""
        return [op for op in self.body.block.ops if isinstance(op, RowSumOp)]

    @property
    def is_sparse(self) -> bool:
        """True if rows follow each other through a sparse matrix."""
        return any(isinstance(op, SparseProductsOp) for op in self.sums)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        none = parser.Delimiter.NONE
        numbers = parser.parse_comma_separated_list(none, lambda: parser.parse_argument(expect_type=False))
        parser.parse_keyword("to")
        shape = parser.parse_comma_separated_list(none, parser.parse_integer)
        tile = parser.parse_attribute() if parser.parse_optional_keyword("by") else None
        op = cls(shape, parser.parse_region([number.resolve(IndexType()) for number in numbers]), tile)
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(f" to {', '.join(map(str, self.shape))} ")
        if self.tile is not None:
            printer.print_string(f"by {self.tile} ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not 1 <= len(self.shape) <= 3 or min(self.shape) < 1:
            raise VerifyException(f"needs at least 1 row, window and line, got {self.shape}")
        if list(self.body.block.arg_types) != [IndexType()] * len(self.shape):
            raise VerifyException(f"the body takes an index for each extent of {self.shape}")
        if isinstance(tile := self.tile, TileKernelAttr):
            shape = self.lines, self.windows, self.rows
            if tile.extents[1:] != shape[1:] or self.lines % tile.lines.data:
                raise VerifyException(f"lines, windows and rows {shape} do not consist of tiles of {tile.extents}")
        if tile is not None and [type(op) for op in self.sums] != [ProductsOp]:
            raise VerifyException("a tile has one sum of dense products")
        # Ops of the body are verified before this one, and cannot rely on its extents.
        for op in self.sums:
            op.verify_extents(self)


class RowSumOp(IRDLOperation, ABC):
    """Add the products of the row of a `num.contract` to a sum, in its own accumulator."""

    if TYPE_CHECKING:
        # Declared by each op, because operands are ordered as declared, with those of bases last.
        sum: SSAValue

    result = result_def(SAME_SUM)
    traits = traits_def(MemoryReadEffect(), HasParent(ContractOp))
    irdl_options = (ParsePropInAttrDict(),)

    @property
    @abstractmethod
    def factors(self) -> tuple[SSAValue, SSAValue]:
        """The weights, and what rows of them are multiplied by."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of products of a row of dense weights."""

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator of the sum."""
        return accumulator_type(self.sum)

    @property
    def contraction(self) -> ContractOp:
        """The op around."""
        around = self.parent_op()
        assert isinstance(around, ContractOp)
        return around

    def verify_(self) -> None:
        same_family(self, *(element_format(factor.type) for factor in self.factors))
        if (block := self.parent_block()) is None:
            return
        if any(_block_of(value) is block for value in self.operands[1:]):
            raise VerifyException("what is multiplied is defined outside of the contraction")

    @abstractmethod
    def verify_extents(self, op: ContractOp) -> None:
        """Verify the extents of weights and windows."""


def _block_of(value: SSAValue) -> Block | None:
    """The block that defines a value."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


@irdl_op_definition
class ProductsOp(RowSumOp):
    """sum + the products of a row of weights and a vector, or a window of it.

    weights: of shape rows x elements; what exceeds the length of the vector is padding. spacing: the `Spacing` of
    windows, which may share elements; without it the vector is the only window. channels: a window consists of pixels,
    each with an element for every row, and a row is multiplied by the elements of its number.
    """

    name = "num.products"
    sum = operand_def(SAME_SUM)
    weights = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    spacing = opt_prop_def(DenseArrayBase.constr(i64))
    channels = opt_prop_def(UnitAttr)
    assembly_format = (
        "$sum `,` $weights `,` $vector attr-dict `:` type($sum) `,` type($weights) `,` type($vector) `->` type($result)"
    )

    def __init__(
        self,
        sum: SSAValue,
        weights: SSAValue,
        vector: SSAValue,
        spacing: Spacing | None = None,
        *,
        channels: bool = False,
    ):
        spaces = None if spacing is None else DenseArrayBase.from_list(i64, spacing)
        properties = {"spacing": spaces, "channels": UnitAttr() if channels else None}
        super().__init__(operands=[sum, weights, vector], properties=properties, result_types=[sum.type])

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.weights, self.vector

    @property
    def row_pitch(self) -> int:
        """The elements from a row of weights to the next."""
        return prod(memref_type(self.weights).get_shape()[1:])

    @property
    def stride(self) -> int:
        """The elements of the vector from one that a row is multiplied by to the next."""
        return 1 if self.channels is None else memref_type(self.weights).get_shape()[0]

    @property
    def length(self) -> int:
        return run_length(self.vector) // self.stride if self.spacing is None else self.row_pitch

    @property
    def spaces(self) -> Spacing:
        """The layout of the windows; a single window is one run, and no other follows that of channels."""
        if self.spacing is None:
            return Spacing(step=self.length if self.channels is None else 0)
        values = [int(value) for value in self.spacing.get_values()]
        if len(values) != 3 or min(values) < 0 or values[0] == 0:
            raise VerifyException(f"spacing needs runs, at least 1, a pitch and a step, got {values}")
        return Spacing(*values)

    @property
    def run(self) -> int:
        """The elements of a run of a window."""
        return self.length // self.spaces.runs * self.stride

    def verify_extents(self, op: ContractOp) -> None:
        shape, elements = memref_type(self.weights).get_shape(), run_length(self.vector)
        if len(shape) < 2 or shape[0] != op.rows:
            raise VerifyException(f"needs weights of {op.rows} rows, got shape {shape}")
        if self.spacing is None:
            if len(op.shape) > 1:
                raise VerifyException("several windows need a spacing")
            if elements % self.stride or not 1 <= self.length <= self.row_pitch:
                raise VerifyException(f"rows of {self.row_pitch} weights do not meet a vector of {elements}")
        runs, pitch, step = self.spaces
        if self.length < 1 or self.length % runs:
            raise VerifyException(f"rows of {self.length} weights have no {runs} runs")
        if (needed := (op.windows - 1) * step + (op.lines + runs - 2) * pitch + self.run) > elements:
            raise VerifyException(f"windows reach over {needed} elements, got {elements}")
        if isinstance(op.tile, TileKernelAttr):
            op.tile.verify_windows(runs, self.run, pitch, step)


@irdl_op_definition
class SparseProductsOp(RowSumOp):
    """sum + the products of a compressed row (`dialects/layouts/sparse_rows.py`) and the elements it points to."""

    name = "num.sparse_products"
    sum = operand_def(SAME_SUM)
    values = operand_def(MEMREF)
    gaps = operand_def(MEMREF)
    lengths = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    assembly_format = (
        "$sum `,` $values `,` $gaps `,` $lengths `,` $vector attr-dict"
        " `:` type($sum) `,` type($values) `,` type($gaps) `,` type($lengths) `,` type($vector) `->` type($result)"
    )

    def __init__(self, sum: SSAValue, values: SSAValue, gaps: SSAValue, lengths: SSAValue, vector: SSAValue):
        super().__init__(operands=[sum, values, gaps, lengths, vector], result_types=[sum.type])

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.values, self.vector

    @property
    def length(self) -> int:
        return run_length(self.vector)

    def verify_extents(self, op: ContractOp) -> None:
        if op.shape != (rows := run_length(self.lengths),):
            raise VerifyException(f"needs {rows} rows and one window, got {op.shape}")
