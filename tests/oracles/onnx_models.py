"""Builders of small ONNX models, and onnxruntime without optimisations as their reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.formats.number_format import element_format
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals, predict_function

Array = NDArray[Any]

onnxruntime: Any = import_module("onnxruntime")

FLOAT = onnx.TensorProto.FLOAT


def number(value: float) -> Array:
    """A float32 constant of rank 0."""
    return np.array(value, np.float32)


def node(op: str, inputs: str, outputs: str = "y", **attributes: Any) -> onnx.NodeProto:
    """A node named after its op and outputs.

    inputs, outputs: names separated by spaces; `-` stands for an omitted one.
    """
    listed = [[name.replace("-", "") for name in names.split()] for names in (inputs, outputs)]
    return helper.make_node(op, *listed, name=f"{op}_{outputs}", **attributes)


def model(
    nodes: Sequence[onnx.NodeProto],
    shape: Sequence[int | str | None],
    constants: Mapping[str, Array] | None = None,
    *,
    outputs: Sequence[str] = ("y",),
    opset: int = 17,
    element: int = FLOAT,
) -> onnx.ModelProto:
    """A model of the given nodes. Its input is x, of shape `shape`.

    element: the type of x.
    """
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", element, shape)],
        [onnx.ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()],
    )
    domains = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=domains, ir_version=8)


def imported(model: onnx.ModelProto, file: str = "test.onnx") -> ModuleOp:
    """The program imported from a model, verified."""
    module = read_onnx(model.SerializeToString(), file)
    module.verify()
    return module


def reference(model: onnx.ModelProto, inputs: Array, output: str | None = None) -> Array:
    """An output of onnxruntime for each input, flattened: (samples, elements).

    output: the name of the output; None for the first.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(_typed(_with_exact_sums(model)), options)
    [declared] = session.get_inputs()
    shape = [extent if isinstance(extent, int) else 1 for extent in declared.shape]
    wanted = None if output is None else [output]
    results = [cast(Array, session.run(wanted, {"x": x.reshape(shape)})[0]) for x in inputs]
    return np.stack([result.ravel() for result in results])


def _with_exact_sums(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of the model in which the raws and zero points of weights are unsigned, increased by 128, wherever
    activations are unsigned. The numbers are unchanged.

    On processors without VNNI, kernels for unsigned and signed raws add pairs of products in 16 bits, which saturate;
    those for equal signs do not. `session.x64quantprecision` rewrites such weights in the same way, but only together
    with all optimisations, some of which change other results.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    arrays = {each.name: each for each in result.graph.initializer}
    for op in result.graph.node:
        if op.op_type not in ("QLinearConv", "QLinearMatMul", "QGemm"):
            continue
        activations, weights = arrays[op.input[2]], (op.input[3], op.input[5])
        for name in weights if activations.data_type == onnx.TensorProto.UINT8 else ():
            if arrays[name].data_type == onnx.TensorProto.INT8:
                raws = numpy_helper.to_array(arrays[name]).astype(np.int16) + 128
                arrays[name].CopyFrom(numpy_helper.from_array(raws.astype(np.uint8), name))
    return result


def _typed(model: onnx.ModelProto) -> bytes:
    return onnx.shape_inference.infer_shapes(model).SerializeToString()


def check(model: onnx.ModelProto, *, samples: int = 3, tolerance: float = 1e-5) -> ModuleOp:
    """Assert that the results of an imported model on reals equal onnxruntime's for random inputs, and return its
    program.

    tolerance: the permitted relative and absolute error.
    """
    module = imported(model)
    dims = model.graph.input[0].type.tensor_type.shape.dim
    size = int(np.prod([dim.dim_value or 1 for dim in dims]))
    inputs = np.random.default_rng(size).normal(size=(samples, size)).astype(np.float32)
    got = evaluate_reals(module, inputs).scores
    expected = reference(model, inputs)
    assert got is not None
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
    return module


def decoded_outputs(module: ModuleOp, inputs: Array) -> Array:
    """The scores that a program in formats computes from real inputs, as reals."""
    scores = evaluate(module, encode_inputs(module, inputs)).scores
    assert scores is not None
    format = element_format(predict_function(module).function_type.outputs.data[-1])
    return format.decode(scores).astype(np.float32)


def assert_same_but_ties(got: Array, expected: Array, exact: Array, scale: float, within: float) -> None:
    """Assert that results are equal, except that they may differ by one step if the exact result is close to the middle
    of two steps.

    got, expected, exact: reals; exact is in double precision.
    scale: the size of a step.
    within: the greatest error, in steps, of single-precision arithmetic in either program, for any order of operations
        and any processor.
    """
    steps = np.rint((got.astype(np.float64) - expected) / scale)
    fraction = exact / scale - np.floor(exact / scale)
    assert np.abs(steps).max() <= 1
    assert (np.abs(fraction - 0.5)[steps != 0] <= within).all()
