"""Arrays in .npy and .npz files (numpy.lib.format). An array is read only after its header and size are checked.

No content of a file is executed or unpickled.
"""

from __future__ import annotations

import os
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tinyml.dialects.errors import InputError
from tinyml.dialects.limits import ELEMENT_LIMIT, counted_elements
from tinyml.runtime.readers.regular_files import open_regular

_NPY, _NPZ = "not a readable .npy file", "not a readable .npz file of plain arrays"
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""Functions that parse headers, by version of the format; numpy writes other versions only for structured types."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that numpy writes."""


@dataclass(frozen=True)
class ArrayHeader:
    """The type and shape of a stored array, from its header.

    dtype, shape: the type of the elements, and the shape.
    fortran_order: true if the array is stored column by column.
    size: the number of elements.
    bytes: the size of the elements in memory.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.size * self.dtype.itemsize


Accept = Callable[[ArrayHeader], None]
"""A function that raises `InputError` for an array that must not be read."""


def read_npy(path: str | Path, what: str, accept: Accept) -> NDArray[Any]:
    """The array in an .npy file.

    what: a description of the content, for messages.
    accept: a function that checks the header.

    Raises `InputError` unless the file contains a complete array of numbers within the limit on elements.
    """
    with open_regular(path, what) as stream:
        try:
            header = _header(stream)
            _check(header, os.fstat(stream.fileno()).st_size - stream.tell(), accept, path)
            return _content(stream, header)
        except (OSError, _Damaged) as error:
            raise InputError(f"{_NPY}: {_reason(error)}", file=str(path)) from error


def read_npz(path: str | Path, what: str, name: str, accept: Accept) -> NDArray[Any] | None:
    """The array of an .npz file with the name `name`; None if the file contains no array of this name.

    what, accept: as for `read_npy`, which defines the checks and errors.
    """
    with open_regular(path, what) as stream:
        if stream.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX:
            raise InputError(f"expected an .npz file, not an .npy file{_how_to_make(path)}", file=str(path))
        try:
            with zipfile.ZipFile(stream) as archive:
                if f"{name}.npy" not in archive.namelist():
                    return None
                member = archive.getinfo(f"{name}.npy")
                if member.flag_bits & 1:
                    raise _Damaged(f"`{name}` is encrypted")
                if member.compress_type not in _METHODS:
                    raise _Damaged(f"`{name}` is not compressed by numpy's method")
                with archive.open(member) as content:
                    header = _header(content)
                    _check(header, member.file_size - content.tell(), accept, path)
                    return _content(content, header)
        except InputError:
            raise
        # zipfile raises many types of errors for damaged archives.
        except Exception as error:
            raise InputError(f"{_NPZ}: {_reason(error)}{_how_to_make(path)}", file=str(path)) from error


def _how_to_make(path: str | Path) -> str:
    return "" if str(path).endswith(".npz") else "; np.savez('data.npz', x=X, y=y) writes one"


def check_npz(path: str | Path, what: str) -> None:
    """Raise `InputError` for a file that is not an archive of arrays. No array is read."""
    read_npz(path, what, "", lambda header: None)


SHOWN_NAMES, SHOWN_LETTERS = 8, 40
"""Maximum number of array names in a message, and of letters of each."""


def array_names(path: str | Path) -> list[str]:
    """The names of the arrays in an .npz file, for messages: only the first ones, and shortened; empty for a damaged
    file.
    """
    try:
        with open_regular(path, "data") as stream, zipfile.ZipFile(stream) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
    # zipfile raises many types of errors for damaged archives.
    except Exception:
        return []
    return [ascii(name)[1:-1][:SHOWN_LETTERS] for name in names[:SHOWN_NAMES]]


class _Damaged(Exception):
    """Raised if a file does not contain the array that its header declares."""


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    known = isinstance(error, _Damaged | zipfile.BadZipFile | zlib.error | EOFError | OSError)
    return " ".join(str(error).split()) if known and str(error) else "the archive is damaged"


def _header(stream: IO[bytes]) -> ArrayHeader:
    try:
        with warnings.catch_warnings(action="ignore"):
            version = np.lib.format.read_magic(stream)
            shape, fortran_order, dtype = _HEADERS[version](stream)
        if not all(type(length) is int and length >= 0 for length in shape):
            raise ValueError(f"shape {shape}")
    except (zipfile.BadZipFile, zlib.error):
        raise
    # The header is a Python literal: numpy raises any exception of Python's parser.
    except Exception as error:
        raise _Damaged("the header of the array is damaged") from error
    if dtype.hasobject:
        raise _Damaged("the array contains Python objects")
    return ArrayHeader(dtype, shape, fortran_order)


def _check(header: ArrayHeader, size: int, accept: Accept, path: str | Path) -> None:
    """Raise an error if the header of an array is not acceptable, or if the file is too short for the array.

    size: the number of bytes of the file after the header.
    accept: a function that raises an error for a header that is not acceptable.
    path: the file, for messages.

    An array with more elements than the limit is not acceptable.
    """
    if size < header.bytes:
        raise _Damaged(f"the array needs {header.bytes} bytes, the file contains {size}")
    accept(header)
    limit = ELEMENT_LIMIT.get()
    if counted_elements(header.shape) > limit:
        raise InputError(
            f"an array of shape {header.shape} has more than {limit} elements; --max-elements raises the limit",
            file=str(path),
        )


def _content(stream: IO[bytes], header: ArrayHeader) -> NDArray[Any]:
    content = stream.read(header.bytes)
    if len(content) < header.bytes:
        raise _Damaged(f"the array needs {header.bytes} bytes, the file contains {len(content)}")
    # An archive's checksum is compared only at the end of the member.
    stream.read(1)
    order = "F" if header.fortran_order else "C"
    return np.frombuffer(content, header.dtype, header.size).reshape(header.shape, order=order)
