"""The order of the ops in a function's block."""

from __future__ import annotations

from xdsl.ir import Operation

from tinyml.transforms.schedules.plans.network import Network


def arrange(network: Network) -> None:
    """Sort the ops of a function into the order of a network's nodes. Each op follows the ops on which it depends."""
    block = network.ops[0][0].parent
    assert block is not None
    *ops, end = block.ops
    of_nodes = {op for group in network.ops for op in group}
    depends: set[Operation] = set()
    """The ops that depend on nodes; they precede the first of their readers. Others stay at the beginning."""
    for op in ops:
        if op in of_nodes or any(value.owner in depends for value in op.operands):
            depends.add(op)
    placed = {op for op in ops if op not in depends}

    def place(op: Operation) -> None:
        if op in placed or op.parent is not block:
            return
        placed.add(op)
        for value in op.operands:
            if isinstance(value.owner, Operation):
                place(value.owner)
        op.detach()
        block.insert_op_before(op, end)

    for group in network.ops:
        for op in group:
            place(op)
    for op in ops:
        place(op)
