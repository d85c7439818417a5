"""Attributes of the `tdsl` dialect: ranges, profiles, requests of searches, storage of constants, lists of integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatData, IntegerAttr, IntegerType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import Attribute, Operation, OpResult, ParametrizedAttribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.discardable_attributes import (
    TEXT,
    UNIT,
    DiscardableAttribute,
    Holder,
    HolderKind,
    Value,
    array,
    counts,
    either,
    instance,
    integer,
)
from tinyml.dialects.formats.number_format import number_format

__all__ = [
    "CALLS",
    "GIVEN",
    "MODE",
    "NUMBERS",
    "PERCENTILES",
    "PROFILE",
    "RAM",
    "RING",
    "RINGS",
    "Csr",
    "Profile",
    "Range",
    "calls_of",
    "is_given",
    "result_profiles",
]


PERCENTILES = (0.1, 1.0, 50.0, 99.0, 99.9)
"""The percentiles of a profile, in percent."""


def spell_float(value: float) -> str:
    """The shortest decimal text that parses to the same float, with the decimal point that MLIR requires."""
    digits, e, exponent = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{e}{exponent}"


def _verify_interval(name: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise VerifyException(f"{name} must be finite, got [{low}, {high}]")
    if low > high:
        raise VerifyException(f"{name} must have low <= high, got [{low}, {high}]")


@irdl_attr_definition
class Csr(ParametrizedAttribute):
    """The encoding of a constant matrix that is stored as compressed sparse rows. The attribute with the elements of
    the constant remains dense.
    """

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
            printer.print_string(f"{spell_float(self.low.data)}, {spell_float(self.high.data)}")

    def verify(self) -> None:
        _verify_interval("range", self.low.data, self.high.data)


@irdl_attr_definition
class Profile(ParametrizedAttribute):
    """The least and the greatest of a tensor's values on a data set, and the percentiles that `PERCENTILES` lists.

    The syntax is `#tdsl.profile<-4.5, 5.0, [-3.0, -2.0, 0.0, 2.0, 3.0]>`. For a tensor in a loop, the profile includes
    the values of all iterations.
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
        inner = ", ".join(spell_float(x.data) for x in self.percentiles)
        with printer.in_angle_brackets():
            printer.print_string(f"{spell_float(self.low.data)}, {spell_float(self.high.data)}, [{inner}]")

    def verify(self) -> None:
        _verify_interval("profile", self.low.data, self.high.data)
        if len(self.percentiles) != len(PERCENTILES):
            raise VerifyException(f"expected a profile of {len(PERCENTILES)} percentiles, got {len(self.percentiles)}")

    @property
    def magnitude(self) -> float:
        """The greatest magnitude of the tensor's values on the data set."""
        return max(abs(self.low.data), abs(self.high.data))


_RING = counts("two integers from 1, as in array<i64: 4, 4>", [2])
_PROFILE = instance(Profile, "a profile, as in #tdsl.profile<...>")


def _carried(holder: Holder | None) -> int:
    return len(holder.iter_args) if isinstance(holder, ForOp) else 0


def _results(holder: Holder | None) -> int:
    return len(holder.results) if isinstance(holder, Operation) else 0


MODE = DiscardableAttribute(
    "tdsl.mode",
    {HolderKind.FUNCTION: TEXT},
    "The mode of execution that a search chose together with its formats (`plan-execution`).",
)

RAM = DiscardableAttribute(
    "tdsl.ram",
    {HolderKind.FUNCTION: integer(0)},
    "The limit of a search on the RAM of its program in bytes, including the stack.",
)

RING = DiscardableAttribute(
    "tdsl.ring",
    {"scratch.alloc": _RING, "scratch.view": _RING},
    "The height and width of the image whose last rows or pixels a buffer stores.",
)

RINGS = DiscardableAttribute(
    "tdsl.rings",
    {"scf.for": array(either(_RING, UNIT), "an array with a ring or unit for each tensor that is carried", _carried)},
    "The ring of each tensor that a loop carries; unit for tensors that are not rings.",
)

CALLS = DiscardableAttribute(
    "tdsl.calls",
    {"scf.for": integer(1)},
    "The number of iterations of a loop of a step function in all calls from a reset to the answer.",
)

ZEROS_UNKNOWN = DiscardableAttribute(
    "tinyml.zeros_unknown",
    {HolderKind.MODULE: UNIT},
    "The file of the model does not state whether zeros were missing values in training.",
)

UNROLLED = DiscardableAttribute(
    "tinyml.unrolled",
    {HolderKind.MODULE: array(TEXT, "an array of strings")},
    "The recurrent steps that the file of the model writes several times, and the reasons why they are no loops.",
)

PROFILE = DiscardableAttribute(
    "tdsl.profile",
    {
        HolderKind.ARGUMENT: _PROFILE,
        HolderKind.OPERATION: array(
            either(_PROFILE, UNIT), "an array with a profile or unit for each result", _results
        ),
    },
    "The values of an argument, or of each tensor result of an operation, on a data set.",
)

_FORMAT = Value("a type that is a number format", lambda type, _: number_format(type) is not None)

NUMBERS = DiscardableAttribute(
    "tdsl.numbers",
    {"tdsl.const": _FORMAT},
    "The format that `synthesise-format` made for a constant on reals and that `assign-format` assigns to it.",
)


GIVEN = DiscardableAttribute(
    "tdsl.given",
    {HolderKind.FUNCTION: array(_FORMAT, "an array of types that are number formats")},
    "The types of elements that options specify. No pass narrows tensors of these types for the sake of their sums.",
)


def is_given(value: SSAValue) -> bool:
    """Whether an option specifies the type of a tensor's elements (`GIVEN`)."""
    function = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    while function is not None and not isinstance(function, FuncOp):
        function = function.parent_op()
    given = None if function is None else function.attributes.get(GIVEN)
    element = getattr(value.type, "element_type", value.type)
    return isinstance(given, ArrayAttr) and element in cast("ArrayAttr[Attribute]", given).data


def calls_of(loop: ForOp) -> int | None:
    """The number of calls of a step function, for a loop that calls it once per iteration; None for any other loop."""
    calls = loop.attributes.get(CALLS)
    return calls.value.data if isinstance(calls, IntegerAttr) else None


def result_profiles(value: SSAValue) -> Iterator[Profile]:
    """Yield the profile of `value` if `value` is the result of an op with a profile."""
    if not isinstance(value, OpResult):
        return
    profiles = value.op.attributes.get(PROFILE)
    if isinstance(profiles, ArrayAttr):
        profile = cast("ArrayAttr[Attribute]", profiles).data[value.index]
        if isinstance(profile, Profile):
            yield profile


def integers(attribute: DenseArrayBase[IntegerType], name: str, count: int) -> tuple[int, ...]:
    """The values of the array property `name`. Raises `VerifyException` unless there are `count` values."""
    values = tuple(int(value) for value in attribute.get_values())
    if len(values) != count:
        raise VerifyException(f"{name} needs {count} values, got {len(values)}")
    return values


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """The integers `values` as an array property of 64-bit elements."""
    return DenseArrayBase.from_list(i64, values)
