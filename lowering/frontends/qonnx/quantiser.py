"""The quantiser of a node: the levels that it yields, and their scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.onnx.graph import OnnxNode
from tinyml.lowering.frontends.qonnx.integer_formats import MOST_BITS, ExactInteger, binary_exponent, format_of_range

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    """`level = round(clamp(x / scale + zero)) - zero`, in single precision.

    low, high: the range before the zero point is subtracted. scales: one scale, or one for each channel. bipolar:
    whether the levels are the signs -1 and 1; they are then numbered 0 and 1.
    """

    scales: Singles
    low: int
    high: int
    zero: int = 0
    rounding: str = "ROUND"
    bipolar: bool = False

    @property
    def offset(self) -> int:
        """The number that is subtracted from integers in the range."""
        return self.zero

    @property
    def result_scales(self) -> Singles:
        """The scales of the result."""
        return self.scales

    @property
    def first(self) -> int:
        return 0 if self.bipolar else self.low - self.offset

    @property
    def last(self) -> int:
        return 1 if self.bipolar else self.high - self.offset

    @property
    def frac(self) -> int | None:
        """The number n for which the scale is 2^-n; None for other scales, and for several."""
        scales = self.result_scales
        return binary_exponent(float(scales.item())) if scales.size == 1 else None

    @property
    def units(self) -> NDArray[np.float64]:
        """The real of one unit of the format."""
        return np.ones(1) if self.frac is not None else self.result_scales.astype(np.float64)

    @property
    def format(self) -> ExactInteger:
        return format_of_range(self.first, self.last, self.frac or 0, bipolar=self.bipolar, computed=True)

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer of the result."""
        return (-1, 1) if self.bipolar else (self.first, self.last)

    def levels(self, reals: Singles, scales: Singles) -> Integers:
        """The levels of reals. scales: the scales, in a shape that broadcasts."""
        if self.bipolar:
            return (reals >= 0).astype(np.int64)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = reals / scales + np.float32(self.zero)
            limited = np.minimum(np.maximum(scaled, np.float32(self.low)), np.float32(self.high))
        return np.nan_to_num(ROUNDINGS[self.rounding](limited)).astype(np.int64) - self.zero

    @property
    def channels(self) -> int:
        """The number of channels that the quantiser distinguishes; 1 if it treats all alike."""
        return self.scales.size

    def integers(self, reals: Singles, scales: Singles) -> Integers:
        """The integers of the result: levels, or signs."""
        levels = self.levels(reals, scales)
        return 2 * levels - 1 if self.bipolar else levels


@dataclass(frozen=True, eq=False)
class Comparisons(Quantiser):
    """`level = low + the number of thresholds that x reaches`.

    thresholds: (channels or 1, any), sorted along the last axis.
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
    """`level = round(round(x / scale + zero) / divisor) - subtracted`, with the rounding mode for the outer one.

    low, high: the range before the last difference. result: the scale of the result.
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
            parts = np.rint(reals / scales + np.float32(self.zero)) / np.float32(self.divisor)
        limited = np.minimum(np.maximum(parts, np.float32(self.low)), np.float32(self.high))
        return ROUNDINGS[self.rounding](limited).astype(np.int64) - self.subtracted


def integer_limits(node: OnnxNode, bits: float, *, signed: bool, narrow: bool) -> tuple[int, int]:
    """The least and the greatest integer of a number of bits. narrow: whether one of them is left out."""
    if not 1 <= bits <= MOST_BITS or bits != int(bits):
        raise node.error(f"{bits:g} bits are not supported, only whole numbers from 1 to {MOST_BITS}")
    count = int(bits)
    if signed:
        half = 1 << count - 1
        return -half + narrow, half - 1
    return 0, (1 << count) - 1 - narrow
