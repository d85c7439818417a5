"""Data sets: .npz files with inputs `x` of shape (samples, elements), and optionally classes or targets `y`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.runtime.model.answers import Answers, read_answers
from tinyml.runtime.model.memory import require_memory
from tinyml.runtime.readers.arrays import ArrayHeader, array_names, read_npz

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tinyml.dialects.tdsl.inputs import InputPart
    from tinyml.runtime.model.wanted_outputs import WantedOutput


_COPIES = 4
"""The number of float arrays of the data set's size that exist at once: as read, converted, reordered and encoded."""


@dataclass(frozen=True)
class Data:
    """A data set.

    * x: the inputs, shape (samples, elements): reals in single precision; integers in the type of the file, until the
      program that interprets them is known; reals in double precision where single precision would change a raw.
    * y: the class index of each sample; None if the file contains no labels.
    * integers: the elements of a sample that the file contains as integers: one slice per input, `slice(None)` for all
      elements.
    * shape: the shape of a sample in the file.
    * targets: the targets of a regressor, shape (samples, values), if the file contains targets instead of labels.
    * ignored: true if the file contains an array `y` that is not used, because the program is a clustering.
    * precise: the samples that `compared_stride` selects, before they are rounded to single precision, if the file
      stores double precision.
    * wanted: the expected values of outputs after the first, and the expected classes of elements.
    """

    x: NDArray[Any]
    y: NDArray[np.int64] | None
    integers: tuple[slice, ...] = ()
    shape: tuple[int, ...] = ()
    targets: NDArray[np.float64] | None = None
    ignored: bool = False
    precise: NDArray[np.float64] | None = None
    wanted: Sequence[WantedOutput] = ()

    def __len__(self) -> int:
        return len(self.x)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the inputs, the expected outputs and their metadata, in hexadecimal."""
        digest = hashlib.sha256(f"{self.integers} {self.shape} {self.ignored}".encode())
        further = [array for each in self.wanted for array in (each.targets, each.classes)]
        for array in (self.x, self.y, self.targets, self.precise, *further):
            if array is not None:
                digest.update(f"{array.dtype} {array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
            digest.update(b";")
        return digest.hexdigest()

    def part(self, samples: slice) -> Data:
        """The data of the samples in a slice."""
        arrays = {name: getattr(self, name) for name in ("x", "y", "targets")}
        parts = {name: None if array is None else array[samples] for name, array in arrays.items()}
        return replace(self, **parts, wanted=[each.part(samples) for each in self.wanted])


def load_data(
    path: str,
    *,
    elements: int | None = None,
    classes: int | None = None,
    answers: Answers | None = None,
    parts: Sequence[InputPart] = (),
    missing: bool = False,
) -> Data:
    """The data set in a file.

    elements: the required number of elements per sample; None for any number.
    classes: the number of classes. Labels must lie in [0, classes). None for any number.
    answers: what the program returns, which determines the meaning of `y`; replaces `classes`.
    parts: the inputs of a model with several inputs. The file contains an array for each name, or `x` with the
        concatenated arrays.
    missing: true if elements may be NaN.

    Raises `InputError` for a missing or damaged file, for wrong shapes or types, for a file without samples, for more
    samples than fit in memory, for infinity, for NaN unless `missing` is true, and for labels out of range.
    """

    if (joined := _joined(path, parts)) is not None:
        x, integers = joined
        shape = x.shape[1:]
    elif (single := _samples(path, "x", elements, parts)) is not None:
        x, shape = single.reshape(len(single), -1), single.shape[1:]
        integers = (slice(None),) if single.dtype.kind in "iu" else ()
    else:
        others = ", ".join(f"`{name}`" for name in array_names(path))
        raise InputError(f"has no array `x`{f', only {others}' if others else ''}", file=path)
    given = x[:: compared_stride(len(x))].copy() if x.dtype == np.float64 and not integers else None
    if not integers:
        with np.errstate(over="ignore"):
            x = x.astype(np.float32)
    if not (sound := np.isfinite(x) | (missing & np.isnan(x))).all():
        what, at = "infinity" if missing else "NaN or infinity", int(np.argwhere(~sound)[0][0])
        help = ": NaN is a missing value where a model takes some and the validation data have some, too"
        raise InputError(f"`x` contains {what} in sample {at}{help if np.isnan(x[at]).any() else ''}", file=path)

    known = answers or Answers(classes)
    if known.clusters:
        return Data(x, None, integers, shape, ignored=read_npz(path, "data", "y", lambda header: None) is not None)
    y, targets, wanted = read_answers(path, len(x), known)
    return Data(x, y, integers, shape, targets, precise=given, wanted=wanted)


COMPARED_SAMPLES = 1000
"""The maximum number of samples on which a program on reals is compared with the model from which it was imported."""


def compared_stride(samples: int) -> int:
    """The stride through `samples` samples that selects the subset on which programs are compared."""
    return -(-samples // COMPARED_SAMPLES)


def _samples(path: str, name: str, elements: int | None, parts: Sequence[InputPart] = ()) -> NDArray[Any] | None:
    """The array `name` of an .npz file, with one row of `elements` numbers per sample; None if it is missing.

    elements: the required number of elements per sample; None for any number.
    parts: the inputs that the array contains, for messages.

    Raises `InputError` for an array of any other shape or type, for an array without samples, and for more samples than
    fit in memory.
    """

    def accept(header: ArrayHeader) -> None:
        if len(header.shape) < 2 or header.dtype.kind not in "fiu":
            raise InputError(f"expected `{name}` to contain numbers of shape (samples, elements)", file=path)
        if header.size == 0:
            raise InputError(f"`{name}` contains no samples", file=path)
        if elements is not None and (given := prod(header.shape[1:])) != elements:
            expected = ", ".join(f"`{part.name}` of {part.length}" for part in parts)
            help = f" for its {len(parts)} inputs, {expected}: give an array for each" if parts else ""
            if len(header.shape) > 2 and prod(header.shape[2:]) == elements:
                # A batch that is written into a model's file is none of a program.
                help = f": if its first two axes are samples, `{name}`.reshape(-1, {elements}) has one per row"
            raise InputError(
                f"samples of `{name}` have {given} values, the program expects {elements}{help}", file=path
            )
        require_memory("reading", header.shape[0], _COPIES * 4 * prod(header.shape[1:]), path)

    return read_npz(path, "data", name, accept)


def _joined(path: str, parts: Sequence[InputPart]) -> tuple[NDArray[Any], tuple[slice, ...]] | None:
    """The arrays of the inputs `parts` of a model, concatenated to the shape (samples, elements), and the elements that
    are integers in the file, as in `Data.integers`.

    Returns None if the file contains none of these arrays, apart from `x` and `y`. Raises `InputError` if the file
    contains only some of them, if they differ in the number of samples, and for an input called `y`.
    """
    given = {part: _samples(path, part.name, part.length) for part in parts if part.name not in ("x", "y")}
    if all(array is None for array in given.values()):
        return None
    arrays: list[NDArray[Any]] = []
    for part in parts:
        if part.name == "y":
            raise InputError(
                "`y` is an input of the model, but contains answers in a file: join all inputs in `x`", file=path
            )
        array = given[part] if part in given else _samples(path, part.name, part.length)
        if array is None:
            raise InputError(f"has no array `{part.name}` for this input of the model", file=path)
        if arrays and len(array) != len(arrays[0]):
            raise InputError(f"`{part.name}` contains {len(array)} samples, other inputs {len(arrays[0])}", file=path)
        arrays.append(array.reshape(len(array), -1))
    integers = tuple(part.elements for part, array in zip(parts, arrays, strict=True) if array.dtype.kind in "iu")
    # Among floats, raws of up to 32 bits are exact in double precision.
    wide = [array.astype(np.int64 if len(integers) == len(parts) else np.float64) for array in arrays]
    return np.concatenate(wide, axis=1), (slice(None),) if len(integers) == len(parts) else integers
