"""Discardable attributes of this project. Each declaration states the places where the attribute may occur and its
values.

MLIR lets a dialect verify `dialect.name = value` on foreign operations; xDSL has no hook for this purpose. An attribute
is declared as the constant with which passes look up the attribute. `attribute_verification.py` checks a module against
all declarations, so that passes never encounter an attribute of another type or in another place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import UnionType
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

OWN = ("rtl", "scratch", "tdsl", "tinyml")
"""Prefixes of attribute names that must be declared."""

Holder = Operation | SSAValue
"""The holder of an attribute: an operation, or an argument or result of a function."""


class HolderKind(Enum):
    """A kind of object on which an attribute may occur."""

    MODULE = "a module"
    FUNCTION = "a function"
    DECLARATION = "the declaration of a function"
    ARGUMENT = "an argument of a function"
    RESULT = "a result of a function"
    OPERATION = "an operation"


@dataclass(frozen=True)
class Value:
    """The set of permitted values of an attribute.

    words: a description for messages and the reference page.
    accepts: a function that returns whether a value is permitted, or raises `VerifyException` with a reason.
    """

    words: str
    accepts: Callable[[Attribute, Holder | None], bool]


class DiscardableAttribute(str):
    """The name of an attribute as a string, with its declaration.

    values: the permitted values for each kind of place or operation name.
    meaning: a sentence for the reference page.
    """

    values: Mapping[HolderKind | str, Value]
    meaning: str

    def __new__(cls, name: str, values: Mapping[HolderKind | str, Value], meaning: str) -> DiscardableAttribute:
        self = super().__new__(cls, name)
        self.values, self.meaning = values, meaning
        assert name not in _DECLARED, f"{name} is declared twice"
        _DECLARED[name] = self
        return self

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """The call `str(name)`, so that pickling and copying replace the attribute by a plain string."""
        return str, (str(self),)

    @property
    def places(self) -> str:
        """A description of the permitted places, for messages."""
        spelled = [place.value if isinstance(place, HolderKind) else f"`{place}`" for place in self.values]
        return " or ".join(filter(None, (", ".join(spelled[:-1]), spelled[-1])))

    def value_at(self, place: HolderKind, holder: Holder | None) -> Value | None:
        """The permitted values of the attribute on `holder`, an object of the kind `place`; None if the attribute is
        not permitted there.
        """
        found = self.values.get(holder.name) if isinstance(holder, Operation) else None
        return found or self.values.get(place)


_DECLARED: dict[str, DiscardableAttribute] = {}


def declared_attributes() -> Mapping[str, DiscardableAttribute]:
    return _DECLARED


def instance(kind: type[Attribute] | UnionType, words: str) -> Value:
    """The set of all attributes of the class `kind`, described by `words`. They verify their parameters themselves."""
    return Value(words, lambda attribute, _: isinstance(attribute, kind))


UNIT = instance(UnitAttr, "no value")
TEXT = instance(StringAttr, "a string")
NAME = instance(StringAttr | BytesAttr, "a string")
"""Text of any characters: the parser converts a string to bytes unless all of its characters are ASCII."""


def text_of(name: Attribute) -> str:
    """The text of a string attribute, or of a bytes attribute decoded to text."""
    return name.data.decode("utf-8", "replace") if isinstance(name, BytesAttr) else cast(StringAttr, name).data


def integer(low: int, high: int | None = None) -> Value:
    """The set of integers from `low` to `high`, both inclusive. By default, `high` is the greatest signed 64-bit
    integer, 2^63 - 1.
    """
    most = (1 << 63) - 1 if high is None else high

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        if not isinstance(attribute, IntegerAttr):
            return False
        number = cast("IntegerAttr[Any]", attribute)
        return number.type != i1 and isinstance(number.type, IntegerType) and low <= number.value.data <= most

    return Value(f"an integer from {low}" if high is None else f"an integer from {low} to {high}", accepts)


def real(words: str, holds: Callable[[float], bool] = math.isfinite) -> Value:
    """The set of floats for which `holds` returns true, described by `words`; by default all finite floats."""
    return Value(words, lambda attribute, _: isinstance(attribute, FloatAttr) and holds(attribute.value.data))


NUMBER = real("a finite float")


def numbers(element: Attribute, words: str, holds: Callable[[tuple[Any, ...]], bool]) -> Value:
    """The set of arrays whose elements have the builtin type `element`, such as `array<i64: 1, 2>`, that satisfy
    `holds`.
    """

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        if not isinstance(attribute, DenseArrayBase):
            return False
        array = cast("DenseArrayBase[Any]", attribute)
        return array.elt_type == element and holds(tuple(array.get_values()))

    return Value(words, accepts)


def counts(words: str, lengths: Iterable[int], least: int = 1) -> Value:
    """The set of arrays whose elements are integers of at least `least`, described by `words`.

    lengths: the permitted lengths of the array.
    """
    return numbers(i64, words, lambda array: len(array) in lengths and all(number >= least for number in array))


def array(element: Value, words: str, least: Callable[[Holder | None], int] = lambda _: 0) -> Value:
    """The set of arrays whose elements belong to the set `element`, described by `words`.

    least: returns the minimum length of the array.
    """

    def accepts(attribute: Attribute, holder: Holder | None) -> bool:
        if not isinstance(attribute, ArrayAttr):
            return False
        elements = cast("ArrayAttr[Attribute]", attribute).data
        return len(elements) >= least(holder) and all(element.accepts(one, None) for one in elements)

    return Value(words, accepts)


def record(words: str, fields: Mapping[str, Value], optional: Mapping[str, Value] | None = None) -> Value:
    """The set of dictionaries with entries of permitted values, described by `words`.

    fields: the required entries.
    optional: entries that may be missing.
    """
    others = optional or {}

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        if not isinstance(attribute, DictionaryAttr):
            return False
        known = {**fields, **others}
        if not fields.keys() <= attribute.data.keys() <= known.keys():
            return False
        return all(known[name].accepts(value, None) for name, value in attribute.data.items())

    return Value(words, accepts)


def either(*values: Value) -> Value:
    """The union of several sets of permitted values."""
    return Value(
        " or ".join(value.words for value in values),
        lambda attribute, holder: any(value.accepts(attribute, holder) for value in values),
    )


def read_by(words: str, read: Callable[[Attribute], object]) -> Value:
    """The set of values for which `read` raises no exception, described by `words`.

    `read` raises `VerifyException` or `InputError` for a value that is not permitted.
    """

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        read(attribute)
        return True

    return Value(words, accepts)
