"""Data sets: .npz files with `x`, inputs of shape (samples, elements), and optionally `y`, class indices."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.memory import require_memory
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray


_COPIES = 4
"""The number of data-set-sized float arrays that exist at once: as read, converted, reordered, and encoded."""


@dataclass(frozen=True)
class Data:
    """Real inputs (samples, elements), and the class index of each sample if the file has labels.

    integers: true if the file holds integers. shape: the shape of a sample in the file.
    """

    x: NDArray[np.float32]
    y: NDArray[np.int64] | None
    integers: bool = False
    shape: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.x)


def load_data(path: str, *, elements: int | None = None, classes: int | None = None) -> Data:
    """Read a data set.

    elements: the required number of elements per sample. classes: labels must lie in [0, classes). Raises `InputError`
    for a missing or damaged file, wrong shapes or types, no samples, too many for the memory, NaN or infinity, and
    labels out of range.
    """

    def accept_x(header: ArrayHeader) -> None:
        if len(header.shape) < 2 or header.dtype.kind not in "fiu":
            raise InputError("expected `x` to hold numbers of shape (samples, elements)", file=path)
        if header.size == 0:
            raise InputError("`x` holds no samples", file=path)
        if elements is not None and (given := prod(header.shape[1:])) != elements:
            raise InputError(f"samples of `x` have {given} values, the program takes {elements}", file=path)
        require_memory("reading", header.shape[0], _COPIES * 4 * prod(header.shape[1:]), path)

    x = read_npz(path, "data", "x", accept_x)
    if x is None:
        raise InputError("has no array `x`", file=path)
    integers, shape = x.dtype.kind in "iu", x.shape[1:]
    with np.errstate(over="ignore"):
        x = x.reshape(len(x), -1).astype(np.float32)
    if not np.isfinite(x).all():
        sample = int(np.argwhere(~np.isfinite(x))[0][0])
        raise InputError(f"`x` holds NaN or infinity in sample {sample}", file=path)

    def accept_y(header: ArrayHeader) -> None:
        if header.shape != (len(x),) or header.dtype.kind not in "iu":
            found = f"shape {header.shape} of {header.dtype}"
            raise InputError(f"expected `y` to hold {len(x)} class indices, got {found}", file=path)

    y = read_npz(path, "data", "y", accept_y)
    if y is not None and classes is not None and (bad := np.flatnonzero((y < 0) | (y >= classes))).size:
        raise InputError(
            f"label {y[bad[0]]} of sample {bad[0]} is out of range: the program has {classes} classes", file=path
        )
    return Data(x, None if y is None else y.astype(np.int64), integers, shape)
