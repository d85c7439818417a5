"""Scan as a loop with the states as iter_args."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import hint
from tinyml.lowering.frontends.layers.ordered_tensor import OrderedTensor
from tinyml.lowering.frontends.onnx.building.builder import Builder
from tinyml.lowering.frontends.onnx.building.handlers import Inputs, RunGraph, handles_loop, needed
from tinyml.lowering.frontends.onnx.building.values import Constant, Value
from tinyml.lowering.frontends.onnx.model.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops.movement import axis_of

Body: TypeAlias = Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""Emits one iteration: from its number and the carried tensors to the next ones, then the parts of sequences."""


def loop(to: Builder, trips: int, carried: Sequence[SSAValue], body: Body) -> Sequence[SSAValue]:
    """A loop that counts from 0; returns the carried tensors after the last iteration, then the sequences of parts.

    A sequence has the parts of all iterations along its first axis.
    """
    start, stop, step = (to.index(bound) for bound in (0, trips, 1))
    outer, to.block = to.block, Block(arg_types=[IndexType(), *(value.type for value in carried)])
    inner = to.block
    sequences: list[SSAValue] = []
    try:
        results = list(body(inner.args[0], inner.args[1:]))
        for before, after in zip(carried, results, strict=False):
            if shape_of(before) != shape_of(after):
                raise to.error(f"a state of shape {list(shape_of(before))} becomes {list(shape_of(after))}")
        for position in range(len(carried), len(results)):
            to.block = outer
            sequences.append(to.fill(0.0, (trips, *shape_of(results[position]))))
            to.block = inner
            whole = inner.insert_arg(sequences[-1].type, len(inner.args))
            results[position] = _insert_step(to, results[position], whole, inner.args[0])
        inner.add_op(scf.YieldOp(*results))
    finally:
        to.block = outer
    return to.emit(scf.ForOp, start, stop, step, [*carried, *sequences], inner).results


def initial_state(to: Builder, value: Value) -> SSAValue:
    """The initial tensor of a loop; a tensor of equal elements is filled, not stored."""
    if isinstance(value, Constant) and value.array.size and (value.array == value.array.flat[0]).all():
        return to.fill(float(value.array.flat[0]), value.shape)
    return to.tensor(value)


def by_step(to: Builder, value: OrderedTensor | Constant, axis: int, backwards: bool) -> SSAValue:
    """A sequence with the steps on the first axis, in the order in which a loop takes them."""
    rank = len(value.shape)
    steps = to.ordered(value, (axis, *(each for each in range(rank) if each != axis)))
    return to.op(tdsl.ReverseOp, steps, 0) if backwards else steps


def _insert_step(to: Builder, part: SSAValue, whole: SSAValue, step: SSAValue) -> SSAValue:
    """A sequence with one step replaced."""
    shape = shape_of(part)
    return to.op(tdsl.InsertSliceOp, to.reshape(part, (1, *shape)), whole, [step, *(to.index(0) for _ in shape)])


@handles_loop("Scan")
def scan(to: Builder, node: OnnxNode, inputs: Inputs, run: RunGraph) -> Sequence[Value]:
    """Scan of opset 9 and newer: states first, then sequences; a sequence that nobody reads is not stored."""
    graph, sequences = node.graph("body"), node.integer("num_scan_inputs")
    states = len(inputs) - sequences
    outputs = len(graph.outputs) - states
    if sequences < 1 or states < 0 or outputs < 0 or len(graph.inputs) != len(inputs):
        raise node.error(f"{len(inputs)} inputs, {sequences} of them sequences, do not fit its body")
    values = [to.numbers(needed(to, inputs, position)) for position in range(states, len(inputs))]
    axes = node.integers("scan_input_axes", (0,) * sequences)
    directions = node.integers("scan_input_directions", (0,) * sequences)
    out_axes = node.integers("scan_output_axes", (0,) * outputs)
    out_directions = node.integers("scan_output_directions", (0,) * outputs)
    if (len(axes), len(directions), len(out_axes), len(out_directions)) != (sequences, sequences, outputs, outputs):
        raise node.error("a list of axes or directions has the wrong length")
    axes = [axis_of(node, axis, len(value.shape)) for axis, value in zip(axes, values, strict=True)]
    lengths = {value.shape[axis] for axis, value in zip(axes, values, strict=True)}
    if len(lengths) > 1:
        raise node.error(f"its sequences differ in length: {sorted(lengths)}")
    [trips] = lengths
    taken = [
        by_step(to, value, axis, bool(backwards))
        for value, axis, backwards in zip(values, axes, directions, strict=True)
    ]
    carried = [initial_state(to, needed(to, inputs, position)) for position in range(states)]
    wanted = [number for number, name in enumerate(node.outputs[states:]) if name]

    def body(step: SSAValue, current: Sequence[SSAValue]) -> Sequence[SSAValue]:
        hint(step, "t")
        steps = [to.op(tdsl.IndexOp, sequence, step) for sequence in taken]
        for value, declared in zip([*current, *steps], graph.inputs, strict=True):
            hint(value, declared.name)
        after = run(graph, [OrderedTensor.plain(value) for value in (*current, *steps)])
        return [to.tensor(value) for value in (*after[:states], *(after[states + number] for number in wanted))]

    results: list[Value] = [OrderedTensor.plain(value) for value in loop(to, trips, carried, body)]
    made = dict(zip(wanted, results[states:], strict=True))
    nothing = Constant(np.zeros(0, np.float32))
    sequences_made = (
        _placed(to, node, cast(OrderedTensor, made[number]), out_axes[number], bool(out_directions[number]))
        if number in made
        else nothing
        for number in range(outputs)
    )
    return [*results[:states], *sequences_made]


def _placed(to: Builder, node: OnnxNode, sequence: OrderedTensor, axis: int, backwards: bool) -> OrderedTensor:
    """A sequence with the steps on some axis of the model's tensor, and perhaps in the opposite order."""
    rank = len(sequence.shape)
    axis = axis_of(node, axis, rank)
    value = to.op(tdsl.ReverseOp, sequence.value, 0) if backwards else sequence.value
    return OrderedTensor(value, (axis, *(each for each in range(rank) if each != axis)))
