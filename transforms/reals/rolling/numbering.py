"""Equal values of a block: the ops that compute each value, and its readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tinyml.dialects import tdsl


class Numbering:
    """The first of all equal values of a block, for each value, and the ops that read it.

    Two results are equal if the ops are equal and have equal operands. Ops with regions or side effects equal no other
    op.

    first: for each value, the first equal value.
    readers: for each first value, the ops that read an equal value, each with the position of the operand. Of equal
        ops, only the first is listed.
    position: the position of each op in the block.
    """

    def __init__(self, block: Block):
        self.first: dict[SSAValue, SSAValue] = {}
        self.readers: dict[SSAValue, list[tuple[Operation, int]]] = {}
        self.position: dict[Operation, int] = {}
        known: dict[Any, Operation] = {}
        for position, op in enumerate(block.ops):
            self.position[op] = position
            operands = self.operands(op)
            if not op.regions and is_side_effect_free(op):
                key = (spelled(op), operands)
                equal = known.setdefault(key, op)
                if equal is not op:
                    self.first |= dict(zip(op.results, equal.results, strict=True))
                    continue
            for at, operand in enumerate(operands):
                self.readers.setdefault(operand, []).append((op, at))
            for inner in op.walk():
                if inner is not op:
                    for operand in map(self.of, inner.operands):
                        self.readers.setdefault(operand, []).append((op, -1))

    def of(self, value: SSAValue) -> SSAValue:
        return self.first.get(value, value)

    def operands(self, op: Operation) -> tuple[SSAValue, ...]:
        return tuple(map(self.of, op.operands))


def spelled(op: Operation) -> tuple[Any, ...]:
    """What an op computes apart from its operands: its class, its properties and the types of its results."""
    return type(op), tuple(sorted(op.properties.items(), key=lambda item: item[0])), tuple(op.result_types)


def constants_of(op: Operation, numbering: Numbering) -> Sequence[SSAValue]:
    """The constants that are factors of a contraction; none for any other op."""
    if not isinstance(op, tdsl.ContractionOp):
        return []
    roots = [tdsl.constant_root(operand) for operand in op.operands]
    return list(dict.fromkeys(numbering.of(root.result) for root in roots if root is not None))


def integer_of(value: SSAValue) -> int | None:
    """The value of an index constant; None for any other value."""
    maker = value.owner
    if isinstance(maker, arith.ConstantOp) and isinstance(maker.value, IntegerAttr):
        return maker.value.value.data
    return None


def sorted_block(block: Block) -> None:
    """Move every op of a block behind the ops that compute its operands. Other ops keep their order."""
    placed: set[Operation] = set()
    order: list[Operation] = []
    for op in block.ops:
        waiting = [op]
        while waiting:
            last = waiting[-1]
            missing = [] if last in placed else [maker for maker in _makers(last, block) if maker not in placed]
            if missing:
                waiting += reversed(missing)
                continue
            waiting.pop()
            if last not in placed:
                placed.add(last)
                order.append(last)
    for op in order:
        op.detach()
        block.add_op(op)


def _makers(op: Operation, block: Block) -> Sequence[Operation]:
    makers: dict[Operation, None] = {}
    for inner in op.walk():
        for operand in inner.operands:
            if isinstance(maker := operand.owner, Operation) and maker.parent is block:
                makers[maker] = None
    makers.pop(op, None)
    return list(makers)
