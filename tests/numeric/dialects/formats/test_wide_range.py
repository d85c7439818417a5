"""Networks whose numbers differ by many octaves: posits of 16 bits are nearer to the exact outputs than fixed point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import tinyml

SAMPLES = 100
Reals = NDArray[np.float64]
Network = tuple[Sequence[NodeProto], Mapping[str, Any], tuple[int, ...], tuple[int, ...], Reals]
"""Nodes, weights, the shapes of input and output, and the inputs of samples."""


def pascals_and_volts(random: np.random.Generator) -> Network:
    """A regression on a pressure in pascals, a voltage, and a current in amperes, without scaling of the features."""
    x = random.normal([101325, 0.5, 0], [2000, 0.2, 3e-3], (SAMPLES, 3))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Add", ["h", "b"], ["y"])]
    return nodes, {"w": [[1e-5], [2.0], [-150.0]], "b": [0.3]}, (1, 3), (1, 1), x


def decades(random: np.random.Generator) -> Network:
    """A regression whose outputs are exponentials, over several decades."""
    x, w = random.uniform(-3, 3, (SAMPLES, 4)), random.normal(size=(4, 2))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Exp", ["h"], ["y"])]
    return nodes, {"w": w}, (1, 4), (1, 2), x


def attention(random: np.random.Generator) -> Network:
    """One head of attention over six positions, whose eight features have standard deviations from 0.01 to 40."""
    weights = {name: random.normal(size=(8, 8)) / np.sqrt(8) for name in "qkvo"}
    x = random.normal(0, [10.0, 0.02, 3, 0.5, 40, 0.01, 1, 1], (SAMPLES, 6, 8))
    nodes = [
        *(helper.make_node("MatMul", ["x", name], [f"{name}x"]) for name in "qkv"),
        helper.make_node("Transpose", ["kx"], ["kt"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["qx", "kt"], ["s"]),
        helper.make_node("Softmax", ["s"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "vx"], ["a"]),
        helper.make_node("MatMul", ["a", "o"], ["y"]),
    ]
    return nodes, weights, (1, 6, 8), (1, 6, 8), x


@pytest.mark.long(seconds=6)
@pytest.mark.filterwarnings("ignore::tinyml.CompileWarning")
@pytest.mark.parametrize("network", [pascals_and_volts, decades, attention], ids=lambda network: network.__name__)
def test_standard_posits_are_nearer_than_fixed_point_of_the_same_width(
    network: Callable[[np.random.Generator], Network], tmp_path: Path
):
    """The root mean square error on samples that chose no format, beside the outputs of ONNX's reference."""
    nodes, weights, shape, result, x = network(np.random.default_rng(0))
    declared = helper.make_tensor_value_info
    inputs, outputs = [declared("x", TensorProto.FLOAT, shape)], [declared("y", TensorProto.FLOAT, result)]
    constants = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in weights.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, constants), opset_imports=[helper.make_opsetid("", 17)]
    )
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    rows = x.reshape(SAMPLES, -1).astype(np.float32)
    val, test = np.split(rows, 2)
    np.savez(tmp_path / "val.npz", x=val)
    reference: Any = ReferenceEvaluator(model)
    exact = np.array([np.ravel(reference.run(None, {"x": row.reshape(shape)})[0]) for row in test], float)

    def error(format: str, width: int | None) -> float:
        options: dict[str, Any] = {} if width is None else {"width": width}
        program = tinyml.compile(tmp_path / "m.onnx", tmp_path / "val.npz", board="host", format=format, **options)
        return float(np.sqrt(np.mean((program.scores(test).reshape(exact.shape) - exact) ** 2)))

    assert error("!posit.p<16, 2>", None) < error("fixed", 16)
