"""A TensorFlow Lite model as a typed graph, read from a flatbuffer.

The format of flatbuffers is that of https://flatbuffers.dev/internals: a table begins with the distance to its vtable,
which holds the byte offset of each field; vectors and texts begin with their length. Every offset is checked.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.tflite.schema import (
    IDENTIFIER,
    NAMED,
    NUMPY_TYPES,
    OPERATORS,
    OPTIONS,
    PLACEHOLDER,
    TYPES,
    VERSION,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


N = TypeVar("N", bound=bool | float)

_OFFSET, _COUNT = struct.calcsize("<I"), struct.calcsize("<H")


class _DamagedError(Exception):
    """Raised for content that is not a valid flatbuffer; reading one raises nothing else."""


@dataclass(frozen=True)
class _Table:
    """A table at a byte offset of a file; fields are identified by slots, from 0."""

    content: bytes
    position: int

    @classmethod
    def root(cls, content: bytes) -> _Table:
        """The root table of a file."""
        return cls(content, _offset(content, 0))

    def number(self, slot: int, kind: str, default: N) -> N:
        """A field with a number; `default` if it is missing. kind: a code of the module `struct`."""
        position = self._field(slot)
        return default if position is None else type(default)(_number(self.content, position, kind))

    def table(self, slot: int) -> _Table | None:
        """A field with a table."""
        position = self._field(slot)
        return None if position is None else _Table(self.content, _offset(self.content, position))

    def tables(self, slot: int) -> Sequence[_Table]:
        """A field with a vector of tables; empty if it is missing."""
        start, length = self._vector(slot, _OFFSET)
        positions = range(start, start + length * _OFFSET, _OFFSET)
        return [_Table(self.content, _offset(self.content, position)) for position in positions]

    def numbers(self, slot: int, dtype: str) -> NDArray[Any]:
        """A view of a field with a vector of numbers; empty if it is missing. dtype: such as `<i4`."""
        start, length = self._vector(slot, np.dtype(dtype).itemsize)
        return np.frombuffer(self.content, dtype, length, start)

    def text(self, slot: int) -> str:
        """A field with a text; empty if it is missing."""
        start, length = self._vector(slot, 1)
        return self.content[start : start + length].decode(errors="replace")

    def _vector(self, slot: int, size: int) -> tuple[int, int]:
        """The offset of a vector's first element, and the number of elements. size: of an element, in bytes."""
        if (position := self._field(slot)) is None:
            return 0, 0
        start = _offset(self.content, position)
        length = _number(self.content, start, "I")
        if start + _OFFSET + length * size > len(self.content):
            raise _DamagedError(f"a vector of {length} elements at byte {start} is longer than the file")
        return start + _OFFSET, length

    def _field(self, slot: int) -> int | None:
        vtable = self.position - _number(self.content, self.position, "i")
        entry = 2 * _COUNT + slot * _COUNT
        if entry + _COUNT > _number(self.content, vtable, "H"):
            return None
        distance = _number(self.content, vtable + entry, "H")
        return self.position + distance if distance else None


def _offset(content: bytes, position: int) -> int:
    """The target of the relative offset stored at a position."""
    return position + _number(content, position, "I")


def _number(content: bytes, position: int, kind: str) -> Any:
    if not 0 <= position <= len(content) - struct.calcsize(f"<{kind}"):
        raise _DamagedError(f"an offset leads to byte {position} of a file of {len(content)} bytes")
    return struct.unpack_from(f"<{kind}", content, position)[0]


RANKS = range(7)
"""Ranks of tensors that TensorFlow Lite's kernels support."""


@dataclass(frozen=True)
class Quantization:
    """Scales and zero points, one of each or one per index of an axis: real = scale * (raw - zero point)."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor of the graph; a constant has data of its shape. dtype: a name of `TYPES`."""

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None
    data: NDArray[Any] | None

    def __str__(self) -> str:
        return f"'{self.name}'" if self.name else f"tensor {self.index}"


@dataclass(frozen=True, eq=False)
class Operator:
    """A step of the graph. kind: a name of `OPERATORS`; a missing optional input is None."""

    index: int
    kind: str
    inputs: Sequence[Tensor | None]
    outputs: Sequence[Tensor]
    options: Mapping[str, Any]

    def __str__(self) -> str:
        output = f", which computes {self.outputs[0]}" if self.outputs else ""
        return f"operator {self.index} ({self.kind}{output})"


@dataclass(frozen=True)
class TfliteGraph:
    """The main graph of a model: operators in the order of execution."""

    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    operators: Sequence[Operator]


def read_graph(content: bytes, file: str) -> TfliteGraph:
    """The graph in the content of a file; raises `InputError` for anything but a complete model."""
    if content[4:8] != IDENTIFIER:
        raise InputError("expected a TensorFlow Lite model: bytes 4 to 7 of the file are not TFL3", file=file)
    try:
        return _TfliteReader(_Table.root(content)).graph()
    except _DamagedError as error:
        raise InputError(f"the model is damaged: {error}", file=file) from error
    except InputError as error:
        raise InputError(error.message, file=file) from error


class _TfliteReader:
    """A reader of the tables of a model; raises `_DamagedError` and `InputError`."""

    def __init__(self, model: _Table):
        if (version := model.number(0, "I", 0)) != VERSION:
            raise InputError(f"expected version {VERSION} of TensorFlow Lite's schema, got {version}")
        graphs = model.tables(2)
        if not graphs:
            raise InputError("the model has no graph")
        self.main = graphs[0]
        self.buffers = model.tables(4)
        self.kinds = [_kind(code) for code in model.tables(1)]
        self.elements = 0

    def graph(self) -> TfliteGraph:
        tensors = [self.tensor(index, table) for index, table in enumerate(self.main.tables(0))]

        def named(indices: NDArray[Any], where: str) -> list[Tensor | None]:
            wrong = [index for index in indices.tolist() if not -1 <= index < len(tensors)]
            if wrong:
                raise InputError(f"{where} names tensor {wrong[0]}, the model has {len(tensors)}")
            return [None if index == -1 else tensors[index] for index in indices.tolist()]

        def required(indices: NDArray[Any], where: str) -> list[Tensor]:
            known = [tensor for tensor in named(indices, where) if tensor is not None]
            if len(known) < len(indices):
                raise InputError(f"{where} names tensor -1")
            return known

        operators: list[Operator] = []
        for index, table in enumerate(self.main.tables(3)):
            kind = self.kind(table, index)
            where = f"operator {index} ({kind})"
            inputs, outputs = named(table.numbers(1, "<i4"), where), required(table.numbers(2, "<i4"), where)
            operators.append(Operator(index, kind, inputs, outputs, _options(kind, table)))
        inputs = required(self.main.numbers(1, "<i4"), "the list of inputs")
        return TfliteGraph(inputs, required(self.main.numbers(2, "<i4"), "the list of outputs"), operators)

    def kind(self, table: _Table, index: int) -> str:
        """The kind of an operator."""
        number = table.number(0, "I", 0)
        if number >= len(self.kinds):
            raise InputError(f"operator {index} is of kind {number}, the model lists {len(self.kinds)} kinds")
        return self.kinds[number]

    def tensor(self, index: int, table: _Table) -> Tensor:
        name, shape = table.text(3), tuple(table.numbers(0, "<i4").tolist())
        label = f"'{name}'" if name else f"tensor {index}"
        if len(shape) not in RANKS or any(extent < 1 for extent in shape):
            raise InputError(
                f"{label} has shape {shape}: extents must be known and positive, ranks at most {RANKS[-1]}"
            )
        _limit(prod(shape), f"{label} of shape {shape} has")
        number = table.number(1, "b", 0)
        dtype = TYPES.get(number, f"type {number}")
        return Tensor(index, name, shape, dtype, _quantization(table, label), self.data(table, label, shape, dtype))

    def data(self, table: _Table, label: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any] | None:
        """The content of a constant; None for a tensor that is computed."""
        number = table.number(2, "I", 0)
        if number >= len(self.buffers):
            raise InputError(f"{label} names buffer {number}, the model has {len(self.buffers)}")
        content = self.buffers[number].numbers(0, "u1")
        if not content.size:
            return None
        if dtype not in NUMPY_TYPES:
            # The operator that reads the constant reports the unsupported type.
            return np.zeros(shape, np.int8)
        expected = prod(shape) * np.dtype(dtype).itemsize
        if content.size != expected:
            raise InputError(f"{label} of shape {shape} and type {dtype} needs {expected} bytes, has {content.size}")
        self.elements += prod(shape)
        _limit(self.elements, "the constants have")
        values = np.frombuffer(content.tobytes(), np.dtype(dtype).newbyteorder("<")).astype(dtype).reshape(shape)
        if dtype == "float32" and not np.isfinite(values).all():
            raise InputError(f"{label} holds NaN or infinity")
        return values


def _kind(code: _Table) -> str:
    """The name of the operator that an operator code identifies."""
    number = code.number(0, "b", 0)
    if number == PLACEHOLDER or not number:
        number = max(number, code.number(3, "i", 0))
    if not 0 <= number < len(OPERATORS):
        raise InputError(f"operators of number {number} are unknown: the schema ends at {len(OPERATORS) - 1}")
    name = OPERATORS[number]
    return f"CUSTOM {code.text(1)}" if name == "CUSTOM" else name


def _options(kind: str, table: _Table) -> Mapping[str, Any]:
    """The options of an operator, with the schema's defaults for missing ones."""
    given = table.table(4)
    options: dict[str, Any] = {}
    for name, field in OPTIONS.get(kind, {}).items():
        value = field[-1] if given is None else given.number(*field)
        if name in NAMED:
            if value not in NAMED[name]:
                raise InputError(f"{name} {value} of an operator {kind} is unknown")
            value = NAMED[name][int(value)]
        options[name] = value
    return options


def _quantization(table: _Table, label: str) -> Quantization | None:
    parameters = table.table(4)
    if parameters is None or not (scales := parameters.numbers(2, "<f4").tolist()):
        return None
    zero_points = parameters.numbers(3, "<i8").tolist() or [0] * len(scales)
    if not all(isfinite(scale) and scale > 0 for scale in scales):
        raise InputError(f"the scales of {label} must be positive and finite")
    if len(zero_points) != len(scales):
        raise InputError(f"{label} has {len(scales)} scales and {len(zero_points)} zero points")
    return Quantization(tuple(scales), tuple(zero_points))


def _limit(elements: int, what: str) -> None:
    """Raise `InputError` for more elements than the limit. what: the beginning of the message."""
    if elements > (limit := ELEMENT_LIMIT.get()):
        raise InputError(f"{what} more than {limit} elements; --max-elements raises the limit")
