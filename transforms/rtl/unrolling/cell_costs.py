"""The FPGA cells of the ops of a program, estimated before synthesis.

Look-up tables have four inputs; the figures were fitted to the counts of yosys for the models of docs/fpga.md on an
ECP5.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import rtl
from tinyml.transforms.rtl.scheduling.operators import MOST_TERMS, Operators, signed_digits
from tinyml.transforms.rtl.scheduling.regions import LOGIC

LOOP, ACCESS, NARROWING = 40, 8, 2
"""LUTs of a loop's control, of the address and data of an access, and of each bit of a word from which elements are
extracted."""


def cells_of(ops: Iterable[Operation], operators: Operators) -> tuple[int, int]:
    """The LUTs and DSPs of ops, including the contents of loops."""
    luts = dsps = 0
    for top in ops:
        for op in top.walk():
            more = _cells(op, operators)
            luts, dsps = luts + more[0], dsps + more[1]
    return luts, dsps


def _cells(op: Operation, operators: Operators) -> tuple[int, int]:
    if op.regions:
        return LOOP, 0
    if isinstance(op, rtl.LoadOp | rtl.StoreOp):
        element = op.result if isinstance(op, rtl.LoadOp) else op.value
        word = cast("rtl.MemoryType", op.memory.type).width.data
        narrow = word > operators.width(element)
        return ACCESS + operators.width(element) + narrow * NARROWING * word, 0
    if not isinstance(op, arith.MuliOp):
        return (_logic(op, operators), 0) if len(op.results) == 1 else (0, 0)
    constants = [const_evaluate_operand(operand) for operand in op.operands]
    constant = next((value for value in constants if value is not None), None)
    if constant is not None and (terms := len(signed_digits(constant))) <= MOST_TERMS:
        return max(terms - 1, 0) * operators.width(op.result), 0
    if LOGIC in op.attributes:
        return product_in_logic(op, operators), 0
    parts = -(-operators.factor_width(op.lhs) // 18) * -(-operators.factor_width(op.rhs) // 18)
    return (parts > 1) * operators.width(op.result), parts


def product_in_logic(op: arith.MuliOp, operators: Operators) -> int:
    """The LUTs of a product without a multiplier: a row of gates and an adder for each bit of the shorter factor."""
    short, long = sorted(map(operators.factor_width, op.operands))
    return short * (2 * long + 2)


def _logic(op: Operation, operators: Operators) -> int:
    width = max(map(operators.width, op.operands), default=0)
    match op:
        case arith.AddiOp() | arith.SubiOp() | arith.SelectOp() | arith.AndIOp() | arith.OrIOp() | arith.XOrIOp():
            return operators.width(op.results[0])
        case arith.CmpiOp():
            return width
        case arith.MinSIOp() | arith.MaxSIOp() | arith.MinUIOp() | arith.MaxUIOp():
            return 2 * width
        case arith.ShLIOp() | arith.ShRSIOp() | arith.ShRUIOp() if const_evaluate_operand(op.operands[1]) is None:
            return 2 * width * max(1, (width - 1).bit_length() // 2)
        case _:
            return 0
