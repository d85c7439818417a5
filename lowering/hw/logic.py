"""Arithmetic on integers and indices as combinational logic. Each value has the width that `Operators` gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, comb
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects.locations import error_at
from tinyml.lowering.hw.circuit import Circuit, bits
from tinyml.transforms.rtl.scheduling.operators import MOST_TERMS, Operators, signed_digits
from tinyml.transforms.rtl.scheduling.regions import LOGIC

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

_SAME_WIDTH: Mapping[type[Operation], Callable[[list[SSAValue]], Operation]] = {
    arith.AndIOp: comb.AndOp,
    arith.OrIOp: comb.OrOp,
    arith.XOrIOp: comb.XorOp,
}
_DIVISIONS: Mapping[type[Operation], Callable[[SSAValue, SSAValue], Operation]] = {
    arith.DivSIOp: comb.DivSOp,
    arith.DivUIOp: comb.DivUOp,
    arith.RemSIOp: comb.ModSOp,
    arith.RemUIOp: comb.ModUOp,
}
_SHIFTS: Mapping[type[Operation], Callable[[SSAValue, SSAValue], Operation]] = {
    arith.ShLIOp: comb.ShlOp,
    arith.ShRSIOp: comb.ShrSOp,
    arith.ShRUIOp: comb.ShrUOp,
}
_EXTREMES: Mapping[type[Operation], str] = {
    arith.MinSIOp: "slt",
    arith.MaxSIOp: "sgt",
    arith.MinUIOp: "ult",
    arith.MaxUIOp: "ugt",
}


def combinational(c: Circuit, operators: Operators, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """The logic of a pure op; raises `InputError` for one that works on floats."""
    width = operators.width(op.results[0])
    widest = max(map(bits, operands))
    match op:
        case arith.AddiOp() | arith.SubiOp():
            a, b = (c.resize(operand, width) for operand in operands)
            return c.add(a, b) if isinstance(op, arith.AddiOp) else c.sub(a, b)
        case arith.MuliOp():
            return _product(c, operators, op, operands, width)
        case arith.CmpiOp():
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.compare(PREDICATES[op.predicate.value.data], a, b)
        case arith.SelectOp():
            return c.mux(operands[0], *(c.resize(operand, width) for operand in operands[1:]))
        case arith.ExtSIOp() | arith.TruncIOp() | arith.IndexCastOp():
            return c.resize(operands[0], width)
        case arith.ExtUIOp():
            return c.resize(operands[0], width, signed=False)
        case arith.ShLIOp() | arith.ShRSIOp() | arith.ShRUIOp():
            return _shifted(c, op, operands, width)
        case _ if type(op) in _EXTREMES:
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.mux(c.compare(_EXTREMES[type(op)], a, b), a, b), width)
        case _ if type(op) in _DIVISIONS:
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.put(_DIVISIONS[type(op)](a, b)), width)
        case _ if type(op) in _SAME_WIDTH:
            a, b = (c.resize(operand, widest) for operand in operands)
            return c.resize(c.put(_SAME_WIDTH[type(op)]([a, b])), width)
        case _:
            raise error_at(op, f"'{op.name}' has no hardware")


def _product(c: Circuit, operators: Operators, op: arith.MuliOp, operands: Sequence[SSAValue], width: int) -> SSAValue:
    """A product; by a constant with few digits, a sum of shifted terms, since multipliers are scarcer than logic."""
    a, b = (c.resize(operand, width) for operand in operands)
    for factor, other in ((op.rhs, a), (op.lhs, b)):
        constant = const_evaluate_operand(factor)
        if constant is not None and len(digits := signed_digits(constant)) <= MOST_TERMS:
            return c.scaled(other, digits)
    if LOGIC in op.attributes:
        return _product_in_logic(c, operators, op, operands, width)
    return c.put(comb.MulOp([a, b]))


def _product_in_logic(
    c: Circuit, operators: Operators, op: arith.MuliOp, operands: Sequence[SSAValue], width: int
) -> SSAValue:
    """A product as the sum of partial products by the bits of the shorter factor, whose sign bit counts negative.

    Synthesis would infer a multiplier for every product, even if the FPGA has none left.
    """
    bits_of = [operators.factor_width(operand) for operand in op.operands]
    short = min(range(2), key=lambda i: bits_of[i])
    long = c.resize(operands[1 - short], bits_of[1 - short])
    rows = [c.gated([(c.extract(operands[short], place, 1), long)], bits(long)) for place in range(bits_of[short])]
    if len(rows) == 1:
        return c.sub(c.constant(0, width), c.resize(rows[0], width))
    return c.resize(_sum_of_multiples(c, rows), width)


def _sum_of_multiples(c: Circuit, rows: Sequence[SSAValue], *, signed: bool = True) -> SSAValue:
    """The sum of two or more rows, each a bit higher than the one before; if signed, the last row counts negative.

    Each adder is only as wide as its terms, without the low bits that one of them alone has: from adders as wide as the
    product, synthesis would build a compressor tree, which takes twice as many lookup tables.
    """
    half = 1 << (len(rows) - 1).bit_length() - 1
    low, high = (
        part[0] if len(part) == 1 else _sum_of_multiples(c, part, signed=signed and last)
        for part, last in ((rows[:half], False), (rows[half:], True))
    )
    above = c.extract(low, half, bits(low) - half)
    width = max(bits(above), bits(high)) + 1
    join = c.sub if signed and len(rows) == half + 1 else c.add
    return c.concat(join(c.resize(above, width), c.resize(high, width)), c.extract(low, 0, half))


def _shifted(c: Circuit, op: Operation, operands: Sequence[SSAValue], width: int) -> SSAValue:
    value, have = operands[0], bits(operands[0])
    amount = const_evaluate_operand(op.operands[1])
    signed = isinstance(op, arith.ShRSIOp)
    if amount is None:
        kind = _SHIFTS[type(op)]
        wide = max(have, bits(operands[1]), width)
        shifted = kind(c.resize(value, wide, signed=signed), c.resize(operands[1], wide, signed=False))
        return c.resize(c.put(shifted), width)
    if isinstance(op, arith.ShLIOp):
        return c.shift_left(c.resize(value, width), amount)
    kept = min(amount, have - 1) if signed else amount
    if kept >= have:
        return c.constant(0, width)
    return c.resize(c.extract(value, kept, have - kept), width, signed=signed)
