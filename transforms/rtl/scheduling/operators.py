"""Delays of ops: the time from operands to result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.targets.verilog.fabric import Delays
from tinyml.transforms.ir.intervals import INDEX, Interval, width_for
from tinyml.transforms.rtl.scheduling.regions import LOGIC

_FREE = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp, arith.ConstantOp)
_SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)

MOST_TERMS = 4
"""The maximum number of signed digits of a constant factor whose product is a sum of shifted terms; others take
multipliers."""


def signed_digits(constant: int) -> list[tuple[int, int]]:
    """A constant as a sum of few signed powers of two: (sign, exponent), the canonical signed digits."""
    digits: list[tuple[int, int]] = []
    exponent = 0
    while constant:
        if constant & 1:
            digit = 2 - (constant & 3)
            digits.append((digit, exponent))
            constant -= digit
        constant >>= 1
        exponent += 1
    return digits


class Operators:
    """Widths and delays of the ops of a function. known: intervals of its indices."""

    def __init__(self, delays: Delays, known: Mapping[SSAValue, Interval]):
        self.delays = delays
        self.known = known

    def width(self, value: SSAValue) -> int:
        """The bits of a value in hardware."""
        if isinstance(value.type, IndexType):
            return width_for(self.known.get(value, INDEX))
        return cast("IntegerType[int, Any]", value.type).width.data

    def factor_width(self, value: SSAValue) -> int:
        """The bits of a factor without repeated sign bits."""
        while isinstance(value.owner, arith.ExtSIOp):
            value = value.owner.operands[0]
        return self.width(value)

    def delay(self, op: Operation) -> float:
        """The time from the operands of a pure op to its result, in ns."""
        if isinstance(op, _FREE):
            return 0.0
        if isinstance(op, arith.MuliOp):
            constants = [const_evaluate_operand(operand) for operand in op.operands]
            if (constant := next((value for value in constants if value is not None), None)) is not None:
                terms = len(signed_digits(constant))
                if terms <= 1:
                    return 0.0
                if terms <= MOST_TERMS:
                    return (terms - 1).bit_length() * self.delays.add(self.width(op.results[0]))
            if LOGIC in op.attributes:
                rows = min(map(self.factor_width, op.operands))
                return self.delays.lut + (rows - 1).bit_length() * self.delays.add(self.width(op.results[0]))
            return self.delays.multiply((self.factor_width(op.lhs), self.factor_width(op.rhs)))
        if isinstance(op, _SHIFTS):
            constant = const_evaluate_operand(op.operands[1]) is not None
            return 0.0 if constant else self.delays.shift(self.width(op.results[0]))
        width = max(self.width(operand) for operand in op.operands)
        if isinstance(op, arith.SelectOp | arith.AndIOp | arith.OrIOp | arith.XOrIOp):
            return self.delays.lut
        if isinstance(op, arith.MinSIOp | arith.MaxSIOp | arith.MinUIOp | arith.MaxUIOp):
            return self.delays.add(width) + self.delays.lut
        if isinstance(op, arith.DivSIOp | arith.DivUIOp | arith.RemSIOp | arith.RemUIOp):
            return width * self.delays.add(width)
        return self.delays.add(width)
