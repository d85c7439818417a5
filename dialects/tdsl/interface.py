"""The interface of a program for callers and users, as one attribute of its function: `#tdsl.interface<...>`.

`InputInterface` and `ProgramInterface` declare each field once: its type, its permitted values, and its meaning. The
syntax, the verifier and the documentation are derived from these declarations. Passes query the interface by
`read_interface` and `read_input`, and modify fields by `update_interface` and `update_input`.

    tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0], packed = 4, reused>, classes = ["left", "right"]>
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from io import StringIO
from itertools import accumulate
from math import prod
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_origin, get_type_hints

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Data, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import NumberFormat, element_format, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.layouts.packed_bits import WIDTHS
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import Holder, HolderKind, OwnAttribute, Value
from tinyml.dialects.tdsl.attributes import spell_float
from tinyml.dialects.tdsl.inputs import FeatureMap, InputPart, Pushes, SignalFrames

__all__ = [
    "INTERFACE",
    "InputInterface",
    "InterfaceAttr",
    "ProgramInterface",
    "StoredExamples",
    "input_of",
    "read_input",
    "read_interface",
    "update_input",
    "update_interface",
]

LONGEST_LABEL = 200
"""The maximum number of characters of a label; C code, pages and tables contain complete labels."""

T = TypeVar("T")


class StoredExamples(NamedTuple):
    """Parts of a model, such as support vectors, whose number is determined by training.

    number: the number of parts of the model.
    what: the plural name of the parts.
    smaller: advice on how to train a model with fewer parts. `{n}` in this text is replaced by the greatest number of
        parts for which the program fits its board, and `{n/1000}` by this number divided by 1000.
    """

    number: int
    what: str
    smaller: str

    def advice(self, fitting: int | None) -> str:
        """The advice on how to train a model with fewer parts.

        fitting: the greatest number of parts for which the program fits its board. If it is None or 0, the advice
            contains no numbers.
        """

        def value(found: re.Match[str]) -> str:
            before, whole = found.groups()
            if not fitting:
                return "" if before == "=" else f"{before}fewer"
            return before + (f"{fitting:,}" if whole is None else f"{fitting / int(whole):.2g}")

        return re.sub(r"(.)\{n(?:/(\d+))?\}", value, self.smaller)


@dataclass(frozen=True)
class FieldKind:
    """The permitted values of a field.

    * words: a description for messages and the reference page.
    * accepts: a function that returns whether a value is permitted, or raises `VerifyException` or `InputError` with a
      specific message.
    * convert: a function that converts a parsed literal, in which lists are tuples, to the value of the field.
    """

    words: str
    accepts: Callable[[Any], bool]
    convert: Callable[[Any], Any] = lambda literal: literal

    def verify(self, name: str, value: object) -> None:
        """Raise `VerifyException` if `value` is not permitted for the field `name`."""
        try:
            if self.accepts(value):
                return
        except InputError as error:
            raise VerifyException(error.message) from error
        text = "no value" if value is True else _spelled(value)
        given = text if len(text) <= 80 else f"{text[:80]}..."
        raise VerifyException(f"'{name}': expected {self.words}, got {given}")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -1 << 63 <= value < 1 << 63


def _integer(low: int, high: int | None = None) -> FieldKind:
    words = f"an integer from {low}" + ("" if high is None else f" to {high}")
    return FieldKind(words, lambda value: _is_int(value) and value >= low and (high is None or value <= high))


_PACKED = FieldKind("a number of bits, 1 to 7 or 9 to 15", lambda value: _is_int(value) and value in WIDTHS)


def _list_of(accepts: Callable[[Any], object], lengths: Sequence[int] = ()) -> Callable[[Any], bool]:
    """A predicate for tuples. It is true if every element is accepted and the number of elements is one of `lengths`.

    By default, any number of elements above 0 is permitted.
    """

    def test(value: Any) -> bool:
        elements = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ()
        return len(elements) in (lengths or [len(elements) or 1]) and all(map(accepts, elements))

    return test


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _is_text(value: object) -> bool:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise VerifyException(f"the name {value!r} is no text") from error
    return isinstance(value, str)


def _is_range(value: Any) -> bool:
    return _list_of(_is_finite, [2])(value) and value[0] <= value[1]


def _is_order(axes: Any) -> bool:
    return _list_of(_is_int, [3, 4])(axes) and axes[0] == 0 and sorted(axes) == [*range(len(axes))]


def _is_part(part: Any) -> bool:
    if not _list_of(bool, [2, 3])(part):
        return False
    return _is_text(part[0]) and _is_int(part[1]) and part[1] >= 1 and all(map(_is_format, part[2:]))


def _is_format(type: object) -> bool:
    return isinstance(type, Attribute) and number_format(type) is not None


def _is_unit(text: object) -> bool:
    return isinstance(text, str) and _check_unit(text, None)


def _check_unit(text: str, elements: int | None) -> bool:
    """True if the text is a valid unit or list of units for `elements` elements (`InputUnit.parse`); otherwise raises
    `InputError`.
    """
    return bool(imported("tinyml.dialects.tdsl.sensor_units:InputUnit").parse(text, elements))


def _are_labels(labels: Any) -> bool:
    """True if the argument is a list of two or more different labels, all strings or all integers; false if it is not a
    list or is empty.

    Raises `VerifyException` for a list that violates one of these conditions, and for a label of more than
    `LONGEST_LABEL` characters.
    """
    if not _list_of(lambda _: True)(labels):
        return False
    texts: list[str] = [label for label in labels if _is_text(label)]
    if (longest := max(map(len, texts), default=0)) > LONGEST_LABEL:
        raise VerifyException(f"the label of a class has {longest:,} characters, expected at most {LONGEST_LABEL}")
    alike = len(texts) == len(labels) or all(map(_is_int, labels))
    if not alike or len(labels) < 2 or len(set(labels)) < len(labels):
        raise VerifyException(f"expected {_LABELS.words}, got {[*labels]}")
    return True


def _is_stored(stored: Any) -> bool:
    return isinstance(stored, StoredExamples) and _is_int(stored.number) and all(map(_is_text, stored[1:]))


def _real(literal: Any) -> Any:
    return float(literal) if _is_int(literal) else literal


def _reals(literal: Any) -> Any:
    """A list literal with its integers converted to floats; other literals unchanged."""
    return tuple(map(_real, cast("tuple[Any, ...]", literal))) if isinstance(literal, tuple) else literal


def _singles(literal: Any) -> Any:
    """The numbers of a literal, rounded to single precision. Other literals are unchanged."""
    numbers = _reals(literal)
    if not _list_of(_is_finite)(numbers):
        return literal
    with np.errstate(over="ignore"):
        return tuple(np.array(numbers).astype(np.float32).tolist())


def _record(kind: type[Any]) -> Callable[[Any], Any]:
    """A function that converts a tuple with one value per field to the named tuple `kind`. It returns other literals
    unchanged.
    """
    return lambda literal: kind(*literal) if _list_of(lambda _: True, [len(kind._fields)])(literal) else literal


_FLAG = FieldKind("no value", lambda value: isinstance(value, bool))
_RANGE = FieldKind("a least and a greatest number, as in [-1.0, 1.0]", _is_range, _reals)
_SHARE = FieldKind("a share above 0, at most 1", lambda share: isinstance(share, float) and 0 < share <= 1, _real)
_NUMBER = FieldKind("a finite number", _is_finite, _real)
_RATE = FieldKind("a finite number above 0", lambda rate: isinstance(rate, float) and 0 < rate < math.inf, _real)
_SCALES = FieldKind("a list of finite numbers other than 0", _list_of(lambda one: _is_finite(one) and one), _singles)
_OFFSETS = _FILLS = FieldKind("a list of finite numbers", _list_of(_is_finite), _singles)
_ELEMENTS = FieldKind("a list of integers from 0", _list_of(lambda one: _is_int(one) and one >= 0))
_INTEGERS = FieldKind("a list of integers", _list_of(_is_int))
_NAMES = FieldKind("a list of strings", _list_of(_is_text))
_UNIT = FieldKind("the text of a unit, for all elements", _is_unit)
_FORMAT = FieldKind("a number format", _is_format)
_ORDER = FieldKind("an order of 3 or 4 axes that begins with 0, as in [0, 2, 3, 1]", _is_order)
_PARTS = FieldKind("a list of names, each with a length from 1 and perhaps a number format", _list_of(_is_part))
_PUSHES = FieldKind(
    "four integers from 1: frame, hop, steps and stride",
    _list_of(lambda count: _is_int(count) and count >= 1, [4]),
    _record(Pushes),
)
_FRAMES = FieldKind(
    "four integers: frame, hop and rows from 1, and a grain from 0",
    lambda value: _list_of(_is_int, [4])(value) and min(value[:3]) >= 1 and value[3] >= 0,
    _record(SignalFrames),
)
_LABELS = FieldKind("two or more different labels, all strings or all integers", _are_labels)
_STORED = FieldKind("a number, what it counts, and what makes it smaller", _is_stored, _record(StoredExamples))


@dataclass(frozen=True)
class InputInterface:
    """The interface of a program's input. The input is one array, which may concatenate several inputs of the model."""

    range: Annotated[tuple[float, float] | None, _RANGE, "The declared range of the elements."] = None
    zeros: Annotated[float | None, _SHARE, "The share of the elements that are zero on the data."] = None
    names: Annotated[tuple[str, ...] | None, _NAMES, "The name of each feature in the order of the input."] = None
    scales: Annotated[
        tuple[float, ...] | None,
        _SCALES,
        "The unit of each element, in single precision; a sequence that repeats over the whole input is written once.",
    ] = None
    offsets: Annotated[
        tuple[float, ...] | None,
        _OFFSETS,
        "For each element the value of the feature for which the element is zero; written in the same way as `scales`.",
    ] = None
    points: Annotated[
        tuple[float, ...] | None,
        _OFFSETS,
        "For each element the number that is added after the division by the unit, in single precision; written in the "
        "same way as `scales`.",
    ] = None
    unit: Annotated[
        str | None,
        _UNIT,
        "The unit of the sensor's integers that the caller supplies, in the syntax of the option `--input-unit`.",
    ] = None
    format: Annotated[Attribute | None, _FORMAT, "The number format of an argument on reals, in any range."] = None
    read: Annotated[
        tuple[int, ...] | None,
        _ELEMENTS,
        "The elements that the program reads, if these are few; only these are converted from floats.",
    ] = None
    missing: Annotated[bool, _FLAG, "An element may be NaN, a missing value."] = False
    fills: Annotated[
        tuple[float, ...] | None,
        _FILLS,
        "For each element the number that replaces a missing value, in single precision.",
    ] = None
    imputed: Annotated[
        tuple[int, ...] | None,
        _ELEMENTS,
        "The elements that may be missing, if `fills` does not apply to all elements.",
    ] = None
    order: Annotated[
        tuple[int, ...] | None,
        _ORDER,
        "For each axis of the input its index in the tensor of a file whose channels come first.",
    ] = None
    parts: Annotated[
        tuple[tuple[str, int] | tuple[str, int, Attribute], ...] | None,
        _PARTS,
        "The name and the length of each input of a model with several inputs, in their order in the array, and the "
        "number format of an input whose format differs from the array's.",
    ] = None
    packed: Annotated[int | None, _PACKED, "The number of bits to which the caller packs each element."] = None
    received: Annotated[
        int | None, _integer(1), "The number of elements of a row, for an input that arrives row by row."
    ] = None
    reused: Annotated[bool, _FLAG, "The input is a buffer of the arena, which the caller fills."] = False
    pushed: Annotated[Pushes | None, _PUSHES, "The frames in which the caller pushes the input (`Pushes`)."] = None
    rate: Annotated[float | None, _RATE, "The samples per second of the input."] = None
    frames: Annotated[SignalFrames | None, _FRAMES, "The frames of a front end (`SignalFrames`)."] = None

    def features(self, elements: int) -> FeatureMap | None:
        """The affine map between features and an argument of `elements` elements; None unless the interface specifies
        both scales and offsets.

        Raises `InputError` if `elements` is not a multiple of the number of scales, offsets or points, which are
        repeated over the argument.
        """
        if self.scales is None or self.offsets is None:
            return None
        given = (self.scales, self.offsets, *(() if self.points is None else (self.points,)))
        if any(elements % len(part) for part in given):
            names = "'scales' and 'offsets'" if self.points is None else "'scales', 'offsets' and 'points'"
            raise InputError(f"{names} of the input need a number for each of {elements} features")
        return FeatureMap(*(np.resize(np.array(part, np.float64), elements) for part in given))

    @property
    def input_parts(self) -> tuple[InputPart, ...]:
        """The inputs that the array concatenates, in order; empty for a model with a single input."""
        listed = self.parts or ()
        starts = accumulate((length for _, length, *_ in listed), initial=0)
        return tuple(
            InputPart(name, length, start, *format)
            for (name, length, *format), start in zip(listed, starts, strict=False)
        )

    def own_formats(self, shared: NumberFormat) -> Sequence[tuple[InputPart, NumberFormat]]:
        """All inputs with their number formats; empty unless at least one input has a format of its own.

        shared: the format of the inputs without a format of their own.
        """
        parts = self.input_parts
        if all(part.format is None for part in parts):
            return []
        return [(part, shared if part.format is None else element_format(part.format)) for part in parts]


@dataclass(frozen=True)
class ProgramInterface:
    """The interface of a program: its input, its calling convention, and descriptions of the model for users."""

    input: InputInterface = InputInterface()
    classes: Annotated[
        tuple[str, ...] | tuple[int, ...] | None,
        _LABELS,
        "The label of each class in the order of indices: all strings, or all 64-bit integers.",
    ] = None
    trained: Annotated[
        tuple[int, ...] | None,
        _INTEGERS,
        "The integer labels of the classes in data, if `classes` are names for a model with such labels.",
    ] = None
    clusters: Annotated[bool, _FLAG, "The results are indices of clusters, which `y` of a data set cannot contain."] = (
        False
    )
    threshold: Annotated[
        float | None, _NUMBER, "The score below which a sample is an anomaly, for a program that detects anomalies."
    ] = None
    stored: Annotated[
        StoredExamples | None,
        _STORED,
        "The parts that take most of the memory of a model: their number, their name, and advice to reduce them.",
    ] = None
    quantised: Annotated[
        bool, _FLAG, "The model was trained for its number formats; without them, it is no reference for the program."
    ] = False
    instances: Annotated[bool, _FLAG, "The program's memory belongs to instances; the caller may create several."] = (
        False
    )
    calls: Annotated[
        int | None,
        _integer(1),
        "The number of calls of a step function, from a reset to the answer. It receives a frame, the time, and "
        "values of the previous call, which it returns after the results.",
    ] = None


Interface = TypeVar("Interface", InputInterface, ProgramInterface)


class InterfaceField(NamedTuple):
    """The declaration of a field of an interface.

    name: the name of the field.
    kind: its permitted values.
    meaning: a sentence for the reference page.
    """

    name: str
    kind: FieldKind
    meaning: str


@cache
def interface_fields(kind: type[Any]) -> Sequence[InterfaceField]:
    """The fields that an interface declares. The field that contains the interface of the input is excluded."""
    hints = get_type_hints(kind, include_extras=True)
    return [InterfaceField(name, *hint.__metadata__) for name, hint in hints.items() if get_origin(hint) is Annotated]


@irdl_attr_definition
class InterfaceAttr(Data[ProgramInterface]):
    """The interface of a program, as an attribute of its function. Fields without a value are not printed.

    An example is `#tdsl.interface<input = <range = [-1.0, 1.0], packed = 4, reused>, classes = ["left", "right"]>`.
    """

    name = "tdsl.interface"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ProgramInterface:
        return _parse(parser, ProgramInterface)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(_spelled(self.data))

    def verify(self) -> None:
        for part in (self.data.input, self.data):
            for name, kind, _ in interface_fields(type(part)):
                if (value := getattr(part, name)) is not None:
                    kind.verify(name, value)
        if (self.data.input.scales is None) != (self.data.input.offsets is None):
            raise VerifyException("'scales' and 'offsets' of the input belong together")
        if self.data.input.points is not None and self.data.input.scales is None:
            raise VerifyException("'points' of the input need 'scales' and 'offsets'")


def _parse(parser: AttrParser, kind: type[Interface]) -> Interface:
    """Parse the fields of an interface, enclosed in angle brackets, and return the interface.

    An error states the location of the invalid value.
    """
    known = {name: declared for name, declared, _ in interface_fields(kind)}
    given: dict[str, Any] = {}

    def parse_field() -> None:
        start, name = parser.pos, parser.parse_identifier()
        if name == "input" and kind is ProgramInterface:
            parser.parse_punctuation("=")
            given[name] = _parse(parser, InputInterface)
            return
        if name not in known:
            parser.raise_error(f"unknown field '{name}' of an interface{did_you_mean(name, known)}", start)
        if name in given:
            parser.raise_error(f"the field '{name}' is given twice", start)
        value: Any = True
        if parser.parse_optional_punctuation("=") is not None:
            start, value = parser.pos, known[name].convert(_literal(parser))
        try:
            known[name].verify(name, value)
        except VerifyException as error:
            parser.raise_error(str(error), start)
        given[name] = value

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
    return kind(**given)


def _literal(parser: AttrParser) -> Any:
    """Parse a string, a number, a type or a list of these and return the value. A list is returned as a tuple."""
    if (text := parser.parse_optional_str_literal()) is not None:
        return text
    start = parser.pos
    if (encoded := parser.parse_optional_bytes_literal()) is not None:
        try:
            return encoded.decode()
        except UnicodeDecodeError:
            parser.raise_error("expected a string in UTF-8", start)
    if (number := parser.parse_optional_number()) is not None:
        return number
    if (type := parser.parse_optional_type()) is not None:
        return type
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _literal(parser)))


def _spelled(value: object) -> str:
    match value:
        case InputInterface() | ProgramInterface():
            given = ((one.name, getattr(value, one.name)) for one in fields(value))
            texts = (name if one is True else f"{name} = {_spelled(one)}" for name, one in given if _is_given(one))
            return f"<{', '.join(texts)}>"
        case str():
            text = StringIO()
            Printer(text).print_string_literal(value)
            return text.getvalue()
        case float():
            return spell_float(value)
        case tuple():
            return f"[{', '.join(map(_spelled, cast('tuple[object, ...]', value)))}]"
        case _:
            return str(value)


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != InputInterface()


def _fits(attribute: Attribute, function: Holder | None) -> bool:
    """True if an attribute is an interface that is valid for a function; false if it is no interface.

    Raises `InputError` in four cases: the interface describes an input that the function does not have; the units of
    the input cannot be repeated to the elements of the argument; `read` lists elements that the argument does not have;
    the format of one of several inputs has another storage type than the argument.
    """
    if not isinstance(attribute, InterfaceAttr):
        return False
    given, unit = attribute.data.input, attribute.data.input.unit
    arguments = function.args if isinstance(function, FuncOp) else None
    # A reused input is a buffer of the arena if it is not an argument of the function.
    if arguments is not None and not arguments and not given.reused:
        for field in fields(given):
            if _is_given(getattr(given, field.name)):
                raise InputError(f"'{field.name}': the function has no input")
    if arguments and isinstance(type := arguments[0].type, ShapedType) and type.has_static_shape():
        elements = prod(type.get_shape())
        if unit is not None:
            _check_unit(unit, elements)
        if given.read is not None and max(given.read, default=0) >= elements:
            raise InputError(f"'read': the input has {elements} elements, got {max(given.read)}")
        if (own := number_format(getattr(type, "element_type", None))) is not None:
            for part in given.input_parts:
                if part.format is not None and element_format(part.format).storage != own.storage:
                    raise InputError(f"'parts': '{part.name}' of {part.format} is not stored as {own.type} is")
    return True


INTERFACE = OwnAttribute(
    "tdsl.interface",
    {HolderKind.FUNCTION: Value("an interface, as in #tdsl.interface<...>", _fits)},
    "The information that callers and users of the program need, in the fields below.",
)


def read_interface(op: FuncOp | ModuleOp) -> ProgramInterface:
    """The interface of a function. For a module, it is the interface of the module's program. If none is stated, the
    result is the default interface.
    """
    functions = [op] if isinstance(op, FuncOp) else defined_functions(op)
    for function in functions:
        if isinstance(attribute := function.attributes.get(INTERFACE), InterfaceAttr):
            return attribute.data
    return ProgramInterface()


def read_input(op: FuncOp | ModuleOp) -> InputInterface:
    """The input interface of a function. For a module, it is that of the module's program."""
    return read_interface(op).input


def input_of(value: SSAValue) -> InputInterface | None:
    """The interface of the input of a function if a value is this input. None for any other value."""
    function = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return read_input(function) if isinstance(function, FuncOp) else None


def _converted(interface: Interface) -> Interface:
    given = ((name, kind, getattr(interface, name)) for name, kind, _ in interface_fields(type(interface)))
    return replace(interface, **{name: kind.convert(value) for name, kind, value in given})


def update_interface(op: FuncOp | ModuleOp, **changes: Any) -> None:
    """Change fields of the interface of a function or, for a module, of its program.

    changes: the new values by field name. Values are converted like parsed literals; None removes a field.

    Raises `VerifyException` for a value that is not permitted for its field.
    """
    [function] = [op] if isinstance(op, FuncOp) else defined_functions(op)
    changed = replace(read_interface(function), **changes)
    interface = InterfaceAttr(replace(_converted(changed), input=_converted(changed.input)))
    function.attributes.pop(INTERFACE, None)
    if interface.data != ProgramInterface():
        function.attributes[INTERFACE] = interface


def update_input(op: FuncOp | ModuleOp, **changes: Any) -> None:
    """Change fields of the input interface of a function or, for a module, of its program.

    changes: the new values by field name, as for `update_interface`.
    """
    update_interface(op, input=replace(read_input(op), **changes))
