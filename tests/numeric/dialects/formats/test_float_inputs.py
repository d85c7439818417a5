"""Floats become raws of zero-skew integers as in the framework from which the type comes.

`quantize_per_tensor` of PyTorch's `torch.ops.quantized_decomposed` computes `clamp(round(input * (1.0 / scale)) +
zero_point)`, where `input` has single precision and `round` rounds halves to even. QUANTIZE of TensorFlow Lite computes
`round(input / scale) + zero_point`, where `round` rounds halves away from zero. Both are computed here in numpy.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.printed import parse

from tinyml.dialects.formats.zeroskew.single_precision import FloatSkewType
from tinyml.dialects.formats.zeroskew.type import ZeroSkewType
from tinyml.runtime.evaluator.evaluator import encode_inputs

SCALES = (0.027037939, 0.1, 0.3, 0.0078125, 1.0, 3.7)

F32 = NDArray[np.float32]


def half_way(scale: float, width: int = 8) -> F32:
    """The floats nearest to the midpoints between adjacent raws, and the floats next to them."""
    middles = ((np.arange(-(1 << width), 1 << width) + 0.5) * np.float64(np.float32(scale))).astype(np.float32)
    return np.concatenate([middles, *(np.nextafter(middles, np.float32(end)) for end in (-np.inf, np.inf))])


def by_pytorch(x: F32, scale: float, zero: int) -> NDArray[np.float32]:
    return np.clip(np.rint(x * (np.float32(1) / np.float32(scale))) + np.float32(zero), -128, 127)


def by_tensorflow(x: F32, scale: float, zero: int) -> NDArray[np.float64]:
    quotients = (x / np.float32(scale)).astype(np.float64)
    return np.clip(np.trunc(quotients + np.copysign(0.5, quotients)) + zero, -128, 127)


def by_onnx(x: F32, scale: float, zero: int) -> NDArray[np.float32]:
    return np.clip(np.rint(x / np.float32(scale)) + np.float32(zero), -128, 127)


def raws(type: str, x: F32) -> list[int]:
    tensor = f"tensor<1x1x{type}>"
    module = parse(f"func.func @f(%x: {tensor}) -> {tensor} {{ func.return %x : {tensor} }}")[1]
    return encode_inputs(module, x[:, None]).ravel().tolist()


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("zero", [0, -128, 7])
def test_inputs_round_as_in_the_framework(scale: float, zero: int) -> None:
    x = half_way(scale)
    assert raws(str(ZeroSkewType(8, scale, zero, to_even=True)), x) == by_pytorch(x, scale, zero).tolist()
    assert raws(str(ZeroSkewType(8, scale, zero)), x) == by_tensorflow(x, scale, zero).tolist()
    assert raws(str(FloatSkewType(scale, zero)), x) == by_onnx(x, scale, zero).tolist()


def test_the_product_with_the_reciprocal_is_not_the_quotient() -> None:
    """The scale and the inputs with which the difference between PyTorch and ONNX was found."""
    x = ((np.arange(-127, 126) + 0.5) * np.float64(np.float32(0.027037939))).astype(np.float32)
    assert (by_pytorch(x, 0.027037939, 0) != by_onnx(x, 0.027037939, 0)).sum() == 69


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("width", "even"), [(8, True), (8, False), (16, False)])
def test_decoded_raws_return_in_single_precision(scale: float, even: bool, width: int) -> None:
    format = ZeroSkewType(width, scale, -3 if width == 8 else 0, to_even=even)
    every = np.arange(format.raw_limits[0], format.raw_limits[1] + 1).astype(format.dtype)
    assert (format.encode_clipped(format.decode(every).astype(np.float32).astype(np.float64)) == every).all()
