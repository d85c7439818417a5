"""The numbers of a SeeDot program: `.npy` files beside it, literals, and the limits of both."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.seedot.ast import Declaration, Location

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_TENSOR = 10**8
"""The most elements of a tensor; larger ones are mistakes and would not fit on any device."""

F32_LIMIT = (2.0 - 2.0**-24) * 2.0**127
"""Reals of this magnitude or more round to infinity in 32-bit floats."""


def check_shape(shape: Sequence[int], location: Location) -> None:
    """Reject empty axes and tensors beyond `LARGEST_TENSOR`."""
    spelled = spell_shape(shape)
    if min(shape, default=1) < 1:
        raise location.error(f"every axis has at least one element, got {spelled}")
    if prod(shape) > LARGEST_TENSOR:
        raise location.error(f"a tensor of shape {spelled} is too large: more than {LARGEST_TENSOR} elements")


def check_real(value: float, location: Location) -> float:
    """The value itself; raises `InputError` if a 32-bit float cannot hold it."""
    if not abs(value) < F32_LIMIT:
        raise location.error(f"{value} is beyond the range of 32-bit floats")
    return value


def spell_shape(shape: Sequence[int]) -> str:
    return f"({', '.join(map(str, shape))})"


def load_parameter(path: Path, name: str, declaration: Declaration) -> NDArray[np.float32]:
    """The parameter's values in the declared shape.

    The file holds float32 or float64 numbers in any shape with as many elements, which are taken in row-major order.
    No data is read before the file's header is known to match. Raises `InputError` at the declaration's location.
    """
    location, shape = declaration.location, declaration.shape
    try:
        stored = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise location.error(f"parameter '{name}' needs the file {path}, which does not exist") from None
    except OSError as error:
        raise location.error(f"parameter '{name}': cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        reason = " ".join(str(error).split())
        raise location.error(f"parameter '{name}': {path} is not a readable .npy file: {reason}") from error
    if stored.dtype.kind != "f" or stored.dtype.itemsize not in (4, 8):
        raise location.error(f"parameter '{name}': {path} holds {stored.dtype}, expected float32 or float64")
    if stored.size != prod(shape):
        raise location.error(
            f"parameter '{name}' is declared as {spell_shape(shape)}, but {path} holds {spell_shape(stored.shape)}"
        )
    if not np.isfinite(stored).all():
        raise location.error(f"parameter '{name}': {path} contains NaN or infinity")
    if stored.dtype.itemsize == 8 and np.abs(stored).max() >= F32_LIMIT:
        raise location.error(f"parameter '{name}': {path} exceeds the range of 32-bit floats")
    return np.array(stored, np.float32).reshape(shape)
