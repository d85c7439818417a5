"""Nests: loops over constant extents around a closed body, in which form loops stay until C needs them.

A nest says all that a pass asks of a loop: the extents of its axes, which elements its body loads and stores, by an
affine map each (`accesses`), and the scalar ops between them. `num.nest` computes elements and moves them;
`num.contract`, whose axes are windows and rows of weights, also adds up sums of products (`contractions.py`).

Bodies are concatenated where loops are fused, recorded where a unit for vectors runs them, and evaluated on arrays
(`runtime/evaluator/nests.py`); `expand-nests` makes `scf.for` of what is left.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import irdl_op_definition, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryEffectKind, NoTerminator, RecursiveMemoryEffect, only_has_effect
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.index_ranges import ends_of, has_exact_ends, is_computable
from tinyml.dialects.operations import ClockedOp, DialectOp
from tinyml.dialects.scratch.types import memref_type

__all__ = ["ClosedNestOp", "ElementAccess", "NestOp", "RowLoopOp"]


class ElementAccess(NamedTuple):
    """An element that the body of a nest loads or stores.

    map: from the numbers of all axes, and from the values of `symbols`, which are defined outside of the nest, to the
    index of the element in the buffer.
    """

    op: memref.LoadOp | memref.StoreOp
    map: AffineMap
    symbols: Sequence[SSAValue]

    @property
    def writes(self) -> bool:
        return isinstance(self.op, memref.StoreOp)


class ClosedNestOp(DialectOp, ABC):
    """A nest of loops: the body runs at every index of a shape, in row-major order.

    The body takes the number of each axis, an index from 0 on. It is closed: it consists of loads and stores in
    declared order, of scalar ops without effects, of arithmetic on indices, and of nothing else; no other effects, and
    no regions but the loop over what a row of a contraction consists of (`RowLoopOp`).
    """

    CONTENT: ClassVar[str] = "loads, scalar ops and stores"
    """What the body consists of, for messages."""

    extents = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, shape: Sequence[int], body: Region, properties: dict[str, Attribute | None] | None = None):
        extents = DenseArrayBase.from_list(i64, shape)
        super().__init__(properties={"extents": extents, **(properties or {})}, regions=[body])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis, the outermost first."""
        return tuple(int(extent) for extent in self.extents.get_values())

    @property
    def stores(self) -> Sequence[memref.StoreOp]:
        """The stores of the body, in order, which are the only effects of a nest."""
        return [op for op in self.body.block.ops if isinstance(op, memref.StoreOp)]

    @property
    def accesses(self) -> Sequence[ElementAccess | None]:
        """The loads and stores of the body, in order, as `access` describes them."""
        return [self.access(op) for op in self.body.block.ops if isinstance(op, memref.LoadOp | memref.StoreOp)]

    def access(self, op: memref.LoadOp | memref.StoreOp) -> ElementAccess | None:
        """What a load or store of the body accesses; None if its buffer, or an index, follows from no affine map."""
        symbols = list[SSAValue]()
        results = [self._expression(index, symbols) for index in op.indices]
        known = [expression for expression in results if expression is not None]
        if len(known) < len(results) or block_of(op.memref) is self.body.block:
            return None
        return ElementAccess(op, AffineMap(len(self.shape), len(symbols), tuple(known)), symbols)

    def _expression(self, index: SSAValue, symbols: list[SSAValue]) -> AffineExpr | None:
        """An index as an expression in the numbers of axes and in symbols, to which new ones are appended."""
        if (known := const_evaluate_operand(index)) is not None:
            return AffineExpr.constant(known)
        if index in (numbers := self.body.block.args):
            return AffineExpr.dimension(numbers.index(index))
        if block_of(index) is not self.body.block:
            if index not in symbols:
                symbols.append(index)
            return AffineExpr.symbol(symbols.index(index))
        if not isinstance(op := index.owner, affine.ApplyOp):
            return None
        dims = op.map.data.num_dims
        parts = [self._expression(operand, symbols) for operand in op.mapOperands]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or any(operand not in numbers for operand in op.mapOperands[:dims]):
            return None
        return op.map.data.results[0].replace_dims_and_symbols(known[:dims], known[dims:])

    @classmethod
    def parse_more(cls, parser: Parser) -> dict[str, Attribute]:
        """Parse what follows the extents."""
        return {}

    def print_more(self, printer: Printer) -> None:
        """Print what `parse_more` parses, with a space behind it."""

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
        """Verify that the body takes the number of each axis, and that it is closed."""
        if list(self.body.block.arg_types) != [IndexType()] * len(self.shape):
            raise VerifyException(f"the body takes an index for each extent of {self.shape}")
        for op in self.body.block.ops:
            steps = list(op.walk())[1:] if isinstance(op, RowLoopOp) else [op]
            if not all(_stores(step) or _computes(step) for step in steps):
                raise VerifyException(f"a body consists of {self.CONTENT}, got {op.name}")


class RowLoopOp(DialectOp, ABC):
    """A loop over what a row of a `num.contract` consists of, whose only effect is to read."""


def _stores(op: Operation) -> bool:
    return isinstance(op, memref.StoreOp) or (isinstance(op, ClockedOp) and only_has_effect(op, MemoryEffectKind.WRITE))


def _computes(op: Operation) -> bool:
    """True for an op that at most reads memory.

    On bits, arithmetic that the runtime has as a function is a call, and xDSL states no effects of conversions in
    `arith`.
    """
    arithmetic = op.dialect_name() == "arith" or isinstance(op, func.CallOp)
    return not op.regions and (arithmetic or only_has_effect(op, MemoryEffectKind.READ))


def block_of(value: SSAValue) -> Block | None:
    """The block that defines a value."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


@irdl_op_definition
class NestOp(ClosedNestOp):
    """A computation of elements: each iteration loads some, computes with scalar ops, and stores its results.

    All axes are parallel: an iteration may read what the iterations before it have stored, but carries no value to the
    next one. Every index of a load or store is the number of an axis, a constant, a value from outside, or an
    `affine.apply` of such, with remainders and quotients by constants where elements are moved; the verifier refuses a
    map that no loop computes, and an index that leaves its buffer. Axes have at least two elements; one of a single
    element is the constant 0 in the maps.
    """

    name = "num.nest"

    def verify_(self) -> None:
        if not self.shape or min(self.shape) < 2:
            raise VerifyException(f"needs axes of at least 2 elements each, got {self.shape}")
        self.verify_body()
        for op in self.body.block.ops:
            if isinstance(op, memref.LoadOp | memref.StoreOp):
                self._verify_access(op)

    def _verify_access(self, op: memref.LoadOp | memref.StoreOp) -> None:
        if (access := self.access(op)) is None:
            raise VerifyException(
                f"{op.name} takes a buffer from outside, and indices that are numbers of axes, constants, values from"
                " outside or an 'affine.apply' of these"
            )
        shape = memref_type(op.memref).get_shape()
        for axis, (expression, extent) in enumerate(zip(access.map.results, shape, strict=True)):
            if not is_computable(expression, self.shape):
                raise VerifyException(f"{op.name} has the index {expression}, which no loop computes")
            least, greatest = ends_of(expression, self.shape)
            if has_exact_ends(expression) and not 0 <= least <= greatest < extent:
                raise VerifyException(f"{op.name} reaches elements {least} to {greatest} of axis {axis} of {extent}")
