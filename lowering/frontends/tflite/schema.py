"""The part of TensorFlow Lite's schema that the importer reads: slots of fields, numbers of operators and types.

Source: `schema.fbs`, version 3. A field is (slot, code of the module `struct`, default).
"""

from __future__ import annotations

IDENTIFIER, VERSION = b"TFL3", 3
"""Bytes 4 to 7 of a file, and the version of the schema that they stand for."""

_NAMES = """
    ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
    FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC
    LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH
    SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER
    BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE
    BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM
    ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE
    TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK
    LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL
    FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL
    REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND
    HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
    BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS
    HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE
    ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU
    DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2
    UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE
    STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE
    STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE
    STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG
    STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT
    STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT
    STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL
    STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE
    STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT
"""

OPERATORS = tuple(_NAMES.split())
"""The builtin operators by number."""

PLACEHOLDER = OPERATORS.index("PLACEHOLDER_FOR_GREATER_OP_CODES")
"""The number that a file stores for old readers in place of one beyond their range."""

TYPES = {
    0: "float32",
    1: "float16",
    2: "int32",
    3: "uint8",
    4: "int64",
    5: "string",
    6: "bool",
    7: "int16",
    8: "complex64",
    9: "int8",
    10: "float64",
    11: "complex128",
    12: "uint64",
    13: "resource",
    14: "variant",
    15: "uint32",
    16: "uint16",
    17: "int4",
    18: "bfloat16",
}
"""Types of elements by number."""

NUMPY_TYPES = ("float32", "int32", "uint8", "int64", "bool", "int16", "int8")
"""Types of elements that are read as arrays."""

NAMED = {
    "padding": {0: "SAME", 1: "VALID"},
    "activation": {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"},
    "quantized_bias_type": TYPES,
}
"""The names of enumerated options, by number."""

Field = tuple[int, str, bool | int | float]

_POOL: dict[str, Field] = {
    "padding": (0, "b", 0),
    "stride_w": (1, "i", 0),
    "stride_h": (2, "i", 0),
    "filter_width": (3, "i", 0),
    "filter_height": (4, "i", 0),
    "activation": (5, "b", 0),
}
_ACTIVATION: dict[str, Field] = {"activation": (0, "b", 0)}

OPTIONS: dict[str, dict[str, Field]] = {
    "CONV_2D": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "activation": (3, "b", 0),
        "dilation_w": (4, "i", 1),
        "dilation_h": (5, "i", 1),
        "quantized_bias_type": (6, "b", 0),
    },
    "DEPTHWISE_CONV_2D": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "depth_multiplier": (3, "i", 0),
        "activation": (4, "b", 0),
        "dilation_w": (5, "i", 1),
        "dilation_h": (6, "i", 1),
    },
    "AVERAGE_POOL_2D": _POOL,
    "MAX_POOL_2D": _POOL,
    "FULLY_CONNECTED": {
        "activation": (0, "b", 0),
        "weights_format": (1, "b", 0),
        "keep_num_dims": (2, "?", False),
        "quantized_bias_type": (4, "b", 0),
    },
    "SOFTMAX": {"beta": (0, "f", 0.0)},
    "CONCATENATION": {"axis": (0, "i", 0), "activation": (1, "b", 0)},
    "ADD": _ACTIVATION,
    "SUB": _ACTIVATION,
    "MUL": _ACTIVATION,
    "L2_NORMALIZATION": _ACTIVATION,
    "MEAN": {"keep_dims": (0, "?", False)},
    "STRIDED_SLICE": {
        "begin_mask": (0, "i", 0),
        "end_mask": (1, "i", 0),
        "ellipsis_mask": (2, "i", 0),
        "new_axis_mask": (3, "i", 0),
        "shrink_axis_mask": (4, "i", 0),
        "offset": (5, "?", False),
    },
    "RESIZE_NEAREST_NEIGHBOR": {"align_corners": (0, "?", False), "half_pixel_centers": (1, "?", False)},
    "TRANSPOSE_CONV": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "activation": (3, "b", 0),
        "quantized_bias_type": (4, "b", 0),
    },
    "SPLIT": {"num_splits": (0, "i", 0)},
    "LEAKY_RELU": {"alpha": (0, "f", 0.0)},
}
"""The options of operators that have any."""
