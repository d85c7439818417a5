"""Loop nests over constant extents with a closed body: the representation of loops until C is generated.

A nest specifies all properties of a loop that passes need: the extents of its axes, an affine map for each element that
its body loads or stores (`accesses`), and the scalar ops between these accesses. `num.nest` computes and moves
elements. `num.contract` also computes sums of products (`contractions.py`); its axes are windows and rows of weights.

Loop fusion concatenates bodies. Vectorisation translates bodies to lane functions. `expand-nests` converts the
remaining nests to `scf.for`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self, TypeGuard

from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.irdl import (
    BaseAttr,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, MemoryEffectKind, NoTerminator, Pure, RecursiveMemoryEffect, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.num.base import NumOp
from tinyml.dialects.num.index_ranges import ends_of, has_exact_ends, is_computable, is_linear
from tinyml.dialects.num.scalars import GreaterOp
from tinyml.dialects.operations import ClockedOp, DialectOp
from tinyml.dialects.scratch.types import in_flash, memref_type

__all__ = [
    "GREATEST",
    "LANE_FUNCTION",
    "PLACE",
    "SUM",
    "ClosedNestOp",
    "ElementAccess",
    "NestOp",
    "NextOp",
    "ReduceOp",
    "RowLoopOp",
]


LANE_FUNCTION = "num.lane_function"
"""The name of the op for functions on vectors. Its file is imported only by programs that contain the op."""


class ElementAccess(NamedTuple):
    """An element that a load or store in the body of a nest accesses.

    * op: the load or store.
    * map: the affine map from the indices of all axes, and the values of `symbols`, to the index of the element in the
      buffer. The axes are those of the nest, then those of the `num.reduce` ops around the access.
    * symbols: values that are defined outside the nest.
    * shape: the exclusive upper bounds of the axis indices.
    """

    op: memref.LoadOp | memref.StoreOp
    map: AffineMap
    symbols: Sequence[SSAValue]
    shape: tuple[int, ...]

    @property
    def writes(self) -> bool:
        return isinstance(self.op, memref.StoreOp)


class ClosedNestOp(DialectOp, ABC):
    """A nest of loops: the body is executed for every index of a shape, in row-major order.

    The arguments of the body are the indices of the axes, which start at 0. The body is closed: it consists only of
    loads, of stores in a declared order, of scalar ops without effects, and of arithmetic on indices. The body may
    contain two kinds of regions: reductions along an axis (`num.reduce`) and the loop over the entries of a
    contraction's row (`RowLoopOp`).
    """

    CONTENT: ClassVar[str] = "loads, scalar ops and stores"
    """The permitted content of the body, for messages."""

    extents = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, shape: Sequence[int], body: Region, properties: dict[str, Attribute | None] | None = None):
        extents = DenseArrayBase.from_list(i64, shape)
        super().__init__(properties={"extents": extents, **(properties or {})}, regions=[body])

    @property
    def is_sparse(self) -> bool:
        """True if the rows of weights are consecutive rows of a sparse matrix."""
        return False

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis, the outermost first."""
        return tuple(int(extent) for extent in self.extents.get_values())

    @property
    def stores(self) -> Sequence[memref.StoreOp]:
        """The stores of the body, in order. They are the only effects of a nest."""
        return [op for op in self.body.block.ops if isinstance(op, memref.StoreOp)]

    @property
    def accesses(self) -> Sequence[ElementAccess | None]:
        """For each load and store of the body, in order, the result of `access`."""
        return [self.access(op) for op in self.body.walk() if isinstance(op, memref.LoadOp | memref.StoreOp)]

    def access(self, op: memref.LoadOp | memref.StoreOp) -> ElementAccess | None:
        """The element that a load or store of the body accesses. Returns None if an index is not affine, or if the
        buffer is defined in the body.
        """
        axes, shape = list[SSAValue](self.body.block.args), self.shape
        around = [each for each in self.body.walk() if isinstance(each, ReduceOp) and each.is_ancestor(op)]
        axes += [each.body.block.args[0] for each in around]
        shape += tuple(each.numbers.stop for each in around)
        symbols = list[SSAValue]()
        results = [self._expression(index, axes, symbols) for index in op.indices]
        known = [expression for expression in results if expression is not None]
        if len(known) < len(results) or self._is_inside(op.memref):
            return None
        return ElementAccess(op, AffineMap(len(shape), len(symbols), tuple(known)), symbols, shape)

    def _expression(self, index: SSAValue, axes: Sequence[SSAValue], symbols: list[SSAValue]) -> AffineExpr | None:
        """An index as an affine expression in the indices of axes and in symbols; None if the index is not affine.

        New symbols are appended to `symbols`.
        """
        if (known := const_evaluate_operand(index)) is not None:
            return AffineExpr.constant(known)
        if index in axes:
            return AffineExpr.dimension(axes.index(index))
        if not self._is_inside(index):
            if index not in symbols:
                symbols.append(index)
            return AffineExpr.symbol(symbols.index(index))
        match op := index.owner:
            case arith.AddiOp() | arith.MuliOp():
                lhs, rhs = (self._expression(operand, axes, symbols) for operand in op.operands)
                if lhs is None or rhs is None or not (isinstance(op, arith.AddiOp) or _any_constant(lhs, rhs)):
                    return None
                return lhs + rhs if isinstance(op, arith.AddiOp) else lhs * rhs
            case affine.ApplyOp():
                pass
            case _:
                return None
        dims = op.map.data.num_dims
        parts = [self._expression(operand, axes, symbols) for operand in op.mapOperands]
        known = [part for part in parts if part is not None]
        # A dividend that consists of the numbers of axes has a least value.
        of_axes = all(operand in axes for operand in op.mapOperands[:dims])
        if len(known) < len(parts) or not (of_axes or is_linear(op.map.data.results[0])):
            return None
        return op.map.data.results[0].replace_dims_and_symbols(known[:dims], known[dims:])

    def _is_inside(self, value: SSAValue) -> bool:
        block = block_of(value)
        return block is not None and self.is_ancestor(block)

    @classmethod
    def parse_more(cls, parser: Parser) -> dict[str, Attribute]:
        """Parse the properties that follow the extents in the op's syntax and return them by name."""
        return {}

    def print_more(self, printer: Printer) -> None:
        """Print the properties that `parse_more` parses, followed by a space."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        none = parser.Delimiter.NONE
        numbers = parser.parse_comma_separated_list(none, lambda: parser.parse_argument(expect_type=False))
        parser.parse_keyword("to")
        shape = DenseArrayBase.from_list(i64, parser.parse_comma_separated_list(none, parser.parse_integer))
        properties = {"extents": shape, **cls.parse_more(parser)}
        body = parser.parse_region([number.resolve(IndexType()) for number in numbers])
        op = cls.create(properties=properties, regions=[body])
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.body.block.args, printer.print_ssa_value)
        printer.print_string(f" to {', '.join(map(str, self.shape))} ")
        self.print_more(printer)
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    def verify_body(self) -> None:
        """Raise `VerifyException` unless the body has valid arguments and is closed."""
        if list(self.body.block.arg_types) != [IndexType()] * len(self.shape):
            raise VerifyException(f"the body takes an index for each extent of {self.shape}")
        if (fault := self.open_body) is not None:
            raise VerifyException(fault)

    @property
    def open_body(self) -> str | None:
        """The reason why the body is not closed. None if it is closed, as the verifier requires; lowering a format's
        arithmetic to a loop may open the body.
        """
        for op in self.body.block.ops:
            steps = list(op.walk())[1:] if isinstance(op, RowLoopOp) else [] if isinstance(op, ReduceOp) else [op]
            if not all(_stores(step) or _computes(step) for step in steps):
                return f"a body consists of {self.CONTENT}, got {op.name}"
        return None


class RowLoopOp(DialectOp, ABC):
    """A loop over the entries of a row of a `num.contract`. Its only effects are reads of memory.

    The only such op is `num.entries`. Its file is imported only by programs that contain the op.
    """


@irdl_op_definition
class NextOp(DialectOp):
    """Yield the values for the next iteration, at the end of the body of `num.reduce` or `num.entries`."""

    name = "num.next"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


SUM, GREATEST, PLACE = "sum", "greatest", "place"
"""The kinds of reductions along an axis."""


@irdl_op_definition
class ReduceOp(DialectOp):
    """A reduction along an axis: the body is executed for each index and yields values to the next iteration.

    The op may be inside or outside a nest. The axis has the indices from `first` up to but excluding `extent`. `starts`
    are the initial values. The arguments of the body are the index and the current values. The body only reads memory,
    and ends with `num.next`.

    `kinds` specifies how each value is reduced. The verifier compares `kinds` with the body:

    * `sum`: an op on formats, or `arith.addi` on bits, adds a term to the value, which has no other use.
    * `greatest`: a greater value replaces the current value. Of equal values, the first one is therefore selected.
    * `place`: an index. Whenever a greater value replaces the value of kind `greatest`, the index of the axis replaces
      the `place`.
    """

    name = "num.reduce"
    starts = var_operand_def()
    first = prop_def(IntegerAttr.constr(i64))
    extent = prop_def(IntegerAttr.constr(i64))
    kinds = prop_def(ArrayAttr.constr(BaseAttr(StringAttr)))
    body = region_def("single_block")
    joined = var_result_def()
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$starts attr-dict `:` type($starts) `->` type($joined) $body"

    def __init__(self, kinds: Sequence[str], starts: Sequence[SSAValue], numbers: range, body: Region):
        properties: dict[str, Attribute | None] = {
            "first": IntegerAttr(numbers.start, i64),
            "extent": IntegerAttr(numbers.stop, i64),
            "kinds": ArrayAttr([StringAttr(kind) for kind in kinds]),
        }
        types = [value.type for value in starts]
        super().__init__(operands=[starts], result_types=[types], properties=properties, regions=[body])

    @property
    def numbers(self) -> range:
        return range(self.first.value.data, self.extent.value.data)

    def verify_(self) -> None:
        if not 0 <= self.numbers.start <= self.numbers.stop:
            raise VerifyException(f"counts up from at least 0, got {self.numbers.start} to {self.numbers.stop}")
        if (fault := self.open_body) is not None:
            raise VerifyException(fault)

    @property
    def open_body(self) -> str | None:
        """The reason why the body is not closed or does not reduce each value as `kinds` states. None if it does, as
        the verifier requires; lowering a format's arithmetic to a loop or to bits may open the body.
        """
        types, last = list(self.starts.types), self.body.block.last_op
        if list(self.body.block.arg_types) != [IndexType(), *types]:
            return "the body takes an index, and a value for each start"
        if not isinstance(last, NextOp) or list(last.values.types) != types or list(self.result_types) != types:
            return "the body ends in 'num.next' with a value for each start, which are also the results"
        for op in [*self.body.block.ops][:-1]:
            if not isinstance(op, ReduceOp) and not _computes(op):
                return f"a body consists of loads and scalar ops, got {op.name}"
        if len(self.kinds) != len(types):
            return f"needs a kind for each of {len(types)} values, got {len(self.kinds)}"
        for place, kind in enumerate(kind.data for kind in self.kinds):
            if not self._is_of(kind, place):
                return f"value {place} is not joined as '{kind}'"
        return None

    def _is_of(self, kind: str, place: int) -> bool:
        last, (number, *carried) = self.body.block.last_op, self.body.block.args
        assert isinstance(last, NextOp)
        value, before = last.values[place].owner, carried[place]
        match value:
            case ReduceOp():
                inner = value.joined.index(last.values[place])
                return value.starts[inner] is before and value.kinds.data[inner].data == kind
            case arith.SelectOp() if value.rhs is before and _is_greater(value.cond.owner):
                greater = value.cond.owner
                if kind == GREATEST:
                    return [*greater.operands] == [value.lhs, before]
                return kind == PLACE and value.lhs is number and greater.operands[1] in carried
            case arith.MaxSIOp():
                return kind == GREATEST and before in value.operands
            case _:
                adds = isinstance(value, NumOp | arith.AddiOp) and before in value.operands
                return kind == SUM and adds and before.has_one_use()


def _is_greater(op: Operation | Block) -> TypeGuard[GreaterOp | arith.CmpiOp]:
    """True for a comparison `greater than` of numbers or of integers.

    A reduction with this comparison selects the first of equal values.
    """
    return isinstance(op, GreaterOp) or (isinstance(op, arith.CmpiOp) and op.predicate.value.data == _SGT)


_SGT = 4
"""The predicate `sgt` of `arith.cmpi`."""


def _stores(op: Operation) -> bool:
    return isinstance(op, memref.StoreOp) or (isinstance(op, ClockedOp) and only_has_effect(op, MemoryEffectKind.WRITE))


def _computes(op: Operation) -> bool:
    """True for an op without regions whose only effects are reads of memory. On bits, arithmetic may be a call. xDSL
    declares no effects for the conversions in `arith`, which have none.
    """
    arithmetic = op.dialect_name() == "arith" or isinstance(op, func.CallOp)
    return not op.regions and (arithmetic or only_has_effect(op, MemoryEffectKind.READ))


def _looks_up(op: memref.LoadOp | memref.StoreOp) -> bool:
    """True for the load of a function's value from a table: the index of the element is an integer."""
    return in_flash(memref_type(op.memref)) and any(isinstance(index.owner, arith.IndexCastOp) for index in op.indices)


def _any_constant(*factors: AffineExpr) -> bool:
    return any(isinstance(factor, AffineConstantExpr) for factor in factors)


def block_of(value: SSAValue) -> Block | None:
    """The block that defines a value as an argument or by an op; None for the result of an op outside any block."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


@irdl_op_definition
class NestOp(ClosedNestOp):
    """A computation of elements: each iteration loads elements, computes with scalar ops, and stores results.

    All axes are parallel: no value is carried to the next iteration. An iteration may nevertheless read elements that
    previous iterations have stored. Every index of a load or store is an axis index, a constant, a value from outside,
    a sum or multiple of these, or an `affine.apply` of these. If the nest only moves elements, the `affine.apply` may
    contain remainders and quotients by constants. A load from a constant table may have an integer as its index.

    The verifier rejects maps that loops cannot compute, and indices that are provably outside the buffer. Axes have at
    least two elements. An axis with a single element is the constant 0 in the maps. Reductions along an axis, as in a
    pool, are `num.reduce` ops.
    """

    name = "num.nest"

    def verify_(self) -> None:
        if not self.shape or min(self.shape) < 2:
            raise VerifyException(f"needs axes of at least 2 elements each, got {self.shape}")
        self.verify_body()

    @property
    def open_body(self) -> str | None:
        accesses = (op for op in self.body.walk() if isinstance(op, memref.LoadOp | memref.StoreOp))
        faults = (self._access_fault(op) for op in accesses if not _looks_up(op))
        return super().open_body or next(filter(None, faults), None)

    def _access_fault(self, op: memref.LoadOp | memref.StoreOp) -> str | None:
        if (access := self.access(op)) is None:
            return (
                f"{op.name} takes a buffer from outside, and indices that are numbers of axes, constants, values from"
                " outside, or sums, multiples and an 'affine.apply' of these"
            )
        shape = memref_type(op.memref).get_shape()
        for axis, (expression, extent) in enumerate(zip(access.map.results, shape, strict=True)):
            if not is_computable(expression, access.shape):
                return f"{op.name} has the index {expression}, which no loop computes"
            least, greatest = ends_of(expression, access.shape)
            if has_exact_ends(expression) and not 0 <= least <= greatest < extent:
                return f"{op.name} reaches elements {least} to {greatest} of axis {axis} of {extent}"
        return None
