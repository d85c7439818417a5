"""Combinational ops as Verilog expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from xdsl.dialects import comb, hw
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

Name = Callable[[SSAValue], str]

_JOINED: Mapping[type[Operation], str] = {comb.AddOp: "+", comb.AndOp: "&", comb.OrOp: "|", comb.XorOp: "^"}
_BINARY: Mapping[type[Operation], str] = {
    comb.SubOp: "-",
    comb.ShlOp: "<<",
    comb.ShrUOp: ">>",
    comb.DivUOp: "/",
    comb.ModUOp: "%",
}
_SIGNED: Mapping[type[Operation], str] = {comb.DivSOp: "/", comb.ModSOp: "%"}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_SIGNED_COMPARISONS = range(2, 6)


def width(value: SSAValue) -> int:
    return cast("IntegerType[int, Any]", value.type).width.data


def literal(value: int, bits: int) -> str:
    return f"{bits}'h{value % (1 << bits):x}"


def expression(op: Operation, name: Name) -> str | None:
    """The expression of an op's result; None for an op that is not combinational."""
    match op:
        case hw.ConstantOp():
            return literal(op.value.value.data, width(op.result))
        case comb.MulOp():
            return " * ".join(_factor(value, name) for value in op.inputs)
        case comb.ICmpOp():
            number = op.predicate.value.data
            a, b = name(op.lhs), name(op.rhs)
            signed = number in _SIGNED_COMPARISONS
            return f"{_signed(a)} {_COMPARISONS[number]} {_signed(b)}" if signed else f"{a} {_COMPARISONS[number]} {b}"
        case comb.MuxOp():
            return f"{name(op.cond)} ? {name(op.true_value)} : {name(op.false_value)}"
        case comb.ExtractOp():
            low, bits = op.low_bit.value.data, width(op.result)
            return f"{name(op.input)}[{low}]" if bits == 1 else f"{name(op.input)}[{low + bits - 1}:{low}]"
        case comb.ConcatOp():
            return "{" + ", ".join(map(name, op.inputs)) + "}"
        case comb.ReplicateOp():
            return f"{{{width(op.result) // width(op.input)}{{{name(op.input)}}}}}"
        case comb.ParityOp():
            return f"^{name(op.input)}"
        case comb.ShrSOp():
            return f"{_signed(name(op.lhs))} >>> {name(op.rhs)}"
        case _:
            pass
    if (sign := _JOINED.get(type(op))) is not None:
        return f" {sign} ".join(map(name, op.operands))
    if (sign := _BINARY.get(type(op))) is not None:
        return f"{name(op.operands[0])} {sign} {name(op.operands[1])}"
    if (sign := _SIGNED.get(type(op))) is not None:
        return f"{_signed(name(op.operands[0]))} {sign} {_signed(name(op.operands[1]))}"
    return None


def _signed(text: str) -> str:
    return f"$signed({text})"


def _factor(value: SSAValue, name: Name) -> str:
    """A factor without the copies of its sign, so that synthesis makes a multiplier of its real width."""
    while (narrower := _extended(value)) is not None:
        value = narrower
    return _signed(name(value))


def _extended(value: SSAValue) -> SSAValue | None:
    """x, if a value is x with copies of its highest bit above it."""
    if not isinstance(concat := value.owner, comb.ConcatOp) or len(concat.inputs) != 2:
        return None
    copies, x = concat.inputs
    bit = copies.owner.input if isinstance(copies.owner, comb.ReplicateOp) else copies
    extract = bit.owner
    if isinstance(extract, comb.ExtractOp) and width(bit) == 1 and extract.input is x:
        return x if extract.low_bit.value.data == width(x) - 1 else None
    return None
