"""The fields of the report of a compiled model, as `report.json` stores them.

Readers of a report rely on the declared types: `check_report` validates a file once, when it is read. Fields that no
command reads again, such as the tensors of a search, are declared as `Any`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from types import NoneType, UnionType
from typing import Any, NewType, TypedDict, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.lowering.options import CompileOptions
from tinyml.targets.board import TimeSource

SCHEMA = 2
"""The version of the fields; it increases if a field is removed or changes its meaning, not if one is added."""

TIMES = ("time_per_inference", "time_per_mac")
"""Fields in the board's unit; JSON names them after it: `cycles_per_inference`."""

Count = NewType("Count", int)
"""Nonnegative integers."""

Unbounded = NewType("Unbounded", float)
"""Reals that may be infinite or NaN."""

UNITS = ("cycles", "instructions")
TIME_SOURCES: tuple[str, ...] = get_args(TimeSource)

NUMBER_BOUND = 2**63
"""Exclusive bound on the magnitude of numbers in a report."""


class Ram(TypedDict):
    """The fields of `RamBytes`."""

    arena: Count
    input: Count
    static: Count | None
    stack: Count | None
    total: Count | None


class Errors(TypedDict):
    """The errors of a regressor.

    r2: the coefficient of determination.
    rmse: the root of the mean squared error.
    mae: the mean absolute error.
    """

    r2: Unbounded
    rmse: Unbounded
    mae: Unbounded


class Regression(TypedDict):
    """The errors of a regressor on reals and in formats; None without targets.

    difference: the mean absolute difference between the outputs on reals and in formats.
    """

    reals: Errors | None
    formats: Errors | None
    difference: Unbounded


class OutputEntry(TypedDict):
    """The fields of `OutputFigures`: the errors or the accuracy of an output after the first."""

    number: Count
    reals: Errors | None
    formats: Errors | None
    accuracy_float: float | None
    accuracy: float | None
    difference: Unbounded


class Rates(TypedDict):
    """The rates of a detector on samples, as in `DetectionRates`."""

    auc: Unbounded | None
    alarms: Unbounded
    found: Unbounded | None


class DetectionFields(TypedDict):
    """The fields about a detector, on reals and in formats.

    threshold, rank_correlation, far: as in `measure.Detection`.
    """

    threshold: Unbounded
    reals: Rates
    formats: Rates
    rank_correlation: Unbounded
    far: Unbounded


class MetricFields(TypedDict):
    """The value of the requested metric, on reals and in formats.

    percent: true for a metric that is a share.
    """

    name: str
    reals: Unbounded
    formats: Unbounded
    percent: bool


class Confusion(TypedDict):
    """The confusion matrices: the numbers of answers, with a row for each class and a column for each answer."""

    classes: Sequence[str | int]
    float: Sequence[Sequence[Count]]
    compiled: Sequence[Sequence[Count]]


class BufferBytes(TypedDict):
    """The name and the bytes of a buffer."""

    buffer: str
    bytes: Count


class Peak(TypedDict):
    """The program point at which an arena is fullest.

    operation: the operation at this point.
    bytes: the live bytes.
    buffers: the live buffers.
    """

    operation: str
    bytes: Count
    buffers: Sequence[BufferBytes]


class Ring(TypedDict):
    """The part of an image that a ring buffer stores: `held` of the `of` rows or pixels of the image; `by` is `rows` or
    `pixels`.
    """

    held: Count
    of: Count
    by: str


class MappedBuffer(BufferBytes):
    """A buffer in an arena, live between two program points.

    offset: the byte offset in the arena.
    first, last: the program points.
    ring: the part of an image that it stores, if it is a ring buffer; otherwise None.
    """

    offset: Count
    first: int
    last: int
    ring: Ring | None


class Memory(TypedDict):
    """The contents of the arena over time, as `memory_report` returns them."""

    height: Count
    lower_bound: Count
    proof: str
    packer: str
    checked: str | None
    waste: Count
    peak: Peak
    map: Sequence[MappedBuffer]


class EstimatedOperation(TypedDict):
    """The estimate of an operation. The name of the field `time` in JSON is the unit."""

    operation: str
    time: float
    code_bytes: float


class EstimateFields(TypedDict):
    """The figures of the cost model. The name of the field `time_per_inference` in JSON contains the unit."""

    time_per_inference: float
    operations: Sequence[EstimatedOperation]


class FrontPoint(TypedDict):
    """A candidate that a search recorded, with its costs.

    origin: the step of the search that produced the candidate.
    front: whether no other candidate dominates it.
    chosen: whether the search chose it.
    loss, time, flash, ram: its loss, and its estimated costs.
    """

    loss: Unbounded
    time: float
    flash: float
    ram: float
    origin: str
    front: bool
    chosen: bool


class SearchedTensor(TypedDict):
    """The format that a search chose for a tensor.

    width: the bits of an element.
    error: the mean absolute error of the values in this format.
    why: the reason for the choice; empty if the search states none.
    """

    name: str
    width: Count
    error: Unbounded
    why: str


class SearchFields(TypedDict):
    """The candidates that a search evaluated, and the results of the search.

    candidates: the number of evaluated candidates.
    tensors: the chosen format of each tensor.
    points: the candidates with their costs; None for a search that records none.
    """

    name: str
    candidates: Count
    tensors: Sequence[SearchedTensor] | None
    points: Sequence[FrontPoint] | None


class Look(TypedDict):
    """The loss of an alternative on the validation set, in points."""

    points: Unbounded


class AlternativeFields(TypedDict):
    """An alternative that `auto` considered, with its estimated costs.

    look, loss: the loss with constants rounded to nearest and with refined constants; None without an evaluation.
    verdict: the reason why it was chosen or refused.
    """

    name: str
    time: float | None
    flash: float | None
    ram: float | None
    look: Look | None
    loss: Look | None
    verdict: str


class ChoiceFields(TypedDict):
    """The alternatives that `auto` considered, and its choice."""

    alternatives: Sequence[AlternativeFields]


class Segment(TypedDict):
    """A segment of a network that is not computed op by op.

    first, last: the names of its first and its last op.
    by: the tiling that executes it.
    """

    first: str
    last: str
    by: str


class Warning(TypedDict):
    """A warning and the remedy for its cause."""

    text: str
    cure: str


class Stream(TypedDict):
    """The input of a streaming program.

    hop: the number of elements from the start of one frame to the start of the next.
    """

    hop: Count


@dataclass(frozen=True, kw_only=True)
class RamBytes:
    """The bytes of RAM by purpose. static, stack and total are None without measurements.

    arena: working memory.
    input: the caller's array; 0 if the input is in the arena or arrives row by row.
    static: .data and .bss, which include arena and input.
    stack: the measured peak of the stack.
    total: the sum of static and stack.
    """

    arena: int
    input: int
    static: int | None
    stack: int | None
    total: int | None


@dataclass(frozen=True, kw_only=True)
class FunctionReport:
    """The greatest error of a function, such as `exp`, between two formats, over all arguments.

    scheme: the implementation of the function; None for the default.
    error: the error in reals; None for more than 2^16 arguments and for floats.
    argument, result: the formats of argument and result.
    """

    function: str
    scheme: str | None
    argument: str
    result: str
    error: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class ReportFields:
    """The fields of a `Report`, which describes them."""

    schema: int = SCHEMA
    model: str
    name: str
    target: str
    part: str
    unit: str
    options: Mapping[str, Any]
    inputs: Sequence[Mapping[str, Any]]
    input_layout: str | None
    format: str
    width: int
    parts: str | None
    row_scales: bool
    feature_scales: bool
    fold_affine: bool
    search: Mapping[str, Any] | None
    optimize: str
    accuracy_float: float | None
    accuracy: float | None
    disagreements: int
    samples: int
    confusion: Mapping[str, Any] | None
    regression: Mapping[str, Any] | None
    by_output: Sequence[Mapping[str, Any]]
    detection: Mapping[str, Any] | None
    metric: Mapping[str, Any] | None
    rounded_sums: Mapping[str, Any] | None
    functions: tuple[FunctionReport, ...]
    flash_bytes: int | None
    constants_bytes: int
    far_constants: Mapping[str, Any] | None
    flash_limit: int | None
    flash_within: int | None
    ram_bytes: RamBytes
    ram_limit: int | None
    segments: list[dict[str, str | int]]
    layers: Mapping[str, str]
    memory: Mapping[str, Any]
    stream: Mapping[str, Any] | None
    time_per_inference: float | None
    macs: int
    time_per_mac: float | None
    core_cycles_per_inference: float | None
    core_cycles_per_mac: float | None
    milliseconds_per_inference: float | None
    time_source: str | None
    hardware: Mapping[str, Any] | None
    fits: bool | None
    estimate: Mapping[str, Any] | None
    seconds: float
    mismatch: str | None
    requested: Mapping[str, Any]
    chosen: Mapping[str, Any] | None
    lines: Sequence[str]
    warnings: Sequence[Mapping[str, str]]
    sensor: Mapping[str, Any] | None
    float_inputs: Mapping[str, Any] | None
    thresholds: Mapping[str, Any] | None


def spelled(name: str, unit: str) -> str:
    """The name of a field in JSON. The name of a time contains the unit."""
    return name.replace("time", unit, 1) if name in TIMES else name


PARTS: dict[str, Any] = {
    "ram_bytes": Ram,
    "search": SearchFields | None,
    "confusion": Confusion | None,
    "regression": Regression | None,
    "by_output": Sequence[OutputEntry],
    "detection": DetectionFields | None,
    "metric": MetricFields | None,
    "disagreements": Count,
    "samples": Count,
    "segments": Sequence[Segment],
    "memory": Memory,
    "stream": Stream | None,
    "estimate": EstimateFields | None,
    "chosen": ChoiceFields | None,
    "warnings": Sequence[Warning],
}
"""The types of nested fields in JSON that `ReportFields` does not declare."""

_BY_UNIT: dict[Any, Sequence[str]] = {
    EstimatedOperation: ("time",),
    EstimateFields: ("time_per_inference",),
    ReportFields: TIMES,
}
"""Fields in the board's unit, by the types that have them."""

OTHER_VERSION = "the report is of another version of tinyml: compile the model again"


def check_report(entries: Mapping[str, Any], file: str) -> None:
    """Raise `InputError` for the entries of a report if fields are missing, or if types or values are wrong."""
    unit = entries.get("unit")
    if unit not in UNITS or f"{unit}_per_inference" not in entries:
        raise InputError(OTHER_VERSION, file=file)
    options = {declared.name: declared for declared in options_of(CompileOptions)}
    expected = {
        spelled(name, unit): type for name, type in (get_type_hints(ReportFields) | PARTS).items() if name != "options"
    }
    expected = {name: declared.type for name, declared in options.items()} | expected
    if missing := [name for name in expected if name not in entries]:
        raise InputError(f"{OTHER_VERSION} (it has no `{missing[0]}`)", file=file)
    for name, type in expected.items():
        for place, wanted in _faults(entries[name], type, name, unit):
            raise InputError(f"`{place}` is not {wanted}: compile the model again", file=file)
    for name, declared in options.items():
        if declared.choices and expected[name] == declared.type and entries[name] not in (None, *declared.choices):
            raise InputError(f"`{name}` is not one of {', '.join(declared.choices)}: compile again", file=file)
    if entries["time_source"] not in (None, *TIME_SOURCES):
        raise InputError(f"`time_source` is not one of {', '.join(TIME_SOURCES)}: compile the model again", file=file)
    if (place := _contradiction(entries)) is not None:
        raise InputError(f"`{place}` does not fit the other fields: compile the model again", file=file)


def _contradiction(entries: Mapping[str, Any]) -> str | None:
    """The path of a value that has the right type but contradicts another value; None if there is none."""
    confusion: Mapping[str, Any] | None = entries["confusion"]
    regression: Mapping[str, Any] | None = entries["regression"]
    if confusion is not None:
        count = len(confusion["classes"])
        for kind, rows in (("float", confusion["float"]), ("compiled", confusion["compiled"])):
            if [*map(len, rows)] != [count] * count:
                return f"confusion.{kind}"
    if regression is not None and (regression["reals"] is None) != (regression["formats"] is None):
        return "regression.reals"
    return "accuracy_float" if (entries["accuracy"] is None) != (entries["accuracy_float"] is None) else None


def _faults(value: object, type: Any, place: str, unit: str) -> Iterator[tuple[str, str]]:
    """Yield the nested values whose types differ from the declaration, each as the path of the value and the expected
    type. Yield nothing for a valid value.

    value: the value to check.
    type: its declared type.
    place: the path of the value.
    unit: the unit of time, which names of fields contain.
    """
    origin, arguments = get_origin(type), get_args(type)
    if type in _PLAIN:
        wanted, holds = _PLAIN[type]
        if not holds(value):
            yield place, wanted
    elif origin in (Union, UnionType):
        faults = [list(_faults(value, one, place, unit)) for one in arguments]
        if all(faults):
            # The alternative that matches most deeply is probably the intended one: report its fault.
            yield max((each[0] for each in faults), key=lambda fault: len(fault[0]))
    elif is_typeddict(type) or is_dataclass(type):
        if not isinstance(value, Mapping):
            yield place, "an object"
            return
        known = cast("Mapping[str, object]", value)
        for name, inner in get_type_hints(type).items():
            key = name.replace("time", unit, 1) if name in _BY_UNIT.get(type, ()) else name
            if key in known:
                yield from _faults(known[key], inner, f"{place}.{key}", unit)
            else:
                yield f"{place}.{key}", "there"
    elif origin in (Sequence, tuple):
        if not isinstance(value, list | tuple):
            yield place, "a list"
            return
        for number, one in enumerate(cast("Sequence[object]", value)):
            yield from _faults(one, arguments[0], f"{place}[{number}]", unit)
    else:
        assert origin is Mapping, type
        if not isinstance(value, Mapping):
            yield place, "an object"


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -NUMBER_BOUND < value < NUMBER_BOUND


def _is_real(value: object) -> bool:
    return _is_integer(value) or (isinstance(value, float) and abs(value) < NUMBER_BOUND)


_PLAIN: dict[Any, tuple[str, Callable[[object], bool]]] = {
    Any: ("", lambda value: True),
    NoneType: ("null", lambda value: value is None),
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("an integer", _is_integer),
    Count: ("an integer from 0 up", lambda value: _is_integer(value) and cast(int, value) >= 0),
    float: ("a number", _is_real),
    Unbounded: ("a number", lambda value: _is_integer(value) or isinstance(value, float)),
}
"""The types without parts: what a message calls them, and their check."""
