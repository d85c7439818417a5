"""The routine `#num.transform`, a step of a transform by a C function of the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

from xdsl.dialects.builtin import DenseArrayBase, IntAttr, IntegerType, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects import num
from tinyml.dialects.num.kernels.calls import MEMREF, Arguments
from tinyml.dialects.operations import index_constant
from tinyml.dialects.scratch.types import memref_type

__all__ = ["TransformAttr"]


@irdl_attr_definition
class TransformAttr(num.RoutineAttr):
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
        num.verify_identifier(self.symbol)
        if min(self._counts, default=0) < 0 or self.steps.data < 0:
            raise VerifyException("numbers and steps are at least 0")

    @property
    def _counts(self) -> Sequence[int]:
        return tuple(cast("DenseArrayBase[IntegerType]", self.numbers).get_values())

    def constraints(self, count: int) -> Sequence[AttrConstraint]:
        return [MEMREF] * max(count, 1)

    def products(self, call: num.CallOp) -> int:
        """The number of steps, which the cost model counts like products."""
        return self.steps.data

    def verify_call(self, call: num.CallOp) -> None:
        for value in call.arguments:
            if len(memref_type(value).get_shape()) != 1:
                raise VerifyException(f"works on runs of memory, got {value.type}")

    def arguments(self, call: num.CallOp, *, segments: bool) -> Arguments:
        return lambda e: [*call.arguments, *(e.insert(index_constant(count)) for count in self._counts)]
