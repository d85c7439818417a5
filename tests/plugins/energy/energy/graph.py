"""the ops of a program and the values between them, in the language of Graphviz"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation


def write_graph(module: ModuleOp) -> bytes:
    """The graph of a program as Graphviz text: a node for each op with results or operands, and an edge for each
    operand that an op computes.
    """
    ops = {op: number for number, op in enumerate(module.walk()) if op.operands or op.results}
    edges = [
        f"  n{ops[value.owner]} -> n{number};"
        for op, number in ops.items()
        for value in op.operands
        if isinstance(value.owner, Operation)
    ]
    nodes = [f'  n{number} [label="{op.name}"];' for op, number in ops.items()]
    return "\n".join(["digraph program {", *nodes, *edges, "}", ""]).encode()
