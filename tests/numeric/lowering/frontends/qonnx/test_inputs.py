"""Inputs that a quantiser reads are rounded once, by its own formula, in the evaluator and on every device.

`Quant` of `qonnx` computes `round(clip(x / scale + zero, low, high)) - zero` in single precision, and rounds halves to
even. `levels` computes it in numpy. The inputs of the tests are the midpoints of adjacent levels, and their neighbours
in single precision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from oracles.onnx_models import FLOAT, decoded_outputs, imported, model, node, number
from programs.caller_programs import ELEMENTS, CalledPrograms, Caller
from programs.runtime_functions import run_figure
from xdsl.dialects.builtin import ModuleOp

import tinyml
from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.lowering.exporters.onnx_writer import write_onnx
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, feature_map, predict_function
from tinyml.targets.registry import HOST

QONNX = "qonnx.custom_op.general"
SCALES = [0.1, 0.0123, 1 / 3, 0.25, 1.0]
ZEROS = [0, 1, 2, -3, 128]

F32 = NDArray[np.float32]


def limits(bits: int, signed: int, narrow: int) -> tuple[int, int]:
    return (-(1 << bits - 1) + narrow, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1 - narrow)


def levels(x: F32, scale: float, zero: int, bits: int, signed: int = 1, narrow: int = 0) -> F32:
    quotients = x / np.float32(scale) + np.float32(zero)
    assert quotients.dtype == np.float32
    return np.rint(np.clip(quotients, *limits(bits, signed, narrow))) - np.float32(zero)


def near_ties(scale: float, bits: int, columns: int = ELEMENTS) -> F32:
    """The midpoints of all levels with every zero point, their neighbours, and an input of -0.50005 steps."""
    middles = ((np.arange(-(2 << bits) - 128, 2 << bits) + 0.5) * np.float64(np.float32(scale))).astype(np.float32)
    around = [np.nextafter(middles, np.float32(end)) for end in (-np.inf, np.inf)]
    x = np.concatenate([middles, *around, [np.float32(-0.50005 * scale)]])
    return np.resize(x, (-(-len(x) // columns), columns)).astype(np.float32)


def quantised(
    scale: float, zero: int, bits: int, signed: int = 1, narrow: int = 0, *, op: str = "Quant", first: str = "x"
) -> onnx.ModelProto:
    """A quantiser and a product with the identity.

    first: "x", or "moved" for a quantiser that reads a transposed input.
    """
    nodes = [
        node("Transpose", "x", "moved", perm=[0, 1]),
        node(op, f"{first} s z b" if op == "Quant" else f"{first} s", "q", domain=QONNX, signed=signed, narrow=narrow),
        node("Quant", "w one zero two", "v", domain=QONNX, signed=1, narrow=0),
        node("MatMul", "q v"),
    ]
    constants = {"s": number(scale), "z": number(zero), "b": number(bits), "w": np.eye(ELEMENTS, dtype=np.float32)}
    constants |= {"one": number(1), "zero": number(0), "two": number(2)}
    return model(nodes[first == "x" :], [1, ELEMENTS], constants)


def argument_format(module: ModuleOp) -> NumberFormat:
    return tdsl.format_of(predict_function(module).body.block.args[0])


def steps(module: ModuleOp, x: F32, scale: float) -> NDArray[Any]:
    """The outputs of a program of `quantised`, in units of the scale."""
    return np.rint(decoded_outputs(module, x) / np.float32(scale))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bits", [8, 4, 3])
@pytest.mark.parametrize("zero", ZEROS)
def test_inputs_are_rounded_once(scale: float, bits: int, zero: int):
    x = near_ties(scale, bits)
    for signed, narrow in ((1, 0), (1, 1), (0, 0), (0, 1)):
        module = imported(quantised(scale, zero, bits, signed, narrow))
        assert argument_format(module) != F32_FORMAT
        np.testing.assert_array_equal(steps(module, x, scale), levels(x, scale, zero, bits, signed, narrow))


def test_the_input_of_the_report():
    """An input of -0.50005 steps is level -1. Rounded to 16 bits first, it would be a tie, whose even level is 0."""
    module = imported(quantised(0.1, 0, 4))
    x = np.full((1, ELEMENTS), -0.050005, np.float32)
    assert (steps(module, x, 0.1) == -1).all()


def test_the_interface_has_the_scale_and_the_zero_point():
    given = tdsl.read_input(imported(quantised(0.1, 3, 4, 0)))
    assert (given.scales, given.offsets, given.points) == ((float(np.float32(0.1)),), (0.0,), (3.0,))


def test_moved_inputs_are_read_by_the_quantiser_after_the_move():
    x = near_ties(0.1, 4)
    module = imported(quantised(0.1, 1, 4, first="moved"))
    np.testing.assert_array_equal(steps(module, x, 0.1), levels(x, 0.1, 1, 4))


def test_signs_are_those_of_the_floats():
    """Numbers of less than half a step are not rounded to 0, whose sign is positive."""
    x = np.array([[-1e-9, 1e-9, -0.0, -3.0]], np.float32)
    module = imported(quantised(0.1, 0, 1, op="BipolarQuant"))
    assert steps(module, x, 0.1).tolist() == [[-1, 1, 1, -1]]


def test_inputs_of_two_readers_are_reals():
    """The sum of the input and its quantised numbers needs the input itself."""
    given = quantised(0.1, 3, 4)
    given.graph.node.append(node("Add", "x q", "sum"))
    given.graph.output.append(onnx.ValueInfoProto(name="sum"))
    module = imported(given)
    assert argument_format(module) == F32_FORMAT
    assert feature_map(module) is None


def test_scales_of_inputs_are_not_dropped_in_exported_models():
    with pytest.raises(InputError, match="the caller divides the input by scales, which cannot be written as ONNX"):
        write_onnx(imported(quantised(0.1, 0, 4)))


def test_a_sensor_with_a_unit_is_read_in_its_integers(tmp_path: Path):
    """With `--input-unit`, the program computes the quantiser of its input, from the integers of the sensor."""
    (tmp_path / "net.onnx").write_bytes(quantised(0.1, 3, 4).SerializeToString())
    x = np.arange(-20, 20, dtype=np.float32).reshape(-1, ELEMENTS) * np.float32(0.04)
    program = tinyml.compile(tmp_path / "net.onnx", x, board=HOST, input_unit="0.01:int16")
    np.testing.assert_array_equal(np.rint(program.scores(x) / 0.1), levels(x, 0.1, 3, 4))


def test_several_inputs_have_scales_of_their_own():
    given = quantised(0.1, 3, 4)
    given.graph.input.append(helper.make_tensor_value_info("x2", FLOAT, [1, ELEMENTS]))
    given.graph.node.insert(0, node("Quant", "x2 s2 z2 b", "q2", domain=QONNX, signed=1, narrow=0))
    given.graph.node.append(node("MatMul", "q2 v", "y2"))
    given.graph.output.append(onnx.ValueInfoProto(name="y2"))
    constants = {"s2": number(0.0123), "z2": number(0)}
    given.graph.initializer.extend(onnx.numpy_helper.from_array(each, name) for name, each in constants.items())
    module = imported(given)
    x = near_ties(0.1, 4)
    both = np.concatenate([x, x * np.float32(0.123)], axis=1)
    raws = encode_inputs(module, both)
    np.testing.assert_array_equal(raws[:, :ELEMENTS], levels(x, 0.1, 3, 4) + 3)
    np.testing.assert_array_equal(raws[:, ELEMENTS:], levels(both[:, ELEMENTS:], 0.0123, 0, 4))


CASES = [(scale, zero, bits) for scale in (0.1, 0.0123, 1 / 3, 0.25) for zero, bits in ((0, 8), (3, 4), (128, 3))]
"""Quantisers whose inputs devices round: scales, zero points and bits."""


@pytest.mark.parametrize("device", ["host", "uno", "cortex-m4"])
def test_devices_round_inputs_once(device: str, tmp_path: Path):
    """NAME_set stores the integers of the quantiser's formula."""
    callers: list[Caller] = []
    for at, case in enumerate(CASES):
        module = imported(quantised(*case))
        features = feature_map(module)
        fields = {} if features is None else features.fields
        text = ", ".join(f"{name} = {list(value)}" for name, value in fields.items())
        callers.append(Caller(f"quantiser_{at}", argument_format(module), text, FixedType(16, 0)))
    inputs = [near_ties(scale, bits).ravel() for scale, _, bits in CASES]
    zero = np.zeros(1, np.float32)
    no_raws = [zero.astype(np.int16)] * len(CASES)
    called = CalledPrograms(callers, device, tmp_path, 64).call(inputs, no_raws, zero, [zero] * len(CASES))
    for case, x, found in zip(CASES, inputs, called.elements, strict=True):
        np.testing.assert_array_equal(found, levels(x, *case) + case[1], str(case))


_PUSHES = """\
#include "figure.h"
#include "{program}"
static int16_t out[1];
const int16_t *figure_scores(void) {{ return out; }}
void figure_predict(const int32_t *X)
{{
    union {{ int32_t bits; float real; }} x;
    net_reset();
    for (int i = 0; i < {length}; i++) {{
        x.bits = X[i];
        net_push_floats(&x.real, 1);
    }}
    out[0] = net_predict();
}}
"""


def test_streams_of_floats_are_rounded_once(tmp_path: Path):
    """NAME_push_floats converts samples as NAME_set does; all samples of a stream have one scale."""
    random = np.random.default_rng(0)
    nodes = [
        node("Transpose", "x", "image", perm=[0, 3, 1, 2]),
        node("Quant", "image s z b", "q", domain=QONNX, signed=1, narrow=0),
        node("Quant", "f one zero two", "filter", domain=QONNX, signed=1, narrow=0),
        node("Conv", "q filter", "c"),
        node("Relu", "c", "r"),
        node("Quant", "r s zero b", "levels", domain=QONNX, signed=1, narrow=0),
        node("Flatten", "levels", "flat"),
        node("Quant", "w one zero two", "v", domain=QONNX, signed=1, narrow=0),
        node("MatMul", "flat v"),
    ]
    constants = {"s": number(0.1), "z": number(3), "b": number(4), "one": number(1), "zero": number(0)}
    constants |= {"two": number(2), "f": random.integers(-1, 2, (4, 1, 3, 3)).astype(np.float32)}
    constants |= {"w": random.integers(-1, 2, (4 * 14 * 6, 3)).astype(np.float32)}
    given = model(nodes, [1, 16, 8, 1], constants)
    (tmp_path / "net.onnx").write_bytes(given.SerializeToString())
    x = random.permuted(near_ties(0.1, 4, 16 * 8).repeat(20, 0), axis=1)
    program = tinyml.compile(tmp_path / "net.onnx", x, board=HOST, input="push")
    program.save(tmp_path / "saved")
    (tmp_path / "pushed").mkdir()
    source = _PUSHES.format(program=tmp_path / "saved" / "net.c", length=x.shape[1])
    found = run_figure(source, x.view(np.int32), 1, HOST, tmp_path / "pushed", output="int16_t")
    module = imported(given)
    labels = evaluate(module, encode_inputs(module, x)).labels
    assert labels is not None
    assert len({*labels.tolist()}) > 1
    np.testing.assert_array_equal(found.ravel(), labels)
