"""Attributes of the tensor DSL: declared ranges, measured profiles, and the storage of constants."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatData
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

__all__ = [
    "INSTANCES",
    "MODE",
    "PACKED",
    "PERCENTILES",
    "PROFILE",
    "RAM",
    "RANGE",
    "RECEIVED",
    "REUSED",
    "RING",
    "RINGS",
    "ZEROS",
    "Csr",
    "Profile",
    "Range",
    "has_instances",
]

INSTANCES = "tdsl.instances"
"""Module attribute: the program's memory belongs to instances, of which the caller may have several."""

PERCENTILES = (0.1, 1.0, 50.0, 99.0, 99.9)
"""The percentiles that a profile holds, in percent."""

MODE = "tdsl.mode"
"""Attribute of a function: the mode of execution that a search chose together with its formats (`plan-execution`)."""

RAM = "tdsl.ram"
"""Attribute of a function: the bytes of RAM, stack included, that a search kept its program within."""

RING = "tdsl.ring"
"""Attribute of a buffer: the height and width of the image of which it holds the last rows or pixels."""

RINGS = "tdsl.rings"
"""Attribute of a loop: an array with the same for each tensor that it carries, unit for those that hold no ring."""

PROFILE = "tdsl.profile"
"""Discardable attribute of an op: an array with one `Profile` per tensor result (unit for other results)."""

ZEROS = "tdsl.zeros"
"""Argument attribute of the predict function: the share, above 0, of an input's elements that are zero on the data."""

PACKED = "tdsl.packed"
"""Argument attribute of the predict function: the bits to which the caller packs each element of the input."""

REUSED = "tdsl.reused"
"""Argument attribute of the predict function: the input is a buffer of the arena, which the caller fills."""

RECEIVED = "tdsl.received"
"""Argument attribute of the predict function: the input arrives row by row; the elements of a row."""

RANGE = "tdsl.range"
"""Argument attribute of the predict function: the declared `Range` of an input."""


def _spell(value: float) -> str:
    """The shortest digits that parse to the same float, with the decimal point that MLIR requires."""
    digits, e, exponent = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{e}{exponent}"


def _verify_interval(name: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise VerifyException(f"{name} must be finite, got [{low}, {high}]")
    if low > high:
        raise VerifyException(f"{name} must have low <= high, got [{low}, {high}]")


@irdl_attr_definition
class Csr(ParametrizedAttribute):
    """Encoding of a constant matrix that is stored as compressed sparse rows; its payload in the IR stays dense."""

    name = "tdsl.csr"


@irdl_attr_definition
class Range(ParametrizedAttribute):
    """A closed interval of reals, `#tdsl.range<-1.0, 1.0>`."""

    name = "tdsl.range"
    low: FloatData
    high: FloatData

    def __init__(self, low: float | FloatData, high: float | FloatData):
        as_data = [FloatData(x) if isinstance(x, float | int) else x for x in (low, high)]
        super().__init__(*as_data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            low = parser.parse_number()
            parser.parse_punctuation(",")
            high = parser.parse_number()
        return (FloatData(float(low)), FloatData(float(high)))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{_spell(self.low.data)}, {_spell(self.high.data)}")

    def verify(self) -> None:
        _verify_interval("range", self.low.data, self.high.data)


@irdl_attr_definition
class Profile(ParametrizedAttribute):
    """The extremes and `PERCENTILES` of a tensor's values on a data set.

    `#tdsl.profile<-4.5, 5.0, [-3.0, -2.0, 0.0, 2.0, 3.0]>`; in loops, the values of all iterations count.
    """

    name = "tdsl.profile"
    low: FloatData
    high: FloatData
    percentiles: ArrayAttr[FloatData]

    def __init__(
        self,
        low: float | FloatData,
        high: float | FloatData,
        percentiles: ArrayAttr[FloatData] | Sequence[float],
    ):
        as_data = [FloatData(x) if isinstance(x, float | int) else x for x in (low, high)]
        if not isinstance(percentiles, ArrayAttr):
            percentiles = ArrayAttr([FloatData(float(x)) for x in percentiles])
        super().__init__(*as_data, percentiles)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            low = float(parser.parse_number())
            parser.parse_punctuation(",")
            high = float(parser.parse_number())
            parser.parse_punctuation(",")
            percentiles = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_number)
        return (FloatData(low), FloatData(high), ArrayAttr([FloatData(float(x)) for x in percentiles]))

    def print_parameters(self, printer: Printer) -> None:
        inner = ", ".join(_spell(x.data) for x in self.percentiles)
        with printer.in_angle_brackets():
            printer.print_string(f"{_spell(self.low.data)}, {_spell(self.high.data)}, [{inner}]")

    def verify(self) -> None:
        _verify_interval("profile", self.low.data, self.high.data)
        if len(self.percentiles) != len(PERCENTILES):
            raise VerifyException(f"profile holds {len(PERCENTILES)} percentiles, got {len(self.percentiles)}")

    @property
    def magnitude(self) -> float:
        """The greatest absolute value seen."""
        return max(abs(self.low.data), abs(self.high.data))


def has_instances(module: Operation | None) -> bool:
    """True if the memory of a program belongs to instances."""
    return module is not None and INSTANCES in module.attributes
