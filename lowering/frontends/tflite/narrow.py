"""Constants of fewer than 8 bits, which a file packs into bytes, and constants with a scale for each block of a row.

Converters of LiteRT write both kinds for the weights of layers. TensorFlow Lite's schema calls the second kind
`BlockwiseQuantization`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def unpacked(content: NDArray[Any], width: int, count: int) -> NDArray[Any]:
    """Unpack signed numbers of `width` bits from bytes. The first number is in the lowest bits of a byte.

    Returns `count` numbers as int8, or fewer if the bytes contain fewer. Unused bits of the last byte are ignored.
    """
    fields = content[:, None] >> np.arange(0, 8, width, dtype=np.uint8) & ((1 << width) - 1)
    sign = 1 << (width - 1)
    return ((fields.ravel()[:count].astype(np.int16) ^ sign) - sign).astype(np.int8)


class _Tensor(Protocol):
    """A tensor with shape, element type and, if constant, content."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def data(self) -> NDArray[Any] | None: ...


def in_floats(tensor: _Tensor, scales: _Tensor | None, zeros: _Tensor | None, block: int) -> NDArray[Any]:
    """Dequantise weights of shape rows x length that have one scale for each `block` elements of a row.

    scales: the scale of each block of each row, of shape rows x blocks.
    zeros: the zero points, which must all be 0; None if the file contains none.

    Raises `InputError` for tensors of any other form.
    """
    if tensor.data is None or len(tensor.shape) != 2 or tensor.dtype not in ("int2", "int4", "int8"):
        raise InputError(f"{tensor} has a scale for each block, which only matrices of constant integers may have")
    if zeros is not None and (zeros.data is None or np.any(zeros.data)):
        raise InputError(f"{tensor} has blocks with zero points, expected 0")
    rows, length = tensor.shape
    if block < 1 or length % block:
        raise InputError(f"{tensor} has rows of {length} elements, which blocks of {block} do not divide")
    if scales is None or scales.data is None or scales.dtype not in ("float16", "float32"):
        raise InputError(f"the scales of the blocks of {tensor} must be constant floats")
    if scales.shape != (expected := (rows, length // block)):
        raise InputError(f"the scales of the blocks of {tensor} have shape {scales.shape}, expected {expected}")
    factors = np.repeat(scales.data.astype(np.float32), block, axis=1)
    return tensor.data.astype(np.float32) * factors
