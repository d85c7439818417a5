"""Data sets: .npz files with `x`, inputs of shape (samples, elements), and optionally `y`, class indices."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Data:
    """Real inputs (samples, elements), and the class index of each sample if the file has labels."""

    x: NDArray[np.float32]
    y: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.x)


def load_data(path: str, *, elements: int | None = None, classes: int | None = None) -> Data:
    """Read a data set; nothing in the file is executed or unpickled.

    elements: the required number of elements per sample. classes: labels must lie in [0, classes). Raises `InputError`
    for a missing or damaged file, wrong shapes or types, no samples, NaN or infinity, and labels out of range.
    """
    x = _array(path, "x", required=True)
    if x is None or x.ndim < 2 or x.dtype.kind not in "fiu":
        raise InputError("expected `x` to hold numbers of shape (samples, elements)", file=path)
    if x.size == 0:
        raise InputError("`x` holds no samples", file=path)
    with np.errstate(over="ignore"):
        x = x.reshape(len(x), -1).astype(np.float32)
    if elements is not None and x.shape[1] != elements:
        raise InputError(f"samples of `x` have {x.shape[1]} values, the program takes {elements}", file=path)
    if not np.isfinite(x).all():
        sample = int(np.argwhere(~np.isfinite(x))[0][0])
        raise InputError(f"`x` holds NaN or infinity in sample {sample}", file=path)
    y = _array(path, "y", required=False)
    if y is None:
        return Data(x, None)
    if y.shape != (len(x),) or y.dtype.kind not in "iu":
        raise InputError(f"expected `y` to hold {len(x)} class indices, got shape {y.shape} of {y.dtype}", file=path)
    if classes is not None and (bad := np.flatnonzero((y < 0) | (y >= classes))).size:
        raise InputError(
            f"label {y[bad[0]]} of sample {bad[0]} is out of range: the program has {classes} classes", file=path
        )
    return Data(x, y.astype(np.int64))


def _array(path: str, name: str, *, required: bool) -> NDArray[Any] | None:
    try:
        with open(path, "rb") as stream:
            file = np.load(stream, allow_pickle=False)
            if isinstance(file, np.ndarray):
                raise InputError("expected an .npz file with arrays `x` and `y`", file=path)
            if name in file:
                # numpy returns a member that is not an array as bytes.
                if isinstance(member := file[name], bytes):
                    raise ValueError(f"{name} is no array")
                return member
    except OSError as error:
        raise InputError(f"cannot read the data: {error.strerror or error}", file=path) from error
    except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, KeyError) as error:
        raise InputError("not a readable .npz file of plain arrays", file=path) from error
    if required:
        raise InputError(f"has no array `{name}`", file=path)
    return None
