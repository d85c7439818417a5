"""Import of TensorFlow Lite operators on floats as ONNX ops.

The ONNX importer emits the program for these ops, so that a layer has the same meaning in all file formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from xdsl.dialects.builtin import LocationAttr
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.lookups import gathered
from tinyml.lowering.frontends.layers.model_builder import OrderedTensor
from tinyml.lowering.frontends.onnx.builder import HANDLERS, Builder, Constant, Value
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.onnx.ops import load_handlers
from tinyml.lowering.frontends.tflite.builder import GraphBuilder
from tinyml.lowering.frontends.tflite.model import Operator, Tensor
from tinyml.lowering.frontends.tflite.normalisations import AXIS_SOFTMAX, LAYER_NORMALIZATION
from tinyml.lowering.frontends.tflite.operands import axis_in, input_of

OPSET = 18
"""The opset of the ONNX nodes, in which the axes of reductions are inputs."""


@dataclass(frozen=True)
class _Node(OnnxNode):
    """An ONNX node made from an operator of TensorFlow Lite. Errors name the operator."""

    source: Operator = field(kw_only=True)

    def error(self, message: str) -> InputError:
        return InputError(f"{self.source}: {message}")


class NodeBuilder(Builder):
    """The builder for the ONNX importer's handlers. It appends to the program of a TensorFlow Lite graph."""

    def __init__(self, graph: GraphBuilder):
        super().__init__(graph.file)
        load_handlers()
        self.graph, self.entry, self._constants = graph, graph.entry, graph._constants

    @property
    def location(self) -> LocationAttr:
        return self.graph.location

    def error(self, message: str) -> InputError:
        return self.graph.error(message)


class Writer:
    """A writer of the ONNX nodes that are equivalent to an operator."""

    def __init__(self, to: GraphBuilder, op: Operator):
        self.to = to.nodes = to.nodes or NodeBuilder(to)
        self.to.block, self.op = to.block, op

    def __call__(self, name: str, *inputs: Value | None, **attributes: Any) -> Value:
        """Run the ONNX handler of the op `name`, which has one output, and return the output."""
        result = self._run(name, inputs, ("",), attributes)
        assert not isinstance(result, Sequence)
        return result

    def several(
        self, name: str, inputs: Sequence[Value | None], outputs: Sequence[str], **attributes: Any
    ) -> Sequence[Value]:
        """Run the ONNX handler of an op with several outputs, and return them.

        outputs: the names of the outputs; empty for outputs without a use.
        """
        result = self._run(name, inputs, outputs, attributes)
        assert isinstance(result, Sequence)
        return result

    def _run(
        self, name: str, inputs: Sequence[Value | None], outputs: Sequence[str], attributes: Mapping[str, Any]
    ) -> Value | Sequence[Value]:
        self.to.node = _Node(name, "", OPSET, str(self.op), (), tuple(outputs), attributes, "", source=self.op)
        return HANDLERS["", name](self.to, self.to.node, inputs)

    def axes(self, position: int) -> Constant:
        """The integers of the constant input at `position`, such as axes."""
        tensor = input_of(self.op, position)
        if tensor.data is None or tensor.data.dtype.kind not in "iu":
            raise VerifyException(f"{tensor} must be a constant of integers")
        return integers(tensor.data)


Meaning: TypeAlias = Callable[[Writer, Sequence[Value]], Value]
"""A function that appends the nodes of an operator for given operands and returns the result."""


def integers(numbers: Any) -> Constant:
    return Constant(np.asarray(numbers, np.int64))


def value_of(to: GraphBuilder, tensor: Tensor) -> Value:
    if tensor.data is not None:
        return Constant(tensor.data, tensor.name)
    return OrderedTensor.plain(to.value(tensor))


def by_meaning(to: GraphBuilder, op: Operator) -> None:
    """Import an operator on floats by its entry in `MEANINGS`, followed by its fused activation."""
    output = op.outputs[0]
    for tensor in (*filter(None, op.inputs), output):
        if tensor.dtype != "float32" and tensor.data is None:
            raise VerifyException(
                "a quantised one is not supported: keep the layer in floats, or give formats to a model in floats"
            )
    values = [value_of(to, tensor) for tensor in op.inputs if tensor is not None]
    write = Writer(to, op)
    result = write.to.tensor(MEANINGS[op.kind](write, values))
    to.define(output, to.activated(to.reshape(result, output.shape), op.options.get("activation", "NONE")))


def gather(to: GraphBuilder, op: Operator) -> None:
    """Import GATHER at constant or computed indices. Any number format is supported, since elements only move."""
    if op.options["batch_dims"]:
        raise VerifyException("batches of indices are not supported")
    x, indices = input_of(op, 0), input_of(op, 1)
    if indices.data is None:
        axis = axis_in(op.options["axis"], len(x.shape))
        elements = gathered(to, OrderedTensor.plain(to.value(x)), axis, to.value(indices), wraps=False)
        to.define(op.outputs[0], to.reshape(elements.value, op.outputs[0].shape))
        return
    write = Writer(to, op)
    elements = write("Gather", OrderedTensor.plain(to.value(input_of(op, 0))), write.axes(1), axis=op.options["axis"])
    to.define(op.outputs[0], write.to.tensor(elements))


def _same(name: str, **attributes: Any) -> Meaning:
    def write_op(write: Writer, values: Sequence[Value]) -> Value:
        return write(name, *values, **attributes)

    return write_op


def _reduced(name: str) -> Meaning:
    def write_op(write: Writer, values: Sequence[Value]) -> Value:
        return write(name, values[0], write.axes(1), keepdims=1)

    return write_op


def _square(write: Writer, values: Sequence[Value]) -> Value:
    return write("Mul", values[0], values[0])


def _squared_difference(write: Writer, values: Sequence[Value]) -> Value:
    return _square(write, [write("Sub", *values)])


def _gelu(write: Writer, values: Sequence[Value]) -> Value:
    return write("Gelu", *values, approximate="tanh" if write.op.options["approximate"] else "none")


def _batch_matmul(write: Writer, values: Sequence[Value]) -> Value:
    operands = [
        write("Transpose", value, perm=(*range(len(value.shape) - 2), len(value.shape) - 1, len(value.shape) - 2))
        if write.op.options[name]
        else value
        for value, name in zip(values, ("adj_x", "adj_y"), strict=True)
    ]
    return write("MatMul", *operands)


def _resized(write: Writer, values: Sequence[Value]) -> Value:
    options = write.op.options
    mode = "half_pixel" if options["half_pixel_centers"] else "asymmetric"
    if options["align_corners"]:
        mode = "align_corners"
    sizes = write.axes(1).array
    if sizes.shape != (2,) or sizes.min() < 1 or len(values[0].shape) != 4:
        raise VerifyException(f"expected an image of rank 4 and its new height and width, got {sizes.tolist()}")
    omitted = None, None, integers(sizes)
    return write("Resize", values[0], *omitted, axes=(1, 2), mode="linear", coordinate_transformation_mode=mode)


def _layer_normalization(write: Writer, values: Sequence[Value]) -> Value:
    options = write.op.options
    name = "LayerNormalization" if options["centred"] else "RMSNormalization"
    described = {name: options[name] for name in ("axes", "epsilon")}
    return write(name, *values, total=int(options["total"]), **described)


def _softmax(write: Writer, values: Sequence[Value]) -> Value:
    return write("Softmax", values[0], axis=write.op.options["axis"])


MEANINGS: dict[str, Meaning] = {
    "ABS": _same("Abs"),
    AXIS_SOFTMAX: _softmax,
    "BATCH_MATMUL": _batch_matmul,
    "DIV": _same("Div"),
    "ELU": _same("Elu"),
    "EXP": _same("Exp"),
    "GELU": _gelu,
    LAYER_NORMALIZATION: _layer_normalization,
    "LOG": _same("Log"),
    "LOG_SOFTMAX": _same("LogSoftmax", axis=-1),
    "NEG": _same("Neg"),
    "POW": _same("Pow"),
    "PRELU": _same("PRelu"),
    "REDUCE_MIN": _reduced("ReduceMin"),
    "RESIZE_BILINEAR": _resized,
    "SQUARE": _square,
    "SQUARED_DIFFERENCE": _squared_difference,
    "SUM": _reduced("ReduceSum"),
}
"""For each operator on floats, the rule that converts it to ONNX nodes."""
