"""The network of digits of Gural and Murmann (2019), from its published weights, and its arithmetic in numpy.

Weights have 4 bits, biases 8, activations 4 bits without a sign; scales are powers of two. All layers but the last
round halves to even and clip to 0..15; the ten logits are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.ir import Block, Region, SSAValue

from programs.paths import TESTS
from tinyml.dialects import tdsl
from tinyml.dialects.formats.fixed.type import FixedType, UnsignedType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.formats.number_format import NumberFormat

FOLDER = TESTS / "models/gural-mnist10"
BIAS, IMAGE = 7, 4
"""Fraction bits of all biases, and of the image."""


class Layer(NamedTuple):
    """A layer: fraction bits of its weights and of its activations, which are None for the exact logits."""

    name: str
    weights: int
    activations: int | None


LAYERS = Layer("conv1", 3, 3), Layer("conv2", 3, 2), Layer("conv3", 4, 1), Layer("fc", 4, None)


def parameters(layer: Layer) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """The weights of a layer (height, width, inputs, outputs, or inputs, outputs), and its biases."""
    return np.load(FOLDER / f"{layer.name}_W.npy"), np.load(FOLDER / f"{layer.name}_b.npy")


def images(bytes: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Images of 28x28 bytes as raws of the input: the sum of each 2x2 block, divided by 64 and rounded down."""
    blocks = bytes.reshape(-1, 14, 2, 14, 2).astype(np.int64).sum((2, 4))
    return (blocks >> 6).astype(np.int8).reshape(-1, 196)


def logits(raws: NDArray[np.int8]) -> NDArray[np.int64]:
    """The logits in units of 2^-7 of images (samples, 196), by integer arithmetic alone."""
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
    """The network on formats: label and logits of an image."""
    block = Block(arg_types=[TensorType(UnsignedType(4, IMAGE).type, (1, 14, 14, 1))])
    [value] = block.args
    value.name_hint, scale = "X", IMAGE

    def add(op: Any, name: str) -> SSAValue:
        block.add_op(op)
        op.results[0].name_hint = name
        return op.results[0]

    def constant(raws: NDArray[np.int8], format: NumberFormat, name: str) -> SSAValue:
        return add(tdsl.ConstOp(raws.astype(format.dtype), format), name)

    for layer in LAYERS[:-1]:
        weights, biases = parameters(layer)
        assert layer.activations is not None
        filter = constant(weights.transpose(3, 0, 1, 2), FixedType(5, layer.weights), f"{layer.name}_W")
        bias = constant(biases.reshape(1, 1, 1, -1), FixedType(9, BIAS), f"{layer.name}_b")
        # Of 72 products of at most 8 * 15 each, exactly.
        sums = FixedType(16, layer.weights + scale).type
        value = add(tdsl.Conv2dOp(filter, value, element=sums), f"{layer.name}_sums")
        scale = layer.activations
        value = add(tdsl.AddOp(value, bias, UnsignedType(4, scale).type), layer.name)
    value = add(tdsl.MaxPoolOp(value, (2, 2), (0, 0, 0, 0), (2, 2)), "pool")
    value = add(tdsl.ReshapeOp(value, (176, 1)), "features")
    weights, biases = parameters(LAYERS[-1])
    matrix = constant(weights.T, FixedType(5, LAYERS[-1].weights), "fc_W")
    bias = constant(biases.reshape(-1, 1), FixedType(9, BIAS), "fc_b")
    one = constant(np.ones((1, 1), np.int8), FixedType(2, 0), "one")
    scores = add(tdsl.MatmulSumOp([(matrix, value), (bias, one)], None, FixedType(18, BIAS).type), "logits")
    label = add(tdsl.ArgmaxOp(scores), "label")
    block.add_op(func.ReturnOp(label, scores))
    type = FunctionType.from_lists(block.arg_types, [label.type, scores.type])
    return ModuleOp([func.FuncOp("gural_mnist10", type, Region(block))])
