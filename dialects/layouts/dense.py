"""Dense attributes: the elements of a constant, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def dense_elements(value: Attribute | None, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
    """The elements of a value as an array of a type and shape, not copied. value: None if it is missing.

    Raises `VerifyException` for a value that does not hold them: where a use precedes the definition of a constant, the
    verifier of the user comes before that of the constant.
    """
    bits = value.data.data if isinstance(value, DenseIntOrFPElementsAttr) else b""
    if len(bits) != prod(shape) * dtype.itemsize:
        raise VerifyException(f"value must have {prod(shape)} elements of {dtype.itemsize} bytes")
    return np.frombuffer(bits, dtype).reshape(shape)
