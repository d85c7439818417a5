"""Parameters of a SeeDot program: literals, and `.npy` files in its folder, with limits on both."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.limits import ELEMENT_LIMIT
from tinyml.lowering.frontends.seedot.ast import Declaration, Location
from tinyml.runtime.readers.arrays import ArrayHeader, read_npy

if TYPE_CHECKING:
    from numpy.typing import NDArray

F32_LIMIT = (2.0 - 2.0**-24) * 2.0**127
"""Reals of this magnitude or more round to infinity in 32-bit floats."""


def check_shape(shape: Sequence[int], location: Location) -> None:
    """Raise `InputError` for empty axes and tensors beyond `ELEMENT_LIMIT`."""
    spelled = spell_shape(shape)
    if min(shape, default=1) < 1:
        raise location.error(f"every axis has at least one element, got {spelled}")
    if prod(shape) > (limit := ELEMENT_LIMIT.get()):
        raise location.error(
            f"a tensor of shape {spelled} is too large: more than {limit} elements (see --max-elements)"
        )


def check_real(value: float, location: Location) -> float:
    """Return the value. Raises `InputError` if it exceeds the range of 32-bit floats."""
    if not abs(value) < F32_LIMIT:
        raise location.error(f"{value} is beyond the range of 32-bit floats")
    return value


def spell_shape(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def load_parameter(path: Path, name: str, declaration: Declaration) -> NDArray[np.float32]:
    """Load a parameter in its declared shape.

    The file stores float32 or float64 numbers in row-major order, in any shape with the same number of elements. The
    header is checked before any data is read. Raises `InputError`, at the declaration's location, for a missing file,
    for an array of another size or type, and for numbers that are not finite in single precision.
    """
    location, shape = declaration.location, declaration.shape
    if not path.exists():
        raise location.error(f"parameter '{name}' needs the file {path}, which does not exist")

    def accept(header: ArrayHeader) -> None:
        if header.dtype.kind != "f" or header.dtype.itemsize not in (4, 8):
            raise location.error(f"parameter '{name}': {path} holds {header.dtype}, expected float32 or float64")
        if header.size != prod(shape):
            raise location.error(
                f"parameter '{name}' is declared as {spell_shape(shape)}, but {path} holds {spell_shape(header.shape)}"
            )

    try:
        stored = read_npy(path, "parameter", accept)
    except InputError as error:
        if error.file != str(path):
            raise
        raise location.error(f"parameter '{name}': {error}") from error
    if not np.isfinite(stored).all():
        raise location.error(f"parameter '{name}': {path} contains NaN or infinity")
    if stored.dtype.itemsize == 8 and np.abs(stored).max() >= F32_LIMIT:
        raise location.error(f"parameter '{name}': {path} exceeds the range of 32-bit floats")
    return np.array(stored, np.float32).reshape(shape)
