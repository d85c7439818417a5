"""The steps of an operation for the cost model: kinds, by operation and width.

The names are the keys of `tinyml.targets.costs`. An operation without a rule here counts under its own name and width,
so that a new operation is counted, and measured by the next calibration, without a change of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, prod
from typing import Any, cast

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import scratch
from tinyml.dialects.scratch import element_bytes, in_flash, memref_type, packed_bits, storage_of, unit_of
from tinyml.targets.kernel import packed_copier, packed_reader, packed_writer
from tinyml.transforms.ir.indices import is_multiple

UNROLLED = 2
"""The largest shift amount in straight-line code on a chip without a barrel shifter; longer shifts are loops."""

_FREE = (
    arith.ConstantOp,
    arith.IndexCastOp,
    arith.TruncIOp,
    func.ReturnOp,
    memref.AllocaOp,
    memref.CastOp,
    scf.YieldOp,
    scratch.ArenaOp,
    scratch.ConstantOp,
    scratch.SliceOp,
    scratch.ViewOp,
)


def steps_of_operation(op: Operation) -> Mapping[str, float]:
    """The steps of an operation of L4, by kind; none for a loop, as the ops of its body are counted separately."""
    if isinstance(op, _FREE):
        return {}
    width = str(storage_of(op.results[0].type)) if op.results else ""
    match op:
        case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() if isinstance(op.result.type, IndexType):
            return {"index": 1}
        case arith.AddiOp() | arith.SubiOp():
            return {f"add {width}": 1}
        case arith.MuliOp():
            return _multiplication(op, width)
        case arith.ShRSIOp():
            return _shift(width, const_evaluate_operand(op.rhs))
        case arith.MinSIOp() | arith.MaxSIOp():
            return {f"limit {width}": 1}
        case arith.CmpiOp() | arith.CmpfOp():
            return {f"compare {op.lhs.type}": 1}
        case arith.ExtSIOp():
            # A multiplication takes narrow factors without extending them.
            factor = all(isinstance(use.operation, arith.MuliOp) for use in op.result.uses)
            return {} if factor else {f"extend {op.input.type} {width}": 1}
        case arith.SelectOp() if _keeps(op):
            return {f"keep {width}": 1}
        case func.CallOp():
            return {op.callee.string_value(): 1}
        case memref.LoadOp() if (bits := packed_bits(memref_type(op.memref))) is not None:
            return {packed_reader(bits, flash=in_flash(memref_type(op.memref))): 1}
        case memref.StoreOp() if (bits := packed_bits(memref_type(op.memref))) is not None:
            return {packed_writer(bits): 1}
        case memref.CopyOp() if (bits := packed_bits(memref_type(op.source))) is not None:
            symbol = packed_copier(bits)
            return {symbol: 1, f"{symbol} element": prod(memref_type(op.source).get_shape())}
        case scratch.CopyRunOp():
            elements, size = unit_of(memref_type(op.source))
            bytes = op.most.value.data // elements * size
            return {"tm_copy": 1, **({"tm_copy word": bytes // 4} if _copies_words(op) else {"tm_copy byte": bytes})}
        case scratch.TurnOp():
            rows, columns = map(const_evaluate_operand, (op.rows, op.columns))
            return {"turn": 1} if rows is None or columns is None else {"turn pixel": rows * columns}
        case memref.LoadOp():
            place = "flash" if in_flash(memref_type(op.memref)) else "ram"
            return {f"load {place} {_element_bytes(op.memref)}": 1}
        case memref.StoreOp():
            return {f"store {_element_bytes(op.memref)}": 1}
        case _:
            return {f"{op.name.partition('.')[2]} {width}".rstrip(): 1}


def takes_less_of_zero(step: str) -> bool:
    """True if a step is faster with a zero operand, as software float arithmetic is."""
    return step.startswith(("mulf ", "addf ", "subf "))


def of_zero(step: str) -> str:
    """The name of a step with a zero operand."""
    return f"{step} of zero"


def is_shift(constant: int, product: str) -> bool:
    """True if a product of extended numbers and a constant is a shift. An 8-bit chip shifts 16 bits bit by bit."""
    return constant.bit_count() == 1 and not (constant > 2 and product == "i16")


def _multiplication(op: arith.MuliOp, width: str) -> Mapping[str, float]:
    factors = (op.lhs, op.rhs)
    known = next((number for factor in factors if (number := const_evaluate_operand(factor)) is not None), None)
    narrow = [factor.owner.input.type for factor in factors if isinstance(factor.owner, arith.ExtSIOp)]
    if known is not None and known > 0 and known.bit_count() == 1 and (not narrow or is_shift(known, width)):
        return _shift(width, known.bit_length() - 1)
    if narrow and len(narrow) + (known is not None) == len(factors):
        widest = max(cast("IntegerType[Any, Any]", type).width.data for type in narrow)
        return {f"multiply i{widest} {width}": 1}
    return {f"multiply {width}": 1}


def _keeps(select: arith.SelectOp) -> bool:
    """True if a selection mostly keeps what a loop carries, as the search of the greatest element does."""
    block = select.parent
    if block is None or not isinstance(block.parent_op(), scf.ForOp):
        return False
    choices = [select.rhs]
    while isinstance(before := choices[-1].owner, arith.SelectOp):
        choices += [before.rhs]
    return any(choice in block.args[1:] for choice in choices) or select.lhs in block.args[1:]


def _shift(width: str, amount: int | None) -> Mapping[str, float]:
    """The steps of a shift; shifts by whole bytes are register moves on an 8-bit chip."""
    if amount == 0:
        return {}
    if amount is None or amount % 8 == 0:
        return {f"shift {width} bytes": 1}
    return (
        {f"shift {width} bit": amount} if amount <= UNROLLED else {f"shift {width}": 1, f"shift {width} loop": amount}
    )


def _copies_words(op: scratch.CopyRunOp) -> bool:
    """True if a copy consists of words at aligned addresses of the arena, which is aligned itself."""
    elements, size = unit_of(memref_type(op.source))
    whole = elements * 4 // gcd(size, 4)
    offsets = [op.first, op.at, op.count]
    for buffer in (op.source, op.dest):
        while isinstance(view := buffer.owner, scratch.SliceOp):
            offsets.append(view.offset)
            buffer = view.source
        if not isinstance(view, scratch.ViewOp) or view.offset.value.data % 4:
            return False
    return all(is_multiple(offset, whole) for offset in offsets)


def _element_bytes(value: SSAValue) -> int:
    return element_bytes(memref_type(value))
