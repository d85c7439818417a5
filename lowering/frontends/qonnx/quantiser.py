"""Quantisers: maps from reals to integer levels, with a scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.qonnx.integer_formats import MAX_BITS, ExactInteger, binary_exponent, format_of_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.lowering.frontends.qonnx.staircases import Lines

    Singles: TypeAlias = NDArray[np.float32]
    Integers: TypeAlias = NDArray[np.int64]

ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "ROUND": np.rint,
    "HALF_EVEN": np.rint,
    "CEIL": np.ceil,
    "FLOOR": np.floor,
    "UP": lambda x: np.sign(x) * np.ceil(np.abs(x)),
    "DOWN": np.trunc,
    "HALF_UP": lambda x: np.sign(x) * np.floor(np.abs(x) + x.dtype.type(0.5)),
    "HALF_DOWN": lambda x: np.sign(x) * np.ceil(np.abs(x) - x.dtype.type(0.5)),
}
"""Functions of the attribute `rounding_mode`, as QONNX defines them."""


@dataclass(frozen=True, eq=False)
class Quantiser:
    """The quantiser `level = round(clamp(x / scale + zero)) - zero`, computed in single precision.

    scales: one scale, or one for each channel.
    low, high: the range of the clamp, before the zero point is subtracted.
    zero: the zero point.
    rounding: a key of `ROUNDINGS`.
    bipolar: whether the levels are the signs -1 and 1, represented by 0 and 1.
    """

    scales: Singles
    low: int
    high: int
    zero: int = 0
    rounding: str = "ROUND"
    bipolar: bool = False

    @property
    def offset(self) -> int:
        """The integer that is subtracted from the rounded number; the difference is the level."""
        return self.zero

    @property
    def result_scales(self) -> Singles:
        return self.scales

    @property
    def first(self) -> int:
        return 0 if self.bipolar else self.low - self.offset

    @property
    def last(self) -> int:
        return 1 if self.bipolar else self.high - self.offset

    @property
    def frac(self) -> int | None:
        """The integer n with scale = 2^-n; None for other scales, and for several scales."""
        scales = self.result_scales
        return binary_exponent(float(scales.item())) if scales.size == 1 else None

    @property
    def units(self) -> NDArray[np.float64]:
        """The real value of one step of the result's format."""
        return np.ones(1) if self.frac is not None else self.result_scales.astype(np.float64)

    @property
    def format(self) -> ExactInteger:
        return format_of_range(self.first, self.last, self.frac or 0, bipolar=self.bipolar, computed=True)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer of the result, after the zero point is subtracted."""
        return (-1, 1) if self.bipolar else (self.first, self.last)

    def levels(self, reals: Singles, scales: Singles) -> Integers:
        """The integer level of each real.

        scales: the scales, in a shape that broadcasts to `reals`.
        """
        if self.bipolar:
            return (reals >= 0).astype(np.int64)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = reals / scales + np.float32(self.zero)
            limited = np.minimum(np.maximum(scaled, np.float32(self.low)), np.float32(self.high))
        return np.nan_to_num(ROUNDINGS[self.rounding](limited)).astype(np.int64) - self.zero

    def levels_of(self, integers: Integers, reals: Callable[[Integers], Singles]) -> Integers:
        """The levels of integers of shape (channels, any).

        reals: a function that returns the reals that the integers represent.
        """
        return self.levels(reals(integers), self.scales[:, None])

    @property
    def channels(self) -> int:
        """The number of channels with separate scales or thresholds; 1 if the scales or thresholds of all channels are
        equal.
        """
        return self.scales.size

    @property
    def line(self) -> Lines | None:
        """A linear function per channel that computes the levels of all integers, provided that its results saturate at
        32 bits; None if there is no such function.
        """
        return None

    def integers(self, reals: Singles, scales: Singles) -> Integers:
        """The integers of the result: the levels, or for a bipolar quantiser -1 and 1."""
        levels = self.levels(reals, scales)
        return 2 * levels - 1 if self.bipolar else levels


@dataclass(frozen=True, eq=False)
class Comparisons(Quantiser):
    """A quantiser whose level is `low + n`, where n is the number of thresholds that are at most x.

    thresholds: a row of ascending thresholds for each channel, or one row for all channels.
    """

    thresholds: Singles | None = None

    @property
    def channels(self) -> int:
        return len(self._sorted)

    @property
    def _sorted(self) -> Singles:
        assert self.thresholds is not None
        return self.thresholds

    def levels(self, reals: Singles, scales: Singles) -> Integers:
        levels = np.empty(reals.shape, np.int64)
        for channel, numbers in enumerate(reals):
            row = self._sorted[min(channel, len(self._sorted) - 1)]
            levels[channel] = np.searchsorted(row, numbers, "right")
        return levels + self.first


@dataclass(frozen=True, eq=False)
class Truncation(Quantiser):
    """The quantiser `level = round(clamp(round(x / scale + zero) / divisor)) - subtracted`. The inner rounding is
    half to even; the outer one has the rounding mode of the node.

    low, high: the range of the clamp.
    result: the scale of the result.
    """

    divisor: float = 1.0
    subtracted: int = 0
    result: float = 1.0

    @property
    def offset(self) -> int:
        return self.subtracted

    @property
    def result_scales(self) -> Singles:
        return np.array([self.result], np.float32)

    def levels(self, reals: Singles, scales: Singles) -> Integers:
        with np.errstate(over="ignore"):
            quotients = np.rint(reals / scales + np.float32(self.zero)) / np.float32(self.divisor)
        limited = np.minimum(np.maximum(quotients, np.float32(self.low)), np.float32(self.high))
        return ROUNDINGS[self.rounding](limited).astype(np.int64) - self.subtracted


def integer_limits(node: OnnxNode, bits: float, *, signed: bool, narrow: bool) -> tuple[int, int]:
    """The least and the greatest integer of `bits` bits. Raises `InputError` for a width that is not supported.

    signed: whether the integers are signed.
    narrow: whether to exclude the least signed, or the greatest unsigned, integer.
    """
    if not 1 <= bits <= MAX_BITS or bits != int(bits):
        raise node.error(f"{bits:g} bits are not supported, only whole numbers from 1 to {MAX_BITS}")
    count = int(bits)
    if signed:
        half = 1 << count - 1
        return -half + narrow, half - 1
    return 0, (1 << count) - 1 - narrow
