"""A TensorFlow Lite model as a typed graph, parsed from a flatbuffer, and the supported part of the schema.

https://flatbuffers.dev/internals describes flatbuffers. A table begins with the distance to its vtable, which stores
the byte offset of each field. Vectors and texts begin with their length. Every offset is checked. The tables below
follow `schema.fbs`, version 3: field slots, operator numbers and types.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, TypeVar

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.tflite.advice import advice, recurrent
from tinyml.lowering.frontends.tflite.narrow import in_floats, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray


N = TypeVar("N", bound=bool | float)


RANKS = range(7)
"""Ranks of tensors that TensorFlow Lite's kernels support."""


@dataclass(frozen=True)
class Quantization:
    """Scales and zero points, one pair per tensor or per index of an axis: real = scale * (raw - zero point)."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor of the graph.

    index: its position in the subgraph, for messages.
    dtype: a name in `TYPES`.
    quantization: its scales and zero points; None for a tensor that is not quantised.
    data: the elements of a constant, in the tensor's shape; None for a computed tensor.
    signature: the shape with -1 for extents that the model leaves open, which are 1 in `shape`; empty if all extents
        are known.
    """

    index: int
    name: str
    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None
    data: NDArray[Any] | None
    signature: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"'{self.name}'" if self.name else f"tensor {self.index}"


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator of the graph.

    index: its position in the subgraph, for messages.
    kind: a name in `OPERATORS`.
    inputs: the operands; None for an optional input that is missing.
    options: the options by name, with the schema's defaults.
    """

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
    """The main graph of a model. Its operators are in the order of execution.

    beginning: the operators of the graphs that run once, before the first inference (CALL_ONCE).
    called: by number, the conditions and bodies of loops (WHILE).
    """

    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    operators: Sequence[Operator]
    beginning: Sequence[Operator] = ()
    called: Mapping[int, TfliteGraph] = field(default_factory=dict[int, "TfliteGraph"])


def read_graph(content: bytes, file: str) -> TfliteGraph:
    """Parse the graph in the content of a file. Raises `InputError` unless the content is a complete model."""
    if content[4:8] != IDENTIFIER:
        raise InputError("expected a TensorFlow Lite model: bytes 4 to 7 of the file are not TFL3", file=file)
    try:
        return _TfliteReader(_Table.root(content)).graph()
    except _DamagedError as error:
        raise InputError(f"the model is damaged: {error}", file=file) from error
    except InputError as error:
        raise InputError(error.message, file=file) from error


class _TfliteReader:
    """A reader of the tables of a model. Raises `_DamagedError` and `InputError`."""

    def __init__(self, model: _Table):
        if (version := model.number(0, "I", 0)) != VERSION:
            raise InputError(f"expected version {VERSION} of TensorFlow Lite's schema, got {version}")
        self.graphs = model.tables(2)
        if not self.graphs:
            raise InputError("the model has no graph")
        self.buffers = model.tables(4)
        self.kinds = [_kind(code) for code in model.tables(1)]
        self.elements = 0

    def graph(self) -> TfliteGraph:
        main = self.subgraph(0)
        beginning: list[Operator] = []
        for op in main.operators:
            if op.kind == "CALL_ONCE":
                if not 0 < (number := op.options["graph"]) < len(self.graphs):
                    raise InputError(f"{op} calls graph {number}, the model has {len(self.graphs)}")
                beginning += self.subgraph(number).operators
        return replace(main, beginning=beginning, called=self.called(main))

    def called(self, main: TfliteGraph) -> Mapping[int, TfliteGraph]:
        """The conditions and bodies of the loops of a graph, and of the loops in them, by number."""
        graphs: dict[int, TfliteGraph] = {}
        waiting = [main]
        while waiting:
            for op in waiting.pop().operators:
                for number in (op.options["condition"], op.options["body"]) if op.kind == "WHILE" else ():
                    if 0 < number < len(self.graphs) and number not in graphs:
                        graphs[number] = self.subgraph(number)
                        waiting.append(graphs[number])
        return graphs

    def subgraph(self, number: int) -> TfliteGraph:
        graph = self.graphs[number]
        tables = graph.tables(0)
        kinds = [self.kind(table, index) for index, table in enumerate(graph.tables(3))]
        # Tensors that nothing reads or computes may have shapes without elements.
        listed = [graph.numbers(slot, "<i4") for slot in (1, 2)]
        listed += [table.numbers(slot, "<i4") for table in graph.tables(3) for slot in (1, 2)]
        used: set[int] = {index for indices in listed for index in indices.tolist() if 0 <= index < len(tables)}
        # In the bodies of loops, the elements before the first of a list are a part without elements.
        tensors = {index: self.tensor(index, tables, least=0 if number else 1) for index in sorted(used)}

        def named(indices: NDArray[Any], where: str) -> list[Tensor | None]:
            for index in map(int, indices):
                if not -1 <= index < len(tables):
                    raise InputError(f"{where} names tensor {index}, the model has {len(tables)}")
            return [tensors.get(int(index)) for index in indices]

        def required(indices: NDArray[Any], where: str) -> list[Tensor]:
            known = [tensor for tensor in named(indices, where) if tensor is not None]
            if len(known) < len(indices):
                raise InputError(f"{where} names tensor -1")
            return known

        operators: list[Operator] = []
        for index, (kind, table) in enumerate(zip(kinds, graph.tables(3), strict=True)):
            where = f"operator {index} ({kind})"
            inputs, outputs = named(table.numbers(1, "<i4"), where), required(table.numbers(2, "<i4"), where)
            operators.append(Operator(index, kind, inputs, outputs, _options(kind, table)))
        inputs = required(graph.numbers(1, "<i4"), "the list of inputs")
        return TfliteGraph(inputs, required(graph.numbers(2, "<i4"), "the list of outputs"), operators)

    def kind(self, table: _Table, index: int) -> str:
        number = table.number(0, "I", 0)
        if number >= len(self.kinds):
            raise InputError(f"operator {index} is of kind {number}, the model lists {len(self.kinds)} kinds")
        return self.kinds[number]

    def tensor(self, index: int, tables: Sequence[_Table], least: int = 1) -> Tensor:
        """A tensor of a graph.

        least: the least extent of an axis.
        """
        table = tables[index]
        name, shape = table.text(3), tuple(table.numbers(0, "<i4").tolist())
        label = f"'{name}'" if name else f"tensor {index}"
        if len(shape) not in RANKS or any(extent < least for extent in shape):
            # Quantised layers over sequences have tensors without elements.
            if (kind := recurrent(self.kinds)) is not None:
                raise InputError(f"operators {kind} are not supported: {advice(kind)}")
            raise InputError(
                f"{label} has shape {shape}: extents must be known and positive, ranks at most {RANKS[-1]}"
            )
        check_elements(prod(shape), f"{label} of shape {shape} has")
        number = table.number(1, "b", 0)
        dtype = TYPES.get(number, f"type {number}")
        quantization, data = _quantization(table, label), self.data(table, label, shape, dtype)
        tensor = Tensor(index, name, shape, dtype, quantization, data, tuple(table.numbers(7, "<i4").tolist()))
        if (blocks := _blocks(table, label)) is None:
            return tensor
        scales, zeros = (self.numbered(blocks.number(slot, "i", 0), tables, label) for slot in (0, 1))
        floats = in_floats(tensor, scales, zeros, blocks.number(2, "i", 0))
        return replace(tensor, dtype="float32", quantization=None, data=floats)

    def numbered(self, index: int, tables: Sequence[_Table], label: str) -> Tensor | None:
        """The tensor with the scales or the zero points of another tensor; None for the index -1.

        label: names the quantised tensor in messages.
        """
        if not -1 <= index < len(tables):
            raise InputError(f"the quantisation of {label} names tensor {index}, the model has {len(tables)}")
        if index >= 0 and _blocks(tables[index], label) is not None:
            raise InputError(f"the scales of {label} are quantised themselves")
        return None if index < 0 else self.tensor(index, tables)

    def data(self, table: _Table, label: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any] | None:
        """The content of a constant; None for a tensor that is computed.

        label: names the tensor in messages.
        """
        number = table.number(2, "I", 0)
        if number >= len(self.buffers):
            raise InputError(f"{label} names buffer {number}, the model has {len(self.buffers)}")
        content = self.buffers[number].numbers(0, "u1")
        if not content.size:
            return None
        if table.table(6) is not None:
            raise InputError(
                f"{label} is stored sparse, without its zeros, which is not supported: convert the model without "
                "EXPERIMENTAL_SPARSITY, or write the dense weights that DENSIFY computes"
            )
        if dtype not in (*NUMPY_TYPES, *NARROW):
            # The operator that reads the constant reports the unsupported type.
            return np.zeros(shape, np.int8)
        width = NARROW.get(dtype, 0)
        expected = -(-prod(shape) * width // 8) if width else prod(shape) * np.dtype(dtype).itemsize
        if content.size != expected:
            raise InputError(f"{label} of shape {shape} and type {dtype} needs {expected} bytes, has {content.size}")
        self.elements += prod(shape)
        check_elements(self.elements, "the constants have")
        if width:
            return unpacked(content, width, prod(shape)).reshape(shape)
        values = np.frombuffer(content.tobytes(), np.dtype(dtype).newbyteorder("<")).astype(dtype).reshape(shape)
        if dtype in ("float32", "float16") and not np.isfinite(values).all():
            raise InputError(f"{label} holds NaN or infinity")
        return values


def _kind(code: _Table) -> str:
    number = code.number(0, "b", 0)
    if number == PLACEHOLDER or not number:
        number = max(number, code.number(3, "i", 0))
    if not 0 <= number < len(OPERATORS):
        raise InputError(f"operators of number {number} are unknown: the schema ends at {len(OPERATORS) - 1}")
    name = OPERATORS[number]
    return f"CUSTOM {code.text(1)}" if name == "CUSTOM" else name


def _options(kind: str, table: _Table) -> Mapping[str, Any]:
    """The options of an operator. Missing options have the schema's defaults. `custom` contains the bytes of a
    custom operator's options.
    """
    fields = table.table(4)
    options: dict[str, Any] = {"custom": table.numbers(5, "u1").tobytes()} if kind.startswith("CUSTOM ") else {}
    for name, option in OPTIONS.get(kind, {}).items():
        value = option[-1] if fields is None else fields.option(option)
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
    zero_points, axis = parameters.numbers(3, "<i8").tolist() or [0] * len(scales), parameters.number(6, "i", 0)
    if not all(isfinite(scale) and scale >= 0 for scale in scales):
        raise InputError(
            f"the scales of {label} must be positive and finite, got {[*scales][:1]}: converters lose them where the "
            "number of samples is open; in Keras, Input(..., batch_size=1) keeps it to one"
        )
    if len(zero_points) != len(scales):
        raise InputError(f"{label} has {len(scales)} scales and {len(zero_points)} zero points")
    return Quantization(tuple(scale or MIN_SCALE for scale in scales), tuple(zero_points), axis)


def _blocks(table: _Table, label: str) -> _Table | None:
    """The table of the scales of a tensor with blockwise quantisation; None for any other tensor.

    Raises `InputError` for any other kind of quantisation details that the schema defines.
    """
    parameters = table.table(4)
    if parameters is None or not (number := parameters.number(4, "B", 0)):
        return None
    if number != BLOCKWISE:
        raise InputError(
            f"{label} is quantised in a way that is not supported, number {number} of the schema's details"
        )
    return parameters.table(5)


BLOCKWISE = 2
"""The number that identifies a quantisation with a scale for each block."""


MIN_SCALE = 2.0**-126
"""The scale that replaces 0, which the converter stores for tensors of zeros. Multiplications by either round to 0."""


def check_elements(elements: int, what: str) -> None:
    """Raise `InputError` if the number of elements exceeds the limit.

    what: the beginning of the message.
    """
    if elements > (limit := ELEMENT_LIMIT.get()):
        raise InputError(f"{what} more than {limit} elements; --max-elements raises the limit")


class _DamagedError(Exception):
    """Content that is not a valid flatbuffer. Reading a flatbuffer raises no other exception."""


@dataclass(frozen=True)
class _Table:
    """A table at a byte offset of a file. Fields are identified by slots, numbered from 0."""

    content: bytes
    position: int

    @classmethod
    def root(cls, content: bytes) -> _Table:
        return cls(content, _offset(content, 0))

    def number(self, slot: int, kind: str, default: N) -> N:
        """The numeric field `slot`; `default` if the field is missing.

        kind: a format code of the module `struct`.
        """
        position = self._field(slot)
        return default if position is None else type(default)(_number(self.content, position, kind))

    def option(self, field: Field) -> Any:
        slot, kind, default = field
        return self.text(slot) if isinstance(default, str) else self.number(slot, kind, default)

    def table(self, slot: int) -> _Table | None:
        position = self._field(slot)
        return None if position is None else _Table(self.content, _offset(self.content, position))

    def tables(self, slot: int) -> Sequence[_Table]:
        start, length = self._vector(slot, _OFFSET)
        positions = range(start, start + length * _OFFSET, _OFFSET)
        return [_Table(self.content, _offset(self.content, position)) for position in positions]

    def numbers(self, slot: int, dtype: str) -> NDArray[Any]:
        """A view of the field `slot`, a vector of numbers; empty if the field is missing.

        dtype: numpy's notation, such as `<i4`.
        """
        start, length = self._vector(slot, np.dtype(dtype).itemsize)
        return np.frombuffer(self.content, dtype, length, start)

    def text(self, slot: int) -> str:
        start, length = self._vector(slot, 1)
        return self.content[start : start + length].decode(errors="replace")

    def _vector(self, slot: int, size: int) -> tuple[int, int]:
        """Return the byte offset of a vector's first element, and the number of elements.

        size: bytes per element.
        """
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
    """The byte position in `content` to which the relative offset stored at `position` points."""
    return position + _number(content, position, "I")


def _number(content: bytes, position: int, kind: str) -> Any:
    if not 0 <= position <= len(content) - struct.calcsize(f"<{kind}"):
        raise _DamagedError(f"an offset leads to byte {position} of a file of {len(content)} bytes")
    return struct.unpack_from(f"<{kind}", content, position)[0]


IDENTIFIER, VERSION = b"TFL3", 3
"""The file identifier (bytes 4 to 7) and the schema version that it denotes."""


_NAMES = """
    ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
    FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC
    LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH
    SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER
    BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE
    BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM
    ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE
    TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK
    LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL
    FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL
    REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND
    HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
    BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS
    HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE
    ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU
    DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2
    UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE
    STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE
    STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE
    STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG
    STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT
    STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT
    STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL
    STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE
    STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT
"""


OPERATORS = tuple(_NAMES.split())
"""The builtin operators by number."""


PLACEHOLDER = OPERATORS.index("PLACEHOLDER_FOR_GREATER_OP_CODES")
"""The number that a file stores in the old field for an operator whose number exceeds the range of this field."""


TYPES = {
    0: "float32",
    1: "float16",
    2: "int32",
    3: "uint8",
    4: "int64",
    5: "string",
    6: "bool",
    7: "int16",
    8: "complex64",
    9: "int8",
    10: "float64",
    11: "complex128",
    12: "uint64",
    13: "resource",
    14: "variant",
    15: "uint32",
    16: "uint16",
    17: "int4",
    18: "bfloat16",
    19: "int2",
    20: "uint4",
    21: "float8_e4m3fn",
    22: "float8_e5m2",
}
"""Types of elements by number."""


NUMPY_TYPES = ("float32", "float16", "int32", "uint8", "int64", "bool", "int16", "int8")
"""The element types of tensors whose content is parsed as an array."""


NARROW = {"int4": 4, "int2": 2}
"""The widths in bits of element types that files pack into bytes; their constants are parsed as arrays of int8."""


NAMED = {
    "padding": {0: "SAME", 1: "VALID"},
    "activation": {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"},
    "quantized_bias_type": TYPES,
}
"""The names of the values of enumerated options, by number."""


Field = tuple[int, str, bool | int | float | str]
"""An option: its slot, the `struct` code of its number or "s" for a text, and its default."""


_POOL: dict[str, Field] = {
    "padding": (0, "b", 0),
    "stride_w": (1, "i", 0),
    "stride_h": (2, "i", 0),
    "filter_width": (3, "i", 0),
    "filter_height": (4, "i", 0),
    "activation": (5, "b", 0),
}


_ACTIVATION: dict[str, Field] = {"activation": (0, "b", 0)}


OPTIONS: dict[str, dict[str, Field]] = {
    "CONV_2D": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "activation": (3, "b", 0),
        "dilation_w": (4, "i", 1),
        "dilation_h": (5, "i", 1),
        "quantized_bias_type": (6, "b", 0),
    },
    "DEPTHWISE_CONV_2D": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "depth_multiplier": (3, "i", 0),
        "activation": (4, "b", 0),
        "dilation_w": (5, "i", 1),
        "dilation_h": (6, "i", 1),
    },
    "AVERAGE_POOL_2D": _POOL,
    "MAX_POOL_2D": _POOL,
    "FULLY_CONNECTED": {
        "activation": (0, "b", 0),
        "weights_format": (1, "b", 0),
        "keep_num_dims": (2, "?", False),
        "quantized_bias_type": (4, "b", 0),
    },
    "SOFTMAX": {"beta": (0, "f", 0.0)},
    "CONCATENATION": {"axis": (0, "i", 0), "activation": (1, "b", 0)},
    "ADD": _ACTIVATION,
    "BATCH_MATMUL": {"adj_x": (0, "?", False), "adj_y": (1, "?", False)},
    "DIV": _ACTIVATION,
    "MIRROR_PAD": {"mode": (0, "b", 0)},
    "DEPTH_TO_SPACE": {"block": (0, "i", 0)},
    "SPACE_TO_DEPTH": {"block": (0, "i", 0)},
    "SUB": _ACTIVATION,
    "MUL": _ACTIVATION,
    "L2_NORMALIZATION": _ACTIVATION,
    "MEAN": {"keep_dims": (0, "?", False)},
    "GELU": {"approximate": (0, "?", False)},
    "STRIDED_SLICE": {
        "begin_mask": (0, "i", 0),
        "end_mask": (1, "i", 0),
        "ellipsis_mask": (2, "i", 0),
        "new_axis_mask": (3, "i", 0),
        "shrink_axis_mask": (4, "i", 0),
        "offset": (5, "?", False),
    },
    "RESIZE_BILINEAR": {"align_corners": (2, "?", False), "half_pixel_centers": (3, "?", False)},
    "RESIZE_NEAREST_NEIGHBOR": {"align_corners": (0, "?", False), "half_pixel_centers": (1, "?", False)},
    "SVDF": {"rank": (0, "i", 0), "activation": (1, "b", 0)},
    "TRANSPOSE_CONV": {
        "padding": (0, "b", 0),
        "stride_w": (1, "i", 0),
        "stride_h": (2, "i", 0),
        "activation": (3, "b", 0),
        "quantized_bias_type": (4, "b", 0),
    },
    "SPLIT": {"num_splits": (0, "i", 0)},
    "PACK": {"values_count": (0, "i", 0), "axis": (1, "i", 0)},
    "UNPACK": {"num": (0, "i", 0), "axis": (1, "i", 0)},
    "CALL_ONCE": {"graph": (0, "i", 0)},
    "VAR_HANDLE": {"container": (0, "s", ""), "shared_name": (1, "s", "")},
    "GATHER": {"axis": (0, "i", 0), "batch_dims": (1, "i", 0)},
    "LEAKY_RELU": {"alpha": (0, "f", 0.0)},
    "WHILE": {"condition": (0, "i", 0), "body": (1, "i", 0)},
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {
        "activation": (0, "b", 0),
        "cell_clip": (1, "f", 0.0),
        "proj_clip": (2, "f", 0.0),
        "time_major": (3, "?", False),
        "diagonal": (5, "?", False),
    },
}
"""The options of each operator that has options."""


_OFFSET, _COUNT = struct.calcsize("<I"), struct.calcsize("<H")
