"""The conversion of a caller's input to the argument of the program: features, order of axes, several inputs, and
frames.

The `InputInterface` of a program specifies which of these conversions it needs. A sample has no batch axis. If the
model's file places channels first, an image is channels x height x width, and a sequence is channels x steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.ir import Attribute

__all__ = [
    "FeatureMap",
    "InputPart",
    "Pushes",
    "SignalFrames",
    "channels_last",
    "named_axes",
    "row_by_row",
    "shortest_period",
]


@dataclass(frozen=True)
class FeatureMap:
    """The affine map between the features of a sample and the elements of a program's argument.

    Feature j is `scales[j] * (v[j] - points[j]) + zeros[j]`, where v is the argument. All elements of v have the same
    number format.

    scales, zeros: arrays of shape (elements,) with numbers of single precision.
    points: the zero points of a quantiser in the model, of the same shape; None for a map that is no quantiser. With
        points, v is computed in single precision, as the quantiser is.
    """

    scales: NDArray[np.float64]
    zeros: NDArray[np.float64]
    points: NDArray[np.float64] | None = None

    @property
    def fields(self) -> dict[str, tuple[float, ...]]:
        """The scales, zeros and points, rounded to single precision, as values for the fields of an `InputInterface` by
        name.
        """
        # The sum turns -0.0 into 0.0.
        parts = {"scales": self.scales, "offsets": self.zeros + 0.0}
        if self.points is not None:
            parts["points"] = self.points + 0.0
        return {name: tuple(shortest_period(numbers).astype(np.float32).tolist()) for name, numbers in parts.items()}

    def of_features(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The elements of the argument for the features of samples. Both arrays have the shape (samples, elements)."""
        if self.points is None:
            return (x.astype(np.float64) - self.zeros) / self.scales
        scales, zeros, points = (part.astype(np.float32) for part in (self.scales, self.zeros, self.points))
        with np.errstate(over="ignore", under="ignore"):
            return ((x.astype(np.float32) - zeros) / scales + points).astype(np.float64)

    def features(self, elements: NDArray[Any]) -> NDArray[np.float64]:
        """The features that correspond to elements of the argument. The method is the inverse of `of_features`."""
        points = 0.0 if self.points is None else self.points
        return (elements.astype(np.float64) - points) * self.scales + self.zeros


class SignalFrames(NamedTuple):
    """The frames of a signal from which a front end computes features.

    frame: the number of samples of a frame.
    hop: the number of samples from the start of one frame to the start of the next.
    rows: the total number of rows of features, over all frames.
    grain: the length of a frame must be a multiple of this number; 0 if the length must be a power of two.
    """

    frame: int
    hop: int
    rows: int
    grain: int

    def shorter(self) -> Iterator[int]:
        """Yield the lengths in samples, in descending order, to which a frame can be shortened."""
        if self.grain:
            yield from range((self.frame - 1) // self.grain * self.grain, 0, -self.grain)
            return
        length = 1 << (self.frame - 1).bit_length()
        while (length := length // 2) > 1:
            yield length

    def hop_beside(self, frame: int) -> int:
        """The hop, in samples, for frames of `frame` samples with nearly the same ratio of hop to frame length."""
        grain = self.grain or 1
        return max(self.hop * frame // self.frame // grain, 1) * grain


def shortest_period(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shortest prefix of an array for which the array consists of repetitions of this prefix."""
    lengths = (length for length in range(1, len(numbers) + 1) if len(numbers) % length == 0)
    return next(numbers[:length] for length in lengths if (numbers.reshape(-1, length) == numbers[:length]).all())


def channels_last(rank: int) -> tuple[int, ...]:
    """The permutation that moves the channels of an array N x C x ... to the end, where image ops expect them."""
    return (0, *range(2, rank), 1)


def row_by_row() -> tuple[int, ...]:
    """The order of axes N x H x C x W, for an image that is received row by row. A row contains the pixels of every
    channel.
    """
    return (0, 2, 1, 3)


def named_axes(axes: Sequence[int]) -> str:
    """The axes of a sample as text, such as `height x width x channels`."""
    names = ("channels", "height", "width") if len(axes) == 4 else ("channels", "steps")
    return " x ".join(names[axis - 1] for axis in axes[1:])


class InputPart(NamedTuple):
    """One input of a model with several inputs. The program accepts one array that concatenates all inputs.

    * name: the name of the input.
    * length: the number of elements of the input.
    * start: the index of the input's first element in the array.
    * format: the number format of the raws; None for the format of the array.
    """

    name: str
    length: int
    start: int
    format: Attribute | None = None

    @property
    def elements(self) -> slice:
        return slice(self.start, self.start + self.length)


class Pushes(NamedTuple):
    """Frames of an input that the caller pushes: `frame` elements each, with starts that are `hop` elements apart.

    The program returns its first result after `steps` frames, and another result after every further `stride` frames.
    """

    frame: int
    hop: int
    steps: int
    stride: int

    @property
    def length(self) -> int:
        """The number of elements from the start of the first frame to the end of the last frame."""
        return self.frame + (self.steps - 1) * self.hop
