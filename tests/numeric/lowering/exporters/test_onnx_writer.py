"""Exported ONNX models of programs on reals: onnxruntime and an import of the file compute the evaluator's results."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from oracles.onnx_models import Array, imported, model, node, onnxruntime
from programs.spread import examples
from programs.streamed_networks import networks
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.exporters.onnx_writer import write_onnx
from tinyml.runtime.evaluator.evaluator import evaluate_reals
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass


def parse(text: str) -> ModuleOp:
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def check(module: ModuleOp, samples: int = 3) -> onnx.ModelProto:
    """Export a program, and return the model. Asserts that onnxruntime's results for a batch are the evaluator's, for
    the program and for the program that is imported from the model.
    """
    content = write_onnx(module)
    written = onnx.load_from_string(content)
    checker: Any = onnx.checker
    checker.check_model(written)
    session = onnxruntime.InferenceSession(content)
    [declared] = session.get_inputs()
    shape: list[Any] = declared.shape[1:]
    x = np.random.default_rng(5).normal(size=(samples, *shape)).astype(np.float32)
    outputs: list[Array] = session.run(None, {declared.name: x})
    assert [list(output.shape[1:]) for output in outputs] == [each.shape[1:] for each in session.get_outputs()]
    for program in (module, imported(written)):
        scores = evaluate_reals(program, x.reshape(samples, -1)).scores
        assert scores is not None
        # Images have their channels last in the program and first in the model.
        got = outputs[0].transpose(0, 2, 3, 1) if outputs[0].ndim == 4 and program is module else outputs[0]
        np.testing.assert_allclose(got.reshape(samples, -1), scores.reshape(samples, -1), rtol=1e-4, atol=1e-4)
    return written


@pytest.mark.long
@settings(max_examples=examples(8), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(networks())
def test_networks_of_images(text: str):
    module = parse(text)
    LiftToRealsPass().apply(Context(), module)
    check(module)


def weights(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def digits() -> onnx.ModelProto:
    """A network for digits, with convolutions, dense layers, a pool, several activations and a scaling."""
    nodes = [
        node("Conv", "x w1 b1", "c1", pads=[1, 1, 1, 1]),
        node("Clip", "c1 zero six", "r1"),
        node("MaxPool", "r1", "p1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "p1 w2", "c2", group=4),
        node("LeakyRelu", "c2", "r2", alpha=0.125),
        node("Flatten", "r2", "f"),
        node("Gemm", "f w3 b3", "g", transB=1),
        node("Tanh", "g", "t"),
        node("Mul", "t scale", "m"),
        node("Gemm", "m w4", "h"),
        node("Softmax", "h", "y"),
    ]
    constants = {
        "w1": weights(4, 2, 3, 3), "b1": weights(4), "w2": weights(8, 1, 2, 2), "w3": weights(5, 32), "b3": weights(5),
        "w4": weights(5, 3), "scale": weights(5), "zero": np.array(0, np.float32), "six": np.array(6, np.float32),
    }  # fmt: skip
    return model(nodes, [1, 2, 6, 6], constants)


def test_a_model_is_written_as_it_was_read():
    """In the export of an imported model, layers keep their order, and weights keep their names, shapes and content."""
    read = digits()
    written = check(imported(read))
    kinds = ["Conv", "Clip", "MaxPool", "Conv", "LeakyRelu", "Flatten", "Gemm", "Tanh", "Mul", "Gemm", "Softmax"]
    assert [each.op_type for each in written.graph.node] == kinds
    arrays = {each.name: onnx.numpy_helper.to_array(each) for each in written.graph.initializer}
    for each in read.graph.initializer:
        if each.name in ("w1", "b1", "w2", "w3", "b3", "scale"):
            np.testing.assert_array_equal(arrays[each.name], onnx.numpy_helper.to_array(each))


def test_a_tensor_may_be_two_outputs():
    column = "tensor<4x1xf32>"
    body = f"%t = tdsl.tanh %X : {column} -> {column}\nfunc.return %t, %t : {column}, {column}"
    written = check(parse(f"func.func @f(%X: {column}) -> ({column}, {column}) {{\n{body}\n}}"))
    assert len({output.name for output in written.graph.output}) == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%r = tdsl.reverse %X {axis = 0 : i64} : tensor<4x1xf32> -> tensor<4x1xf32>", "'tdsl.reverse' cannot be"),
        (
            "%s = tdsl.reshape %X : tensor<4x1xf32> -> tensor<2x2xf32>\n"
            "%t = tdsl.tanh %s : tensor<2x2xf32> -> tensor<2x2xf32>\n"
            "%r = tdsl.reshape %t : tensor<2x2xf32> -> tensor<4x1xf32>",
            "vectors and single images, not tensors of shape [2, 2]",
        ),
        (
            "%c = arith.constant 2 : index\n%z = arith.constant 0 : index\n%o = arith.constant 1 : index\n"
            "%r = scf.for %i = %z to %c step %o iter_args(%h = %X) -> (tensor<4x1xf32>) "
            "{ scf.yield %h : tensor<4x1xf32> }",
            "returns a tensor that no op of ONNX computes",
        ),
        ("%r = tdsl.normalise %X : tensor<4x1xf32> -> tensor<4x1xf32>", "'tdsl.normalise' cannot be written as ONNX"),
    ],
)
def test_what_cannot_be_written(body: str, message: str):
    column = "tensor<4x1xf32>"
    module = parse(f"func.func @f(%X: {column}) -> {column} {{\n{body}\nfunc.return %r : {column}\n}}")
    with pytest.raises(InputError) as raised:
        write_onnx(module)
    assert message in str(raised.value)
