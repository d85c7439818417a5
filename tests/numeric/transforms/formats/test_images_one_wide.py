"""Convolutions of images with a width of one pixel, whose tiles extend along the image, compute the evaluator's bits on
every device.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from programs.devices import DEVICES, with_llvm
from programs.on_boards import difference, printed
from programs.spread import spread_product
from programs.tflite_models import NONE, SAME, VALID, TfliteModel, inputs_of, weighted

from tinyml.lowering.frontends.tflite.importer import read_tflite
from tinyml.runtime.devices.registry import runner_for
from tinyml.runtime.model.model_interface import interface_of

SHAPES = [(9, 3, 4, 1), (12, 5, 3, 2), (17, 10, 6, 1), (10, 15, 5, 1), (2, 3, 8, 1)]
"""Height of the image, taps of the filter, channels, stride."""

KINDS = ("depthwise", "depthwise, valid", "convolution")


def layer(kind: str, shape: tuple[int, int, int, int]) -> bytes:
    """The bytes of a model of a layer with random weights on an image one pixel wide. The image is padded if it is
    smaller than a window.

    kind: contains `depthwise` for a depthwise convolution, and `valid` for a layer without padding.
    shape: the height of the image and of a window, the channels, and the stride.
    """
    (height, taps, channels, stride), model, random = shape, TfliteModel(), np.random.default_rng(5)
    valid, rows = "valid" in kind and taps <= height, channels if "depthwise" in kind else 7
    extent = -(-(height - taps + 1 if valid else height) // stride)
    x, y = model.tensor((1, height, 1, channels), "int8", 0.05, -9), model.tensor((1, extent, 1, rows), "int8", 0.4, 6)
    options = {"Padding": VALID if valid else SAME, "StrideH": stride, "StrideW": 1, "FusedActivationFunction": NONE}
    if "depthwise" in kind:
        weighted(model, "DEPTHWISE_CONV_2D", x, (1, taps, 1, rows), y, random, DepthMultiplier=1, **options)
    else:
        weighted(model, "CONV_2D", x, (rows, taps, 1, channels), y, random, **options)
    return model.finish([x], [y])


@pytest.mark.long
@pytest.mark.parametrize(("device", "shape", "kind"), spread_product(12, DEVICES, SHAPES, KINDS))
def test_layers_keep_their_bits(device: str, shape: tuple[int, int, int, int], kind: str, tmp_path: Path):
    content = layer(kind, shape)
    module, x = read_tflite(content, "layer.tflite"), inputs_of(content, 3)
    raws = x.reshape(3, interface_of(module).input_length)
    for number, name in enumerate([device, *with_llvm((device, shape, kind))]):
        files = printed(module, name, tmp_path / f"c{number}")
        assert difference(module, raws, files, runner_for(name), tmp_path / f"build{number}") is None
