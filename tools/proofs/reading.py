"""Lowered arithmetic, read as exact integers: its result, and what has to hold so that no op overflows.

Ops of `exact` have the meaning that they document, others that of MLIR's `arith` on integers without limits. The
lowering promises that every sum, product and narrowing fits, that loads stay within their tables, and that values lie
in the intervals proven for them; each promise is a condition to be proved. Functions of the runtime have the meaning
that they document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import exact, scratch
from tinyml.dialects.machine.emitter import WRAPS
from tinyml.dialects.machine.exact_integers import Condition, Number, choose, entry
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS


class Unread(Exception):
    """An op that has no meaning on integers, in words."""


@dataclass(frozen=True)
class Promise:
    """A condition that emitted code relies on, and its words."""

    text: str
    holds: Condition


@dataclass(frozen=True)
class Reading:
    """What a block returns, and its promises."""

    result: Number | Condition
    promises: Sequence[Promise]


def read(block: Block, arguments: Sequence[Number | Condition]) -> Reading:
    """Read the arithmetic of one op.

    Raises `Unread` for ops on floats, and for functions of the runtime without a documented meaning on integers.
    """
    promises: list[Promise] = []

    def promise(text: str, holds: Condition) -> None:
        if holds is not True:
            promises.append(Promise(text, holds))

    return Reading(_run(block, arguments, {}, promise), promises)


def _run(
    block: Block,
    arguments: Sequence[Any],
    values: dict[SSAValue, Any],
    promise: Callable[[str, Condition], None],
) -> Any:
    """What a block returns or yields; values: those of the ops before it."""
    values.update(zip(block.args, arguments, strict=True))

    for op in block.ops:
        if isinstance(op, func.ReturnOp | scf.YieldOp):
            return values[op.operands[0]]
        if isinstance(op, scf.ForOp):
            low, high, step, carried = (values[operand] for operand in op.operands)
            for index in range(low, high, step):
                carried = _run(op.body.block, (index, carried), values, promise)
            values[op.results[0]] = carried
            continue
        [result] = op.results
        if isinstance(op, exact.RecordedOp):
            value = _documented(op, values)
        elif (read_op := _OPS.get(type(op))) is not None:
            value = read_op(op, [values[operand] for operand in op.operands], promise)
        else:
            raise Unread(f"{op.name} is not an op on integers")
        values[result] = value
        if isinstance(op, exact.IntegerOp):
            low, high = op.interval.ends
            promise(f"{op.name} lies in [{low}, {high}]", within(value, low, high))
        elif isinstance(result.type, IntegerType) and (width := _width(result)) > 1:
            promise(f"{op.name} fits in {width} bits", within(value, *limits(width)))
    raise AssertionError("the block does not return")


def _documented(op: exact.RecordedOp, values: Mapping[SSAValue, Any]) -> Any:
    """What a recorded op documents for its operands."""
    named = zip(op.parameters(), op.arguments, strict=True)
    given: dict[str, Any] = {name: values[one] if isinstance(one, SSAValue) else one for name, one in named}
    if isinstance(op, exact.DivideOp) and not isinstance(given["b"], int):
        raise Unread("a divisor is not constant")
    return op.meaning(given)


def within(x: Number, low: int, high: int) -> Any:
    """The condition that x lies in [low, high]."""
    return (x >= low) & (x <= high)


def _width(value: SSAValue) -> int:
    return cast("IntegerType[int, Any]", value.type).width.data


def _constant(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    value = cast(arith.ConstantOp, op).value
    if not isinstance(value, IntegerAttr):
        raise Unread("a constant is a float")
    number = cast("IntegerAttr[Any]", value).value.data
    if isinstance(value.type, IndexType):
        return number
    return bool(number) if _width(op.results[0]) == 1 else number


def _truncate(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    [x], half = operands, 1 << _width(op.results[0]) - 1
    return (x + half) % (2 * half) - half if WRAPS in op.attributes else x


def _shift_left(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return operands[0] * (1 << _amount(op, operands))


def _shift_right(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return operands[0] // (1 << _amount(op, operands))


def _amount(op: Operation, operands: Sequence[Any]) -> int:
    if not isinstance(amount := operands[1], int):
        raise Unread(f"{op.name} shifts by an amount that is not constant")
    if not 0 <= amount < _width(op.results[0]):
        raise Unread(f"{op.name} shifts by {amount}, which has no meaning")
    return amount


def _divide(op: Operation, operands: Sequence[Any], promise: Callable[[str, Any], None]) -> Any:
    x, divisor = operands
    if not isinstance(divisor, int) or divisor <= 0:
        raise Unread("a divisor is not constant")
    return choose(x < 0, 0 - (0 - x) // divisor, x // divisor)


def _and(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    x, mask = operands
    if not isinstance(mask, int) or mask < 0 or mask & mask + 1:
        raise Unread("a mask is not constant, or not of the low bits")
    return x % (mask + 1)


def _compare(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    a, b = operands
    match cast(arith.CmpiOp, op).predicate.value.data:
        case 2:
            return a < b
        case 3:
            return a <= b
        case 4:
            return a > b
        case 5:
            return a >= b
        case _:
            raise Unread("a comparison is not one of signed integers")


def _load(op: Operation, operands: Sequence[Any], promise: Callable[[str, Any], None]) -> Any:
    table, index = operands
    promise(f"an index lies in a table of {len(table)} entries", within(index, 0, len(table) - 1))
    return entry(table, index)


def _call(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    name = cast(func.CallOp, op).callee.string_value()
    if (meaning := RUNTIME_FUNCTIONS[name].meaning) is None:
        raise Unread(f"{name} has no documented meaning on integers")
    return meaning(*operands)


def _table(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return tuple(cast(scratch.ConstantOp, op).raws.tolist())


_OPS: dict[type[Operation], Callable[[Operation, Sequence[Any], Callable[[str, Any], None]], Any]] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: lambda op, x, promise: x[0] + x[1],
    arith.SubiOp: lambda op, x, promise: x[0] - x[1],
    arith.MuliOp: lambda op, x, promise: x[0] * x[1],
    arith.DivSIOp: _divide,
    arith.ShLIOp: _shift_left,
    arith.ShRSIOp: _shift_right,
    arith.AndIOp: _and,
    arith.MinSIOp: lambda op, x, promise: choose(x[0] < x[1], x[0], x[1]),
    arith.MaxSIOp: lambda op, x, promise: choose(x[0] > x[1], x[0], x[1]),
    arith.CmpiOp: _compare,
    arith.SelectOp: lambda op, x, promise: choose(x[0], x[1], x[2]),
    arith.ExtSIOp: lambda op, x, promise: x[0],
    arith.ExtUIOp: lambda op, x, promise: choose(x[0], 1, 0),
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: lambda op, x, promise: x[0],
    exact.WithinOp: lambda op, x, promise: x[0],
    scratch.ConstantOp: _table,
    memref.CastOp: lambda op, x, promise: x[0],
    memref.LoadOp: _load,
    func.CallOp: _call,
}
