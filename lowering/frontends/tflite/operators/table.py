"""The table of operators: a function for each supported one, and those that keep state."""

from __future__ import annotations

from collections.abc import Callable

from tinyml.lowering.frontends.tflite.builder import GraphBuilder
from tinyml.lowering.frontends.tflite.model import Operator
from tinyml.lowering.frontends.tflite.operators.elements import (
    activation,
    binary,
    l2_normalization,
    leaky_relu,
    softmax,
    unary,
)
from tinyml.lowering.frontends.tflite.operators.movement import (
    concatenation,
    pad,
    reshape,
    slice_,
    split,
    strided_slice,
    transpose,
)
from tinyml.lowering.frontends.tflite.operators.sums import conv_2d, depthwise_conv_2d, fully_connected, transpose_conv
from tinyml.lowering.frontends.tflite.operators.windows import average_pool, max_pool, mean, resize_nearest

Import = Callable[[GraphBuilder, Operator], None]
"""Appends the ops of an operator and defines its outputs; raises `VerifyException` if it cannot."""

OPERATORS: dict[str, Import] = {
    "ADD": binary,
    "AVERAGE_POOL_2D": average_pool,
    "CONCATENATION": concatenation,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "DEQUANTIZE": unary,
    "EXPAND_DIMS": reshape,
    "FULLY_CONNECTED": fully_connected,
    "HARD_SWISH": unary,
    "L2_NORMALIZATION": l2_normalization,
    "LEAKY_RELU": leaky_relu,
    "LOGISTIC": unary,
    "MAX_POOL_2D": max_pool,
    "MEAN": mean,
    "MUL": binary,
    "PAD": pad,
    "PADV2": pad,
    "QUANTIZE": unary,
    "RELU": activation,
    "RELU6": activation,
    "RELU_N1_TO_1": activation,
    "RESHAPE": reshape,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest,
    "SLICE": slice_,
    "SOFTMAX": softmax,
    "SPLIT": split,
    "SQUEEZE": reshape,
    "STRIDED_SLICE": strided_slice,
    "SUB": binary,
    "TANH": unary,
    "TRANSPOSE": transpose,
    "TRANSPOSE_CONV": transpose_conv,
}

STATEFUL = (
    "ASSIGN_VARIABLE",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "CALL_ONCE",
    "CUSTOM CIRCULAR_BUFFER",
    "LSTM",
    "READ_VARIABLE",
    "RNN",
    "SVDF",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "VAR_HANDLE",
)
"""Operators that keep state from one inference to the next, which programs here do not."""
