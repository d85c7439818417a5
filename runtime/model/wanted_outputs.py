"""The expected outputs in a data set: values, or the classes of elements such as pixels and time steps.

The array `y` contains the expected first output, and `y_1`, `y_2` and so on contain the expected outputs after it.
`answers.py` reads `y` unless it contains classes of elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tinyml.dialects.errors import InputError
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class WantedOutput:
    """The expected values of one output for each sample, or the expected class of each element.

    number: the index of the output.
    shape: the shape of one sample of the output, without axes of extent 1.
    targets: the expected values, shape (samples, values); None if classes are expected.
    classes: the expected classes, shape (samples, elements); None if values are expected.
    axis: the axis of `shape` that contains the scores of an element's classes.
    """

    number: int
    shape: tuple[int, ...]
    targets: NDArray[np.float64] | None = None
    classes: NDArray[np.int64] | None = None
    axis: int = 0

    def accuracy(self, values: NDArray[Any]) -> float | None:
        """The percentage of correctly classified elements; None if no classes are expected.

        values: the values of the output, shape (samples, values).
        """
        if self.classes is None:
            return None
        predicted = values.reshape(len(values), *self.shape).argmax(1 + self.axis).reshape(len(values), -1)
        return round(100 * float((predicted == self.classes[: len(values)]).mean()), 4)

    def part(self, samples: slice) -> WantedOutput:
        """The expected output for a slice of the samples."""
        arrays = {name: getattr(self, name) for name in ("targets", "classes")}
        return replace(self, **{name: None if array is None else array[samples] for name, array in arrays.items()})


def class_axis(given: Sequence[int], kind: str, shape: Sequence[int]) -> int | None:
    """The axis of an output that contains the scores of the classes, if an array contains a class for each index of the
    other axes.

    given: the shape of a sample in the array.
    kind: the kind of the array's dtype; classes are integers or booleans.
    shape: the shape of a sample of the output. Axes of extent 1 are ignored.

    The result is the first or the last axis; None if both or neither match.
    """
    elements, output_shape = _squeezed(given), _squeezed(shape)
    fits = [
        axis
        for axis, others in ((0, output_shape[1:]), (len(output_shape) - 1, output_shape[:-1]))
        if elements == others
    ]
    return fits[0] if kind in "iub" and len(output_shape) > 1 and len(fits) == 1 else None


def classes_of_elements(
    path: str, name: str, y: NDArray[Any], number: int, shape: Sequence[int], axis: int
) -> WantedOutput:
    """The expected classes of the elements of an output. Raises `InputError` for a class that the output lacks.

    path, name, y: the file, the name of the array that contains the classes, and this array.
    number: the index of the output.
    shape: the shape of a sample of the output.
    axis: the axis of the output that contains the scores of the classes.
    """
    output_shape, classes = _squeezed(shape), y.reshape(len(y), -1).astype(np.int64)
    if (wrong := np.argwhere((classes < 0) | (classes >= output_shape[axis]))).size:
        sample = int(wrong[0][0])
        raise InputError(
            f"`{name}` contains {classes[tuple(wrong[0])]} in sample {sample}, the classes of an element are 0 to "
            f"{output_shape[axis] - 1}",
            file=path,
        )
    return WantedOutput(number, output_shape, classes=classes, axis=axis)


def read_further(path: str, samples: int, shapes: Sequence[Sequence[int]]) -> Sequence[WantedOutput]:
    """The expected outputs after the first one. The file may contain the array of any of them: `y_1`, `y_2` and so on.
    An output without an array is omitted.

    path, samples: the file, and the number of samples in it.
    shapes: the shape of a sample of each of these outputs.

    Raises `InputError` for an array that does not match its output or contains NaN or infinity.
    """
    outputs: list[WantedOutput] = []
    for number, shape in enumerate(shapes, 1):
        name = f"y_{number}"
        y = read_npz(
            path, "data", name, lambda header, name=name, shape=shape: _check(path, name, samples, shape, header)
        )
        if y is None:
            continue
        output_shape = _squeezed(shape)
        if prod(y.shape[1:]) == prod(shape):
            targets = y.reshape(samples, -1).astype(np.float64)
            if not np.isfinite(targets).all():
                raise InputError(f"`{name}` contains NaN or infinity", file=path)
            outputs.append(WantedOutput(number, output_shape, targets))
            continue
        axis = class_axis(y.shape[1:], y.dtype.kind, shape)
        # One class for a sample is that of the greatest of all values.
        whole = (prod(shape),) if axis is None else shape
        outputs.append(classes_of_elements(path, name, y, number, whole, axis or 0))
    return outputs


def _check(path: str, name: str, samples: int, shape: Sequence[int], header: ArrayHeader) -> None:
    given, kind = header.shape[1:], header.dtype.kind
    if header.shape[:1] == (samples,) and kind in "iufb":
        if prod(given) == prod(shape) and (_squeezed(given) == _squeezed(shape) or len(given) <= 1):
            return
        if kind in "iub" and (prod(given) == 1 or class_axis(given, kind, shape) is not None):
            return
    raise InputError(
        f"expected `{name}` to contain {samples} samples of shape {(*shape,)} or the classes of their elements, got "
        f"shape {header.shape} of {header.dtype}",
        file=path,
    )


def _squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)
