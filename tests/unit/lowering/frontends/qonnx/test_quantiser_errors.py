"""Quantisers that cannot be imported are rejected in one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from oracles.onnx_models import model, node, number

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx

QONNX = "qonnx.custom_op.general"


def quant(numbers: dict[str, Any], **attributes: Any) -> bytes:
    """The bytes of a model of one Quant op.

    numbers: constants by name that replace the scale `s` (1), the zero point `z` (0) or the width `b` (4).
    attributes: attributes that replace the defaults, `signed` 1 and `narrow` 0, or are added to them.
    """
    constants = {"s": number(1), "z": number(0), "b": number(4)} | numbers
    nodes = [node("Quant", "x s z b", "y", domain=QONNX, **{"signed": 1, "narrow": 0, **attributes})]
    return model(nodes, [1, 4], constants).SerializeToString()


CASES = {
    "17 bits": (quant({"b": number(17)}), "17 bits are not supported, only whole numbers from 1 to 16"),
    "half bits": (quant({"b": number(2.5)}), "2.5 bits are not supported, only whole numbers from 1 to 16"),
    "scale NaN": (quant({"s": number(np.nan)}), "its scale must be finite, got nan: was the network calibrated?"),
    "infinite zero point": (
        quant({"z": number(np.inf)}),
        "its zero point must be finite, got inf: was the network calibrated?",
    ),
    "scale 0": (quant({"s": number(0)}), "scales must be positive numbers"),
    "zero point": (quant({"z": number(0.5)}), "a zero point of 0.5 is not supported, only integers below 16777216"),
    "rounding": (
        quant({}, rounding_mode="FLOOR"),
        "rounding_mode = FLOOR is supported after sums of integers only, else ROUND",
    ),
    "unknown rounding": (
        quant({}, rounding_mode="SIDEWAYS"),
        "rounding_mode = SIDEWAYS is not known, only ROUND, HALF_EVEN, CEIL, FLOOR, UP, DOWN, HALF_UP, HALF_DOWN",
    ),
    "scales of channels": (
        quant({"s": np.array([1, 2, 1, 1], np.float32)}),
        "several scales of computed numbers are not supported, only of constants",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_refusal(case: str):
    content, message = CASES[case]
    with pytest.raises(InputError) as error:
        read_onnx(content, "model.onnx")
    assert error.value.message == f"Quant 'Quant_y': {message}"


def test_16_bits_are_accepted():
    assert "fixed" in str(read_onnx(quant({"b": number(16)}), "model.onnx"))


FEW = {"s": number(0.25), "z": number(0), "b": number(4), "e": np.zeros(0, np.float32), "zero": np.array(0, np.int8)}

READERS: dict[str, tuple[list[onnx.NodeProto], dict[str, Any], str]] = {
    "no factor": ([node("MatMul", "a")], {}, "MatMul 'MatMul_y': needs 2 inputs"),
    "no filter": ([node("Gemm", "a")], {}, "Gemm 'Gemm_y': needs 2 inputs"),
    "no addend": ([node("Add", "a")], {}, "Add 'Add_y': needs 2 inputs"),
    "an empty addend": ([node("Add", "a e")], {}, "Add 'Add_y': every axis has at least one element, got shape [0]"),
    "a stack": (
        [node("Gemm", "a w")],
        {"w": np.ones((1, 4, 2), np.float32)},
        "Gemm 'Gemm_y': expected two matrices, got shapes [1, 4] and [1, 4, 2]",
    ),
    "variances below 0": (
        [node("BatchNormalization", "a c c c c")],
        {"c": -np.ones(4, np.float32)},
        "BatchNormalization 'BatchNormalization_y': its constants differ in length, or a variance is not positive",
    ),
    "no variances": (
        [node("BatchNormalization", "a e e e e")],
        {},
        "BatchNormalization 'BatchNormalization_y': 0 factors do not fit the 4 channels (axis 1) of shape [1, 4]",
    ),
    "thresholds in a row": (
        [node("MultiThreshold", "a t", domain=QONNX)],
        {"t": np.ones(3, np.float32)},
        "MultiThreshold 'MultiThreshold_y': expected thresholds of shape (channels, any), got [3]",
    ),
    "thresholds of scale 0": (
        [node("MultiThreshold", "a t", domain=QONNX, out_scale=0.0)],
        {"t": np.ones((1, 3), np.float32)},
        "MultiThreshold 'MultiThreshold_y': out_scale = 0 and out_bias = 0 are not supported",
    ),
    "an axis that is not there": (
        [node("MultiThreshold", "a t", domain=QONNX, data_layout="NHWC")],
        {"t": np.ones((4, 3), np.float32)},
        "MultiThreshold 'MultiThreshold_y': thresholds [4, 3] do not fit axis 3 of shape [1, 4]",
    ),
    "dropped bits": (
        [node("Trunc", "a s z b o", domain=QONNX)],
        {"o": number(-1e9)},
        "Trunc 'Trunc_y': 1e+09 dropped bits are not supported, only up to 16",
    ),
    "limits in a row": (
        [
            *(node("QuantizeLinear", "a s zero", "q"), node("Clip", "q limits", "c")),
            node("DequantizeLinear", "c s zero"),
        ],
        {"limits": np.array([-3, 1], np.int8)},
        "Clip 'Clip_c': its limits must be numbers",
    ),
    "a zero point of reals": (
        [node("QuantizeLinear", "a s z", "q"), node("DequantizeLinear", "q s z")],
        {},
        "DequantizeLinear 'DequantizeLinear_y': its zero point must be an integer",
    ),
}


@pytest.mark.parametrize("case", READERS)
def test_a_refusal_behind_a_quantiser(case: str):
    nodes, constants, message = READERS[case]
    nodes = [node("Quant", "x s z b", "a", domain=QONNX, signed=1, narrow=0), *nodes]
    with pytest.raises(InputError) as error:
        read_onnx(model(nodes, [1, 4], {**FEW, **constants}).SerializeToString(), "model.onnx")
    assert error.value.message == message


def shift(x: str = "x", numbers: dict[str, Any] | None = None, **attributes: Any) -> bytes:
    """The bytes of a model of one RequantShift.

    x: the operand.
    numbers: constants by name that replace the factor `m` (3) or the addend `a` (0).
    attributes: attributes that replace the defaults, a divisor of 16 and 256 signed levels; None to omit one.
    """
    constants = {"m": number(3), "a": number(0), "one": number(0.5)} | (numbers or {})
    given = {"div": 16.0, "n_levels": [256.0], "signed": [1.0], **attributes}
    nodes = [node("Mul", "x one", "half"), node("RequantShift", f"{x} m a", "y", **_stated(given))]
    return model(nodes, [1, 4], constants).SerializeToString()


def _stated(attributes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None}


SHIFTS = {
    "no divisor": (shift(div=None), "needs the attribute 'div', an integer"),
    "divisor 24": (shift(div=24.0), "div = 24 is not supported, only powers of two up to 2^31"),
    "divisor 2^32": (shift(div=2.0**32), "div = 4294967296 is not supported, only powers of two up to 2^31"),
    "no levels": (shift(n_levels=None), "needs the attribute 'n_levels', an integer"),
    "one level": (shift(n_levels=1.0), "n_levels = 1 is not supported, only 2 to 65536"),
    "17 bits": (shift(n_levels=131072.0), "n_levels = 131072 is not supported, only 2 to 65536"),
    "half a factor": (shift(numbers={"m": number(0.5)}), "its input 1 must have integers of 32 bits"),
    "a factor of 33 bits": (shift(numbers={"m": number(2.0**31)}), "its input 1 must have integers of 32 bits"),
    "a computed factor": (
        shift(numbers={"a": number(0)}).replace(b"\n\x01m", b"\n\x01x"),
        "its input 1 must be a constant",
    ),
    "two axes": (
        shift(numbers={"a": np.ones((2, 4), np.float32)}),
        "parameters [2, 4] for [1, 4]: expected one number for each position along one axis",
    ),
    "halves": (shift("half"), "expected integers: a scale or a function precedes it"),
}


@pytest.mark.parametrize("case", SHIFTS)
def test_a_shift_that_is_refused(case: str):
    content, message = SHIFTS[case]
    with pytest.raises(InputError) as error:
        read_onnx(content, "model.onnx")
    assert error.value.message == f"RequantShift 'RequantShift_y': {message}"


def test_limits_of_shifts_are_accepted():
    assert "fixed.s<16" in str(read_onnx(shift(n_levels=65536.0), "model.onnx"))
    assert "fixed.q<2" in str(read_onnx(shift(n_levels=[2.0], div=[2.0**31]), "model.onnx"))
