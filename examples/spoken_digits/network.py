"""The network of spoken digits as an ONNX file, and the program from samples to a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, NDArray[np.float32]]


def folded(weights: Weights, kernel: str, norm: str) -> Sequence[NDArray[np.float32]]:
    """The kernel and the bias of a convolution that a batch normalisation follows, in one."""
    scale = weights[f"{norm}.weight"] / np.sqrt(weights[f"{norm}.running_var"] + 1e-5)
    bias = (weights[f"{kernel}.bias"] - weights[f"{norm}.running_mean"]) * scale + weights[f"{norm}.bias"]
    return weights[f"{kernel}.weight"] * scale[:, None, None, None], bias


def write_onnx(weights: Weights, file: Path, frames: int, bands: int) -> None:
    """Write the network of `train.py`, from 1 x (frames * bands) features to scores of classes.

    weights: by the names of PyTorch's state of the module.
    """
    nodes = [
        helper.make_node("Reshape", ["features", "image_shape"], ["image"]),
        helper.make_node("Transpose", ["image"], ["image0"], perm=[0, 3, 1, 2]),
    ]
    constants = {"image_shape": np.array([1, frames, 1, bands]), "row_shape": np.array([1, -1])}
    now = "image0"

    def convolution(kernel: NDArray[np.float32], bias: NDArray[np.float32], stride: int, relu: bool) -> None:
        nonlocal now
        number = len(nodes)
        constants[f"k{number}"], constants[f"b{number}"] = kernel, bias
        groups = len(kernel) if kernel.shape[1] == 1 else 1
        inputs, out = [now, f"k{number}", f"b{number}"], f"c{number}"
        shape = {"kernel_shape": kernel.shape[2:], "strides": [stride, 1], "group": groups}
        nodes.append(helper.make_node("Conv", inputs, [out], **shape))
        if relu:
            nodes.append(helper.make_node("Relu", [out], [f"r{number}"]))
        now = f"r{number}" if relu else out

    convolution(*folded(weights, "layers.0", "layers.1"), 1, True)
    for first, stride in ((3, 2), (7, 1), (11, 1)):
        convolution(weights[f"layers.{first}.weight"], weights[f"layers.{first}.bias"], stride, False)
        convolution(*folded(weights, f"layers.{first + 1}", f"layers.{first + 2}"), 1, True)
    constants["W"], constants["b"] = weights["last.weight"], weights["last.bias"]
    nodes += [
        helper.make_node("GlobalAveragePool", [now], ["mean"]),
        helper.make_node("Reshape", ["mean", "row_shape"], ["row"]),
        helper.make_node("Gemm", ["row", "W", "b"], ["scores"], transB=1),
    ]
    graph = helper.make_graph(
        nodes,
        "spoken_digits",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, frames * bands])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, len(weights["last.bias"])])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, file)
