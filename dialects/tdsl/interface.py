"""The interface of a program for callers and users, as one attribute of its function: `#tdsl.interface<...>`.

`InputInterface` and `ProgramInterface` declare each field once: its type, its permitted values (`interface_fields.py`),
and its meaning. The syntax, the verifier and the documentation are derived from these declarations. Passes query the
interface by `read_interface` and `read_input`, and modify fields by `update_interface` and `update_input`.

    tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0], packed = 4, reused>, classes = ["left", "right"]>
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import accumulate
from math import prod
from typing import Annotated, Any, NamedTuple, TypeVar, get_origin, get_type_hints

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Data, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

import tinyml.dialects.tdsl.interface_fields as kinds
from tinyml.dialects.discardable_attributes import DiscardableAttribute, Holder, HolderKind, Value
from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.formats.number_format import NumberFormat, element_format, number_format
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.tdsl.inputs import FeatureMap, InputPart, Pushes, SignalFrames
from tinyml.dialects.tdsl.interface_fields import FieldKind, StoredExamples, parse_unit, spell_value

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


@dataclass(frozen=True)
class InputInterface:
    """The interface of a program's input. The input is one array, which may concatenate several inputs of the model."""

    range: Annotated[tuple[float, float] | None, kinds.RANGE, "The declared range of the elements."] = None
    zeros: Annotated[float | None, kinds.SHARE, "The share of the elements that are zero on the data."] = None
    names: Annotated[tuple[str, ...] | None, kinds.NAMES, "The name of each feature in the order of the input."] = None
    scales: Annotated[
        tuple[float, ...] | None,
        kinds.SCALES,
        "The unit of each element, in single precision; a sequence that repeats over the whole input is written once.",
    ] = None
    offsets: Annotated[
        tuple[float, ...] | None,
        kinds.NUMBERS,
        "For each element the value of the feature for which the element is zero; written in the same way as `scales`.",
    ] = None
    points: Annotated[
        tuple[float, ...] | None,
        kinds.NUMBERS,
        "For each element the number that is added after the division by the unit, in single precision; written in the "
        "same way as `scales`.",
    ] = None
    unit: Annotated[
        str | None,
        kinds.UNIT,
        "The unit of the sensor's integers that the caller supplies, in the syntax of the option `--input-unit`.",
    ] = None
    format: Annotated[Attribute | None, kinds.FORMAT, "The number format of an argument on reals, in any range."] = None
    read: Annotated[
        tuple[int, ...] | None,
        kinds.INDICES,
        "The elements that the program reads, if these are few; only these are converted from floats.",
    ] = None
    missing: Annotated[bool, kinds.FLAG, "An element may be NaN, a missing value."] = False
    fills: Annotated[
        tuple[float, ...] | None,
        kinds.NUMBERS,
        "For each element the number that replaces a missing value, in single precision.",
    ] = None
    imputed: Annotated[
        tuple[int, ...] | None,
        kinds.INDICES,
        "The elements that may be missing, if `fills` does not apply to all elements.",
    ] = None
    order: Annotated[
        tuple[int, ...] | None,
        kinds.ORDER,
        "For each axis of the input its index in the tensor of a file whose channels come first.",
    ] = None
    parts: Annotated[
        tuple[tuple[str, int] | tuple[str, int, Attribute], ...] | None,
        kinds.PARTS,
        "The name and the length of each input of a model with several inputs, in their order in the array, and the "
        "number format of an input whose format differs from the array's.",
    ] = None
    packed: Annotated[int | None, kinds.PACKED, "The number of bits to which the caller packs each element."] = None
    received: Annotated[
        int | None, kinds.integer(1), "The number of elements of a row, for an input that arrives row by row."
    ] = None
    reused: Annotated[bool, kinds.FLAG, "The input is a buffer of the arena, which the caller fills."] = False
    pushed: Annotated[Pushes | None, kinds.PUSHES, "The frames in which the caller pushes the input (`Pushes`)."] = None
    rate: Annotated[float | None, kinds.RATE, "The samples per second of the input."] = None
    frames: Annotated[SignalFrames | None, kinds.FRAMES, "The frames of a front end (`SignalFrames`)."] = None

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
        kinds.LABELS,
        "The label of each class in the order of indices: all strings, or all 64-bit integers.",
    ] = None
    trained: Annotated[
        tuple[int, ...] | None,
        kinds.INTEGERS,
        "The integer labels of the classes in data, if `classes` are names for a model with such labels.",
    ] = None
    clusters: Annotated[
        bool, kinds.FLAG, "The results are indices of clusters, which `y` of a data set cannot contain."
    ] = False
    threshold: Annotated[
        float | None,
        kinds.NUMBER,
        "The score below which a sample is an anomaly, for a program that detects anomalies.",
    ] = None
    stored: Annotated[
        StoredExamples | None,
        kinds.STORED,
        "The parts that take most of the memory of a model: their number, their name, and advice to reduce them.",
    ] = None
    quantised: Annotated[
        bool,
        kinds.FLAG,
        "The model was trained for its number formats; without them, it is no reference for the program.",
    ] = False
    instances: Annotated[
        bool, kinds.FLAG, "The program's memory belongs to instances; the caller may create several."
    ] = False
    calls: Annotated[
        int | None,
        kinds.integer(1),
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


def _spelled(interface: InputInterface | ProgramInterface) -> str:
    given = ((field.name, getattr(interface, field.name)) for field in fields(interface))
    texts = (name if value is True else f"{name} = {_value(value)}" for name, value in given if _is_given(value))
    return f"<{', '.join(texts)}>"


def _value(value: object) -> str:
    return _spelled(value) if isinstance(value, InputInterface) else spell_value(value)


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
            parse_unit(unit, elements)
        if given.read is not None and max(given.read, default=0) >= elements:
            raise InputError(f"'read': the input has {elements} elements, got {max(given.read)}")
        if (own := number_format(getattr(type, "element_type", None))) is not None:
            for part in given.input_parts:
                if part.format is not None and element_format(part.format).storage != own.storage:
                    raise InputError(f"'parts': '{part.name}' of {part.format} is not stored as {own.type} is")
    return True


INTERFACE = DiscardableAttribute(
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
