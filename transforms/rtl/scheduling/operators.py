"""Widths and delays of ops. A delay is the time from the availability of the operands to that of the result."""

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

_FREE_OPS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp, arith.ConstantOp)
_SHIFTS = (arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)

MAX_TERMS = 4
"""The maximum number of signed digits of a constant factor whose product is a sum of shifted terms; others take
multipliers."""


def signed_digits(constant: int) -> list[tuple[int, int]]:
    """Write a constant as a sum of the fewest signed powers of two: its canonical signed digits.

    Each element is a pair of the sign and the exponent.
    """
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


def small_digits(op: arith.MuliOp) -> list[tuple[int, int]] | None:
    """The signed digits of a constant factor, each as sign and exponent, if the product is computed by adders of
    shifted terms. None for any other product.
    """
    constants = [value for value in map(const_evaluate_operand, op.operands) if value is not None]
    return next((found for found in map(signed_digits, constants) if len(found) <= MAX_TERMS), None)


def factor(value: SSAValue) -> SSAValue:
    """The value before a sign extension. A value that is not extended is returned itself."""
    while isinstance(value.owner, arith.ExtSIOp):
        value = value.owner.operands[0]
    return value


def type_width(value: SSAValue) -> int:
    """The number of bits of a value's type: 32 for an index."""
    return 32 if isinstance(value.type, IndexType) else cast("IntegerType[int, Any]", value.type).width.data


class Operators:
    """Widths and delays of the ops of a function.

    known: intervals of its integers and indices as signed numbers.
    """

    def __init__(self, delays: Delays, known: Mapping[SSAValue, Interval]):
        self.delays = delays
        self.known = known

    def width(self, value: SSAValue) -> int:
        return min(width_for(self.known.get(value, INDEX)), type_width(value))

    def is_signed(self, value: SSAValue) -> bool:
        return self.known.get(value, INDEX)[0] < 0

    def factor_width(self, value: SSAValue) -> int:
        return self.width(factor(value))

    def delay(self, op: Operation) -> float:
        """The delay of a pure op from its operands to its result, in ns."""
        if isinstance(op, _FREE_OPS):
            return 0.0
        if isinstance(op, arith.MuliOp):
            if (digits := small_digits(op)) is not None:
                return (max(len(digits), 1) - 1).bit_length() * self.delays.add(self.width(op.results[0]))
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
