"""Small models in TensorFlow Lite's format, written with the package of its schema, and their results by TFLM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tinyml.lowering.frontends.tflite.model import read_graph

# These packages have no types.
flatbuffers: Any = import_module("flatbuffers")
tflite: Any = import_module("tflite")
runtime: Any = import_module("tflite_micro.python.tflite_micro.runtime")

TYPES = {
    np.dtype(name): getattr(tflite.TensorType, name.upper())
    for name in ("float32", "int32", "int64", "int16", "int8", "uint8", "bool")
}
TYPES[np.dtype(object)] = tflite.TensorType.RESOURCE

OPTIONS = {
    "ADD": "AddOptions",
    "ARG_MAX": "ArgMaxOptions",
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "BATCH_MATMUL": "BatchMatMulOptions",
    "CALL_ONCE": "CallOnceOptions",
    "CAST": "CastOptions",
    "CONCATENATION": "ConcatenationOptions",
    "CONV_2D": "Conv2DOptions",
    "DEPTH_TO_SPACE": "DepthToSpaceOptions",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions",
    "FULLY_CONNECTED": "FullyConnectedOptions",
    "GATHER": "GatherOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "LEAKY_RELU": "LeakyReluOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "MEAN": "ReducerOptions",
    "MIRROR_PAD": "MirrorPadOptions",
    "MUL": "MulOptions",
    "PACK": "PackOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "RESIZE_BILINEAR": "ResizeBilinearOptions",
    "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions",
    "SOFTMAX": "SoftmaxOptions",
    "SPACE_TO_DEPTH": "SpaceToDepthOptions",
    "SPLIT": "SplitOptions",
    "STRIDED_SLICE": "StridedSliceOptions",
    "SUB": "SubOptions",
    "SVDF": "SVDFOptions",
    "SUM": "ReducerOptions",
    "SPLIT_V": "SplitVOptions",
    "TRANSPOSE_CONV": "TransposeConvOptions",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTMOptions",
    "UNPACK": "UnpackOptions",
    "VAR_HANDLE": "VarHandleOptions",
    "WHILE": "WhileOptions",
}
"""The table of options of each operator that has any."""


SAME, VALID = 0, 1
"""Paddings by the schema's numbers."""

NONE, RELU, RELU_N1_TO_1, RELU6 = range(4)
"""Fused activations by the schema's numbers."""


@dataclass(frozen=True)
class Spec:
    """A tensor of a model.

    scales: one scale, or one for each index along `axis`; None for floats.
    data: the content of a constant; None for a computed tensor.
    signature: the shape with -1 for unspecified extents; None if all are specified.
    kept: True for a state, which persists from one inference to the next.
    zero_point: the raw of zero.
    sparse: True to declare that the content is stored without zeros.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    scales: Sequence[float] | None
    zero_point: int
    axis: int
    data: NDArray[Any] | None
    signature: tuple[int, ...] | None = None
    kept: bool = False
    sparse: bool = False


@dataclass
class TfliteModel:
    """A model under construction. Tensors are identified by their indices.

    tensors: the tensors, in the order of their indices.
    operators: for each operator, its name, the indices of its inputs and outputs, and its options.
    beginning: the graph that a CALL_ONCE runs before the first inference, if there are variables.
    called: other graphs, each with its inputs and outputs, such as the condition and the body of a loop.
    """

    tensors: list[Spec] = field(default_factory=list[Spec])
    operators: list[tuple[str, Sequence[int], Sequence[int], dict[str, Any]]] = field(
        default_factory=list[tuple[str, Sequence[int], Sequence[int], dict[str, Any]]]
    )
    beginning: TfliteModel | None = None
    called: list[tuple[TfliteModel, Sequence[int], Sequence[int]]] = field(
        default_factory=list[tuple["TfliteModel", Sequence[int], Sequence[int]]]
    )

    def tensor(
        self,
        shape: Sequence[int],
        dtype: str = "int8",
        scales: float | Sequence[float] | None = None,
        zero_point: int = 0,
        axis: int = 0,
        data: NDArray[Any] | None = None,
        signature: tuple[int, ...] | None = None,
        kept: bool = False,
        sparse: bool = False,
    ) -> int:
        """Add a tensor and return its index.

        scales, zero_point, axis, data, signature, kept, sparse: as in `Spec`.
        """
        listed = [float(scales)] if isinstance(scales, float | int) else scales
        self.tensors.append(
            Spec(np.dtype(dtype), tuple(shape), listed, zero_point, axis, data, signature, kept, sparse)
        )
        return len(self.tensors) - 1

    def constant(self, data: Any, dtype: str = "int32", **quantization: Any) -> int:
        """Add a constant and return its index.

        dtype: the type of the elements.
        quantization: further arguments of `tensor`.
        """
        array = np.array(data, dtype)
        return self.tensor(array.shape, dtype, data=array, **quantization)

    def op(self, kind: str, inputs: Sequence[int], output: int | Sequence[int], **options: Any) -> None:
        """Add an operator.

        kind: the name of the operator, such as `ADD` or `CUSTOM name`.
        options: the options by their names in the schema; `custom` contains the bytes of a custom operator's options.
        inputs, output: the indices of tensors.
        """
        outputs = [output] if isinstance(output, int) else output
        self.operators.append((kind, inputs, outputs, options))

    def variable(self, name: str, shape: Sequence[int], dtype: str, data: Any, **quantization: Any) -> int:
        """Add a variable with the given initial raws, and return the index of its handle.

        data: the initial raws, in a shape that broadcasts to `shape`.
        quantization: as for `constant`.
        """
        if self.beginning is None:
            self.beginning = TfliteModel()
            self.op("CALL_ONCE", [], [], InitSubgraphIndex=1)
        given = np.broadcast_to(np.array(data, dtype), shape)
        begun, value = self.beginning.handle(name), self.beginning.constant(given, dtype, **quantization)
        self.beginning.op("ASSIGN_VARIABLE", [begun, value], [])
        return self.handle(name)

    def handle(self, name: str) -> int:
        """Add a handle of the variable `name`, and return its index."""
        handle = self.tensor((), "object")
        self.op("VAR_HANDLE", [], handle, SharedName=name)
        return handle

    def finish(self, inputs: Sequence[int], outputs: Sequence[int]) -> bytes:
        """The bytes of the model's file.

        inputs, outputs: the indices of the tensors that are inputs and outputs of the model.
        """
        b = flatbuffers.Builder(1024)
        given = [(self, inputs, outputs), *([(self.beginning, (), ())] if self.beginning is not None else [])]
        given += self.called
        kinds = sorted({kind for graph, *_ in given for kind, *_ in graph.operators})
        codes = [self._code(b, kind) for kind in kinds]
        tflite.BufferStart(b)
        buffers = [tflite.BufferEnd(b)]
        graphs = self._offsets(b, [graph._graph(b, kinds, buffers, *ends) for graph, *ends in given])
        codes, buffers = (self._offsets(b, items) for items in (codes, buffers))
        description = b.CreateString("a test")
        tflite.ModelStart(b)
        tflite.ModelAddVersion(b, 3)
        tflite.ModelAddOperatorCodes(b, codes)
        tflite.ModelAddSubgraphs(b, graphs)
        tflite.ModelAddDescription(b, description)
        tflite.ModelAddBuffers(b, buffers)
        b.Finish(tflite.ModelEnd(b), b"TFL3")
        return bytes(b.Output())

    def _graph(
        self, b: Any, kinds: list[str], buffers: list[int], inputs: Sequence[int], outputs: Sequence[int]
    ) -> int:
        """Write a graph of the model and return its offset; appends the buffers of its constants.

        b: the FlatBuffers builder.
        kinds: the operator codes of the model.
        buffers: the offsets of the model's buffers.
        """
        tensors = self._tensors(b, buffers)
        operators = [self._operator(b, kinds, *operator) for operator in self.operators]
        tensors, operators = (self._offsets(b, items) for items in (tensors, operators))
        listed = [_integers(b, indices) for indices in (inputs, outputs)]
        tflite.SubGraphStart(b)
        tflite.SubGraphAddTensors(b, tensors)
        tflite.SubGraphAddInputs(b, listed[0])
        tflite.SubGraphAddOutputs(b, listed[1])
        tflite.SubGraphAddOperators(b, operators)
        return tflite.SubGraphEnd(b)

    def _code(self, b: Any, kind: str) -> int:
        name, _, custom = kind.partition(" ")
        number, code = getattr(tflite.BuiltinOperator, name), b.CreateString(custom)
        tflite.OperatorCodeStart(b)
        tflite.OperatorCodeAddCustomCode(b, code)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(b, min(number, 127))
        tflite.OperatorCodeAddVersion(b, 1)
        tflite.OperatorCodeAddBuiltinCode(b, number)
        return tflite.OperatorCodeEnd(b)

    def _tensors(self, b: Any, buffers: list[int]) -> list[int]:
        tensors = list[int]()
        for index, spec in enumerate(self.tensors):
            number = 0
            if spec.data is not None:
                # The runtime reads elements where they lie.
                content = b.CreateNumpyVector(np.frombuffer(spec.data.astype(spec.dtype).tobytes(), np.uint8))
                tflite.BufferStart(b)
                tflite.BufferAddData(b, content)
                number = len(buffers)
                buffers.append(tflite.BufferEnd(b))
            name, shape = b.CreateString(f"t{index}"), _integers(b, spec.shape)
            signature = None if spec.signature is None else _integers(b, spec.signature)
            quantization = None if spec.scales is None else _quantization(b, spec)
            sparsity = None
            if spec.sparse:
                tflite.SparsityParametersStart(b)
                sparsity = tflite.SparsityParametersEnd(b)
            tflite.TensorStart(b)
            tflite.TensorAddShape(b, shape)
            tflite.TensorAddType(b, TYPES[spec.dtype])
            tflite.TensorAddBuffer(b, number)
            tflite.TensorAddName(b, name)
            if quantization is not None:
                tflite.TensorAddQuantization(b, quantization)
            if signature is not None:
                tflite.TensorAddShapeSignature(b, signature)
            if sparsity is not None:
                tflite.TensorAddSparsity(b, sparsity)
            tflite.TensorAddIsVariable(b, spec.kept)
            tensors.append(tflite.TensorEnd(b))
        return tensors

    def _operator(
        self,
        b: Any,
        kinds: list[str],
        kind: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: dict[str, Any],
    ) -> int:
        table = OPTIONS.get(kind)
        given = None
        if table is not None:
            options = {
                name: b.CreateString(value) if isinstance(value, str) else value for name, value in options.items()
            }
            getattr(tflite, f"{table}Start")(b)
            for name, value in options.items():
                getattr(tflite, f"{table}Add{name}")(b, value)
            given = getattr(tflite, f"{table}End")(b)
        custom = b.CreateNumpyVector(np.frombuffer(options["custom"], np.uint8)) if "custom" in options else None
        listed = [_integers(b, indices) for indices in (inputs, outputs)]
        tflite.OperatorStart(b)
        tflite.OperatorAddOpcodeIndex(b, kinds.index(kind))
        tflite.OperatorAddInputs(b, listed[0])
        tflite.OperatorAddOutputs(b, listed[1])
        if table is not None and given is not None:
            tflite.OperatorAddBuiltinOptionsType(b, getattr(tflite.BuiltinOptions, table))
            tflite.OperatorAddBuiltinOptions(b, given)
        if custom is not None:
            tflite.OperatorAddCustomOptions(b, custom)
        return tflite.OperatorEnd(b)

    def _offsets(self, b: Any, items: Sequence[int]) -> int:
        b.StartVector(4, len(items), 4)
        for item in reversed(items):
            b.PrependUOffsetTRelative(item)
        return b.EndVector()


def _integers(b: Any, numbers: Sequence[int]) -> int:
    return b.CreateNumpyVector(np.array(numbers, np.int32))


def _quantization(b: Any, spec: Spec) -> int:
    assert spec.scales is not None
    scales = b.CreateNumpyVector(np.array(spec.scales, np.float32))
    points = b.CreateNumpyVector(np.full(len(spec.scales), spec.zero_point, np.int64))
    tflite.QuantizationParametersStart(b)
    tflite.QuantizationParametersAddScale(b, scales)
    tflite.QuantizationParametersAddZeroPoint(b, points)
    tflite.QuantizationParametersAddQuantizedDimension(b, spec.axis)
    return tflite.QuantizationParametersEnd(b)


def computed_by_tflm(
    content: bytes, inputs: NDArray[Any], outputs: int = 1, *, arena: int = 1 << 20, reset: bool = False
) -> list[NDArray[Any]]:
    """The outputs of TensorFlow Lite Micro, each flattened to (samples, elements).

    inputs: (samples, *shape of the input), or (samples, elements of all inputs) of a model with several inputs.
    outputs: the number of outputs.
    arena: the bytes of the interpreter's arena.
    reset: whether to reset the states before each sample.
    """
    interpreter = runtime.Interpreter.from_bytes(content, arena_size=arena)
    given = read_graph(content, "network.tflite").inputs
    ends = np.cumsum([prod(tensor.shape) for tensor in given])[:-1]
    collected: list[list[NDArray[Any]]] = [[] for _ in range(outputs)]
    for sample in inputs:
        if reset:
            interpreter.reset()
        parts = np.split(sample, ends) if len(given) > 1 else [sample]
        for index, (part, tensor) in enumerate(zip(parts, given, strict=True)):
            interpreter.set_input(part.reshape(tensor.shape).astype(tensor.dtype), index)
        interpreter.invoke()
        for index, values in enumerate(collected):
            values.append(np.array(interpreter.get_output(index)).ravel())
    return [np.array(values) for values in collected]


def raws(random: np.random.Generator, shape: Any, dtype: str = "int8") -> NDArray[Any]:
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype, endpoint=True)


def weighted(
    model: TfliteModel,
    kind: str,
    x: int,
    filter: tuple[int, ...],
    result: int,
    random: np.random.Generator,
    **options: Any,
) -> None:
    """Add an operator with weights whose scales are per channel, and with a bias.

    kind: the name of the operator, such as `CONV_2D`.
    x: the index of the operand.
    filter: the shape of the weights.
    result: the index of the operator's output tensor.
    """
    rows = filter[3] if kind == "DEPTHWISE_CONV_2D" else filter[0]
    spec = model.tensors[x]
    assert spec.scales is not None
    wide = spec.dtype == np.int16
    scales = (0.01 * (1 + random.random(rows))).astype(np.float32).tolist()
    axis = 3 if kind == "DEPTHWISE_CONV_2D" else 0
    weights = model.constant(np.maximum(raws(random, filter), -127), "int8", scales=scales, axis=axis)
    bias = model.constant(
        random.integers(-2000, 2000, rows),
        "int64" if wide else "int32",
        scales=[spec.scales[0] * scale for scale in scales],
    )
    model.op(kind, [x, weights, bias], result, **options)


def inputs_of(content: bytes, samples: int, seed: int = 0) -> NDArray[Any]:
    """Random raws of a model's inputs, concatenated to (samples, elements)."""
    graph = read_graph(content, "network.tflite")
    shapes = [x.shape for x in graph.inputs]
    shape = shapes[0] if len(shapes) == 1 else (sum(map(prod, shapes)),)
    return raws(np.random.default_rng(seed), (samples, *shape), graph.inputs[0].dtype)
