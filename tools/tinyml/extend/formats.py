"""Number formats: the numbers of an element type, and the arithmetic on them.

A format that lists its numbers derives from `SymmetricFormat` or `TabulatedFormat`. A format that computes integers
from its raws derives from `ExactFormat`. A format that rounds after each addition of a sum derives directly from
`NumberFormat`, and defines an `Accumulator`. `GroupedFormat` adds scales that elements share.
"""

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import Accumulator, Requantisation
from tinyml.dialects.formats.exact.accumulator import AccumulatorType
from tinyml.dialects.formats.exact.format import ExactFormat
from tinyml.dialects.formats.exact.numbers import ExactNumbers
from tinyml.dialects.formats.f32 import F32, F32_FORMAT
from tinyml.dialects.formats.grouped import GroupedFormat
from tinyml.dialects.formats.grouping import Grouping
from tinyml.dialects.formats.groups import GroupsAttr
from tinyml.dialects.formats.number_format import (
    INTEGER_CODING,
    Bound,
    Coding,
    Factor,
    NumberFormat,
    Product,
    number_format,
)
from tinyml.dialects.formats.parameters import IntegerParameters, WidthAndFrac
from tinyml.dialects.formats.scaled_integer import ScaledInteger
from tinyml.dialects.formats.specification import RoundedOnce, Specification
from tinyml.dialects.formats.tabulated import SymmetricFormat, TabulatedFormat
from tinyml.dialects.machine.machine import Int, Machine, limits, width_for
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS, RuntimeFunction

__all__ = [
    "F32",
    "F32_FORMAT",
    "INTEGER_CODING",
    "RUNTIME_FUNCTIONS",
    "Accumulator",
    "AccumulatorType",
    "Bound",
    "Coding",
    "ExactFormat",
    "ExactNumbers",
    "Factor",
    "GroupedFormat",
    "Grouping",
    "GroupsAttr",
    "InputError",
    "Int",
    "IntegerParameters",
    "Machine",
    "NumberFormat",
    "Product",
    "Requantisation",
    "RoundedOnce",
    "RuntimeFunction",
    "ScaledInteger",
    "Specification",
    "SymmetricFormat",
    "TabulatedFormat",
    "WidthAndFrac",
    "limits",
    "number_format",
    "width_for",
]
