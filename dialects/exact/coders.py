"""Ops that decode raws of a format to integers, or encode integers as raws. The format defines the program of each
conversion.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.exact.recorded import Step
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.formats.specification import RoundedOnce
from tinyml.dialects.machine.exact_integers import Condition, Number
from tinyml.dialects.machine.machine import Coder
from tinyml.dialects.scratch import ConstantOp

if TYPE_CHECKING:
    from tinyml.dialects.formats.specification import RoundedOnce

__all__ = ["Coder", "DecodeOp", "EncodeOp"]


class _CoderOp(Step, ABC):
    """An op whose result is computed by a program that the format defines. `tables` are the look-up tables of this
    program.
    """

    format = prop_def()
    tables = var_operand_def(MemRefType)

    @classmethod
    def _of_arguments(cls, registers: Sequence[SSAValue], tables: Sequence[SSAValue]) -> Sequence[Any]:
        return [*registers, tables]

    @property
    def given_tables(self) -> Sequence[SSAValue]:
        return self.tables

    def verify_(self) -> None:
        if not isinstance(number_format(self.format), Coder):
            raise VerifyException(f"{self.format} is not a coded format")
        super().verify_()

    def verify_tables(self, used: Sequence[Any]) -> None:
        given = [table.owner.raws for table in self.tables if isinstance(table.owner, ConstantOp)]
        if [table.tolist() for table in given] != [table.tolist() for table in used]:
            raise VerifyException(f"the tables are not those of {self.format}")

    @property
    def documented(self) -> RoundedOnce:
        """The specification of the op's format. The program of the conversion must fulfil this specification.

        Raises `InputError` if the format's specification does not define how results are rounded.
        """
        format = number_format(self.format)
        documented = None if format is None else format.specification
        if not isinstance(documented, RoundedOnce):
            raise InputError(f"{self.format} documents nothing that could be proved")
        return documented


@irdl_op_definition
class DecodeOp(_CoderOp):
    """The integer that a raw represents, in units of the format's 2^-scale. `tables` are the look-up tables that the
    format's conversion needs.
    """

    name = "exact.decode"
    METHOD: ClassVar[str] = "decode"
    raws = operand_def(IntegerType)
    assembly_format = (
        "$raws (`from` $tables^ `:` type($tables))? `as` $format attr-dict"
        " `:` type($raws) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return self.documented.integer(x["raws"])


@irdl_op_definition
class EncodeOp(_CoderOp):
    """Round `x * 2^-scale` to the nearest number of the format. The result is the raw of this number. `tables` are the
    look-up tables that the format's conversion needs.
    """

    name = "exact.encode"
    METHOD: ClassVar[str] = "encode"
    x = operand_def(IntegerType)
    scale = prop_def(IntegerAttr[I64])
    assembly_format = (
        "$x `scale` $scale (`from` $tables^ `:` type($tables))? `as` $format attr-dict"
        " `:` type($x) `->` type($result) `in` $interval"
    )

    def meaning(self, x: Mapping[str, Number]) -> Number | Condition:
        return self.documented.rounded(x["x"], x["scale"])
