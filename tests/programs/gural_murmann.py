"""Gural and Murmann's network for digits (2019), from its published weights, and its integer arithmetic in numpy.

Weights have 4 bits, biases 8, and activations 4 unsigned bits; scales are powers of two. All layers except the last
round halves to even and clip to 0..15; the ten logits are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from programs.network_writer import NetworkWriter
from programs.paths import TESTS
from tinyml.dialects import tdsl
from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = TESTS / "models/gural-mnist10"
BIAS, IMAGE = 7, 4
"""Fraction bits of all biases, and of the image."""


class Layer(NamedTuple):
    """A layer: the fraction bits of its weights and of its activations; None for the exact logits."""

    name: str
    weights: int
    activations: int | None


LAYERS = Layer("conv1", 3, 3), Layer("conv2", 3, 2), Layer("conv3", 4, 1), Layer("fc", 4, None)


def parameters(layer: Layer) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The weights of a layer (height, width, inputs, outputs, or inputs, outputs), and its biases."""
    return np.load(FOLDER / f"{layer.name}_W.npy"), np.load(FOLDER / f"{layer.name}_b.npy")


def images(bytes: NDArray[np.uint8]) -> NDArray[np.int8]:
    """The raws of the input for images of 28x28 bytes: the sum of each 2x2 block, divided by 64 and rounded down."""
    blocks = bytes.reshape(-1, 14, 2, 14, 2).astype(np.int64).sum((2, 4))
    return (blocks >> 6).astype(np.int8).reshape(-1, 196)


def logits(raws: NDArray[np.int8]) -> NDArray[np.int64]:
    """The logits of images (samples, 196) in units of 2^-7, computed in integer arithmetic."""
    x, scale = raws.reshape(-1, 14, 14, 1).astype(np.int64), IMAGE
    for layer in LAYERS[:-1]:
        weights, biases = (part.astype(np.int64) for part in parameters(layer))
        windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
        sums = np.einsum("nyxcij,ijco->nyxo", windows, weights, optimize=True)
        sums = np.maximum((sums << BIAS - layer.weights - scale) + biases, 0)
        assert layer.activations is not None
        scale = layer.activations
        x = np.minimum(half_to_even(sums, BIAS - scale), 15)
    pooled = x.reshape(-1, 4, 2, 4, 2, x.shape[-1]).max((2, 4)).reshape(len(x), -1)
    weights, biases = (part.astype(np.int64) for part in parameters(LAYERS[-1]))
    return ((pooled @ weights) << BIAS - LAYERS[-1].weights - scale) + biases


def half_to_even(numbers: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """numbers / 2^bits, rounded to nearest, halves to even."""
    whole, rest = numbers >> bits, numbers & (1 << bits) - 1
    twice = 2 * rest
    return whole + ((twice > 1 << bits) | ((twice == 1 << bits) & (whole & 1 == 1)))


def program() -> ModuleOp:
    """The network in number formats: a program that returns the label and the logits of an image."""
    net = NetworkWriter((1, 14, 14, 1), format=UnsignedType(4, IMAGE), name="gural_mnist10")
    value, scale = net.input, IMAGE
    for layer in LAYERS[:-1]:
        weights, biases = parameters(layer)
        assert layer.activations is not None
        filter = net.constant(weights.transpose(3, 0, 1, 2), FixedType(5, layer.weights), f"{layer.name}_W")
        bias = net.constant(biases.reshape(1, 1, 1, -1), FixedType(9, BIAS), f"{layer.name}_b")
        # Of 72 products of at most 8 * 15 each, exactly.
        sums = FixedType(16, layer.weights + scale).type
        value = net.insert(tdsl.Conv2dOp(filter, value, element=sums), f"{layer.name}_sums")
        scale = layer.activations
        value = net.insert(tdsl.AddOp(value, bias, UnsignedType(4, scale).type), layer.name)
    value = net.insert(tdsl.MaxPoolOp(value, (2, 2), (0, 0, 0, 0), (2, 2)), "pool")
    value = net.insert(tdsl.ReshapeOp(value, (176, 1)), "features")
    weights, biases = parameters(LAYERS[-1])
    matrix = net.constant(weights.T, FixedType(5, LAYERS[-1].weights), "fc_W")
    bias = net.constant(biases.reshape(-1, 1), FixedType(9, BIAS), "fc_b")
    one = net.constant(np.ones((1, 1), np.int8), FixedType(2, 0), "one")
    scores = net.insert(tdsl.MatmulSumOp([(matrix, value), (bias, one)], None, FixedType(18, BIAS).type), "logits")
    label = net.insert(tdsl.ArgmaxOp(scores), "label")
    return net.module(label, scores)
