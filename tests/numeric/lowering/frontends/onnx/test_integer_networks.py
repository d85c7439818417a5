"""Networks of integers, as NEMO exports them: layers of int8 weights read bytes, and Mul, Add, Div and Clip rescale
their sums. The expected integers are numpy's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import Array, imported, model, node
from programs.devices import DEVICES
from programs.lowered import lowered
from programs.spread import spread
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import element_format
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, encode_inputs, evaluate, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch

RANDOM = np.random.default_rng(11)
BYTE, WIDE = onnx.TensorProto.UINT8, onnx.TensorProto.INT32
WEIGHTS = RANDOM.integers(-128, 128, (4, 2, 3, 3)).astype(np.int8)
LAST = RANDOM.integers(-128, 128, (16, 3)).astype(np.int8)
FACTORS, ADDENDS, OFFSETS = (
    RANDOM.integers(low, high, shape).astype(np.int32)
    for low, high, shape in ((60, 90, (1, 4, 1, 1)), (-900_000, 3_000_000, (1, 4, 1, 1)), (-3000, 3000, (1, 3)))
)
SHIFT = np.array(1 << 15, np.int32)


def rescaled(value: str, result: str, *, floor: bool) -> list[onnx.NodeProto]:
    """The nodes of the quantiser to bytes of the sums `value`. NEMO writes a Floor, which does not change integers."""
    return [
        node("Cast", value, f"{value}_wide", to=WIDE),
        node("Mul", f"{value}_wide factors", f"{value}_scaled"),
        node("Add", f"addends {value}_scaled", f"{value}_moved"),
        node("Div", f"{value}_moved shift", f"{value}_part"),
        *([node("Floor", f"{value}_part", f"{value}_whole")] if floor else []),
        node("Clip", f"{value}_{'whole' if floor else 'part'}", f"{value}_byte", min=0.0, max=255.0),
        node("Cast", f"{value}_byte", result, to=BYTE),
    ]


def network(*, floor: bool = True) -> onnx.ModelProto:
    """A convolution, a pool and a dense layer of integers, for images 1 x 2 x 4 x 4."""
    nodes = [
        node("Conv", "x w", "c", pads=[1, 1, 1, 1]),
        *rescaled("c", "q", floor=floor),
        node("MaxPool", "q", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", "p", "f"),
        node("MatMul", "f v", "m"),
        node("Cast", "m", "wide", to=WIDE),
        node("Add", "wide o"),
    ]
    constants = {"w": WEIGHTS, "v": LAST, "factors": FACTORS, "addends": ADDENDS, "shift": SHIFT, "o": OFFSETS}
    return model(nodes, [1, 2, 4, 4], constants, opset=10, element=BYTE)


def expected(x: Array) -> Array:
    """The integers that the network computes for images (samples, 2, 4, 4)."""
    around = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    parts = [
        np.einsum("nchw,oc->nohw", around[:, :, i : i + 4, j : j + 4], WEIGHTS[:, :, i, j].astype(np.int64))
        for i in range(3)
        for j in range(3)
    ]
    moved = np.sum(parts, 0) * FACTORS.astype(np.int64) + ADDENDS
    levels = np.clip(moved >> 15, 0, 255)
    assert (levels == 0).any()
    assert (levels == 255).any()
    pooled = levels.reshape(-1, 4, 2, 2, 2, 2).max((3, 5))
    return pooled.reshape(len(x), -1) @ LAST.astype(np.int64) + OFFSETS


def _samples() -> Array:
    return RANDOM.integers(0, 256, (40, 2, 4, 4))


def _results(module: ModuleOp, x: Array) -> Array:
    scores = evaluate(module, encode_inputs(module, x.reshape(len(x), -1).astype(np.float32))).scores
    assert scores is not None
    return element_format(predict_function(module).function_type.outputs.data[-1]).decode(scores)


@pytest.mark.parametrize("floor", [True, False])
def test_a_network_of_integers(floor: bool):
    module, x = imported(network(floor=floor)), _samples()
    assert str(predict_function(module).function_type.inputs.data[0]) == "tensor<1x2x4x4x!fixed.u<8, 0>>"
    np.testing.assert_array_equal(_results(module, x), expected(x))


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 3))
def test_a_network_of_integers_on_devices(device: str, tmp_path: Path):
    module = imported(network())
    x = encode_inputs(module, _samples()[:4].reshape(4, -1).astype(np.float32))
    at_import, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx := context(), target=device)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(at_import, Outputs(result.labels, result.scores)) is None


def test_sums_beyond_single_precision():
    """Products of 30 bits are exact: the file's arithmetic is of integers, not of floats."""
    factors, addend, shift = np.array(19_997, np.int32), np.array(77, np.int32), np.array(1 << 21, np.int32)
    weights = np.array([[127], [-3]], np.int8)
    nodes = [
        node("MatMul", "x w", "m"),
        node("Cast", "m", "i", to=WIDE),
        node("Mul", "i f", "s"),
        node("Add", "s a", "t"),
        node("Div", "t d", "q"),
        node("Clip", "q", min=0.0, max=255.0),
    ]
    constants = {"w": weights, "f": factors, "a": addend, "d": shift}
    module = imported(model(nodes, [1, 2], constants, opset=10, element=BYTE))
    x = np.stack(np.meshgrid(range(256), range(256)), -1).reshape(-1, 2)
    levels = np.clip(((x @ weights.astype(np.int64)) * 19_997 + 77) >> 21, 0, 255)
    np.testing.assert_array_equal(_results(module, x), levels)


def _error(nodes: list[onnx.NodeProto], constants: dict[str, Any], element: int = BYTE) -> str:
    with pytest.raises(InputError) as caught:
        imported(model(nodes, [1, 4], constants, opset=10, element=element))
    return str(caught.value)


def test_unsigned_weights_are_refused():
    """ONNX defines no sums of products of bytes, and the exporters that write uint8 mean signed bytes."""
    weights = np.array([[1], [2], [3], [200]], np.uint8)
    assert _error([node("MatMul", "x w")], {"w": weights}) == (
        "test.onnx: MatMul 'MatMul_y': its weights are of uint8, up to 200: exporters store signed bytes in this type; "
        "write them as int8 (array.view('int8'))"
    )


def test_a_cast_that_would_wrap_around_is_refused():
    message = _error([node("MatMul", "x w", "m"), node("Cast", "m", to=BYTE)], {"w": np.ones((4, 1), np.int8)})
    assert "integers from 0 to 1020 would wrap around in uint8: add a Clip before it" in message


def test_quotients_below_zero_are_refused():
    """Div truncates towards zero, whereas a shift rounds down: a Clip must remove what differs."""
    nodes = [node("MatMul", "x w", "m"), node("Div", "m d", "q"), node("Clip", "q", "c", min=-8.0, max=7.0)]
    constants = {"w": np.ones((4, 1), np.int8), "d": np.array(4, np.int32)}
    assert "a conversion of" in _error([*nodes, node("Cast", "c", to=WIDE)], constants)


def test_wide_inputs_of_layers_are_refused():
    message = _error([node("MatMul", "x w")], {"w": np.ones((4, 1), np.int32)}, onnx.TensorProto.INT32)
    assert "MatMul 'MatMul_y': reads int32, which is not supported here" in message
    assert "layers read int8 and uint8, or integers before a RequantShift" in message


def test_a_model_that_lost_its_scales_is_refused():
    """tflite2onnx writes int8 inputs and weights, biases as floats, and no scale."""
    constants = {"w": np.ones((4, 2), np.int8), "b": np.array([0.25, -1], np.float32)}
    assert _error([node("Gemm", "x w b")], constants, onnx.TensorProto.INT8) == (
        "test.onnx: Gemm 'Gemm_y': reads integers without a scale, but its constants are no integers: a converter "
        "dropped the scales; give the model from before the conversion"
    )


def test_limits_are_no_scales():
    """A Clip of bytes has three inputs, none of which is a scale."""
    nodes = [node("Clip", "x low high", "c"), node("MatMul", "c w")]
    constants = {"w": np.ones((4, 1), np.int8), "low": np.array(5, np.uint8), "high": np.array(9, np.uint8)}
    module = imported(model(nodes, [1, 4], constants, opset=13, element=BYTE))
    x = np.array([[0, 7, 200, 9], [5, 6, 7, 8]])
    np.testing.assert_array_equal(_results(module, x), np.clip(x, 5, 9).sum(1, keepdims=True))
