"""Detection of loops whose body may overwrite an iter_arg in place while it computes the next one."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue, Use

from tinyml.dialects import tdsl

FIRST_ITER_ARG = 3
"""The operand of `scf.for` that follows its bounds and its step."""


def writes_in_place(loop: scf.ForOp, position: int) -> bool:
    """True if the op that yields iter_arg `position` may write straight into the buffer of that iter_arg.

    The old value must have its last use before that op, or in it if each element of the result is computed from the old
    element at the same position and from no other.
    """
    body = loop.body.block
    yielded = cast(scf.YieldOp, body.last_op).operands[position]
    producer = yielded.owner
    if not isinstance(producer, tdsl.TensorOp) or producer.parent is not body:
        return False
    if isinstance(producer, tdsl.MovementOp) and producer.MAY_BE_VIEW:
        return False
    order = {op: position for position, op in enumerate(body.ops)}
    old = body.args[1 + position]
    for alias in _aliases(old):
        for use in alias.uses:
            user = use.operation
            if user is producer:
                # An alias of the same type has the same elements at the same positions.
                if alias.type != old.type or not producer.reads_in_place(alias):
                    return False
            elif order[_ancestor(user, loop)] > order[producer]:
                return False
    return True


def _aliases(value: SSAValue) -> list[SSAValue]:
    """A value and all values that may share its buffer: views of it, and values that loops carry from it."""
    aliases = [value]
    for alias in aliases:
        for use in alias.uses:
            aliases.extend(_sharing(use))
    return aliases


def _sharing(use: Use) -> tuple[SSAValue, ...]:
    """The values that may share the buffer of an operand."""
    match use.operation:
        case scf.ForOp() as loop if (position := use.index - FIRST_ITER_ARG) >= 0:
            return loop.body.block.args[1 + position], loop.results[position]
        case tdsl.MovementOp() as movement if movement.MAY_BE_VIEW:
            return (movement.out,)
        case _:
            return ()


def _ancestor(op: Operation, loop: scf.ForOp) -> Operation:
    """The op of the loop's body block that contains an op; the op itself if it is in that block."""
    while op.parent is not loop.body.block:
        op = cast(Operation, op.parent_op())
    return op
