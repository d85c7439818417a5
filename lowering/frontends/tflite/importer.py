"""Import of a TensorFlow Lite model: a quantised model at L1 with the file's scales and zero points, a float model at
L0.

The program computes the same bytes as TensorFlow Lite Micro. The interface describes the conversions of inputs and
outputs. If the model begins with QUANTIZE and ends with DEQUANTIZE, the function accepts and returns raws. If the model
begins with a TRANSPOSE that moves channels to the end, the function accepts the transposed image, and the interface
declares the order of the axes. Data sets keep the order of the file.

The names of operators in the file select their importers. A tensor has the quantisation that the file declares, or is a
float tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.scratch.types import storage_of
from tinyml.lowering.frontends.layers.model_builder import DeclaredPart, signed
from tinyml.lowering.frontends.layers.sequences import loop_over_steps
from tinyml.lowering.frontends.tflite.advice import advice
from tinyml.lowering.frontends.tflite.builder import (
    WIDE,
    GraphBuilder,
    activation_format,
    element,
    is_unsigned,
    is_wide,
    require_scales,
)
from tinyml.lowering.frontends.tflite.counted_loops import CountedLoop
from tinyml.lowering.frontends.tflite.dilations import dilated
from tinyml.lowering.frontends.tflite.folding import folded
from tinyml.lowering.frontends.tflite.integers import in_reals
from tinyml.lowering.frontends.tflite.keras_layers import in_order, input_name
from tinyml.lowering.frontends.tflite.loops import with_loops
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph, read_graph
from tinyml.lowering.frontends.tflite.normalisations import normalised
from tinyml.lowering.frontends.tflite.operands import integers_of
from tinyml.lowering.frontends.tflite.operator_table import MOVES, OPERATORS
from tinyml.lowering.frontends.tflite.package_ops import import_by_package
from tinyml.lowering.frontends.tflite.variables import Variables
from tinyml.transforms.reals.roll_steps import roll_steps


def read_tflite(content: bytes, file: str) -> ModuleOp:
    """Import the content of a file. Raises `InputError` for a damaged file and for unsupported content."""
    try:
        graph = read_graph(content, file)
        if graph.called:
            graph = with_loops(graph)
        graph = folded(graph)
        inputs = in_order([tensor for tensor in graph.inputs if not _is_shape(graph, tensor)])
        graph = replace(graph, inputs=inputs)
        graph, labels = _with_scores(graph)
        module = _import(_joined(graph), file, labels)
    except InputError as error:
        raise InputError(error.message, file=file) from error
    roll_steps(module)
    return module


def _joined(graph: TfliteGraph) -> TfliteGraph:
    """The graph with single operators in place of the operators by which converters write a dilated convolution or
    a normalisation, and with reals in place of computed integers.
    """
    kinds = {op.kind for op in graph.operators}
    if "SPACE_TO_BATCH_ND" in kinds:
        graph = dilated(graph)
    if not kinds.isdisjoint(("EXP", "RSQRT", "SQRT")):
        graph = normalised(graph)
    computed = (*graph.inputs, *(tensor for op in graph.operators for tensor in op.outputs))
    if "CAST" in kinds or any(tensor.dtype in ("bool", "int32", "int64") for tensor in computed):
        graph = in_reals(graph)
    return graph


def _with_scores(graph: TfliteGraph) -> tuple[TfliteGraph, Sequence[int]]:
    """Replace each output that is the index of the greatest element of one vector by this vector. Return the graph,
    and the positions of these outputs.
    """
    producers = {tensor: op for op in graph.operators if op.kind == "ARG_MAX" for tensor in op.outputs}
    outputs, labels = [*graph.outputs], list[int]()
    for position, tensor in enumerate(graph.outputs):
        op = producers.get(tensor)
        scores = None if op is None else op.inputs[0]
        if op is None or scores is None or any(tensor in user.inputs for user in graph.operators):
            continue
        axis = op.inputs[1] if len(op.inputs) > 1 else None
        along = int(axis.data.item()) if axis is not None and axis.data is not None and axis.data.size == 1 else None
        rank = len(scores.shape)
        single = along is not None and -rank <= along < rank and scores.shape[along] == prod(scores.shape)
        if single and list(graph.outputs).count(tensor) == 1:
            outputs[position] = scores
            labels.append(position)
    dropped = {producers[graph.outputs[position]] for position in labels}
    operators = [op for op in graph.operators if op not in dropped]
    return replace(graph, operators=operators, outputs=outputs), labels


def _import(graph: TfliteGraph, file: str, labels: Sequence[int]) -> ModuleOp:
    to = GraphBuilder(file)
    with to.importing(""):
        variables = Variables(graph)
    kept = variables.are_kept
    if not graph.inputs or not graph.outputs:
        raise InputError(f"expected inputs and outputs, got {len(graph.inputs)} and {len(graph.outputs)}")
    for tensor in (*filter(is_wide, graph.inputs), *filter(is_unsigned, graph.outputs)):
        raise InputError(f"{tensor} is an input of {WIDE} bits or an output of 16 bits without a sign: not supported")
    alone = len(graph.inputs) == 1
    with to.importing(""):
        entrances = [_entrance(graph, tensor, moved=alone and not kept) for tensor in graph.inputs]
        if not alone and len({storage_of(element(tensor)) for tensor, *_ in entrances}) > 1:
            entrances = [(tensor, None, set[Operator]()) for tensor in graph.inputs]
    exits = [_exit(graph, tensor) for tensor in graph.outputs]
    skipped = {op for _, op in exits if op is not None}.union(*(ops for *_, ops in entrances))
    outputs = [tensor for tensor, _ in exits]

    def step() -> None:
        for op in graph.operators:
            if op not in skipped:
                _append(to, op, variables)

    def results() -> list[SSAValue]:
        values = [to.value(tensor) for tensor in outputs]
        for position in labels:
            values[position] = to.emit(tdsl.ArgmaxOp, values[position]).result
        return sorted(values, key=lambda value: isinstance(value.type, TensorType))

    with to.importing(""):
        if not alone:
            parts = _parts(to, graph.inputs, [tensor for tensor, *_ in entrances], kept=kept)
            step()
            module = to.module(results())
            tdsl.update_input(module, parts=parts)
            return module
        [(entrance, order, _)] = entrances
        if kept:
            if labels:
                raise InputError(f"a model that keeps a state returns no index: {advice('ARG_MAX')}")
            module = to.module(variables.loop(to, entrance, outputs, step))
            tdsl.update_input(module, pushed=variables.pushes(prod(entrance.shape)))
            return module
        to.values[entrance] = to.argument(TensorType(element(entrance), entrance.shape), "x")
        step()
        module = to.module(results())
        tdsl.update_input(module, order=order)
        return module


def _is_shape(graph: TfliteGraph, tensor: Tensor) -> bool:
    """Whether an input is used only as the shape operand of transposed convolutions. Such a shape is known during
    import.
    """
    users = [op for op in graph.operators if tensor in op.inputs]
    shapes = all(op.kind == "TRANSPOSE_CONV" and op.inputs.index(tensor) == 0 for op in users)
    return tensor.dtype == "int32" and bool(users) and shapes


def _parts(
    to: GraphBuilder, inputs: Sequence[Tensor], entrances: Sequence[Tensor], *, kept: bool
) -> tuple[DeclaredPart, ...]:
    """Define the model's inputs as slices of one function argument. Return their declarations.

    entrances: the tensor that the program accepts for each input.
    kept: whether the model keeps a state between inferences.
    """
    if kept:
        raise InputError(f"a model that keeps a state takes one input, this one has {len(inputs)}")
    elements = [element(tensor) for tensor in entrances]
    if len({storage_of(format) for format in elements}) > 1:
        kinds = ", ".join(f"{tensor} of {tensor.dtype}" for tensor in entrances)
        raise InputError(f"expected inputs of one type, got {kinds}: convert the model in floats")
    values, parts = to.inputs(elements, [*map(input_name, inputs)], [tensor.shape for tensor in entrances])
    to.values |= dict(zip(entrances, values, strict=True))
    return parts


def _entrance(
    graph: TfliteGraph, tensor: Tensor, *, moved: bool
) -> tuple[Tensor, tuple[int, ...] | None, set[Operator]]:
    """Determine the tensor that the program accepts for an input of the model. Return this tensor, the order of the
    file's axes in it, and the operators before it that the program omits.

    The omitted operators quantise the input or move its channels to the end; the caller passes the input in that
    form. The order is None if no operator moves channels to the end.

    moved: false for inputs that keep the file's order, which are the frames of a stream, and each of several inputs.
    """
    order, skipped = None, set[Operator]()
    while tensor not in graph.outputs:
        users = [op for op in graph.operators if tensor in op.inputs]
        if len(users) != 1 or len(users[0].outputs) != 1 or users[0] in skipped:
            break
        [user] = users
        rank = len(tensor.shape)
        last = tdsl.channels_last(rank)
        moves = user.kind == "TRANSPOSE" and rank in (3, 4) and integers_of(user, 1, "the permutation") == [*last]
        if moved and moves and order is None:
            order = last
        elif not (user.kind == "QUANTIZE" and tensor.dtype == "float32"):
            break
        skipped.add(user)
        tensor = user.outputs[0]
    return tensor, order, skipped


def _exit(graph: TfliteGraph, tensor: Tensor) -> tuple[Tensor, Operator | None]:
    """Return the tensor that the program returns for an output of the model, and the final DEQUANTIZE that the program
    omits. The latter is None if no DEQUANTIZE computes the output, or if an operator reads the output.
    """
    for op in graph.operators:
        source = op.inputs[0] if op.inputs else None
        if op.kind == "DEQUANTIZE" and tensor in op.outputs and source is not None:
            others = [user for user in graph.operators if tensor in user.inputs]
            return (tensor, None) if others else (source, op)
    return tensor, None


def _append_loop(to: GraphBuilder, op: Operator, loop: CountedLoop, variables: Variables) -> None:
    """Append the loop of a WHILE, whose iter_args are the carried tensors."""
    body = _joined(folded(loop.body))
    begun = [_begun(to, tensor) for _, tensor in zip(op.outputs, op.inputs, strict=False) if tensor is not None]
    for inner, tensor in zip(loop.body.inputs[len(begun) :], op.inputs[len(begun) :], strict=True):
        if tensor is not None:
            to.values[inner] = to.value(tensor)

    def step(time: SSAValue, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        outside, to.time = to.time, time
        to.values |= dict(zip(loop.body.inputs, carried, strict=False))
        for inner in body.operators:
            _append(to, inner, variables)
        to.time = outside
        return [to.value(tensor) for tensor in body.outputs]

    results = loop_over_steps(to, loop.steps, begun, step)
    for output, result in zip(op.outputs, results, strict=True):
        to.define(output, result)


def _begun(to: GraphBuilder, tensor: Tensor) -> SSAValue:
    """The initial value of a carried tensor. A constant of equal elements occupies no flash."""
    if tensor.data is None or (tensor.data != tensor.data.flat[0]).any():
        return to.value(tensor)
    format = activation_format(tensor)
    filling = float(format.decode(signed(tensor.data)).flat[0])
    return to.op(tdsl.FillOp, filling, TensorType(format.type, tensor.shape))


def _append(to: GraphBuilder, op: Operator, variables: Variables) -> None:
    if variables.owns(op):
        with to.importing(str(op)):
            variables.apply(to, op)
        return
    if (loop := op.options.get("loop")) is not None:
        with to.importing(str(op)):
            _append_loop(to, op, loop, variables)
        return
    if op.kind not in OPERATORS:
        with to.importing(str(op)):
            if import_by_package(to, op):
                return
        raise InputError(f"{op} is not supported: {advice(op.kind)}")
    if not op.outputs:
        raise InputError(f"{op} has no output")
    with to.importing(str(op)):
        if op.kind not in MOVES:
            require_scales(op)
        OPERATORS[op.kind](to, op)
