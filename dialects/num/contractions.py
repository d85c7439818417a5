"""Contractions: one op, `num.contract`, for all sums of products over rows of weights.

The op exists from the lowering of a product until kernels are selected. The body of a contraction is closed: it begins
sums, adds products, converts and rounds the sums, applies scalar ops to the rounded sums, and stores the results.
`ContractOp.sums` and `ContractOp.stores` describe this structure to passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeGuard

from xdsl.dialects import memref
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, UnitAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.ir.affine import AffineConstantExpr, AffineExpr
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryReadEffect
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import element_format
from tinyml.dialects.num.base import SAME_SUM, accumulator_type, same_family, sums_products
from tinyml.dialects.num.kernels.calls import MEMREF, CallOp, run_length
from tinyml.dialects.num.kernels.kernel_attributes import TILE_OR_CODE, TileKernelAttr
from tinyml.dialects.num.nests import ClosedNestOp, block_of
from tinyml.dialects.num.sums import AddShiftedOp, AlignOp, FinishOp, LevelOp, ShiftOp, StartOp, ZeroOp
from tinyml.dialects.operations import DialectOp
from tinyml.dialects.scratch.types import memref_type

__all__ = ["Adding", "ContractOp", "ProductsOp", "RowSumOp", "Spacing", "SparseProductsOp", "Sum", "Term"]


class Spacing(NamedTuple):
    """The layout of windows in memory, in elements.

    A window consists of `runs` runs of contiguous elements. Consecutive runs of a window start `pitch` elements apart.
    Adjacent windows of a line start `step` elements apart. Consecutive lines of windows start `pitch` elements apart.
    """

    runs: int = 1
    pitch: int = 0
    step: int = 0


@irdl_op_definition
class ContractOp(ClosedNestOp):
    """Sums of products over windows and rows of weights: a loop nest whose body computes the sum of one row.

    The axes are lines of windows, the windows of a line, and rows. Without the axis of lines, there is one line;
    without the axis of windows, there is one window in a line. In addition to the ops of other nests, the body contains
    sums. The body may contain one region: the hardware loop over the entries of a compressed row (`RowLoopOp`).

    A sum begins with `num.zero`, `num.start` or a load of a sum in memory. Then the products of the row are added
    (`num.products`, `num.sparse_products`). A `num.align` may precede each of these ops; it converts the sum to the
    units of the products. The complete sum may be shifted (`num.shift`) and converted to the scale of all rows
    (`num.level`). It is then rounded by `num.finish`, or stored unchanged. Several ops may round a sum. `sums` and
    `stores` describe this structure.

    `tile` is the kernel that computes the whole op, or several of its lines per call. `tile-windows` and
    `plan-execution` choose it together with the windows. For a single window, `block-rows` chooses it. `spend-flash`
    may choose another kernel, which needs more flash or embeds the weights. `select-kernels` inserts the call of the
    kernel. Contractions without a tile are lowered to loops over dot products.
    """

    name = "num.contract"
    CONTENT = "loads, sums, scalar ops and stores"
    tile = opt_prop_def(TILE_OR_CODE)

    def __init__(self, shape: Sequence[int], body: Region, tile: Attribute | None = None):
        super().__init__(shape, body, {"tile": tile})

    @property
    def rows(self) -> int:
        return self.shape[-1]

    @property
    def windows(self) -> int:
        return self.shape[-2] if len(self.shape) > 1 else 1

    @property
    def lines(self) -> int:
        return self.shape[-3] if len(self.shape) > 2 else 1

    @property
    def row(self) -> SSAValue:
        return self.body.block.args[-1]

    @property
    def products(self) -> Sequence[RowSumOp]:
        return [op for op in self.body.block.ops if isinstance(op, RowSumOp)]

    @property
    def sums(self) -> Sequence[Sum]:
        """The sums of products in the body, in the order in which they are completed."""
        return [Sum.of(op) for op in self.body.block.ops if _adds(op) and _next_term(op.result) is None]

    def store_of(self, sum: Sum) -> memref.StoreOp | None:
        """The store of the rounded `sum`. Returns None unless this is the only store of the contraction and the only
        use of the rounded sum, and it writes the results of all windows in the order of the buffer's elements.
        """
        finish, stores = sum.finish, self.stores
        if finish is None or len(stores) != 1 or [use.operation for use in finish.result.uses] != stores:
            return None
        return stores[0] if self.visits(stores[0], windows=True) else None

    def visits(self, op: memref.LoadOp | memref.StoreOp, *, windows: bool = False) -> bool:
        """Whether the load or store `op` accesses all elements of its buffer in order while the rows are iterated. The
        buffer must be defined outside the nest.

        windows: true for the rows of all windows together, false for the rows of each window.
        """
        if (access := self.access(op)) is None:
            return False
        row = len(self.shape) - 1
        wanted = [
            (AffineExpr.dimension(axis), extent)
            for axis, extent in enumerate(self.shape)
            if axis == row or (windows and extent > 1)
        ]
        axes = list(zip(access.map.results, memref_type(op.memref).get_shape(), strict=True))
        rest = [axis for axis in axes if isinstance(axis[0], AffineConstantExpr)]
        return [axis for axis in axes if axis not in rest] == wanted and all(
            axis == (AffineExpr.constant(0), 1) for axis in rest
        )

    @property
    def is_sparse(self) -> bool:
        return any(isinstance(op, SparseProductsOp) for op in self.products)

    @classmethod
    def parse_more(cls, parser: Parser) -> dict[str, Attribute]:
        return {"tile": parser.parse_attribute()} if parser.parse_optional_keyword("by") else {}

    def print_more(self, printer: Printer) -> None:
        if self.tile is not None:
            printer.print_string(f"by {self.tile} ")

    def verify_(self) -> None:
        if not 1 <= len(self.shape) <= 3 or min(self.shape) < 1:
            raise VerifyException(f"needs at least 1 row, window and line, got {self.shape}")
        self.verify_body()
        if isinstance(tile := self.tile, TileKernelAttr):
            shape = self.lines, self.windows, self.rows
            if tile.extents[1:] != shape[1:] or self.lines % tile.lines.data:
                raise VerifyException(f"lines, windows and rows {shape} do not consist of tiles of {tile.extents}")
        if tile is not None and [type(op) for op in self.products] != [ProductsOp]:
            raise VerifyException("a tile has one sum of dense products")
        # Ops of the body are verified before this op, and cannot rely on its extents.
        for op in self.products:
            op.verify_extents(self)
        if any(isinstance(sum.start.owner, ShiftOp | LevelOp) for sum in self.sums):
            raise VerifyException("products are added before a sum is shifted or levelled")


class RowSumOp(DialectOp, ABC):
    """An op that adds the products of one row of weights to a sum in a `num.contract`. The accumulator of the sum must
    support the products.
    """

    if TYPE_CHECKING:
        # Declared by each op, because operands are ordered as declared, with those of bases last.
        sum: SSAValue

    result = result_def(SAME_SUM)
    traits = traits_def(MemoryReadEffect(), HasParent(ContractOp))
    irdl_options = (ParsePropInAttrDict(),)

    @property
    @abstractmethod
    def factors(self) -> tuple[SSAValue, SSAValue]:
        """The weights, and the memory whose elements are multiplied by the weights."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of products of a row; for sparse weights, that of a dense row."""

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator of the sum to which the op adds."""
        return accumulator_type(self.sum)

    @property
    def contraction(self) -> ContractOp:
        """The `num.contract` that contains this op."""
        around = self.parent_op()
        assert isinstance(around, ContractOp)
        return around

    def verify_(self) -> None:
        formats = [element_format(factor.type) for factor in self.factors]
        same_family(self, *formats)
        sums_products(self.sum.type, formats[0], formats[1])
        if (block := self.parent_block()) is None:
            return
        if any(block_of(value) is block for value in self.operands[1:]):
            raise VerifyException("what is multiplied is defined outside of the contraction")

    @abstractmethod
    def verify_extents(self, op: ContractOp) -> None:
        """Raise `VerifyException` unless the extents of weights and windows match the contraction."""


@irdl_op_definition
class ProductsOp(RowSumOp):
    """The sum plus the products of a row of weights and a vector, or a window of the vector.

    * weights: an array of shape rows x elements. Elements beyond the length of the vector are padding.
    * spacing: the `Spacing` of the windows, which may overlap. Without `spacing`, the whole vector is the only window.
    * channels: true if a window consists of pixels, each of which has an element for every row. Row i is then
      multiplied by element i of each pixel.
    * filters: with `channels`, the number of rows for each element of a pixel. Row i is then multiplied by element i //
      filters. Without `filters`, there is one row for each element.
    """

    name = "num.products"
    sum = operand_def(SAME_SUM)
    weights = operand_def(MEMREF)
    vector = operand_def(MEMREF)
    spacing = opt_prop_def(DenseArrayBase.constr(i64))
    channels = opt_prop_def(UnitAttr)
    filters = opt_prop_def(IntegerAttr[I64])
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
        filters: int = 1,
    ):
        spaces = None if spacing is None else DenseArrayBase.from_list(i64, spacing)
        several = IntegerAttr(filters, i64) if filters > 1 else None
        properties = {"spacing": spaces, "channels": UnitAttr() if channels else None, "filters": several}
        super().__init__(operands=[sum, weights, vector], properties=properties, result_types=[sum.type])

    @property
    def factors(self) -> tuple[SSAValue, SSAValue]:
        return self.weights, self.vector

    @property
    def row_pitch(self) -> int:
        """The distance between the starts of consecutive rows of weights, in elements."""
        return prod(memref_type(self.weights).get_shape()[1:])

    @property
    def stride(self) -> int:
        """The distance in the vector between the elements by which consecutive weights of a row are multiplied, in
        elements.
        """
        return 1 if self.channels is None else memref_type(self.weights).get_shape()[0] // self.filters_of_channel

    @property
    def filters_of_channel(self) -> int:
        return 1 if self.filters is None else self.filters.value.data

    @property
    def length(self) -> int:
        return run_length(self.vector) // self.stride if self.spacing is None else self.row_pitch

    @property
    def spaces(self) -> Spacing:
        """The layout of the windows. Without `spacing`, it is the layout of a single window. This window is one run of
        adjacent elements or, with `channels`, of whole pixels.

        Raises `VerifyException` for an invalid `spacing`.
        """
        if self.spacing is None:
            return Spacing(step=self.length if self.channels is None else 0)
        values = [int(value) for value in self.spacing.get_values()]
        if len(values) != 3 or min(values) < 0 or values[0] == 0:
            raise VerifyException(f"spacing needs runs, at least 1, a pitch and a step, got {values}")
        return Spacing(*values)

    @property
    def run(self) -> int:
        """The number of contiguous elements in a run of a window."""
        return self.length // self.spaces.runs * self.stride

    def verify_extents(self, op: ContractOp) -> None:
        shape, elements = memref_type(self.weights).get_shape(), run_length(self.vector)
        if len(shape) < 2 or shape[0] != op.rows:
            raise VerifyException(f"needs weights of {op.rows} rows, got shape {shape}")
        if (filters := self.filters) is not None:
            each = filters.value.data
            if self.channels is None or each < 2 or op.rows % each:
                raise VerifyException(f"{op.rows} rows do not consist of {each} filters for each of several channels")
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
            op.tile.verify_windows(runs, self.run, pitch, step, self.filters_of_channel)


@irdl_op_definition
class SparseProductsOp(RowSumOp):
    """The sum plus the product of a compressed row of weights and a vector. Each entry of the row is multiplied by
    the element of the vector at the entry's column.

    Compressed rows are stored as described in `dialects/layouts/sparse_rows.py`.
    """

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


Adding: TypeAlias = "RowSumOp | CallOp"
"""An op that adds products to a sum: an op of a contraction, or a call of a routine with `ADDS`."""

Conversion: TypeAlias = "AlignOp | ShiftOp | LevelOp"


class Term(NamedTuple):
    """An op that adds products to a sum, and its alignment.

    align: the preceding op that converts the sum to the units of the products; None if there is no such op.
    """

    products: Adding
    align: AlignOp | None = None


@dataclass(frozen=True)
class Sum:
    """A sum of products from its initial value to its rounding, inside or outside a contraction.

    * start: the initial value: a `num.zero` or `num.start`, a sum in memory, or a sum that also has other uses.
    * terms: the products, in the order in which they are added.
    * conversions: the ops that shift, level or align the complete sum, in order. The result of each op except the last
      one is used only by the next op.
    """

    start: SSAValue
    terms: Sequence[Term]
    conversions: Sequence[Conversion]

    @classmethod
    def of(cls, op: Adding) -> Sum:
        """The sum of which the addition `op` is a part."""
        while (later := _next_term(op.result)) is not None:
            op = later
        terms = [_term_of(op)]
        while _adds(before := _begin(terms[0]).owner) and before.result.has_one_use():
            terms.insert(0, _term_of(before))
        conversions: list[Conversion] = []
        result = terms[-1].products.result
        while isinstance(conversion := result.get_user_of_unique_use(), AlignOp | ShiftOp | LevelOp):
            conversions.append(conversion)
            result = conversion.result
        return cls(_begin(terms[0]), terms, conversions)

    @property
    def links(self) -> Sequence[Adding | Conversion]:
        """All ops on the sum in order: alignments, additions of products and conversions."""
        terms = [op for products, align in self.terms for op in (align, products) if op is not None]
        return [*terms, *self.conversions]

    @property
    def starts_from_zero(self) -> bool:
        return isinstance(self.start.owner, ZeroOp)

    @property
    def start_load(self) -> memref.LoadOp | None:
        """The load of the number from which a `num.start` begins the sum; None for other initial values."""
        start = self.start.owner
        load = start.value.owner if isinstance(start, StartOp) else None
        return load if isinstance(load, memref.LoadOp) else None

    @property
    def finishes(self) -> Sequence[FinishOp]:
        users = [use.operation for use in self.links[-1].result.uses]
        return [user for user in users if isinstance(user, FinishOp)]

    @property
    def finish(self) -> FinishOp | None:
        """The op that rounds the sum; None if the complete sum has another use or is not rounded."""
        return self.finishes[0] if self.finishes and self.links[-1].result.has_one_use() else None

    def accumulators(self, partial: SSAValue) -> Iterator[Accumulator]:
        """Yield the accumulator of a partial sum, then the wider accumulators to which the sum can be converted.

        There are wider accumulators only if neither the sum nor its initial value is stored in memory, and if its rows
        have no separate scales. The sum must also be rounded, or be added to another sum by `num.add_shifted`.
        """
        yield (accumulator := accumulator_type(partial))
        result = self.links[-1].result
        begins = isinstance(self.start.owner, ZeroOp | StartOp) and all(map(_adds_or_ends, self.start.uses))
        ends = all(map(_ends, result.uses))
        if begins and ends and not any(isinstance(each, LevelOp) for each in self.conversions):
            while (wider := accumulator.widened(accumulator.bits + 1)).type != accumulator.type:
                yield (accumulator := wider)


def _adds_or_ends(use: Use) -> bool:
    return _adds(use.operation) or isinstance(use.operation, AlignOp) or _ends(use)


def _ends(use: Use) -> bool:
    """True if the use is a rounding, or the operand `part` of an op that adds the used sum to another sum."""
    op = use.operation
    return isinstance(op, FinishOp) or (isinstance(op, AddShiftedOp) and op.operands[use.index] is op.part)


def _adds(op: Operation | Block) -> TypeGuard[Adding]:
    return isinstance(op, RowSumOp) or (isinstance(op, CallOp) and op.routine.ADDS)


def _begin(term: Term) -> SSAValue:
    """The value of the sum before the term is added and, if the term has an alignment, before the alignment."""
    return term.products.sum if term.align is None else term.align.sum


def _term_of(op: Adding) -> Term:
    align = op.sum.owner
    return Term(op, align if isinstance(align, AlignOp) and align.result.has_one_use() else None)


def _next_term(sum: SSAValue) -> Adding | None:
    if isinstance(user := sum.get_user_of_unique_use(), AlignOp):
        user = (sum := user.result).get_user_of_unique_use()
    return user if user is not None and _adds(user) and user.sum is sum else None
