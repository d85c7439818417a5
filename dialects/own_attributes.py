"""Discardable attributes of this project. A declaration specifies the values of an attribute and the places where it
may occur.

In MLIR, a dialect can verify its discardable attributes (`dialect.name = value`) on ops of other dialects; xDSL has no
hook for this purpose. An attribute is declared as a constant, which passes also use to look it up.
`verify_own_attributes` checks a module against all declarations. Passes therefore never encounter an attribute of the
wrong type or in the wrong place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i1,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.locations import error_at

OWN = ("rtl", "scratch", "tdsl", "tinyml")
"""Prefixes of attribute names that must be declared."""

FORMER = (
    *("tdsl.classes", "tdsl.clusters", "tdsl.feature_names", "tdsl.feature_scales", "tdsl.feature_zeros"),
    *("tdsl.input_format", "tdsl.input_unit", "tdsl.instances", "tdsl.order", "tdsl.packed", "tdsl.parts"),
    *("tdsl.pushed", "tdsl.range", "tdsl.rate", "tdsl.received", "tdsl.reused", "tdsl.state", "tdsl.stored"),
    *("tdsl.zeros", "scratch.gap", "scratch.height", "scratch.lower_bound", "scratch.optimal", "tinyml.copied"),
)
"""Attributes in files of older versions, since replaced by `#tdsl.interface` and by properties of an op."""

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


class OwnAttribute(str):
    """The name of an attribute as a string, with its declaration.

    values: the permitted values for each kind of place or operation name.
    meaning: a sentence for the reference page.
    """

    values: Mapping[HolderKind | str, Value]
    meaning: str

    def __new__(cls, name: str, values: Mapping[HolderKind | str, Value], meaning: str) -> OwnAttribute:
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
        """The permitted values of the attribute on a kind of object; None if the attribute is not permitted there."""
        found = self.values.get(holder.name) if isinstance(holder, Operation) else None
        return found or self.values.get(place)


_DECLARED: dict[str, OwnAttribute] = {}


def declared_attributes() -> Mapping[str, OwnAttribute]:
    """The attributes that imported modules have declared, by name."""
    return _DECLARED


def verify_own_attributes(module: ModuleOp, complete: Callable[[], object]) -> None:
    """Raise `InputError` for an attribute of tinyml that is not declared, is in the wrong place, or has an invalid
    value.

    The error states the location of the operation.

    complete: imports all modules that declare attributes. It is called if a name is not declared yet.
    """
    for op in module.walk():
        for place, where, holder, attributes in _groups(op):
            for name, attribute in attributes.items():
                if name.partition(".")[0] in OWN and name not in _DECLARED:
                    complete()
                if (complaint := _complaint(name, attribute, place, holder)) is not None:
                    raise error_at(op, f"{complaint}{where}")


def _groups(op: Operation) -> Iterator[tuple[HolderKind, str, Holder | None, Mapping[str, Attribute]]]:
    """Yield the attributes of an operation, and of a function's arguments and results.

    Each item is a tuple: the kind of place, a description of the place for messages, the object that has the
    attributes, and the attributes by name.
    """
    if not isinstance(op, FuncOp):
        yield HolderKind.MODULE if isinstance(op, ModuleOp) else HolderKind.OPERATION, "", op, op.attributes
        return
    # xDSL verifies attributes before properties, and its verifier fails on a function without a type.
    if not isinstance(op.properties.get("function_type"), FunctionType):
        raise error_at(op, "the property 'function_type' is missing or no type of a function")
    for lists in ("arg_attrs", "res_attrs"):
        given: Attribute | None = op.properties.get(lists)
        if given is not None and not isa(given, ArrayAttr[DictionaryAttr]):
            raise error_at(op, f"the property '{lists}' must be an array of dictionaries, got {given}")
    symbol: Attribute | None = op.properties.get("sym_name")
    name = symbol.data if isinstance(symbol, StringAttr) else "?"
    yield (
        HolderKind.DECLARATION if op.is_declaration else HolderKind.FUNCTION,
        f" (function '{name}')",
        op,
        op.attributes,
    )
    arguments: Sequence[SSAValue] = () if op.is_declaration else op.args
    for place, given in ((HolderKind.ARGUMENT, op.arg_attrs), (HolderKind.RESULT, op.res_attrs)):
        for number, attributes in enumerate(() if given is None else given.data):
            holder = arguments[number] if place is HolderKind.ARGUMENT and number < len(arguments) else None
            yield place, f" ({place.name.lower()} {number} of function '{name}')", holder, attributes.data


def _complaint(name: str, attribute: Attribute, place: HolderKind, holder: Holder | None) -> str | None:
    if (declared := _DECLARED.get(name)) is None:
        if name.partition(".")[0] not in OWN:
            return None
        if name in FORMER:
            return f"an older version wrote the attribute '{name}': write the file again with `tinyml compile`"
        return f"unknown attribute '{name}'{did_you_mean(name, _DECLARED)}"
    if (value := declared.value_at(place, holder)) is None:
        here = f"'{holder.name}'" if place is HolderKind.OPERATION and isinstance(holder, Operation) else place.value
        return f"the attribute '{name}' is on {here}, expected on {declared.places.replace('`', chr(39))}"
    try:
        reason = "" if value.accepts(attribute, holder) else None
    except (VerifyException, InputError) as error:
        reason = f": {error.message if isinstance(error, InputError) else error}"
    if reason == "":
        return None
    return f"the attribute '{name}' is {_short(attribute)}, expected {value.words}{reason or ''}"


def _short(attribute: Attribute) -> str:
    text = str(attribute)
    return text if len(text) <= 80 else f"{text[:80]}..."


def instance(kind: type[Attribute] | UnionType, words: str) -> Value:
    """The set of all attributes of the class `kind`. Such an attribute verifies its parameters itself."""
    return Value(words, lambda attribute, _: isinstance(attribute, kind))


UNIT = instance(UnitAttr, "no value")
TEXT = instance(StringAttr, "a string")
NAME = instance(StringAttr | BytesAttr, "a string")
"""Text of any characters: the parser converts a string to bytes unless all of its characters are ASCII."""


def text_of(name: Attribute) -> str:
    """The text of a string attribute or a bytes attribute."""
    return name.data.decode("utf-8", "replace") if isinstance(name, BytesAttr) else cast(StringAttr, name).data


def integer(low: int, high: int | None = None) -> Value:
    """The set of integers from `low` to `high`, both inclusive; without `high`, of integers of at most 63 bits."""
    most = (1 << 63) - 1 if high is None else high

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        if not isinstance(attribute, IntegerAttr):
            return False
        number = cast("IntegerAttr[Any]", attribute)
        return number.type != i1 and isinstance(number.type, IntegerType) and low <= number.value.data <= most

    return Value(f"an integer from {low}" if high is None else f"an integer from {low} to {high}", accepts)


def real(words: str, holds: Callable[[float], bool] = math.isfinite) -> Value:
    """The set of floats for which `holds` returns true; by default all finite floats."""
    return Value(words, lambda attribute, _: isinstance(attribute, FloatAttr) and holds(attribute.value.data))


NUMBER = real("a finite float")


def numbers(element: Attribute, words: str, holds: Callable[[tuple[Any, ...]], bool]) -> Value:
    """The set of arrays of numbers of a builtin type, as in `array<i64: 1, 2>`, for which `holds` returns true."""

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        if not isinstance(attribute, DenseArrayBase):
            return False
        array = cast("DenseArrayBase[Any]", attribute)
        return array.elt_type == element and holds(tuple(array.get_values()))

    return Value(words, accepts)


def counts(words: str, lengths: Iterable[int], least: int = 1) -> Value:
    """The set of arrays of integers that are at least `least`.

    lengths: the permitted lengths of the array.
    """
    return numbers(i64, words, lambda array: len(array) in lengths and all(number >= least for number in array))


def array(element: Value, words: str, least: Callable[[Holder | None], int] = lambda _: 0) -> Value:
    """The set of arrays whose elements belong to the set `element`.

    least: returns the minimum length of the array.
    """

    def accepts(attribute: Attribute, holder: Holder | None) -> bool:
        if not isinstance(attribute, ArrayAttr):
            return False
        elements = cast("ArrayAttr[Attribute]", attribute).data
        return len(elements) >= least(holder) and all(element.accepts(one, None) for one in elements)

    return Value(words, accepts)


def record(words: str, fields: Mapping[str, Value], optional: Mapping[str, Value] | None = None) -> Value:
    """The set of dictionaries with these entries, each of which has a permitted value.

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
    """The set of values for which `read` raises no exception.

    `read` raises `VerifyException` or `InputError` for a value that is not permitted.
    """

    def accepts(attribute: Attribute, _: Holder | None) -> bool:
        read(attribute)
        return True

    return Value(words, accepts)
