"""Sums in memory: accumulators that are too wide for registers. They are values on L3 and arrays on lower levels.

On L3 a sum is a value, and the op that begins it may be anywhere before the use of the sum. In memory a sum is an array
that ops update. Each sum therefore needs a separate op that begins it, and loops carry no sums.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tinyml.dialects import num
from tinyml.dialects.discardable_attributes import UNIT, DiscardableAttribute
from tinyml.dialects.locations import error_at
from tinyml.dialects.rewriting import Rewriter


def begin_each_sum(function: func.FuncOp) -> None:
    """Replace each op that begins a sum in memory by one copy for each use of the sum, directly before the use. Raises
    `InputError` if a use is neither a `num` op nor a loop.
    """
    for op in list(function.walk()):
        if isinstance(op, num.ZeroOp | num.StartOp) and is_in_memory(op.result):
            for use in list(op.result.uses):
                copy = op.clone()
                Rewriter.insert_op(copy, InsertPoint.before(use.operation))
                use.operation.operands[use.index] = copy.results[0]
                if not isinstance(use.operation, num.NumOp | scf.ForOp):
                    raise error_at(use.operation, f"'{use.operation.name}' hands on a sum that lies in memory")
            Rewriter.erase_op(op)


def is_in_memory(sum: SSAValue) -> bool:
    return not num.accumulator_type(sum).IN_REGISTER


def carry_none(function: func.FuncOp) -> None:
    """Remove arrays from the values that loops carry. Each iteration yields the array that it received, so ops in the
    loop can use the array directly.
    """
    # Inner loops first: an outer loop passes on the results of these.
    for op in reversed(list(function.walk())):
        if isinstance(op, scf.ForOp):
            _carry_none(op)


def _carry_none(loop: scf.ForOp) -> None:
    index, *carried = loop.body.block.args
    kept = list[int]()
    for place, (given, inside, result) in enumerate(zip(loop.iter_args, carried, loop.results, strict=True)):
        if isinstance(given.type, MemRefType):
            inside.replace_all_uses_with(given)
            result.replace_all_uses_with(given)
        else:
            kept.append(place)
    yielded = loop.body.block.last_op
    assert isinstance(yielded, scf.YieldOp)
    block = Block(arg_types=[index.type, *(carried[place].type for place in kept)])
    for old, new in zip([index, *(carried[place] for place in kept)], block.args, strict=True):
        old.replace_all_uses_with(new)
        new.name_hint = old.name_hint
    results = [yielded.operands[place] for place in kept]
    Rewriter.erase_op(yielded)
    for op in list(loop.body.block.ops):
        op.detach()
        block.add_op(op)
    block.add_op(scf.YieldOp(*results))
    new = scf.ForOp(loop.lb, loop.ub, loop.step, [loop.iter_args[place] for place in kept], Region(block))
    new.attributes |= loop.attributes
    new.location = loop.location
    Rewriter.insert_op(new, InsertPoint.before(loop))
    for place, result in zip(kept, new.results, strict=True):
        loop.results[place].replace_all_uses_with(result)
        result.name_hint = loop.results[place].name_hint
    Rewriter.erase_op(loop)


BLOCK_SUMS = DiscardableAttribute(
    "tinyml.block_sums",
    {"memref.alloca": UNIT},
    "The array contains the sums of a block of rows, which are stored before they are loaded.",
)


def share_arrays(function: func.FuncOp, arrays: Sequence[memref.AllocaOp]) -> None:
    """Merge arrays of one type into one array if, in the function's body, the last use of each precedes the first use
    of the next.
    """
    body = function.body.block
    places = {op: place for place, op in enumerate(body.ops)}
    free = dict[object, list[tuple[int, memref.AllocaOp]]]()

    def lives(array: Operation) -> tuple[int, int]:
        users = [body.find_ancestor_op_in_block(use.operation) for use in array.results[0].uses]
        at = [places[user] for user in users if user is not None]
        return min(at), max(at)

    for first, last, array in sorted(((*lives(array), array) for array in arrays), key=lambda one: one[:2]):
        known = free.setdefault(array.memref.type, [])
        ready = next((one for one in known if one[0] < first), None)
        if ready is None:
            known.append((last, array))
        else:
            known[known.index(ready)] = last, ready[1]
            array.memref.replace_all_uses_with(ready[1].memref)
            Rewriter.erase_op(array)
