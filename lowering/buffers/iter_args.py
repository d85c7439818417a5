"""Loops whose body may overwrite an iter_arg in place while it computes the next one."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue, Use

from tinyml.dialects import tdsl


def writes_in_place(loop: scf.ForOp, position: int) -> bool:
    """True if the op that yields iter_arg `position` may write straight into the buffer of that iter_arg.

    That is so if the old value has its last use before that op, or in it if each element of the result is computed from
    the old element at the same position and from nothing else of the old value.
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
                if alias is not old or not producer.reads_in_place(old):
                    return False
            elif order[_ancestor(user, loop)] > order[producer]:
                return False
    return True


def _aliases(value: SSAValue) -> list[SSAValue]:
    """A value and everything that may become a view of it."""
    aliases = [value]
    for alias in aliases:
        aliases.extend(view.out for view in map(_view, alias.uses) if view is not None)
    return aliases


def _view(use: Use) -> tdsl.MovementOp | None:
    """The user of a value if its result may become a view of that value."""
    user = use.operation
    return user if isinstance(user, tdsl.MovementOp) and user.MAY_BE_VIEW else None


def _ancestor(op: Operation, loop: scf.ForOp) -> Operation:
    """The op in the loop's body block that contains an op, or is it."""
    while op.parent is not loop.body.block:
        op = cast(Operation, op.parent_op())
    return op
