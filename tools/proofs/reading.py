"""The interpretation of lowered arithmetic as exact integers: its result, and the conditions under which no op
overflows.

Ops of `exact` have their documented meaning. Other ops have the meaning of MLIR's `arith` on unbounded integers.
Functions of the runtime have their documented meaning. The lowering promises that every sum, product and narrowing
fits, that loads stay within their tables, and that values lie in their proven intervals. Each promise is a condition to
prove. Loads from written memory return the stored integers. The index of such a load is known, or it is an array with
one index per input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from tinyml.dialects import exact, scratch
from tinyml.dialects.machine.emitter import WRAPS
from tinyml.dialects.machine.exact_integers import Condition, Number, choose, entry
from tinyml.dialects.machine.machine import limits
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.operations import width_of
from tinyml.tools.proofs.memory import Cells
from tinyml.tools.proofs.values import Values


class Unread(Exception):
    """Raised for an op without a meaning on integers; the message names the op."""


@dataclass(frozen=True)
class Promise:
    """A condition on which emitted code relies, and its description."""

    text: str
    holds: Condition


@dataclass(frozen=True)
class Reading:
    """The results of a block, and the promises of its ops."""

    result: Number | Condition
    promises: Sequence[Promise]


def read(block: Block, arguments: Sequence[Number | Condition]) -> Reading:
    """Interpret the arithmetic of a single op. Return its results and the promises on which it relies.

    Raises `Unread` for ops on floats, and for functions of the runtime without a documented meaning on integers.
    """
    [result], promises = read_all(block, arguments)
    return Reading(result, promises)


def read_all(block: Block, arguments: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Promise]]:
    """Interpret a block; return all returned or yielded values and the promises. Raises as `read` does.

    arguments: numbers and conditions, and `Cells` for memory, which the block's stores update.
    """
    promises: list[Promise] = []

    def promise(text: str, holds: Condition) -> None:
        if holds is not True:
            promises.append(Promise(text, holds))

    return _run(block, arguments, {}, promise), promises


def _run(
    block: Block,
    arguments: Sequence[Any],
    values: dict[SSAValue, Any],
    promise: Callable[[str, Condition], None],
) -> Sequence[Any]:
    """Interpret a block; return all returned or yielded values. Raises `Unread` for an op that is not an op on
    integers.

    values: the values of the ops before the block.
    promise: called with the text and the condition of each promise.
    """
    values.update(zip(block.args, arguments, strict=True))

    for op in block.ops:
        if (read_op := _OPS.get(type(op))) is not None:
            value = read_op(op, [values[operand] for operand in op.operands], promise)
        elif isinstance(op, func.ReturnOp | scf.YieldOp):
            return [values[operand] for operand in op.operands]
        elif isinstance(op, scf.ForOp):
            low, high, step, *carried = (values[operand] for operand in op.operands)
            for index in range(low, high, step):
                carried = _run(op.body.block, (index, *carried), values, promise)
            values.update(zip(op.results, carried, strict=True))
            continue
        elif isinstance(op, memref.StoreOp):
            value, cells, index = (values[operand] for operand in op.operands)
            cells.store(index, value, promise)
            continue
        elif isinstance(op, exact.RecordedOp):
            value = _documented(op, values)
        else:
            raise Unread(f"{op.name} is not an op on integers")
        [result] = op.results
        values[result] = value
        if isinstance(op, exact.IntegerOp):
            low, high = op.interval.ends
            promise(f"{op.name} lies in [{low}, {high}]", within(value, low, high))
        elif isinstance(result.type, IntegerType) and (width := width_of(result)) > 1:
            promise(f"{op.name} fits in {width} bits", within(value, *limits(width)))
    raise AssertionError("the block does not return")


def _documented(op: exact.RecordedOp, values: Mapping[SSAValue, Any]) -> Any:
    """The documented result of a recorded op for its operands. Raises `Unread` for a division by a number that is not
    constant.
    """
    named = zip(op.parameters(), op.arguments, strict=True)
    arguments: dict[str, Any] = {
        name: values[argument] if isinstance(argument, SSAValue) else argument for name, argument in named
    }
    if isinstance(op, exact.DivideOp) and not isinstance(arguments["b"], int):
        raise Unread("a divisor is not constant")
    return op.meaning(arguments)


def within(x: Number, low: int, high: int) -> Any:
    return (x >= low) & (x <= high)


def _constant(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    value = cast(arith.ConstantOp, op).value
    if not isinstance(value, IntegerAttr):
        raise Unread("a constant is a float")
    number = cast("IntegerAttr[Any]", value).value.data
    if isinstance(value.type, IndexType):
        return number
    return bool(number) if width_of(op.results[0]) == 1 else number


def _wrapped(op: Operation, x: Any) -> Any:
    """If an op declares wrapping, wrap its result `x` around to the width of the register. Return the result."""
    if WRAPS not in op.attributes:
        return x
    half = 1 << width_of(op.results[0]) - 1
    return (x + half) % (2 * half) - half


def _truncate(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return _wrapped(op, operands[0])


def _add(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return _wrapped(op, operands[0] + operands[1])


def _shift_left(op: Operation, operands: Sequence[Any], promise: Callable[[str, Any], None]) -> Any:
    return _wrapped(op, _by_amount(op, operands, promise, lambda x, power: x * power))


def _shift_right(op: Operation, operands: Sequence[Any], promise: Callable[[str, Any], None]) -> Any:
    return _by_amount(op, operands, promise, lambda x, power: x // power)


AMOUNTS = 4
"""Maximum possible amounts of a shift that are distinguished in a formula."""


def _by_amount(
    op: Operation, operands: Sequence[Any], promise: Callable[[str, Any], None], shift: Callable[[Any, Any], Any]
) -> Any:
    """The result of a shift, as a multiplication or division by a power of two.

    shift: computes the result from the operand and the power of two.

    Raises `Unread` if the amount has too many possible values or is outside the register.
    """
    (x, amount), width = operands, width_of(op.results[0])
    if isinstance(amount, Values):
        promise(f"{op.name} shifts by less than {width}", within(amount, 0, width - 1))
        return shift(x, entry(tuple(1 << places for places in range(width)), amount))
    low, high = (amount, amount) if isinstance(amount, int) else (amount.low, amount.high)
    if high - low >= AMOUNTS:
        raise Unread(f"{op.name} shifts by an amount that is not constant")
    if not 0 <= low <= high < width:
        raise Unread(f"{op.name} shifts by {high}, which has no meaning")
    result = shift(x, 1 << high)
    for places in reversed(range(low, high)):
        result = choose(amount <= places, shift(x, 1 << places), result)
    return result


def _extend(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    [x], width = operands, width_of(op.operands[0])
    return choose(x, 1, 0) if width == 1 else x % (1 << width)


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
        case 0:
            return within(a, b, b)
        case 1:
            return (a < b) | (a > b)
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
    if isinstance(table, Cells):
        return table.load(index, promise)
    promise(f"an index lies in a table of {len(table)} entries", within(index, 0, len(table) - 1))
    return entry(table, index)


def _call(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    name = cast(func.CallOp, op).callee.string_value()
    if (meaning := RUNTIME_FUNCTIONS[name].meaning) is None:
        raise Unread(f"{name} has no documented meaning on integers")
    return meaning(*operands)


def _table(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    return tuple(cast(scratch.ConstantOp, op).raws.tolist())


def _array(op: Operation, operands: Sequence[Any], promise: Any) -> Any:
    [length] = cast("MemRefType[Any]", op.results[0].type).get_shape()
    return Cells([None] * length)


_OPS: dict[type[Operation], Callable[[Operation, Sequence[Any], Callable[[str, Any], None]], Any]] = {
    arith.ConstantOp: _constant,
    arith.AddiOp: _add,
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
    arith.ExtUIOp: _extend,
    arith.TruncIOp: _truncate,
    arith.IndexCastOp: lambda op, x, promise: x[0],
    exact.WithinOp: lambda op, x, promise: x[0],
    scratch.ConstantOp: _table,
    scratch.SliceOp: lambda op, x, promise: x[0].beyond(x[1]),
    memref.AllocaOp: _array,
    memref.CastOp: lambda op, x, promise: x[0],
    memref.LoadOp: _load,
    func.CallOp: _call,
}
