"""The padding of quantised numbers in QONNX graphs has the value that the op Pad states."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.onnx_models import imported, model, node, number

from tinyml.runtime.evaluator.evaluator import evaluate_reals

QONNX = "qonnx.custom_op.general"


@pytest.mark.parametrize("scale", [0.1, 0.25])
@pytest.mark.parametrize("margin", [0, 0.5, -1])
def test_a_margin_has_the_unit_of_the_numbers(margin: float, scale: float):
    """Numbers that a Quant op has quantised are padded by the real `margin`, also if the numbers are imported as
    integers in units of a scale that is not a power of two.
    """
    nodes = [
        node("Quant", "x s z b", "q", domain=QONNX, signed=1, narrow=0),
        node("Pad", "q pads margin", "r"),
        node("Quant", "r s z b", "y", domain=QONNX, signed=1, narrow=0),
    ]
    constants = {
        "s": number(scale),
        "z": number(0),
        "b": number(8),
        "pads": np.array([0, 1, 0, 2]),
        "margin": number(margin),
    }
    x = np.array([[3, -7, 50, -120]]) * scale
    result = evaluate_reals(imported(model(nodes, [1, 4], constants)), x.astype(np.float32)).tensors[0]
    np.testing.assert_allclose(result, np.pad(x, ((0, 0), (1, 2)), constant_values=margin), rtol=1e-6)
