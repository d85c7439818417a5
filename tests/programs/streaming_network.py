"""A small network with the interface of MLPerf Tiny's streaming wake word, in TensorFlow Lite's format."""

from __future__ import annotations

import numpy as np

from programs.tflite_models import SAME, VALID, TfliteModel, weighted

SCALE = 0.0037010426
"""The scale of the features of `sww01`."""

FRAMES = 30
"""Frames that the network reads."""


def streaming_network(*, padding: int = VALID, stride: int = 1, outputs: int = 1, channels: int = 40) -> bytes:
    """The bytes of a network with the input and the outputs of `sww01`, but fewer layers.

    padding, stride: those of its convolution.
    outputs: the number of outputs.
    channels: the channels of the input.
    """
    model, random = TfliteModel(), np.random.default_rng(1)
    x = model.tensor((1, FRAMES, 1, channels), scales=SCALE, zero_point=-128)
    height = FRAMES if padding == VALID and stride == 1 else 3
    rows = 1 if height == FRAMES else -(-(FRAMES if padding == SAME else FRAMES - 2) // stride)
    y = model.tensor((1, rows, 1, 3), scales=0.5)
    options = {"Padding": padding, "StrideH": stride, "StrideW": 1}
    weighted(model, "CONV_2D", x, (3, height, 1, channels), y, random, **options)
    flat, sums = model.tensor((1, 3 * rows), scales=0.5), model.tensor((1, 3), scales=0.5)
    model.op("RESHAPE", [y], flat)
    weighted(model, "FULLY_CONNECTED", flat, (3, 3 * rows), sums, random)
    p = model.tensor((1, 3), scales=1 / 256, zero_point=-128)
    model.op("SOFTMAX", [sums], p, Beta=1.0)
    return model.finish([x], [p] * outputs)
