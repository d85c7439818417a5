"""Imported ONNX models compute the evaluator's bits on every device."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import Array, decoded_outputs, imported, model, node, number
from programs.devices import DEVICES, roomy
from programs.lowered import lowered
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch


def quantised_network() -> ModuleOp:
    """A network of layers and functions in the QDQ form, for images 1 x 2 x 5 x 5."""
    random = np.random.default_rng(7)

    def through(value: str, scale: str) -> list[Any]:
        """The nodes that quantise a value and dequantise it to VALUE_."""
        return [
            node("QuantizeLinear", f"{value} {scale} zero", f"{value}_q"),
            node("DequantizeLinear", f"{value}_q {scale} zero", f"{value}_"),
        ]

    nodes = [
        *through("x", "sx"),
        node("DequantizeLinear", "w ws", "w_", axis=0),
        node("DequantizeLinear", "b bs", "b_", axis=0),
        node("Conv", "x_ w_ b_", "c", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "c", "r"),
        *through("r", "sr"),
        node("HardSwish", "r_", "h"),
        *through("h", "sh"),
        node("Mul", "r_ h_", "m"),
        *through("m", "sm"),
        node("Concat", "m_ h_", "k", axis=1),
        *through("k", "sm"),
        node("AveragePool", "k_", "p", kernel_shape=[2, 2]),
        *through("p", "sh"),
        node("Flatten", "p_", "f"),
        node("DequantizeLinear", "v vs", "v_"),
        node("Gemm", "f v_", "g"),
        *through("g", "sg"),
        node("Sigmoid", "g_", "s"),
        *through("s", "ss"),
        node("Add", "s_ g_", "a"),
        *through("a", "sg"),
        node("Softmax", "a_", "t"),
        *through("t", "ss"),
    ]
    scales = {"sx": 0.021, "sr": 0.034, "sh": 0.031, "sm": 0.09, "sg": 0.13, "ss": 1 / 256, "vs": 0.017}
    ws = np.array([0.011, 0.023, 0.017], np.float32)
    constants = {name: number(scale) for name, scale in scales.items()}
    constants |= {"ws": ws, "bs": (ws * np.float32(0.021)).astype(np.float32), "zero": np.array(-20, np.int8)}
    constants |= {"w": random.integers(-128, 128, (3, 2, 3, 3)).astype(np.int8)}
    constants |= {"b": random.integers(-900, 900, 3).astype(np.int32)}
    constants |= {"v": random.integers(-128, 128, (24, 4)).astype(np.int8)}
    return imported(model(nodes, [1, 2, 5, 5], constants, outputs=("t_",), opset=20))


def float_network() -> ModuleOp:
    """A network of normalisations, exponential units and extrema, for images 1 x 4 x 3 x 3."""
    random = np.random.default_rng(9)
    nodes = [
        node("GroupNormalization", "x s b", "g", num_groups=2),
        node("Elu", "g", "e"),
        node("InstanceNormalization", "e s b", "i"),
        node("Selu", "i", "u"),
        node("ReduceMax", "u a", "m", keepdims=0),
        node("LayerNormalization", "m ls", "n"),
        node("Gelu", "n", "k"),
        node("Softplus", "k", "p"),
        node("LogSoftmax", "p"),
    ]
    constants = {name: random.normal(size=4).astype(np.float32) for name in "sb"}
    constants |= {"a": np.array([2], np.int64), "ls": random.normal(size=3).astype(np.float32)}
    return imported(model(nodes, [1, 4, 3, 3], constants, opset=21))


def attention_block() -> ModuleOp:
    """A program of attention with two heads of 4 elements over 9 positions, as current opsets express it, between two
    normalisations.
    """
    random = np.random.default_rng(11)
    nodes = [
        node("LayerNormalization", "x s b", "n"),
        *(node("MatMul", f"n w{each}", each) for each in "qkv"),
        node("Attention", "q k v", "a", q_num_heads=2, kv_num_heads=2),
        node("MatMul", "a wo", "o"),
        node("Add", "x o", "z"),
        node("LayerNormalization", "z s b"),
    ]
    constants = {f"w{each}": (random.normal(size=(4, 8)) / 2).astype(np.float32) for each in "qkv"}
    constants |= {"wo": (random.normal(size=(8, 4)) / 3).astype(np.float32)}
    constants |= {name: random.uniform(0.5, 1, 4).astype(np.float32) for name in "sb"}
    return imported(model(nodes, [1, 9, 4], constants, opset=23))


def encoder() -> ModuleOp:
    """A program of two layers of an encoder with 3 heads of 8 elements over 20 positions; the first layer is causal.

    The length 20 is not a multiple of every tile size. Rows therefore have tiles of different sizes. The factor 1 /
    sqrt(8) is not a power of two and cannot be folded into a scale.
    """
    random, constants = np.random.default_rng(12), dict[str, Array]()

    def weights(name: str, *shape: int) -> str:
        constants[name] = (random.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
        return name

    def layer(x: str, number: int, **mask: int) -> list[Any]:
        at = f"_{number}"
        for name in ("s", "b"):
            constants[name + at] = random.uniform(0.5, 1, 24).astype(np.float32)
        return [
            *(node("MatMul", f"{x} {weights(f'w{each}{at}', 24, 24)}", each + at) for each in "qkv"),
            node("Attention", f"q{at} k{at} v{at}", f"a{at}", q_num_heads=3, kv_num_heads=3, **mask),
            node("MatMul", f"a{at} {weights(f'wo{at}', 24, 24)}", f"o{at}"),
            node("Add", f"{x} o{at}", f"y{at}"),
            node("LayerNormalization", f"y{at} s{at} b{at}", f"n{at}"),
            node("MatMul", f"n{at} {weights(f'w1{at}', 24, 48)}", f"f{at}"),
            node("Relu", f"f{at}", f"r{at}"),
            node("MatMul", f"r{at} {weights(f'w2{at}', 48, 24)}", f"g{at}"),
            node("Add", f"n{at} g{at}", f"z{at}"),
        ]

    nodes = [*layer("x", 1, is_causal=1), node("LayerNormalization", "z_1 s_1 b_1", "x_1")]
    nodes += [*layer("x_1", 2), node("LayerNormalization", "z_2 s_2 b_2")]
    return imported(model(nodes, [1, 20, 24], constants, opset=23))


NETWORKS = {"normalisations": float_network, "attention": attention_block, "encoder": encoder}


@pytest.mark.long(seconds=20)
@pytest.mark.parametrize(
    ("name", "width", "device"),
    [
        *(("normalisations", 16, device) for device in spread(DEVICES, 2)),
        *(("attention", width, device) for width, device in spread([*product((8, 16), DEVICES)], 4)),
        *(("encoder", width, device) for width, device in spread([*product((8, 16), DEVICES)], 2)),
    ],
)
def test_a_network_on_reals_on_devices(name: str, width: int, device: str, tmp_path: Path):
    """Programs in fixed point compute the evaluator's bits, and results are close to the reals."""
    module, ctx = NETWORKS[name](), context()
    x = np.random.default_rng(10).normal(size=(6, 480 if name == "encoder" else 36)).astype(np.float32)
    np.savez(tmp_path / "val.npz", x=x)
    reals = evaluate_reals(module, x).scores
    options = {"data": str(tmp_path / "val.npz"), "target": device, "format": "fixed", "width": width}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    got = decoded_outputs(module, x)
    assert reals is not None
    np.testing.assert_allclose(got, reals, atol=0.02 if width == 16 else 0.5)
    check_on_device(module, device, encode_inputs(module, x), tmp_path, options)


@pytest.mark.long
@pytest.mark.parametrize("width", [8, 16])
def test_a_layer_without_biases_of_one_input(width: int, tmp_path: Path):
    """The zeros from which the products with the state start are also added to products with one factor. The start has
    a scale for each row, with which no addition is defined.
    """
    random, ctx = np.random.default_rng(14), context()
    constants = {name: random.normal(size=(1, 9, size)).astype(np.float32) for name, size in (("w", 1), ("r", 3))}
    layer = node("GRU", "x w r", "- y", hidden_size=3, linear_before_reset=1)
    module = imported(model([layer], [4, 1, 1], constants))
    x = random.normal(size=(30, 4)).astype(np.float32)
    np.savez(tmp_path / "val.npz", x=x)
    reals = evaluate_reals(module, x).scores
    options = {"data": str(tmp_path / "val.npz"), "target": "cortex-m4", "format": "zeroskew", "width": width}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    assert reals is not None
    np.testing.assert_allclose(decoded_outputs(module, x), reals, atol=0.1 if width == 8 else 0.001)
    check_on_device(module, "cortex-m4", encode_inputs(module, x), tmp_path, options)


def texts() -> tuple[ModuleOp, Array]:
    """A network on 12 indices of words, and samples of its input. The network looks up the words in a table of 37,
    replaces two of them and adds all.
    """
    random = np.random.default_rng(13)
    nodes = [
        node("Gather", "table x", "words"),
        node("ScatterND", "words x2 updates", "changed"),
        node("ReduceSum", "changed axes", "sums", keepdims=0),
        node("MatMul", "sums w"),
        node("Slice", "x zero two", "some"),
        node("Unsqueeze", "some last", "x2"),
    ]
    constants = {"table": random.normal(size=(37, 5)).astype(np.float32), "axes": np.array([0])}
    constants |= {"w": random.normal(size=(5, 3)).astype(np.float32) / 9}
    constants |= {"updates": random.normal(size=(2, 5)).astype(np.float32)}
    constants |= {name: np.array([value]) for name, value in {"zero": 0, "two": 2, "last": -1}.items()}
    ordered = [nodes[0], *nodes[4:], *nodes[1:4]]
    module = imported(model(ordered, [12], constants, element=onnx.TensorProto.INT64))
    x = random.integers(-37, 37, (9, 12))
    x[:, :2] %= 12
    return module, x.astype(np.float32)


@pytest.mark.long
@pytest.mark.parametrize(("width", "device"), spread([*product((8, 16), DEVICES)], 4))
def test_computed_indices_on_devices(width: int, device: str, tmp_path: Path):
    """In 8 and 16 bits, the results of `texts` are close to the reals, because indices are exact. Devices compute the
    evaluator's bits.
    """
    (module, x), ctx = texts(), context()
    np.savez(tmp_path / "val.npz", x=x)
    reals = evaluate_reals(module, x).scores
    options = {"data": str(tmp_path / "val.npz"), "target": device, "format": "fixed", "width": width}
    pipelines.run(module, ctx, pipelines.flatten("reals-to-formats", options))
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    assert reals is not None
    np.testing.assert_allclose(decoded_outputs(module, x), reals, atol=0.004 if width == 16 else 0.3)
    check_on_device(module, device, encode_inputs(module, x), tmp_path, options)


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 2))
def test_a_quantised_network_on_devices(device: str, tmp_path: Path):
    module, ctx, options = quantised_network(), context(), {"target": device}
    x = encode_inputs(module, 2 * np.random.default_rng(8).normal(size=(4, 50)))
    at_import = evaluate(module, x)
    pipelines.run(module, ctx, pipelines.flatten("refine-formats", options))
    assert first_mismatch(at_import, evaluate(module, x)) is None
    check_on_device(module, device, x, tmp_path, options)


def check_on_device(module: ModuleOp, device: str, x: Array, tmp_path: Path, options: Mapping[str, Any]) -> None:
    """Compile a program at L1, and assert that a device computes the evaluator's bits. It runs on the variant of the
    device with more memory.
    """
    expected, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx := context(), **options)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(roomy(device))
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None
