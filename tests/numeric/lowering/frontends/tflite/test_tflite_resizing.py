"""Bilinear interpolation computes TensorFlow Lite Micro's bytes in 8 bits, and its reals in floating point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs.devices import DEVICES
from programs.on_boards import difference, printed
from programs.spread import spread
from programs.tflite_models import TfliteModel, computed_by_tflm, raws

from tinyml.dialects.errors import InputError
from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.evaluator.evaluator import evaluate, evaluate_reals

HEIGHT, WIDTH, CHANNELS = 4, 6, 3
MODES: dict[str, dict[str, bool]] = {
    "from corners": {},
    "half pixels": {"HalfPixelCenters": True},
    "aligned corners": {"AlignCorners": True},
}


def resized(size: tuple[int, int], dtype: str, **options: bool) -> bytes:
    """The bytes of a model that interpolates an image of 4 x 6 pixels to `size`.

    Quantised images have a zero point other than 0, so that the direction in which halves are rounded depends on their
    sign.
    """
    model = TfliteModel()
    quantised: dict[str, Any] = {} if dtype == "float32" else {"scales": 0.04, "zero_point": -11}
    x = model.tensor((1, HEIGHT, WIDTH, CHANNELS), dtype, **quantised)
    y = model.tensor((1, *size, CHANNELS), dtype, **quantised)
    model.op("RESIZE_BILINEAR", [x, model.constant(size)], y, **options)
    return model.finish([x], [y])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [(8, 12), (2, 3), (7, 9), (1, 1), (4, 15)])
def test_floats(mode: str, size: tuple[int, int]):
    content = resized(size, "float32", **MODES[mode])
    x = np.random.default_rng(4).normal(size=(20, 1, HEIGHT, WIDTH, CHANNELS)).astype(np.float32)
    found = np.asarray(evaluate_reals(read_tflite(content, "m.tflite"), x.reshape(20, -1)).tensors[0])
    np.testing.assert_allclose(found.reshape(20, -1), computed_by_tflm(content, x)[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("mode", ["from corners", "half pixels"])
@pytest.mark.parametrize("size", [(8, 12), (16, 24), (2, 3), (4, 12), (2, 24), (1, 1)])
def test_bytes(mode: str, size: tuple[int, int]):
    content = resized(size, "int8", **MODES[mode])
    x = raws(np.random.default_rng(5), (400, 1, HEIGHT, WIDTH, CHANNELS))
    found = evaluate(read_tflite(content, "m.tflite"), x.reshape(400, -1)).tensors[0]
    np.testing.assert_array_equal(found.reshape(400, -1), computed_by_tflm(content, x)[0])


@pytest.mark.parametrize("size", [(1, 4), (4, 4), (8, 1)])
def test_bytes_of_one_pixel(size: tuple[int, int]):
    """An image of one pixel, interpolated with aligned corners to several sizes, has TFLM's bytes. Every new pixel has
    the position of the only pixel.
    """
    model = TfliteModel()
    x, y = (model.tensor((1, *each, 2), "int8", scales=0.04, zero_point=-11) for each in ((1, 1), size))
    model.op("RESIZE_BILINEAR", [x, model.constant(size)], y, AlignCorners=True)
    content, images = model.finish([x], [y]), raws(np.random.default_rng(5), (20, 1, 1, 1, 2))
    found = evaluate(read_tflite(content, "m.tflite"), images.reshape(20, -1)).tensors[0]
    np.testing.assert_array_equal(found.reshape(20, -1), computed_by_tflm(content, images)[0])


def test_extents_beyond_the_limit_are_refused():
    with pytest.raises(InputError, match="an extent of 65536 is not supported, only up to 16384"):
        read_tflite(resized((1, 1 << 16), "int8"), "m.tflite")


@pytest.mark.long
@pytest.mark.parametrize("device", spread(DEVICES, 3))
def test_devices_compute_the_same_bytes(device: str, tmp_path: Path):
    module = read_tflite(resized((8, 12), "int8", HalfPixelCenters=True), "m.tflite")
    x = raws(np.random.default_rng(6), (5, HEIGHT * WIDTH * CHANNELS))
    assert difference(module, x, printed(module, device, tmp_path / "c"), runner_for(device), tmp_path) is None


@pytest.mark.parametrize(
    ("size", "mode"), [((12, 18), "half pixels"), ((32, 48), "half pixels"), ((8, 6), "aligned corners")]
)
def test_bytes_of_other_factors_are_refused(size: tuple[int, int], mode: str):
    with pytest.raises(InputError, match=r"4 x 6 pixels of 8 bits become .*: supported are 1/2, 2 and 4 times each"):
        read_tflite(resized(size, "int8", **MODES[mode]), "m.tflite")
