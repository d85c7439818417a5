"""How a caller's input becomes the program's argument: attributes of the argument.

Feature j is `scales[j] * v[j] + zeros[j]`, where v is the argument, all of whose elements share a format. `tdsl.order`
is the order of the axes if the model's file puts channels first; a sample has no batch axis there: an image is channels
x height x width, a sequence channels x steps. `tdsl.parts` lists the inputs of a model that has several, which a
program takes in one array, and `tdsl.pushed` the frames in which the caller of a program that streams passes its input.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, StringAttr, f32, f64, i64
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import (
    NAME,
    UNIT,
    Holder,
    OwnAttribute,
    Place,
    Value,
    array,
    counts,
    integer,
    numbers,
    real,
    text_of,
)
from tinyml.dialects.tdsl.attributes import of_input

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CALLS",
    "FEATURE_SCALES",
    "FEATURE_ZEROS",
    "ORDER",
    "PARTS",
    "PUSHED",
    "RATE",
    "STATE",
    "FeatureMap",
    "InputPart",
    "Pushes",
    "calls_of",
    "channels_last",
    "input_parts",
    "named_axes",
    "order_axes",
    "parts_attribute",
    "rate_of",
    "row_by_row",
    "set_rate",
    "shortest_period",
]


FEATURE_SCALES = OwnAttribute(
    "tdsl.feature_scales",
    of_input(numbers(f32, "an array of f32", bool)),
    "The unit of each element of the input; numbers that repeat over the whole input are written once.",
)

FEATURE_ZEROS = OwnAttribute(
    "tdsl.feature_zeros",
    of_input(numbers(f32, "an array of f32", bool)),
    "For each element of the input the feature for which it is zero, as `tdsl.feature_scales`.",
)


@dataclass(frozen=True)
class FeatureMap:
    """The affine map between the features of a sample and the elements of a program's argument.

    scales, zeros: arrays of shape (elements,), whose numbers are those of single precision.
    """

    scales: NDArray[np.float64]
    zeros: NDArray[np.float64]

    @staticmethod
    def of(attribute_of: Callable[[str], Attribute | None], elements: int) -> FeatureMap | None:
        """The map that an argument's attributes, by their names, state; None without one.

        Raises `InputError` unless both attributes have a finite number for each element, and no scale is zero.
        """
        given = [attribute_of(name) for name in (FEATURE_SCALES, FEATURE_ZEROS)]
        if given == [None, None]:
            return None
        if not all(isinstance(attribute, DenseArrayBase) for attribute in given):
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} belong together: two arrays of f32")
        arrays = [cast("DenseArrayBase[Any]", attribute) for attribute in given]
        scales, zeros = (np.array(array.get_values(), np.float64) for array in arrays)
        repeats = all(len(numbers) and elements % len(numbers) == 0 for numbers in (scales, zeros))
        if any(array.elt_type != f32 for array in arrays) or not repeats:
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} need an f32 for each of {elements} features")
        scales, zeros = np.resize(scales, elements), np.resize(zeros, elements)
        if not (np.isfinite(scales) & np.isfinite(zeros) & (scales != 0)).all():
            raise InputError(f"{FEATURE_SCALES} and {FEATURE_ZEROS} must be finite, and no scale zero")
        return FeatureMap(scales, zeros)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """The attributes of the argument, rounded to single precision."""
        parts = {FEATURE_SCALES: self.scales, FEATURE_ZEROS: self.zeros}
        return {
            name: DenseArrayBase.from_list(f32, shortest_period(numbers).tolist()) for name, numbers in parts.items()
        }

    def of_features(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The argument's elements for samples of features, of shape (samples, elements)."""
        return (x.astype(np.float64) - self.zeros) / self.scales

    def features(self, elements: NDArray[Any]) -> NDArray[np.float64]:
        """The features of samples that the argument's elements stand for; the inverse of `of_features`."""
        return elements.astype(np.float64) * self.scales + self.zeros


def shortest_period(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shortest prefix that gives all numbers when it is repeated."""
    lengths = (length for length in range(1, len(numbers) + 1) if len(numbers) % length == 0)
    return next(numbers[:length] for length in lengths if (numbers.reshape(-1, length) == numbers[:length]).all())


def _is_order(axes: tuple[int, ...]) -> bool:
    return len(axes) in (3, 4) and axes[0] == 0 and sorted(axes) == [*range(len(axes))]


ORDER = OwnAttribute(
    "tdsl.order",
    of_input(numbers(i64, "an order of 3 or 4 axes of which 0 is the first, as in array<i64: 0, 2, 3, 1>", _is_order)),
    "For each axis of the input its number in the tensor of a file whose channels come first.",
)


def channels_last(rank: int) -> tuple[int, ...]:
    """The order in which the channels of N x C x ... are moved to the end, as ops on images read them."""
    return (0, *range(2, rank), 1)


def row_by_row() -> tuple[int, ...]:
    """The order N x H x C x W of an image that arrives row by row: a row holds that row of every channel."""
    return (0, 2, 1, 3)


def order_axes(order: Attribute | None) -> tuple[int, ...] | None:
    """The axes of an attribute `tdsl.order`; None without one."""
    return tuple(cast("DenseArrayBase[Any]", order).get_values()) if isinstance(order, DenseArrayBase) else None


def named_axes(axes: Sequence[int]) -> str:
    """The axes of a sample in words, such as `height x width x channels`."""
    names = ("channels", "height", "width") if len(axes) == 4 else ("channels", "steps")
    return " x ".join(names[axis - 1] for axis in axes[1:])


class InputPart(NamedTuple):
    """An input of a model: its name, its length in elements, and the index of its first element in the array."""

    name: str
    length: int
    start: int


def parts_attribute(lengths: Sequence[tuple[str, int]]) -> ArrayAttr[ArrayAttr[Attribute]]:
    """The attribute for inputs of these names and lengths."""
    return ArrayAttr([ArrayAttr([StringAttr(name), IntegerAttr(length, i64)]) for name, length in lengths])


def input_parts(attribute: Attribute | None) -> tuple[InputPart, ...]:
    """The parts that an attribute `tdsl.parts` lists; none without one."""
    if not isinstance(attribute, ArrayAttr):
        return ()
    listed = [cast("ArrayAttr[Any]", part).data for part in cast("ArrayAttr[Attribute]", attribute)]
    starts = accumulate((length.value.data for _, length in listed), initial=0)
    return tuple(
        InputPart(text_of(name), length.value.data, start)
        for (name, length), start in zip(listed, starts, strict=False)
    )


def _is_part(part: Attribute, _: Holder | None) -> bool:
    return (
        isa(part, ArrayAttr[Attribute])
        and len(part) == 2
        and NAME.accepts(part.data[0], None)
        and integer(1).accepts(part.data[1], None)
    )


PARTS = OwnAttribute(
    "tdsl.parts",
    of_input(array(Value("a pair", _is_part), "pairs of a name and a length from 1")),
    "The name and the length of each input of a model that has several, in their order in the array.",
)


PUSHED = OwnAttribute(
    "tdsl.pushed",
    of_input(counts("four integers from 1: frame, hop, steps and stride", [4])),
    "The frames in which the caller pushes the input (`Pushes`).",
)

CALLS = OwnAttribute(
    "tdsl.calls",
    {Place.ARGUMENT: integer(1), "scf.for": integer(1)},
    "The calls of a step function, at its time, from a reset to the answer; the iterations of a loop over time in all.",
)

STATE = OwnAttribute(
    "tdsl.state",
    of_input(UNIT),
    "The argument of a step function keeps its value, one of the last results, for the next call.",
)

RATE = OwnAttribute(
    "tdsl.rate",
    {Place.MODULE: real("a finite float above 0", lambda rate: 0 < rate < math.inf)},
    "The samples per second of the input.",
)


def set_rate(module: ModuleOp, rate: float) -> None:
    """Record the sample rate of a program's input, in samples per second."""
    module.attributes[RATE] = FloatAttr(rate, f64)


def rate_of(module: ModuleOp) -> float | None:
    """The sample rate of a program's input, in samples per second; None if it is not recorded."""
    rate = module.attributes.get(RATE)
    return rate.value.data if isinstance(rate, FloatAttr) else None


def calls_of(attributes: Mapping[str, Attribute]) -> int | None:
    """The number of calls that attributes record; None if they record none."""
    calls = attributes.get(CALLS)
    return calls.value.data if isinstance(calls, IntegerAttr) else None


class Pushes(NamedTuple):
    """Frames of `frame` elements, which begin `hop` elements apart.

    The program has an answer after `steps` frames, and another one after every `stride` frames more.
    """

    frame: int
    hop: int
    steps: int
    stride: int

    @staticmethod
    def of(attribute: Attribute | None) -> Pushes | None:
        """The parts that an attribute `tdsl.pushed` says; None without one."""
        if attribute is None:
            return None
        return Pushes(*(int(value) for value in cast("DenseArrayBase[Any]", attribute).get_values()))

    @property
    def attribute(self) -> Attribute:
        """The value of `tdsl.pushed`."""
        return DenseArrayBase.from_list(i64, self)

    @property
    def length(self) -> int:
        """The number of elements from the start of the first frame to the end of the last."""
        return self.frame + (self.steps - 1) * self.hop
