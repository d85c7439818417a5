"""The program points before an op at which a buffer is live, computed without the live ranges of other buffers.

A pass that moves buffers one by one needs only the few points around each buffer. The time to compute all live ranges
(`live_ranges.py`) grows with the length of the function.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func, scf
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from tinyml.dialects.scratch import AllocOp, ReuseOp
from tinyml.transforms.buffers.liveness.live_ranges import aliases_of, is_point, loops_around, starts_fresh


def points_before(last: Operation, alloc: AllocOp) -> list[Operation] | None:
    """The program points from the first op that touches a buffer to the point before `last`, which touches the buffer
    too.

    None in these cases: the buffer is an input or has state; only `last` touches the buffer; the buffer is live after
    `last`; the first op that touches it is a branch or is in another block; or a loop contains `last` and its
    iterations do not all overwrite the buffer first.
    """
    memrefs = _same_buffer(alloc.result)
    buffers = [value.owner for value in memrefs if isinstance(value.owner, AllocOp | ReuseOp)]
    # The caller may fill the buffer of the input, and a state is alive throughout.
    if any("input" in buffer.properties or "state" in buffer.properties for buffer in buffers):
        return None
    touching = {use.operation for value in memrefs for use in value.uses if is_point(use.operation)}
    statements = statements_before(last, touching)
    if not statements:
        return None
    first = statements[0]
    if isinstance(first, scf.IfOp):
        return None
    around = next(loops_around(last), None)
    if around is not None:
        touches = [next(op for op in first.walk() if op in touching), *touching]
        fresh = len(buffers) == 1 and starts_fresh(alloc, touches, memrefs)
        if not fresh or not around.is_ancestor(alloc):
            return None
    return [op for statement in statements for op in statement.walk() if is_point(op)]


def statements_before(last: Operation, ops: Iterable[Operation]) -> list[Operation] | None:
    """The ops of the block of `last`, from the first op that is or contains one of `ops` to the op before `last`.

    None if one of `ops` is outside the block or after `last`.
    """
    block = last.parent
    assert block is not None
    waiting = {block.find_ancestor_op_in_block(op) for op in ops} - {last}
    statements: list[Operation] = []
    at = last.prev_op
    while waiting and at is not None:
        waiting.discard(at)
        statements.append(at)
        at = at.prev_op
    return None if waiting else statements[::-1]


def _same_buffer(buffer: SSAValue) -> set[SSAValue]:
    """The memrefs that may be the given buffer: its views, and the memrefs by which loops and branches carry it."""
    known, waiting = {buffer}, [buffer]
    while waiting:
        value = waiting.pop()
        passing = [value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()]
        for use in value.uses:
            passing.append(use.operation)
            if use.operation.has_trait(IsTerminator):
                passing.append(use.operation.parent_op())
        for op in passing:
            if op is not None and not isinstance(op, func.FuncOp):
                aliases = aliases_of(op)
                waiting += [alias for alias in aliases if alias not in known]
                known.update(aliases)
    return known
