"""The table that maps operator names in files to importers. The module of an importer is loaded on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tinyml.dialects.modules import on_call

if TYPE_CHECKING:
    from tinyml.lowering.frontends.tflite.builder import GraphBuilder
    from tinyml.lowering.frontends.tflite.model import Operator

Import: TypeAlias = "Callable[[GraphBuilder, Operator], None]"
"""A function that appends the ops of an operator and defines its outputs; raises `VerifyException` if it cannot."""


_MOVES = {
    "copies:broadcast_to": "BROADCAST_TO",
    "movements:concatenation": "CONCATENATION",
    "movements:depth_to_space": "DEPTH_TO_SPACE",
    "meanings:gather": "GATHER",
    "copies:mirror_pad": "MIRROR_PAD",
    "movements:pack": "PACK",
    "movements:pad": "PAD PADV2",
    "movements:reshape": "EXPAND_DIMS RESHAPE SQUEEZE",
    "movements:reverse": "REVERSE_V2",
    "movements:slice_": "SLICE",
    "movements:space_to_depth": "SPACE_TO_DEPTH",
    "movements:split": "SPLIT",
    "movements:split_v": "SPLIT_V",
    "movements:strided_slice": "STRIDED_SLICE",
    "copies:tile": "TILE",
    "movements:transpose": "TRANSPOSE",
    "movements:unpack": "UNPACK",
}
"""The operators that move elements, by the function `MODULE:NAME`, relative to this folder, that imports them."""

_OTHERS = {
    "elementwise:binary": "ADD MUL SUB",
    "elementwise:unary": "DEQUANTIZE HARD_SWISH LOGISTIC QUANTIZE TANH",
    "elementwise:activation": "RELU RELU6 RELU_N1_TO_1",
    "elementwise:leaky_relu": "LEAKY_RELU",
    "elementwise:extreme": "MAXIMUM MINIMUM",
    "elementwise:l2_normalization": "L2_NORMALIZATION",
    "elementwise:prelu": "PRELU",
    "elementwise:softmax": "SOFTMAX",
    "products:fully_connected": "FULLY_CONNECTED",
    "recurrent:sequence_lstm": "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "layers:average_pool": "AVERAGE_POOL_2D",
    "layers:conv_2d": "CONV_2D",
    "layers:depthwise_conv_2d": "DEPTHWISE_CONV_2D",
    "layers:max_pool": "MAX_POOL_2D",
    "layers:mean": "MEAN",
    "layers:reduce_max": "REDUCE_MAX",
    "resizing:resize_bilinear": "RESIZE_BILINEAR",
    "resizing:resize_nearest": "RESIZE_NEAREST_NEIGHBOR",
    "layers:transpose_conv": "TRANSPOSE_CONV",
    "meanings:by_meaning": (
        "ABS AXIS_SOFTMAX BATCH_MATMUL DIV ELU EXP GELU LAYER_NORMALIZATION LOG LOG_SOFTMAX NEG POW REDUCE_MIN SQUARE "
        "SQUARED_DIFFERENCE SUM"
    ),
}
"""All other operators."""

_CUSTOM = {"CUSTOM Convolution2DTransposeBias": "layers:transpose_conv_bias"}
"""The operators that other programs define, with the function that imports each."""

WHERE = {name: where for where, names in {**_MOVES, **_OTHERS}.items() for name in names.split()} | _CUSTOM
"""The function that imports an operator, by the name of the operator."""

OPERATORS: Mapping[str, Import] = {
    name: on_call(f"tinyml.lowering.frontends.tflite.{where}") for name, where in WHERE.items()
}

MOVES = frozenset(name for names in _MOVES.values() for name in names.split())
"""The operators that move elements, of any type: a tensor needs no scale for them."""

STATEFUL = ("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "UNIDIRECTIONAL_SEQUENCE_LSTM", "SVDF")
"""The operators that may store a state from one inference to the next (`Variables`)."""
