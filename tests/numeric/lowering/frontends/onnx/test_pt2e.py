"""Networks that PyTorch trained in 8 bits (PT2E), compared with the outputs of their converted modules."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray
from programs.on_boards import difference, printed
from programs.paths import ROOT
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.dialects.tdsl import format_of
from tinyml.lowering.frontends.onnx.importer import read_onnx
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, predict_function

MODELS = ROOT / "tests/models/pt2e"
NAMES = ("cnn", "depthwise", "residual")


def imported(name: str) -> tuple[ModuleOp, dict[str, NDArray[Any]]]:
    return read_onnx((MODELS / f"{name}.onnx").read_bytes(), name), dict(np.load(MODELS / f"{name}.npz"))


def result_format(module: ModuleOp) -> ZeroSkewType:
    last = predict_function(module).body.block.last_op
    assert last is not None
    format = format_of(last.operands[-1])
    assert isinstance(format, ZeroSkewType)
    return format


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_those_of_the_module(name: str):
    """At least 99 % of the outputs equal those of the converted module, or no fewer than for onnxruntime with basic
    optimisations, which also rounds biases to integers. No output differs by more than one step, or by more than
    onnxruntime's.

    Without optimisations, onnxruntime computes floats as PyTorch does, with the biases as they are: at least 99 % of
    its outputs are equal.
    """
    module, stored = imported(name)
    x, outputs = stored["x"], stored["outputs"]
    format = result_format(module)
    expected = format.encode(outputs).astype(int)
    rounded, floats = (
        np.abs(format.encode(outputs_of_onnxruntime(MODELS / f"{name}.onnx", x, optimised(level))) - expected)
        for level in ("ORT_ENABLE_BASIC", "ORT_DISABLE_ALL")
    )
    ours = evaluate(module, encode_inputs(module, x.reshape(len(x), -1))).scores
    assert ours is not None
    steps: NDArray[Any] = np.abs(ours.reshape(expected.shape) - expected)
    assert steps.max() <= max(1, rounded.max())
    same: NDArray[np.bool_] = rounded == 0
    assert np.mean(steps == 0) >= min(0.99, float(same.mean()))
    assert np.mean(floats == 0) >= 0.99


def optimised(level: str) -> Any:
    """Options of onnxruntime with a level of optimisations. Higher levels than the basic one depend on the processor:
    without VNNI instructions, products saturate at 16 bits.
    """
    runtime = cast(Any, onnxruntime)
    options = runtime.SessionOptions()
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, level)
    return options


def outputs_of_onnxruntime(model: Path | bytes, x: NDArray[Any], options: Any = None) -> NDArray[Any]:
    session: Any = onnxruntime.InferenceSession(model, options)
    [argument] = session.get_inputs()
    name: str = argument.name
    results: list[NDArray[Any]] = [session.run(None, {name: sample[None]})[0] for sample in x]
    return np.concatenate(results)


@pytest.mark.parametrize("name", NAMES)
def test_only_biases_differ(name: str):
    """At least 99 % of the outputs equal those of onnxruntime on a model whose biases are rounded as tinyml rounds
    them. The remaining differences are due to onnxruntime's rounding of products.
    """
    module, stored = imported(name)
    x, format = stored["x"], result_format(module)
    model = onnx.ModelProto()
    model.ParseFromString((MODELS / f"{name}.onnx").read_bytes())
    round_biases(model)
    theirs = format.encode(outputs_of_onnxruntime(model.SerializeToString(), x, optimised("ORT_DISABLE_ALL")))
    ours = evaluate(module, encode_inputs(module, x.reshape(len(x), -1))).scores
    assert ours is not None
    same: NDArray[np.bool_] = theirs == ours.reshape(theirs.shape)
    assert same.mean() >= 0.99


def round_biases(model: onnx.ModelProto) -> None:
    """Round each bias of a convolution or dense layer to a multiple of the scale of its products, which is the product
    of the scales of the input and of the weights.
    """
    constants = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    makers = {node.output[0]: node for node in model.graph.node}
    for node in model.graph.node:
        if node.op_type in ("Conv", "Gemm"):
            scales = [scale_of(makers[name], constants, makers) for name in node.input[:2]]
            unit = np.prod(np.broadcast_arrays(*scales), 0)
            rounded = (np.rint(constants[node.input[2]] / unit) * unit).astype(np.float32)
            [bias] = [each for each in model.graph.initializer if each.name == node.input[2]]
            bias.CopyFrom(onnx.numpy_helper.from_array(rounded, bias.name))


def scale_of(node: onnx.NodeProto, constants: dict[str, Any], makers: dict[str, onnx.NodeProto]) -> NDArray[Any]:
    """The scale of the tensor that a node returns, found through the preceding ops that do not change scales.

    constants: the constants of the model by name.
    makers: for each name of a tensor, the node that returns it.
    """
    while node.op_type != "DequantizeLinear":
        node = makers[node.input[0]]
    name = node.input[1]
    while name in makers and makers[name].op_type == "Cast":
        name = makers[name].input[0]
    if name in makers:
        [attribute] = makers[name].attribute
        return np.array(onnx.helper.get_attribute_value(attribute), np.float64)
    return constants[name].astype(np.float64)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_rounded_to_even(name: str):
    module, _ = imported(name)
    assert result_format(module).halves_to_even
    assert "!zeroskew.f<" not in str(module)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "board"),
    [
        *(("residual", "cortex-m4"), ("depthwise", "cortex-m0"), ("cnn", "cortex-m55"), ("cnn", "riscv")),
        *(("cnn", "uno"), ("depthwise", "atmega1284p"), ("residual", "atmega1284p")),
    ],
)
def test_a_board_computes_the_bits_of_the_evaluator(name: str, board: str, tmp_path: Path):
    module, stored = imported(name)
    raws = encode_inputs(module, stored["x"][:3].reshape(3, -1))
    assert difference(module, raws, printed(module, board, tmp_path / "c"), runner_for(board), tmp_path / "b") is None


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize("name", NAMES)
def test_the_time_on_an_uno_is_at_most_that_of_zero_skew_integers(name: str):
    """The converted module takes no more cycles than the same network in zero-skew integers of 8 bits. With a call of a
    64-bit multiplication for each sum, it took more than twice as many.
    """
    stored = np.load(MODELS / f"{name}.npz")
    x, y = stored["x"][:40], stored["y"][:40]
    trained = tinyml.compile(MODELS / f"{name}.onnx", x, y, board="uno").measure(x[:2])
    floats = tinyml.compile(MODELS / f"{name}-float.onnx", x, y, board="uno", format="zeroskew", width=8).measure(x[:2])
    assert trained.time is not None
    assert floats.time is not None
    assert trained.time <= floats.time
