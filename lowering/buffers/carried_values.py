"""When a loop's new carried value may overwrite the old one as it is computed."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tinyml.dialects import tdsl

_MAY_ALIAS = (tdsl.ReshapeOp, tdsl.TransposeOp, tdsl.IndexOp, tdsl.SliceOp)


def writes_in_place(loop: scf.ForOp, position: int) -> bool:
    """Can the op that yields carried value `position` write straight into the carried buffer?

    It can if the old value has its last use before that op, or in it where each element of the result is computed
    from the old element at the same place and nothing else of the old value.
    """
    body = loop.body.block
    yielded = cast(scf.YieldOp, body.last_op).operands[position]
    producer = yielded.owner
    if not isinstance(producer, tdsl.TensorOp) or producer.parent is not body or isinstance(producer, _MAY_ALIAS):
        return False
    order = {op: place for place, op in enumerate(body.ops)}
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
    """The value and everything that may become a view into it."""
    found = [value]
    for one in found:
        found.extend(use.operation.out for use in one.uses if isinstance(use.operation, _MAY_ALIAS))
    return found


def _ancestor(op: Operation, loop: scf.ForOp) -> Operation:
    """The op directly in the loop's body that contains an op."""
    while op.parent is not loop.body.block:
        op = cast(Operation, op.parent_op())
    return op
