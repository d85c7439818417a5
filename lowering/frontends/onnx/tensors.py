"""Tensors of a model as arrays, stored in the model file or in another file in its folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT, counted_elements
from tinyml.runtime.readers.regular_files import open_regular

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from onnx import TensorProto

BFLOAT16 = "bfloat16"

STRING = 8
"""The number of strings (class labels) in TensorProto.DataType."""

ELEMENTS: Mapping[int, str] = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: BFLOAT16,
}
"""numpy's names of element types by number in TensorProto.DataType."""

_FIELDS = {
    "float32": "float_data",
    "float64": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
}
"""The TensorProto field of elements that are not stored as raw bytes, by type; `int32_data` for all other types."""


def text(value: str | bytes) -> str:
    """A printable form of a string of a protobuf message. protobuf returns bytes if the string is not UTF-8."""
    string = value if isinstance(value, str) else value.decode(errors="replace")
    return string if string.isprintable() else "".join(letter if letter.isprintable() else "?" for letter in string)


def tensor_array(tensor: TensorProto, file: str) -> NDArray[Any]:
    """Convert a tensor of the protobuf message to an array.

    Raises `InputError` for unknown element types, for data whose size differs from the size of the shape, for
    arrays beyond the limit on elements, and for external data outside the model's folder.
    """
    name, shape = text(tensor.name), tuple(tensor.dims)

    def error(message: str) -> InputError:
        return InputError(f"tensor '{name}': {message}", file=file)

    if tensor.data_type == STRING:
        strings = [text(value) for value in tensor.string_data]
        if len(strings) != prod(shape):
            raise error(f"shape {list(shape)} needs {prod(shape)} elements, the file contains {len(strings)}")
        return np.array(strings, np.str_).reshape(shape)
    element = ELEMENTS.get(tensor.data_type)
    if element is None:
        known = ", ".join(sorted(ELEMENTS.values()))
        raise error(f"element type {tensor.data_type} is not supported, only {known}")
    if any(extent < 0 for extent in shape):
        raise error(f"shape {list(shape)} is negative")
    if counted_elements(shape) > (limit := ELEMENT_LIMIT.get()):
        raise error(f"shape {list(shape)} has more than {limit} elements; --max-elements raises the limit")
    stored = np.dtype("<u2" if element == BFLOAT16 else element).newbyteorder("<")
    size = prod(shape) * stored.itemsize
    if tensor.data_location == 1:
        array = np.frombuffer(_external(tensor, size, file), stored)
    elif tensor.HasField("raw_data"):
        if len(tensor.raw_data) != size:
            raise error(f"shape {list(shape)} needs {size} bytes, the file contains {len(tensor.raw_data)}")
        array = np.frombuffer(tensor.raw_data, stored)
    else:
        array = _listed(tensor, element, stored)
    if array.size != prod(shape):
        raise error(f"shape {list(shape)} needs {prod(shape)} elements, the file contains {array.size}")
    if element == BFLOAT16:
        array = (array.astype("<u4") << 16).view("<f4")
    return array.astype(array.dtype.newbyteorder("=")).reshape(shape)


def _listed(tensor: TensorProto, element: str, stored: np.dtype[Any]) -> NDArray[Any]:
    """The elements of a tensor that stores its elements in typed lists instead of raw bytes. The lists store
    elements of 16 bits or less as integers.

    stored: the type of the elements.
    """
    values = np.array(getattr(tensor, _FIELDS.get(element, "int32_data")))
    if element in ("float16", BFLOAT16):
        return values.astype("<u2").view(stored)
    return values.astype(stored)


def _external(tensor: TensorProto, size: int, file: str) -> bytes:
    def error(message: str) -> InputError:
        return InputError(f"tensor '{text(tensor.name)}': {message}", file=file)

    entries = {text(entry.key): text(entry.value) for entry in tensor.external_data}
    location = entries.get("location", "")
    try:
        folder = Path(file).resolve().parent
        path = (folder / location).resolve()
        offset, length = (int(entries.get(key, default)) for key, default in (("offset", 0), ("length", size)))
    except (ValueError, OSError, RuntimeError) as problem:
        raise error("the entries of its external data are damaged") from problem
    if not location or folder not in path.parents:
        raise error(f"external data must lie in the model's folder, not in '{location}'")
    if length != size or offset < 0:
        raise error(f"external data of {length} bytes at {offset}, expected {size} bytes")
    with open_regular(path, "external data") as stream:
        if os.fstat(stream.fileno()).st_size < offset + length:
            raise error(f"{path} has fewer than {offset + length} bytes")
        stream.seek(offset)
        return stream.read(length)
