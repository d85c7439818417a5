"""The number formats for measurements of generated code and of kernels that decode weights."""

from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.posit.bounded_posits import segments_of
from tinyml.dialects.formats.posit.type import PositType

FIXED = {width: FixedType(width, width - 1) for width in (8, 16)}
POSITS = {8: PositType(8, 0, -6, 1), 16: PositType(16, 0, -14, 1)}
WEIGHTS = PositType(16, 0, -10, 2)
"""Typical weight formats of programs: es 0, and constants coarse enough for sums of products to fit 32 bits."""

FOREST_FORMATS = ("fixed", 8), ("fixed", 16), ("fixed", 32), ("f32", None)
"""The formats and widths of forests."""

PRODUCTS = {
    "8": (FIXED[8], FIXED[8]),
    "16": (FIXED[16], FIXED[16]),
    "coded 8, 16": (POSITS[8], FIXED[16]),
    "coded 8": (POSITS[8], POSITS[8]),
    "coded 16, 16": (WEIGHTS, FIXED[16]),
    "coded 16": (WEIGHTS, POSITS[16]),
}
"""The formats of weights and vector, by name; non-integer weights are coded."""

FUNCTIONS = {
    "exp 16": ("exp", FixedType(16, 11), FixedType(16, 15)),
    "tanh 16": ("tanh", FixedType(16, 10), FixedType(16, 14)),
    "sigmoid 16": ("sigmoid", FixedType(16, 10), FixedType(16, 15)),
    "exp 8": ("exp", FixedType(8, 4), FixedType(8, 7)),
    "tanh 8": ("tanh", FixedType(8, 5), FixedType(8, 7)),
    "sigmoid 8": ("sigmoid", FixedType(8, 4), FixedType(8, 7)),
}
"""Functions with the formats of their arguments and results, by name."""

DECODED_SEGMENTS = segments_of(PositType(16, 1, -28, 1))
"""The segments of the 16-bit weights that kernels decode, and the number of finer segments."""

CONVERTED_FORMATS = (
    *(("fixed", 8), ("fixed", 16), ("affine", 8), ("affine", 16), ("bf16", None)),
    *(("posit", 8), ("posit", 16), ("minifloat", 8)),
)
"""Formats of inputs, and their widths, whose conversion from floats is measured."""

CONVERTED_TYPES = ("!zeroskew.q<8, 0.0235, -14, even>", "!zeroskew.f<8, 0.0235, -14>")
"""Types of inputs that only imported models have, whose conversion from floats is measured."""

QUANTISED_TYPE = "!fixed.s<8, 0, even>"
"""The type of inputs that a quantiser of QONNX rounds."""
