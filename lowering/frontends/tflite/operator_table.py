"""The table that maps the names of operators in files to their importers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tinyml.lowering.frontends.tflite import elementwise, keras_layers, layers, movements, products, recurrent, resizing
from tinyml.lowering.frontends.tflite.builder import GraphBuilder
from tinyml.lowering.frontends.tflite.counted_loops import LOOP_INSERT, LOOP_SLICE
from tinyml.lowering.frontends.tflite.meanings import MEANINGS, by_meaning, gather
from tinyml.lowering.frontends.tflite.model import Operator

Import: TypeAlias = Callable[[GraphBuilder, Operator], None]
"""A function that appends the ops of an operator and defines its outputs; raises `VerifyException` if it cannot."""


_MOVES: Mapping[str, Import] = {
    "BROADCAST_TO": movements.broadcast_to,
    "CONCATENATION": movements.concatenation,
    "DEPTH_TO_SPACE": movements.depth_to_space,
    "EXPAND_DIMS": movements.reshape,
    "GATHER": gather,
    LOOP_INSERT: movements.loop_insert,
    LOOP_SLICE: movements.loop_slice,
    "MIRROR_PAD": movements.mirror_pad,
    "PACK": movements.pack,
    "PAD": movements.pad,
    "PADV2": movements.pad,
    "RESHAPE": movements.reshape,
    "REVERSE_V2": movements.reverse,
    "SLICE": movements.slice_,
    "SPACE_TO_DEPTH": movements.space_to_depth,
    "SPLIT": movements.split,
    "SPLIT_V": movements.split_v,
    "SQUEEZE": movements.reshape,
    "STRIDED_SLICE": movements.strided_slice,
    "TILE": movements.tile,
    "TRANSPOSE": movements.transpose,
    "UNPACK": movements.unpack,
}

_OTHERS: Mapping[str, Import] = {
    **dict.fromkeys(elementwise.BINARY, elementwise.binary),
    **dict.fromkeys(elementwise.UNARY, elementwise.unary),
    "AVERAGE_POOL_2D": layers.average_pool,
    "CONV_2D": layers.conv_2d,
    "CUSTOM Convolution2DTransposeBias": layers.transpose_conv_bias,
    f"CUSTOM {keras_layers.RECURRENT}": keras_layers.recurrent_layer,
    "DEPTHWISE_CONV_2D": layers.depthwise_conv_2d,
    "FULLY_CONNECTED": products.fully_connected,
    "L2_NORMALIZATION": elementwise.l2_normalization,
    "LEAKY_RELU": elementwise.leaky_relu,
    "MAXIMUM": elementwise.extreme,
    "MAX_POOL_2D": layers.max_pool,
    "MEAN": layers.mean,
    "MINIMUM": elementwise.extreme,
    "PRELU": elementwise.prelu,
    "REDUCE_MAX": layers.reduce_max,
    "RELU": elementwise.activation,
    "RELU6": elementwise.activation,
    "RELU_N1_TO_1": elementwise.activation,
    "RESIZE_BILINEAR": resizing.resize_bilinear,
    "RESIZE_NEAREST_NEIGHBOR": resizing.resize_nearest,
    "SOFTMAX": elementwise.softmax,
    "TRANSPOSE_CONV": layers.transpose_conv,
    recurrent.LSTM: recurrent.sequence_lstm,
}

OPERATORS: Mapping[str, Import] = {**dict.fromkeys(MEANINGS, by_meaning), **_MOVES, **_OTHERS}
"""The function that imports an operator, by the name of the operator. Operators of `MEANINGS` that also compute on
integers have their own functions.
"""

MOVES = frozenset(_MOVES)
"""The operators that move elements, of any type: a tensor needs no scale for them."""
