"""The op `num.lane_function`: a function on vectors whose body computes one iteration of a nest in `arith` ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.num.nests import LANE_FUNCTION, ReduceOp
from tinyml.dialects.operations import DialectOp, integer_width
from tinyml.dialects.scratch.types import memref_type

__all__ = ["LaneFunctionOp", "run_width"]

REGISTER = 32
"""The width in bits of the integers on which lanes compute."""

WIDTHS = (8, 16, 32)
"""The widths in bits of elements in memory."""

_BODY = memref.LoadOp | memref.StoreOp | affine.ApplyOp | func.CallOp | ReduceOp


@irdl_op_definition
class LaneFunctionOp(DialectOp):
    """A function on vectors, each lane of which executes one iteration of a nest on 32-bit integers.

    The iterations are independent, so they may be executed in groups of any size. The arguments are runs of memory of
    8-bit, 16-bit or 32-bit integers, and the indices of the axes. The input runs precede the run that is written. The
    axes are lines and lanes, or only lanes.

    The body loads elements. The index of an element is affine or, for the elements of a table, a computed integer. The
    body extends the elements to 32 bits, computes with `arith` ops and functions of the runtime, reduces windows and
    rows (`num.reduce`), and stores one element. In a function without axes, a `num.reduce` combines all lanes, and its
    result is stored.

    `vectorise-loops` creates these functions. A `num.call` of `#num.coded_loop` calls each function. The kernel
    generator (composer) of a vector unit translates the body op by op, or rejects the function.
    """

    name = LANE_FUNCTION
    sym_name = prop_def(SymbolNameConstraint())
    extents = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove(), NoTerminator())

    def __init__(self, name: str, shape: Sequence[int], body: Region):
        extents = DenseArrayBase.from_list(i64, shape)
        super().__init__(properties={"sym_name": StringAttr(name), "extents": extents}, regions=[body])

    @property
    def shape(self) -> tuple[int, ...]:
        """The numbers of lines and of lanes, or only of lanes. The tuple is empty if a reduction combines all lanes."""
        return tuple(int(extent) for extent in self.extents.get_values())

    @property
    def runs(self) -> Sequence[SSAValue]:
        """The arguments that are runs of memory. The last one is the run for the result."""
        return self.body.block.args[: len(self.body.block.args) - len(self.shape)]

    @property
    def numbers(self) -> Sequence[SSAValue]:
        return self.body.block.args[len(self.body.block.args) - len(self.shape) :]

    @staticmethod
    def name_of(digest: str) -> StringAttr:
        return StringAttr(f"lanes_{digest}")

    @staticmethod
    def named(name: str, user: Operation) -> LaneFunctionOp | None:
        """The lane function with this name in the module that contains `user`; None if there is none."""
        found = SymbolTable.lookup_symbol(user, name)
        return found if isinstance(found, LaneFunctionOp) else None

    @classmethod
    def parse(cls, parser: Parser) -> LaneFunctionOp:
        name = parser.parse_symbol_name()
        runs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _typed(parser))
        numbers, shape = list[Parser.Argument](), list[int]()
        if parser.parse_optional_keyword("at"):
            none = parser.Delimiter.NONE
            found = parser.parse_comma_separated_list(none, lambda: parser.parse_argument(expect_type=False))
            numbers = [number.resolve(IndexType()) for number in found]
            parser.parse_keyword("to")
            shape = parser.parse_comma_separated_list(none, parser.parse_integer)
        op = cls(name.data, shape, parser.parse_region([*runs, *numbers]))
        op.attributes |= parser.parse_optional_attr_dict()
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args[: len(self.runs)], lambda run: printer.print_block_argument(run))
        if self.shape:
            printer.print_string(" at ")
            printer.print_list(self.numbers, printer.print_ssa_value)
            printer.print_string(f" to {', '.join(map(str, self.shape))}")
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if len(self.shape) > 2 or min(self.shape, default=1) < 1 or len(self.runs) < 1:
            raise VerifyException(f"needs a run and at most lines and lanes of at least 1, got {self.shape}")
        if [number.type for number in self.numbers] != [IndexType()] * len(self.shape):
            raise VerifyException(f"takes an index for each extent of {self.shape}, behind runs of memory")
        if not all(map(_is_run, (run.type for run in self.runs))):
            raise VerifyException("takes runs of memory of integers of 8, 16 or 32 bits")
        for op in self.body.walk():
            if not isinstance(op, _BODY) and op.name != "num.next" and op.dialect_name() != arith.Arith.name:
                raise VerifyException(f"consists of loads, arithmetic, reductions and a store, got {op.name}")
        stores = [op for op in self.body.walk() if isinstance(op, memref.StoreOp)]
        if len(stores) != 1 or stores[0] is not self.body.block.last_op or stores[0].memref is not self.runs[-1]:
            raise VerifyException("ends in its only store, to the last run")


def _typed(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument()
    assert isinstance(argument, Parser.Argument)
    return argument


def _is_run(type: Attribute) -> bool:
    if not isinstance(type, MemRefType) or len(type.get_shape()) != 1:
        return False
    return cast("MemRefType[Attribute]", type).element_type in (i8, i16, i32)


def run_width(run: SSAValue) -> int:
    return integer_width(memref_type(run).element_type)
