"""Loops with a known number of steps (WHILE), which stay loops, or whose bodies are repeated in the graph.

The condition of such a loop depends only on constants, such as a counter. If the body is not one of a `CountedLoop`,
constants are folded from step to step, so that the counter is a constant in each copy of the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.counted_loops import counted_loop, without_empty_parts
from tinyml.lowering.frontends.tflite.folding import folded
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph

MOST = 10_000
"""The greatest number of steps of a loop, and of operators of a graph with repeated bodies."""


def with_loops(graph: TfliteGraph) -> TfliteGraph:
    """Replace each loop by an operator with the option `loop` (`CountedLoop`), or else by copies of its body.

    Raises `InputError` for an invalid loop, for a loop whose number of steps depends on the input, and for more than
    `MOST` steps of a loop or operators in total.
    """
    graph = folded(graph)
    known: dict[Tensor, Tensor] = {}
    operators: list[Operator] = []
    for op in graph.operators:
        op = replace(op, inputs=[None if tensor is None else known.get(tensor, tensor) for tensor in op.inputs])
        if op.kind != "WHILE":
            operators.append(op)
            continue
        condition, body = _graphs_of(op, graph)
        if (loop := counted_loop(op, condition, body, MOST)) is not None:
            operators += loop.operators
            known |= loop.outputs
        else:
            state, copies = _repeated(op, condition, body, graph)
            operators += copies
            known |= dict(zip(op.outputs, state, strict=True))
        if len(operators) > MOST:
            raise _too_many(op)
    return replace(graph, operators=operators, outputs=[known.get(tensor, tensor) for tensor in graph.outputs])


def _graphs_of(op: Operator, graph: TfliteGraph) -> tuple[TfliteGraph, TfliteGraph]:
    state = [tensor for tensor in op.inputs if tensor is not None]
    condition, body = (graph.called.get(op.options[name]) for name in ("condition", "body"))
    if condition is None or body is None:
        raise InputError(f"{op} calls graphs that the model does not have")
    ends = (state, op.outputs, condition.inputs, body.inputs, body.outputs)
    if len({len(tensors) for tensors in ends}) > 1 or len(condition.outputs) != 1:
        raise InputError(f"{op}: the loop, its condition and its body differ in the number of values")
    return condition, body


def _repeated(
    op: Operator, condition: TfliteGraph, body: TfliteGraph, graph: TfliteGraph
) -> tuple[Sequence[Tensor], list[Operator]]:
    state, operators = [tensor for tensor in op.inputs if tensor is not None], list[Operator]()
    # A graph that calls itself does not find itself.
    inner = {number: inner for number, inner in graph.called.items() if inner is not body}
    for _ in range(MOST):
        test = folded(_copied(condition, state, {}))
        decision = test.outputs[0].data
        if decision is None or test.operators:
            raise InputError(
                f"{op} is not supported: the number of steps must not depend on the input; convert recurrent layers "
                "unrolled; in Keras, LSTM(..., unroll=True)"
            )
        if not decision.all():
            return state, operators
        step = with_loops(_copied(body, state, inner))
        copies, alias = without_empty_parts(step.operators)
        operators += copies
        state = [alias.get(tensor, tensor) for tensor in step.outputs]
        if len(operators) > MOST:
            break
    raise _too_many(op)


def _copied(graph: TfliteGraph, state: Sequence[Tensor], called: Mapping[int, TfliteGraph]) -> TfliteGraph:
    """A copy of a graph with new tensors, whose inputs are the tensors `state`. Constants are shared.

    called: the graphs that the copy may call, by number.
    """
    new: dict[Tensor, Tensor] = dict(zip(graph.inputs, state, strict=True))
    operators: list[Operator] = []
    for op in graph.operators:
        inputs = [None if tensor is None else new.get(tensor, tensor) for tensor in op.inputs]
        new |= {tensor: replace(tensor) for tensor in op.outputs}
        operators.append(replace(op, inputs=inputs, outputs=[new[tensor] for tensor in op.outputs]))
    outputs = [new.get(tensor, tensor) for tensor in graph.outputs]
    return TfliteGraph((), outputs, operators, called=called)


def _too_many(op: Operator) -> InputError:
    return InputError(f"{op}: more than {MOST} steps, or operators in all steps, are not supported")
