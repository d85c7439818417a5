"""Quantisers that cannot be imported are refused in one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.onnx_models import model, node, number

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.onnx.importer import read_onnx

QONNX = "qonnx.custom_op.general"


def quant(numbers: dict[str, Any], **attributes: Any) -> bytes:
    """A model of one Quant, whose scale is 1, zero point 0 and width 4 unless others are given."""
    constants = {"s": number(1), "z": number(0), "b": number(4)} | numbers
    nodes = [node("Quant", "x s z b", "y", domain=QONNX, **{"signed": 1, "narrow": 0, **attributes})]
    return model(nodes, [1, 4], constants).SerializeToString()


CASES = {
    "17 bits": (quant({"b": number(17)}), "17 bits are not supported, only whole numbers from 1 to 16"),
    "half bits": (quant({"b": number(2.5)}), "2.5 bits are not supported, only whole numbers from 1 to 16"),
    "scale 0": (quant({"s": number(0)}), "scales must be positive numbers"),
    "zero point": (quant({"z": number(0.5)}), "a zero point of 0.5 is not supported, only integers"),
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
