"""Scopes of local arrays: an array for the sums of blocks of rows is declared in each loop over blocks that uses it.

C compilers then place the arrays of different loops at one address of the stack.
"""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint

from tinyml.dialects.rewriting import Rewriter
from tinyml.transforms.ir.memory_sums import BLOCK_SUMS


def declare_in_loops(function: func.FuncOp) -> None:
    for array in [op for op in function.walk() if isinstance(op, memref.AllocaOp) and BLOCK_SUMS in op.attributes]:
        _declare_in_loops(array)


def _declare_in_loops(array: memref.AllocaOp) -> None:
    """Replace an array by one array for each block of operations that passes it to a kernel. An array with uses outside
    these blocks is unchanged.
    """
    users = [use.operation for use in array.memref.uses]
    passing = [op for op in users if isinstance(op, func.CallOp | memref.CastOp)]
    blocks = [block for block in dict.fromkeys(op.parent_block() for op in passing) if block is not None]
    within = {user: [block for block in blocks if block.find_ancestor_op_in_block(user) is not None] for user in users}
    if any(len(around) != 1 for around in within.values()):
        return
    own: dict[Block, memref.AllocaOp] = {}
    for block in blocks:
        own[block] = copy = array.clone()
        copy.memref.name_hint = array.memref.name_hint
        first = block.first_op
        assert first is not None
        Rewriter.insert_op(copy, InsertPoint.before(first))
    for use in list(array.memref.uses):
        [block] = within[use.operation]
        use.operation.operands[use.index] = own[block].memref
    Rewriter.erase_op(array)
