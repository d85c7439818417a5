"""Operators at the ends of segmenters and detectors: transposed convolutions of MediaPipe, indices of greatest scores,
and unsigned tensors of different scales that are concatenated.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.devices import DEVICES
from programs.lowered import lowered
from programs.spread import spread
from programs.tflite_models import TfliteModel, computed_by_tflm, raws
from xdsl.dialects.builtin import IndexType

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate, evaluate_reals, predict_function
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.c.print_c import write_c
from tinyml.tools.driver.measure import first_mismatch

Array = NDArray[Any]


def transposed(x: Array, filters: Array, bias: Array, strides: tuple[int, int], *, same: bool) -> Array:
    """The transposed convolution of an image (height, width, channels) by its definition: each pixel adds its multiple
    of the filters to the result.
    """
    (height, width, _), (outputs, rows, columns, _) = x.shape, filters.shape
    whole = np.zeros(((height - 1) * strides[0] + rows, (width - 1) * strides[1] + columns, outputs))
    for i in range(height):
        for j in range(width):
            top, left = i * strides[0], j * strides[1]
            whole[top : top + rows, left : left + columns] += np.einsum("orsc,c->rso", filters, x[i, j])
    cuts = [
        max(0, size - (extent - 1) % step - 1) if same else 0
        for size, extent, step in ((rows, height, strides[0]), (columns, width, strides[1]))
    ]
    top, left = cuts[0] // 2, cuts[1] // 2
    return whole[top : whole.shape[0] - (cuts[0] - top), left : whole.shape[1] - (cuts[1] - left)] + bias


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize(("size", "strides"), [((2, 2), (2, 2)), ((3, 4), (2, 1)), ((4, 4), (2, 3)), ((1, 3), (2, 2))])
def test_transposed_convolutions_of_mediapipe(size: tuple[int, int], strides: tuple[int, int], same: bool):
    random, model = np.random.default_rng(3), TfliteModel()
    filters, bias = (random.normal(size=shape).astype(np.float32) for shape in ((3, *size, 2), (3,)))
    image = random.normal(size=(5, 4, 2)).astype(np.float32)
    expected = transposed(image, filters, bias, strides, same=same)
    x, y = model.tensor((1, 5, 4, 2), "float32"), model.tensor((1, *expected.shape), "float32")
    options = struct.pack("<3i", 1 if same else 2, strides[1], strides[0])
    inputs = [x, model.constant(filters, "float32"), model.constant(bias, "float32")]
    model.op("CUSTOM Convolution2DTransposeBias", inputs, y, custom=options)
    module = read_tflite(model.finish([x], [y]), "m.tflite")
    found = np.asarray(evaluate_reals(module, image.reshape(1, -1)).tensors[0])
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("options", [b"", struct.pack("<3i", 0, 2, 2), struct.pack("<3i", 1, 0, 2)])
def test_other_options_of_mediapipe_are_refused(options: bytes):
    model = TfliteModel()
    x, y = model.tensor((1, 4, 4, 1), "float32"), model.tensor((1, 8, 8, 1), "float32")
    inputs = [x, *(model.constant(np.ones(shape), "float32") for shape in ((1, 2, 2, 1), (1,)))]
    model.op("CUSTOM Convolution2DTransposeBias", inputs, y, custom=options)
    with pytest.raises(
        InputError, match=r"CUSTOM Convolution2DTransposeBias, which computes 't1'\): (expected|padding)"
    ):
        read_tflite(model.finish([x], [y]), "m.tflite")


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_the_index_of_the_greatest_score_is_the_label(dtype: str):
    """ARG_MAX of one vector, which TFLM computes, too. Of equal scores, the first wins."""
    model = TfliteModel()
    scale = None if dtype == "float32" else 0.05
    x, r = (model.tensor((1, 1, 7), dtype, scale, 0 if scale is None else 3) for _ in range(2))
    y = model.tensor((1, 1), "int32")
    model.op("RELU", [x], r)
    model.op("ARG_MAX", [r, model.constant(np.array(-1))], y, OutputType=2)
    content, random = model.finish([x], [y]), np.random.default_rng(4)
    given = raws(random, (50, 1, 1, 7)) if dtype == "int8" else random.integers(-3, 4, (50, 1, 1, 7)).astype(np.float32)
    module = read_tflite(content, "m.tflite")
    assert [type(each) for each in predict_function(module).function_type.outputs] == [IndexType]
    run = evaluate if dtype == "int8" else evaluate_reals
    labels = run(module, given.reshape(50, -1)).labels
    assert labels is not None
    np.testing.assert_array_equal(labels, computed_by_tflm(content, given)[0].ravel())


def test_indices_of_many_vectors_are_refused():
    model = TfliteModel()
    x, y = model.tensor((1, 2, 2, 3), "float32"), model.tensor((1, 2, 2), "int32")
    model.op("ARG_MAX", [x, model.constant(np.array(3))], y, OutputType=2)
    with pytest.raises(InputError) as caught:
        read_tflite(model.finish([x], [y]), "m.tflite")
    assert str(caught.value) == (
        "m.tflite: operator 0 (ARG_MAX, which computes 't1') on 't1' of type int32 is not supported: only the index of "
        "one vector, as an output, is: end the model before it, so that it returns the scores"
    )


def rescaled(x: Array, scale: float, zero: int, result: float, point: int) -> Array:
    """TensorFlow Lite's ConcatenationWithScaling in single precision, with halves rounded away from zero."""
    factor = np.float32(scale) * (np.float32(1) / np.float32(result))
    numbers = x.astype(np.float32) * factor + np.float32(-zero) * factor
    return np.clip(np.trunc(numbers + np.copysign(np.float32(0.5), numbers)) + point, 0, 255)


def concatenation(dtype: str = "uint8") -> tuple[bytes, list[tuple[float, int]]]:
    """A model that concatenates three tensors, and the scale and zero point of each and of the result."""
    model, result = TfliteModel(), (0.079027876, 191)
    formats = [(0.031456824, 138), (0.02928216, 126), result]
    if dtype == "int8":
        formats = [(scale, zero - 128) for scale, zero in formats]
    parts = [model.tensor((1, 256, 1), dtype, *each) for each in formats]
    y = model.tensor((1, 256, 3), dtype, *formats[2])
    model.op("CONCATENATION", parts, y, Axis=2)
    return model.finish(parts, [y]), formats


def test_unsigned_operands_are_rescaled():
    """Each byte of the operands becomes the byte that TensorFlow Lite computes."""
    content, formats = concatenation()
    module, x = read_tflite(content, "m.tflite"), np.arange(256)
    given = (np.concatenate([x, x, x])[None] - 128).astype(np.int8)
    scores = evaluate(module, given).scores
    assert scores is not None
    expected = np.stack([rescaled(x, *each, *formats[2]) for each in formats], -1)
    np.testing.assert_array_equal(scores.reshape(256, 3).astype(int) + 128, expected)


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 2))
def test_unsigned_operands_are_rescaled_on_devices(device: str, tmp_path: Path):
    module = read_tflite(concatenation()[0], "m.tflite")
    x = raws(np.random.default_rng(5), (2, 768))
    expected, interface = evaluate(module, x), interface_of(module)
    lowered(module, ctx := context(), target=device)
    write_c(module, ctx, device, tmp_path)
    runner = runner_for(device)
    result = runner.run(runner.build(tmp_path, interface, tmp_path / "build"), interface, x)
    assert first_mismatch(expected, Outputs(result.labels, result.scores)) is None


def test_signed_operands_of_other_scales_are_refused():
    """TensorFlow Lite itself requires equal scales of signed operands."""
    with pytest.raises(
        InputError, match=r"'t0' has another scale than the result, which TensorFlow Lite allows for uint8"
    ):
        read_tflite(concatenation("int8")[0], "m.tflite")


def test_sparse_constants_are_named():
    model = TfliteModel()
    x, w = model.tensor((1, 4), "float32"), model.constant(np.ones((2, 4)), "float32", sparse=True)
    y = model.tensor((1, 2), "float32")
    model.op("FULLY_CONNECTED", [x, w], y)
    with pytest.raises(InputError, match=r"'t1' is stored sparse, without its zeros, which is not supported: convert"):
        read_tflite(model.finish([x], [y]), "m.tflite")
