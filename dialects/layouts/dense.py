"""Conversion between dense attributes and numpy arrays. A dense attribute stores the elements of a constant."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    TensorType,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


def dense_elements(value: Attribute | None, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
    """The elements of an attribute as an array of the type `dtype` and the shape `shape`. The elements are not copied.

    value: the attribute; None if it is missing.

    Raises `VerifyException` if the attribute is missing, or if its size differs from that of the array. A use of a
    constant may be verified before the constant itself, so the attribute may be invalid.
    """
    bits = value.data.data if isinstance(value, DenseIntOrFPElementsAttr) else b""
    if len(bits) != prod(shape) * dtype.itemsize:
        raise VerifyException(f"value must have {prod(shape)} elements of {dtype.itemsize} bytes")
    return np.frombuffer(bits, dtype).reshape(shape)


def dense_numbers(elements: object, element: IntegerType) -> Numbers:
    """The elements of an attribute, as an array of its shape. Raises `VerifyException` unless `elements` is a dense
    attribute whose element type is `element`.
    """
    if not isa(elements, DenseIntOrFPElementsAttr[IntegerType]) or elements.get_element_type() != element:
        raise VerifyException(f"expected elements of {element}, got {elements}")
    return dense_elements(elements, np.dtype(f"<i{element.size}"), elements.get_shape()).astype(np.int64)


def dense_attribute(array: NDArray[Any], element: IntegerType | Float32Type | Float64Type) -> DenseIntOrFPElementsAttr:
    """The attribute that stores an array of floats, or of integers that fit in the type `element`."""
    kind = "i" if isinstance(element, IntegerType) else "f"
    little = array.astype(f"<{kind}{element.size}")
    return DenseIntOrFPElementsAttr(TensorType(element, array.shape), BytesAttr(little.tobytes()))


def dense_array(value: Attribute | None, name: str) -> NDArray[Any]:
    """The elements of the attribute `value`, as an array of its shape. Raises `VerifyException` unless the elements are
    f32, f64, or integers of 8, 16, 32 or 64 bits.

    name: the name of the attribute, for the message.
    """
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise VerifyException(f"{name}: expected dense numbers, got {value}")
    dense: DenseIntOrFPElementsAttr[Any] = value  # pyright: ignore[reportUnknownVariableType]
    element: Any = dense.get_element_type()
    if element not in (i8, i16, i32, i64, f32, f64):
        raise VerifyException(f"{name}: expected integers of 8, 16, 32 or 64 bits, f32 or f64, got {element}")
    kind = "i" if isinstance(element, IntegerType) else "f"
    return dense_elements(dense, np.dtype(f"<{kind}{element.size}"), dense.get_shape())


def element_type(array: NDArray[Any]) -> IntegerType | Float32Type | Float64Type:
    """The element type of the attribute that would store an array."""
    if array.dtype.kind == "f":
        return f32 if array.dtype.itemsize == 4 else f64
    return IntegerType(8 * array.dtype.itemsize)
